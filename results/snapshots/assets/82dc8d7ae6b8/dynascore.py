"""The ranking: exchange rates, the Dynascore, its contributions, and the z-score comparison.

This very file runs on the maintainer's machine, in every snapshot and, under Pyodide, in the visitor's
browser. It is one file, long as it is, because a snapshot keeps it under its SHA-256 and must be ranked by it
alone. It therefore imports the standard library only and gives the same bits on every Python from 3.11 on:
sums go through `math.fsum`, which is correctly rounded and does not depend on the order of its terms (the
built-in `sum` changed in Python 3.12).

Definition (Ma et al. 2021, "Dynaboard", section 5): a model's value of a metric is its mean over the scoring
datasets, weighted by the dataset weights; metrics of which less is better are turned into goods. Models are
sorted by the base metric; the exchange rate of a metric M is the mean over adjacent pairs of |dM| / |d base|,
leaving out pairs whose |d base| is at or under a threshold; the converted value is M / rate; the Dynascore is
the sum of normalised weight x converted value. Besides the paper's mean of slopes there is a second estimator
of a rate, the ratio of sums: the sum of |dM| over the sum of |d base| of the same pairs, in which a pair
counts by how far it is apart. Where all metrics with weight are in one unit, their plain weighted mean may
take the Dynascore's place: the same sum with all rates 1.

A third way are declared trade-offs: one unit of the base metric is worth so many units of another metric, or
so many per cent of it. A score is then the base metric plus what each metric is worth in its units, whoever
else is on the board: no rate follows from other models, and weights of metrics play no part.

From top to bottom: the numbers of a board, exchange rates, trade-offs, the board and its ranking, what a
ranking says.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import json
import math
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

#: Cells beyond this are refused: squares and quotients of them would overflow.
LARGEST = 1e120
#: A gap that is over a threshold by so many last places of the largest base value is at it: means and
#: differences round.
SLACK = 4
#: Default threshold, relative to the largest |base value| (the platform's own reading of the paper).
EPSILON = 1e-4
#: A note says that a rate depends on one pair when that pair supplies at least this share of it.
ONE_PAIR_SHARE = 0.5
#: Of the models that limits leave, exchange rates are made only where so many have a value of each metric,
#: and no pair of them supplies so much of a rate.
LEAST_RATED = 5
MOST_OF_A_PAIR = 0.9
#: How a rate follows from its pairs: the mean of their slopes, or the ratio of the sums of differences.
ESTIMATORS = ("mean", "ratio")
DISAGREEMENT = (
    "the order depends on how exchange rates are averaged: the mean of slopes and the ratio of sums differ"
)
#: What models may be ranked by.
RANKED_BY = ("dynascore", "mean", "z_score", "trades")
#: A line names so many models, and counts the others.
NAMED = 5
#: The logarithm of 2 in two parts, of which the first can be multiplied by an exponent without rounding.
LN2 = (0.693147180369123816490, 1.90821492927058770002e-10)
#: Terms of a series for logarithms, after which none changes the last place.
LOG_TERMS = 12

#: A number for each model, by the model's index on the board; NaN where there is none.
Column = list[float]
#: Numbers by dataset and metric, None where one is missing.
Values = Mapping[str, Mapping[str, Sequence[float | None]]]
#: How much of each metric one unit of the base metric is worth: a number of its units, or "10 %" of itself.
Trades = Mapping[str, "float | str"]


@dataclass(frozen=True)
class RankedMetric:
    """A column of the board: its good is ``offset + direction * value``.

    More is better: direction 1, offset 0. A cost with a cap: direction -1, offset = cap. A cost
    without one: direction -1, offset None, which stands for the largest value on the board. `unit` is that
    of the values, None where nobody says it.
    """

    name: str
    direction: int = 1
    offset: float | None = 0.0
    unit: str | None = None


def check_cells(models: Sequence[str], metrics: Sequence[RankedMetric], values: Values) -> None:
    """Raises ValueError, naming the field, for anything that cannot be ranked."""
    _check_unique("models", models)
    _check_unique("metrics", [metric.name for metric in metrics])
    names = [metric.name for metric in metrics]
    for metric in metrics:
        _check_metric(metric)
    for dataset, cells in values.items():
        for name, column in cells.items():
            if name not in names:
                known = ", ".join(names)
                raise ValueError(f"values[{dataset!r}]: {name!r} is none of the metrics {known}")
            _check_column(f"values[{dataset!r}][{name!r}]", column, len(models))


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


def shares(weights: Mapping[str, float], names: Sequence[str], what: str) -> dict[str, float] | None:
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


def shared_out(shares: Mapping[str, float], taking_part: Iterable[str]) -> dict[str, float]:
    """The shares of those that take part, which sum to one again; empty where none of them has any.

    Where all that have a share take part, the shares are the very same numbers.
    """
    found = {name: shares[name] for name in taking_part if shares[name] > 0}
    if len(found) == sum(share > 0 for share in shares.values()):
        return found
    total = math.fsum(found.values())
    return {name: share / total for name, share in found.items()}


def means(values: Values, name: str, shares: Mapping[str, float]) -> Column:
    """Means of a metric weighted by datasets, of which one at least has a share; NaN where one of those that
    have a share has no number."""
    columns = [(share, values[dataset][name]) for dataset, share in shares.items() if share > 0]
    return sums(
        [[math.nan if cell is None else share * cell for cell in column] for share, column in columns]
    )


def with_worst(values: Values, metrics: Mapping[str, RankedMetric]) -> Values:
    """The same, with the worst of a column in the place of what is missing in it."""
    return {
        dataset: {name: _with_worst(column, metrics[name]) for name, column in cells.items()}
        for dataset, cells in values.items()
    }


def _with_worst(column: Sequence[float | None], metric: RankedMetric) -> list[float | None]:
    there = [value for value in column if value is not None]
    if not there:
        return list(column)
    worst = min(there) if metric.direction > 0 else max(there)
    return [worst if value is None else value for value in column]


def known(column: Column) -> Column:
    # Only NaN differs from itself.
    return [value for value in column if value == value]


def sums(columns: Sequence[Column]) -> Column:
    """The sum of each row, correctly rounded and never -0.0; NaN where one term is."""
    if len(columns) == 1:
        return [value + 0.0 for value in columns[0]]
    return list(map(math.fsum, zip(*columns, strict=True)))


def times(share: float, column: Column, out: Iterable[int]) -> Column:
    """A column times a share, NaN for the models in `out`."""
    found = [share * value for value in column]
    for index in out:
        found[index] = math.nan
    return found


def goods_of(metric: RankedMetric, values: Column, filled: Column) -> Column:
    """Values as goods; the largest value of all, where a cost needs it, is one that is not filled in."""
    offset = max(known(values), default=0.0) if metric.offset is None else metric.offset
    if metric.direction < 0:
        return [offset - value for value in filled]
    return [offset + value for value in filled] if offset else filled


def zeros(column: Column) -> Column:
    return [0.0 if value == value else math.nan for value in column]


def z_scores_of(goods: Column) -> Column:
    """Standard scores with the population standard deviation (ddof 0); 0 where all are equal."""
    over = deviation(goods)
    if over == 0.0:
        return zeros(goods)
    there = known(goods)
    mean = math.fsum(there) / len(there)
    return [(good - mean) / over for good in goods]


def deviation(goods: Column) -> float:
    """The population standard deviation (ddof 0) of the goods that are not NaN; 0 where all are equal."""
    there = known(goods)
    if not there or min(there) == max(there):
        return 0.0
    mean = math.fsum(there) / len(there)
    return math.sqrt(math.fsum([(good - mean) * (good - mean) for good in there]) / len(there))


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
        return {**vars(self), "largest_pair": list(self.largest_pair) if self.largest_pair else None}


class Neighbours:
    """Models sorted by the base metric (ties by name), from which every exchange rate is read.

    `order` has the models by name, without those that have no value of the base metric. `label` is what notes
    call a model. Pairs of neighbours count if they are further apart than `threshold` on the base metric.
    """

    def __init__(
        self,
        models: Sequence[str],
        label: Callable[[str], str],
        base: Column,
        order: Sequence[int],
        threshold: float,
    ) -> None:
        self.models, self.label, self.base, self.threshold = models, label, base, threshold
        self.order = sorted(order, key=base.__getitem__, reverse=True)

    def rates(self, column: Column, goods: Column) -> dict[str, ExchangeRate]:
        """The exchange rate of a metric by each of `ESTIMATORS`, over the models that have it.

        `column` has its values, `goods` those that will be divided by the rate.
        """
        base = self.base
        order = [index for index in self.order if column[index] == column[index]]
        pairs = [(a, b) for a, b in itertools.pairwise(order) if base[a] - base[b] > self.threshold]
        skipped = max(len(order) - 1, 0) - len(pairs)
        if not pairs:
            nothing = ExchangeRate(None, 0, skipped, note=_no_pair(len(order), skipped))
            return dict.fromkeys(ESTIMATORS, nothing)
        steps = [base[a] - base[b] for a, b in pairs]
        differences = [abs(column[a] - column[b]) for a, b in pairs]
        slopes = [difference / step for difference, step in zip(differences, steps, strict=True)]
        return {
            "mean": self._rate(pairs, slopes, len(pairs), skipped, goods),
            "ratio": self._rate(pairs, differences, math.fsum(steps), skipped, goods),
        }

    def _rate(
        self, pairs: Sequence[tuple[int, int]], parts: Column, over: float, skipped: int, goods: Column
    ) -> ExchangeRate:
        """The sum of what each pair adds, divided by `over`."""
        largest, total = max(parts), math.fsum(parts)
        if largest > LARGEST:
            why = "undefined exchange rate: two models are too close on the base metric"
            return ExchangeRate(None, len(pairs), skipped, note=why)
        if total == 0.0:
            why = "undefined exchange rate: every model that counts has the same value"
            return ExchangeRate(None, len(pairs), skipped, note=why)
        rate = total / over
        # No good is larger than an offset and a value together, so mostly no quotient need be looked at.
        if not math.isfinite(2 * LARGEST / rate) and not all(
            math.isfinite(one / rate) for one in known(goods)
        ):
            why = f"undefined exchange rate: {rate!r} is too small to divide by"
            return ExchangeRate(None, len(pairs), skipped, note=why)
        first, second = (self.models[index] for index in pairs[parts.index(largest)])
        share, note = largest / total, None
        if share >= ONE_PAIR_SHARE:
            # In whole per cent, computed without locale or platform rounding.
            shown, names = math.floor(share * 100 + 0.5), (self.label(first), self.label(second))
            note = f"{shown} % of the exchange rate depends on one pair: {names[0]} and {names[1]}"
        return ExchangeRate(rate, len(pairs), skipped, share, (first, second), note)


def _no_pair(models: int, skipped: int) -> str:
    if models < 2:
        return "undefined exchange rate: it takes at least two models with a value to compare"
    return (
        "undefined exchange rate: every model has the same base value, within the threshold"
        f" ({skipped} of {skipped} adjacent pairs left out)"
    )


@dataclass(frozen=True)
class Trade:
    """How much of a metric one unit of the base metric is worth: so many units, or per cent of its value."""

    amount: float
    per_cent: bool = False

    @classmethod
    def of(cls, metric: str, given: float | str) -> Trade:
        """Of a number above 0, or a text such as "10 %". Raises ValueError that names the metric."""
        amount, per_cent = given, False
        if isinstance(given, str) and given.rstrip().endswith("%"):
            number, per_cent = given.rstrip().removesuffix("%"), True
            with contextlib.suppress(ValueError):
                amount = float(number)
        is_number = isinstance(amount, (int, float)) and not isinstance(amount, bool)
        if not (is_number and 1 / LARGEST <= float(amount) <= LARGEST):
            wanted = 'is neither a number above 0 nor a text like "10 %"'
            raise ValueError(f"trades: {metric}: {given!r} {wanted}")
        return cls(float(amount), per_cent)

    @property
    def plain(self) -> float | str:
        """As a board or a question has it."""
        return f"{self.amount:.12g} %" if self.per_cent else self.amount

    def worth(self, direction: int) -> float:
        """What a unit of the metric, or of its logarithm, is worth in units of the base metric."""
        return direction / (_log_of_per_cent(self.amount) if self.per_cent else self.amount)

    def converted(self, column: Column, direction: int) -> Column:
        """Values in units of the base metric; NaN for what has no logarithm."""
        worth = self.worth(direction)
        if not self.per_cent:
            return [worth * value for value in column]
        return [worth * logarithm(value) if value > 0 else math.nan for value in column]


def logarithm(value: float) -> float:
    """The natural logarithm of a number above 0: other than `math.log`, the same bits on every machine."""
    mantissa, exponent = math.frexp(value)
    if mantissa < 0.7:
        mantissa, exponent = 2.0 * mantissa, exponent - 1
    high, low = LN2
    return math.fsum([exponent * high, exponent * low, *_series((mantissa - 1.0) / (mantissa + 1.0))])


def _log_of_per_cent(amount: float) -> float:
    """The logarithm of 1 + amount / 100, exact for small ones too."""
    if amount > 40.0:
        return logarithm(1.0 + amount / 100.0)
    return math.fsum(_series(amount / (200.0 + amount)))


def _series(ratio: float) -> Column:
    """The terms of log((1 + ratio) / (1 - ratio)), for a ratio of at most 0.18."""
    square, power, terms = ratio * ratio, 2.0 * ratio, []
    for term in range(LOG_TERMS):
        terms.append(power / (2 * term + 1))
        power *= square
    return terms


@dataclass(frozen=True)
class RankingRow:
    """One model of a ranking. `rank` and `dynascore` are None where the model is not ranked.

    `contributions` sum (`math.fsum`) to `dynascore`; `values` are the dataset-weighted means in the
    metric's own unit, None where missing; `mean_z_score` is the weighted mean of z-scores of goods, None by
    trade-offs, where nothing has a weight.
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
    """Rows in rank order (ties by name, unranked models last), rates, and what `Columns` notes.

    `by` is what they are ranked by, which the plain form says where it is no Dynascore; `trades` are the
    trade-offs, where it is by these.
    """

    rows: tuple[RankingRow, ...]
    exchange_rates: dict[str, ExchangeRate]
    notes: tuple[str, ...]
    by: str = RANKED_BY[0]
    trades: Trades | None = None

    def to_dict(self) -> dict[str, Any]:
        return {
            **({} if self.by == RANKED_BY[0] else {"by": self.by}),
            **({} if self.trades is None else {"trades": dict(self.trades)}),
            "models": [row.to_dict() for row in self.rows],
            "exchange_rates": {name: rate.to_dict() for name, rate in self.exchange_rates.items()},
            "notes": list(self.notes),
        }


