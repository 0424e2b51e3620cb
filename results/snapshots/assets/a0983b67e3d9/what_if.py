"""What if the weights were others, or a model were not there? Which weight puts a model first, under how many
weightings it leads, where a leader is certain, and who changes place once a model leaves the board.

Standard library only, since pages ask it. Exchange rates stay as they are while weights of metrics move; so
a score is linear in the weights and its variance quadratic, and both are known everywhere once they are
known at a few weightings. What takes long goes in steps, between which a browser answers other questions.
"""

from __future__ import annotations

import functools
import itertools
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from evaluator.rank.dynascore import Board, Column, Question
from evaluator.rank.moves import Place, moved
from evaluator.rank.rank_sets import Certainty
from evaluator.rank.significance import MANY, Evidence, Rivals
from evaluator.rank.tradeoffs import NOBODY, corner_weights, triangle

#: How many weightings `weightings` gives.
WEIGHTINGS = 1000
#: A step looks at about so many pairs of models: a few thousandths of a second in a browser.
STEP = 2000
#: The largest weight that a page takes.
LARGEST = 1000.0
#: A weight is rounded as far as that makes the change larger by no more than this part of it.
ROUNDED = 0.1
#: A change that takes more decimals than this, less one, is none that a person would make.
DIGITS = 7


def weightings(metrics: int) -> Iterator[list[float]]:
    """A fixed set of ways to share one weight between so many metrics, spread evenly over all there are.

    They are the gaps between the sorted numbers of a point of a Kronecker sequence (multiples of the square
    roots of primes, without their whole parts: Niederreiter 1992, section 3.1), the same on every machine.
    """
    roots = [math.sqrt(prime) for prime in _primes(metrics - 1)]
    for turn in range(1, WEIGHTINGS + 1):
        ends = [0.0, *sorted([turn * root % 1.0 for root in roots]), 1.0]
        yield [high - low for low, high in itertools.pairwise(ends)]


class Mixtures:
    """Scores, and the variances of their differences, at mixtures of a few weightings of the same total.

    A mixture is what part of each is in it; the parts make 1.
    """

    def __init__(self, certainty: Certainty, question: Question, ends: Sequence[Mapping[str, float]]) -> None:
        self.certainty, self.size = certainty, len(certainty.board.models)
        self.questions = [replace(question, metrics=weights) for weights in ends]
        columns = [certainty.board.columns(one) for one in self.questions]
        self._scores = [column.scores if column.z_scores is None else column.z_scores for column in columns]
        pairs = list(zip(self.questions, columns, strict=True))
        self._unknown = [frozenset(certainty.reasons(one, column)) for one, column in pairs]
        # Between the ends all metrics have weight: a pair that is published at one of them is so throughout.
        self._published = frozenset().union(*(certainty.published(one, column) for one, column in pairs))
        self._ends = [certainty.variances(one, column) for one, column in pairs]
        self.spread = functools.cache(self._spread)

    def scores(self, parts: Sequence[float]) -> Column:
        """By model, NaN where it is not ranked."""
        total = [0.0] * self.size
        for part, column in zip(parts, self._scores, strict=True):
            if part:
                total = [before + part * score for before, score in zip(total, column, strict=True)]
        return total

    def unknown(self, parts: Sequence[float]) -> frozenset[int]:
        """The models of which it is not known how their scores vary, or that are not ranked."""
        live = [models for part, models in zip(parts, self._unknown, strict=True) if part]
        return live[0].union(*live[1:]) if live else frozenset()

    def rivals(self, parts: Sequence[float], ranked: int) -> Rivals:
        """Which of so many ranked models are significantly above one in its rank set, or below."""
        live = [end.evidence for part, end in zip(parts, self._ends, strict=True) if part]
        return Rivals(ranked, evidence=functools.reduce(Evidence.fewer, live, MANY))

    def _spread(self, model: int) -> list[tuple[int, int, Column]]:
        """For two of the ends, or one twice, what the product of their parts adds to the variances of the
        differences between a model and each."""
        own = [self._row(question, model) for question in self.questions]
        found = [(a, a, row) for a, row in enumerate(own)]
        for a, b in itertools.combinations(range(len(own)), 2):
            rows = zip(self._row(self._halfway(a, b), model), own[a], own[b], strict=True)
            found.append((a, b, [h if h == math.inf else 4.0 * h - one - other for h, one, other in rows]))
        return found

    def _halfway(self, a: int, b: int) -> Question:
        one, other = ({**self.questions[end].metrics} for end in (a, b))  # type: ignore[dict-item]
        names = dict.fromkeys([*one, *other])
        return replace(
            self.questions[a], metrics={n: one.get(n, 0.0) / 2 + other.get(n, 0.0) / 2 for n in names}
        )

    def _row(self, question: Question, model: int) -> Column:
        columns = self.certainty.board.columns(question)
        found = self.certainty.variances(question, columns, self._published)
        return [*found.before(model), 0.0, *found.after(model)]

    def variance(self, model: int, other: int, parts: Sequence[float]) -> float:
        """Of the difference between two models' scores; 0 at least, whatever the sum rounds to."""
        terms = [
            parts[a] * parts[b] * row[other] for a, b, row in self.spread(model) if parts[a] and parts[b]
        ]
        return max(0.0, math.fsum(terms))

    def ratio(self, model: int, other: int, scores: Column, parts: Sequence[float]) -> float:
        """The difference of two models' scores less bias, over its standard error."""
        pair = (model, other) if scores[model] > scores[other] else (other, model)
        bias = math.fsum(part * end.bias(*pair) for part, end in zip(parts, self._ends, strict=True) if part)
        gap = abs(scores[model] - scores[other]) - bias
        error = math.sqrt(self.variance(model, other, parts))
        return 0.0 if gap <= 0.0 else gap / error if error else math.inf


