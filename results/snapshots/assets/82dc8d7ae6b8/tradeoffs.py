"""Trade-offs between metrics: the Pareto front of two, who wins as weight moves between three, and who wins
as two declared trade-offs change.

Like `evaluator.rank.dynascore`, whose numbers these are, it imports the standard library only and runs in the
visitor's browser too.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from evaluator.rank.dynascore import Board, Column, Question, Trades

#: Stands for no model, where none has all the values.
NOBODY = -1
#: Scores on the triangle that differ by less than this, relatively, tie: its sums round in other places.
TIE = 1e-12
#: How many models are looked at for one that beats another everywhere.
STRONG = 30


def pareto_front(
    xs: Sequence[float | None], ys: Sequence[float | None], x_sign: int = 1, y_sign: int = 1
) -> list[int]:
    """Indices of the points that no other point beats, best x first; of equal points all.

    A sign of 1 says that more is better, -1 that less is. A point beats another that is no better in
    either and worse in one. A point without both values, None or NaN, neither beats nor is on the front.
    """
    return _front(_goods(xs, x_sign), _goods(ys, y_sign))


def _goods(values: Sequence[float | None], sign: int) -> Column:
    return [math.nan if value is None else sign * value for value in values]


def _front(xs: Column, ys: Column) -> list[int]:
    # Only NaN differs from itself.
    order = [index for index, (x, y) in enumerate(zip(xs, ys, strict=True)) if x == x and y == y]
    order.sort(key=ys.__getitem__, reverse=True)
    order.sort(key=xs.__getitem__, reverse=True)
    front: list[int] = []
    for index in order:
        # The last of the front is at least as good in x, and none so far is better in y.
        last = front[-1] if front else index
        if ys[index] > ys[last] or (xs[index], ys[index]) == (xs[last], ys[last]):
            front.append(index)
    return front


def triangle(board: Board, question: Question, metrics: Sequence[str], steps: int) -> list[int]:
    """Which model comes first as weight moves between three metrics; the others keep theirs.

    The three share the weight that they have together in `question`, 1 if they have none, in `steps`
    equal parts. Winners are model indices or `NOBODY`, one for each way to give i parts to the first
    metric, j to the second and the rest to the third: by i, then by j. Ties go to the first by name.

    A score is linear in the weights, so that it is known everywhere once it is known where one metric
    has all the weight; and along a row, where i stays, only models can win that no other beats at both
    ends. Raises ValueError unless `metrics` are three of the board's and `steps` is at least 1.
    """
    found = WhoWins(board, question, metrics, steps)
    while not found.step():
        pass
    return found.winners


class WhoWins:
    """A `triangle`, found row by row: a browser ranks anew between two of them, without waiting for a map."""

    def __init__(self, board: Board, question: Question, metrics: Sequence[str], steps: int) -> None:
        _check(board, metrics, steps)
        if board.by_of(question) == "trades":
            raise ValueError("by trade-offs no metric has a weight: ask who wins as two trade-offs change")
        self.board, self.steps, self.winners = board, steps, list[int]()
        corners, totals = zip(*_corners(board, question, metrics), strict=True)
        # Of metrics in several units there is no plain mean, and so no winner.
        no_mean = board.by_of(question) == "mean" and board.units_apart(metrics)
        self.totals = (0.0, 0.0, 0.0) if no_mean else totals
        self.models = _contenders(board, corners)
        self.first, self.second, self.third = ([column[at] for at in self.models] for column in corners)
        self.rows = iter(range(steps + 1))

    def step(self) -> bool:
        """Find the next row; whether there is none left."""
        i = next(self.rows, None)
        if i is None:
            return True
        part = i / self.steps
        left, right = _mixed(self.third, self.first, part), _mixed(self.second, self.first, part)
        found = _row(left, right, self.steps - i)
        first, second, third = self.totals
        for j in range(self.steps - i + 1):
            # Where nothing that has weight has values, nobody is ranked.
            weighs = (i and first) or (j and second) or ((self.steps - i - j) and third)
            found[j] = found[j] if weighs else NOBODY
        self.winners += [self.models[place] if place != NOBODY else NOBODY for place in found]
        return False

    def json(self) -> str:
        """After the last step, for a page: the winners."""
        return json.dumps(self.winners)


class WhoWinsByTrades:
    """Who comes first as the trade-offs of two metrics change; those of the others stay.

    `amounts` are what one unit of the base metric is worth of each of the two `metrics`, numbers or texts
    such as "10 %". Winners are model indices or `NOBODY`, one for each pair of amounts: by the first
    metric's, then by the second's. Ties go to the first by name. Raises ValueError unless `metrics` are two
    of the board's beside the base metric, and for an amount that is none.
    """

    def __init__(
        self,
        board: Board,
        question: Question,
        metrics: Sequence[str],
        amounts: Sequence[Sequence[float | str]],
    ) -> None:
        base = question.base or board.base
        if len({*metrics} & {*board.metrics} - {base}) != 2 or len(metrics) != 2:
            raise ValueError(f"metrics: {', '.join(metrics)} are not two of the metrics beside {base}")
        self.board, self.winners = board, list[int]()
        trades = dict((board.trades if question.trades is None else question.trades) or {})
        questions = [
            [with_trades(question, {**trades, name: amount}) for amount in own]
            for name, own in zip(metrics, amounts, strict=True)
        ]
        others = {name: amount for name, amount in trades.items() if name not in metrics}
        rest = board.columns(with_trades(question, others)).scores
        first, self.second = (
            [self._adds(name, one) for one in own] for name, own in zip(metrics, questions, strict=True)
        )
        self.rows = iter([[a + b for a, b in zip(rest, column, strict=True)] for column in first])
        # No model that is ranked last wins as long as another is ranked.
        floored = board.floored
        self.groups = [[m for m in board.by_name if (m in floored) == last] for last in (False, True)]

    def _adds(self, name: str, question: Question) -> Column:
        """What a metric adds to each score, nothing where no model has a value of it."""
        scale = self.board.scale(question)
        return scale.converted[name] if name in scale.live else [0.0] * len(self.board.models)

    def step(self) -> bool:
        """Find the winners for the next amount of the first metric; whether there is none left."""
        row = next(self.rows, None)
        if row is None:
            return True
        for column in self.second:
            found = (_best(group, [row[m] + column[m] for m in group]) for group in self.groups)
            self.winners.append(next((winner for winner in found if winner != NOBODY), NOBODY))
        return False

    def json(self) -> str:
        """After the last step, for a page: the winners."""
        return json.dumps(self.winners)


def with_trades(question: Question, trades: Trades) -> Question:
    """The same question by other trade-offs."""
    return replace(question, by="trades", trades=trades)


def front_json(board: Board, text: str) -> str:
    """`pareto_front` of two metrics of a board, for a page: ``{"x", "y", "datasets": {name: weight},
    "without": [...]}`` in, the last the models that are left out; indices of models out."""
    given = json.loads(text)
    without = frozenset(given.get("without", ()))
    xs, ys = (
        [math.nan if model in without else value for model, value in enumerate(column)]
        for column in (board.means(given[axis], given["datasets"]) for axis in "xy")
    )
    x_sign, y_sign = (board.metrics[given[axis]].direction for axis in "xy")
    return json.dumps(pareto_front(xs, ys, x_sign, y_sign))


def open_triangle(board: Board, text: str) -> WhoWins:
    """`triangle` for a page: ``{"question": {...}, "metrics": [three names], "steps"}`` in."""
    given = json.loads(text)
    return WhoWins(board, Question(**given["question"]), given["metrics"], given["steps"])


def open_winners_by_trades(board: Board, text: str) -> WhoWinsByTrades:
    """`WhoWinsByTrades` for a page: ``{"question": {...}, "metrics": [two names], "amounts": [two lists]}``
    in."""
    given = json.loads(text)
    return WhoWinsByTrades(board, Question(**given["question"]), given["metrics"], given["amounts"])


def _check(board: Board, metrics: Sequence[str], steps: int) -> None:
    if len(metrics) != 3 or len({*metrics} & {*board.metrics}) != 3:
        raise ValueError(f"metrics: {', '.join(metrics)} are not three of {', '.join(board.metrics)}")
    if steps < 1:
        raise ValueError(f"steps: {steps} is less than 1")


def corner_weights(board: Board, question: Question, metrics: Sequence[str]) -> Iterator[dict[str, float]]:
    """The weights where the first, the second, the third of the metrics has the weight of all three."""
    weights = dict(board.default_weights() if question.metrics is None else question.metrics)
    together = math.fsum(weights.get(name, 0.0) for name in metrics) or 1.0
    for corner in metrics:
        yield weights | {name: together if name == corner else 0.0 for name in metrics}


def _corners(board: Board, question: Question, metrics: Sequence[str]) -> Iterator[tuple[Column, float]]:
    """The scores at the corners, times the weight of what takes part there, and that weight.

    So they are linear in the weights. No model that is ranked last wins as long as another is ranked.
    """
    for weights in corner_weights(board, question, metrics):
        columns = board.columns(replace(question, metrics=weights))
        scale, shares = columns.scale, board.metric_shares(weights) or {}
        taking_part = board.taking_part(scale, shares) if scale.rates else {}
        total = math.fsum(weights[name] for name in taking_part)
        scores = columns.scores if columns.z_scores is None else columns.z_scores
        if not total and scale.rates:
            scores = [math.nan if index in scale.out else 0.0 for index in range(len(board.models))]
        scores = [score * (total or 1.0) for score in scores]
        above = [math.nan if index in board.floored else score for index, score in enumerate(scores)]
        yield (above if any(score == score for score in above) else scores), total


def _mixed(one: Column, other: Column, part: float) -> Column:
    """`part` of the other and the rest of the one; what has no part may be missing."""
    if part in (0.0, 1.0):
        return other if part else one
    return [(1.0 - part) * a + part * b for a, b in zip(one, other, strict=True)]


def _contenders(board: Board, corners: Sequence[Column]) -> list[int]:
    """Models by name, without most of those that another one beats at all corners by more than a tie.

    Such a model wins nowhere. Looked at for the other one are the strongest, so that few comparisons leave
    few models.
    """
    scores = {model: [column[model] for column in corners] for model in board.by_name}
    known = [model for model, own in scores.items() if all(score == score for score in own)]
    strong = sorted(known, key=lambda model: math.fsum(scores[model]), reverse=True)[:STRONG]
    margins = [2 * TIE * max((abs(scores[model][at]) for model in known), default=0.0) for at in range(3)]
    bars = [[score - margin for score, margin in zip(scores[m], margins, strict=True)] for m in strong]
    return [
        model for model, (a, b, c) in scores.items() if not any(a < x and b < y and c < z for x, y, z in bars)
    ]


def _row(left: Column, right: Column, steps: int) -> list[int]:
    """The winners from one end to the other, as places in these columns, whose models are by name.

    What is missing at an end is so all the way.
    """
    everyone = range(len(left))
    start, end = (_best(everyone, column) for column in (left, right))
    if steps == 0:
        return [start]
    front = sorted(_front(left, right))
    lefts, rights = ([column[place] for place in front] for column in (left, right))
    between = [_best(front, _mixed(lefts, rights, j / steps)) for j in range(1, steps)]
    return [start, *between, end]


def _best(models: Sequence[int], scores: Column) -> int:
    """The first of `models`, which are by name, that is as good as the best one."""
    known = [score for score in scores if score == score]
    if not known:
        return NOBODY
    least = max(known) - TIE * abs(max(known))
    return next(model for model, score in zip(models, scores, strict=True) if score >= least)
