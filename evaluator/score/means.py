"""The values that a source gave by example, as numbers: means, and how each example moves them.

The value of an example is the mean over its trials; a metric is the mean of these over the examples that have
one. What is missing is never taken for a number, and counted. `evaluator.score.judges` has those of judges.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from evaluator.records.base import digest, short
from evaluator.records.board import MetricSpec
from evaluator.records.references import PredictionSet
from evaluator.records.result import Score
from evaluator.score.runs import Runs
from evaluator.score.scores import Influence

#: The version of such a score. Another definition of the mean would be another version.
MEAN = "mean-of-examples-1"


def revision_of_values(ids: Sequence[str], tags: Mapping[str, Sequence[str]], clusters: Sequence[int]) -> str:
    """The revision of a dataset that is known by its examples alone; `tags` are in the order of names."""
    return digest({"ids": ids, "tags": tags} | ({"clusters": clusters} if clusters else {}))


def by_trial(predictions: PredictionSet, name: str) -> npt.NDArray[np.float64]:
    """The values of a metric (examples, trials); NaN where missing."""
    column = np.array((predictions.values or {})[name], dtype=np.float64)
    return column.reshape(-1, predictions.trials)


def by_example(trials: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The mean over the trials of each example that has any (examples,); NaN where all are missing."""
    if trials.shape[1] == 1:
        return trials[:, 0]
    return np.array([exact_mean(row[~np.isnan(row)]) for row in trials])


def exact_mean(values: npt.NDArray[np.float64]) -> float:
    """The mean, rounded once, so that it is the same on every machine; NaN of nothing."""
    return math.fsum(values.tolist()) / len(values) if len(values) else math.nan


def mean_of(each: npt.NDArray[np.float64]) -> float:
    """The mean of the examples' values that are there; NaN where none are."""
    return exact_mean(each[~np.isnan(each)])


def mean_settings(each: npt.NDArray[np.float64]) -> dict[str, str]:
    """What a mean says of itself where values are missing: of how many examples it is, and a hash of which
    it is without, as means of as many other examples do not compare."""
    missing = np.flatnonzero(np.isnan(each)).tolist()
    if not missing:
        return {}
    return {"examples": f"{len(each) - len(missing)} of {len(each)}", "without": short(digest(missing))}


def mean_score(trials: npt.NDArray[np.float64], unit: str) -> Score | None:
    """The mean of values (examples, trials) as a score; None where all are missing."""
    each = by_example(trials)
    if np.isnan(each).all():
        return None
    return Score(value=mean_of(each), unit=unit, version=MEAN, settings=mean_settings(each))


def value_influence(trials: npt.NDArray[np.float64], spec: MetricSpec | None) -> Influence | str:
    """From values (examples, trials), by how much each example moves the mean, or why that is not known.

    Examples that are missing move nothing, and the others the more. Where every value is one end of the
    metric's range, and more is better, the examples at the upper end are right.
    """
    each = by_example(trials)
    there = ~np.isnan(each)
    if not there.any():
        return "no value"
    moved = np.where(there, each - mean_of(each), 0.0) * (len(each) / there.sum())
    bounds = spec.bounds if spec else None
    right = None
    if bounds and spec and spec.direction == "higher" and trials.shape[1] == 1:
        right = (each == bounds[1]).astype(np.int64) if np.isin(each, bounds).all() else None
    return Influence(moved, right, runs=Runs.of(trials))


def is_share(spec: MetricSpec | None) -> bool:
    """Whether a metric of right and wrong answers is a share of them in per cent, as all that are computed
    here are."""
    return spec is None or spec.range in (None, (0.0, 100.0))


def value_width(columns: Iterable[npt.NDArray[np.float64]], spec: MetricSpec | None) -> float:
    """What one example can move a metric by, times their number: the width of its range, else of the values
    that all models have on the dataset."""
    if spec and spec.bounds:
        return spec.bounds[1] - spec.bounds[0]
    seen = [column[~np.isnan(column)] for column in columns]
    lowest = min((float(one.min()) for one in seen if len(one)), default=0.0)
    highest = max((float(one.max()) for one in seen if len(one)), default=0.0)
    # Where all values are the same, nothing varies, whatever the unit is.
    return highest - lowest or abs(highest) or 1.0
