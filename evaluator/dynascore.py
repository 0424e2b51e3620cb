"""The ranking: exchange rates, the Dynascore, its contributions, and the z-score comparison.

This very file runs on the maintainer's machine, in every snapshot and, under Pyodide, in the
visitor's browser. It therefore imports the standard library only and must give the same bits on
every Python from 3.11 on: sums go through `math.fsum`, which is correctly rounded and does not
depend on the order of its terms (the built-in `sum` changed in Python 3.12).

Definition (Ma et al. 2021, "Dynaboard", section 5): a model's value of a metric is its mean over
the scoring datasets, weighted by the dataset weights; metrics of which less is better are turned
into goods. Models are sorted by the base metric; the exchange rate of a metric M is the mean over
adjacent pairs of |dM| / |d base|, leaving out pairs whose |d base| is at or under a threshold; the
converted value is M / rate; the Dynascore is the sum of normalised weight x converted value.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

#: Default threshold, relative to the largest |base value| (the platform's own reading of the paper).
EPSILON = 1e-4
#: A rate is said to hang on one pair when that pair supplies at least this share of it.
HANGS = 0.5
#: Cells beyond this are refused: squares and quotients of them would overflow.
LARGEST = 1e120

Column = list[float | None]


@dataclass(frozen=True)
class Metric:
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
class Row:
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

    rows: tuple[Row, ...]
    exchange_rates: dict[str, ExchangeRate]
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        return {
            "models": [row.to_dict() for row in self.rows],
            "exchange_rates": {name: rate.to_dict() for name, rate in self.exchange_rates.items()},
            "notes": list(self.notes),
        }


@dataclass(frozen=True)
class _Scale:
    """What depends on the dataset weights but not on the metric weights; kept between re-ranks."""

    values: dict[str, Column]
    converted: dict[str, Column]
    z_scores: dict[str, Column]
    rates: dict[str, ExchangeRate]
    notes: tuple[str, ...]


class Board:
    """The cells of a leaderboard, ready to be ranked under any weights.

    `values[dataset][metric]` holds one number per model, None where it is missing. `base` names the
    metric whose units the others are converted to. `epsilon` is the threshold under which a pair of
    models is too close on the base metric to count: times the largest |base value| when
    `epsilon_kind` is "relative", as it stands when "absolute". `missing` is what a missing cell does:
    "unranked" shows the model without a rank as long as the metric has weight; "worst" lends it the
    worst value on the board in that cell (never used for exchange rates). `labels` says what notes call
    things: ``{"models": {name: label}, "metrics": {name: label}}``.

    Raises ValueError naming the field for anything malformed, and for NaN and infinities.
    """

    def __init__(
        self,
        models: Sequence[str],
        metrics: Sequence[Metric],
        values: Mapping[str, Mapping[str, Sequence[float | None]]],
        base: str,
        *,
        epsilon: float = EPSILON,
        epsilon_kind: str = "relative",
        missing: str = "unranked",
        labels: Mapping[str, Mapping[str, str]] | None = None,
    ) -> None:
        self.models = list(models)
        self.labels = labels or {}
        self.metrics = {metric.name: metric for metric in metrics}
        absent: Column = [None] * len(models)
        self.values: dict[str, dict[str, Column]] = {
            dataset: {name: list(cells.get(name, absent)) for name in self.metrics}
            for dataset, cells in values.items()
        }
        self.base, self.missing = base, missing
        self.epsilon, self.epsilon_kind = epsilon, epsilon_kind
        _check_board(self, metrics, values)
        self._scale_of: tuple[tuple[float, ...], _Scale] | None = None

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Board:
        """The board that a page's JSON or a snapshot describes; see the class for the fields."""
        metrics = [Metric(m["name"], m["direction"], m["offset"]) for m in data["metrics"]]
        return cls(
            data["models"],
            metrics,
            {dataset: data["values"][dataset] for dataset in data["datasets"]},
            data["base"],
            epsilon=data["epsilon"],
            epsilon_kind=data["epsilon_kind"],
            missing=data["missing"],
            labels=data.get("labels"),
        )

    def metric_label(self, name: str) -> str:
        """What people call a metric."""
        return self.labels.get("metrics", {}).get(name, name)

    def model_label(self, name: str) -> str:
        """What people call a model."""
        return self.labels.get("models", {}).get(name, name)

    def default_weights(self) -> dict[str, float]:
        """One half on the base metric, the rest shared equally (the paper's default)."""
        return default_weights(list(self.metrics), self.base)

    def rank(
        self,
        metric_weights: Mapping[str, float] | None = None,
        dataset_weights: Mapping[str, float] | None = None,
    ) -> Ranking:
        """Rank the models. Weights are at least 0 and need not sum to one; a name left out weighs 0.

        Without weights: the default metric weights, equal dataset weights. All-zero weights are no
        error: no model is ranked and a note says so. Raises ValueError for an unknown name or a
        weight that is negative, NaN or infinite.
        """
        weights = self.default_weights() if metric_weights is None else metric_weights
        shares = _shares(weights, list(self.metrics), "metric")
        dataset_weights = dict.fromkeys(self.values, 1.0) if dataset_weights is None else dataset_weights
        dataset_shares = _shares(dataset_weights, list(self.values), "dataset")
        if dataset_shares is None:
            return self._unranked("all dataset weights are zero: there is nothing to rank by")
        scale = self._scale(dataset_shares)
        if shares is None:
            return self._unranked("all metric weights are zero: there is nothing to rank by", scale)
        return self._ranked(scale, shares)

    def rank_json(self, text: str) -> str:
        """`rank` for a caller that speaks JSON: weights ``{"metrics": {...}, "datasets": {...}}`` in,
        `Ranking.to_dict` out. Lets a browser keep the board here and send weights only."""
        weights = json.loads(text)
        ranking = self.rank(weights.get("metrics"), weights.get("datasets"))
        return json.dumps(ranking.to_dict(), allow_nan=False, separators=(",", ":"))

    def _ranked(self, scale: _Scale, shares: Mapping[str, float]) -> Ranking:
        live = [name for name, share in shares.items() if share > 0 and not _empty(scale.values[name])]
        rows = [self._row(index, scale, shares, live) for index in range(len(self.models))]
        notes = [*scale.notes, *self._weight_notes(shares, live, scale), *self._unranked_notes(rows, live)]
        return Ranking(_in_order(rows), scale.rates, tuple(notes))

    def _row(self, index: int, scale: _Scale, shares: Mapping[str, float], live: Sequence[str]) -> Row:
        values = {name: column[index] for name, column in scale.values.items()}
        parts = {name: scale.converted[name][index] for name in live}
        contributions = {name: shares[name] * part for name, part in parts.items() if part is not None}
        if len(contributions) < len(live):
            return Row(self.models[index], None, None, {}, None, values)
        score = math.fsum(contributions.values())
        z_scores = [shares[name] * (scale.z_scores[name][index] or 0.0) for name in live]
        return Row(self.models[index], 0, score, contributions, math.fsum(z_scores), values)

    def _unranked(self, note: str, scale: _Scale | None = None) -> Ranking:
        empty: dict[str, Column] = {name: [None] * len(self.models) for name in self.metrics}
        values = scale.values if scale else empty
        rows = [
            Row(model, None, None, {}, None, {name: column[index] for name, column in values.items()})
            for index, model in enumerate(self.models)
        ]
        return Ranking(_in_order(rows), scale.rates if scale else {}, (note,))

    def _weight_notes(self, shares: Mapping[str, float], live: Sequence[str], scale: _Scale) -> list[str]:
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

    def _unranked_notes(self, rows: Sequence[Row], live: Sequence[str]) -> list[str]:
        notes = []
        for row in sorted(rows, key=lambda row: row.model):
            if row.dynascore is None:
                lacking = ", ".join(self.metric_label(name) for name in live if row.values[name] is None)
                notes.append(f"{self.model_label(row.model)} is not ranked: no value for {lacking}")
        return notes

    def _scale(self, dataset_shares: Mapping[str, float]) -> _Scale:
        key = tuple(dataset_shares.values())
        if self._scale_of is None or self._scale_of[0] != key:
            self._scale_of = (key, self._compute_scale(dataset_shares))
        return self._scale_of[1]

    def _compute_scale(self, dataset_shares: Mapping[str, float]) -> _Scale:
        shown = {name: self._means(name, dataset_shares, self.values) for name in self.metrics}
        filled = shown
        if self.missing == "worst":
            worst = self._with_worst()
            filled = {name: self._means(name, dataset_shares, worst) for name in self.metrics}
        offsets = {name: _offset(metric, shown[name]) for name, metric in self.metrics.items()}
        goods = {name: _goods(self.metrics[name], offsets[name], filled[name]) for name in self.metrics}
        rates, converted = self._convert(shown, goods)
        notes = _cap_notes(self, shown) + [
            f"{self.metric_label(name)}: {rate.note}" for name, rate in rates.items() if rate.note
        ]
        return _Scale(shown, converted, {n: _z_scores(c) for n, c in goods.items()}, rates, tuple(notes))

    def _means(
        self,
        name: str,
        shares: Mapping[str, float],
        values: Mapping[str, Mapping[str, Sequence[float | None]]],
    ) -> Column:
        columns = [(share, values[dataset][name]) for dataset, share in shares.items() if share > 0]
        return [_weighted([(share, column[i]) for share, column in columns]) for i in range(len(self.models))]

    def _with_worst(self) -> dict[str, dict[str, Column]]:
        return {
            dataset: {name: _fill_worst(column, self.metrics[name]) for name, column in cells.items()}
            for dataset, cells in self.values.items()
        }

    def _convert(
        self, shown: Mapping[str, Column], goods: Mapping[str, Column]
    ) -> tuple[dict[str, ExchangeRate], dict[str, Column]]:
        pairs = _Pairs(self, shown[self.base], self._threshold(shown[self.base]))
        rates, converted = {}, {}
        for name in self.metrics:
            rate = ExchangeRate(1.0) if name == self.base else pairs.rate(shown[name])
            rates[name], converted[name] = _converted(rate, goods[name])
        return rates, converted

    def _threshold(self, base: Column) -> float:
        if self.epsilon_kind == "absolute":
            return self.epsilon
        return self.epsilon * max((abs(value) for value in base if value is not None), default=0.0)


