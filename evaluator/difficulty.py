"""Rankings by what is hard: WSBias, WOOD and WMProb from per-example records.

Like `evaluator.dynascore` it imports the standard library only, runs in the visitor's browser too, and
gives the same bits on every Python from 3.11 on: counts are whole numbers, sums go through `math.fsum`.

Definition (Mishra & Arunkumar 2021, "How Robust are Model Rankings"): every example has a difficulty B
and belongs to a split with a weight W, and a model's metric is ``100 * sum(K W) / sum(d W)``, where K is
the reward d if its answer is right and the penalty e if it is wrong. For WSBias and WOOD a high B means
easy; for WMProb B is the model's own confidence, so that each model has its own order. Splits go from
the easiest (WMProb: the least confident) to the hardest (the most confident), and so do weights.
"""

from __future__ import annotations

import functools
import itertools
import json
import math
import random
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

#: The difficulty that is a model's own confidence; every other name is that of a stored source.
CONFIDENCE = "wmprob"
#: Reward and penalty of the cases that can be told from the paper's identities and the authors' tool.
CASES = {1: (1.0, -1.0), 2: (1.0, 0.0), 3: (0.0, -1.0), 4: (1.0, -0.5), 5: (0.5, -1.0)}
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
    "factor": ("one", "confidence", "difficulty"),
}
#: Values are rounded to this many digits, so that models that tie do so whatever their sums round to.
DIGITS = 9
#: Name and version of the definition; the version changes whenever numbers would.
DEFINITION = "difficulty/1"
#: What the paper's metrics are called in a sentence; any other stored difficulty goes by its name.
TITLES = {
    "wsbias-1": "WSBias 1",
    "wsbias-2": "WSBias 2",
    "wood": "WOOD",
    CONFIDENCE: "WMProb",
}
MOST_RESAMPLES = 100_000
#: Factors count in parts of this, as whole numbers: their sums do not depend on the order.
PARTS = 10**9

#: The name of a source, and which of its columns: the per cent of a WOOD, else nothing.
Key = tuple[str, str]
#: Weights are rounded to whole numbers of so many bits, the greatest weight having all of them set.
BITS = 16
#: What is left out at either end of an interval.
TAIL = 0.025


# How examples are divided: the question, the order, splits, ties and weights


@dataclass(frozen=True)
class Question:
    """What to rank by. Raises ValueError, naming field, value and mend, for anything impossible.

    `metric` is the name of a stored source or "wmprob"; `percent` says how much of the training set a WOOD
    looks at. Splits are equally populated, by `thresholds` on [0, 1] (None: `splits` equal intervals), or
    there are none and W is 1 / B ("wmprob": B). `reward` and `penalty` count where `case` is None, `weights`
    in place of `scale`. `factor` multiplies reward and penalty by the model's confidence or by B. `zeros`
    says what becomes of B = 0 under 1 / B: dropped, or every B under `clip` lifted to it.
    """

    metric: str
    percent: int = 10
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
                raise error(name, getattr(self, name), f"is none of {', '.join(known)}")
        _check_terms(self)
        _check_splits(self)

    @classmethod
    def read(cls, document: Mapping[str, Any]) -> Question:
        """The question that plain JSON data describe; fields left out are as in the class."""
        known = [one.name for one in fields(cls)]
        for name in document:
            if name not in known:
                raise ValueError(f"question: {name!r} is no field of it; use {', '.join(known)}")
        if not isinstance(document.get("metric"), str):
            raise error("metric", document.get("metric"), "is no name of a difficulty; name one")
        return cls(**document)

    @property
    def terms(self) -> tuple[float, float]:
        """Reward and penalty."""
        return (self.reward, self.penalty) if self.case is None else CASES[self.case]

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
        # Adding 0 turns -0.0, which a reader would wonder about, into 0.0.
        return round(100.0 * (reward * right + penalty * (total - right)) / whole, DIGITS) + 0.0


def error(name: str, value: object, problem: str) -> ValueError:
    """An error about a field of a question; `problem` ends with the mend."""
    return ValueError(f"{name}: {value!r} {problem}")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _check_terms(question: Question) -> None:
    if question.case is not None and question.case not in CASES:
        known = ", ".join(map(str, CASES))
        raise error("case", question.case, f"is none of {known}; or give reward and penalty and no case")
    for name, sign in (("reward", 1), ("penalty", -1)):
        value = getattr(question, name)
        if not _is_number(value) or sign * value < 0:
            bound = "0 or more" if sign > 0 else "0 or less"
            raise error(name, value, f"is not a number of {bound}; correct it")
    if question.case is None and not question.reward and not question.penalty:
        raise error("reward", question.reward, "and a penalty of 0 leave nothing to count; change one")
    if not _is_number(question.clip) or not 0 < question.clip <= 1:
        raise error("clip", question.clip, "is not over 0 and at most 1; correct it")


