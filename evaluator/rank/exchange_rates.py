"""Exchange rates: how many units of one metric the models of a board trade for one unit of the base metric.

Definition (Ma et al. 2021, "Dynaboard", section 5): models are sorted by the base metric; the exchange rate
of a metric M is the mean over adjacent pairs of |dM| / |d base|, leaving out pairs whose |d base| is at or
under a threshold. Besides the paper's mean of slopes there is a second estimator of a rate, the ratio of
sums: the sum of |dM| over the sum of |d base| of the same pairs, in which a pair counts by how far it is
apart.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from evaluator.rank.cells import LARGEST, Column, known

#: A note says that a rate depends on one pair when that pair supplies at least this share of it.
ONE_PAIR_SHARE = 0.5
#: How a rate follows from its pairs: the mean of their slopes, or the ratio of the sums of differences.
ESTIMATORS = ("mean", "ratio")


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
