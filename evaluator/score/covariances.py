"""How the values of a dataset's models vary with its examples: derived from their stored predictions.

The values of a metric enter by their influence values, which for a share of right answers are the answers
themselves. They are rounded to whole numbers first, so that sums of their products are exact and the same
on every machine.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evaluator.data.datasets import Dataset
from evaluator.data.tasks.known import SCORED
from evaluator.rank.published import NO_EXAMPLES, UNMOVED, WITHOUT_EXAMPLES
from evaluator.records.base import TIMING, digest
from evaluator.records.board import COST, Boards
from evaluator.records.datasets import Covariances, MetricPair
from evaluator.records.errors import UserError
from evaluator.records.references import PredictionSet
from evaluator.records.result import Result
from evaluator.records.store import Store
from evaluator.score.difficulty import DifficultySamples, is_by_difficulty
from evaluator.score.examples import answered
from evaluator.score.groups import Groups, Whole
from evaluator.score.judges import JUDGED, JudgedMetric
from evaluator.score.means import MEAN, by_trial, value_influence, value_width
from evaluator.score.metrics import METRICS, definition
from evaluator.score.passes import is_of_trials, pass_influence
from evaluator.score.runs import DIGITS, run_variances
from evaluator.score.scores import Influence, influences, metric_names
from evaluator.score.suites import RemadeSuites, agreements, perturbed, rows_of, same_labels
from evaluator.score.token_use import same_use, token_use

#: What covariances are called in messages.
TOGETHER = "how its numbers vary together, which rank sets are from"
#: Covariances are rounded to so many parts of the largest of their two metrics.
COVARIANCE_PARTS = 10**6
#: Libraries of another version may round the last part of a covariance up where these round it down.
PARTS_APART = 2
#: Significant digits of what is kept of a metric's bias, and how far two of them may be apart.
BIAS_DIGITS, BIAS_APART = 6, 1e-5
#: Floats that differ by less are the same: libraries of another version may add up in another order.
TOLERANCE = 1e-9

#: Why nothing is known of a model that has no value of a metric, or one of another version of it.
OTHER = "no value that compares"


@dataclass(frozen=True)
class MetricColumn:
    """A metric of every model: influence values, or why a model has none; `judged` where a judge gives it."""

    name: str
    version: str
    unit: float
    by_model: Mapping[str, Influence | str]
    judged: JudgedMetric | None = None

    @property
    def known(self) -> list[Influence]:
        """Those that are known."""
        return [one for one in self.by_model.values() if not isinstance(one, str)]

    def run_variances(self, always_same: frozenset[str]) -> list[float] | None:
        """What whole runs add to the variance of each model's value, 0 where it is not known."""
        runs = {m: None if isinstance(one, str) else one.runs for m, one in self.by_model.items()}
        unknown = {m for m, one in self.by_model.items() if isinstance(one, str)}
        return run_variances(runs, always_same | unknown)

    def own_shares(self, groups: Groups, run_variances: Sequence[float]) -> list[float]:
        """What share of each value's variance is the model's own, and varies where it is run again on the
        same examples. 0 of one run, and where it is not known."""
        found = []
        for one, run in zip(self.by_model.values(), run_variances, strict=True):
            if isinstance(one, str) or one.runs is None:
                found.append(0.0)
                continue
            own = one.runs.noise / one.runs.runs + run
            whole = groups.standard_error(one.moved) ** 2 + run
            found.append(float(f"{min(1.0, own / whole):.{DIGITS}g}") if whole else 0.0)
        return found


def derive(dataset: Dataset, boards: Boards, store: Store, suites: RemadeSuites) -> Covariances:
    """The covariances of all results on the dataset that keep predictions or values, for the metrics of its
    boards.

    Where the dataset has no texts, suites are unknown. Raises ValueError if no result keeps predictions.
    """
    results = answered(dataset, store)
    if not results:
        raise ValueError(f"{dataset.id}: no result on it keeps predictions; nothing varies")
    shown = shown_metrics(boards, dataset, results)
    columns = InfluenceColumns(dataset, boards, store, suites).of(results, shown)
    groups = Groups.of(dataset)
    found = covariances_of(dataset, results, columns, groups)
    # Nothing is said of the parts of a dataset, nor of metrics of several trials, which no single run has.
    means = [one for one in columns if one.name in found.own and not is_of_trials(one.version)]
    own = {column.name: column.own_shares(groups, found.own[column.name]) for column in means}
    within = {name: tuple(shares) for name, shares in own.items()}
    tokens = None
    if boards.metric_of(dataset.id, COST):
        each = {column.name: [column.by_model[result.model.id] for result in results] for column in columns}
        tokens = token_use([store.predictions(result) for result in results], each, groups)
    return found.model_copy(update={"within": within, "tokens": tokens})


