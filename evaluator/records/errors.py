"""The one error for what a person can put right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import TypeVar

#: Where a message was found: a file, a line.
W = TypeVar("W")


class UserError(ValueError):
    """Something that a person gave is wrong, and the program ran as it should.

    `place` is where: a file, with its line, row or field where there is one, or a command's option. `value`
    says what is there and why it cannot be used, `fix` what to do about it. The message is
    ``place: value; fix``, without the parts that are empty.
    """

    def __init__(self, place: str | Path, value: str = "", fix: str = "") -> None:
        self.place, self.value, self.fix = str(place), value, fix
        said = "; ".join(part for part in (value, fix) if part)
        super().__init__(": ".join(part for part in (self.place, said) if part))


def together(found: Iterable[tuple[W, str]]) -> list[tuple[W, str, int]]:
    """Each message once, with where it was found first and how often, in the order of these."""
    first: dict[str, W] = {}
    times: Counter[str] = Counter()
    for where, message in found:
        first.setdefault(message, where)
        times[message] += 1
    return [(first[message], message, count) for message, count in times.items()]
