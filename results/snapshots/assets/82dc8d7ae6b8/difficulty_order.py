"""How examples are divided for a ranking by difficulty: the question, the order, splits, ties and weights.

One of the modules behind `rank.difficulty`, where the definition is; they import the standard library
and one another only. Splits go from the easiest examples (WMProb: the least confident answers) to the
hardest (the most confident ones), and so do their weights.
"""

from __future__ import annotations

import itertools
import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

#: The difficulty that is a model's own confidence; every other name is that of a stored source.
CONFIDENCE = "wmprob"
#: Reward and penalty of the nine cases of the paper's Table 1.
CASES = {1: (1.0, -1.0), 2: (1.0, 0.0), 3: (0.0, -1.0), 4: (1.0, -0.5), 5: (0.5, -1.0)}
CASES |= dict.fromkeys((6, 7, 8, 9), (1.0, -1.0))
#: What the later cases say besides, by field: cases 6 and 8 of difficulties whose high values are easy, cases
#: 7 and 9 of confidence.
FIXED = {
    6: {"kind": "continuous", "factor": "one"},
    7: {"kind": "continuous", "factor": "one"},
    8: {"factor": "inverse"},
    9: {"factor": "difficulty"},
}
BY_CONFIDENCE = (7, 9)
LEAST_SPLITS, MOST_SPLITS = 2, 7
#: Weights of splits. Logarithms are log2(1 + i), in constants: a platform's own may differ in the last bit.
SCALES = {
    "linear": (1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0),
    "logarithmic": (1.0, 1.584963, 2.0, 2.321928, 2.584963, 2.807355, 3.0),
    "square": (1.0, 4.0, 9.0, 16.0, 25.0, 36.0, 49.0),
}
CHOICES = {
    "kind": ("equal", "thresholds", "continuous"),
    "scale": tuple(SCALES),
    "ties": ("mean", "stable"),
    "zeros": ("drop", "clip"),
    "factor": ("one", "confidence", "difficulty", "inverse"),
}
#: Values are rounded to this many digits, so that models that tie do so whatever their sums round to.
DIGITS = 9