def covariances_of(
    dataset: Dataset, results: Sequence[Result], columns: Sequence[MetricColumn], groups: Groups
) -> Covariances:
    """The covariances of columns of metrics, over the examples of a dataset that `groups` has."""
    whole: dict[str, tuple[Whole, float]] = {}
    right: dict[str, Whole] = {}
    always_same = frozenset(result.model.id for result in results if result.same_again)
    for column in columns:
        each = [column.by_model[result.model.id] for result in results]
        moved = np.array([np.zeros(groups.examples) if isinstance(one, str) else one.moved for one in each])
        whole[column.name] = groups.in_steps(moved)
        if column.known and all(one.right is not None for one in column.known):
            # Every model is just right or wrong on each example, and nothing else decides the value.
            nothing = np.zeros(groups.examples, dtype=np.int64)
            right[column.name] = np.array([nothing if isinstance(one, str) else one.right for one in each])
    return Covariances(
        task=dataset.task,
        dataset=dataset.id,
        revision=dataset.revision,
        examples=groups.examples,
        clusters=groups.count,
        sources=groups.sources,
        models={result.model.id: source(result) for result in results},
        versions={column.name: column.version for column in columns},
        unit={column.name: column.unit for column in columns},
        right={name: tuple(rows.sum(axis=1).tolist()) for name, rows in right.items()},
        apart={name: _apart(rows) for name, rows in right.items()},
        pairs=tuple(
            _pair((first, second), whole, groups)
            for first, second in itertools.combinations_with_replacement(whole, 2)
            # Counts say it all, but only of examples that are independent.
            if not (first == second and first in right and groups.sources is None)
        ),
        bias={
            column.name: tuple(_bias(one, groups) for one in column.by_model.values())
            for column in columns
            if any(one.bias for one in column.known)
        },
        scarce={
            column.name: min(groups.among(side) for one in column.known for side in one.sides)
            for column in columns
            if column.known and column.known[0].sides
        },
        own={
            column.name: tuple(variances)
            for column in columns
            if (variances := column.run_variances(always_same)) is not None
        },
        unknown={
            column.name: reasons
            for column in columns
            if (reasons := {m: why for m, why in column.by_model.items() if isinstance(why, str)})
        },
    )


def _bias(one: Influence | str, groups: Groups) -> float:
    units = np.array(groups.number) if groups.number else np.arange(groups.examples)
    found = 0.0 if isinstance(one, str) or one.bias is None else one.bias(units)
    # Libraries of another version may add up in another order.
    return float(f"{found:.{BIAS_DIGITS}g}")


def source(result: Result) -> str:
    """The hash of the hashes of the predictions that a result keeps, of the examples and of variants."""
    own = result.predictions.sha256 if result.predictions else None
    suites = {name: (one.suite, one.predictions.sha256) for name, one in result.suites.items()}
    return digest([own, suites])


def shown_metrics(boards: Boards, dataset: Dataset, results: Sequence[Result]) -> dict[str, str]:
    """The metrics of the dataset's boards that vary with its examples, and the version most results have."""
    found = {}
    for name in boards.metrics_of(dataset.id):
        scores = [result.scores[name] for result in results if name in result.scores]
        versions = [score.version for score in scores]
        if versions and name not in TIMING:
            found[name] = max(versions, key=lambda version: (versions.count(version), version))
    return found


def compares(result: Result, name: str, version: str) -> bool:
    """Whether a result's value of a metric is of the version that is shown."""
    return name in result.scores and result.scores[name].version == version


