"""What the page says in words. `assets/parts/difficulty-words.js` says the same in the browser."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from site_src.generator.views.formats import isolated

SPLITS = "From the easiest examples to the hardest; the last split weighs most."
OWN_SPLITS = "Every model has an order of examples and splits of its own; the drawings show them."
NO_SPLITS = "There are no splits: every example has its own weight."


def encoder_warning(labels: Sequence[str]) -> str | None:
    """Which models a source cannot judge fairly, by their labels; None for no models."""
    if not labels:
        return None
    are, their, gets = ("is", "its", "it gets") if len(labels) == 1 else ("are", "their", "they get")
    who = " and ".join(map(isolated, labels))
    return (
        f"{who} {are} built on the encoder that these difficulties were computed with. Examples that {gets}"
        f" wrong may count as hard for that reason, so {their} place is no fair comparison."
    )


def split_name(at: int, splits: int) -> str:
    """A split's number; the first and the last say what they are."""
    end = {0: ", easiest", splits - 1: ", hardest"}.get(at, "")
    return f"{at + 1}{end}"


def mean_right(models: Sequence[Mapping[str, Any]], at: int) -> float | None:
    """The mean share of right answers of the models in one split, in per cent."""
    known = [m["splits"][at]["accuracy"] for m in models if m["splits"][at]["accuracy"] is not None]
    return math.fsum(known) / len(known) if known else None


def splits_note(answer: Mapping[str, Any], kind: str) -> str:
    """The text above the table of splits, or in its place."""
    if kind == "continuous":
        return NO_SPLITS
    return OWN_SPLITS if answer["splits"] is None else SPLITS
