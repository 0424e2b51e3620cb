"""What models cost at other prices: stored tokens times the prices that a visitor gives.

Standard library only: a page ranks by it. A model's cost is a sum over kinds of tokens, each its mean per
answer times a price, so another price is one more factor of the sums that scores and rank sets are made of.
How costs vary then follows from the covariances of tokens, with one another and with the other metrics.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from evaluator.rank.dynascore import Board
from evaluator.rank.formats import weight
from evaluator.rank.rank_sets import Certainty

TokenKind = Literal["fresh", "cached", "written"]
#: Kinds of tokens, each with a price: those that are sent, but for those that were kept from before; these;
#: and those that are written.
KINDS: tuple[TokenKind, ...] = ("fresh", "cached", "written")
#: What people call the prices of these kinds.
BOXES = ("sent", "cached", "written")
#: What an answer costs, as a metric: its tokens times prices.
COST = "cost"
#: Prices are of so many tokens.
MILLION = 1_000_000

#: Three prices in the order of `KINDS`; None where one is not known.
Prices = Sequence[float | None]
#: By two names, what the numbers of two models together are: [model][other model].
Crossed = Mapping[tuple[str, str], Sequence[Sequence[float]]]


def rates_of(models: Sequence[str], priced: Mapping[str, Any]) -> dict[int, tuple[float, ...]]:
    """By a model's index, what a token of each kind costs, of models whose prices are other than the day's.

    A price that is not given is that of the day. Tokens kept from before cost as others unless a price says
    otherwise. A model whose prices are not known all the same is left out. Raises ValueError for a model that
    has no tokens, and for a price that is no number of at least 0.
    """
    found = {}
    for model, given in priced["prices"].items():
        if model not in priced["day"]:
            raise ValueError(f"prices: {model!r}: nothing is known of its tokens")
        for price in given:
            if price is not None and not (math.isfinite(price) and price >= 0):
                raise ValueError(f"prices: {model}: {price!r} is not a number of at least 0")
        day: Prices = priced["day"][model] or [None] * len(KINDS)
        sent, cached, written = (
            one if one is not None else of_day for one, of_day in zip(given, day, strict=True)
        )
        if sent is not None and written is not None:
            cached = sent if cached is None else cached
            found[models.index(model)] = tuple(price / MILLION for price in (sent, cached, written))
    return found


def priced_cells(cells: Mapping[str, Any], priced: Mapping[str, Any]) -> dict[str, Any]:
    """The plain form of a board (`Board.from_dict`) with what models cost at these prices.

    ``priced`` has the ``metric`` of costs, the prices of the ``day`` and the ``prices`` given, by model, and
    by dataset the mean ``tokens`` per answer by kind, None for a model of which they are not known. Of such a
    model the cost at other prices is missing.
    """
    rates, metric = rates_of(cells["models"], priced), priced["metric"]
    values = {}
    for dataset, columns in cells["values"].items():
        use, column = (
            priced["tokens"].get(dataset),
            list(columns.get(metric) or [None] * len(cells["models"])),
        )
        for index, rate in rates.items():
            column[index] = None if use is None or use["fresh"][index] is None else _sum(rate, use, index)
        values[dataset] = {**columns, metric: column}
    return {**cells, "values": values}


def _sum(rate: Sequence[float], use: Mapping[str, Sequence[float]], index: int) -> float:
    return math.fsum([price * use[kind][index] for price, kind in zip(rate, KINDS, strict=True)])


def priced_variation(
    varies: Mapping[str, Any], tokens: Mapping[str, Any], models: Sequence[str], priced: Mapping[str, Any]
) -> dict[str, Any]:
    """The plain form of how values vary (`Certainty.from_dict`) at these prices; `tokens` is by dataset what
    `_repriced` takes."""
    rates = rates_of(models, priced)
    return {
        dataset: _repriced(one, tokens[dataset], rates, priced["metric"]) if dataset in tokens else one
        for dataset, one in varies.items()
    }


def _repriced(
    one: Mapping[str, Any], use: Mapping[str, Any], rates: Mapping[int, Sequence[float]], metric: str
) -> dict[str, Any]:
    """One dataset at these rates. `use` has by kind the ``most`` tokens of an answer, and ``crossed``, the
    covariances of the values of two models in the order [first, second, step, parts]: of kinds with kinds and
    metrics, and of the cost with metrics; `parts` are of all ordered pairs, row by row."""
    size = len(use["most"]["fresh"])
    known = {index: rate for index, rate in rates.items() if use["most"]["fresh"][index] is not None}
    crossed = {
        (first, second): [[step * part for part in parts[i * size : (i + 1) * size]] for i in range(size)]
        for first, second, step, parts in use["crossed"]
    }
    triangles = {
        (first, second): [step * part for part in parts] for first, second, step, parts in one["covariances"]
    }
    others = dict.fromkeys(second for _, second in crossed if second not in (*KINDS, metric))
    for other in others:
        name = next((pair for pair in triangles if set(pair) == {metric, other}), (metric, other))
        _put(triangles, name, known, [_row(crossed, known, metric, other, i, size) for i in range(size)])
    own = [[_both(crossed, known, metric, i, j) for j in range(size)] for i in range(size)]
    _put(triangles, (metric, metric), known, own)
    widest = [_sum(rate, use["most"], index) for index, rate in known.items()]
    runs = dict(one.get("own", {}))
    if metric in runs:
        # What whole runs add goes with the rest; of a model without a cost before it is as large a part as
        # of any other.
        before = [row[i] for i, row in enumerate(crossed[metric, metric])]
        parts = {i: added / before[i] for i, added in enumerate(runs[metric]) if before[i] > 0}
        largest = max(parts.values(), default=0.0)
        runs[metric] = [
            own[i][i] * parts.get(i, largest) if i in known else added for i, added in enumerate(runs[metric])
        ]
    return {
        **one,
        **({"own": runs} if runs else {}),
        "covariances": [[*names, 1.0, parts] for names, parts in triangles.items()],
        # What one example can move a cost by, at the largest that any has now.
        "unit": {**one["unit"], metric: max([one["unit"].get(metric, 0.0), *widest]) or 1.0},
        "unknown": _without(one["unknown"], metric, known),
    }


def _put(
    triangles: dict[tuple[str, str], list[float]],
    name: tuple[str, str],
    known: Mapping[int, Any],
    rows: Sequence[Sequence[float]],
) -> None:
    """Put covariances of differences into a triangle, of the pairs with a model whose price is another."""
    parts = list(triangles.get(name, [0.0] * (len(rows) * (len(rows) - 1) // 2)))
    for i, row in enumerate(rows):
        for j, other in enumerate(rows[:i]):
            if i in known or j in known:
                parts[i * (i - 1) // 2 + j] = math.fsum([row[i], -row[j], -other[i], other[j]])
    triangles[name] = parts


def _row(
    crossed: Crossed, known: Mapping[int, Sequence[float]], metric: str, other: str, i: int, size: int
) -> list[float]:
    """The covariances of what a model costs with another metric of each model."""
    if i not in known:
        return list(crossed[metric, other][i]) if (metric, other) in crossed else [0.0] * size
    columns = [crossed[kind, other][i] for kind in KINDS]
    return [math.fsum(map(float.__mul__, known[i], of)) for of in zip(*columns, strict=True)]


def _both(crossed: Crossed, known: Mapping[int, Sequence[float]], metric: str, i: int, j: int) -> float:
    """The covariance of what two models cost."""
    if i in known and j in known:
        return math.fsum(
            [
                a * b * (crossed[one, other][i][j] if (one, other) in crossed else crossed[other, one][j][i])
                for a, one in zip(known[i], KINDS, strict=True)
                for b, other in zip(known[j], KINDS, strict=True)
            ]
        )
    if j in known:
        return _both(crossed, known, metric, j, i)
    if (metric, metric) not in crossed:  # nobody's cost was known
        return 0.0
    if i not in known:
        return crossed[metric, metric][i][j]
    return math.fsum([a * crossed[kind, metric][i][j] for a, kind in zip(known[i], KINDS, strict=True)])


def _without(unknown: Mapping[str, Any], metric: str, known: Mapping[int, Any]) -> dict[str, Any]:
    """Why it is not known of some models how values vary, without those whose cost is known now."""
    left = [[why, [i for i in models if i not in known]] for why, models in unknown.get(metric, [])]
    return {**unknown, metric: [[why, models] for why, models in left if models]}


def prices_words(prices: Mapping[str, Prices], label: Callable[[str], str], unit: str) -> str:
    """The prices that a visitor gave: "M 0.2 sent, 4 written; USD of a million tokens, others of the day"."""
    said = []
    for model, given in prices.items():
        named = zip(given, BOXES, strict=True)
        amounts = [f"{weight(price)} {kind}" for price, kind in named if price is not None]
        said.append(f"{label(model)} {', '.join(amounts)}")
    return f"{'; '.join(said)}; {unit} of a million tokens, others of the day"


# For the worker of a page: JSON in.


def open_priced(text: str) -> Board:
    """The board of ``{"board": {...}, "priced": {...}}``."""
    given = json.loads(text)
    return Board.from_dict(priced_cells(given["board"], given["priced"]))


def costs_json(board: Board, text: str) -> str:
    """By dataset, what each model costs, for ``{"metric": ...}``."""
    metric = json.loads(text)["metric"]
    return json.dumps({dataset: columns[metric] for dataset, columns in board.values.items()})


def open_priced_certainty(board: Board, text: str) -> Certainty:
    """How the values of that board vary, from ``{"varies": {...}, "tokens": {...}, "priced": {...}}``."""
    given = json.loads(text)
    return Certainty.from_dict(
        board, priced_variation(given["varies"], given["tokens"], board.models, given["priced"])
    )
