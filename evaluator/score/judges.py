"""The verdicts of a judge, a model or a rule, corrected by what people said of some of the same answers.

A judge's mean alone is biased, and by another amount for each model: it may prefer its own kind. Labels of a
random part remove that, whatever the judge is, and the better it is, the fewer are needed. With weight w the
score is w x the mean of all verdicts + the mean, over the labels, of label - w x verdict: prediction-powered
inference with a tuned weight (Angelopoulos, Duchi & Zrnic 2023, "PPI++: Efficient prediction-powered
inference"). Any weight gives the right mean; one is used for all models of a dataset, tuned for their
differences, as ranks are about these.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from evaluator.data.datasets import Dataset
from evaluator.records.board import Boards, MetricSpec
from evaluator.records.references import PredictionSet
from evaluator.records.result import Judged, Score, TagScores
from evaluator.score.groups import Groups
from evaluator.score.means import (
    MEAN,
    by_example,
    by_trial,
    exact_mean,
    mean_of,
    mean_score,
    mean_settings,
    value_width,
)
from evaluator.score.runs import Runs
from evaluator.score.scores import Influence, tag_rows

#: The version of such a score. Another definition of it would be another version.
JUDGED = "judge-corrected-1"
#: Fewer labels of a model say nothing of how they vary, so that its judge is not corrected.
LEAST = 2
#: Decimals of the weight: the score is right at any, so that no more are needed.
DECIMALS = 4
#: Significant digits of what is said of a score beside its value.
DIGITS = 6
#: The setting of a mean of verdicts that too few labels correct.
UNLABELLED = "labels of people"

Floats = npt.NDArray[np.float64]
Rows = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Verdicts:
    """A model's verdicts and labels (examples,), in the metric's unit; NaN where there is none.

    `labels` are means over the trials that people were asked about, and `beside` those of the verdicts there.
    `runs` says how the verdicts differ over several whole runs.
    """

    verdicts: Floats
    labels: Floats
    beside: Floats
    runs: Runs | None = None

    @classmethod
    def of(cls, verdicts: Floats, labels: Floats) -> Verdicts:
        """From verdicts and labels (examples, trials). A label without a verdict beside it is left out."""
        both = ~(np.isnan(verdicts) | np.isnan(labels))
        kept, beside = (np.where(both, one, np.nan) for one in (labels, verdicts))
        return cls(by_example(verdicts), by_example(kept), by_example(beside), Runs.of(verdicts))

    @classmethod
    def stored(cls, predictions: PredictionSet, name: str) -> Verdicts:
        """Those that are stored of a metric. Raises KeyError where it has no labels."""
        labels = np.array(predictions.human[name], dtype=np.float64)
        return cls.of(by_trial(predictions, name), labels.reshape(-1, predictions.trials))

    @cached_property
    def labelled(self) -> npt.NDArray[np.bool_]:
        """Which examples people were asked about."""
        found: npt.NDArray[np.bool_] = ~np.isnan(self.labels)
        return found

    @property
    def count(self) -> int:
        """How many these are."""
        return int(self.labelled.sum())

    def part(self, rows: Rows) -> Verdicts:
        """Those of some examples, which a run shifts as it shifts all."""
        return Verdicts(self.verdicts[rows], self.labels[rows], self.beside[rows], self.runs)

    def value(self, weight: float, spec: MetricSpec | None) -> float:
        """The corrected mean, kept within the metric's range; NaN of too few labels."""
        if self.count < LEAST:
            return math.nan
        rest = (self.labels - weight * self.beside)[self.labelled]
        value = weight * mean_of(self.verdicts) + exact_mean(rest)
        low, high = spec.bounds if spec and spec.bounds else (-math.inf, math.inf)
        return min(max(value, low), high)

    def moved(self, weight: float) -> Floats:
        """By how much each example moves that mean, times their number (examples,); sums are 0."""
        there = ~np.isnan(self.verdicts)
        whole = np.where(there, self.verdicts - mean_of(self.verdicts), 0.0) * (len(there) / there.sum())
        found: Floats = weight * whole + self._of_labels(self.labels - weight * self.beside)
        return found

    def _of_labels(self, values: Floats) -> Floats:
        """By how much each example moves the mean of values that labelled ones have, times their number."""
        each = values - exact_mean(values[self.labelled])
        found: Floats = np.where(self.labelled, each, 0.0) * (len(values) / self.count)
        return found

    def about(self, weight: float, groups: Groups) -> Judged:
        """What stands behind the corrected mean. Takes `LEAST` labels."""
        over = self.beside - self.labels
        error = groups.standard_error(self.moved(weight))
        alone = groups.standard_error(self._of_labels(self.labels))
        return Judged(
            labels=self.count,
            weight=weight,
            judge=_rounded(mean_of(self.verdicts)),
            excess=_rounded(exact_mean(over[self.labelled])),
            excess_error=_rounded(groups.standard_error(self._of_labels(over))),
            worth=_rounded(self.count * (alone / error) ** 2) if alone and error else None,
        )