@dataclass(frozen=True)
class Change:
    """The weight of one metric that would be another, and the model that leads then."""

    metric: str
    weight: float
    leader: int


class FirstPlace:
    """What would put a model first: a change of one weight, and the share of all weightings that do.

    The weightings are over the metrics that have weight in the question. Raises ValueError for a model that
    is not on the board.
    """

    def __init__(self, certainty: Certainty, question: Question, model: str) -> None:
        if model not in certainty.board.models:
            raise ValueError(f"model: {model!r} is none of {', '.join(certainty.board.models)}")
        self.board, self.question = certainty.board, question
        self.model = self.board.models.index(model)
        shares, scale = self.board.metric_shares(question.metrics) or {}, self.board.scale(question)
        # What no model has a value for takes no part in any weighting.
        self.metrics = list(self.board.taking_part(scale, shares)) if scale.rates else []
        self.mixtures = Mixtures(certainty, question, [{name: 1.0} for name in self.metrics])
        self.todo = list(weightings(len(self.metrics))) if self.metrics else []
        self.all, self.led, self.level_with = len(self.todo), 0.0, 0.0
        self.known = True

    def step(self) -> bool:
        """Look at some more weightings; whether that was all."""
        for _ in range(max(1, STEP // (1 + self.mixtures.size))):
            if not self.todo:
                break
            self._look(self.todo.pop())
        return not self.todo

    def _look(self, parts: Sequence[float]) -> None:
        scores = self.mixtures.scores(parts)
        rivals = [index for index, score in enumerate(scores) if score == score]
        held = [index for index in rivals if index not in self.board.floored] or rivals
        if self.model not in held:
            return
        best = max([scores[index] for index in held])
        if scores[self.model] == best:
            self.led += 1.0
        elif self.model in self.mixtures.unknown(parts):
            self.known = False
        else:
            # The clearest rival first: as a rule it decides.
            order = sorted(held, key=scores.__getitem__, reverse=True)
            clear = self.mixtures.rivals(parts, len(rivals)).clear
            self.level_with += not self._is_beaten(order, scores, parts, clear)

    def _is_beaten(self, order: Sequence[int], scores: Column, parts: Sequence[float], clear: float) -> bool:
        unknown = self.mixtures.unknown(parts)
        return any(
            other not in unknown and self.mixtures.ratio(self.model, other, scores, parts) > clear
            for other in itertools.takewhile(lambda index: scores[index] > scores[self.model], order)
        )

    def json(self) -> str:
        """After the last step, for a page.

        ``share`` of weightings are those under which the model leads, ``level`` those where it is in a dead
        heat with another leader (None: unknown), of ``weighed`` metrics. ``change`` is the `Change`, or None,
        after which it leads, or another does if it ``leads`` already.
        """
        change = smallest_change(self.board, self.question, self.model) if self.all else None
        return json.dumps(
            {
                "leads": bool(self.all) and _leader(self.board, self.question) == self.model,
                "floored": self.model in self.board.floored,
                "change": change and vars(change),
                "weighed": len(self.metrics),
                "share": self.led / self.all if self.all else None,
                "level": self.level_with / self.all if self.all and self.known else None,
            },
            allow_nan=False,
        )


def smallest_change(board: Board, question: Question, model: int) -> Change | None:
    """The weight of one metric nearest to its present one that puts a model first, or that ends its lead.

    None where no weight of one metric does. The weight has few digits. `model` is an index of the board.
    """
    weights = dict(board.default_weights() if question.metrics is None else question.metrics)
    asked = replace(question, metrics=weights)
    leads = _leader(board, asked) == model
    lines = _Lines(board, asked)
    found: list[tuple[float, Change]] = []
    for name in board.metrics:
        before = weights.get(name, 0.0)
        for weight in lines.ends(name, model, before, leads):
            leader = _leader(board, replace(asked, metrics={**weights, name: weight}))
            if leader is not None and (leader == model) != leads:
                found.append((abs(weight - before), Change(name, weight, leader)))
                break
    return min(found, key=lambda one: one[0])[1] if found else None


class _Lines:
    """Each score as a line over one metric's weight: where it starts, and what each unit of weight adds."""

    def __init__(self, board: Board, question: Question) -> None:
        scale, weights = board.scale(question), question.metrics or {}
        shares = board.metric_shares(weights) or {}
        taking_part = board.taking_part(scale, shares) if scale.rates else {}
        self.weights = {name: weights[name] for name in taking_part}
        units = [(name, board.columns(replace(question, metrics={name: 1.0}))) for name in board.metrics]
        self.units = {
            name: column.scores if column.z_scores is None else column.z_scores for name, column in units
        }
        self.floored = board.floored

    def ends(self, name: str, model: int, before: float, leads: bool) -> Iterator[float]:
        """Weights to try, the nearest first: around those where the model starts to lead, or stops."""
        low, high = self._range(name, model)
        if low > high:
            return
        if leads:
            near = sorted([end for end in (low, high) if 0.0 < end < LARGEST], key=lambda e: abs(e - before))
            for end in near:
                yield from _rounded(end, before)
        elif before < low:
            yield from (weight for weight in _rounded(low, before) if weight <= high)
        elif before > high:
            yield from (weight for weight in _rounded(high, before) if weight >= low)
        if before:
            yield 0.0

    def _range(self, name: str, model: int) -> tuple[float, float]:
        """From which weight to which the model leads; the first is above the second if none."""
        starts = self._starts(name)
        slopes = self.units[name]
        low, high = 0.0, LARGEST
        for other, (start, slope) in enumerate(zip(starts, slopes, strict=True)):
            gap, gain = starts[model] - start, slopes[model] - slope
            if other == model or other in self.floored or start != start or slope != slope:
                continue
            if gain > 0.0:
                low = max(low, -gap / gain)
            elif gain < 0.0:
                high = min(high, gap / -gain)
            elif gap < 0.0:
                return 1.0, 0.0
        return (low, high) if gap == gap else (1.0, 0.0)

    def _starts(self, name: str) -> Column:
        """The scores without the metric, times the total of the weights."""
        total = [0.0] * len(self.units[name])
        for other, weight in self.weights.items():
            if weight and other != name:
                total = [a + weight * b for a, b in zip(total, self.units[other], strict=True)]
        return total


def _rounded(end: float, before: float) -> Iterator[float]:
    """Weights just past an end, as seen from the present one: first with the fewest digits that do."""
    for decimals in range(DIGITS):
        scale = 10.0**decimals
        whole = math.floor(end * scale) + 1 if end >= before else math.ceil(end * scale) - 1
        weight = whole / scale
        if 0.0 <= weight <= LARGEST and abs(weight - end) <= ROUNDED * abs(end - before):
            yield weight


def _leader(board: Board, question: Question) -> int | None:
    """The model that is first; None where no model is ranked, or two share the place."""
    columns = board.columns(question)
    first = [index for index in columns.order if columns.ranks[index] == 1.0]
    return first[0] if len(first) == 1 else None


class Certain:
    """Where in a triangle between three metrics the leader is certain: where its rank set is the first alone.

    The points are those of `evaluator.rank.tradeoffs.triangle`, which see.
    """

    def __init__(self, certainty: Certainty, question: Question, metrics: Sequence[str], steps: int) -> None:
        self.steps, self.floored = steps, certainty.board.floored
        self.winners = triangle(certainty.board, question, metrics, steps)
        self.mixtures = Mixtures(
            certainty, question, list(corner_weights(certainty.board, question, metrics))
        )
        grid = [(i, j) for i in range(steps + 1) for j in range(steps - i + 1)]
        self.todo = list(zip(grid, self.winners, strict=True))
        self.found: list[int] = []

    def step(self) -> bool:
        """Look at some more points; whether that was all."""
        for _ in range(max(1, STEP // (1 + self.mixtures.size))):
            if len(self.found) == len(self.todo):
                break
            (i, j), winner = self.todo[len(self.found)]
            parts = (i / self.steps, j / self.steps, (self.steps - i - j) / self.steps)
            self.found.append(int(self._alone(winner, parts)))
        return len(self.found) == len(self.todo)

    def _alone(self, winner: int, parts: Sequence[float]) -> bool:
        if winner == NOBODY:
            return True
        scores, unknown = self.mixtures.scores(parts), self.mixtures.unknown(parts)
        rivals = [index for index, score in enumerate(scores) if score == score and index != winner]
        told = self.mixtures.rivals(parts, 1 + len(rivals))
        rivals = [other for other in rivals if winner in self.floored or other not in self.floored]
        rivals.sort(key=scores.__getitem__, reverse=True)
        if winner in unknown or not unknown.isdisjoint(rivals):
            return False
        ratios = []
        for other in rivals:
            ratios.append(self.mixtures.ratio(winner, other, scores, parts))
            if ratios[-1] <= told.least:
                return False
        return told.significant(ratios) == len(ratios)

    def json(self) -> str:
        """After the last step: 1 for each point where the leader is certain or nobody is ranked, else 0."""
        return json.dumps(self.found)


class Leaving:
    """How the order of the others changes when one model leaves the board, and the exchange rates with it."""

    def __init__(self, board: Board, question: Question) -> None:
        self.board = board
        columns = board.columns(question)
        self.left = [index for index in range(len(board.models)) if index not in columns.scale.out]
        # Of the models left, limits leave every one.
        self.question = replace(question, among=None, limits=None)
        self.order = [index for index in columns.order if columns.ranks[index] == columns.ranks[index]]
        self.todo = list(self.order)
        self.moves: dict[int, list[tuple[int, int, int]]] = {}

    def step(self) -> bool:
        """Let one more model leave; whether it was the last."""
        if self.todo:
            model = self.todo.pop()
            if found := self._without(model):
                self.moves[model] = found
        return not self.todo

    def _without(self, model: int) -> list[tuple[int, int, int]]:
        """The others that change their place among themselves: model, place before and after."""
        left = [index for index in self.left if index != model]
        columns = self.board.among(left).columns(self.question)
        others = [index for index in self.order if index != model]
        before = {index: Place(place) for place, index in enumerate(others, 1)}
        ranked = {left[index]: Place(place) for place, index in enumerate(columns.order, 1)}
        after = {index: ranked[index] for index in others}
        found = moved(before, after)
        return [
            (index, place, after[index].rank or 0) for place, index in enumerate(others, 1) if index in found
        ]

    def json(self) -> str:
        """After the last step: by the index of each model whose leaving moves others, what they do."""
        return json.dumps(self.moves)


def leaving(board: Board, question: Question) -> dict[int, list[tuple[int, int, int]]]:
    """By model, how the others change places once it is gone: (model, place before, place after)."""
    found = Leaving(board, question)
    while not found.step():
        pass
    return found.moves


# For the worker of a page: JSON in, something that goes in steps out.


def open_first_place(certainty: Certainty, text: str) -> FirstPlace:
    """A `FirstPlace` of ``{"question": {...}, "model": name}``."""
    given = json.loads(text)
    return FirstPlace(certainty, Question(**given["question"]), given["model"])


def open_certain(certainty: Certainty, text: str) -> Certain:
    """A `Certain` of ``{"question": {...}, "metrics": [three names], "steps"}``."""
    given = json.loads(text)
    return Certain(certainty, Question(**given["question"]), given["metrics"], given["steps"])


def open_leaving(certainty: Certainty, text: str) -> Leaving:
    """A `Leaving` of ``{"question": {...}}``."""
    given: Mapping[str, Any] = json.loads(text)
    return Leaving(certainty.board, Question(**given["question"]))


def _primes(count: int) -> list[int]:
    found: list[int] = []
    number = 2
    while len(found) < count:
        if all(number % prime for prime in found):
            found.append(number)
        number += 1
    return found
