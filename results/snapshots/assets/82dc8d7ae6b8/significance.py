"""When a difference is more than chance, and which ranks follow: levels, exact tests, and rank sets.

What `rank.rank_sets` says of a board and `rank.difficulty` of a ranking by difficulty is told by
the same code. Standard library only, and the same bits everywhere: sums go through `math.fsum`.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from evaluator.rank.formats import count

CONFIDENCE = 0.95
#: Chance of seeing a gap that is there, in `smallest`.
POWER = 0.8
NO_TIE = "No other model ties with the leader."
#: How many models of a tie are named.
NAMED = 4
#: Small numbers as a sentence writes them.
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


@dataclass(frozen=True)
class Evidence:
    """What standard errors are of: so many independent units, and degrees of freedom; infinite for many.

    Of few units all may fall one way by chance. Degrees of freedom are fewer than units where a value needs
    two kinds of examples and one of them is scarce.
    """

    units: float = math.inf
    freedom: float = math.inf

    def and_units(self, units: float) -> Evidence:
        """With a part of the score that is of so many independent units."""
        return self.fewer(Evidence(units, units - 1))

    def fewer(self, other: Evidence) -> Evidence:
        """The fewest of both, for a sum."""
        return Evidence(min(self.units, other.units), min(self.freedom, other.freedom))


MANY = Evidence()


class RankedLast:
    """The models that are no better than a constant answer, which are ranked last whatever their scores."""

    def __init__(self, floored: frozenset[int], ranked: Sequence[int]) -> None:
        self.floored = floored
        self.under = sum(index in floored for index in ranked)
        self.all = len(ranked)

    def divides(self, i: int, j: int) -> bool:
        """Whether just one of two models is ranked last, so that their scores do not decide."""
        return (i in self.floored) != (j in self.floored)

    def rank_set(self, index: int, above: int, below: int) -> tuple[int, int]:
        """The rank set of a model that so many of its own group are significantly above and below."""
        if index in self.floored:
            return 1 + self.all - self.under + above, self.all - below
        return 1 + above, self.all - self.under - below


def level(tail: float, among: int = 1, evidence: Evidence = MANY) -> float:
    """The standard errors that a difference must pass, by chance with probability `tail` in one direction.

    `tail` is shared by `among` comparisons. Where degrees of freedom are few, Student's t stands for the
    normal distribution. Infinite where all units fall one way by chance more often than `tail` says (the sign
    test), so that no difference of theirs is more than chance: one unit always, and at 0.95 all that are
    fewer than six.
    """
    few = evidence.units < math.inf and math.ldexp(1.0, -int(evidence.units)) > tail
    if few or evidence.freedom < 1:
        return math.inf
    if evidence.freedom == math.inf:
        return normal_quantile(tail / among)
    return t_quantile(tail / among, int(evidence.freedom))


def widening(freedom: int, tail: float) -> float:
    """What a variance of few degrees of freedom is multiplied by where it is one part of a variance that is
    otherwise known, so that the normal quantile at `tail` is enough (Cochran 1964: Student's t by parts)."""
    ratio = t_quantile(tail, freedom) / normal_quantile(tail)
    return ratio * ratio


def too_few(evidence: Evidence, confidence: float = CONFIDENCE) -> bool:
    """Whether so many independent units tell nothing apart, whatever their values."""
    return level((1.0 - confidence) / 2.0, 1, evidence) == math.inf


def too_few_words(evidence: Evidence, confidence: float = CONFIDENCE) -> str:
    """Why every rank set is of all ranks; empty where the evidence is enough."""
    if not too_few(evidence, confidence):
        return ""
    if evidence.freedom < 1 < evidence.units:
        return "Only 1 independent example has a label that is needed: each model may have any rank."
    are = (
        "is only 1 independent example or source"
        if evidence.units == 1
        else f"are only {evidence.units:.0f} independent examples or sources"
    )
    return f"There {are} of examples, too few to tell models apart: each may have any rank."


class Rivals:
    """Which rivals of one of so many ranked models are significantly above it, or below: Holm 1979, by side.

    The rival that differs most must pass `clear` standard errors, as if all were told apart at that level;
    each that does leaves fewer to correct for, down to the one of `least`.
    """

    def __init__(self, ranked: int, confidence: float = CONFIDENCE, evidence: Evidence = MANY) -> None:
        self.among = max(1, ranked - 1)
        self.tail, self.evidence = (1.0 - confidence) / 2.0, evidence
        self.clear, self.least = level(self.tail, self.among, evidence), level(self.tail, 1, evidence)

    def significant(self, ratios: Sequence[float]) -> int:
        """How many rivals on one side are, by their differences over the standard errors."""
        close = sorted([ratio for ratio in ratios if ratio <= self.clear], reverse=True)
        count = len(ratios) - len(close)
        for ratio in close:
            if ratio <= self.least or ratio <= level(self.tail, max(1, self.among - count), self.evidence):
                break
            count += 1
        return count


def marginal(
    known: Iterable[int],
    apart: Iterable[tuple[float, int, int]],
    rivals: Rivals,
    size: int,
    last: RankedLast,
) -> list[tuple[int, int] | None]:
    """The rank sets of the `known` of `size` models, None of the others.

    `apart` are pairs (difference over its standard error, higher, lower).
    """
    above: list[list[float]] = [[] for _ in range(size)]
    below: list[list[float]] = [[] for _ in range(size)]
    for ratio, higher, lower in apart:
        if ratio > rivals.least:
            above[lower].append(ratio)
            below[higher].append(ratio)
    sets: list[tuple[int, int] | None] = [None] * size
    for index in known:
        over, under = rivals.significant(above[index]), rivals.significant(below[index])
        sets[index] = last.rank_set(index, over, under)
    return sets


def smallest(pairs: Iterable[tuple[float, float]], needed: float) -> float | None:
    """The difference that the median pair shows with `POWER`, where `needed` standard errors are.

    From the variances of the known pairs, and what bias may add to each; None without any, or where no
    difference is enough.
    """
    if needed == math.inf:
        return None
    errors = needed + normal_quantile(1.0 - POWER)
    known = sorted([bias + errors * math.sqrt(variance) for variance, bias in pairs])
    return known[len(known) // 2] if known else None


def mcnemar(first: int, second: int) -> float:
    """McNemar's exact two-sided p: how often chance alone divides first + second examples so unevenly.

    Twice the tail of the binomial with one half, at most 1 (McNemar 1947; exact as in Fagerland et al. 2013).
    """
    together, ways, tail = first + second, 1, 0
    for taken in range(min(first, second) + 1):
        tail += ways
        ways = ways * (together - taken) // (taken + 1)
    return min(1.0, 2 * tail / (1 << together))


@functools.cache
def normal_quantile(tail: float) -> float:
    """How many standard deviations leave `tail` (under 0.5) above them; to seven digits.

    Algorithm AS 241 of Wichura 1988, PPND7. Raises ValueError for a tail that is not above 0 and at most 0.5.
    """
    if not 0.0 < tail <= 0.5:
        raise ValueError(f"tail: {tail!r} is not above 0 and at most 0.5")
    middle = 0.5 - tail
    if middle <= 0.425:
        r = 0.180625 - middle * middle
        return middle * _ratio(
            r,
            (3.3871327179, 50.434271938, 159.29113202, 59.109374720),
            (1.0, 17.895169469, 78.757757664, 67.187563600),
        )
    r = math.sqrt(-_logarithm(tail))
    if r <= 5.0:
        return _ratio(
            r - 1.6,
            (1.4234372777, 2.7568153900, 1.3067284816, 0.17023821103),
            (1.0, 0.73700164250, 0.12021132975),
        )
    return _ratio(
        r - 5.0,
        (6.6579051150, 3.0812263860, 0.42868294337, 0.017337203997),
        (1.0, 0.24197894225, 0.012258202635),
    )


#: From so many degrees of freedom on, four terms give Student's quantile to seven digits.
EXPANDED = 100


@functools.cache
def t_quantile(tail: float, freedom: int) -> float:
    """As `normal_quantile`, of Student's t with so many degrees of freedom, 1 and more; to six digits.

    For many the expansion about the normal quantile (Abramowitz & Stegun 1964, 26.7.5), else by halving.
    """
    normal = normal_quantile(tail)
    if freedom >= EXPANDED:
        square = normal * normal
        terms = (
            1.0,
            _polynomial(square, (1.0, 1.0)) / 4.0,
            _polynomial(square, (3.0, 16.0, 5.0)) / 96.0,
            _polynomial(square, (-15.0, 17.0, 19.0, 3.0)) / 384.0,
            _polynomial(square, (-945.0, -1920.0, 1482.0, 776.0, 79.0)) / 92160.0,
        )
        return normal * _polynomial(1.0 / freedom, terms)
    low, high = 0.0, 1.0
    while _t_tail(high, freedom) > tail:
        low, high = high, 2.0 * high
    for _ in range(HALVINGS):
        middle = (low + high) / 2.0
        if _t_tail(middle, freedom) > tail:
            low = middle
        else:
            high = middle
    return (low + high) / 2.0


#: Enough for the last bit of a float.
HALVINGS = 54


def _t_tail(value: float, freedom: int) -> float:
    """The probability that Student's t exceeds a value of 0 and more (Abramowitz & Stegun 1964, 26.7.3-4)."""
    length = math.sqrt(freedom + value * value)
    sine, cosine = value / length, math.sqrt(freedom) / length
    odd = freedom % 2
    total, term = 0.0, cosine if odd else 1.0
    for step in range(freedom // 2):
        total += term
        term *= cosine * cosine * (2 * step + 1 + odd) / (2 * step + 2 + odd)
    if odd:
        return (_arctangent(cosine, sine) - sine * total) / math.pi
    return (1.0 - sine * total) / 2.0


def _arctangent(over: float, under: float) -> float:
    """The angle of a point (`under`, `over`) from 0 to a right angle: `math.atan` is the platform's own."""
    for _ in range(3):  # half the angle each time
        under += math.sqrt(over * over + under * under)
    ratio = over / under
    series = _polynomial(ratio * ratio, [(1.0 - 2.0 * (place % 2)) / (2 * place + 1) for place in range(14)])
    return 8.0 * ratio * series


def _ratio(at: float, over: Sequence[float], under: Sequence[float]) -> float:
    return _polynomial(at, over) / _polynomial(at, under)


def _polynomial(at: float, coefficients: Sequence[float]) -> float:
    value = 0.0
    for coefficient in reversed(coefficients):
        value = value * at + coefficient
    return value


def _logarithm(value: float) -> float:
    """The natural logarithm, the same bits everywhere: `math.log` is the platform's own."""
    mantissa, exponent = math.frexp(value)
    ratio = (mantissa - 1.0) / (mantissa + 1.0)
    square = ratio * ratio
    series = _polynomial(square, [1.0 / odd for odd in range(1, 60, 2)])
    return exponent * 0.6931471805599453 + 2.0 * ratio * series


def tie_words(tied: int, whole: bool = True) -> str:
    """That so many models tie for the first rank, since their rank sets include it, in words of the verdict.

    Not `whole`: only some models were asked about.
    """
    who = f"Tie of {number_words(tied)} (blue edge)" if whole else "Models with a blue edge tie"
    return f"{who}: other examples of the same kind could put any of them first."


def lead_words(
    ranks: Sequence[tuple[float, str]],
    sets: Sequence[Sequence[int] | None] | None,
    where: str,
    whom: str = "",
) -> list[str | tuple[str, str]]:
    """Who leads a ranking, or ties, in pieces of a text: the one sentence above every table.

    `ranks` are those of the ranked models in their order, each with the model's name, and `sets` their rank
    sets [best, worst], None where one is unknown; None in all where they are not found. `where` is "at these
    weights", and `whom` names the models where they are chosen ones, such as "these three".
    """
    if not ranks:
        return [f"No model is ranked {where}."]
    names = [name for _, name in ranks]
    shared = [name for rank, name in ranks if rank == ranks[0][0]]
    tied = [name for name, held in zip(names, sets or [], strict=False) if held and held[0] == 1]
    unknown = None in sets if sets else False
    own = sets[0] if sets else None
    if own and len(tied) > 1:
        if whom and len(tied) == len(ranks):
            return [f"Tie of {whom} {where}: ", *_named(tied), "."]
        least = "at least " if unknown else "all " if len(tied) == len(ranks) > 2 else ""
        of = f" of {whom}" if whom else ""
        return [f"Tie of {least}{number_words(len(tied))}{of} {where}: ", *_named(tied), "."]
    if len(shared) > 1:
        return [*_named(shared), f" share the first rank {where}."]
    if len(ranks) == 1:
        return [("strong", names[0]), f" is the only model that is ranked {where}."]
    certainty = ""
    if own and own[1] == 1:
        certainty = ", by more than chance"
    elif sets and (own is None or unknown):
        certainty = "; how certain that is, is unknown"
    return [("strong", names[0]), f" leads{f' {whom}' if whom else ''} {where}{certainty}."]


def number_words(value: int) -> str:
    """ "three", and "11"."""
    return NUMBERS[value] if value < len(NUMBERS) else count(value)


def _named(names: Sequence[str]) -> list[str | tuple[str, str]]:
    """The first of them in bold, not all of many."""
    named = names if len(names) <= NAMED else names[: NAMED - 1]
    more = len(names) - len(named)
    text: list[str | tuple[str, str]] = [("strong", named[0])]
    for at, name in enumerate(named[1:], 2):
        text += [" and " if at == len(named) and not more else ", ", ("name", name)]
    return [*text, f" and {count(more)} more"] if more else text


def set_words(found: tuple[int, int] | None) -> str:
    """A rank set as people read it: "1-3", "2", or "unknown"."""
    if found is None:
        return "unknown"
    best, worst = found
    return str(best) if best == worst else f"{best}-{worst}"