def _rounded(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")


def weight_of(models: Sequence[Verdicts]) -> float:
    """The judge's weight, 0 to 1: cov(dy, df) / var(df) of the differences of models in labels and verdicts.

    From the examples that several models have labels of; without any, from the labels and verdicts of each
    model by itself. 0 where the verdicts are all the same, so that they say nothing.
    """
    own = [one for one in models if one.count >= LEAST]
    if not own:
        return 0.0
    known = np.array([one.labelled for one in own])
    labels, beside = _centred([one.labels for one in own]), _centred([one.beside for one in own])
    count = known.sum(axis=0)
    # Squares of the differences of all pairs are those from the mean of an example, times their number.
    dy, df = (
        np.where(known, each - each.sum(axis=0) / np.maximum(1, count), 0.0) for each in (labels, beside)
    )
    pairs = np.where(count > 1, count, 0)
    for said, judged, times in ((dy, df, pairs), (labels, beside, np.ones(len(count)))):
        if variance := float((times * judged * judged).sum()):
            return round(min(1.0, max(0.0, float((times * said * judged).sum()) / variance)), DECIMALS)
    return 0.0


def _centred(columns: Sequence[Floats]) -> Floats:
    """Each column less its mean (models, examples), 0 where it has nothing."""
    found: Floats = np.array([np.nan_to_num(one - mean_of(one)) for one in columns])
    return found


@dataclass(frozen=True)
class JudgedMetric:
    """A metric that a judge gives, on a dataset: its weight, and what each model has that has labels."""

    spec: MetricSpec | None
    weight: float
    by_model: Mapping[str, Verdicts]

    @classmethod
    def of(cls, predictions: Mapping[str, PredictionSet], name: str, spec: MetricSpec | None) -> JudgedMetric:
        """From the predictions by model; those without labels of the metric are left out."""
        found = {model: Verdicts.stored(one, name) for model, one in predictions.items() if name in one.human}
        enough = {model: one for model, one in found.items() if one.count >= LEAST}
        return cls(spec, weight_of(list(enough.values())), enough)

    def part(self, rows: Rows) -> JudgedMetric:
        """The same of some examples, at the same weight, of the models that have enough labels there."""
        parts = {model: one.part(rows) for model, one in self.by_model.items()}
        enough = {model: one for model, one in parts.items() if one.count >= LEAST}
        return JudgedMetric(self.spec, self.weight, enough)

    def value(self, model: str) -> float | None:
        """The corrected mean of a model; None where it has too few labels."""
        return self.by_model[model].value(self.weight, self.spec) if model in self.by_model else None

    def influence(self, model: str) -> Influence:
        """By how much each example moves the corrected mean of a model; its labels are what is scarce."""
        one = self.by_model[model]
        return Influence(one.moved(self.weight), None, sides=(one.labelled,), runs=one.runs)

    def unit(self) -> float:
        """What one example can move the value by, times their number: as few as have labels, so much more.

        So that the guard of rank sets, which is of all examples, is that of the labelled ones.
        """
        sides = [side for one in self.by_model.values() for side in (one.verdicts, one.labels)]
        width = value_width([side[:, None] for side in sides], self.spec)
        counts = [(len(one.labels) + 2) / (one.count + 2) for one in self.by_model.values()]
        return width * max(counts, default=1.0)


def judge_weights(predictions: Mapping[str, PredictionSet]) -> dict[str, float]:
    """The weight of each metric's judge, from the predictions of all models on a dataset."""
    names = dict.fromkeys(name for one in predictions.values() for name in one.human)
    return {name: JudgedMetric.of(predictions, name, None).weight for name in names}


def judged_score(
    predictions: PredictionSet, name: str, spec: MetricSpec, weight: float, groups: Groups
) -> Score | None:
    """A model's verdicts as a score: corrected, or, of too few labels, their mean, which says so.

    None where all verdicts are missing.
    """
    one = Verdicts.stored(predictions, name)
    if np.isnan(one.verdicts).all():
        return None
    settings = mean_settings(one.verdicts)
    if one.count < LEAST:
        few = {UNLABELLED: str(one.count)}
        return Score(value=mean_of(one.verdicts), unit=spec.unit, version=MEAN, settings={**settings, **few})
    value = one.value(weight, spec)
    about = one.about(weight, groups)
    return Score(value=value, unit=spec.unit, version=JUDGED, settings=settings, judged=about)


def value_score(
    predictions: PredictionSet, name: str, spec: MetricSpec, weight: float, groups: Groups
) -> Score | None:
    """A metric's values as a score: their mean, or the corrected one of a judge that has this weight.

    None where all are missing.
    """
    if name in predictions.human:
        return judged_score(predictions, name, spec, weight, groups)
    return mean_score(by_trial(predictions, name), spec.unit)


def value_tags(
    dataset: Dataset, predictions: PredictionSet, scores: Mapping[str, Score], boards: Boards
) -> dict[str, dict[str, TagScores]]:
    """Scores of the examples with each value of each tag, where all of these have values.

    `scores` are those of all examples, of which judges have their weights.
    """
    found: dict[str, Callable[[Rows], float]] = {}
    for name in predictions.values or {}:
        if name not in predictions.human:
            found[name] = _mean_over(by_example(by_trial(predictions, name)))
        elif name in scores and (judged := scores[name].judged):
            spec = boards.metric_of(dataset.id, name)
            found[name] = _judged_over(Verdicts.stored(predictions, name), judged.weight, spec)
    return {
        tag: {value: _tag_scores(found, rows) for value, rows in groups.items()}
        for tag, groups in tag_rows(dataset).items()
    }


def _mean_over(each: Floats) -> Callable[[Rows], float]:
    return lambda rows: exact_mean(each[rows])


def _judged_over(one: Verdicts, weight: float, spec: MetricSpec | None) -> Callable[[Rows], float]:
    return lambda rows: math.nan if np.isnan(one.verdicts[rows]).any() else one.part(rows).value(weight, spec)


def _tag_scores(values: Mapping[str, Callable[[Rows], float]], rows: Rows) -> TagScores:
    found = {name: value(rows) for name, value in values.items()}
    scores = {name: value for name, value in found.items() if not math.isnan(value)}
    return TagScores(examples=len(rows), scores=scores)
