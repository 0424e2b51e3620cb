"""Perturbation suites: robustness, fairness, placebo and gender-neutral variants of a dataset."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evaluator.data.suites.base import SuiteKind, Transformation
from evaluator.data.suites.errors import SuiteError

__all__ = ["SuiteError", "transformations"]


def transformations(kind: SuiteKind, options: Mapping[str, Any]) -> tuple[Transformation, ...]:
    """The transformations of a kind of suite, with `options` by transformation or data.

    Raises `SuiteError` for an option that does not exist and for data that cannot be read.
    """
    if kind == "robustness":
        from evaluator.data.suites.robustness import robustness

        return robustness(options)
    from evaluator.data.suites.fairness import fairness, neutral, placebo

    return {"fairness": fairness, "placebo": placebo, "neutral": neutral}[kind](options)
