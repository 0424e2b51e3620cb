"""The ranking: exchange rates, the Dynascore, its contributions, and the z-score comparison.

This very file runs on the maintainer's machine, in every snapshot and, under Pyodide, in the
visitor's browser. It is one file, long as it is, because a snapshot keeps it under its SHA-256 and must
be ranked by it alone. It therefore imports the standard library only and must give the same bits on
every Python from 3.11 on: sums go through `math.fsum`, which is correctly rounded and does not
depend on the order of its terms (the built-in `sum` changed in Python 3.12).

Definition (Ma et al. 2021, "Dynaboard", section 5): a model's value of a metric is its mean over
the scoring datasets, weighted by the dataset weights; metrics of which less is better are turned
into goods. Models are sorted by the base metric; the exchange rate of a metric M is the mean over
adjacent pairs of |dM| / |d base|, leaving out pairs whose |d base| is at or under a threshold; the
converted value is M / rate; the Dynascore is the sum of normalised weight x converted value. Besides the
paper's mean of slopes there is a second estimator of a rate, the ratio of sums: the sum of |dM| over the sum
of |d base| of the same pairs, in which a pair counts by how far it is apart.
"""

from __future__ import annotations

import functools
import itertools
import json
import math
import operator
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

#: Default threshold, relative to the largest |base value| (the platform's own reading of the paper).
EPSILON = 1e-4
#: A note says that a rate depends on one pair when that pair supplies at least this share of it.
ONE_PAIR_SHARE = 0.5
#: How a rate follows from its pairs: the mean of their slopes, or the ratio of the sums of differences.
ESTIMATORS = ("mean", "ratio")
DISAGREEMENT = (
    "the two ways to estimate exchange rates, the mean of slopes and the ratio of sums, put the models in"
    " different orders"
)
#: Cells beyond this are refused: squares and quotients of them would overflow.
LARGEST = 1e120

#: A number for each model, by the model's index on the board; NaN where there is none.
Column = list[float]


@dataclass(frozen=True)
class RankedMetric:
    """A column of the board: its good is ``offset + direction * value``.

    More is better: direction 1, offset 0. A cost with a cap: direction -1, offset = cap. A cost
    without one: direction -1, offset None, which stands for the largest value on the board.
    """

    name: str
    direction: int = 1
    offset: float | None = 0.0


@dataclass(frozen=True)
class ExchangeRate:
    """How many units of a metric's good the board's models trade for one unit of the base metric.

    `rate` is None where it is undefined, and `note` says why. `largest_share` in (0, 1] is how much
    of the rate `largest_pair` supplies; `pairs` were used, `skipped` were at or under the threshold.
    """

    rate: float | None
    pairs: int = 0
    skipped: int = 0
    largest_share: float | None = None
    largest_pair: tuple[str, str] | None = None
    note: str | None = None

    def to_dict(self) -> dict[str, Any]:
        return {
            "rate": self.rate,
            "pairs": self.pairs,
            "skipped": self.skipped,
            "largest_share": self.largest_share,
            "largest_pair": list(self.largest_pair) if self.largest_pair else None,
            "note": self.note,
        }


@dataclass(frozen=True)
class RankingRow:
    """One model of a ranking. `rank` and `dynascore` are None where the model is not ranked.

    `contributions` sum (`math.fsum`) to `dynascore`; `values` are the dataset-weighted means in the
    metric's own unit, None where missing; `mean_z_score` is the weighted mean of z-scores of goods.
    """

    model: str
    rank: int | None
    dynascore: float | None
    contributions: dict[str, float]
    mean_z_score: float | None
    values: dict[str, float | None]

    def to_dict(self) -> dict[str, Any]:
        return {
            "model": self.model,
            "rank": self.rank,
            "dynascore": self.dynascore,
            "contributions": self.contributions,
            "mean_z_score": self.mean_z_score,
            "values": self.values,
        }


@dataclass(frozen=True)
class Ranking:
    """Rows in rank order (ties by name, unranked models last), rates, and notes to be shown."""

    rows: tuple[RankingRow, ...]
    exchange_rates: dict[str, ExchangeRate]
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        return {
            "models": [row.to_dict() for row in self.rows],
            "exchange_rates": {name: rate.to_dict() for name, rate in self.exchange_rates.items()},
            "notes": list(self.notes),
        }


@dataclass(frozen=True)
class Question:
    """What a visitor asks; None leaves a term as the board has it.

    A name left out of the weights weighs 0. `by` is "dynascore" or "z_score": what models are ranked by.
    `rate` is one of `ESTIMATORS`. Only models in `among` are ranked, and of these only those whose values are
    within `limits`, [least, most] by metric (None: no bound; a missing value is never within): the same as on
    a board of these models alone, exchange rates included.
    """

    metrics: Mapping[str, float] | None = None
    datasets: Mapping[str, float] | None = None
    base: str | None = None
    epsilon: float | None = None
    epsilon_kind: str | None = None
    by: str = "dynascore"
    rate: str | None = None
    among: Sequence[str] | None = None
    limits: Mapping[str, Sequence[float | None]] | None = None