@dataclass(frozen=True)
class DifficultyQuestion:
    """What to rank by. Raises ValueError, naming field, value and fix, for anything impossible.

    `metric` is the name of a stored source or "wmprob"; `percent` says how much of the training set a WOOD
    looks at, or B is its mean over `percents`. Splits are equally populated, by `thresholds` on [0, 1] (None:
    `splits` equal intervals), or there are none and W is 1 / B ("wmprob": B). `reward` and `penalty` count
    where `case` is None, `weights` in place of `scale`. `factor` multiplies reward and penalty by the model's
    confidence, by B ("difficulty") or by 1 / B ("inverse"). `zeros` says what happens to B = 0 under 1 / B:
    dropped, or every B under `clip` raised to it. Cases 6 to 9 set kind and factor themselves.
    """

    metric: str
    percent: float = 10
    percents: Sequence[float] | None = None
    kind: str = "equal"
    splits: int = 7
    thresholds: Sequence[float] | None = None
    case: int | None = 1
    reward: float = 1.0
    penalty: float = -1.0
    scale: str = "linear"
    weights: Sequence[float] | None = None
    ties: str = "mean"
    zeros: str = "drop"
    clip: float = 0.01
    factor: str = "one"
    models: Sequence[str] | None = None

    def __post_init__(self) -> None:
        for name, known in CHOICES.items():
            if getattr(self, name) not in known:
                raise field_error(name, getattr(self, name), f"is none of {', '.join(known)}")
        _check_terms(self)
        _check_case(self)
        for name, value in FIXED.get(self.case or 0, {}).items():
            object.__setattr__(self, name, value)
        _check_percents(self)
        _check_splits(self)

    @classmethod
    def read(cls, document: Mapping[str, Any]) -> DifficultyQuestion:
        """The question that plain JSON data describe; fields left out are as in the class."""
        known = [one.name for one in fields(cls)]
        for name in document:
            if name not in known:
                raise ValueError(f"question: {name!r} is not one of its fields; use {', '.join(known)}")
        if not isinstance(document.get("metric"), str):
            raise field_error("metric", document.get("metric"), "is not the name of a difficulty; give one")
        return cls(**document)

    @property
    def terms(self) -> tuple[float, float]:
        """Reward and penalty."""
        return (self.reward, self.penalty) if self.case is None else CASES[self.case]

    @property
    def uses_confidence(self) -> bool:
        """Whether confidences count: an answer without one is wrong."""
        return self.metric == CONFIDENCE or self.factor == "confidence"

    @property
    def inverts(self) -> bool:
        """Whether 1 / B weighs."""
        return self.metric != CONFIDENCE and (self.kind == "continuous" or self.factor == "inverse")

    @property
    def highest_weight(self) -> float:
        """What an answer weighs that has no place in its model's own order of confidence."""
        return 1.0 if self.kind == "continuous" else max(self.split_weights)

    @property
    def column(self) -> str:
        """The column of a WOOD that is asked about, or the columns whose mean is."""
        return "+".join(f"{percent:g}" for percent in self.percents or (self.percent,))

    @property
    def cuts(self) -> list[float]:
        """The thresholds, ascending: the user's own, or evenly spaced."""
        if self.thresholds is not None:
            return list(self.thresholds)
        return [part / self.splits for part in range(1, self.splits)]

    @property
    def count(self) -> int:
        """How many splits there are."""
        own = self.kind == "thresholds" and self.thresholds is not None
        return len(self.cuts) + 1 if own else self.splits

    @property
    def split_weights(self) -> list[float]:
        """The weight of each split, the easiest first."""
        return list(self.weights or SCALES[self.scale][: self.count])

    def score(self, right: float, total: float) -> float | None:
        """The metric, in per cent, of `right` out of `total` weight; None where there is nothing to share."""
        reward, penalty = self.terms
        whole = (reward or -penalty) * total
        if not whole:
            return None
        # Adding 0 turns -0.0, which would puzzle a reader, into 0.0.
        return round(100.0 * (reward * right + penalty * (total - right)) / whole, DIGITS) + 0.0

    @property
    def ends(self) -> tuple[float, float]:
        """The least and the most that the metric can be, in per cent."""
        reward, penalty = self.terms
        over = (reward or -penalty) / 100.0
        return penalty / over, reward / over


class QuestionError(ValueError):
    """A `field` of a question that cannot be; `problem` has the value and the fix."""

    def __init__(self, field: str, problem: str) -> None:
        self.field, self.problem = field, problem
        super().__init__(f"{field}: {problem}")


def field_error(name: str, value: object, problem: str) -> QuestionError:
    """An error about a field of a question; `problem` ends with the fix."""
    return QuestionError(name, f"{value!r} {problem}")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _check_terms(question: DifficultyQuestion) -> None:
    if question.case is not None and question.case not in CASES:
        known = ", ".join(map(str, CASES))
        raise field_error(
            "case", question.case, f"is none of {known}; or give reward and penalty and no case"
        )
    for name, sign in (("reward", 1), ("penalty", -1)):
        value = getattr(question, name)
        if not _is_number(value) or sign * value < 0:
            bound = "0 or more" if sign > 0 else "0 or less"
            raise field_error(name, value, f"is not a number of {bound}; correct it")
    if question.case is None and not question.reward and not question.penalty:
        raise field_error("reward", question.reward, "and a penalty of 0 leave nothing to count; change one")
    if not _is_number(question.clip) or not 0 < question.clip <= 1:
        raise field_error("clip", question.clip, "is not over 0 and at most 1; correct it")


def _check_case(question: DifficultyQuestion) -> None:
    """Refuse what a case rules out; "equal" and "one" are also what a question has that says nothing."""
    case, by_confidence = question.case or 0, question.metric == CONFIDENCE
    if question.factor == "inverse" and by_confidence:
        raise field_error("factor", "inverse", f"has no highest weight under {CONFIDENCE}; use difficulty")
    if case not in FIXED:
        return
    if by_confidence != (case in BY_CONFIDENCE):
        other = case + 1 if by_confidence else case - 1
        raise field_error("case", case, f"is not for {question.metric}; its like there is {other}")
    for name, usual in (("kind", "equal"), ("factor", "one")):
        value, fixed = getattr(question, name), FIXED[case].get(name)
        if value == "continuous" and fixed is None:
            raise field_error(name, value, f"is not for case {case}, which has splits; leave it out")
        if fixed is not None and value not in (usual, fixed):
            raise field_error(name, value, f"is not for case {case}, where it is {fixed}; leave it out")


