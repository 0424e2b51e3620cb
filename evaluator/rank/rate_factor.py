"""What stays of a ranking where its exchange rates are off: by up to a factor each, in either direction.

Standard library only, and the same bits everywhere, as `rank.rank_sets`, which asks this.

Exchange rates are estimates (or a visitor's own trade-offs). A score is a sum of parts, one for each metric,
of which all but the base metric's are divided by a rate. Let t be by how much one model is ahead of another
in such a part. With every rate off by a factor of at most f, each by its own, the difference of two scores is
least where the parts in which the higher model is ahead are divided by f, and the others multiplied by it:

    low = t of the base metric + sum of t / f where t > 0 + sum of t f where t < 0.

The higher model stays above at all such rates if low > 0. It does so by more than chance if low, as the
difference at the rates shown, is so many standard errors: those at this corner of the rates. The leader's
break factor is the smallest f at which some low is 0.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evaluator.rank.dynascore import Board, Column, Columns, Question
from evaluator.rank.formats import fixed
from evaluator.rank.significance import RankedLast

if TYPE_CHECKING:
    from evaluator.rank.rank_sets import Certainty, Variances

#: The factor of the ranks that are shown beside rank sets.
FACTOR = 2.0
#: What is said where the ranks within it are drawn.
THIN = f"Thin lines are ranks with every exchange rate off by up to a factor of {FACTOR:.0f}."
#: What models are ranked by where there are rates.
WITH_RATES = ("dynascore", "trades")
#: A break factor is said up to here.
LARGE = 100.0


def stretched(board: Board, question: Question, columns: Columns) -> list[str]:
    """The metrics whose exchange rates have a say in the order; none where a single metric decides."""
    if columns.by not in WITH_RATES:
        return []
    base = board.base if question.base is None else question.base
    deciding = [name for name, part in columns.contributions.items() if _varies(part)]
    return [name for name in deciding if name != base] if len(deciding) > 1 else []


def _varies(part: Column) -> bool:
    there = [value for value in part if value == value]
    return bool(there) and min(there) < max(there)


# The leader


@dataclass(frozen=True)
class Lead:
    """How far all exchange rates may be off, each by its own, before the first model is first no more.

    `factor` is 1 and more, infinite where it is first at any rates. `rival` is who comes level then.
    """

    leader: int
    factor: float
    rival: int | None


def lead_of(board: Board, question: Question, columns: Columns) -> Lead | None:
    """The lead of the first model; None where rates decide nothing, or several models are first."""
    names = stretched(board, question, columns)
    ranked = [index for index in columns.order if columns.ranks[index] == columns.ranks[index]]
    first = [index for index in ranked if columns.ranks[index] == 1.0]
    if not names or len(first) != 1:
        return None
    [leader], last = first, RankedLast(board.floored, ranked)
    fixed_parts = [part for name, part in columns.contributions.items() if name not in names]
    parts = [columns.contributions[name] for name in names]
    found = Lead(leader, math.inf, None)
    for rival in ranked:
        if rival == leader or last.divides(leader, rival):
            continue
        base = math.fsum([part[leader] - part[rival] for part in fixed_parts])
        factor = break_factor(base, [part[leader] - part[rival] for part in parts])
        if factor < found.factor:
            found = Lead(leader, factor, rival)
    return found


def break_factor(base: float, parts: Sequence[float]) -> float:
    """The smallest f of 1 and more at which base + positive parts / f + negative parts x f is 0.

    `base` and `parts` are how far a model is ahead of another, and sum to 0 and more. Infinite where it stays
    ahead at every f.
    """
    gains = math.fsum([part for part in parts if part > 0.0])
    losses = -math.fsum([part for part in parts if part < 0.0])
    size = max(abs(base), gains, losses)
    if not losses or not size:
        return math.inf if base >= 0.0 else max(1.0, gains / -base)
    # The root of losses f^2 - base f - gains, in the form in which nothing cancels; squares do not overflow.
    base, gains, losses = base / size, gains / size, losses / size
    root = math.sqrt(base * base + 4.0 * gains * losses)
    return max(1.0, (base + root) / (2.0 * losses) if base >= 0.0 else 2.0 * gains / (root - base))


def lead_words(lead: Lead | None) -> str:
    """How far the leader's lead holds, in a sentence; empty where there is no `Lead`."""
    if lead is None:
        return ""
    if lead.factor == math.inf:
        return "The leader stays first at any exchange rates."
    if lead.factor < 1.01:
        return "The leader is first at these exchange rates alone: if they are off by 1 %, another may be."
    return (
        f"The leader stays first while the exchange rates are right within a factor of {_said(lead.factor)}."
    )


def _said(factor: float) -> str:
    """Rounded down, so that it promises nothing too much: 1.04, 1.9, 4.4, 23, and 100 for all above."""
    factor = min(factor, LARGE)
    decimals = 2 if factor < 1.1 else 1 if factor < 10 else 0
    scale = 10**decimals
    return fixed(math.floor(factor * scale) / scale, decimals)


