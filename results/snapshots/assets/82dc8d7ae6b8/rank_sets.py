"""How sure a rank is: which ranks each model may hold under other examples from the same source.

Standard library only: this file runs on the maintainer's machine and in the visitor's browser, and gives
the same bits on both, for it uses nothing but sums that `math.fsum` rounds, products, quotients and roots.
It is one file, long as it is, because a snapshot keeps it under its SHA-256.

With the exchange rates held fixed a score is linear in the values of the metrics, so the variance of the
difference of two scores follows from the covariances of the differences of their values: paired, as every
model answers the same examples. Values that are measured anew in each pass (throughput, memory) vary
independently of one another. The rank set of a model is [1 + models significantly above it, models less
those significantly below], after Holm 1979 for each model and side at half of 1 - confidence: the marginal
form of Mogstad, Romano, Shaikh & Wilhelm 2024, "Inference for ranks with applications to mobility across
neighbourhoods and academic achievement across countries". Pairs that are separated are so after Holm over
all pairs at once. A number without examples behind it has a rank set where its source says how it varies
(`rank.published`). Of a model whose base metric is without anything the set is unknown, never a narrow one;
other numbers without anything are taken as exact, and the set is said to be given these.
"""

from __future__ import annotations

import functools
import math
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from evaluator.rank.dynascore import Board, Column, Columns, Question, deviation, logarithm, sums
from evaluator.rank.published import (
    TAKEN_AS_EXACT,
    WITHOUT_EXAMPLES,
    WITHOUT_PASSES,
    PublishedPairs,
    Stated,
)
from evaluator.rank.rate_factor import Corners
from evaluator.rank.significance import (
    CONFIDENCE,
    MANY,
    Evidence,
    RankedLast,
    Rivals,
    level,
    marginal,
    mcnemar,
    smallest,
    too_few,
    too_few_words,
    widening,
)

#: Of fewer independent examples the variance is as uncertain as of few clusters (simulated: with the normal
#: quantile, up to 0.13 of pairs of equal models were told apart where 0.05 is promised).
FEW = 30

#: Draws of the fixed set by which the probability of leading is described.
DRAWS = 1000
SEED = 2024

#: A number for each pair of models (i, j) with j < i, at i (i - 1) / 2 + j.
Triangle = Sequence[float]


@dataclass(frozen=True)
class Sampled:
    """How the values of one dataset vary with its examples, and with its passes.

    `clusters` are the independent units: the examples, or what groups of them share. `covariances` hold
    for two metrics (k, l), k before l or the same, and each pair of models the covariance of the
    differences of their two values, in the metrics' units. `relative` holds for a metric that is measured
    in passes each model's variance of the mean over its square. `unit` is what one example can move a
    metric by at most, times their number. `right` and `apart` are counts of examples, of metrics that are
    right or wrong: where a model is right, and where just one of a pair is. `unknown` says by metric which
    models have none of this, and why. `stated` says by metric how values vary each by itself, where some
    number of the board came without examples. `bias` holds by how much each model's value of a metric may
    be too high by chance alone (too low, under 0), and `scarce` of a metric that needs two kinds of examples
    how many independent units are of the scarcer. `own` holds the variance that each model's value of a
    metric has by itself, because whole runs differ, in the metric's unit squared. `is_part` says that it is
    a part of a dataset, such as a month. `freedom` holds the degrees of freedom of what is in `relative`, by
    model; without it they are many.
    """

    examples: int
    clusters: int
    unit: Mapping[str, float]
    covariances: Mapping[tuple[str, str], Triangle]
    relative: Mapping[str, Sequence[float]]
    right: Mapping[str, Sequence[int]]
    apart: Mapping[str, Sequence[int]]
    unknown: Mapping[str, Mapping[int, str]]
    stated: Mapping[str, Stated] = field(default_factory=dict)
    bias: Mapping[str, Sequence[float]] = field(default_factory=dict)
    scarce: Mapping[str, int] = field(default_factory=dict)
    own: Mapping[str, Sequence[float]] = field(default_factory=dict)
    is_part: bool = False
    freedom: Mapping[str, Sequence[int]] = field(default_factory=dict)

    @property
    def few(self) -> bool:
        """Whether the independent units are clusters, or few examples."""
        return self.clusters < max(self.examples, FEW)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Sampled:
        """The plain form that a page and a snapshot keep: covariances are whole numbers of a `step`."""
        covariances = {
            (first, second): [part * step for part in parts]
            for first, second, step, parts in data["covariances"]
        }
        apart, right, clusters = data["apart"], data["right"], data["clusters"]
        for name, counts in apart.items():
            if (name, name) not in covariances:
                covariances[name, name] = _of_counts(right[name], counts, clusters, data["unit"][name])
        unknown = {
            name: {index: reason for reason, indices in reasons for index in indices}
            for name, reasons in data["unknown"].items()
        }
        stated = {name: Stated.from_dict(one) for name, one in data.get("stated", {}).items()}
        counts = right, apart, unknown, stated, data.get("bias", {}), data.get("scarce", {})
        more = data.get("own", {}), data.get("is_part", False), data.get("freedom", {})
        return cls(data["examples"], clusters, data["unit"], covariances, data["relative"], *counts, *more)

    def widened(self, metric: str, among: int) -> Sequence[float]:
        """`relative` of a metric, for one of so many comparisons at the usual confidence."""
        if metric not in self.freedom:
            return self.relative[metric]
        tail = (1.0 - CONFIDENCE) / 2.0 / among
        pairs = zip(self.relative[metric], self.freedom[metric], strict=True)
        return [variance * widening(freedom, tail) if variance else 0.0 for variance, freedom in pairs]

    def has_examples(self, metric: str, model: int) -> bool:
        """Whether a value of a model varies in a known way with the examples, or with passes."""
        known = (metric, metric) in self.covariances or metric in self.relative
        return known and model not in self.unknown.get(metric, {})

    def is_stated(self, metric: str, model: int) -> bool:
        """Whether its source says how a value of a model varies."""
        return metric in self.stated and self.stated[metric].is_known(model)