@dataclass(frozen=True)
class Scale:
    """What follows from dataset weights, base metric, threshold and limits, whatever the metric weights are.

    By metric: `values`, the dataset-weighted means in the metric's own unit; `gaps`, the models without one;
    `goods`, the same as goods, missing ones filled in where the board does so. `number` differs for every
    scale of one board. Models in `out` are left out: they have values only.
    """

    number: int
    values: dict[str, Column]
    gaps: dict[str, frozenset[int]]
    goods: dict[str, Column]
    rates: dict[str, ExchangeRate]
    notes: tuple[str, ...]
    out: frozenset[int] = frozenset()

    @functools.cached_property
    def converted(self) -> dict[str, Column]:
        """The goods in units of the base metric. Made when first needed: of the other estimator's scale
        the rates alone are."""
        return {name: _converted(self.rates[name].rate, column) for name, column in self.goods.items()}

    @functools.cached_property
    def z_scores(self) -> dict[str, Column]:
        """Standard scores of the goods, made when first needed: few visitors rank by them."""
        return {name: _z_scores(column) for name, column in self.goods.items()}


@dataclass(frozen=True)
class Columns:
    """A ranking by columns: so it is computed, and so a page takes it.

    `order` has the models by rank, ties by name, those without a rank last; they are NaN in `ranks`,
    `scores` and `z_scores`. `contributions` are of the metrics with weight and values only. `z_scores`
    are None unless the ranking is by them.
    """

    order: list[int]
    ranks: Column
    scores: Column
    z_scores: Column | None
    contributions: dict[str, Column]
    scale: Scale
    notes: tuple[str, ...]