def _check_splits(question: Question) -> None:
    if not isinstance(question.splits, int) or not LEAST_SPLITS <= question.splits <= MOST_SPLITS:
        raise error("splits", question.splits, f"is not from {LEAST_SPLITS} to {MOST_SPLITS}; choose one")
    cuts = list(question.thresholds or [])
    if question.thresholds is not None and not LEAST_SPLITS <= len(cuts) + 1 <= MOST_SPLITS:
        bounds = f"{LEAST_SPLITS - 1} to {MOST_SPLITS - 1}"
        raise error("thresholds", cuts, f"are not {bounds} numbers; give one fewer than splits")
    if not all(_is_number(cut) and 0 <= cut <= 1 for cut in cuts) or cuts != sorted(cuts):
        raise error("thresholds", cuts, "are not ascending numbers from 0 to 1; put them in order")
    weights = question.weights
    if weights is None or question.kind == "continuous":
        return
    if len(weights) != question.count or not all(_is_number(weight) and weight >= 0 for weight in weights):
        raise error("weights", list(weights), f"are not {question.count} numbers of 0 or more, one a split")


class Order:
    """The examples that have a difficulty, from the first split to the last; ties in the dataset's order.

    `rows` are their places in the dataset, `values` their B and `keys` what ascends along them.
    """

    def __init__(self, values: Sequence[float | None], high_is_easy: bool) -> None:
        sign = -1.0 if high_is_easy else 1.0
        found = [(sign * value, row) for row, value in enumerate(values) if value is not None]
        found.sort()
        self.high_is_easy = high_is_easy
        self.keys = [key for key, _ in found]
        self.rows = [row for _, row in found]
        self.values = [sign * key + 0.0 for key in self.keys]

    def cut(self, threshold: float) -> int:
        """How many examples come before a threshold; one that is at it belongs to the interval above."""
        if self.high_is_easy:
            return bisect_right(self.keys, -threshold)
        return bisect_left(self.keys, threshold)

    def group(self, position: int) -> tuple[int, int]:
        """Where the examples of the same difficulty as the one at `position` start and end."""
        key = self.keys[position]
        return bisect_left(self.keys, key), bisect_right(self.keys, key)


#: Examples from one place of an order to another, of which so many in so many are meant.
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


def divide(order: Order, question: Question) -> Division:
    """Cut an order as the question says; under "mean" ties a split gets its share of every group it cuts."""
    bounds = _bounds(order, question)
    size = len(order.rows)
    groups = []
    for bound in bounds[1:-1]:
        if 0 < bound < size and order.keys[bound - 1] == order.keys[bound]:
            groups.append(order.group(bound))
    groups = list(dict.fromkeys(groups))
    shared = groups if question.ties == "mean" else []
    pieces = [_pieces(low, high, shared) for low, high in itertools.pairwise(bounds)]
    return Division(bounds, question.split_weights, groups, pieces)


def _bounds(order: Order, question: Question) -> list[int]:
    size, count = len(order.rows), question.count
    if question.kind == "thresholds":
        inner = sorted(map(order.cut, question.cuts))
        return [0, *inner, size]
    least, more = divmod(size, count)
    return list(itertools.accumulate([0, *(least + (split < more) for split in range(count))]))


def _pieces(low: int, high: int, groups: Iterable[tuple[int, int]]) -> list[Piece]:
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
    question: Question, order: Order, at: int, start: int, end: int
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


def continuous(order: Order, question: Question) -> tuple[list[float], dict[str, int]]:
    """The weight of each example that counts, along the order; and how many B were dropped or clipped."""
    if not order.high_is_easy:
        return list(order.values), {}
    size = len(order.rows)
    if question.zeros == "clip":
        clipped = size - bisect_right(order.keys, -question.clip)
        return [1.0 / max(value, question.clip) for value in order.values], {"clipped": clipped}
    # Keys are -B: B = 0 comes last.
    kept = bisect_left(order.keys, 0.0)
    return [1.0 / value for value in order.values[:kept]], {"zero": size - kept}


def tie_limits(
    question: Question, division: Division, rights: Sums, shares: Sums, wholes: Sums, total: float
) -> tuple[float | None, float | None]:
    """The least and the greatest value over all orders of the ties that boundaries run through.

    Whatever the order, a group fills the same places in the splits: the value is greatest where the right
    answers have the places that weigh most. All of a group must count alike, which confidences do not.
    """
    if question.factor == "confidence" and question.metric != CONFIDENCE:
        return None, None
    fixed: list[float] = []
    places: dict[tuple[int, int], list[tuple[float, int]]] = {group: [] for group in division.groups}
    for (low, high), weight in zip(itertools.pairwise(division.bounds), division.weights, strict=True):
        for start, end, share, size in _pieces(low, high, division.groups):
            if size == 1:
                fixed.append(weight * (shares[end] - shares[start]))
            else:
                places[start, end].append((weight, share))
    least, most = list(fixed), list(fixed)
    for (start, end), free in places.items():
        count, unit = rights[end] - rights[start], (wholes[end] - wholes[start]) / (end - start)
        least.append(unit * _filled(count, sorted(free)))
        most.append(unit * _filled(count, sorted(free, reverse=True)))
    return question.score(math.fsum(least), total), question.score(math.fsum(most), total)