def factor_words(board: Board, question: Question, columns: Columns, thin: bool) -> str:
    """The quiet line under a ranking; `thin`: ranks within `FACTOR` are drawn."""
    return " ".join(filter(None, [lead_words(lead_of(board, question, columns)), THIN if thin else ""]))


# All ranks


class Corners:
    """The least that differences of scores can be with every exchange rate off by up to a factor.

    `certainty` says how they vary there; None: scores are taken as they are. Raises ValueError for a factor
    that is no number of at least 1.
    """

    def __init__(
        self,
        board: Board,
        question: Question,
        columns: Columns,
        factor: float = FACTOR,
        certainty: Certainty | None = None,
    ) -> None:
        if not 1.0 <= factor < math.inf:
            raise ValueError(f"factor: {factor!r} is not a number of at least 1")
        self.question, self.columns, self.factor, self.certainty = question, columns, factor, certainty
        self.names = stretched(board, question, columns)
        self.scores = columns.key
        self.parts = [columns.contributions[name] for name in self.names]
        #: By corner, how all differences vary there.
        self._variances: dict[int, Variances] = {}

    def least(self, pairs: Sequence[tuple[float, int, int]]) -> list[tuple[float, int, int]]:
        """Of pairs (difference over its standard error, higher, lower) those whose order stays, with the
        least of that and of the same at their corner."""
        corners, lows = self._lows(pairs)
        by_corner: dict[int, list[int]] = {}
        for place, (corner, low) in enumerate(zip(corners, lows, strict=True)):
            if low > 0.0:
                by_corner.setdefault(corner, []).append(place)
        found: list[tuple[float, int, int]] = []
        for corner, places in by_corner.items():
            stay = [pairs[place] for place in places]
            ratios = self._ratios(corner, [lows[place] for place in places], [pair[1:] for pair in stay])
            found += [
                (ratio if ratio < before else before, higher, lower)
                for ratio, (before, higher, lower) in zip(ratios, stay, strict=True)
            ]
        return found

    def _lows(self, pairs: Sequence[tuple[float, int, int]]) -> tuple[list[int], list[float]]:
        """The corner of each pair, and its least difference.

        A corner is a number with a bit for each metric in which the higher model is ahead.
        """
        # As losses from the difference itself, so that rounding never makes a larger one of it.
        divided, multiplied = 1.0 - 1.0 / self.factor, 1.0 - self.factor
        corners, losses, scores = [0] * len(pairs), [], self.scores
        for place, part in enumerate(self.parts):
            bit = 1 << place
            ahead = [part[higher] - part[lower] for _, higher, lower in pairs]
            losses.append([t * divided if t > 0.0 else t * multiplied for t in ahead])
            corners = [corner | bit if t > 0.0 else corner for corner, t in zip(corners, ahead, strict=True)]
        lost = map(math.fsum, zip(*losses, strict=True))
        return corners, [scores[i] - scores[j] - loss for (_, i, j), loss in zip(pairs, lost, strict=True)]

    def _ratios(self, corner: int, lows: Sequence[float], pairs: Sequence[tuple[int, int]]) -> list[float]:
        """Least differences, less bias, over their standard errors; infinite where they do not vary."""
        if self.certainty is None:
            return [math.inf] * len(pairs)
        variances = self._variances.get(corner) or self._varying(corner, self.certainty)
        if variances.too_high:
            lows = [low - variances.bias(*pair) for low, pair in zip(lows, pairs, strict=True)]
        return [
            0.0 if low <= 0.0 else low / math.sqrt(variance) if variance else math.inf
            for low, variance in zip(lows, variances.of(pairs), strict=True)
        ]

    def _varying(self, corner: int, certainty: Certainty) -> Variances:
        """How differences vary where the parts of this corner are divided, and the others multiplied."""
        times = {
            name: 1.0 / self.factor if corner >> place & 1 else self.factor
            for place, name in enumerate(self.names)
        }
        found = certainty.variances(self.question, self.columns, times=times)
        self._variances[corner] = found
        return found


def ranks_within(
    board: Board, question: Question, columns: Columns, factor: float = FACTOR
) -> list[tuple[int, int] | None]:
    """The best and the worst rank of each model with every exchange rate off by up to a factor, of scores as
    they are; None of models without a rank."""
    corners = Corners(board, question, columns, factor)
    ranked = [index for index in columns.order if columns.ranks[index] == columns.ranks[index]]
    last, scores = RankedLast(board.floored, ranked), columns.key
    above, below = ([0] * len(board.models) for _ in range(2))
    for place, higher in enumerate(ranked):
        lower = [index for index in ranked[place + 1 :] if scores[index] < scores[higher]]
        pairs = [(math.inf, higher, index) for index in lower if not last.divides(higher, index)]
        for _, _, index in corners.least(pairs) if corners.names else pairs:
            above[index] += 1
            below[higher] += 1
    found: list[tuple[int, int] | None] = [None] * len(board.models)
    for index in ranked:
        found[index] = last.rank_set(index, above[index], below[index])
    return found