class _Pairs:
    """Models sorted by the base metric (ties by name), from which every exchange rate is read."""

    def __init__(self, board: Board, base: Column, threshold: float) -> None:
        self.label = board.model_label
        known = [(value, board.models[i], i) for i, value in enumerate(base) if value is not None]
        self.order = sorted(known, key=lambda item: (-item[0], item[1]))
        self.threshold = threshold

    def rate(self, column: Column) -> ExchangeRate:
        """The exchange rate of one metric, over the models that have both it and the base metric."""
        points = [(base, model, value) for base, model, i in self.order if (value := column[i]) is not None]
        adjacent = list(itertools.pairwise(points))
        used = [(a, b) for a, b in adjacent if a[0] - b[0] > self.threshold]
        skipped = len(adjacent) - len(used)
        if not used:
            return ExchangeRate(None, 0, skipped, note=_no_pair(len(points), skipped))
        slopes = [abs(a[2] - b[2]) / (a[0] - b[0]) for a, b in used]
        if max(slopes) > LARGEST:
            why = "undefined exchange rate: two models are too close on the base metric"
            return ExchangeRate(None, len(used), skipped, note=why)
        total = math.fsum(slopes)
        if total == 0.0:
            why = "undefined exchange rate: every model that counts has the same value"
            return ExchangeRate(None, len(used), skipped, note=why)
        first, second = used[slopes.index(max(slopes))]
        share, pair = max(slopes) / total, (first[1], second[1])
        note = _hanging(share, self.label(pair[0]), self.label(pair[1])) if share >= HANGS else None
        return ExchangeRate(total / len(used), len(used), skipped, share, pair, note)


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


