"""Who moved between two rankings of a board.

One answer for a check of a change, the comparison of two snapshots, a history, and what-ifs in a page.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import TypeVar

#: The rule, said once wherever moves are shown.
RULE = (
    "A move is within noise where the model's rank sets before and after overlap: other examples from the"
    " same source could explain it."
)
WORDS = {True: "within noise", False: "more than noise"}


@dataclass(frozen=True)
class Place:
    """A model's rank, from 1, and score: both None where it is not ranked.

    `rank_set` are the best and the worst rank that the examples leave open, None where that is unknown.
    """

    rank: int | None = None
    score: float | None = None
    rank_set: tuple[int, int] | None = None


Name = TypeVar("Name", bound=Hashable)
AnyPlace = TypeVar("AnyPlace", bound=Place)


def moved(
    before: Mapping[Name, AnyPlace], after: Mapping[Name, AnyPlace]
) -> dict[Name, tuple[AnyPlace | None, AnyPlace | None]]:
    """The models with another rank than before, in the order of `after`, then those that left.

    With each its place before and after: None where it was not there, or is there no more.
    """
    found: dict[Name, tuple[AnyPlace | None, AnyPlace | None]] = {}
    for name, now in after.items():
        was = before.get(name)
        if was is None or was.rank != now.rank:
            found[name] = was, now
    return found | {name: (was, None) for name, was in before.items() if name not in after}


def within_noise(before: Place | None, after: Place) -> bool | None:
    """Whether other examples could explain a move, as rank sets overlap.

    None where there was no move, or where a rank set is unknown.
    """
    if before is None or before.rank == after.rank or before.rank_set is None or after.rank_set is None:
        return None
    return before.rank_set[0] <= after.rank_set[1] and after.rank_set[0] <= before.rank_set[1]