def _of_counts(right: Sequence[int], apart: Sequence[int], examples: int, unit: float) -> list[float]:
    """Variances of the differences of shares of right answers, without bias, from counts alone."""
    pairs = zip(apart, ((a - b) for i, a in enumerate(right) for b in right[:i]), strict=True)
    over = examples * examples * max(1, examples - 1)
    return [unit * unit * (examples * count - gap * gap) / over for count, gap in pairs]


@dataclass(frozen=True)
class RankSets:
    """What `Certainty.sets` says, by a model's index on the board.

    `sets` are (best, worst) ranks, None where unknown, and `reasons` says why. `separated` are pairs
    (higher, lower) that hold all at once. `heat` are the models whose sets include the first rank.
    `published` are those with a number that came without examples: their pairs are told apart by bounds.
    `given` has, of the models whose sets take numbers as exact, the metrics of these and their words.
    """

    sets: list[tuple[int, int] | None]
    reasons: dict[int, str]
    separated: list[tuple[int, int]]
    heat: list[int]
    published: list[int]
    given: dict[int, dict[str, str]] = field(default_factory=dict, repr=False)


@dataclass(frozen=True)
class Comparison:
    """Two models: the difference of their scores, and its interval; None where it is unknown.

    `alone` counts, by metric of right and wrong answers, the examples of all weighted datasets that only
    the first and only the second got right; `p_values` are those of McNemar's exact test, of metrics
    whose examples are independent of one another, and that have no whole runs which differ. `published`: the
    interval is from published numbers, at least as wide as that of examples would be. `given` are the words
    of the metrics whose numbers, of one of the two at least, it takes as exact.
    """

    difference: float
    interval: tuple[float, float] | None
    alone: dict[str, tuple[int, int]]
    p_values: dict[str, float]
    published: bool = False
    given: tuple[str, ...] = field(default=(), repr=False)


@dataclass(frozen=True)
class Cell:
    """One metric on one dataset: the models of which it is not known how its values vary, and why.

    The numbers of those in `exact` are there and may be taken as exact. `bounded` are the models whose pairs
    are not told apart by examples, because others' numbers vary and theirs have none behind them.
    """

    unknown: Mapping[int, str]
    exact: Mapping[int, str]
    bounded: frozenset[int]


