"""What a suite of perturbations is: a pure function of dataset, spec and seed (DESIGN, section 6)."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from evaluator.data.suites.edits import Edit, Span

FieldTexts = Mapping[str, str]
#: Stretches of each field that must stay as they are, under every transformation.
Protected = Mapping[str, Sequence[Span]]
Edits = dict[str, list[Edit]]
SuiteKind = Literal["robustness", "fairness", "placebo", "neutral"]


class UndecidedError(Exception):
    """A text that does not show what a word in it is; the example is left as it is, and counted."""


@dataclass(frozen=True)
class Transformation:
    """One way to perturb an example; it gives at most one variant of each.

    `edit` gets the texts of the fields it may touch, a generator of its own for the example, and what
    must stay; it returns the edits of each field, none where it does not apply, and raises
    `UndecidedError` where the texts do not show whether it does. It may use nothing
    else: no clock, no set order, no state. `version` changes whenever its edits would; `options` are
    its severities and sources, and enter the suite's hash.
    """

    name: str
    version: int
    edit: Callable[[FieldTexts, random.Random, Protected], Edits]
    options: Mapping[str, Any] = field(default_factory=dict)
    backend: str = "steelyard"

    def spec(self) -> dict[str, Any]:
        """What decides its edits, as JSON data."""
        return {
            "name": self.name,
            "version": self.version,
            "options": dict(self.options),
            "backend": self.backend,
        }


def each_text(
    edit: Callable[[str, random.Random, Sequence[Span]], list[Edit]],
) -> Callable[[FieldTexts, random.Random, Protected], Edits]:
    """A transformation of one text applied to every field by itself, in the fields' order."""

    def edit_all(texts: FieldTexts, rng: random.Random, protected: Protected) -> Edits:
        return {name: edit(text, rng, protected.get(name, ())) for name, text in texts.items()}

    return edit_all