class InfluenceColumns:
    """The influence values of results, metric by metric."""

    def __init__(self, dataset: Dataset, boards: Boards, store: Store, suites: RemadeSuites) -> None:
        self.dataset, self.boards, self.store, self.suites = dataset, boards, store, suites

    @functools.cached_property
    def samples(self) -> DifficultySamples:
        """The dataset with the difficulties that are stored of it."""
        return DifficultySamples(self.dataset, self.store)

    def of(self, results: Sequence[Result], shown: Mapping[str, str]) -> list[MetricColumn]:
        """A column for each metric that is `shown`, by its version."""
        specs = {name: self.boards.metric_of(self.dataset.id, name) for name in shown}
        found: dict[str, dict[str, Influence | str]] = {name: {} for name in shown}
        judged: dict[str, dict[str, PredictionSet]] = {name: {} for name in shown if shown[name] == JUDGED}
        given: dict[str, list[npt.NDArray[np.float64]]] = {
            name: [] for name in shown if self._is_given(shown[name])
        }
        for result in results:
            try:
                predictions = self.store.predictions(result)
            except UserError:  # which leaves those of the others known
                predictions = None
            for name, version in shown.items():
                if predictions is None:
                    what = "values" if self.dataset.task == SCORED.name else "predictions"
                    one: Influence | str = f"its {what} cannot be read"
                elif name not in given:
                    one = self._one(result, predictions, name, version)
                elif not compares(result, name, version):
                    one = OTHER
                elif name not in (predictions.values or {}):
                    one = WITHOUT_EXAMPLES
                elif name in judged:
                    judged[name][result.model.id] = predictions
                    one = OTHER  # until the weight of the judge is known
                else:
                    given[name].append(by_trial(predictions, name))
                    one = value_influence(given[name][-1], specs[name])
                found[name][result.model.id] = one
        metrics = {name: JudgedMetric.of(each, name, specs[name]) for name, each in judged.items()}
        for name, metric in metrics.items():
            found[name] |= {model: metric.influence(model) for model in metric.by_model}
        return [
            MetricColumn(name, shown[name], metrics[name].unit(), by_model, metrics[name])
            if name in metrics
            else MetricColumn(
                name,
                shown[name],
                value_width(given[name], specs[name]) if name in given else _width(name, by_model.values()),
                by_model,
            )
            for name, by_model in found.items()
        ]

    def _is_given(self, version: str) -> bool:
        """Whether scores of a version are means of values that came with the examples."""
        return version == MEAN or (self.dataset.task == SCORED.name and not is_of_trials(version))

    def _one(self, result: Result, predictions: PredictionSet, name: str, version: str) -> Influence | str:
        if not compares(result, name, version):
            return OTHER
        if is_of_trials(version):
            spec = self.boards.metric_of(self.dataset.id, name)
            return pass_influence(self.dataset, predictions, spec, self.boards)
        if name in result.suites:
            return self._agreement(result, predictions, name)
        if is_by_difficulty(result.scores[name]):
            # Difficulties and splits are taken as they are, as on the pages of difficulty.
            if self.samples.versions.get(name) != version:
                return f"{name} is by another difficulty than the one stored"
            moved = self.samples.influence(predictions, name)
            return "no value" if moved is None else Influence(np.array(moved), None)
        try:
            if name not in metric_names(self.dataset, predictions, [name]):
                return NO_EXAMPLES
            found = influences(self.dataset, predictions, [name])[name]
        except UserError as error:
            return str(error)
        return found or UNMOVED

    def _agreement(self, result: Result, predictions: PredictionSet, name: str) -> Influence | str:
        """A suite enters by its originals: variants of one example are no independent examples."""
        try:
            variants = self.store.variants(result, name)
        except UserError:
            return f"no predictions of the suite {name}"
        stored = result.suites[name].suite
        card = self.store.suite_card(result.task, result.dataset.id, name)
        if card is not None and predictions.predicted is not None:
            # Which example each variant is of; labels are compared without the texts.
            fits = card.suite == stored and max(card.rows, default=0) < len(self.dataset.examples)
            if fits and len(card.rows) == variants.examples:
                return self._by_originals(card.rows, same_labels(predictions, variants, card.rows))
        if not self.dataset.has_inputs:
            return f"no texts of {self.dataset.id} here, so no suites of it"
        suite = self.suites.suite(name, self.dataset, stored)
        if isinstance(suite, str):
            return suite
        rows, after = rows_of(suite), (perturbed(self.dataset, suite), variants)
        return self._by_originals(rows, agreements((self.dataset, predictions), after, rows))

    def _by_originals(self, rows: Sequence[int], same: npt.NDArray[np.float64]) -> Influence:
        examples, place = np.unique(rows, return_inverse=True)
        means = 100.0 * np.bincount(place, same) / np.bincount(place)
        moved = np.zeros(len(self.dataset.examples))
        moved[examples] = (means - means.mean()) * len(moved) / len(examples)
        return Influence(moved, None)


def _width(name: str, by_model: Iterable[Influence | str]) -> float:
    """What one example can move a metric by at most, times their number; if unbounded, as far as is seen."""
    try:
        bound = definition(name).bound
    except UserError:  # shares of answers that stay the same, and scores by difficulty, are in per cent
        bound = 100.0
    if bound < math.inf:
        return bound
    seen = [float(np.ptp(one.moved)) for one in by_model if not isinstance(one, str)]
    return max(seen, default=0.0) or 1.0  # where no example moves it, nothing varies, whatever the unit is


def _apart(right: Whole) -> tuple[int, ...]:
    both, each = right @ right.T, right.sum(axis=1)
    return tuple(int(each[i] + each[j] - 2 * both[i, j]) for i in range(len(each)) for j in range(i))