def _check_percents(question: DifficultyQuestion) -> None:
    percents = question.percents
    if percents is not None and (not percents or len(set(percents)) < len(percents)):
        raise field_error("percents", list(percents), "are none, or have one twice; give each once")
    for name in ("percent", "percents"):
        for value in question.percents or () if name == "percents" else [question.percent]:
            if not _is_number(value) or not 0 < value <= 100:
                raise field_error(name, value, "is not over 0 and at most 100 per cent; correct it")


def _check_splits(question: DifficultyQuestion) -> None:
    if not isinstance(question.splits, int) or not LEAST_SPLITS <= question.splits <= MOST_SPLITS:
        raise field_error(
            "splits", question.splits, f"is not from {LEAST_SPLITS} to {MOST_SPLITS}; choose one"
        )
    cuts = list(question.thresholds or [])
    if question.thresholds is not None and not LEAST_SPLITS <= len(cuts) + 1 <= MOST_SPLITS:
        bounds = f"{LEAST_SPLITS - 1} to {MOST_SPLITS - 1}"
        raise field_error("thresholds", cuts, f"are not {bounds} numbers; give one fewer than splits")
    if not all(_is_number(cut) and 0 <= cut <= 1 for cut in cuts) or cuts != sorted(cuts):
        raise field_error("thresholds", cuts, "are not ascending numbers from 0 to 1; put them in order")
    weights = question.weights
    if weights is None or question.kind == "continuous":
        return
    if len(weights) != question.count or not all(_is_number(weight) and weight >= 0 for weight in weights):
        raise field_error(
            "weights", list(weights), f"are not {question.count} numbers of 0 or more, one a split"
        )


class Order:
    """The examples that have a difficulty, from the first split to the last; ties in the dataset's order.

    `rows` are their places in the dataset, `values` their B and `keys` what ascends along them. Examples with
    B = 0 have no 1 / B. Where that weighs they have a place, and so a split, but do not count: they are
    `dropped`, from one place of the order to another.
    """

    def __init__(
        self, values: Sequence[float | None], high_is_easy: bool, without_zeros: bool = False
    ) -> None:
        sign = -1.0 if high_is_easy else 1.0
        found = sorted((sign * value, row) for row, value in enumerate(values) if value is not None)
        self.high_is_easy = high_is_easy
        self.keys = [key for key, _ in found]
        self.rows = [row for _, row in found]
        self.values = [sign * key + 0.0 for key in self.keys]
        first, last = bisect_left(self.keys, 0.0), bisect_right(self.keys, 0.0)
        self.dropped = range(first, last) if without_zeros else range(0)

    def counted(self, start: int, end: int) -> int:
        """How many examples from one place to another count."""
        dropped = min(end, self.dropped.stop) - max(start, self.dropped.start)
        return end - start - max(0, dropped)

    def cut(self, threshold: float) -> int:
        """How many examples come before a threshold.

        As equation 2 has it, those with B > threshold are on one side and all others on the other: one that
        is at it belongs to the interval below, which is the harder one unless B is confidence.
        """
        if self.high_is_easy:
            return bisect_left(self.keys, -threshold)
        return bisect_right(self.keys, threshold)

    def group(self, position: int) -> tuple[int, int]:
        """Where the examples of the same difficulty as the one at `position` start and end."""
        key = self.keys[position]
        return bisect_left(self.keys, key), bisect_right(self.keys, key)


#: Examples from one place of an order to another, and the share of them that counts, as two numbers.
Piece = tuple[int, int, int, int]


@dataclass(frozen=True)
class Division:
    """An order cut into splits: `bounds` are one more than splits.

    `groups` are the ties that a boundary runs through. `pieces` say for each split what it is made of.
    """

    bounds: list[int]
    weights: list[float]
    groups: list[tuple[int, int]]
    pieces: list[list[Piece]]

    def each(self) -> list[float]:
        """The weight of every example along the order."""
        weights = [0.0] * self.bounds[-1]
        for pieces, weight in zip(self.pieces, self.weights, strict=True):
            for start, end, share, size in pieces:
                for at in range(start, end):
                    weights[at] += weight * share / size
        return weights