class Board:
    """The cells of a leaderboard, ready to be ranked under any weights.

    `values[dataset][metric]` holds one number per model, None where it is missing. `base` names the
    metric whose units the others are converted to. `epsilon` is the threshold under which a pair of
    models is too close on the base metric to count: times the largest |base value| when
    `epsilon_kind` is "relative", as it is when "absolute". `missing` is what a missing cell does:
    "unranked" shows the model without a rank as long as the metric has weight; "worst" fills it in with
    the worst value on the board in that cell (never used for exchange rates). `labels` are the names
    that notes use: ``{"models": {name: label}, "metrics": {name: label}}``. `floored` are the models that
    are no better than a constant answer: they are ranked after all others, whatever their scores. `rate` is
    one of `ESTIMATORS`.

    Raises ValueError naming the field for anything malformed, and for NaN and infinities.
    """

    def __init__(
        self,
        models: Sequence[str],
        metrics: Sequence[RankedMetric],
        values: Mapping[str, Mapping[str, Sequence[float | None]]],
        base: str,
        *,
        epsilon: float = EPSILON,
        epsilon_kind: str = "relative",
        missing: str = "unranked",
        labels: Mapping[str, Mapping[str, str]] | None = None,
        floored: Sequence[str] = (),
        rate: str = ESTIMATORS[0],
    ) -> None:
        self.models = list(models)
        self.labels = labels or {}
        self.metrics = {metric.name: metric for metric in metrics}
        absent = [None] * len(models)
        self.values: dict[str, dict[str, list[float | None]]] = {
            dataset: {name: list(cells.get(name, absent)) for name in self.metrics}
            for dataset, cells in values.items()
        }
        self.base, self.missing = base, missing
        self.epsilon, self.epsilon_kind, self.rate = epsilon, epsilon_kind, rate
        _check_board(self, metrics, values, floored)
        self.floored = frozenset(map(self.models.index, floored))
        self.by_name = sorted(range(len(self.models)), key=self.models.__getitem__)
        self._cells = _Cells(self.values)
        self._filled = self._cells if missing == "unranked" else self._cells.filled(self.metrics)
        self._numbers = itertools.count(1)
        self._scale_of: dict[str, tuple[object, Scale]] = {}
        self._common_of: tuple[object, _Common] | None = None
        #: The last models that limits left, and the board of them alone.
        self._alone: tuple[tuple[int, ...], Board] | None = None

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Board:
        """The board that a page's JSON or a snapshot describes; see the class for the fields."""
        metrics = [RankedMetric(m["name"], m["direction"], m["offset"]) for m in data["metrics"]]
        return cls(
            data["models"],
            metrics,
            {dataset: data["values"][dataset] for dataset in data["datasets"]},
            data["base"],
            epsilon=data["epsilon"],
            epsilon_kind=data["epsilon_kind"],
            missing=data["missing"],
            labels=data.get("labels"),
            floored=data.get("floored", ()),
            rate=data.get("rate", ESTIMATORS[0]),
        )

    def among(self, left: Sequence[int]) -> Board:
        """The board of some of its models alone, given by their indices."""
        values = {
            dataset: {name: [column[index] for index in left] for name, column in cells.items()}
            for dataset, cells in self.values.items()
        }
        return Board(
            [self.models[index] for index in left],
            list(self.metrics.values()),
            values,
            self.base,
            epsilon=self.epsilon,
            epsilon_kind=self.epsilon_kind,
            missing=self.missing,
            labels=self.labels,
            floored=[self.models[index] for index in left if index in self.floored],
            rate=self.rate,
        )

    def metric_label(self, name: str) -> str:
        """A metric's name for people."""
        return self.labels.get("metrics", {}).get(name, name)

    def model_label(self, name: str) -> str:
        """A model's name for people."""
        return self.labels.get("models", {}).get(name, name)

    def default_weights(self) -> dict[str, float]:
        """One half on the base metric, the rest shared equally (the paper's default)."""
        return default_weights(list(self.metrics), self.base)

    def rank(
        self,
        metric_weights: Mapping[str, float] | None = None,
        dataset_weights: Mapping[str, float] | None = None,
        *,
        base: str | None = None,
        epsilon: float | None = None,
        epsilon_kind: str | None = None,
        by: str = "dynascore",
        rate: str | None = None,
    ) -> Ranking:
        """Rank the models. Weights are at least 0 and need not sum to one; a name left out weighs 0.

        Without weights: the default metric weights, equal dataset weights. All-zero weights are no
        error: no model is ranked and a note says so. `base`, `epsilon`, `epsilon_kind` and `rate` take the
        place of the board's own. `by` is "dynascore" or "z_score" and decides order and ranks. Raises
        ValueError for an unknown name and for a number that is negative, NaN or infinite.
        """
        return self.ranking(Question(metric_weights, dataset_weights, base, epsilon, epsilon_kind, by, rate))

    def ranking(self, question: Question) -> Ranking:
        """The ranking that a question asks for, limits included; see `rank`."""
        columns = self.columns(question, z_scores=True)
        return Ranking(tuple(_rows(self.models, columns)), columns.scale.rates, columns.notes)

    def columns(self, question: Question, *, z_scores: bool = False) -> Columns:
        """The ranking that `rank` gives, by columns; `z_scores` asks for these even if not ranked by."""
        if question.by not in ("dynascore", "z_score"):
            raise ValueError(f"by: {question.by!r} is neither 'dynascore' nor 'z_score'")
        z_scores = z_scores or question.by == "z_score"
        found = self._columns(question, z_scores)
        if question.by == "dynascore" and self._estimators_disagree(question, found):
            return replace(found, notes=(*found.notes, DISAGREEMENT))
        return found

    def _columns(self, question: Question, z_scores: bool) -> Columns:
        shares = self.metric_shares(question.metrics)
        scale = self.scale(question)
        if not scale.rates:
            return self._unranked(
                scale, z_scores, "all dataset weights are zero: there is nothing to rank by"
            )
        if shares is None:
            return self._unranked(scale, z_scores, "all metric weights are zero: there is nothing to rank by")
        return self._ranked(scale, shares, question.by, z_scores)

    def answer(self, text: str, known: int = 0) -> bytes:
        """A page's question, JSON of a `Question`, answered in one piece of memory.

        First doubles, the first of which says how many there are: order, ranks, scores, z-scores if
        ranked by them, each metric's contributions (0 without weight), each metric's values. Then JSON
        with the rest. Values and rates are left out if `known` is the number of their scale.
        """
        columns = self.columns(Question(**json.loads(text)))
        scale, fresh = columns.scale, columns.scale.number != known
        parts: list[Sequence[float]] = [columns.order, columns.ranks, columns.scores]
        parts += [] if columns.z_scores is None else [columns.z_scores]
        parts += _all_contributions(self.metrics, columns)
        parts += scale.values.values() if fresh else []
        size = len(self.models)
        rest = {
            "models": size,
            "metrics": len(self.metrics),
            "z_scores": columns.z_scores is not None,
            "scale": scale.number,
            "rates": {name: rate.to_dict() for name, rate in scale.rates.items()} if fresh else None,
            "notes": columns.notes,
        }
        return b"".join(
            [
                struct.pack("d", 1 + size * len(parts)),
                *[struct.pack(f"{size}d", *part) for part in parts],
                json.dumps(rest, allow_nan=False, separators=(",", ":")).encode(),
            ]
        )

    def metric_shares(self, weights: Mapping[str, float] | None) -> dict[str, float] | None:
        """RankedMetric weights (None: the default ones) that sum to one; None when all of them are zero."""
        weights = self.default_weights() if weights is None else weights
        return _shares(weights, list(self.metrics), "metric")

    def dataset_shares(self, weights: Mapping[str, float] | None) -> dict[str, float] | None:
        """Dataset weights (None: equal ones) that sum to one; None when all of them are zero."""
        weights = dict.fromkeys(self.values, 1.0) if weights is None else weights
        return _shares(weights, list(self.values), "dataset")

    def means(self, metric: str, dataset_weights: Mapping[str, float] | None = None) -> Column:
        """The dataset-weighted means of one metric, in its own unit."""
        if metric not in self.metrics:
            raise ValueError(f"metric: {metric!r} is none of the metrics {', '.join(self.metrics)}")
        shares = self.dataset_shares(dataset_weights)
        return self._cells.means(metric, shares) if shares else [math.nan] * len(self.models)

    def scale(self, question: Question) -> Scale:
        """The scale of a question. The last of each estimator is kept: mostly metric weights move.

        Raises ValueError for terms that no board has.
        """
        shares = self.dataset_shares(question.datasets)
        base = self.base if question.base is None else question.base
        epsilon = self.epsilon if question.epsilon is None else question.epsilon
        kind = self.epsilon_kind if question.epsilon_kind is None else question.epsilon_kind
        rate = self.rate if question.rate is None else question.rate
        _check_terms(base, epsilon, kind, rate, self.metrics)
        left = self._left(question)
        key = (tuple(shares.values()) if shares else None, base, epsilon, kind, left)
        if rate not in self._scale_of or self._scale_of[rate][0] != key:
            number = next(self._numbers)
            if not shares:
                made = self._no_scale(number)
            elif left is None:
                made = self._compute_scale(number, shares, base, epsilon, kind, rate)
            else:
                if self._alone is None or self._alone[0] != left:
                    self._alone = left, self.among(left)
                alone = self._alone[1]._compute_scale(number, shares, base, epsilon, kind, rate)
                made = self._widened(alone, left, shares)
            self._scale_of[rate] = key, made
        return self._scale_of[rate][1]

    def _left(self, question: Question) -> tuple[int, ...] | None:
        """The models that `among` and `limits` leave; None where they leave all. Raises ValueError for a
        name that the board does not have."""
        limits, among = question.limits or {}, question.among
        if not limits and among is None:
            return None
        for name in limits:
            if name not in self.metrics:
                raise ValueError(f"limits: {name!r} is none of the metrics {', '.join(self.metrics)}")
        wanted = frozenset(self.models if among is None else among)
        if unknown := sorted(wanted.difference(self.models)):
            raise ValueError(f"among: {unknown[0]!r} is none of the models {', '.join(self.models)}")
        left = [index for index, model in enumerate(self.models) if model in wanted]
        for name, (least, most) in limits.items():
            column = self.means(name, question.datasets)
            left = [index for index in left if _within(column[index], least, most)]
        return None if len(left) == len(self.models) else tuple(left)

    def _widened(self, scale: Scale, left: Sequence[int], shares: Mapping[str, float]) -> Scale:
        """The scale of a board of the models `left`, for this board: the others have values only."""
        size = len(self.models)
        out = frozenset(range(size)).difference(left)

        def wide(columns: Mapping[str, Column]) -> dict[str, Column]:
            found = {name: [math.nan] * size for name in columns}
            for name, column in columns.items():
                for index, value in zip(left, column, strict=True):
                    found[name][index] = value
            return found

        return replace(
            scale,
            values={name: self._cells.means(name, shares) for name in self.metrics},
            gaps={name: out.union([left[index] for index in gaps]) for name, gaps in scale.gaps.items()},
            goods=wide(scale.goods),
            out=out,
        )

    def _estimators_disagree(self, question: Question, found: Columns) -> bool:
        """Whether the other estimator of exchange rates puts the models in another order.

        Where it does, one of the first models is mostly out of place already. So scores at the other rates
        are found one by one, down the order.
        """
        other = ESTIMATORS[1 - ESTIMATORS.index(question.rate or self.rate)]
        scale, shares = self.scale(replace(question, rate=other)), self.metric_shares(question.metrics) or {}
        # A metric without a rate adds nothing to any score.
        terms = [
            (shares[name], scale.goods[name], rate)
            for name in found.contributions
            if (rate := scale.rates[name].rate) is not None
        ]

        def place(index: int) -> tuple[bool, float, str]:
            score = math.fsum([share * (goods[index] / rate) for share, goods, rate in terms])
            return index in self.floored, -score, self.models[index]

        ranked = itertools.takewhile(lambda index: not math.isnan(found.ranks[index]), found.order)
        return any(upper > lower for upper, lower in itertools.pairwise(map(place, ranked)))

    def live(self, scale: Scale, shares: Mapping[str, float]) -> list[str]:
        """The metrics that have weight and, on this scale, a value of some model."""
        return [
            name for name, share in shares.items() if share > 0 and len(scale.gaps[name]) < len(self.models)
        ]

    def without_rank(self, scale: Scale, live: Iterable[str]) -> frozenset[int]:
        """The models that lack a value of some live metric, where none is filled in."""
        if self.missing == "worst":
            return scale.out
        return scale.out.union(*(scale.gaps[name] for name in live))

    def _ranked(self, scale: Scale, shares: Mapping[str, float], by: str, z_scores: bool) -> Columns:
        if len(scale.out) == len(self.models) and self.models:
            return self._unranked(scale, z_scores, "no model is within the limits: there is nothing to rank")
        live = self.live(scale, shares)
        out = self.without_rank(scale, live)
        parts = {name: _times(shares[name], scale.converted[name], out) for name in live}
        key = scores = self._totals(list(parts.values()), out)
        standard = None
        if z_scores:
            standard = self._totals([_times(shares[name], scale.z_scores[name], out) for name in live], out)
            key = standard if by == "z_score" else scores
        order, last = self.apart(out)
        order.sort(key=key.__getitem__, reverse=True)
        floored = [index for index in order if index in self.floored] if self.floored else []
        order = [index for index in order if index not in self.floored] + floored if floored else order
        notes = (
            *scale.notes,
            *self._weight_notes(shares, live),
            *self._floor_notes(floored),
            *self._unranked_notes(scale, live, last),
        )
        ranks = _ranks(order, key, len(order) - len(floored))
        return Columns(order + last, ranks, scores, standard, parts, scale, notes)

    def apart(self, out: frozenset[int]) -> tuple[list[int], list[int]]:
        """The models that are not in `out` and those that are, each by name."""
        if not out:
            return list(self.by_name), []
        ranked = [index for index in self.by_name if index not in out]
        return ranked, [index for index in self.by_name if index in out]

    def _totals(self, columns: Sequence[Column], out: frozenset[int]) -> Column:
        return _sums(columns) if columns else _times(1.0, [0.0] * len(self.models), out)

    def _unranked(self, scale: Scale, z_scores: bool, note: str) -> Columns:
        nothing = [math.nan] * len(self.models)
        return Columns(self.by_name, nothing, nothing, nothing if z_scores else None, {}, scale, (note,))

    def _weight_notes(self, shares: Mapping[str, float], live: Sequence[str]) -> list[str]:
        weighted = [name for name, share in shares.items() if share > 0]
        notes = [
            f"{self.metric_label(name)}: no model has a value, so its weight moves nothing"
            for name in weighted
            if name not in live
        ]
        if len(weighted) == 1 and len(self.metrics) > 1:
            only = self.metric_label(weighted[0])
            notes.append(f"only {only} has weight: the ranking is by {only} alone")
        return notes

    def _floor_notes(self, floored: Sequence[int]) -> Iterator[str]:
        if floored:
            names = ", ".join(sorted(self.model_label(self.models[index]) for index in floored))
            yield f"no better than a constant answer, so ranked last: {names}"

    def _unranked_notes(self, scale: Scale, live: Sequence[str], last: Sequence[int]) -> Iterator[str]:
        for index in last:
            if index in scale.out:
                continue
            lacking = ", ".join(self.metric_label(name) for name in live if index in scale.gaps[name])
            yield f"{self.model_label(self.models[index])} is not ranked: no value for {lacking}"

    def _no_scale(self, number: int) -> Scale:
        nothing = [math.nan] * len(self.models)
        return Scale(number, dict.fromkeys(self.metrics, nothing), {}, {}, {}, ())

    def _compute_scale(
        self, number: int, shares: Mapping[str, float], base: str, epsilon: float, kind: str, estimator: str
    ) -> Scale:
        values, gaps, goods, pairs = self._common(shares, base, epsilon, kind)
        rates = {}
        for name in self.metrics:
            rate = (
                ExchangeRate(1.0) if name == base else pairs.rate(name, values[name], gaps[name], estimator)
            )
            rates[name] = _divisible(rate, goods[name])
        notes = _cap_notes(self, values) + [
            f"{self.metric_label(name)}: {rate.note}" for name, rate in rates.items() if rate.note
        ]
        return Scale(number, values, gaps, goods, rates, tuple(notes))

    def _common(self, shares: Mapping[str, float], base: str, epsilon: float, kind: str) -> _Common:
        """Values, gaps, goods and pairs, which both estimators share; the last ones are kept."""
        key = (tuple(shares.values()), base, epsilon, kind)
        if self._common_of is None or self._common_of[0] != key:
            values = {name: self._cells.means(name, shares) for name in self.metrics}
            gaps = {name: self._cells.gaps(name, shares) for name in self.metrics}
            filled = values
            if self.missing == "worst":
                filled = {name: self._filled.means(name, shares) for name in self.metrics}
            goods = {
                name: _goods(metric, values[name], filled[name]) for name, metric in self.metrics.items()
            }
            known = _known(values[base]) or [0.0]
            largest = max(max(known), -min(known))
            threshold = epsilon if kind == "absolute" else epsilon * largest
            pairs = _Pairs(self, values[base], gaps[base], threshold)
            self._common_of = key, (values, gaps, goods, pairs)
        return self._common_of[1]


