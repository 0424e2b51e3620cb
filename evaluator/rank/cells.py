"""The numbers of a board: what they must be, and arithmetic with a number for each model.

Standard library only, and the same bits on every Python from 3.11 on: sums go through `math.fsum`, which is
correctly rounded and does not depend on the order of its terms (the built-in `sum` changed in Python 3.12).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

#: Cells beyond this are refused: squares and quotients of them would overflow.
LARGEST = 1e120

#: A number for each model, by the model's index on the board; NaN where there is none.
Column = list[float]
#: Numbers by dataset and metric, None where one is missing.
Values = Mapping[str, Mapping[str, Sequence[float | None]]]


@dataclass(frozen=True)
class RankedMetric:
    """A column of the board: its good is ``offset + direction * value``.

    More is better: direction 1, offset 0. A cost with a cap: direction -1, offset = cap. A cost
    without one: direction -1, offset None, which stands for the largest value on the board.
    """

    name: str
    direction: int = 1
    offset: float | None = 0.0


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
