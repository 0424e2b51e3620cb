"""Seven robustness transformations, after TextFlint 0.1.0 (Wang et al. 2021) and without its faults.

Each changes only what it means to change, at character offsets: white space, markup and everything else
stays. Words that negate stay, and so does what is protected. They are made for English: words in other
letters stay.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from evaluator.data.suites.base import Transformation
from evaluator.data.suites.errors import SuiteError
from evaluator.data.suites.robustness import (
    contraction,
    keyboard,
    ocr,
    punctuation,
    spelling,
    typos,
    word_case,
)

Factory = Callable[..., Transformation]

_MODULES = (contraction, keyboard, ocr, punctuation, spelling, typos, word_case)
FACTORIES: Mapping[str, Factory] = {module.NAME: module.transformation for module in _MODULES}
#: The seven, in the order of their names; each makes a transformation from its options.
ROBUSTNESS: tuple[Factory, ...] = tuple(FACTORIES.values())


def robustness(options: Mapping[str, Mapping[str, Any]] | None = None) -> tuple[Transformation, ...]:
    """The seven transformations, with other options where `options` has some under a transformation's name.

    Raises SuiteError for unknown names and options, impossible values, and a missing package.
    """
    options = options or {}
    for name in options:
        if name not in FACTORIES:
            raise SuiteError(f"{name!r} is not a transformation; use one of {', '.join(FACTORIES)}")
    return tuple(_make(name, factory, options.get(name, {})) for name, factory in FACTORIES.items())


def _make(name: str, factory: Factory, options: Mapping[str, Any]) -> Transformation:
    known = inspect.signature(factory).parameters
    for option in options:
        if option not in known:
            raise SuiteError(f"{name}: {option!r} is not an option of it; use {', '.join(known) or 'none'}")
    try:
        return factory(**options)
    except SuiteError as error:
        raise type(error)(f"{name}: {error}") from error
