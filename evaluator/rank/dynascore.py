"""The ranking: the Dynascore, its contributions, and the z-score comparison.

This very file runs on the maintainer's machine, in every snapshot and, under Pyodide, in the visitor's
browser. It imports the standard library only and gives the same bits on every Python from 3.11 on.

Definition (Ma et al. 2021, "Dynaboard", section 5): a model's value of a metric is its mean over the scoring
datasets, weighted by the dataset weights; metrics of which less is better are turned into goods; the
converted value is the good divided by the metric's exchange rate (see `evaluator.rank.exchange_rates`); the
Dynascore is the sum of normalised weight x converted value.
"""

from __future__ import annotations

import functools
import itertools
import json
import math
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from evaluator.rank.cells import (
    Column,
    RankedMetric,
    Values,
    check_cells,
    goods_of,
    known,
    means,
    shared_out,
    shares,
    sums,
    times,
    with_worst,
    z_scores_of,
    zeros,
)
from evaluator.rank.exchange_rates import ESTIMATORS, ExchangeRate, Neighbours
from evaluator.rank.notices import lacking_values, ranked_last, weight_notes, without_values

__all__ = [
    "DISAGREEMENT",
    "EPSILON",
    "ESTIMATORS",
    "Board",
    "Columns",
    "ExchangeRate",
    "Question",
    "RankedMetric",
    "Ranking",
    "RankingRow",
    "Scale",
    "default_weights",
    "open_board",
]

#: Default threshold, relative to the largest |base value| (the platform's own reading of the paper).
EPSILON = 1e-4
DISAGREEMENT = (
    "the two ways to estimate exchange rates, the mean of slopes and the ratio of sums, put the models in"
    " different orders"
)


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
        return dict(vars(self))