class _Cells:
    """The numbers of a board as floats, NaN where one is missing."""

    def __init__(self, values: Mapping[str, Mapping[str, Sequence[float | None]]]) -> None:
        self.columns = {
            dataset: {
                name: [math.nan if value is None else value for value in column]
                for name, column in cells.items()
            }
            for dataset, cells in values.items()
        }
        self.missing = {
            dataset: {
                name: frozenset(i for i, value in enumerate(column) if value is None)
                for name, column in cells.items()
            }
            for dataset, cells in values.items()
        }

    def filled(self, metrics: Mapping[str, RankedMetric]) -> _Cells:
        """The same, with the worst of a column in the place of what is missing in it."""
        return _Cells(
            {
                dataset: {name: _fill_worst(column, metrics[name]) for name, column in cells.items()}
                for dataset, cells in self.columns.items()
            }
        )

    def means(self, name: str, shares: Mapping[str, float]) -> Column:
        """Means of a metric weighted by datasets; NaN where one of those with weight has no number."""
        cells = [(share, self.columns[dataset][name]) for dataset, share in shares.items() if share > 0]
        if len(cells) == 2:
            (share, column), (rest, other) = cells
            # The sum of two numbers is correctly rounded as it is.
            return [share * one + rest * two + 0.0 for one, two in zip(column, other, strict=True)]
        return _sums([[share * value for value in column] for share, column in cells])

    def gaps(self, name: str, shares: Mapping[str, float]) -> frozenset[int]:
        """The models whose mean is NaN."""
        missing = (self.missing[dataset][name] for dataset, share in shares.items() if share > 0)
        return frozenset().union(*missing)


