"""What stays of a ranking where its exchange rates are off: by up to a factor each, in either direction.

Standard library only, and the same bits everywhere, as `rank.rank_sets`, which asks this.

Exchange rates are estimates (or a visitor's own trade-offs). A score is a sum of parts, one for each metric,
of which all but the base metric's are divided by a rate. Let t be by how much one model is ahead of another
in such a part. With every rate off by a factor of at most f, each by its own, the difference of two scores is
least where the parts in which the higher model is ahead are divided by f, and the others multiplied by it:

    low = t of the base metric + sum of t / f where t > 0 + sum of t f where t < 0.

The higher model stays above at all such rates if low > 0. The leader's break factor is the smallest f at
which some low is 0.

It does so by more than chance if at all such rates the difference is so many standard errors. The difference
less so many standard errors is a concave function of the factors (a sum less a norm), so it is least at a
corner, where each is f or 1 / f. Mostly that is where the difference is least; but what hardly differs and
varies much may be worth more or less, so it is tried in both directions. The one corner alone would not do:
of pairs that are level there, up to 0.13 were told apart at f = 2 and 0.27 at 4, where 0.025 is promised.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evaluator.rank.dynascore import Board, Column, Columns, Question
from evaluator.rank.formats import fixed
from evaluator.rank.significance import RankedLast, Rivals

if TYPE_CHECKING:
    from evaluator.rank.rank_sets import Certainty, Variances

#: The factor of the ranks that are shown beside rank sets.
FACTOR = 2.0
#: What is said where the ranks within it are drawn.
THIN = f"Thin lines are ranks with every {{rate}} off by up to a factor of {FACTOR:.0f}."
#: So many metrics, those that vary most, are tried in either direction; others count for the lower model.
MOST = 4
#: What models are ranked by where there are rates.
WITH_RATES = ("dynascore", "trades")
#: What a rate is called, by what models are ranked by.
RATE = {"dynascore": "exchange rate", "trades": "trade-off"}
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

    `factor` is 1 and more, infinite where it is first at any rates. `rival` is who comes level then. `rate`
    is what a rate is called.
    """

    leader: int
    factor: float
    rival: int | None
    rate: str = RATE["dynascore"]


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
    found = Lead(leader, math.inf, None, RATE[columns.by])
    for rival in ranked:
        if rival == leader or last.divides(leader, rival):
            continue
        base = math.fsum([part[leader] - part[rival] for part in fixed_parts])
        factor = break_factor(base, [part[leader] - part[rival] for part in parts])
        if factor < found.factor:
            found = Lead(leader, factor, rival, found.rate)
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
        return f"The leader stays first at any {lead.rate}s."
    if lead.factor < 1.01:
        return f"The leader is first at these {lead.rate}s alone: if they are off by 1 %, another may be."
    return f"The leader stays first while the {lead.rate}s are right within a factor of {_said(lead.factor)}."


def _said(factor: float) -> str:
    """Rounded down, so that it promises nothing too much: 1.04, 1.9, 4.4, 23, and 100 for all above."""
    factor = min(factor, LARGE)
    decimals = 2 if factor < 1.1 else 1 if factor < 10 else 0
    scale = 10**decimals
    return fixed(math.floor(factor * scale) / scale, decimals)


def factor_words(board: Board, question: Question, columns: Columns, thin: bool) -> str:
    """The quiet line under a ranking; `thin`: ranks within `FACTOR` are drawn."""
    drawn = THIN.format(rate=RATE.get(columns.by, "")) if thin else ""
    return " ".join(filter(None, [lead_words(lead_of(board, question, columns)), drawn]))


# All ranks


