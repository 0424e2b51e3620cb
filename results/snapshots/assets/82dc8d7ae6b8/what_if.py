"""What if the weights were others, or a model were not there? Which weight or trade-off puts a model first,
under how many weightings it leads, where a leader is certain, and who changes place once a model leaves.

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

from evaluator.rank.dynascore import Board, Column, Columns, Question, Trade, Trades
from evaluator.rank.moves import Place, moved
from evaluator.rank.rank_answers import Sweep
from evaluator.rank.rank_sets import Certainty
from evaluator.rank.significance import MANY, Evidence, Rivals
from evaluator.rank.tradeoffs import NOBODY, WhoWinsByTrades, corner_weights, triangle, with_trades

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
        self._lacking = [frozenset(certainty.lacking(one, column)) for one, column in pairs]
        self._all_exact = [frozenset(certainty.all_exact(one, column)) for one, column in pairs]
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
        live = [end for end, part in enumerate(parts) if part]
        if not live:
            return frozenset()
        exact = frozenset.intersection(*(self._all_exact[end] for end in live))
        return exact.union(*(self._lacking[end] for end in live))

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
    """The weight of one metric that would be another, and the model that leads then.

    It does so `until` a weight of few digits that is further away; `beyond`: at every one further away.
    """

    metric: str
    weight: float
    leader: int
    until: float
    beyond: bool = False


@dataclass(frozen=True)
class TradeChange:
    """The trade-off of one metric that would be another, `amount`, and the model that leads then.

    `before` is what it is now; `amount` None: the metric does not count.
    """

    metric: str
    before: float | str
    amount: float | str | None
    leader: int


class FirstPlace:
    """What would put a model first: a change of one weight, and the share of all weightings that do.

    The weightings are over the metrics that have weight in the question; by trade-offs, where none has, it is
    a change of one of these alone. Raises ValueError for a model that is not on the board.
    """

    def __init__(self, certainty: Certainty, question: Question, model: str) -> None:
        if model not in certainty.board.models:
            raise ValueError(f"model: {model!r} is none of {', '.join(certainty.board.models)}")
        self.board, self.question = certainty.board, question
        self.model = self.board.models.index(model)
        shares, scale = self.board.metric_shares(question.metrics) or {}, self.board.scale(question)
        # What no model has a value for takes no part in any weighting.
        by_weights = scale.rates and scale.trades is None
        self.metrics = list(self.board.taking_part(scale, shares)) if by_weights else []
        self.ranked = bool(self.metrics) or scale.trades is not None
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
        after which it leads, or another does if it ``leads`` already; by trade-offs a `TradeChange`.
        """
        change: Change | TradeChange | None = None
        if self.ranked:
            smallest = smallest_change if self.metrics else smallest_trade_change
            change = smallest(self.board, self.question, self.model)
        return json.dumps(
            {
                "leads": self.ranked and _leader(self.board, self.question) == self.model,
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
                up = weight > before
                until = lines.leads_until(name, leader, weight, up)
                change = Change(name, weight, leader, until, lines.leads_beyond(name, leader, up))
                found.append((abs(weight - before), change))
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

    def leads_beyond(self, name: str, model: int, up: bool) -> bool:
        """Whether a model that leads does so up to the largest weight of a metric, or down to none."""
        low, high = self._range(name, model)
        return model not in self.floored and (high == LARGEST if up else low == 0.0)

    def leads_until(self, name: str, model: int, weight: float, up: bool) -> float:
        """The last weight of few digits, from one at which a model leads, at which it still does."""
        low, high = self._range(name, model)
        end = high if up else low
        # Without the metric, others may be ranked.
        if model in self.floored or weight == 0.0:
            return weight
        # Seen from beyond the end, so that the weight is within.
        inside = (one for one in _rounded(end, 2.0 * end - weight) if low < one < high)
        return next((one for one in inside if one != weight and (one > weight) == up), weight)

    def _range(self, name: str, model: int) -> tuple[float, float]:
        """From which weight to which the model leads; the first is above the second if none."""
        return _led(self._starts(name), self.units[name], model, self.floored, LARGEST)

    def _starts(self, name: str) -> Column:
        """The scores without the metric, times the total of the weights."""
        total = [0.0] * len(self.units[name])
        for other, weight in self.weights.items():
            if weight and other != name:
                total = [a + weight * b for a, b in zip(total, self.units[other], strict=True)]
        return total


def smallest_trade_change(board: Board, question: Question, model: int) -> TradeChange | None:
    """The trade-off of one metric nearest to its present one that puts a model first, or that ends its lead.

    None where no trade-off of one metric does. The amount has few digits, and is nearer the smaller the
    factor between the two; no trade-off at all is the farthest. `model` is an index of the board.
    """
    columns = board.columns(question)
    trades = {name: trade.plain for name, trade in (columns.scale.trades or {}).items()}
    trades.pop(question.base or board.base, None)
    leads = _leader(board, question) == model
    found: list[tuple[float, TradeChange]] = []
    for name, before in trades.items():
        others = {other: amount for other, amount in trades.items() if other != name}
        for factor, amount in _amounts(board, columns, name, model, leads):
            asked = {**others, name: amount} if amount is not None else others
            leader = _leader(board, replace(question, trades=asked))
            if leader is not None and (leader == model) != leads:
                found.append((factor, TradeChange(name, before, amount, leader)))
                break
    return min(found, key=lambda one: one[0])[1] if found else None


def _amounts(
    board: Board, columns: Columns, name: str, model: int, leads: bool
) -> Iterator[tuple[float, float | str | None]]:
    """Amounts of a metric to try and how far they are, the nearest first: just past those where the model
    starts to lead, or stops."""
    trade, parts = (columns.scale.trades or {})[name], columns.contributions.get(name)
    if parts is None or math.isnan(columns.ranks[model]):
        return
    # The scores without the metric, and what each factor of what it adds now adds to them.
    without = [score - part for score, part in zip(columns.scores, parts, strict=True)]
    low, high = _led(without, parts, model, board.floored, math.inf)
    if low > high:
        return
    if leads:
        ends = [end for end in (low, high) if 0.0 < end < math.inf]
    else:
        ends = [low] if low > 1.0 else [high] if 0.0 < high < 1.0 else []
    # The more a metric counts, the smaller is the amount of it that one unit is worth.
    for end in sorted(ends, key=lambda factor: max(factor, 1.0 / factor)):
        amount = _amount_at(trade, end)
        for rounded in _past(amount, trade.amount) if amount else ():
            far = max(rounded / trade.amount, trade.amount / rounded)
            yield far, replace(trade, amount=rounded).plain
    yield math.inf, None


def _led(
    starts: Column, slopes: Column, model: int, floored: frozenset[int], most: float
) -> tuple[float, float]:
    """From which to which number up to `most` a model leads, if scores are lines over it; the first is larger
    if it is so at none."""
    if math.isnan(starts[model]):
        return 1.0, 0.0
    # Without a number of the metric a model has a score only as long as that does not count.
    low, high = 0.0, 0.0 if math.isnan(slopes[model]) else most
    for other, (start, slope) in enumerate(zip(starts, slopes, strict=True)):
        if other == model or other in floored or math.isnan(start) or math.isnan(slope):
            continue
        gap, gain = starts[model] - start, slopes[model] - slope
        if gain > 0.0:
            low = max(low, -gap / gain)
        elif gain < 0.0:
            high = min(high, gap / -gain)
        elif gap < 0.0:
            return 1.0, 0.0
    return low, high


def _amount_at(trade: Trade, factor: float) -> float | None:
    """The amount at which a metric adds so many times as much as now; None where it is none to write down."""
    if not trade.per_cent:
        return trade.amount / factor
    wanted = trade.worth(1) * factor
    low, high = 1e-9, 1e9
    if not replace(trade, amount=high).worth(1) < wanted < replace(trade, amount=low).worth(1):
        return None
    # What it is worth falls as the amount rises.
    for _ in range(100):
        middle = (low + high) / 2.0
        low, high = (middle, high) if replace(trade, amount=middle).worth(1) > wanted else (low, middle)
    return high


def _past(end: float, before: float) -> Iterator[float]:
    """Amounts just past an end, as seen from the present one: first with the fewest digits that do."""
    for digits in range(1, DIGITS):
        # A power of ten, exactly rounded as text is.
        step = float(f"1e{int(f'{end:e}'.partition('e')[2]) - digits + 1}")
        whole = math.floor(end / step) + 1 if end >= before else math.ceil(end / step) - 1
        amount = float(f"{whole * step:.{digits}e}")
        if amount > 0.0 and abs(amount - end) <= ROUNDED * abs(end - before):
            yield amount


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


class CertainByTrades:
    """Where in a map of two trade-offs the leader is certain: where its rank set is the first alone.

    The points are those of `evaluator.rank.tradeoffs.WhoWinsByTrades`, which see.
    """

    def __init__(
        self,
        certainty: Certainty,
        question: Question,
        metrics: Sequence[str],
        amounts: Sequence[Sequence[float | str]],
    ) -> None:
        wins = WhoWinsByTrades(certainty.board, question, metrics, amounts)
        while not wins.step():
            pass
        self.certainty, self.question = certainty, question
        board = certainty.board
        self.trades = dict((board.trades if question.trades is None else question.trades) or {})
        points = itertools.product(*amounts)
        self.todo = [
            (dict(zip(metrics, point, strict=True)), winner)
            for point, winner in zip(points, wins.winners, strict=True)
        ]
        self.found: list[int] = []

    def step(self) -> bool:
        """Look at some more points; whether that was all."""
        for _ in range(max(1, STEP // (1 + 4 * len(self.certainty.board.models)))):
            if len(self.found) == len(self.todo):
                break
            trades, winner = self.todo[len(self.found)]
            self.found.append(int(winner == NOBODY or self._alone(winner, {**self.trades, **trades})))
        return len(self.found) == len(self.todo)

    def _alone(self, winner: int, trades: Trades) -> bool:
        sweep = Sweep(self.certainty, with_trades(self.question, trades), rows=[winner])
        sweep.corners = None  # whether trade-offs are off is not asked here
        while not sweep.step():
            pass
        return bool(sweep.answer()["sets"][winner] == [1, 1])

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
        self.limited = bool(columns.scale.out)
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
        if self.limited:
            # Of few models, rates are those among all: nobody's leaving is asked of these.
            among = [self.board.models[index] for index in left]
            order = self.board.columns(replace(self.question, among=among)).order
        else:
            order = [left[index] for index in self.board.among(left).columns(self.question).order]
        others = [index for index in self.order if index != model]
        before = {index: Place(place) for place, index in enumerate(others, 1)}
        ranked = {index: Place(place) for place, index in enumerate(order, 1)}
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


def leader_found(certainty: Certainty, question: Question) -> dict[str, Any] | None:
    """What `FirstPlace` says of the model that is first; None where no model is ranked."""
    columns = certainty.board.columns(question)
    leader = next((index for index in columns.order if columns.ranks[index] == 1.0), None)
    if leader is None:
        return None
    found = FirstPlace(certainty, question, certainty.board.models[leader])
    while not found.step():
        pass
    said: dict[str, Any] = json.loads(found.json())
    return said


# For the worker of a page: JSON in, something that goes in steps out.


def open_first_place(certainty: Certainty, text: str) -> FirstPlace:
    """A `FirstPlace` of ``{"question": {...}, "model": name}``."""
    given = json.loads(text)
    return FirstPlace(certainty, Question(**given["question"]), given["model"])


def open_certain(certainty: Certainty, text: str) -> Certain:
    """A `Certain` of ``{"question": {...}, "metrics": [three names], "steps"}``."""
    given = json.loads(text)
    return Certain(certainty, Question(**given["question"]), given["metrics"], given["steps"])


def open_certain_by_trades(certainty: Certainty, text: str) -> CertainByTrades:
    """A `CertainByTrades` of ``{"question": {...}, "metrics": [two names], "amounts": [two lists]}``."""
    given = json.loads(text)
    return CertainByTrades(certainty, Question(**given["question"]), given["metrics"], given["amounts"])


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