class _Pairs:
    """Models sorted by the base metric (ties by name), from which every exchange rate is read."""

    def __init__(self, board: Board, base: Column, gaps: frozenset[int], threshold: float) -> None:
        self.models, self.label = board.models, board.model_label
        self.base, self.threshold = base, threshold
        known, _ = board.apart(gaps)
        self.order = sorted(known, key=base.__getitem__, reverse=True)
        # Both estimators ask for these.
        self._counted: dict[frozenset[int], tuple[int, list[tuple[int, int]], Column, float]] = {}
        self._differences: dict[str, Column] = {}

    def counted(self, gaps: frozenset[int]) -> tuple[int, list[tuple[int, int]], Column, float]:
        """How many models are in none of the gaps, their adjacent pairs that count, how far apart each of
        these is on the base metric, and the sum of that."""
        if gaps not in self._counted:
            base, threshold = self.base, self.threshold
            order = [index for index in self.order if index not in gaps] if gaps else self.order
            pairs = [(a, b) for a, b in itertools.pairwise(order) if base[a] - base[b] > threshold]
            steps = [base[a] - base[b] for a, b in pairs]
            self._counted[gaps] = len(order), pairs, steps, math.fsum(steps)
        return self._counted[gaps]

    def rate(self, name: str, column: Column, gaps: frozenset[int], estimator: str) -> ExchangeRate:
        """The exchange rate of one metric, over the models that have both it and the base metric."""
        models, pairs, steps, distance = self.counted(gaps)
        skipped = max(models - 1, 0) - len(pairs)
        if not pairs:
            return ExchangeRate(None, 0, skipped, note=_no_pair(models, skipped))
        if name not in self._differences:
            self._differences[name] = _differences(column, pairs)
        # What each pair adds: its slope, or the difference itself, to be divided by that of all pairs.
        slopes, mean = self._differences[name], estimator == "mean"
        if mean:
            slopes = list(map(operator.truediv, slopes, steps))
        largest, total = max(slopes), math.fsum(slopes)
        if largest > LARGEST:
            why = "undefined exchange rate: two models are too close on the base metric"
            return ExchangeRate(None, len(pairs), skipped, note=why)
        if total == 0.0:
            why = "undefined exchange rate: every model that counts has the same value"
            return ExchangeRate(None, len(pairs), skipped, note=why)
        first, second = pairs[slopes.index(largest)]
        share, pair = largest / total, (self.models[first], self.models[second])
        note = (
            _one_pair_note(share, self.label(pair[0]), self.label(pair[1]))
            if share >= ONE_PAIR_SHARE
            else None
        )
        over = len(pairs) if mean else distance
        return ExchangeRate(total / over, len(pairs), skipped, share, pair, note)


