"""Rankings by difficulty, against Table 1 and equation 2 of Mishra and Arunkumar (2021) in fractions."""

from __future__ import annotations

import functools
import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from agreement_kinds import Comparison, Values

from evaluator.measure.difficulty.algorithms import mean_similarities
from evaluator.rank.difficulty import Samples
from evaluator.rank.difficulty_order import DifficultyQuestion

#: Reward, penalty, and what else weighs, of each case.
TABLE_1: dict[int, tuple[int | Fraction, int | Fraction, str]] = {
    1: (1, -1, "split"),
    2: (1, 0, "split"),
    3: (0, -1, "split"),
    4: (1, Fraction(-1, 2), "split"),
    5: (Fraction(1, 2), -1, "split"),
    6: (1, -1, "1/B"),
    7: (1, -1, "B"),
    8: (1, -1, "split 1/B"),
    9: (1, -1, "split B"),
}
REFERENCE = "Table 1, written out"


@dataclass(frozen=True)
class Answers:
    """Of each example its B (None: no value), and whether it is answered right (None: no label).

    Splits are equal ones, or between `cuts`.
    """

    values: Sequence[float | None]
    right: Sequence[bool | None]
    splits: int = 7
    cuts: Sequence[float] | None = None


def draw(chance: random.Random) -> Answers:
    size, splits = chance.randint(1, 40), chance.randint(2, 7)
    # The least is no smaller than what a factor of 1/B can be kept to.
    kinds = (None, 0.0, 0.5, 1.0, chance.uniform(0.01, 1), chance.uniform(0.01, 1))
    values = [chance.choice((*kinds, chance.uniform(0.01, 1))) for _ in range(size)]
    cuts = sorted(chance.choice((0.25, 0.5, chance.random())) for _ in range(splits - 1))
    right = [chance.choice((True, True, False, None)) for _ in range(size)]
    return Answers(values, right, splits, cuts if chance.random() < 0.5 else None)


NASTY = (
    Answers([None, None], [True, False]),
    Answers([0.0, 0.0, 0.0], [True, False, None], 2),
    Answers([0.5] * 9, [True] * 4 + [None] * 5, 3),
    Answers([0.5, 0.25, 0.75, 1.0], [True, True, False, None], 4, (0.25, 0.5, 0.75)),
    Answers([None, 1.0, 0.9, None], [True, True, True, None], 2),
    Answers([1.0, 1 - 2**-53, 1 - 2**-52], [False, True, False], 3),
)


def ours(case: int, by_confidence: bool, given: Answers) -> Values:
    names = [str(at) for at in range(len(given.values))]
    examples = {"dataset": "d", "ids": names, "labels": ["a", "b"], "gold": [0] * len(names)}
    said = [-1 if one is None else 1 - one for one in given.right]
    record = {"labels": ["a", "b"], "predicted": said, "resolution": 1}
    difficulties = [{"name": "s", "values": list(given.values)}]
    if by_confidence:
        record["exact_confidence"] = list(given.values)
    samples = Samples.read(examples, {"m": record}, () if by_confidence else difficulties)
    by_cuts = given.cuts is not None and case not in (6, 7)
    question = DifficultyQuestion(
        "wmprob" if by_confidence else "s",
        case=case,
        splits=given.splits,
        kind="thresholds" if by_cuts else "equal",
        thresholds=given.cuts if by_cuts else None,
    )
    [row] = samples.answer(question).rows
    return [row.value]