def _filled(count: int, places: Iterable[tuple[float, int]]) -> float:
    """The weight of `count` examples that take the places in the order given."""
    weight = 0.0
    for each, room in places:
        taken = min(count, room)
        weight += each * taken
        count -= taken
    return weight


# Whether a difference is more than chance: examples resampled, the same for all models. Of a paired
# bootstrap it takes the quickest kind, double or nothing (Owen & Eckles 2012, "Bootstrapping data arrays of
# arbitrary order"): in each resample every example counts twice or not at all, with equal chance, which
# gives it the mean 1 and the variance 1 of an ordinary bootstrap. A resample is a row of random bits, and a
# sum a count of bits.


@dataclass(frozen=True)
class Vote:
    """A model in bits, one an example: where it is right, and its examples' weights by binary places."""

    right: int
    places: Sequence[int]


@dataclass(frozen=True)
class Resampled:
    """By model, one entry a resample: its value, its rank by it, and its rank by accuracy less that.

    None where a model has no value. Ranks are shared by models that tie.
    """

    values: dict[str, list[float | None]]
    ranks: dict[str, list[int | None]]
    moved: dict[str, list[int | None]]


def bits(flags: Sequence[int]) -> int:
    """A number with a bit for each flag, 0 or 1, the first flag lowest."""
    return int("".join(map(str, reversed(flags))) or "0", 2)


def places(weights: Sequence[float]) -> list[int]:
    """Weights of 0 or more by binary places, the highest first: entry n has a bit for each example.

    Whole weights that fit in are kept as they are, others only in proportion.
    """
    top = max(weights, default=0.0)
    if not top:
        return [0] * BITS
    whole = top < 1 << BITS and all(float(weight).is_integer() for weight in weights)
    scale = 1.0 if whole else ((1 << BITS) - 1) / top
    words = [format(round(weight * scale), f"0{BITS}b") for weight in reversed(weights)]
    return [int("".join(column), 2) for column in zip(*words, strict=True)]


def resample(
    votes: Mapping[str, Vote],
    examples: int,
    score: Callable[[float, float], float | None],
    resamples: int,
    seed: int,
) -> Resampled:
    """Values and ranks of the models in each resample of the examples.

    `score` makes a value of the weight of the right answers and of all. Same seed, same resamples.
    """
    chance = random.Random(seed)
    found = Resampled(_lists(votes), _lists(votes), _lists(votes))
    for _ in range(resamples):
        drawn = chance.getrandbits(examples)
        values = _values(votes, drawn, score)
        accuracies = [
            None if value is None else (vote.right & drawn).bit_count()
            for vote, value in zip(votes.values(), values, strict=True)
        ]
        ranked = zip(votes, values, ranks(values), ranks(accuracies), strict=True)
        for model, value, rank, accuracy_rank in ranked:
            found.values[model].append(value)
            found.ranks[model].append(rank)
            moved = None if rank is None or accuracy_rank is None else accuracy_rank - rank
            found.moved[model].append(moved)
    return found


def _lists(names: Iterable[str]) -> dict[str, list[Any]]:
    return {name: [] for name in names}


def _values(
    votes: Mapping[str, Vote], drawn: int, score: Callable[[float, float], float | None]
) -> list[float | None]:
    masked: dict[int, tuple[list[int], int]] = {}
    values = []
    for vote in votes.values():
        # Models that share weights share the list, so that it is masked once.
        if id(vote.places) not in masked:
            kept = [place & drawn for place in vote.places]
            masked[id(vote.places)] = kept, _amount(kept)
        kept, total = masked[id(vote.places)]
        values.append(score(_amount([place & vote.right for place in kept]), total))
    return values


def _amount(kept: Sequence[int]) -> int:
    amount = 0
    for place in kept:
        amount = 2 * amount + place.bit_count()
    return amount


def ranks(values: Sequence[float | None]) -> list[int | None]:
    """Ranks of values, the greatest first; equal ones share a rank, None has none."""
    ordered = sorted(-value for value in values if value is not None)
    return [None if value is None else bisect_left(ordered, -value) + 1 for value in values]


def interval(values: Sequence[float | None]) -> list[float] | None:
    """The 95 % percentile interval of what is there of `values`; None of nothing."""
    known = sorted(value for value in values if value is not None)
    cut = int(TAIL * len(known))
    return [known[cut], known[-1 - cut]] if known else None


# The ranking: samples, and what is said of them


@dataclass(frozen=True)
class Model:
    """A model's answers: 1 where one is right, else 0; how sure it was, 0 to 1, None where it did not say."""

    right: list[int]
    confidence: list[float | None]

    @functools.cached_property
    def marks(self) -> str:
        """Its answers in a row of 1 and 0."""
        return "".join(map(str, self.right))

    @functools.cached_property
    def correct(self) -> int:
        """How many of its answers are right."""
        return sum(self.right)

    @functools.cached_property
    def sure(self) -> int:
        """Of how many of its answers it says how sure it is."""
        return sum(value is not None for value in self.confidence)


