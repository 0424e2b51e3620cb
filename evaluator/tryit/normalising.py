"""What tokenisers change in a text before they split it; standard library only."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from functools import reduce
from typing import Any

from evaluator.tryit.characters import Runs, in_pattern
from evaluator.tryit.charsmap import charsmap

Normalise = Callable[[str], str]


def normalising(steps: Iterable[Mapping[str, Any]]) -> Normalise:
    """The steps of a description that `normalising_export.described` makes, one after the other."""
    functions = [STEPS[step["type"]](step) for step in steps]
    return lambda text: reduce(lambda changed, function: function(changed), functions, text)


def _each(step: Mapping[str, Any]) -> Normalise:
    """Some characters are `changed` to other texts, those of the runs `removed` left out."""
    table = _table(step["changed"], step["removed"])
    return lambda text: text.translate(table)


def _table(changed: Mapping[str, str], removed: Runs) -> dict[int, str]:
    table = dict.fromkeys((code for first, last in removed for code in range(first, last + 1)), "")
    return table | {ord(character): text for character, text in changed.items()}


def _form(step: Mapping[str, Any]) -> Normalise:
    """A form of Unicode, of the `active` characters only: what the library does not know stays."""
    form, pattern = step["form"], re.compile(f"[{in_pattern(step['active'])}]+")
    return lambda text: pattern.sub(lambda found: unicodedata.normalize(form, found[0]), text)


def _replace(step: Mapping[str, Any]) -> Normalise:
    """What a regular expression finds becomes a text."""
    pattern, text = re.compile(step["pattern"]), step["text"]
    return lambda given: pattern.sub(lambda _: text, given)


def _strip(step: Mapping[str, Any]) -> Normalise:
    """The `spaces` on the left, on the right or on both sides are left out."""
    method, spaces = step["sides"], step["spaces"]
    return lambda text: getattr(text, method)(spaces)


def _prepend(step: Mapping[str, Any]) -> Normalise:
    """A text stands before any text that is not empty."""
    before = step["text"]
    return lambda text: before + text if text else text


#: What makes the function of each type of step.
STEPS: Mapping[str, Callable[[Mapping[str, Any]], Normalise]] = {
    "each": _each,
    "form": _form,
    "charsmap": charsmap,
    "replace": _replace,
    "strip": _strip,
    "prepend": _prepend,
}