def divide(order: Order, question: DifficultyQuestion) -> Division:
    """Cut an order as the question says; under "mean" ties a split gets its share of every group it cuts."""
    bounds = _bounds(order, question)
    size = len(order.rows)
    groups = []
    for bound in bounds[1:-1]:
        if 0 < bound < size and order.keys[bound - 1] == order.keys[bound]:
            groups.append(order.group(bound))
    groups = list(dict.fromkeys(groups))
    shared = groups if question.ties == "mean" else []
    pieces = [pieces_of(low, high, shared) for low, high in itertools.pairwise(bounds)]
    return Division(bounds, question.split_weights, groups, pieces)


def _bounds(order: Order, question: DifficultyQuestion) -> list[int]:
    size, count = len(order.rows), question.count
    if question.kind == "thresholds":
        inner = sorted(map(order.cut, question.cuts))
        return [0, *inner, size]
    least, more = divmod(size, count)
    return list(itertools.accumulate([0, *(least + (split < more) for split in range(count))]))


def pieces_of(low: int, high: int, groups: Iterable[tuple[int, int]]) -> list[Piece]:
    """A split as the examples wholly in it, and its share of the groups that lie across its ends."""
    pieces: list[Piece] = []
    start, end = low, high
    for first, last in groups:
        overlap = min(high, last) - max(low, first)
        if overlap <= 0:
            continue
        pieces.append((first, last, overlap, last - first))
        start = max(start, last) if first <= low else start
        end = min(end, first) if last >= high else end
    return [(start, end, 1, 1), *pieces] if start < end else pieces


#: Sums up to each place of an order: entry n is of the first n.
Sums = Sequence[int]


def between(pieces: Iterable[Piece], sums: Sums) -> float:
    """What a split made of these pieces has of what was summed."""
    parts = [share * (sums[end] - sums[start]) / size for start, end, share, size in pieces]
    return math.fsum(parts)


def weigh(weights: Iterable[float], amounts: Iterable[float]) -> float:
    """The sum of the amounts of splits, each times its weight."""
    return math.fsum(weight * amount for weight, amount in zip(weights, amounts, strict=True))


def split_ends(
    question: DifficultyQuestion, order: Order, at: int, start: int, end: int
) -> tuple[float | None, float | None]:
    """The interval of a split: between thresholds, else from its least difficulty to its greatest."""
    if question.kind == "thresholds":
        edges = [0.0, *question.cuts, 1.0]
        at = len(edges) - 2 - at if order.high_is_easy else at
        return edges[at], edges[at + 1]
    if start == end:
        return None, None
    ends = sorted((order.values[start], order.values[end - 1]))
    return ends[0], ends[1]


def continuous(order: Order, question: DifficultyQuestion) -> list[float]:
    """The weight of each example along the order where there are no splits: 1 / B, or the confidence."""
    return inverses(order, question) if order.high_is_easy else list(order.values)


def inverses(order: Order, question: DifficultyQuestion) -> list[float]:
    """1 / B along an order, 0 where B = 0 is dropped, or with every B under `clip` raised to it."""
    least = question.clip if question.zeros == "clip" else 0.0
    return [0.0 if at in order.dropped else 1.0 / max(value, least) for at, value in enumerate(order.values)]


def clipped(order: Order, question: DifficultyQuestion) -> int:
    """How many B are raised to `clip`."""
    if not question.inverts or question.zeros != "clip":
        return 0
    return len(order.keys) - bisect_right(order.keys, -question.clip)


def mean_of(columns: Sequence[Sequence[float | None]]) -> list[float | None]:
    """The mean of columns, example by example; None where one of them has no value."""
    rows = zip(*columns, strict=True)
    return [None if None in row else math.fsum(row) / len(row) for row in rows]


def plain_number(text: str) -> float:
    """A percentage as a number, whole if it is."""
    return int(text) if text.isdigit() else float(text)