@dataclass(frozen=True)
class Variances:
    """The variances of the differences of two scores, for any pairs.

    Each is a sum: of the covariances of all pairs, each times its factor, of a guard, and in `passes` of what
    each of the two models adds by itself, by its timing passes and whole runs. Those of pairs that published
    numbers decide are bounds, infinite where nothing is known. `evidence` is what the covariances are of, the
    least of all datasets. `too_high` and `too_low` are by how much each model's score may be off by bias,
    empty where none is.
    """

    factors: Sequence[tuple[float, Triangle]]
    guard: float
    passes: Sequence[float]
    published: PublishedPairs
    evidence: Evidence
    too_high: Sequence[float]
    too_low: Sequence[float]

    def bias(self, higher: int, lower: int) -> float:
        """By how much the difference of two scores may be too large."""
        return self.too_high[higher] + self.too_low[lower] if self.too_high else 0.0

    def before(self, model: int) -> list[float]:
        """Of a model and each of those before it on the board."""
        return self.published.instead(model, range(model), lambda: self._paired_before(model))

    def after(self, model: int) -> list[float]:
        """Of a model and each of those after it on the board."""
        others = range(model + 1, len(self.passes))
        return self.published.instead(model, others, lambda: self._paired_after(model))

    def _paired_before(self, model: int) -> list[float]:
        start = _place(model, 0) if model else 0
        parts = [(factor, column[start : start + model]) for factor, column in self.factors]
        own = self.guard + self.passes[model]
        return _totals(parts, [own + other for other in self.passes[:model]])

    def _paired_after(self, model: int) -> list[float]:
        places = [_place(other, model) for other in range(model + 1, len(self.passes))]
        parts = [(factor, [column[place] for place in places]) for factor, column in self.factors]
        own = self.passes[model]
        return _totals(parts, [self.guard + other + own for other in self.passes[model + 1 :]])

    def of(self, pairs: Sequence[tuple[int, int]]) -> list[float]:
        """Of some pairs."""
        ordered = [(i, j) if i > j else (j, i) for i, j in pairs]
        places = [i * (i - 1) // 2 + j for i, j in ordered]
        guard, passes = self.guard, self.passes
        parts = [[factor * column[place] for place in places] for factor, column in self.factors]
        own = [guard + passes[i] + passes[j] for i, j in ordered]
        found = [max(0.0, total) for total in map(math.fsum, zip(*parts, own, strict=True))]
        models = self.published.models
        decided = [place for place, (i, j) in enumerate(ordered) if i in models or j in models]
        bounds = self.published.of([ordered[place] for place in decided]) if decided else []
        for place, bound in zip(decided, bounds, strict=True):
            found[place] = bound
        return found

    def all(self) -> list[float]:
        """Of every pair."""
        return [variance for model in range(len(self.passes)) for variance in self.before(model)]


class Certainty:
    """How sure the ranks of a board are, under any weights.

    `sampled` says by dataset how values vary; a dataset that is not in it is unknown. Raises ValueError
    for a triangle or list whose length is not that of the board's models.
    """

    def __init__(self, board: Board, sampled: Mapping[str, Sampled]) -> None:
        self.board, self.sampled = board, sampled
        size = len(board.models)
        for dataset, one in sampled.items():
            _check_sizes(dataset, one, size)
        self._firsts = [i for i in range(size) for _ in range(i)]
        self._seconds = [j for i in range(size) for j in range(i)]
        self._deviations: dict[tuple[str, str], Triangle] = {}
        #: Of triangles, by their identity.
        self._most: dict[int, float] = {}
        self._cells: dict[tuple[str, str, bool], Cell] = {}
        #: By dataset, metric and number of comparisons: every corner of the exchange rates asks for them.
        self._relative: dict[tuple[str, str, int], Sequence[float]] = {}
        self._has_few_passes = any(one.freedom for one in sampled.values())

    @classmethod
    def from_dict(cls, board: Board, data: Mapping[str, Any]) -> Certainty:
        """Of the plain form, by dataset (`Sampled.from_dict`)."""
        return cls(board, {dataset: Sampled.from_dict(one) for dataset, one in data.items()})

    def sets(
        self,
        question: Question,
        columns: Columns | None = None,
        confidence: float = CONFIDENCE,
        factor: float = 1.0,
    ) -> RankSets:
        """The rank sets under a question; `columns`, the ranking itself, may be handed over if known.

        The `sets`, not the separated pairs, allow for exchange rates that are each off by up to `factor`.
        Raises ValueError for a confidence that is not between 0.5 and 1, and a factor under 1.
        """
        if not 0.5 <= confidence < 1.0:
            raise ValueError(f"confidence: {confidence!r} is not from 0.5 to under 1")
        columns = columns or self.board.columns(question)
        scores = columns.key
        reasons = self.reasons(question, columns)
        known = [index for index in range(len(scores)) if index not in reasons]
        ranked = [index for index, rank in enumerate(columns.ranks) if rank == rank]
        tail = (1.0 - confidence) / 2.0
        variances = self.variances(question, columns)
        apart = self._ratios(scores, variances, frozenset(reasons))
        last = RankedLast(self.board.floored, ranked)
        within = as_ranked = apart
        if self._has_few_passes:
            # All pairs at once ask for a higher level than the rivals of one model.
            of_all = self.variances(question, columns, among=len(self._firsts))
            as_ranked = self._ratios(scores, of_all, frozenset(reasons))
        if last.floored:
            # Of two models just one of which is no better than a constant answer, the scores do not decide.
            within = [pair for pair in apart if not last.divides(*pair[1:])]
            # Nor are they said to be apart against their ranks.
            as_ranked = [pair for pair in as_ranked if pair[2] in last.floored or pair[1] not in last.floored]
        rivals = Rivals(len(ranked), confidence, variances.evidence)
        if factor != 1.0:
            corners = Corners(self.board, question, columns, factor, self, rivals)
            if corners.names:
                within = corners.least([pair for pair in within if pair[0] > rivals.least])
        sets = marginal(known, within, rivals, len(scores), last)
        heat = [index for index in columns.order if (found := sets[index]) is not None and found[0] == 1]
        published = sorted(self.published(question, columns).difference(reasons))
        separated = self._holm(as_ranked, tail, columns.order, variances.evidence)
        return RankSets(sets, reasons, separated, heat, published, self.given(question, columns))

    def leading(self, question: Question, columns: Columns, found: RankSets) -> dict[int, float]:
        """In what share of a fixed set of draws each model of the dead heat leads; ties share.

        The draws are normal, with the covariances of the scores. A description, no test. Nothing is known of
        covariances where published numbers decide, or too few examples.
        """
        variances = self.variances(question, columns)
        unknown = not frozenset(found.published).isdisjoint(found.heat)
        if not found.heat or unknown or too_few(variances.evidence):
            return {}
        scores = columns.key
        first = found.heat[0]
        spread = _differences(variances.all(), first, found.heat)
        base = [scores[index] - scores[first] for index in found.heat]
        led = [0.0] * len(base)
        for draw in _draws(len(base)):
            drawn = [mean + _dot(row, draw) for mean, row in zip(base, spread, strict=True)]
            best = max(drawn)
            winners = [place for place, value in enumerate(drawn) if value == best]
            for place in winners:
                led[place] += 1.0 / len(winners)
        return {index: share / DRAWS for index, share in zip(found.heat, led, strict=True)}

    def summary(
        self, metrics: Mapping[str, float], datasets: Mapping[str, float], confidence: float
    ) -> dict[str, Any]:
        """What a snapshot keeps at weights: sets by column, the models without by reason, who may lead."""
        question = Question(metrics, datasets)
        columns = self.board.columns(question)
        found = self.sets(question, columns, confidence)
        leads = self.leading(question, columns, found)
        unknown: dict[str, list[int]] = {}
        for index in sorted(found.reasons):
            unknown.setdefault(found.reasons[index], []).append(index)
        given = {
            name: [i for i, names in found.given.items() if name in names] for name in self.board.metrics
        }
        return {
            "confidence": confidence,
            "sets": found.sets,
            "unknown": unknown,
            "published": found.published,
            "given": {name: models for name, models in given.items() if models},
            "leads": {self.board.models[index]: share for index, share in leads.items()},
        }

    def compare(
        self, first: str, second: str, question: Question, confidence: float = CONFIDENCE
    ) -> Comparison:
        """Whether `first` is above `second` by more than chance. Raises ValueError for an unknown name."""
        columns = self.board.columns(question)
        a, b = self._index(first), self._index(second)
        scores = columns.key
        difference = scores[a] - scores[b]
        interval = None
        if a != b and not {a, b} & self.reasons(question, columns).keys():
            variances = self.variances(question, columns)
            needed = level((1.0 - confidence) / 2.0, 1, variances.evidence)
            reach = needed * math.sqrt(variances.before(max(a, b))[min(a, b)])
            low, high = difference - reach - variances.bias(a, b), difference + reach + variances.bias(b, a)
            interval = (low, high) if reach < math.inf else None
        alone = self._alone(a, b, question) if a != b else {}
        grouped = self._grouped(question)
        tested = {name: mcnemar(*counts) for name, counts in alone.items() if name not in grouped}
        published = not self.published(question, columns).isdisjoint((a, b))
        exact = self.given(question, columns)
        given = dict.fromkeys(words for model in (a, b) for words in exact.get(model, {}).values())
        return Comparison(difference, interval, alone, tested, published, tuple(given))

    def _grouped(self, question: Question) -> set[str]:
        """The metrics of right and wrong answers, some of whose examples share sources, or whole runs."""
        shares = self.board.dataset_shares(question.datasets) or {}
        weighted = [one for dataset, one in self.sampled.items() if shares.get(dataset)]
        together = {name for one in weighted if one.clusters < one.examples for name in one.apart}
        return together.union(*(one.own for one in weighted))

    def better_than(self, model: str, question: Question, confidence: float = CONFIDENCE) -> list[str]:
        """The models whose score is above that of `model`, by more than chance, one-sided and each by itself.

        Where it is unknown how two scores vary, the higher one is better. Raises ValueError for a name that
        is not on the board.
        """
        columns, own = self.board.columns(question), self._index(model)
        scores = columns.scores
        reasons, variances = self.reasons(question, columns), self.variances(question, columns)
        spread, needed = variances.all(), level(1.0 - confidence, 1, variances.evidence)
        found = []
        for index, name in enumerate(self.board.models):
            gap = scores[index] - scores[own]
            unknown = index in reasons or own in reasons or index == own or needed == math.inf
            variance = 0.0 if unknown else spread[_place(index, own)]
            reach = needed * math.sqrt(variance) if 0.0 < variance < math.inf else 0.0
            if gap > reach + (0.0 if unknown else variances.bias(index, own)):
                found.append(name)
        return found

    def smallest_gap(self, question: Question, confidence: float = CONFIDENCE) -> float | None:
        """The difference of scores that the median pair shows with a chance of 0.8, corrected for the rivals.

        None where no pair is known, or too few examples say how the scores vary.
        """
        columns = self.board.columns(question)
        reasons, variances = self.reasons(question, columns), self.variances(question, columns)
        pairs = zip(self._firsts, self._seconds, variances.all(), strict=True)
        known = [
            (variance, variances.bias(*((i, j) if columns.key[i] > columns.key[j] else (j, i))))
            for i, j, variance in pairs
            if i not in reasons and j not in reasons and variance < math.inf
        ]
        ranked = sum(rank == rank for rank in columns.ranks)
        return smallest(known, Rivals(ranked, confidence, variances.evidence).clear)

    def too_few_words(self, question: Question, confidence: float = CONFIDENCE) -> str:
        """That too few examples say how the scores vary, in a sentence; empty where they are enough."""
        return too_few_words(self.variances(question, self.board.columns(question)).evidence, confidence)

    def _index(self, model: str) -> int:
        if model not in self.board.models:
            raise ValueError(f"model: {model!r} is none of {', '.join(self.board.models)}")
        return self.board.models.index(model)

    def _terms(
        self, question: Question, columns: Columns, times: Mapping[str, float] | None = None
    ) -> dict[str, dict[str, float]]:
        """By dataset and metric, what a unit of the value adds to the score, where it adds anything.

        Of a metric in `_per_cent` it is what a unit of its logarithm adds. `times` are factors of that."""
        datasets = self.board.dataset_shares(question.datasets) or {}
        metrics = self.board.metric_shares(question.metrics) or {}
        scale = columns.scale
        terms: dict[str, dict[str, float]] = {dataset: {} for dataset, share in datasets.items() if share}
        parts = self.board.taking_part(scale, metrics) if scale.rates else {}
        for name, part in parts.items():
            direction = self.board.metrics[name].direction
            over = deviation(scale.goods[name]) if columns.by == "z_score" else scale.rates[name].rate
            worth = direction * part / over if over else 0.0
            if scale.trades is not None:
                worth = scale.trades[name].worth(direction)
            if times:
                worth *= times.get(name, 1.0)
            if worth:
                for dataset, share in self.board.shares_of(name, datasets).items():
                    terms[dataset][name] = worth * share
        return terms

    def _per_cent(self, columns: Columns) -> frozenset[str]:
        """The metrics that enter the scores by their logarithms, as trade-offs are declared in per cent."""
        trades = columns.scale.trades or {}
        return frozenset(name for name, trade in trades.items() if trade.per_cent)

    def scores_by_dataset(self, question: Question, columns: Columns) -> dict[str, Column]:
        """The scores that each dataset alone gives, up to what is the same for all models.

        Exchange rates stay those of `columns`, the answer to the question. Only of datasets that have weight
        and numbers of every metric with weight; NaN for a model that lacks one.
        """
        names = self.board.taking_part(columns.scale, self.board.metric_shares(question.metrics) or {})
        logarithms = self._per_cent(columns)
        found: dict[str, Column] = {}
        for dataset, share in (self.board.dataset_shares(question.datasets) or {}).items():
            if not share or not all(dataset in self.board.datasets_of[name] for name in names):
                continue
            terms = self._terms(replace(question, datasets={dataset: 1.0}), columns)[dataset]
            parts = []
            for name, worth in terms.items():
                cells = [math.nan if value is None else value for value in self.board.values[dataset][name]]
                if name in logarithms:
                    cells = [logarithm(value) if value > 0 else math.nan for value in cells]
                parts.append([worth * value for value in cells])
            if parts:
                found[dataset] = sums(parts)
        return found

    def reasons(self, question: Question, columns: Columns) -> dict[int, str]:
        """The models that have no rank set, and why. One that is ranked alone is the first of one."""
        return self.all_exact(question, columns) | self.lacking(question, columns)

    def lacking(self, question: Question, columns: Columns) -> dict[int, str]:
        """The models that lack a rank, or what a rank set needs of one number.

        A number may be taken as exact, but not one of the base metric.
        """
        models = range(len(self.board.models))
        found = {index: "not ranked" for index in models if math.isnan(columns.ranks[index])}
        if len(models) - len(found) < 2:
            return found
        base = question.base or self.board.base
        for (_, name), cell in self._weighted(question, columns).items():
            why = {**cell.unknown, **cell.exact} if name == base else cell.unknown
            for index in sorted(why):
                found.setdefault(index, why[index])
        return found

    def all_exact(self, question: Question, columns: Columns) -> dict[int, str]:
        """The models of whose numbers with weight none is known to vary, and why."""
        first, *others = [cell.exact for cell in self._weighted(question, columns).values()] or [{}]
        few = sum(rank == rank for rank in columns.ranks) < 2
        return {} if few else {index: first[index] for index in sorted(set(first).intersection(*others))}

    def given(self, question: Question, columns: Columns) -> dict[int, dict[str, str]]:
        """By model that has a rank set, the metrics with weight whose numbers it takes as exact.

        Each with its words, such as "the published cost".
        """
        unknown = self.reasons(question, columns)
        if sum(rank == rank for rank in columns.ranks) < 2:
            return {}
        reasons: dict[int, dict[str, list[str]]] = {}
        for (_, name), cell in self._weighted(question, columns).items():
            for index in cell.exact.keys() - unknown.keys():
                reasons.setdefault(index, {}).setdefault(name, []).append(cell.exact[index])
        return {
            index: {name: self._exact_words(name, of[name]) for name in self.board.metrics if name in of}
            for index, of in sorted(reasons.items())
        }

    def _exact_words(self, metric: str, reasons: Sequence[str]) -> str:
        published = all(why.endswith((WITHOUT_EXAMPLES, WITHOUT_PASSES)) for why in reasons)
        return f"the {'published ' if published else ''}{self.board.metric_label(metric)}"

    def _weighted(self, question: Question, columns: Columns) -> dict[tuple[str, str], Cell]:
        """The metrics with weight on the datasets with weight."""
        terms, per_cent = self._terms(question, columns), self._per_cent(columns)
        return {
            (dataset, name): self._cell(dataset, name, name in per_cent)
            for dataset, of in terms.items()
            for name in of
        }

    def _cell(self, dataset: str, metric: str, per_cent: bool = False) -> Cell:
        key = (dataset, metric, per_cent)
        if key not in self._cells:
            self._cells[key] = self._looked_at(*key)
        return self._cells[key]

    def _looked_at(self, dataset: str, metric: str, per_cent: bool) -> Cell:
        """What is known of values, or of their logarithms where `per_cent`."""
        one, label = self.sampled.get(dataset), self.board.metric_label(metric)
        unknown: dict[int, str] = {}
        exact: dict[int, str] = {}
        stated: set[int] = set()
        values = self.board.values[dataset][metric]
        # Passes say how logarithms vary. They are independent, so that each model may have what it has.
        passes = one is not None and metric in one.relative
        unit = self.board.metrics[metric].unit or "its unit"
        per_unit = (
            f"how it varies is known in {unit}, not in per cent; by a trade-off in {unit} there are sets"
        )
        for index, value in enumerate(values):
            known = one and (one.has_examples(metric, index) or one.is_stated(metric, index))
            if value is None:
                unknown[index] = f"{label} has no value, so the worst of the board stands for it"
            elif known and per_cent and not passes:
                unknown[index] = f"{label}: {per_unit}"
            elif one and one.has_examples(metric, index):
                continue
            elif one and one.is_stated(metric, index):
                stated.add(index)
            else:
                why = one.unknown.get(metric, {}).get(index, WITHOUT_EXAMPLES) if one else WITHOUT_EXAMPLES
                (exact if why in TAKEN_AS_EXACT else unknown)[index] = f"{label}: {why}"
        vary = len(values) > len(unknown) + len(exact)
        bounded = frozenset() if passes else frozenset(stated.union(exact if vary else ()))
        return Cell(unknown, exact, bounded)

    def published(self, question: Question, columns: Columns) -> frozenset[int]:
        """The models that have a number with weight that came without examples, of two and more."""
        if sum(rank == rank for rank in columns.ranks) < 2:
            return frozenset()
        cells = self._weighted(question, columns).values()
        return frozenset().union(*(cell.bounded for cell in cells))

    def _published_pairs(
        self, terms: Mapping[str, Mapping[str, float]], models: frozenset[int], passes: Sequence[float]
    ) -> PublishedPairs:
        """All pairs of these models. What is measured in passes is among `passes`."""
        parts = [
            (abs(worth), self._deviation(dataset, name))
            for dataset, of_dataset in terms.items()
            for name, worth in of_dataset.items()
            if models and worth and not (dataset in self.sampled and name in self.sampled[dataset].relative)
        ]
        return PublishedPairs(models, parts, passes)

    def _fewest_stated(self, terms: Mapping[str, Mapping[str, float]], columns: Columns) -> float:
        """Of how many examples the numbers of ranked models are, where that is few."""
        stated = [self.sampled[d].stated.get(name) for d in terms if d in self.sampled for name in terms[d]]
        counts = [
            n
            for one in stated
            if one is not None
            for n, rank in zip(one.examples, columns.ranks, strict=True)
            if rank == rank
        ]
        return min((n for n in counts if 1 < n < FEW), default=math.inf)

    def _deviation(self, dataset: str, metric: str) -> Triangle | None:
        """Of the differences of a metric's values, as far as sources say; None where none does."""
        stated = self.sampled[dataset].stated.get(metric) if dataset in self.sampled else None
        exact = self._cell(dataset, metric).exact
        if stated is None and not exact:
            return None
        if (dataset, metric) not in self._deviations:
            size = len(self.board.models)
            stated = stated or Stated([None] * size, [0] * size)
            found = stated.deviations(self.board.values[dataset][metric], exact)
            self._deviations[dataset, metric] = found
        return self._deviations[dataset, metric]

    def variances(
        self,
        question: Question,
        columns: Columns,
        published: frozenset[int] = frozenset(),
        times: Mapping[str, float] | None = None,
        among: int | None = None,
    ) -> Variances:
        """How the differences of the scores vary.

        Published numbers decide the pairs of models that have some with weight, and of those in `published`.
        `times` are by metric factors of what it is worth, see `rank.rate_factor`. Where units are few, their
        variance is itself uncertain: it is widened, and Student's t takes over. Of a few passes only
        their own part is widened, for one of `among` comparisons: by default with all rivals of a model.
        """
        rivals = max(1, len(self.board.models) - 1)
        factors: list[tuple[float, Triangle]] = []
        guard, evidence = 0.0, MANY
        passes = [0.0] * len(self.board.models)
        biases: list[Sequence[float]] = []
        per_cent, weighted = self._per_cent(columns), {}
        for dataset, all_terms in self._terms(question, columns, times).items():
            # Examples and sources say how values vary, not their logarithms; passes say both.
            terms = {name: worth for name, worth in all_terms.items() if name not in per_cent}
            weighted[dataset] = terms
            one = self.sampled.get(dataset)
            if one is None:
                continue
            widened = 1.0
            if one.few and any(name in one.unit for name in terms):
                widened, evidence = 1.0 + 2.0 / one.clusters, evidence.and_units(one.clusters)
            scarce = min((one.scarce[name] for name in terms if name in one.scarce), default=math.inf)
            evidence = evidence.fewer(Evidence(freedom=scarce - 1))
            biases += [[terms[name] * own for own in one.bias[name]] for name in terms if name in one.bias]
            factors += [
                (terms[first] * terms[second] * (1.0 if first == second else 2.0) * widened, column)
                for (first, second), column in one.covariances.items()
                if first in terms and second in terms
            ]
            # One pseudo-example each way, so that models that never differed are not taken for equal.
            moved = [_squared(terms[name] * one.unit[name]) for name in terms if name in one.unit]
            guard += 2.0 * math.fsum(moved) / _squared(one.examples + 2)
            passes = self._with_passes(passes, dataset, all_terms, one, columns, among or rivals)
        passes = self._with_runs(passes, weighted)
        models = published | self.published(question, columns)
        # Published shares of few examples are as uncertain.
        evidence = evidence.and_units(self._fewest_stated(weighted, columns) if models else math.inf)
        pairs = self._published_pairs(weighted, models, passes)
        by_model = list(zip(*biases, strict=True))
        too_high = [math.fsum(max(0.0, bias) for bias in own) for own in by_model]
        too_low = [math.fsum(max(0.0, -bias) for bias in own) for own in by_model]
        return Variances(factors, guard, passes, pairs, evidence, too_high, too_low)

    def most(self, question: Question, columns: Columns, metric: str) -> float:
        """What no pair's variance exceeds if one metric alone counts; infinite where that is not known, and
        where its values are biased."""
        others = dict.fromkeys(self.board.metrics, 0.0) | {metric: 1.0}
        found = self.variances(question, columns, times=others)
        if found.too_high:
            return math.inf
        passes = 2.0 * max(found.passes, default=0.0)
        largest = [factor * self._largest(column) for factor, column in found.factors]
        paired = max(0.0, math.fsum([*largest, found.guard, passes]))
        if not found.published.models:
            return paired
        parts = [
            (w, math.inf if column is None else self._largest(column)) for w, column in found.published.parts
        ]
        deviation = math.fsum([worth * most for worth, most in parts])
        return max(paired, deviation * deviation + passes)

    def _largest(self, column: Triangle) -> float:
        """The largest number of a triangle, which is looked for once."""
        known = self._most.get(id(column))
        if known is None:
            known = self._most[id(column)] = max(column, default=0.0)
        return known

    def _with_passes(
        self,
        before: list[float],
        dataset: str,
        terms: Mapping[str, float],
        one: Sampled,
        columns: Columns,
        among: int,
    ) -> list[float]:
        """With what the passes of a dataset add to each model's variance (the delta method on logarithms)."""
        total, per_cent = before, self._per_cent(columns)
        for name in terms:
            if name in one.relative:
                values: Sequence[float | None] = self.board.values[dataset][name]
                if name in per_cent:
                    # A logarithm of a mean moves by what a value moves the mean by, over the mean.
                    means = columns.scale.values[name]
                    values = [
                        v / mean if v and mean > 0 else 0.0 for v, mean in zip(values, means, strict=True)
                    ]
                key = (dataset, name, among)
                if key not in self._relative:
                    self._relative[key] = one.widened(name, among)
                total = [
                    whole + _squared(terms[name] * (value or 0.0)) * relative
                    for whole, value, relative in zip(total, values, self._relative[key], strict=True)
                ]
        return total

    def _with_runs(self, before: list[float], weighted: Mapping[str, Mapping[str, float]]) -> list[float]:
        """With what whole runs add to each model's variance: a bound, however they go together.

        A run shifts several metrics and datasets at once, in ways that a few runs do not show.
        """
        moved = [
            [abs(worth) * math.sqrt(variance) for variance in self.sampled[dataset].own[name]]
            for dataset, terms in weighted.items()
            if dataset in self.sampled
            for name, worth in terms.items()
            if name in self.sampled[dataset].own
        ]
        shifts = map(math.fsum, zip(*moved, strict=True))
        return [one + _squared(shift) for one, shift in zip(before, shifts, strict=True)] if moved else before

    def _ratios(
        self, scores: Column, variances: Variances, left_out: frozenset[int]
    ) -> list[tuple[float, int, int]]:
        """(difference less bias, over its standard error, higher, lower) of the known pairs, but for 0."""
        found, biased = [], bool(variances.too_high)
        for i, j, variance in zip(self._firsts, self._seconds, variances.all(), strict=True):
            if i in left_out or j in left_out or scores[i] == scores[j]:
                continue
            higher, lower = (i, j) if scores[i] > scores[j] else (j, i)
            gap = scores[higher] - scores[lower]
            if biased and (gap := gap - variances.bias(higher, lower)) <= 0.0:
                continue
            found.append((gap / math.sqrt(variance) if variance else math.inf, higher, lower))
        return found

    def _holm(
        self, apart: Sequence[tuple[float, int, int]], tail: float, order: Sequence[int], evidence: Evidence
    ) -> list[tuple[int, int]]:
        """The pairs separated all at once: the clearest first, as long as each passes its own level."""
        left, found, needed = len(self._firsts), [], math.inf
        for ratio, higher, lower in sorted(apart, reverse=True):
            # Levels only fall, so one that was passed is not asked for again.
            if ratio <= needed and ratio <= (needed := level(tail, left, evidence)):
                break
            found.append((higher, lower))
            left -= 1
        places = {index: place for place, index in enumerate(order)}
        return sorted(found, key=lambda pair: (places[pair[0]], places[pair[1]]))

    def _alone(self, a: int, b: int, question: Question) -> dict[str, tuple[int, int]]:
        """Examples that one of two models alone got right, over the datasets that have weight.

        Of a metric that is of right and wrong answers on some of them only, such as a score of several tasks,
        nothing is counted.
        """
        found: dict[str, tuple[int, int]] = {}
        shares = self.board.dataset_shares(question.datasets) or {}
        weighed = [
            self.sampled[dataset] for dataset, share in shares.items() if share and dataset in self.sampled
        ]
        mixed = {name for one in weighed for name in one.unit if name not in one.apart}
        for one in weighed:
            for name in one.apart:
                if name in mixed or {a, b} & one.unknown.get(name, {}).keys():
                    continue
                count, gap = one.apart[name][_place(a, b)], one.right[name][a] - one.right[name][b]
                first, second = found.get(name, (0, 0))
                found[name] = first + (count + gap) // 2, second + (count - gap) // 2
        return found


def _check_sizes(dataset: str, one: Sampled, models: int) -> None:
    pairs = models * (models - 1) // 2
    sized = [(f"covariances {' and '.join(names)}", part, pairs) for names, part in one.covariances.items()]
    sized += [(f"apart {name}", part, pairs) for name, part in one.apart.items()]
    sized += [(f"right {name}", part, models) for name, part in one.right.items()]
    sized += [(f"bias {name}", part, models) for name, part in one.bias.items()]
    sized += [(f"own {name}", part, models) for name, part in one.own.items()]
    sized += [(f"relative {name}", part, models) for name, part in one.relative.items()]
    sized += [(f"freedom {name}", part, models) for name, part in one.freedom.items()]
    for what, part, wanted in sized:
        if len(part) != wanted:
            raise ValueError(f"{dataset}: {what}: {len(part)} numbers, but {models} models take {wanted}")


def _place(i: int, j: int) -> int:
    """Where a pair stands in a triangle."""
    i, j = max(i, j), min(i, j)
    return i * (i - 1) // 2 + j


def _squared(value: float) -> float:
    return value * value


def _totals(parts: Iterable[tuple[float, Triangle]], last: Sequence[float]) -> list[float]:
    columns = [[factor * value for value in column] for factor, column in parts]
    return [max(0.0, total) for total in map(math.fsum, zip(*columns, last, strict=True))]


def _dot(row: Sequence[float], draw: Sequence[float]) -> float:
    return math.fsum(map(float.__mul__, row, draw))


def _differences(variances: Triangle, first: int, models: Sequence[int]) -> list[list[float]]:
    """A root (Cholesky's) of the covariances of each model's difference from `first`."""

    def variance(i: int, j: int) -> float:
        return 0.0 if i == j else variances[_place(i, j)]

    rows: list[list[float]] = []
    for at, i in enumerate(models):
        row = [0.0] * len(models)
        for place, j in enumerate(models[: at + 1]):
            shared = (variance(i, first) + variance(j, first) - variance(i, j)) / 2.0
            rest = shared - _dot(row[:place], rows[place][:place] if place < at else row[:place])
            if place == at:
                row[place] = math.sqrt(max(0.0, rest))
            elif rows[place][place]:
                row[place] = rest / rows[place][place]
        rows.append(row)
    return rows


@functools.lru_cache(maxsize=4)
def _draws(width: int) -> list[list[float]]:
    """Standard normal numbers, the same everywhere: 64 tosses of a coin each, which is near enough."""
    chance = random.Random(SEED)
    return [[(chance.getrandbits(64).bit_count() - 32) / 4.0 for _ in range(width)] for _ in range(DRAWS)]