@dataclass
class Split:
    """One split of one model: the difficulty from `low` to `high`, and what the model did there.

    `right` and `wrong` are whole numbers unless ties are shared out. `score` is the metric of the split
    alone and `accuracy` the share of right answers, in per cent; None where the split is empty.
    """

    low: float | None
    high: float | None
    examples: int
    weight: float
    right: float
    wrong: float
    score: float | None
    accuracy: float | None


@dataclass
class Row:
    """One model of an answer. `value`, `baseline`, accuracies and tie limits are in per cent.

    `accuracy` is over all examples, `accuracy_scored` over those that count here, `baseline` what `value`
    would be if these all had the weight 1. `lowest` and `highest` are over all orders of ties. Ranks, by
    accuracy too, are among the models that have a value.
    """

    model: str
    value: float | None
    accuracy: float
    accuracy_scored: float | None
    baseline: float | None
    lowest: float | None
    highest: float | None
    scored: int
    left_out: dict[str, int]
    ties: dict[str, int] = field(default_factory=lambda: {"groups": 0, "examples": 0})
    splits: list[Split] = field(default_factory=list)
    rank: int | None = None
    accuracy_rank: int | None = None
    accuracy_scored_rank: int | None = None

    def plain(self) -> dict[str, Any]:
        """The row as plain JSON data."""
        return vars(self) | {"splits": [vars(split) for split in self.splits]}


@dataclass(frozen=True)
class Answer:
    """The ranking that a question asks for: rows by rank, then by name, those without a value last."""

    question: Question
    direction: str
    examples: int
    rows: list[Row]
    notes: list[str]

    def plain(self) -> dict[str, Any]:
        """The answer as plain JSON data; what is each model's own under "wmprob" is null for all together."""
        shared = self.rows[0] if self.rows and self.question.metric != CONFIDENCE else None
        return {
            "metric": self.question.metric,
            "direction": self.direction,
            "examples": self.examples,
            "scored": shared.scored if shared else None,
            "left_out": shared.left_out if shared else None,
            "ties": shared.ties if shared else None,
            "splits": [_outline(split) for split in shared.splits] if shared else None,
            "models": [row.plain() for row in self.rows],
            "counts": self.counts(),
            "notes": self.notes,
        }

    def counts(self) -> list[str]:
        """Which samples count, and what becomes of ties, in sentences."""
        if not self.rows:
            return []
        if self.question.metric == CONFIDENCE:
            return ["Every model has an order of samples of its own, and splits of its own."]
        shared = self.rows[0]
        ties = [] if self.question.kind == "continuous" else [self._ties(shared.ties)]
        return [*_scored(self.examples, shared.scored, shared.left_out), *ties]

    def _ties(self, found: Mapping[str, int]) -> str:
        if not found["groups"]:
            return "No two splits share samples of the same difficulty, so the order of ties does not matter."
        fate = "share their mean weight" if self.question.ties == "mean" else "keep the dataset's order"
        return (
            f"Splits cut through {_counted(found['groups'], 'group')} of samples of the same difficulty,"
            f" {_counted(found['examples'], 'sample')} in all, which {fate}."
        )


def _scored(whole: int, scored: int, left_out: Mapping[str, int]) -> list[str]:
    all_count = scored == whole
    said = [
        f"All {_counted(whole, 'sample')} count."
        if all_count
        else f"{_count(scored)} of {_counted(whole, 'sample')} count."
    ]
    if left_out["no_difficulty"]:
        said.append(f"Left out without a difficulty value: {_count(left_out['no_difficulty'])}.")
    if left_out["zero"]:
        said.append(f"Left out with a difficulty of 0, which has no 1/B: {_count(left_out['zero'])}.")
    if left_out["clipped"]:
        said.append(f"Lifted to the least difficulty value: {_count(left_out['clipped'])}.")
    return said


def _counted(value: int, one: str) -> str:
    return f"{_count(value)} {one}" + ("" if value == 1 else "s")


def _count(value: int) -> str:
    """A whole number as the site writes it: grouped by narrow spaces once it has five digits."""
    return f"{value:,}".replace(",", "\u202f") if value >= 10_000 else str(value)


def _outline(split: Split) -> dict[str, Any]:
    return {name: getattr(split, name) for name in ("low", "high", "examples", "weight")}


