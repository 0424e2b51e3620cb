"""Sets of characters, as tokenisers in a browser have them; standard library only."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

#: Sorted code points, as the first and the last of each run.
Runs = Sequence[Sequence[int]]
#: Syllables, which NFD takes apart by a rule.
HANGUL = range(0xAC00, 0xD7A4)


def is_in(runs: Runs, code: int) -> bool:
    """Whether a code point is in one of the runs."""
    place = bisect_right(runs, code, key=lambda run: run[0])
    return place > 0 and code <= runs[place - 1][1]


def in_pattern(runs: Runs) -> str:
    """The runs as a regular expression has them between brackets."""
    return "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in runs)
