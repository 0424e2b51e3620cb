"""The outcome of computing stored scores again: which differ, how many could not be computed, and why."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

#: Floats that differ by less are the same: libraries of another version may add up in another order.
TOLERANCE = 1e-9
#: What computing raises over files that read well and yet make no sense, which anyone may have written.
BROKEN = (ValueError, TypeError, LookupError, ArithmeticError)
#: Where a message was found: a file, a line.
W = TypeVar("W")
FIX = "restore the file, or evaluate or import again"


def is_same(stored: float, again: float, within: float = TOLERANCE) -> bool:
    """Whether two numbers are the same except for the last digits."""
    return math.isclose(stored, again, rel_tol=within, abs_tol=within)


@dataclass
class Recomputed:
    """What is wrong, a line each; and by reason the files whose scores were left, once for each score."""

    problems: list[str] = field(default_factory=list)
    left: dict[str, list[Path]] = field(default_factory=dict)

    def leave(self, reason: str, path: Path, scores: int = 1) -> None:
        """Count `scores` of a file that are not computed again for a reason."""
        if scores:
            self.left.setdefault(reason, []).extend([path] * scores)

    def wrong(self, path: Path, problem: str) -> None:
        """Report what is wrong with a file."""
        self.problems.append(f"{path}: {problem}; {FIX}")

    def compare(
        self,
        path: Path,
        where: str,
        stored: Mapping[str, float | None],
        again: Mapping[str, float | None],
        within: float = TOLERANCE,
    ) -> None:
        """Report each stored number, by its name, that is not what comes out again, except for `within`."""
        for name, value in stored.items():
            other = again.get(name)
            if value is None and other is None:
                continue
            if value is None or other is None or not is_same(value, other, within):
                what = f"{_shown(value)} is stored, but recomputed it is {_shown(other)}"
                self.wrong(path, f"{where}{name}: {what}")

    @property
    def notes(self) -> list[str]:
        """A line for each reason to leave scores: how many, of how many results."""
        return [
            f"{counted(len(paths), 'score')} of {counted(len(set(paths)), 'result')} not recomputed: {reason}"
            for reason, paths in sorted(self.left.items())
        ]


def together(found: Iterable[tuple[W, str]]) -> list[tuple[W, str, int]]:
    """Each message once, with where it was found first and how often, in the order of these."""
    first: dict[str, W] = {}
    times: Counter[str] = Counter()
    for where, message in found:
        first.setdefault(message, where)
        times[message] += 1
    return [(first[message], message, count) for message, count in times.items()]


def counted(number: int, what: str) -> str:
    """``1 score``, ``2 scores``."""
    return f"{number} {what}{'' if number == 1 else 's'}"


def _shown(value: float | None) -> str:
    return "no number" if value is None else f"{value!r}"