class Samples:
    """The examples of a dataset with their difficulties, and what models answered; ready to be asked.

    Sorted once for each difficulty; sums of right answers along each order are kept, so that moving a
    threshold costs a look-up a model and split, however many examples there are.
    """

    def __init__(
        self, ids: Sequence[str], answers: Sequence[str], gold: Sequence[int], merge: Mapping[str, str]
    ) -> None:
        self.ids, self.answers, self.merge = list(ids), list(answers), dict(merge)
        self.gold = [self.answers[at] for at in gold]
        self.models: dict[str, Model] = {}
        self.labels: dict[str, str] = {}
        self.sources: dict[str, dict[str, list[float | None]]] = {}
        self._ids_sha256: str | None = None
        self._orders: dict[Key, Order] = {}
        self._sums: dict[tuple[Key, str, str], tuple[Sums, Sums]] = {}

    @classmethod
    def read(
        cls,
        examples: Mapping[str, Any],
        predictions: Mapping[str, Mapping[str, Any]],
        difficulties: Iterable[Mapping[str, Any]] = (),
        labels: Mapping[str, str] | None = None,
    ) -> Samples:
        """From plain JSON records: `Examples` with gold labels, `PredictionSet` by model id, `Difficulty`.

        `labels` are the models' names for people. Raises ValueError naming record, field, value and mend.
        """
        gold = examples.get("gold")
        if gold is None:
            raise ValueError(
                f"examples of {examples.get('dataset')}: gold: missing; rankings by difficulty need the gold"
                " labels: set show_gold = true for the dataset in the board file and rescore it"
            )
        samples = cls(examples["ids"], examples["labels"], gold, examples.get("merge", {}))
        for record in difficulties:
            samples._add_source(record)
        for model, record in predictions.items():
            samples.add(model, record)
        samples.labels = dict(labels or {})
        return samples

    def metrics(self) -> dict[str, list[int]]:
        """What may be asked for: the percentages of each stored source, none for most; "wmprob" last."""
        found = {name: sorted(int(one) for one in columns if one) for name, columns in self.sources.items()}
        sure = any(model.sure for model in self.models.values())
        return found | ({CONFIDENCE: []} if sure else {})

    def add(self, model: str, record: Mapping[str, Any]) -> None:
        """Take a model's predictions, a plain `PredictionSet`, in place of what it had."""
        where = f"predictions of {model}"
        predicted, names = record.get("predicted"), record.get("labels", [])
        if predicted is None:
            raise ValueError(
                f"{where}: predicted: missing; only answers that are labels can be right or wrong"
            )
        self._check(record, len(predicted), f"{where}: predicted")
        meant = [self.merge.get(name, name) for name in names]
        right = [int(at >= 0 and meant[at] == gold) for at, gold in zip(predicted, self.gold, strict=True)]
        self.remove(model)
        self.models[model] = Model(right, _confidence(record, predicted, names))

    def remove(self, model: str) -> None:
        """Forget a model, if it is there."""
        self.models.pop(model, None)
        self._orders.pop((CONFIDENCE, model), None)
        self._sums = {key: sums for key, sums in self._sums.items() if key[1] != model}

    def answer(self, question: Question) -> Answer:
        """Rank the models that the question names. Raises ValueError for a name that is not there."""
        chosen = self._chosen(question)
        divided: dict[Key, Division] = {}
        rows = []
        for model in chosen:
            key, order = self._order(question, model)
            if question.kind == "continuous":
                rows.append(self._continuous_row(question, model, key, order))
                continue
            if key not in divided:
                divided[key] = divide(order, question)
            rows.append(self._split_row(question, model, key, divided[key]))
        valued = [row for row in rows if row.value is not None]
        for value, rank in (
            ("value", "rank"),
            ("accuracy", "accuracy_rank"),
            ("accuracy_scored", "accuracy_scored_rank"),
        ):
            for row, place in zip(valued, ranks([getattr(row, value) for row in valued]), strict=True):
                setattr(row, rank, place)
        last = len(rows) + 1
        rows.sort(key=lambda row: (row.rank or last, row.model))
        direction = "hard-high" if question.metric == CONFIDENCE else "easy-high"
        return Answer(question, direction, len(self.ids), rows, self._notes(question, rows))

    def points(self, question: Question) -> dict[str, Any]:
        """What drawings show of each example: its difficulty, its split (-1: none), and who is right.

        Under "wmprob", difficulty and split are by model. Ties are cut in the dataset's order.
        """
        chosen = self._chosen(question)
        found = {model: self._places(question, model) for model in chosen}
        difficulty = {model: values for model, (values, _) in found.items()}
        split = {model: places for model, (_, places) in found.items()}
        shared = question.metric != CONFIDENCE and bool(chosen)
        return {
            "difficulty": difficulty[chosen[0]] if shared else difficulty,
            "split": split[chosen[0]] if shared else split,
            "right": {model: self.models[model].marks for model in chosen},
        }

    def noise(self, question: Question, resamples: int = 1000, seed: int = 0) -> dict[str, Any]:
        """What chance may do to an answer: 95 % intervals over resamples, the same for all models.

        Difficulties and splits stay as they are. `moved` is how many ranks a model gains against the ranking
        by accuracy; a swap is a pair in another order than by accuracy, and its share that of the resamples
        in which the new order holds. Sentences say which changes of rank are within noise.
        """
        if not 1 <= resamples <= MOST_RESAMPLES:
            raise error("resamples", resamples, f"is not from 1 to {MOST_RESAMPLES}; choose one")
        rows = [row for row in self.answer(question).rows if row.value is not None]
        found = resample(self._votes(question, rows), len(self.ids), question.score, resamples, seed)
        swaps = [_swap(up, down, found) for up in rows for down in rows if _swapped(up, down)]
        moved = {row.model: interval(found.moved[row.model]) for row in rows}
        return {
            "resamples": resamples,
            "models": {
                row.model: {
                    "value": interval(found.values[row.model]),
                    "rank": interval(found.ranks[row.model]),
                    "moved": moved[row.model],
                }
                for row in rows
            },
            "swaps": swaps,
            "sentences": self._sentences(question, rows, moved),
        }

    def label(self, model: str) -> str:
        """What people call a model."""
        return self.labels.get(model, model)

    def _add_source(self, record: Mapping[str, Any]) -> None:
        name = record["name"]
        values = record.get("values")
        columns = record.get("percentages") or {} if values is None else {"": values}
        for column in columns.values():
            self._check(record, len(column), f"difficulty {name}: values")
        self.sources[name] = {percent: list(column) for percent, column in columns.items()}

    def _check(self, record: Mapping[str, Any], rows: int, where: str) -> None:
        """Refuse a record about other examples than those that are here."""
        if rows != len(self.ids):
            raise ValueError(f"{where}: {rows} for {len(self.ids)} examples; take those of the same revision")
        found = record.get("ids_sha256")
        self._ids_sha256 = self._ids_sha256 or found
        if found not in (None, self._ids_sha256):
            mend = "take those of one revision"
            raise ValueError(f"{where}: ids_sha256: {found} is not {self._ids_sha256}; {mend}")

    def _chosen(self, question: Question) -> list[str]:
        for model in question.models or ():
            if model not in self.models:
                raise error("models", model, f"is none of {', '.join(self.models)}")
        if question.metric != CONFIDENCE:
            self._column(question)
        return list(dict.fromkeys(question.models if question.models is not None else self.models))

    def _column(self, question: Question) -> str:
        """Which column of a source is asked for."""
        if question.metric not in self.sources:
            known = ", ".join(self.metrics()) or "none: nothing is stored for the dataset"
            raise error("metric", question.metric, f"is none of the difficulties here, {known}")
        columns = self.sources[question.metric]
        column = "" if "" in columns else str(question.percent)
        if column not in columns:
            raise error("percent", question.percent, f"is none of those stored, {', '.join(columns)}")
        return column

    def _values(self, question: Question, model: str) -> tuple[Key, Sequence[float | None]]:
        """The difficulty of every example, for a model, and under which key what follows from it is kept."""
        if question.metric == CONFIDENCE:
            return (CONFIDENCE, model), self.models[model].confidence
        column = self._column(question)
        return (question.metric, column), self.sources[question.metric][column]

    def _order(self, question: Question, model: str) -> tuple[Key, Order]:
        key, values = self._values(question, model)
        if key not in self._orders:
            self._orders[key] = Order(values, question.metric != CONFIDENCE)
        return key, self._orders[key]

    def _along(self, key: Key, model: str, factor: str) -> tuple[Sums, Sums]:
        """Sums of factors along an order: of the right answers, and of all."""
        known = self._sums.get((key, model, factor))
        if known is None:
            order, right = self._orders[key], self.models[model].right
            factors = self._factors(order, model, factor)
            rights = [right[row] * part for row, part in zip(order.rows, factors, strict=True)]
            total = range(len(order.rows) + 1) if factor == "one" else _accumulated(factors)
            known = self._sums[key, model, factor] = _accumulated(rights), total
        return known

    def _factors(self, order: Order, model: str, factor: str) -> list[int]:
        """What multiplies reward and penalty along an order, in `PARTS` unless it is one."""
        if factor == "one":
            return [1] * len(order.rows)
        sure = self.models[model].confidence
        values = order.values if factor == "difficulty" else [sure[row] or 0.0 for row in order.rows]
        return [round(value * PARTS) for value in values]

    def _split_row(self, question: Question, model: str, key: Key, division: Division) -> Row:
        order = self._orders[key]
        rights, _ = self._along(key, model, "one")
        shares, wholes = self._along(key, model, question.factor)
        parts = [between(pieces, shares) for pieces in division.pieces]
        totals = [between(pieces, wholes) for pieces in division.pieces]
        right, total = weigh(division.weights, parts), weigh(division.weights, totals)
        value = question.score(right, total)
        limits = (value, value)
        if division.groups:
            limits = tie_limits(question, division, rights, shares, wholes, total)
        row = self._row(question, model, order, rights, value, limits)
        row.ties = {
            "groups": len(division.groups),
            "examples": sum(end - start for start, end in division.groups),
        }
        for at, (pieces, part, whole) in enumerate(zip(division.pieces, parts, totals, strict=True)):
            right, score = between(pieces, rights), question.score(part, whole)
            row.splits.append(_split(question, order, division, at, right, score))
        return row

    def _continuous_row(self, question: Question, model: str, key: Key, order: Order) -> Row:
        rights, _ = self._along(key, model, "one")
        weights, left_out = continuous(order, question)
        factors = self._factors(order, model, question.factor)[: len(weights)]
        amounts = [weight * factor for weight, factor in zip(weights, factors, strict=True)]
        right = self.models[model].right
        value = question.score(
            math.fsum(amount for amount, at in zip(amounts, order.rows, strict=False) if right[at]),
            math.fsum(amounts),
        )
        row = self._row(question, model, order, rights[: len(weights) + 1], value, (value, value))
        row.left_out |= left_out
        return row

    def _row(
        self,
        question: Question,
        model: str,
        order: Order,
        rights: Sums,
        value: float | None,
        limits: tuple[float | None, float | None],
    ) -> Row:
        """What is said of a model whatever the kind of splits; `rights` are of the examples that count."""
        scored = len(rights) - 1
        return Row(
            model=model,
            value=value,
            accuracy=_percent(self.models[model].correct, len(self.ids)) or 0.0,
            accuracy_scored=_percent(rights[-1], scored),
            baseline=question.score(rights[-1], scored),
            lowest=limits[0],
            highest=limits[1],
            scored=scored,
            left_out={"no_difficulty": len(self.ids) - len(order.rows), "zero": 0, "clipped": 0},
        )

    def _places(self, question: Question, model: str) -> tuple[Sequence[float | None], list[int]]:
        """The difficulty of each example and its split, -1 where it has none."""
        order = self._order(question, model)[1]
        values = self._values(question, model)[1]
        places = [-1] * len(self.ids)
        if question.kind != "continuous":
            bounds = divide(order, question).bounds
            for split, (low, high) in enumerate(itertools.pairwise(bounds)):
                for row in order.rows[low:high]:
                    places[row] = split
        return values, places

    def _votes(self, question: Question, rows: Sequence[Row]) -> dict[str, Vote]:
        """The models in bits, those with the same weights sharing their places."""
        known: dict[tuple[Key, str], list[int]] = {}
        votes = {}
        for row in rows:
            key, order = self._order(question, row.model)
            whose = key, row.model if question.factor == "confidence" else ""
            if whose not in known:
                known[whose] = places(self._weights(question, row.model, order))
            votes[row.model] = Vote(bits(self.models[row.model].right), known[whose])
        return votes

    def _weights(self, question: Question, model: str, order: Order) -> list[float]:
        """What each example of the dataset weighs, its factor included; 0 where it does not count."""
        if question.kind == "continuous":
            along, _ = continuous(order, question)
        else:
            along = divide(order, question).each()
        weights = [0.0] * len(self.ids)
        factors = self._factors(order, model, question.factor)
        for row, weight, factor in zip(order.rows, along, factors, strict=False):
            weights[row] = weight * factor
        return weights

    def _sentences(
        self,
        question: Question,
        rows: Sequence[Row],
        moved: Mapping[str, Sequence[float] | None],
    ) -> list[str]:
        """A sentence for each model whose rank is another than by accuracy: is that more than noise?"""
        title = TITLES.get(question.metric, question.metric)
        changed = [row for row in rows if row.rank != row.accuracy_rank]
        if not changed:
            return [f"By {title} every model has the rank that it has by accuracy."] if rows else []
        sentences = []
        for row in changed:
            low, high = moved[row.model] or (0, 0)
            verdict = "within noise" if low <= 0 <= high else "more than noise"
            sentence = f"{self.label(row.model)} is number {row.rank} by {title} and number"
            sentence += f" {row.accuracy_rank} by accuracy; that is {verdict}: {_span(low, high)}."
            if row.accuracy_scored_rank == row.rank:
                sentence += " Accuracy on the examples that count here gives it the same rank."
            sentences.append(sentence)
        return sentences

    def _notes(self, question: Question, rows: Sequence[Row]) -> list[str]:
        """What a reader should know of the answer and does not see in its numbers."""
        notes = []
        if question.kind != "continuous" and not any(question.split_weights):
            notes.append("All splits weigh 0: there is nothing to rank by.")
        for row in rows:
            sure = self.models[row.model].sure
            missing = len(self.ids) - sure
            if missing and (question.metric == CONFIDENCE or question.factor == "confidence"):
                notes.append(self._unsure(row.model, sure, missing))
        if question.factor == "confidence" and any(row.ties["groups"] for row in rows):
            notes.append("How far the order of ties matters is not known where confidence counts.")
        return notes

    def _unsure(self, model: str, sure: int, missing: int) -> str:
        if not sure:
            return f"{self.label(model)} says of no answer how sure it is, and so has no value."
        what = "answer" if missing == 1 else "answers"
        return f"{self.label(model)} does not say how sure it is of {missing} {what}; these do not count."