def _weighted(terms: Sequence[tuple[float, float | None]]) -> float | None:
    """The weighted mean of (share, value) terms; None as soon as one value is missing."""
    products = [share * value for share, value in terms if value is not None]
    return math.fsum(products) if len(products) == len(terms) else None


def _empty(column: Column) -> bool:
    return all(value is None for value in column)


def _fill_worst(column: Column, metric: Metric) -> Column:
    known = [value for value in column if value is not None]
    if not known:
        return column
    worst = min(known) if metric.direction > 0 else max(known)
    return [worst if value is None else value for value in column]


def _offset(metric: Metric, column: Column) -> float:
    if metric.offset is not None:
        return metric.offset
    return max((value for value in column if value is not None), default=0.0)


def _goods(metric: Metric, offset: float, column: Column) -> Column:
    return [None if value is None else offset + metric.direction * value for value in column]


def _converted(rate: ExchangeRate, goods: Column) -> tuple[ExchangeRate, Column]:
    """Values in units of the base metric; 0 for every model where the rate is undefined."""
    if rate.rate is not None:
        column = [None if good is None else good / rate.rate for good in goods]
        if all(math.isfinite(value) for value in column if value is not None):
            return rate, column
        why = f"undefined exchange rate: {rate.rate!r} is too small to divide by"
        rate = ExchangeRate(None, rate.pairs, rate.skipped, note=why)
    return rate, [None if good is None else 0.0 for good in goods]