class Corners:
    """The least that differences of scores can be with every exchange rate off by up to a factor.

    `certainty` says how they vary there, and `rivals` how many standard errors count; None: scores are taken
    as they are. Raises ValueError for a factor that is no number of at least 1.
    """

    def __init__(
        self,
        board: Board,
        question: Question,
        columns: Columns,
        factor: float = FACTOR,
        certainty: Certainty | None = None,
        rivals: Rivals | None = None,
    ) -> None:
        if not 1.0 <= factor < math.inf:
            raise ValueError(f"factor: {factor!r} is not a number of at least 1")
        self.question, self.columns, self.factor, self.certainty = question, columns, factor, certainty
        self.names = stretched(board, question, columns)
        self.least_ratio, self.clear = (rivals.least, rivals.clear) if rivals else (0.0, 0.0)
        #: What a unit of each part is worth at either end, less what it is at the rates shown.
        self.ends = 1.0 / factor - 1.0, factor - 1.0
        self.parts = [columns.contributions[name] for name in self.names]
        self.scores = columns.key
        #: The least differences that are more than noise whatever the rates are; and for the metrics that
        #: vary most, by place, the differences in their parts that are. Where two models differ by more in a
        #: metric, the least ratio is where that counts for the lower one: noise adds less to standard errors.
        self.sure, self.noisy = 0.0, list[tuple[int, float]]()
        if certainty is not None:
            self._find_noise(certainty, self.clear)
        #: By corner, how all differences vary there.
        self._variances: dict[int, Variances] = {}

    def _find_noise(self, certainty: Certainty, clear: float) -> None:
        """Standard errors of sums are at most the sums of the parts' own."""
        noise = {
            name: clear * math.sqrt(certainty.most(self.question, self.columns, name))
            for name in self.columns.contributions
        }
        self.sure = math.fsum(
            [self.factor * most if name in self.names else most for name, most in noise.items()]
        )
        found = [(place, noise[name]) for place, name in enumerate(self.names) if noise[name]]
        self.noisy = sorted(found, key=lambda one: -one[1])[:MOST]

    def least(self, pairs: Sequence[tuple[float, int, int]]) -> list[tuple[float, int, int]]:
        """Of pairs (difference over its standard error, higher, lower) those whose order stays, with the
        least of that ratio at the rates shown and at all corners."""
        aheads = [[part[higher] - part[lower] for _, higher, lower in pairs] for part in self.parts]
        lows = self._lows(pairs, aheads)
        if self.certainty is None:
            return [pair for pair, low in zip(pairs, lows, strict=True) if low > 0.0]
        near = [place for place, low in enumerate(lows) if 0.0 < low <= self.sure]
        found = [pair for pair, low in zip(pairs, lows, strict=True) if low > self.sure]
        lows, aheads = [lows[place] for place in near], [[ahead[place] for place in near] for ahead in aheads]
        return found + self._near([pairs[place] for place in near], lows, aheads)

    def _near(
        self, pairs: Sequence[tuple[float, int, int]], lows: Column, aheads: Sequence[Column]
    ) -> list[tuple[float, int, int]]:
        """The same of pairs whose least difference may be noise."""
        ratios, corners = [pair[0] for pair in pairs], self._corners(aheads)
        # First where the difference is least, then where metrics of which it is unclear are turned.
        at_least: dict[int, list[int]] = {}
        for place, corner in enumerate(corners):
            at_least.setdefault(corner, []).append(place)
        for corner, places in at_least.items():
            self._lower(ratios, corner, places, [lows[place] for place in places], pairs)
        for corner, places in self._turned(corners, ratios, lows, aheads).items():
            gaps = [self._gap(lows, aheads, corner ^ corners[place], place) for place in places]
            self._lower(ratios, corner, places, gaps, pairs)
        return [(r, *pair[1:]) for r, pair in zip(ratios, pairs, strict=True) if r > self.least_ratio]

    def _lows(self, pairs: Sequence[tuple[float, int, int]], aheads: Sequence[Column]) -> Column:
        """The least difference of each pair."""
        # As losses from the difference itself, so that rounding never makes a larger one of it.
        divided, multiplied = self.ends
        losses = [[t * divided if t > 0.0 else t * multiplied for t in ahead] for ahead in aheads]
        lost, scores = map(math.fsum, zip(*losses, strict=True)), self.scores
        return [scores[i] - scores[j] + loss for (_, i, j), loss in zip(pairs, lost, strict=True)]

    def _corners(self, aheads: Sequence[Column]) -> list[int]:
        """Where the difference of each pair is least: a number with a bit for each metric that is divided."""
        corners = [0] * len(aheads[0])
        for place, ahead in enumerate(aheads):
            bit = 1 << place
            corners = [corner | bit if t > 0.0 else corner for corner, t in zip(corners, ahead, strict=True)]
        return corners

    def _turned(
        self, corners: Sequence[int], ratios: Column, lows: Column, aheads: Sequence[Column]
    ) -> dict[int, list[int]]:
        """By corner the places of the pairs whose ratio may be less there than at their own."""
        # Turned, a gap grows, and its standard error by at most those of the metrics.
        wide, found = self.ends[1] - self.ends[0], dict[int, list[int]]()
        most = wide * math.fsum([clearly for _, clearly in self.noisy])
        for place, (low, ratio) in enumerate(zip(lows, ratios, strict=True)):
            if ratio <= self.least_ratio or (room := low * (1.0 - self.clear / ratio)) > most:
                continue
            unclear = [(at, clearly) for at, clearly in self.noisy if abs(aheads[at][place]) < clearly]
            if room <= wide * math.fsum([clearly for _, clearly in unclear]):
                for turned in _parts_of(sum([1 << at for at, _ in unclear]))[1:]:
                    found.setdefault(corners[place] ^ turned, []).append(place)
        return found

    def _gap(self, lows: Column, aheads: Sequence[Column], turned: int, place: int) -> float:
        """The difference of a pair where these metrics are turned, which are not at its own corner."""
        more = [abs(ahead[place]) for at, ahead in enumerate(aheads) if turned >> at & 1]
        return lows[place] + (self.ends[1] - self.ends[0]) * math.fsum(more)

    def _lower(
        self,
        ratios: Column,
        corner: int,
        places: Sequence[int],
        gaps: Column,
        pairs: Sequence[tuple[float, int, int]],
    ) -> None:
        """Put the ratios of these pairs at a corner in the place of larger ones."""
        variances = self._variances.get(corner) or self._varying(corner)
        chosen = [pairs[place][1:] for place in places]
        if variances.too_high:
            gaps = [gap - variances.bias(*pair) for gap, pair in zip(gaps, chosen, strict=True)]
        for place, gap, variance in zip(places, gaps, variances.of(chosen), strict=True):
            ratio = 0.0 if gap <= 0.0 else gap / math.sqrt(variance) if variance else math.inf
            if ratio < ratios[place]:
                ratios[place] = ratio

    def _varying(self, corner: int) -> Variances:
        """How differences vary where the parts of this corner are divided, and the others multiplied."""
        times = {
            name: 1.0 / self.factor if corner >> place & 1 else self.factor
            for place, name in enumerate(self.names)
        }
        assert self.certainty is not None
        found = self.certainty.variances(self.question, self.columns, times=times)
        self._variances[corner] = found
        return found


@functools.cache
def _parts_of(bits: int) -> list[int]:
    """All numbers whose bits are among these, 0 first."""
    found = [0]
    for place in range(bits.bit_length()):
        if bits >> place & 1:
            found += [part | 1 << place for part in found]
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
