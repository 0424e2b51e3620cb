"""Whether a model's move from one snapshot to another may be no more than chance."""

from __future__ import annotations

from typing import TypeAlias

RankRange: TypeAlias = tuple[int, int] | None

#: The rule, said once wherever moves are shown.
RULE = (
    "A move is within noise where the model's rank sets before and after overlap: other examples from the"
    " same source could explain it."
)
WORDS = {True: "within noise", False: "more than noise"}


def within_noise(before: RankRange, after: RankRange) -> bool | None:
    """Whether two rank sets overlap, and None where one is unknown."""
    if before is None or after is None:
        return None
    return before[0] <= after[1] and after[0] <= before[1]