#: Values, gaps and goods by metric, and the pairs that rates are read from.
_Common = tuple[dict[str, Column], dict[str, frozenset[int]], dict[str, Column], _Pairs]


def _differences(column: Column, pairs: Sequence[tuple[int, int]]) -> Column:
    """How far apart each pair is on a metric."""
    # The difference is the very number that abs() gives, in two thirds of the time.
    return [column[a] - column[b] if column[a] > column[b] else column[b] - column[a] for a, b in pairs]


def default_weights(metrics: Sequence[str], base: str) -> dict[str, float]:
    """One half on `base`, the other half shared equally by the rest; a lone metric weighs 1."""
    others = len(metrics) - 1
    if others < 1:
        return {base: 1.0}
    return {name: 0.5 if name == base else 0.5 / others for name in metrics}


def open_board(text: str) -> Board:
    """The board described by JSON text (`Board.from_dict`)."""
    return Board.from_dict(json.loads(text))


def _shares(weights: Mapping[str, float], names: Sequence[str], what: str) -> dict[str, float] | None:
    """Weights normalised to sum to one, in the order of `names`; None when all of them are zero."""
    for name, weight in weights.items():
        if name not in names:
            raise ValueError(
                f"{what} weight {name!r}: the board has no such {what}; it has {', '.join(names)}"
            )
        if not (math.isfinite(weight) and weight >= 0):
            raise ValueError(f"{what} weight {name!r}: {weight!r} is not a finite number of at least 0")
    # Divided by the largest first, so that neither huge nor tiny weights overflow or vanish.
    largest = max(weights.values(), default=0.0)
    if largest == 0:
        return None
    scaled = {name: weights.get(name, 0.0) / largest for name in names}
    total = math.fsum(scaled.values())
    return {name: weight / total for name, weight in scaled.items()}