def _pair(names: tuple[str, str], whole: Mapping[str, tuple[Whole, float]], groups: Groups) -> MetricPair:
    """The covariances of the differences of two metrics, of every pair of models."""
    (first, first_step), (second, second_step) = (whole[name] for name in names)
    shared = first @ second.T
    own = np.diagonal(shared)
    found = [int(own[i] + own[j] - shared[i, j] - shared[j, i]) for i in range(len(own)) for j in range(i)]
    largest = max(map(abs, found), default=0)
    scale = first_step * second_step * groups.scale
    return MetricPair(
        first=names[0],
        second=names[1],
        step=largest * scale / COVARIANCE_PARTS,
        parts=tuple(round(value * COVARIANCE_PARTS / max(1, largest)) for value in found),
    )


def differences(kept: Covariances, again: Covariances) -> tuple[list[str], list[str]]:
    """Where stored covariances are not what comes out `again`, and why some of them cannot be compared.

    Compared is what both say of models with the same predictions and metrics of the same version; sizes of
    the dataset always. Metrics that ask a network are left out, as no two machines agree on them.
    """
    wrong = [
        f"{name}: {getattr(kept, name)} is stored, but recomputed it is {getattr(again, name)}"
        for name in ("examples", "clusters")
        if getattr(kept, name) != getattr(again, name)
    ]
    if kept.sources != again.sources:
        wrong.append("sources: other examples belong together than the data say; run steelyard evaluate")
        return wrong, []
    models = [model for model, of in kept.models.items() if again.models.get(model) == of]
    derive_again = f"run steelyard evaluate, which derives {TOGETHER}"
    left = [f"predictions changed since; {derive_again}"] * (len(models) < len(kept.models))
    known: dict[str, list[str]] = {}
    for name, version in kept.versions.items():
        if name in METRICS and METRICS[name].tolerance > TOLERANCE:
            left.append(f"{name} asks a network, and no two machines agree on {TOGETHER}")
        elif again.versions.get(name) != version:
            left.append(f"a metric has another version since; {derive_again}")
        else:
            stored, here = kept.unknown.get(name, {}), again.unknown.get(name, {})
            known[name] = [model for model in models if model not in here]
            left += [
                f"{TOGETHER}, is not known here: {here[model]}"
                for model in models
                if model in here and model not in stored
            ]
            wrong += [
                f"unknown: {name}: {model} is named, but its values are known"
                for model in known[name]
                if model in stored
            ]
    for name, of in known.items():
        if not math.isclose(kept.unit.get(name, 0.0), again.unit.get(name, 0.0), rel_tol=TOLERANCE):
            shown = f"{kept.unit.get(name)} is stored, but recomputed it is {again.unit.get(name)}"
            wrong.append(f"unit: {name}: {shown}")
        if kept.scarce.get(name) != again.scarce.get(name):
            shown = f"{kept.scarce.get(name)} is stored, but recomputed it is {again.scarce.get(name)}"
            wrong.append(f"scarce: {name}: {shown}")
        for what in ("bias", "own", "within"):
            floats = [_chosen(getattr(one, what).get(name), one, of, what) for one in (kept, again)]
            if len(floats[0]) != len(floats[1]) or not np.allclose(floats[0], floats[1], rtol=BIAS_APART):
                wrong.append(f"{what}: {name}: is not what the predictions give")
        for what in ("right", "apart"):
            counts = [_chosen(getattr(one, what).get(name), one, of, what) for one in (kept, again)]
            if counts[0] != counts[1]:
                wrong.append(f"{what}: {name}: is not what the predictions give")
    if len(models) == len(kept.models) == len(again.models) and not same_use(kept.tokens, again.tokens):
        wrong.append("tokens: are not what the predictions give")
    reach = PARTS_APART * max((pair.step for pair in again.pairs), default=0.0)
    pairs = [{(pair.first, pair.second): pair for pair in one.pairs} for one in (kept, again)]
    for first, second in sorted({*pairs[0], *pairs[1]}):
        if first not in known or second not in known:
            continue
        both = [model for model in known[first] if model in known[second]]
        found = []
        for one, by_names in zip((kept, again), pairs, strict=True):
            pair = by_names.get((first, second))
            parts = _chosen(pair.parts, one, both, "apart") if pair else []
            found.append([pair.step * part for part in parts] if pair else [])
        if len(found[0]) != len(found[1]) or any(abs(a - b) > reach for a, b in zip(*found, strict=True)):
            wrong.append(f"pairs: {first} and {second}: are not what the predictions give")
    return wrong, left


def _chosen(
    column: Sequence[float] | None, one: Covariances, models: Sequence[str], what: str
) -> list[float]:
    """The numbers of some models in a column of a record, or of each pair of them."""
    places = {model: place for place, model in enumerate(one.models)}
    if column is None:
        return []
    if what != "apart":
        return [column[places[model]] for model in models]
    pairs = (sorted((places[a], places[b])) for at, a in enumerate(models) for b in models[:at])
    return [column[j * (j - 1) // 2 + i] for i, j in pairs]