def _swapped(up: Row, down: Row) -> bool:
    """Whether the first is better by the metric and the second by accuracy."""
    return (up.rank or 0) < (down.rank or 0) and up.accuracy < down.accuracy


def _swap(up: Row, down: Row, found: Resampled) -> dict[str, Any]:
    pairs = zip(found.values[up.model], found.values[down.model], strict=True)
    held = [a > b for a, b in pairs if a is not None and b is not None]
    return {"up": up.model, "down": down.model, "share": sum(held) / len(held) if held else 0.0}


def _span(low: float, high: float) -> str:
    """From how far down to how far up 95 % of the resamples move a model."""
    ends = [
        f"{abs(end):g} up" if end > 0 else f"{abs(end):g} down" if end < 0 else "0" for end in (low, high)
    ]
    span = ends[0] if low == high else f"{ends[0]} to {ends[1]}"
    return f"95 % of resamples move it by {span}"


def _percent(part: float, whole: float) -> float | None:
    return round(100.0 * part / whole, DIGITS) if whole else None


def _accumulated(values: Iterable[int]) -> list[int]:
    return list(itertools.accumulate(values, initial=0))


def _confidence(
    record: Mapping[str, Any], predicted: Sequence[int], names: Sequence[str]
) -> list[float | None]:
    """How sure a model was of each of its answers, in [0, 1]; None where it does not say."""
    whole = record["resolution"]
    if record.get("confidence") is not None:
        return [None if part is None else part / whole for part in record["confidence"]]
    columns = record.get("probabilities")
    if not columns:
        return [None] * len(predicted)
    shares = [columns[name] for name in names if name in columns]
    return [_share(parts, at, whole) for at, parts in zip(predicted, zip(*shares, strict=True), strict=True)]


