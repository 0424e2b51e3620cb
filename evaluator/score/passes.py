"""Metrics of several trials that are right or wrong: how likely all, or at least one, of k of them are right.

They are written pass^k (Yao et al. 2024, "tau-bench") and pass@k (Chen et al. 2021, "Evaluating Large
Language Models Trained on Code"). Of K trials of an example, c of them right, all k drawn are right with a
chance of C(c, k) / C(K, k), and one at least with 1 - C(K - c, k) / C(K, k): estimates without bias.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from evaluator.data.datasets import Dataset
from evaluator.records.board import Boards, MetricSpec, TrialsSpec
from evaluator.records.references import PredictionSet
from evaluator.records.result import Result, Score
from evaluator.score.means import by_trial, mean_of, mean_settings, value_influence
from evaluator.score.runs import Runs
from evaluator.score.scores import Influence, trial_values

#: What the version of such a score begins with.
PREFIX = "pass-1/"
#: Settings of a mean that say which examples it lacks; those of another mean are its own.
OF_MEAN = ("examples", "without")

Floats = npt.NDArray[np.float64]


def version_of(spec: TrialsSpec) -> str:
    """The version of a score by this definition."""
    return f"{PREFIX}{spec.words.replace(' ', '-')}"


def is_of_trials(version: str) -> bool:
    """Whether a score is by one of these definitions."""
    return version.startswith(PREFIX)


def right_trials(dataset: Dataset, predictions: PredictionSet, name: str, boards: Boards) -> Floats | None:
    """Which trials are right by the metric `name` (examples, trials): 1, 0, or NaN where there is no value.

    None where some value is neither end of the metric's range, or its verdicts are to be corrected by labels.
    """
    if name in predictions.human:
        return None
    if name in (predictions.values or {}):
        spec = boards.metric_of(dataset.id, name)
        ends, values = (spec.bounds if spec else None), by_trial(predictions, name)
    else:
        ends = 0.0, 100.0
        found = trial_values(dataset, predictions, name) if predictions.has_answers else None
        if found is None:
            return None
        values = found
    there = values[~np.isnan(values)]
    if ends is None or not np.isin(there, ends).all():
        return None
    return np.where(np.isnan(values), np.nan, values == ends[1])


def chances(right: Floats, spec: TrialsSpec) -> Floats:
    """The value of each example (examples,), in per cent; NaN where it has fewer trials than are drawn."""
    return _chances(right, spec, spec.drawn)


def _chances(right: Floats, spec: TrialsSpec, drawn: int) -> Floats:
    counts = np.stack([(~np.isnan(right)).sum(axis=1), np.nansum(right, axis=1)], axis=1).astype(int)
    kinds, place = np.unique(counts, axis=0, return_inverse=True)
    each = [_chance(trials, good, spec, drawn) for trials, good in kinds.tolist()]
    found: Floats = np.array(each)[place.ravel()]
    return found


def _chance(trials: int, right: int, spec: TrialsSpec, drawn: int) -> float:
    """Of one example, rounded once."""
    if trials < drawn:
        return math.nan
    of_kind = right if spec.all is not None else trials - right
    share = Fraction(math.comb(of_kind, drawn), math.comb(trials, drawn))
    return float(100 * (share if spec.all is not None else 1 - share))


def pass_score(
    dataset: Dataset, result: Result, predictions: PredictionSet, spec: MetricSpec, boards: Boards
) -> Score | None:
    """The metric of a result; None where trials are not right or wrong, or no example has enough of them."""
    of = result.scores.get(spec.trials.of) if spec.trials else None
    if spec.trials is None or of is None:
        return None
    right = right_trials(dataset, predictions, spec.trials.of, boards)
    each = None if right is None else chances(right, spec.trials)
    if each is None or np.isnan(each).all():
        return None
    # What decided the values decides these too.
    settings = {name: value for name, value in of.settings.items() if name not in OF_MEAN}
    return Score(
        value=mean_of(each),
        unit=spec.unit,
        version=version_of(spec.trials),
        settings=settings | mean_settings(each),
    )


def pass_influence(
    dataset: Dataset, predictions: PredictionSet, spec: MetricSpec | None, boards: Boards
) -> Influence | str:
    """By how much each example moves the metric, or why that is not known.

    A run that is a little better moves it by the derivative of p^k, or of 1 - (1 - p)^k, times as much as it
    moves the mean.
    """
    if spec is None or spec.trials is None:
        return "no board says what trials it is of"
    right = right_trials(dataset, predictions, spec.trials.of, boards)
    if right is None:
        return "its trials are not right or wrong"
    found = value_influence(chances(right, spec.trials)[:, None], spec)
    if isinstance(found, str):
        return found
    return Influence(found.moved, found.right, runs=pass_runs(right, spec.trials))


def pass_runs(right: Floats, spec: TrialsSpec) -> Runs | None:
    """How whole runs differ, as far as that moves the metric of trials that are right or not."""
    runs = Runs.of(100.0 * right)
    if runs is None:
        return None
    others = mean_of(_chances(right, spec, spec.drawn - 1)) / 100.0
    slope = spec.drawn * (others if spec.all is not None else 1.0 - others)
    return Runs(runs.runs, runs.spread * slope**2, runs.noise * slope**2)
