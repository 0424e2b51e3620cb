"""Whether a ranking by difficulty is more than chance: rank sets as on a board, of two of its columns.

One of the modules behind `rank.difficulty`; standard library only. A value by difficulty and the share of
right answers are the metrics of a board of one dataset, whose `rank.rank_sets.Certainty` says how sure their
ranks are. Both enter by influence values, paired, as all models answer the same examples; difficulties and
splits are taken as they are.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import mul

from evaluator.rank.dynascore import Board, Question, RankedMetric
from evaluator.rank.rank_sets import Certainty, RankSets, Sampled
from evaluator.rank.significance import CONFIDENCE, level

#: The columns: what is ranked by, and what it is compared with.
VALUE, ACCURACY = "value", "accuracy"
#: Influence values are rounded to so many parts of the largest: sums of products of whole numbers are exact.
PARTS = 1 << 14
#: Both rank sets of a model, by value and by accuracy, hold with `CONFIDENCE`.
EACH = (1.0 + CONFIDENCE) / 2.0


@dataclass(frozen=True)
class Influenced:
    """One number of each model, by how much each example moves it (`moved`: models, examples), in its unit.

    `unit` is what one example can move a number by at most, times their number; `ends` are the least and the
    most that it can be.
    """

    values: Sequence[float]
    moved: Sequence[Sequence[float]]
    unit: float
    ends: tuple[float, float]


class Noise:
    """How sure ranks by difficulty and by accuracy are.

    `columns` are `VALUE` and `ACCURACY`, of the same models; `groups` says which examples share a source, if
    any do.
    """

    def __init__(self, columns: Mapping[str, Influenced], groups: Sequence[int] = ()) -> None:
        models = [str(place) for place in range(len(columns[VALUE].values))]
        cells = {name: list(column.values) for name, column in columns.items()}
        self.board = Board(models, [RankedMetric(name) for name in columns], {"d": cells}, VALUE)
        self.columns = columns
        examples = len(columns[VALUE].moved[0]) if models else 0
        clusters = len(set(groups)) or examples
        scale = clusters / (examples * examples * max(1, clusters - 1)) if examples else 0.0
        covariances: dict[tuple[str, str], list[float]] = {}
        self.own: dict[str, list[float]] = {}
        for name, column in columns.items():
            self.own[name], covariances[name, name] = _variances(column.moved, groups, scale)
        unit = {name: column.unit for name, column in columns.items()}
        sampled = Sampled(examples, clusters, unit, covariances, {}, {}, {}, {})
        self.certainty = Certainty(self.board, {"d": sampled})

    def sets(self, by: str, confidence: float = CONFIDENCE) -> RankSets:
        """The rank sets by a column."""
        return self.certainty.sets(_asked(by), confidence=confidence)

    def intervals(self, by: str) -> list[tuple[float, float] | None]:
        """Of each value of a column by itself; None where too few examples say how it varies."""
        question = _asked(by)
        variances = self.certainty.variances(question, self.board.columns(question))
        needed = level((1.0 - CONFIDENCE) / 2.0, 1, variances.evidence)
        if needed == math.inf or not self.board.models:
            return [None] * len(self.board.models)
        # The guard is of a difference: one pseudo-example for each of its two values.
        one = self.certainty.sampled["d"]
        widened = 1.0 + 2.0 / one.clusters if one.few else 1.0
        reaches = [needed * math.sqrt(own * widened + variances.guard / 2.0) for own in self.own[by]]
        column = self.columns[by]
        least, most = column.ends
        pairs = zip(column.values, reaches, strict=True)
        return [(max(least, value - reach), min(most, value + reach)) for value, reach in pairs]

    def moves(self) -> list[tuple[int, int]]:
        """How many ranks each model may gain against its rank by accuracy, at least and at most."""
        before, now = (self.sets(by, EACH).sets for by in (ACCURACY, VALUE))
        everything = (1, len(self.board.models))
        pairs = [(one or everything, other or everything) for one, other in zip(before, now, strict=True)]
        return [(best - worst_now, worst - best_now) for (best, worst), (best_now, worst_now) in pairs]


def _asked(by: str) -> Question:
    return Question({by: 1.0}, base=by)


def _variances(
    moved: Sequence[Sequence[float]], groups: Sequence[int], scale: float
) -> tuple[list[float], list[float]]:
    """Of each model's number, and of the differences of each pair of them."""
    largest = max((abs(one) for row in moved for one in row), default=0.0)
    step = largest / PARTS
    rows = [[round(one / step) if step else 0 for one in row] for row in moved]
    if groups:
        rows = [_summed(row, groups) for row in rows]
    scale *= step * step
    own = [_product(row, row) for row in rows]
    pairs = [own[i] + own[j] - 2 * _product(rows[i], rows[j]) for i in range(len(rows)) for j in range(i)]
    return [scale * one for one in own], [scale * one for one in pairs]


def _summed(row: Sequence[int], groups: Sequence[int]) -> list[int]:
    found = dict.fromkeys(groups, 0)
    for group, one in zip(groups, row, strict=True):
        found[group] += one
    return list(found.values())


def _product(first: Sequence[int], second: Sequence[int]) -> int:
    return sum(map(mul, first, second))