def _share(parts: Sequence[int | None], at: int, whole: int) -> float | None:
    """The probability of the answer; the last label's is what the others leave."""
    known = [part for part in parts if part is not None]
    if at < 0 or len(known) < len(parts):
        return None
    return (parts[at] if at < len(parts) else max(0, whole - sum(known))) / whole  # type: ignore[operator]


def _split(
    question: Question, order: Order, division: Division, at: int, right: float, score: float | None
) -> Split:
    start, end = division.bounds[at], division.bounds[at + 1]
    low, high = split_ends(question, order, at, start, end)
    examples = end - start
    return Split(
        low,
        high,
        examples,
        division.weights[at],
        right,
        examples - right,
        score,
        _percent(right, examples),
    )


def full_table(samples: Samples) -> dict[str, Any]:
    """Every model by every difficulty, percentage, case, kind of splits and handling of ties.

    Columns are in the order of `models`: values and tie limits in per cent, ranks; None where undefined.
    Splits are 7 equal ones or none ("continuous", which ties do not touch); the scale is linear.
    """
    models = sorted(samples.models)
    table = [_table_row(samples, question, models) for question in _all_questions(samples)]
    accuracy = [_percent(samples.models[model].correct, len(samples.ids)) for model in models]
    return {"definition": DEFINITION, "models": models, "accuracy": accuracy, "rows": table}