@dataclass(frozen=True)
class Ranking:
    """Rows in rank order (ties by name, unranked models last), rates, and what `Columns` notes."""

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
    `goods`, the same as goods, missing ones filled in where the board does so; `rates`, and what they are by
    the other estimator; `live`, those that some model has a number of on a dataset with weight. `number`
    differs for every scale of one board. Models in `out` are left out: they have values only.
    """

    number: int
    live: frozenset[str]
    values: dict[str, Column]
    gaps: dict[str, frozenset[int]]
    goods: dict[str, Column]
    rates: dict[str, ExchangeRate]
    others: dict[str, ExchangeRate]
    notes: tuple[str, ...]
    out: frozenset[int] = frozenset()

    @functools.cached_property
    def converted(self) -> dict[str, Column]:
        """The goods in units of the base metric; 0 for every model where the rate is undefined."""
        rates = {name: rate.rate for name, rate in self.rates.items()}
        return {
            name: zeros(column) if (rate := rates[name]) is None else [good / rate for good in column]
            for name, column in self.goods.items()
        }

    @functools.cached_property
    def z_scores(self) -> dict[str, Column]:
        """Standard scores of the goods, made when first needed: few visitors rank by them."""
        return {name: z_scores_of(column) for name, column in self.goods.items()}


@dataclass(frozen=True)
class Columns:
    """A ranking by columns: so it is computed, and so a page takes it.

    `order` has the models by rank, ties by name, those without a rank last; they are NaN in `ranks`,
    `scores` and `z_scores`. `contributions` are of the metrics with weight and values only. `z_scores`
    are None unless the ranking is by them. `notices` say what takes no part, since no model has a number for
    it, which models are not ranked, or why none is: they stand above a table, `notes` below it.
    """

    order: list[int]
    ranks: Column
    scores: Column
    z_scores: Column | None
    contributions: dict[str, Column]
    scale: Scale
    notices: tuple[str, ...]
    notes: tuple[str, ...]


class Board:
    """The cells of a leaderboard, ready to be ranked under any weights.

    `values[dataset][metric]` holds one number per model, None where it is missing. `base` names the
    metric whose units the others are converted to. `epsilon` is the threshold under which a pair of
    models is too close on the base metric to count: times the largest |base value| when
    `epsilon_kind` is "relative", as it is when "absolute". `missing` is what a missing cell does:
    "unranked" shows the model without a rank as long as the metric has weight; "worst" fills it in with
    the worst value on the board in that cell (never used for exchange rates). `labels` are the names
    that notes use: ``{"models": {name: label}, "metrics": ..., "datasets": ...}``. `floored` are the
    models that are no better than a constant answer: they are ranked after all others, whatever their scores.
    `rate` is one of `ESTIMATORS`. A metric, a dataset, or a metric on one dataset that no model has a number
    for takes no part: its weight is shared out among the others.

    Raises ValueError naming the field for anything malformed, and for NaN and infinities.
    """

    def __init__(
        self,
        models: Sequence[str],
        metrics: Sequence[RankedMetric],
        values: Values,
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
        check_cells(self.models, metrics, values)
        _check_terms(base, epsilon, epsilon_kind, rate, self.metrics)
        if missing not in ("unranked", "worst"):
            raise ValueError(f"missing: {missing!r} is neither 'unranked' nor 'worst'")
        for name in floored:
            if name not in self.models:
                raise ValueError(f"floored: {name!r} is none of the models {', '.join(self.models)}")
        self.floored = frozenset(map(self.models.index, floored))
        self.by_name = sorted(range(len(self.models)), key=self.models.__getitem__)
        #: By metric, the datasets on which some model has a number.
        self.datasets_of = {
            name: [d for d, cells in self.values.items() if any(cell is not None for cell in cells[name])]
            for name in self.metrics
        }
        self._filled = self.values if missing == "unranked" else with_worst(self.values, self.metrics)
        self._numbers = itertools.count(1)
        #: The last scale, and what it follows from.
        self._scale: tuple[object, Scale] | None = None
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

    def dataset_label(self, name: str) -> str:
        """A dataset's name for people."""
        return self.labels.get("datasets", {}).get(name, name)

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
        notes = (*columns.notices, *columns.notes)
        return Ranking(tuple(_rows(self.models, columns)), columns.scale.rates, notes)

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
        shares, scale = self.metric_shares(question.metrics), self.scale(question)
        base, datasets = question.base or self.base, self.dataset_shares(question.datasets)
        if datasets is None:
            return self._unranked(
                scale, z_scores, "all dataset weights are zero: there is nothing to rank by"
            )
        if shares is None:
            return self._unranked(scale, z_scores, "all metric weights are zero: there is nothing to rank by")
        if len(scale.out) == len(self.models) and self.models:
            return self._unranked(scale, z_scores, "no model is within the limits: there is nothing to rank")
        parts = self.taking_part(scale, shares)
        if not parts:
            why = "no model has a value for anything that has weight: there is nothing to rank by"
            return self._unranked(scale, z_scores, why)
        if question.by == "dynascore" and base not in scale.live:
            why = f"no model has a value for {self.metric_label(base)}, to which all others are converted"
            return self._unranked(scale, z_scores, f"{why}: choose another base metric, or rank by z-scores")
        return self._ranked(scale, shares, parts, datasets, question.by, z_scores)

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
            "notes": (*columns.notices, *columns.notes),
        }
        return b"".join(
            [
                struct.pack("d", 1 + size * len(parts)),
                *[struct.pack(f"{size}d", *part) for part in parts],
                json.dumps(rest, allow_nan=False, separators=(",", ":")).encode(),
            ]
        )

    def metric_shares(self, weights: Mapping[str, float] | None) -> dict[str, float] | None:
        """Metric weights (None: the default ones) that sum to one; None when all of them are zero."""
        weights = self.default_weights() if weights is None else weights
        return shares(weights, list(self.metrics), "metric")

    def dataset_shares(self, weights: Mapping[str, float] | None) -> dict[str, float] | None:
        """Dataset weights (None: equal ones) that sum to one; None when all of them are zero."""
        weights = dict.fromkeys(self.values, 1.0) if weights is None else weights
        return shares(weights, list(self.values), "dataset")

    def means(self, metric: str, dataset_weights: Mapping[str, float] | None = None) -> Column:
        """The dataset-weighted means of one metric, in its own unit."""
        if metric not in self.metrics:
            raise ValueError(f"metric: {metric!r} is none of the metrics {', '.join(self.metrics)}")
        weights = self.dataset_shares(dataset_weights)
        return self._means(self.values, metric, weights) if weights else [math.nan] * len(self.models)

    def _means(self, values: Values, metric: str, weights: Mapping[str, float]) -> Column:
        found = self.shares_of(metric, weights)
        return means(values, metric, found) if found else [math.nan] * len(self.models)

    def shares_of(self, metric: str, weights: Mapping[str, float]) -> dict[str, float]:
        """The shares of the datasets in one metric's means: those take part on which some model has a number.

        `weights` are the shares of all datasets. Empty where no dataset with weight has a number."""
        return shared_out(weights, self.datasets_of[metric])

    def scale(self, question: Question) -> Scale:
        """The scale of a question. The last one is kept: mostly metric weights move.

        Raises ValueError for terms that no board has.
        """
        weights = self.dataset_shares(question.datasets)
        base = self.base if question.base is None else question.base
        epsilon = self.epsilon if question.epsilon is None else question.epsilon
        kind = self.epsilon_kind if question.epsilon_kind is None else question.epsilon_kind
        rate = self.rate if question.rate is None else question.rate
        _check_terms(base, epsilon, kind, rate, self.metrics)
        left = self._left(question)
        key = (tuple(weights.values()) if weights else None, base, epsilon, kind, rate, left)
        if self._scale is None or self._scale[0] != key:
            number = next(self._numbers)
            if not weights:
                nothing = dict.fromkeys(self.metrics, [math.nan] * len(self.models))
                made = Scale(number, frozenset(), nothing, {}, {}, {}, {}, ())
            elif left is None:
                made = self._compute_scale(number, weights, base, epsilon, kind, rate)
            else:
                if self._alone is None or self._alone[0] != left:
                    self._alone = left, self.among(left)
                alone = self._alone[1]._compute_scale(number, weights, base, epsilon, kind, rate)
                made = self._widened(alone, left, weights)
            self._scale = key, made
        return self._scale[1]

    def _compute_scale(
        self, number: int, weights: Mapping[str, float], base: str, epsilon: float, kind: str, estimator: str
    ) -> Scale:
        values = {name: self._means(self.values, name, weights) for name in self.metrics}
        gaps = {name: frozenset(i for i, v in enumerate(values[name]) if v != v) for name in self.metrics}
        filled = values
        if self.missing == "worst":
            filled = {name: self._means(self._filled, name, weights) for name in self.metrics}
        goods = {name: goods_of(metric, values[name], filled[name]) for name, metric in self.metrics.items()}
        there = known(values[base]) or [0.0]
        threshold = epsilon if kind == "absolute" else epsilon * max(max(there), -min(there))
        order, _ = self.apart(gaps[base])
        neighbours = Neighbours(self.models, self.model_label, values[base], order, threshold)
        found = {name: neighbours.rates(values[name], goods[name]) for name in self.metrics if name != base}
        found[base] = dict.fromkeys(ESTIMATORS, ExchangeRate(1.0))
        other = ESTIMATORS[1 - ESTIMATORS.index(estimator)]
        rates, others = ({name: found[name][by] for name in self.metrics} for by in (estimator, other))
        live = frozenset(name for name in self.metrics if self.shares_of(name, weights))
        noted = [f"{self.metric_label(n)}: {rates[n].note}" for n in rates if n in live and rates[n].note]
        return Scale(number, live, values, gaps, goods, rates, others, (*self._cap_notes(values), *noted))

    def _cap_notes(self, shown: Mapping[str, Column]) -> Iterator[str]:
        for name, metric in self.metrics.items():
            cap = metric.offset
            if metric.direction > 0 or cap is None:
                continue
            over = [self.model_label(self.models[i]) for i, cell in enumerate(shown[name]) if cell > cap]
            if over:
                what = f"{self.metric_label(name)}: over the cap of {cap!r}, so below zero as a good"
                yield f"{what}: {', '.join(sorted(over))}"

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

    def _widened(self, scale: Scale, left: Sequence[int], weights: Mapping[str, float]) -> Scale:
        """The scale of a board of the models `left`, for this board: the others have values only."""
        size = len(self.models)
        out = frozenset(range(size)).difference(left)

        def wide(columns: Mapping[str, Column]) -> dict[str, Column]:
            found = {name: [math.nan] * size for name in columns}
            for name, column in columns.items():
                for index, value in zip(left, column, strict=True):
                    found[name][index] = value
            return found

        values = {name: self._means(self.values, name, weights) for name in self.metrics}
        for name, column in scale.values.items():
            for index, value in zip(left, column, strict=True):
                values[name][index] = value
        return replace(
            scale,
            values=values,
            gaps={name: out.union([left[index] for index in gaps]) for name, gaps in scale.gaps.items()},
            goods=wide(scale.goods),
            out=out,
        )

    def _estimators_disagree(self, question: Question, found: Columns) -> bool:
        """Whether the other estimator of exchange rates puts the models in another order.

        Where it does, one of the first models is mostly out of place already. So scores at the other rates
        are found one by one, down the order.
        """
        scale, weights = found.scale, self.metric_shares(question.metrics) or {}
        # A metric without a rate adds nothing to any score.
        terms = [
            (weights[name], scale.goods[name], rate)
            for name in found.contributions
            if (rate := scale.others[name].rate) is not None
        ]

        def place(index: int) -> tuple[bool, float, str]:
            score = math.fsum([share * (goods[index] / rate) for share, goods, rate in terms])
            return index in self.floored, -score, self.models[index]

        ranked = itertools.takewhile(lambda index: not math.isnan(found.ranks[index]), found.order)
        return any(upper > lower for upper, lower in itertools.pairwise(map(place, ranked)))

    def taking_part(self, scale: Scale, shares: Mapping[str, float]) -> dict[str, float]:
        """The shares of the metrics that have weight and, on this scale, a number of some model.

        They share what the others weigh. Empty where there are none."""
        return shared_out(shares, (name for name in shares if name in scale.live))

    def without_rank(self, scale: Scale, metrics: Iterable[str]) -> frozenset[int]:
        """The models that lack a value of one of these metrics, where none is filled in."""
        if self.missing == "worst":
            return scale.out
        return scale.out.union(*(scale.gaps[name] for name in metrics))

    def _ranked(
        self,
        scale: Scale,
        shares: Mapping[str, float],
        taking_part: Mapping[str, float],
        datasets: Mapping[str, float],
        by: str,
        z_scores: bool,
    ) -> Columns:
        out = self.without_rank(scale, taking_part)
        parts = {name: times(share, scale.converted[name], out) for name, share in taking_part.items()}
        key = scores = sums(list(parts.values()))
        standard = None
        if z_scores:
            standard = sums([times(share, scale.z_scores[name], out) for name, share in taking_part.items()])
            key = standard if by == "z_score" else scores
        order, last = self.apart(out)
        order.sort(key=key.__getitem__, reverse=True)
        floored = [index for index in order if index in self.floored] if self.floored else []
        order = [index for index in order if index not in self.floored] + floored if floored else order
        # Where the worst of the board stands in for what is missing, models lack it and are ranked.
        lacking = [index for index in last if index not in scale.out]
        if self.missing == "worst":
            lacking = [index for index in order if any(index in scale.gaps[name] for name in taking_part)]
        notices = (
            *without_values(self, shares, taking_part, datasets),
            *lacking_values(self, taking_part, datasets, lacking),
        )
        notes = (*scale.notes, *weight_notes(self, shares, taking_part), *ranked_last(self, floored))
        ranks = _ranks(order, key, len(order) - len(floored))
        return Columns(order + last, ranks, scores, standard, parts, scale, notices, notes)

    def apart(self, out: frozenset[int]) -> tuple[list[int], list[int]]:
        """The models that are not in `out` and those that are, each by name."""
        if not out:
            return list(self.by_name), []
        ranked = [index for index in self.by_name if index not in out]
        return ranked, [index for index in self.by_name if index in out]

    def _unranked(self, scale: Scale, z_scores: bool, why: str) -> Columns:
        nothing = [math.nan] * len(self.models)
        return Columns(self.by_name, nothing, nothing, nothing if z_scores else None, {}, scale, (why,), ())


def default_weights(metrics: Sequence[str], base: str) -> dict[str, float]:
    """One half on `base`, the other half shared equally by the rest; a lone metric weighs 1."""
    others = len(metrics) - 1
    if others < 1:
        return {base: 1.0}
    return {name: 0.5 if name == base else 0.5 / others for name in metrics}


def open_board(text: str) -> Board:
    """The board described by JSON text (`Board.from_dict`)."""
    return Board.from_dict(json.loads(text))


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


def _check_terms(base: str, epsilon: float, epsilon_kind: str, rate: str, metrics: Iterable[str]) -> None:
    if base not in metrics:
        raise ValueError(f"base: {base!r} is none of the metrics {', '.join(metrics)}")
    if not (math.isfinite(epsilon) and epsilon >= 0):
        raise ValueError(f"epsilon: {epsilon!r} is not a finite number of at least 0")
    if epsilon_kind not in ("relative", "absolute"):
        raise ValueError(f"epsilon_kind: {epsilon_kind!r} is neither 'relative' nor 'absolute'")
    if rate not in ESTIMATORS:
        raise ValueError(f"rate: {rate!r} is neither 'mean' nor 'ratio'")