@dataclass(frozen=True)
class Question:
    """What a visitor asks; None leaves a term as the board has it.

    A name left out of the weights weighs 0. `by` is one of `RANKED_BY`: what models are ranked by.
    `rate` is one of `ESTIMATORS`. `trades` say how much of other metrics one unit of the base metric is
    worth: where models are ranked by them, the others do not count. Only models in `among` are ranked, and of
    these only those whose values are within `limits`, [least, most] by metric (None: no bound; a missing
    value is never within): the same as on a board of these models alone, exchange rates included. Of these
    rates models no better than a constant answer are no part, as long as others are left; and where too few
    are left for them (`LEAST_RATED`, `MOST_OF_A_PAIR`), rates and scores stay those among all models.
    """

    metrics: Mapping[str, float] | None = None
    datasets: Mapping[str, float] | None = None
    base: str | None = None
    epsilon: float | None = None
    epsilon_kind: str | None = None
    by: str | None = None
    rate: str | None = None
    among: Sequence[str] | None = None
    limits: Mapping[str, Sequence[float | None]] | None = None
    trades: Trades | None = None


@dataclass(frozen=True)
class Scale:
    """What follows from dataset weights, base metric, threshold, limits and trade-offs, whatever the metric
    weights are.

    By metric: `values`, the dataset-weighted means in the metric's own unit; `gaps`, the models without one;
    `goods`, the same as goods, missing ones filled in where the board does so; `rates`, and what they are by
    the other estimator (all 1 for a plain mean); `live`, those that some model has a number of on a dataset
    with weight. `number`
    differs for every scale of one board. Models in `out` are left out: they have values only. `kept` says why
    rates are those among all models all the same; empty where they are not.

    By trade-offs: `trades` has them by metric, 1 for the base metric; `rates` are the declared units, None
    where none are declared or they are per cent; `goods` are in units of the base metric already, NaN for
    models in `not_positive`, whose value of a metric has no per cent.
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
    trades: Mapping[str, Trade] | None = None
    not_positive: Mapping[str, frozenset[int]] = field(default_factory=dict)
    kept: str = ""

    @functools.cached_property
    def converted(self) -> dict[str, Column]:
        """The goods in units of the base metric; 0 for every model where the rate is undefined."""
        if self.trades is not None:
            return self.goods
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

    `by` says which numbers they are ranked by, `key`: `z_scores` or, where it says anything else, `scores`.
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
    by: str = RANKED_BY[0]

    @property
    def key(self) -> Column:
        """The numbers that the models are ranked by."""
        return self.z_scores or [] if self.by == "z_score" else self.scores


@dataclass(frozen=True)
class _Terms:
    """What a scale follows from beside dataset weights and limits; `trades` None: not by trade-offs."""

    base: str
    epsilon: float
    epsilon_kind: str
    rate: str
    is_mean: bool
    trades: tuple[tuple[str, Trade], ...] | None


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
    `rate` is one of `ESTIMATORS`, `by` one of `RANKED_BY`, and `trades` are the trade-offs that a question
    without any has, see `Question`. A metric, a dataset, or a metric on one dataset
    that no model has a number for takes no part: its weight is shared out among the others.

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
        by: str = RANKED_BY[0],
        trades: Trades | None = None,
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
        self.epsilon, self.epsilon_kind, self.rate, self.by = epsilon, epsilon_kind, rate, by
        self.trades = trades
        check_cells(self.models, metrics, values)
        _check_terms(base, epsilon, epsilon_kind, rate, self.metrics)
        _check_by(by)
        _read_trades(trades or {}, self.metrics)
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
        metrics = [
            RankedMetric(m["name"], m["direction"], m["offset"], m.get("unit")) for m in data["metrics"]
        ]
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
            by=data.get("by", RANKED_BY[0]),
            trades=data.get("trades"),
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
            by=self.by,
            trades=self.trades,
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
        by: str | None = None,
        rate: str | None = None,
        trades: Trades | None = None,
    ) -> Ranking:
        """Rank the models. Weights are at least 0 and need not sum to one; a name left out weighs 0.

        Without weights: the default metric weights, equal dataset weights. All-zero weights are no
        error: no model is ranked and a note says so. `base`, `epsilon`, `epsilon_kind`, `by`, `rate` and
        `trades` take the place of the board's own. `by` is one of `RANKED_BY` and decides order and ranks.
        Raises ValueError for an unknown name and for a number that is negative, NaN or infinite.
        """
        terms = base, epsilon, epsilon_kind, by, rate
        return self.ranking(Question(metric_weights, dataset_weights, *terms, trades=trades))

    def ranking(self, question: Question) -> Ranking:
        """The ranking that a question asks for, limits included; see `rank`."""
        columns = self.columns(question, z_scores=True)
        notes, trades = (*columns.notices, *columns.notes), None
        if columns.by == "trades":
            base = question.base or self.base
            given = (columns.scale.trades or {}).items()
            trades = {name: trade.plain for name, trade in given if name != base}
        return Ranking(tuple(_rows(self.models, columns)), columns.scale.rates, notes, columns.by, trades)

    def columns(self, question: Question, *, z_scores: bool = False) -> Columns:
        """The ranking that `rank` gives, by columns; `z_scores` asks for these even if not ranked by."""
        by = self.by_of(question)
        _check_by(by)
        z_scores = by == "z_score" or (z_scores and by != "trades")
        found = replace(self._columns(question, by, z_scores), by=by)
        if by == "dynascore" and self._estimators_disagree(question, found):
            return replace(found, notes=(*found.notes, DISAGREEMENT))
        return found

    def by_of(self, question: Question) -> str:
        """What a question ranks by."""
        return self.by if question.by is None else question.by

    def _columns(self, question: Question, by: str, z_scores: bool) -> Columns:
        shares, scale = self.metric_shares(question.metrics), self.scale(question)
        base, datasets = question.base or self.base, self.dataset_shares(question.datasets)
        if datasets is None:
            return self._unranked(
                scale, z_scores, "all dataset weights are zero: there is nothing to rank by"
            )
        if shares is None and by != "trades":
            return self._unranked(scale, z_scores, "all metric weights are zero: there is nothing to rank by")
        if len(scale.out) == len(self.models) and self.models:
            return self._unranked(scale, z_scores, "no model is within the limits: there is nothing to rank")
        shares = dict.fromkeys(scale.trades, 1.0) if scale.trades else shares or {}
        parts = self.taking_part(scale, shares)
        if not parts:
            why = "no model has a value for anything that has weight: there is nothing to rank by"
            return self._unranked(scale, z_scores, why)
        if by == "mean" and (units := self.units_apart(parts)):
            why = f"a plain mean takes one unit, and the metrics with weight are in {' and '.join(units)}"
            return self._unranked(scale, z_scores, f"{why}: weigh those of one unit, or rank by Dynascore")
        if by in ("dynascore", "trades") and base not in scale.live:
            what = f"no model has a value for {self.metric_label(base)}, to which all others are converted"
            return self._unranked(scale, z_scores, f"{what}: choose another base metric, or rank by z-scores")
        return self._ranked(scale, shares, parts, datasets, by, z_scores)

    def units_apart(self, metrics: Iterable[str]) -> list[str]:
        """The units of these metrics, which have no plain mean then; none where all are in one."""
        units = dict.fromkeys(self.metrics[name].unit or "no unit" for name in metrics)
        return list(units) if len(units) > 1 else []

    def answer(self, text: str, known: int = 0) -> bytes:
        """A page's question, JSON of a `Question`, answered in one piece of memory.

        First doubles, the first of which says how many there are: order, ranks, scores, z-scores if
        ranked by them, each metric's contributions (0 without weight), each metric's values. Then JSON
        with the rest. Values and rates are left out if `known` is the number of their scale.
        """
        question = Question(**json.loads(text))
        columns = self.columns(question)
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
            "by": columns.by,
            "scale": scale.number,
            "rates": {name: rate.to_dict() for name, rate in scale.rates.items()} if fresh else None,
            "notes": (*columns.notices, *columns.notes),
            "idle": self.idle(question),
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
        terms, left = self._terms(question), self._left(question)
        key = (tuple(weights.values()) if weights else None, terms, left)
        if self._scale is None or self._scale[0] != key:
            number = next(self._numbers)
            if not weights:
                nothing = dict.fromkeys(self.metrics, [math.nan] * len(self.models))
                made = Scale(number, frozenset(), nothing, {}, {}, {}, {}, ())
            elif left is None:
                made = self._compute_scale(number, weights, terms)
            else:
                if self._alone is None or self._alone[0] != left:
                    self._alone = left, self.among(left)
                alone = self._alone[1]._compute_scale(number, weights, terms, limited=True)
                made = self._widened(alone, left, weights)
                if why := self._too_few(alone, terms):
                    made = _kept(made, self._compute_scale(number, weights, terms), why)
            self._scale = key, made
        return self._scale[1]

    def _terms(self, question: Question) -> _Terms:
        """What a question's scale follows from beside dataset weights and limits, the board's own terms for
        those that it leaves."""
        base = self.base if question.base is None else question.base
        epsilon = self.epsilon if question.epsilon is None else question.epsilon
        kind = self.epsilon_kind if question.epsilon_kind is None else question.epsilon_kind
        rate = self.rate if question.rate is None else question.rate
        _check_terms(base, epsilon, kind, rate, self.metrics)
        by = self.by_of(question)
        trades = None
        if by == "trades":
            given = self.trades if question.trades is None else question.trades
            trades = tuple(_read_trades(given or {}, self.metrics).items())
        return _Terms(base, epsilon, kind, rate, by == "mean", trades)

    def _compute_scale(
        self, number: int, weights: Mapping[str, float], terms: _Terms, limited: bool = False
    ) -> Scale:
        """`limited`: of a board of the models that limits leave."""
        values = {name: self._means(self.values, name, weights) for name in self.metrics}
        gaps = {name: frozenset(i for i, v in enumerate(values[name]) if v != v) for name in self.metrics}
        filled = values
        if self.missing == "worst":
            filled = {name: self._means(self._filled, name, weights) for name in self.metrics}
        live = frozenset(name for name in self.metrics if self.shares_of(name, weights))
        if terms.trades is not None:
            scale = Scale(number, live, values, gaps, {}, {}, {}, ())
            return self._traded(scale, filled, terms.base, dict(terms.trades))
        goods = {name: goods_of(metric, values[name], filled[name]) for name, metric in self.metrics.items()}
        if terms.is_mean:
            ones = dict.fromkeys(self.metrics, ExchangeRate(1.0))
            note = "ranked by the plain weighted mean: one unit of any metric counts as much as of another"
            return Scale(number, live, values, gaps, goods, ones, ones, (*self._cap_notes(values), note))
        base = terms.base
        there = known(values[base]) or [0.0]
        largest = max(max(there), -min(there))
        threshold = terms.epsilon if terms.epsilon_kind == "absolute" else terms.epsilon * largest
        if threshold:
            threshold += SLACK * math.ulp(largest)  # 76.59 - 76.58 is at a threshold of 0.01
        order, _ = self.apart(gaps[base])
        if limited:
            # Rates of few models would hang on how far those are apart that nobody would choose.
            order = [index for index in order if index not in self.floored] or order
        neighbours = Neighbours(self.models, self.model_label, values[base], order, threshold)
        found = {name: neighbours.rates(values[name], goods[name]) for name in self.metrics if name != base}
        found[base] = dict.fromkeys(ESTIMATORS, ExchangeRate(1.0))
        other = ESTIMATORS[1 - ESTIMATORS.index(terms.rate)]
        rates, others = ({name: found[name][by] for name in self.metrics} for by in (terms.rate, other))
        noted = [f"{self.metric_label(n)}: {rates[n].note}" for n in rates if n in live and rates[n].note]
        return Scale(number, live, values, gaps, goods, rates, others, (*self._cap_notes(values), *noted))

    def _traded(
        self, scale: Scale, filled: Mapping[str, Column], base: str, declared: Mapping[str, Trade]
    ) -> Scale:
        """The scale with what values are worth in units of the base metric, by trade-offs."""
        # One unit of the base metric is worth one.
        trades = {
            name: Trade(1.0) if name == base else declared[name]
            for name in self.metrics
            if name == base or name in declared
        }
        goods, rates, not_positive = {}, {}, {}
        for name, metric in self.metrics.items():
            trade = trades.get(name)
            if trade is None:
                goods[name] = zeros(filled[name])
                rates[name] = ExchangeRate(None, note="no trade-off is declared, so it does not count")
                continue
            goods[name] = trade.converted(filled[name], metric.direction)
            rates[name] = ExchangeRate(None if trade.per_cent else trade.amount)
            if trade.per_cent:
                rates[name] = ExchangeRate(None, note=f"declared as {trade.plain} of its value")
                without = (i for i, value in enumerate(filled[name]) if value <= 0)
                not_positive[name] = frozenset(without)
        notes = [self._trades_note(base, trades)]
        if base in declared:
            label = self.metric_label(base)
            notes.append(f"{label} is the base metric: the trade-off that is declared for it does not count")
        return replace(
            scale,
            goods=goods,
            rates=rates,
            others=rates,
            notes=tuple(notes),
            trades=trades,
            not_positive=not_positive,
        )

    def _trades_note(self, base: str, trades: Mapping[str, Trade]) -> str:
        """What one unit of the base metric is worth, in a sentence."""
        amounts = [
            f"{trade.plain if trade.per_cent else self._amount(name, trade.amount)} of {label}"
            for name, trade in trades.items()
            if name != base and (label := self.metric_label(name))
        ]
        if not amounts:
            return f"no trade-off is declared: the ranking is by {self.metric_label(base)} alone"
        listed = " and ".join([", ".join(amounts[:-1]), amounts[-1]] if len(amounts) > 1 else amounts)
        one = f"{self._amount(base, 1.0)} of {self.metric_label(base)}"
        return f"ranked by declared trade-offs: {one} is worth {listed}; no score depends on other models"

    def _amount(self, name: str, amount: float) -> str:
        """A number of a metric's units; per cent of it would not be its points."""
        unit = self.metrics[name].unit or ""
        if unit == "%":
            unit = "point" if amount == 1.0 else "points"
        return f"{amount:.12g} {unit}".rstrip()

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
            not_positive={
                name: frozenset(left[index] for index in models)
                for name, models in scale.not_positive.items()
            },
        )

    def _too_few(self, alone: Scale, terms: _Terms) -> str:
        """Why the models that limits leave give no exchange rates; empty where they do."""
        if terms.is_mean or terms.trades is not None:
            return ""
        rates = {n: rate for n, rate in alone.rates.items() if n in alone.live and n != terms.base}
        few = [n for n, rate in rates.items() if rate.pairs + rate.skipped + 1 < LEAST_RATED]
        if few:
            labels = [self.metric_label(name) for name in few]
            listed = " and ".join([", ".join(labels[:-1]), labels[-1]] if len(labels) > 1 else labels)
            what = f"too few models to say what {listed} {'is' if len(few) == 1 else 'are'} worth"
            return f"{what}: scores and order are those among all {len(self.models)}"
        for name, rate in rates.items():
            if rate.largest_pair and (rate.largest_share or 0.0) >= MOST_OF_A_PAIR:
                shown = math.floor((rate.largest_share or 0.0) * 100 + 0.5)
                pair = " and ".join(map(self.model_label, rate.largest_pair))
                what = f"{shown} % of what {self.metric_label(name)} is worth depends on one pair, {pair}"
                return f"{what}: scores and order are those among all {len(self.models)}"
        return ""

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

        They share what the others weigh. Empty where there are none. By trade-offs each counts once."""
        if scale.trades is not None:
            return {name: 1.0 for name in scale.trades if name in scale.live}
        return shared_out(shares, (name for name in shares if name in scale.live))

    def idle(self, question: Question) -> dict[str, list[str]]:
        """The metrics and datasets that no model has a number for, so that they have no share of the weight.

        Of datasets those count that a metric with weight has none on. Empty where nothing has a number.
        """
        scale, shares = self.scale(question), self.metric_shares(question.metrics) or {}
        used = {d for name in self.taking_part(scale, shares) or scale.live for d in self.datasets_of[name]}
        if not used:
            return {"metrics": [], "datasets": []}
        return {
            "metrics": [name for name in self.metrics if name not in scale.live],
            "datasets": [name for name in self.values if name not in used],
        }

    def without_rank(self, scale: Scale, metrics: Iterable[str]) -> frozenset[int]:
        """The models that lack a value of one of these metrics, where none is filled in, or have one that no
        trade-off in per cent can be of."""
        out = scale.out.union(*scale.not_positive.values())
        if self.missing == "worst":
            return out
        return out.union(*(scale.gaps[name] for name in metrics))

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
        among = order if self.missing == "worst" else [index for index in last if index not in scale.out]
        lacking = [index for index in among if any(index in scale.gaps[name] for name in taking_part)]
        notices = (
            *without_values(self, shares, taking_part, datasets, scale.trades is not None),
            *lacking_values(self, taking_part, datasets, lacking),
            *without_per_cent(self, scale),
        )
        alone = weight_notes(self, shares, taking_part) if scale.trades is None else ()
        notes = (*scale.notes, *alone, *ranked_last(self, floored))
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


def _kept(limited: Scale, whole: Scale, why: str) -> Scale:
    """The scale of the models that limits leave, at the rates of all models.

    Its goods too, unless a dataset that only the others have takes part in them.
    """
    goods = {
        name: column
        if any(one == one and other != other for one, other in zip(column, whole.goods[name], strict=True))
        else whole.goods[name]
        for name, column in limited.goods.items()
    }
    notes = (*whole.notes, why)
    return replace(limited, goods=goods, rates=whole.rates, others=whole.others, notes=notes, kept=why)


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


def _read_trades(given: Trades, metrics: Iterable[str]) -> dict[str, Trade]:
    for name in given:
        if name not in metrics:
            raise ValueError(f"trades: {name!r} is none of the metrics {', '.join(metrics)}")
    return {name: Trade.of(name, amount) for name, amount in given.items()}


def _check_by(by: str) -> None:
    if by not in RANKED_BY:
        raise ValueError(f"by: {by!r} is none of {', '.join(map(repr, RANKED_BY))}")


def without_values(
    board: Board,
    shares: Mapping[str, float],
    taking_part: Mapping[str, float],
    datasets: Mapping[str, float],
    traded: bool,
) -> Iterator[str]:
    """What has weight, or a trade-off, and takes no part, since no model has a value for it."""
    idle = [
        board.metric_label(name) for name, share in shares.items() if share > 0 and name not in taking_part
    ]
    if idle and traded:
        them = "it" if len(idle) == 1 else "them"
        yield f"no model has a value for {', '.join(idle)}: no score is made of {them}"
    elif idle:
        yield _no_part(", ".join(idle), len(idle), "metrics")
    for dataset, share in datasets.items():
        lacking = [name for name in taking_part if dataset not in board.datasets_of[name]]
        if share > 0 and len(lacking) == len(taking_part):
            yield _no_part(board.dataset_label(dataset), 1, "datasets")
        elif share > 0 and lacking:
            labels = ", ".join(map(board.metric_label, lacking))
            yield _no_part(f"{labels} on {board.dataset_label(dataset)}", len(lacking), "datasets")


def without_per_cent(board: Board, scale: Scale) -> Iterator[str]:
    """Which models have a value that no trade-off in per cent can be of."""
    for name, models in scale.not_positive.items():
        if models:
            labels = sorted(board.model_label(board.models[index]) for index in models)
            more = [f"and {len(labels) - NAMED} more"] if len(labels) > NAMED else []
            what = f"a trade-off in per cent takes a value above 0 of {board.metric_label(name)}"
            yield f"{what}, so not ranked: {', '.join([*labels[:NAMED], *more])}"


def weight_notes(
    board: Board, shares: Mapping[str, float], taking_part: Mapping[str, float]
) -> Iterator[str]:
    """That one metric decides alone."""
    if len(taking_part) == 1 < len(board.metrics):
        only = board.metric_label(*taking_part)
        alone = sum(share > 0 for share in shares.values()) == 1
        yield f"only {only} has weight{'' if alone else ' and values'}: the ranking is by {only} alone"


def ranked_last(board: Board, floored: Sequence[int]) -> Iterator[str]:
    """Which models stand behind all others."""
    if floored:
        names = ", ".join(sorted(board.model_label(board.models[index]) for index in floored))
        yield f"no better than a constant answer, so ranked last: {names}"


def lacking_values(
    board: Board, metrics: Iterable[str], datasets: Mapping[str, float], models: Iterable[int]
) -> Iterator[str]:
    """How many of `models` lack what, and what the board makes of that: a line for all that lack the same."""
    lacking: dict[str, list[str]] = {}
    weighed = {name: board.shares_of(name, datasets) for name in metrics}
    for index in models:
        why = ", ".join(_lacking(board, index, weighed))
        lacking.setdefault(why, []).append(board.model_label(board.models[index]))
    one, many = "is not ranked", "are not ranked"
    if board.missing == "worst":
        one, many = "counts as the worst of the board there", "count as the worst of the board there"
    for why, names in lacking.items():
        if len(names) == 1:
            yield f"{names[0]} {one}: no value {why}"
        else:
            more = [f"and {len(names) - NAMED} more"] if len(names) > NAMED else []
            yield f"{len(names)} models {many}, no value {why}: {', '.join([*names[:NAMED], *more])}"


def _lacking(board: Board, index: int, weighed: Mapping[str, Iterable[str]]) -> Iterator[str]:
    """Datasets on which a model has nothing that counts, then metrics that it lacks elsewhere or at all:
    ``on Second``, ``for Speed, Memory on First``. `weighed` has by metric the datasets that count."""
    absent = {
        name: [d for d in among if board.values[d][name][index] is None] for name, among in weighed.items()
    }
    datasets = dict.fromkeys(dataset for among in weighed.values() for dataset in among)
    empty = [d for d in datasets if all(d in absent[n] for n, among in weighed.items() if d in among)]
    if 0 < len(empty) < len(datasets):
        yield f"on {' and '.join(map(board.dataset_label, empty))}"
        absent = {name: [d for d in among if d not in empty] for name, among in absent.items()}
    lacked = []
    for name, among in absent.items():
        if among:
            where = " and ".join(map(board.dataset_label, among))
            everywhere = set(among) == set(weighed[name])
            lacked.append(f"{board.metric_label(name)}{'' if everywhere else f' on {where}'}")
    if lacked:
        yield f"for {', '.join(lacked)}"


def _no_part(what: str, count: int, among: str) -> str:
    parts = "it takes no part, and its" if count == 1 else "they take no part, and their"
    return f"no model has a value for {what}: {parts} weight is shared out among the other {among}"