def _all_questions(samples: Samples) -> Iterator[Question]:
    for metric, percents in samples.metrics().items():
        for percent, case in itertools.product(percents or [Question.percent], CASES):
            for ties in CHOICES["ties"]:
                yield Question(metric, percent=percent, case=case, ties=ties)
            yield Question(metric, percent=percent, case=case, kind="continuous")


def _table_row(samples: Samples, question: Question, models: Sequence[str]) -> dict[str, Any]:
    found = {row.model: row for row in samples.answer(question).rows}
    rows = [found[model] for model in models]
    percents = samples.metrics()[question.metric]
    return {
        "metric": question.metric,
        "percent": question.percent if percents else None,
        "case": question.case,
        "kind": question.kind,
        "ties": question.ties if question.kind == "equal" else None,
        "scored": [row.scored for row in rows],
        **{name: [getattr(row, name) for row in rows] for name in ("value", "rank", "lowest", "highest")},
    }


def open_samples(text: str) -> Samples:
    """`Samples` for a page: ``{"examples", "predictions": {id: record}, "difficulties", "labels"}``."""
    asked = json.loads(text)
    return Samples.read(
        asked["examples"], asked["predictions"], asked.get("difficulties", ()), asked.get("labels")
    )


def answer_json(samples: Samples, text: str) -> str:
    """`Samples.answer` for a page: a question's fields in, the plain answer out."""
    return _json(samples.answer(Question.read(json.loads(text))).plain())


def points_json(samples: Samples, text: str) -> str:
    """`Samples.points` for a page: a question's fields in."""
    return _json(samples.points(Question.read(json.loads(text))))


def noise_json(samples: Samples, text: str) -> str:
    """`Samples.noise` for a page: ``{"question": {...}, "resamples", "seed"}`` in."""
    asked = json.loads(text)
    question = Question.read(asked["question"])
    return _json(samples.noise(question, asked.get("resamples", 1000), asked.get("seed", 0)))


def metrics_json(samples: Samples) -> str:
    """`Samples.metrics` for a page."""
    return _json(samples.metrics())


def remove_json(samples: Samples, text: str) -> str:
    """`Samples.remove` for a page: ``{"model"}`` in, ``{}`` out."""
    samples.remove(json.loads(text)["model"])
    return _json({})


def _json(document: Any) -> str:
    return json.dumps(document, allow_nan=False, separators=(",", ":"))
