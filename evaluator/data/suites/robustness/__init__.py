"""Seven robustness transformations, after TextFlint 0.1.0 (Wang et al. 2021) and without its faults.

Each changes only what it means to change, at character offsets: white space, markup and everything else
stays. Words that negate stay, and so does what is protected. They are made for English: words in other
letters stay. To add one, write a function that makes it from its options, and name it here.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from evaluator.data.suites.base import Transformation
from evaluator.data.suites.robustness.contraction import contraction
from evaluator.data.suites.robustness.letters import keyboard, ocr, typos
from evaluator.data.suites.robustness.marks import punctuation, word_case
from evaluator.data.suites.robustness.spelling import spelling_error
from evaluator.records.errors import UserError

#: What makes each transformation from its options, in the order of their names, which is that of a suite.
FACTORIES: Mapping[str, Callable[..., Transformation]] = {
    "Contraction": contraction,
    "Keyboard": keyboard,
    "OCR": ocr,
    "Punctuation": punctuation,
    "SpellingError": spelling_error,
    "Typos": typos,
    "WordCase": word_case,
}


def robustness(options: Mapping[str, Mapping[str, Any]] | None = None) -> tuple[Transformation, ...]:
    """The seven transformations, with other options where `options` has some under a transformation's name.

    Raises `UserError` for unknown names and options, impossible values, and a missing package.
    """
    options = options or {}
    for name in options:
        if name not in FACTORIES:
            raise UserError(
                "options", f"{name!r} is not a transformation", f"use one of {', '.join(FACTORIES)}"
            )
    return tuple(_make(name, factory, options.get(name, {})) for name, factory in FACTORIES.items())


def _make(name: str, factory: Callable[..., Transformation], options: Mapping[str, Any]) -> Transformation:
    known = inspect.signature(factory).parameters
    for option in options:
        if option not in known:
            raise UserError(name, f"{option!r} is not an option of it", f"use {', '.join(known) or 'none'}")
    try:
        return factory(**options)
    except UserError as error:
        raise type(error)(f"{name}: {error.place}", error.value, error.fix) from error
