"""The Dynascore, against section 5 of Ma et al. (2021) in exact fractions."""

from __future__ import annotations

import itertools
import random
from fractions import Fraction

from agreement_kinds import Comparison, Values

from evaluator.rank.dynascore import EPSILON, Board, RankedMetric

#: Values of each metric by model; the first metric is the base. And a weight for each.
Table = tuple[list[list[float]], list[float]]


def draw(chance: random.Random) -> Table:
    models, metrics = chance.randint(2, 12), chance.randint(2, 5)
    columns = [[round(chance.uniform(0, 100), 4) for _ in range(models)] for _ in range(metrics)]
    return columns, [float(chance.randint(1, 9)) for _ in range(metrics)]


NASTY: tuple[Table, ...] = (
    ([[1.0, 2.0], [5.0, 5.0001]], [1.0, 1.0]),
    ([[1.0, 2.0, 3.0], [1e-9, 1e9, 0.0]], [1.0, 9.0]),
    ([[90.0, 90.0 + 1e-9, 80.0], [3.0, 1.0, 2.0]], [4.0, 1.0]),
)


def ours(given: Table) -> Values:
    columns, weights = given
    names = [f"m{at}" for at in range(len(columns))]
    models = [f"x{at}" for at in range(len(columns[0]))]
    values = {"d": dict(zip(names, columns, strict=True))}
    board = Board(models, [RankedMetric(name) for name in names], values, names[0])
    rows = board.rank(dict(zip(names, weights, strict=True))).rows
    found = {row.model: row.dynascore for row in rows}
    return [found[model] for model in models]


def written_out(given: Table) -> Values:
    """Mean slopes over neighbours by the base metric, leaving out pairs that hardly differ in it."""
    columns = [list(map(Fraction, column)) for column in given[0]]
    base = columns[0]
    order = sorted(range(len(base)), key=lambda model: -base[model])
    threshold = Fraction(EPSILON) * max(map(abs, base))
    pairs = [(i, j) for i, j in itertools.pairwise(order) if abs(base[i] - base[j]) > threshold]
    total = sum(map(Fraction, given[1]))
    scores = [Fraction(0)] * len(base)
    for column, weight in zip(columns, given[1], strict=True):
        slopes = [abs(column[i] - column[j]) / abs(base[i] - base[j]) for i, j in pairs]
        rate = sum(slopes, Fraction(0)) / len(slopes)
        for model, value in enumerate(column):
            scores[model] += Fraction(weight) / total * value / rate
    return list(map(float, scores))


REFERENCE = "section 5 of Ma et al. 2021, written out"
SCORES = (Comparison("Dynascore", REFERENCE, draw, NASTY, ours, written_out),)