def _rows(models: Sequence[str], columns: Columns) -> Iterator[RankingRow]:
    parts, values = columns.contributions, columns.scale.values
    for index in columns.order:
        known = {name: _cell(column[index]) for name, column in values.items()}
        rank = columns.ranks[index]
        if math.isnan(rank):
            yield RankingRow(models[index], None, None, {}, None, known)
        else:
            shown = {name: part[index] for name, part in parts.items()}
            z_score = columns.z_scores[index] if columns.z_scores else None
            yield RankingRow(models[index], int(rank), columns.scores[index], shown, z_score, known)


def _cell(value: float) -> float | None:
    return None if math.isnan(value) else value


def _all_contributions(metrics: Iterable[str], columns: Columns) -> list[Column]:
    """Contributions of every metric: 0 without weight, NaN for a model that has no rank."""
    parts = columns.contributions
    nothing = [] if len(parts) == len(columns.scale.values) else [rank - rank for rank in columns.ranks]
    return [parts.get(name, nothing) for name in metrics]


def _within(value: float, least: float | None, most: float | None) -> bool:
    # NaN, a missing value, is within no limits.
    return value == value and (least is None or value >= least) and (most is None or value <= most)


def _known(column: Column) -> Column:
    # Only NaN differs from itself.
    return [value for value in column if value == value]


def _sums(columns: Sequence[Column]) -> Column:
    """The sum of each row, correctly rounded and never -0.0; NaN where one term is."""
    if len(columns) == 1:
        return [value + 0.0 for value in columns[0]]
    return list(map(math.fsum, zip(*columns, strict=True)))


def _times(share: float, column: Column, out: Iterable[int]) -> Column:
    """A column times a share, NaN for the models in `out`."""
    found = [share * value for value in column]
    for index in out:
        found[index] = math.nan
    return found


def _ranks(order: Sequence[int], key: Column, break_after: int) -> Column:
    """Ranks of the models in `order` by falling key, the same for equal keys; NaN for all others.

    The first `break_after` models share no rank with those that follow.
    """
    ranks, rank, last = [math.nan] * len(key), 0, math.nan
    for position, index in enumerate(order, start=1):
        if key[index] != last or position == break_after + 1:
            rank, last = position, key[index]
        ranks[index] = rank
    return ranks


def _fill_worst(column: Column, metric: RankedMetric) -> list[float | None]:
    known = _known(column)
    if not known:
        return [None] * len(column)
    worst = min(known) if metric.direction > 0 else max(known)
    return [value if value == value else worst for value in column]


def _goods(metric: RankedMetric, values: Column, filled: Column) -> Column:
    """Values as goods; the largest value of all, where a cost needs it, is one that is not filled in."""
    offset = max(_known(values), default=0.0) if metric.offset is None else metric.offset
    if metric.direction < 0:
        return [offset - value for value in filled]
    return [offset + value for value in filled] if offset else filled


def _divisible(rate: ExchangeRate, goods: Column) -> ExchangeRate:
    """A rate that all goods can be divided by, or an undefined one that says why not."""
    # No good is larger than an offset and a value together, so mostly no quotient need be looked at.
    if rate.rate is None or math.isfinite(2 * LARGEST / rate.rate):
        return rate
    if all(math.isfinite(good / rate.rate) for good in _known(goods)):
        return rate
    why = f"undefined exchange rate: {rate.rate!r} is too small to divide by"
    return ExchangeRate(None, rate.pairs, rate.skipped, note=why)


def _converted(rate: float | None, goods: Column) -> Column:
    """Goods in units of the base metric; 0 for every model where the rate is undefined."""
    return _zeros(goods) if rate is None else [good / rate for good in goods]


