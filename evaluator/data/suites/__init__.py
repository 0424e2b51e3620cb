"""Perturbation suites: robustness, fairness, placebo and gender-neutral variants of a dataset."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from evaluator.data.suites.base import SuiteKind, Transformation

#: Other makers of robustness suites, by their names in a board file. Each gets the working folder, and gives
#: its transformations. The command line adds them.
BACKENDS: dict[str, Callable[[Path], tuple[Transformation, ...]]] = {}


def transformations(kind: SuiteKind, options: Mapping[str, Any]) -> tuple[Transformation, ...]:
    """The transformations of a kind of suite, with `options` by transformation or data.

    Raises `UserError` for an option that does not exist and for data that cannot be read.
    """
    if kind == "robustness":
        from evaluator.data.suites.robustness import robustness

        return robustness(options)
    from evaluator.data.suites.fairness import made

    return made(kind, options)