def _z_scores(goods: Column) -> Column:
    """Standard scores with the population standard deviation (ddof 0); 0 where all are equal."""
    known = [good for good in goods if good is not None]
    if not known or min(known) == max(known):
        return [None if good is None else 0.0 for good in goods]
    mean = math.fsum(known) / len(known)
    deviation = math.sqrt(math.fsum((good - mean) * (good - mean) for good in known) / len(known))
    if deviation == 0.0:
        return [None if good is None else 0.0 for good in goods]
    return [None if good is None else (good - mean) / deviation for good in goods]


def _in_order(rows: Sequence[Row]) -> tuple[Row, ...]:
    """Rows by falling score, equal scores sharing a rank and sorted by name, unranked rows last."""
    scored = [(row.dynascore, row) for row in rows if row.dynascore is not None]
    scored.sort(key=lambda item: (-item[0], item[1].model))
    ranked: list[Row] = []
    for position, (score, row) in enumerate(scored, start=1):
        tied = position > 1 and scored[position - 2][0] == score
        rank = ranked[-1].rank if tied else position
        ranked.append(Row(row.model, rank, score, row.contributions, row.mean_z_score, row.values))
    unranked = sorted((row for row in rows if row.dynascore is None), key=lambda row: row.model)
    return (*ranked, *unranked)


def _no_pair(models: int, skipped: int) -> str:
    if models < 2:
        return "undefined exchange rate: it takes at least two models with a value to compare"
    return (
        "undefined exchange rate: every model has the same base value, within the threshold"
        f" ({skipped} of {skipped} adjacent pairs left out)"
    )


def _hanging(share: float, first: str, second: str) -> str:
    # The share is shown in whole per cent, computed without locale or platform rounding.
    return f"{math.floor(share * 100 + 0.5)} % of the exchange rate hangs on one pair: {first} and {second}"


def _cap_notes(board: Board, shown: Mapping[str, Column]) -> list[str]:
    notes = []
    for name, metric in board.metrics.items():
        if metric.direction > 0 or metric.offset is None:
            continue
        cells = zip(board.models, shown[name], strict=True)
        over = [
            board.model_label(model) for model, cell in cells if cell is not None and cell > metric.offset
        ]
        if over:
            what = f"{board.metric_label(name)}: over the cap of {metric.offset!r}, so below zero as a good"
            notes.append(f"{what}: {', '.join(sorted(over))}")
    return notes


def _check_board(
    board: Board, metrics: Sequence[Metric], values: Mapping[str, Mapping[str, Sequence[float | None]]]
) -> None:
    _check_unique("models", board.models)
    _check_unique("metrics", [metric.name for metric in metrics])
    if board.base not in board.metrics:
        raise ValueError(f"base: {board.base!r} is none of the metrics {', '.join(board.metrics)}")
    if not (math.isfinite(board.epsilon) and board.epsilon >= 0):
        raise ValueError(f"epsilon: {board.epsilon!r} is not a finite number of at least 0")
    if board.epsilon_kind not in ("relative", "absolute"):
        raise ValueError(f"epsilon_kind: {board.epsilon_kind!r} is neither 'relative' nor 'absolute'")
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


def _check_unique(what: str, names: Sequence[str]) -> None:
    twice = sorted({name for name in names if names.count(name) > 1}) if len(set(names)) < len(names) else []
    if twice:
        raise ValueError(f"{what}: {', '.join(map(repr, twice))} named more than once")


def _check_metric(metric: Metric) -> None:
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