def _zeros(column: Column) -> Column:
    return [0.0 if value == value else math.nan for value in column]


def _z_scores(goods: Column) -> Column:
    """Standard scores with the population standard deviation (ddof 0); 0 where all are equal."""
    over = deviation(goods)
    if over == 0.0:
        return _zeros(goods)
    known = _known(goods)
    mean = math.fsum(known) / len(known)
    return [(good - mean) / over for good in goods]


def deviation(goods: Column) -> float:
    """The population standard deviation (ddof 0) of the goods that are not NaN; 0 where all are equal."""
    known = _known(goods)
    if not known or min(known) == max(known):
        return 0.0
    mean = math.fsum(known) / len(known)
    return math.sqrt(math.fsum([(good - mean) * (good - mean) for good in known]) / len(known))


def _no_pair(models: int, skipped: int) -> str:
    if models < 2:
        return "undefined exchange rate: it takes at least two models with a value to compare"
    return (
        "undefined exchange rate: every model has the same base value, within the threshold"
        f" ({skipped} of {skipped} adjacent pairs left out)"
    )


def _one_pair_note(share: float, first: str, second: str) -> str:
    # The share is shown in whole per cent, computed without locale or platform rounding.
    return f"{math.floor(share * 100 + 0.5)} % of the exchange rate depends on one pair: {first} and {second}"


def _cap_notes(board: Board, shown: Mapping[str, Column]) -> list[str]:
    notes = []
    for name, metric in board.metrics.items():
        if metric.direction > 0 or metric.offset is None:
            continue
        over = [
            board.model_label(board.models[i]) for i, cell in enumerate(shown[name]) if cell > metric.offset
        ]
        if over:
            what = f"{board.metric_label(name)}: over the cap of {metric.offset!r}, so below zero as a good"
            notes.append(f"{what}: {', '.join(sorted(over))}")
    return notes


def _check_board(
    board: Board,
    metrics: Sequence[RankedMetric],
    values: Mapping[str, Mapping[str, Sequence[float | None]]],
    floored: Sequence[str],
) -> None:
    _check_unique("models", board.models)
    for name in floored:
        if name not in board.models:
            raise ValueError(f"floored: {name!r} is none of the models {', '.join(board.models)}")
    _check_unique("metrics", [metric.name for metric in metrics])
    _check_terms(board.base, board.epsilon, board.epsilon_kind, board.rate, board.metrics)
    if board.missing not in ("unranked", "worst"):
        raise ValueError(f"missing: {board.missing!r} is neither 'unranked' nor 'worst'")
    for metric in metrics:
        _check_metric(metric)
    for dataset, cells in values.items():
        for name in cells:
            if name not in board.metrics:
                raise ValueError(
                    f"values[{dataset!r}]: {name!r} is none of the metrics {', '.join(board.metrics)}"
                )
            _check_column(f"values[{dataset!r}][{name!r}]", cells[name], len(board.models))


def _check_terms(base: str, epsilon: float, epsilon_kind: str, rate: str, metrics: Iterable[str]) -> None:
    if base not in metrics:
        raise ValueError(f"base: {base!r} is none of the metrics {', '.join(metrics)}")
    if not (math.isfinite(epsilon) and epsilon >= 0):
        raise ValueError(f"epsilon: {epsilon!r} is not a finite number of at least 0")
    if epsilon_kind not in ("relative", "absolute"):
        raise ValueError(f"epsilon_kind: {epsilon_kind!r} is neither 'relative' nor 'absolute'")
    if rate not in ESTIMATORS:
        raise ValueError(f"rate: {rate!r} is neither 'mean' nor 'ratio'")


def _check_unique(what: str, names: Sequence[str]) -> None:
    twice = sorted({name for name in names if names.count(name) > 1}) if len(set(names)) < len(names) else []
    if twice:
        raise ValueError(f"{what}: {', '.join(map(repr, twice))} named more than once")


def _check_metric(metric: RankedMetric) -> None:
    if metric.direction not in (1, -1):
        raise ValueError(f"metric {metric.name!r}: direction {metric.direction!r} is neither 1 nor -1")
    if metric.offset is None:
        if metric.direction != -1:
            raise ValueError(
                f"metric {metric.name!r}: an offset of None (the largest value) goes with direction -1"
            )
    elif not abs(metric.offset) <= LARGEST:
        raise ValueError(
            f"metric {metric.name!r}: offset {metric.offset!r} is not a number up to {LARGEST!r}"
        )


def _check_column(where: str, column: Sequence[float | None], models: int) -> None:
    if len(column) != models:
        raise ValueError(f"{where}: {len(column)} values for {models} models")
    for index, value in enumerate(column):
        if value is not None and not abs(value) <= LARGEST:
            raise ValueError(
                f"{where}[{index}]: {value!r} is not a number up to {LARGEST!r}; null means missing"
            )