def written_out(case: int, by_confidence: bool, given: Answers) -> Values:
    """The formula, in fractions; ties share the mean weight of their places."""
    reward, penalty, weighs = TABLE_1[case]
    known = [
        (Fraction(value), right is True)
        for value, right in zip(given.values, given.right, strict=True)
        if value is not None
    ]
    known.sort(key=lambda one: one[0] if by_confidence else -one[0])
    # What has no 1 / B has a place among the splits, and no weight.
    inverse = [1 / b if b else Fraction(0) for b, _ in known]
    factors = inverse if "1/B" in weighs else [b if "B" in weighs else Fraction(1) for b, _ in known]
    splits = _splits([b for b, _ in known], by_confidence, given) if "split" in weighs else [1] * len(known)
    alike: dict[Fraction, list[int]] = {}
    for (b, _), split in zip(known, splits, strict=True):
        alike.setdefault(b, []).append(split)
    whole = gained = Fraction(0)
    for (b, right), factor in zip(known, factors, strict=True):
        weight = factor * Fraction(sum(alike[b]), len(alike[b]))
        whole += (reward or -penalty) * weight
        gained += (reward if right else penalty) * weight
    if by_confidence and known:
        # Without a confidence an example counts as wrong at the highest weight.
        unsure = sum(value is None for value in given.values) * (given.splits if "split" in weighs else 1)
        whole, gained = whole + (reward or -penalty) * unsure, gained + penalty * unsure
    return [float(100 * gained / whole) if whole else None]


def _splits(values: Sequence[Fraction], by_confidence: bool, given: Answers) -> list[int]:
    """The number of the split of each, 1 for the least weight; equation 2 for thresholds."""
    if given.cuts is None:
        least, more = divmod(len(values), given.splits)
        return [split + 1 for split in range(given.splits) for _ in range(least + (split < more))]
    above = [sum(b > Fraction(cut) for cut in given.cuts) for b in values]
    return [1 + count if by_confidence else given.splits - count for count in above]


def similar(given: tuple[list[list[float]], list[list[float]], float]) -> Values:
    tests, training, percent = given
    [column] = mean_similarities(_unit(tests), _unit(training), [percent]).values()
    return column


def similar_written_out(given: tuple[list[list[float]], list[list[float]], float]) -> Values:
    """The mean of the greatest cosines, none under 0, a number at a time."""
    tests, training, percent = given
    known = _unit(training).tolist()
    count = math.ceil(Fraction(str(percent)) * len(training) / 100)
    found = []
    for test in _unit(tests).tolist():
        cosines = [math.fsum(map(math.prod, zip(test, one, strict=True))) for one in known]
        alike = sorted((max(0.0, cosine) for cosine in cosines), reverse=True)
        found.append(math.fsum(alike[:count]) / count)
    return found


def _unit(rows: list[list[float]]) -> np.ndarray:
    found = np.array(rows, dtype=np.float64)
    found /= np.linalg.norm(found, axis=1, keepdims=True)
    return found.astype(np.float32)


def draw_vectors(chance: random.Random) -> tuple[list[list[float]], list[list[float]], float]:
    def rows(count: int) -> list[list[float]]:
        return [[chance.gauss(0, 1) for _ in range(4)] for _ in range(count)]

    percent = chance.choice((1, 5, 10, 25, 30, 40, 50, 75, 100, round(chance.uniform(0.001, 100), 3)))
    return rows(chance.randint(1, 5)), rows(chance.randint(1, 60)), percent


def _comparison(case: int, by_confidence: bool) -> Comparison:
    kind = "Own confidence (WMProb)" if by_confidence else "Shortcuts and distance (WSBias, WOOD)"
    name = f"{kind}, case {case}"
    of_ours, of_theirs = (functools.partial(side, case, by_confidence) for side in (ours, written_out))
    return Comparison(name, REFERENCE, draw, NASTY, of_ours, of_theirs)


DIFFICULTY = (
    *(_comparison(case, False) for case in (1, 2, 3, 4, 5, 6, 8)),
    *(_comparison(case, True) for case in (1, 2, 3, 4, 5, 7, 9)),
    Comparison(
        "Distance from training (WOOD), of an example (0 to 1, kept to six decimals)",
        "mean of the greatest cosines, written out",
        draw_vectors,
        [([[1.0, 0.0]], [[-1.0, 0.0]], 100), ([[1.0, 0.0]], [[1.0, 0.0]], 0.001)],
        similar,
        similar_written_out,
    ),
)
