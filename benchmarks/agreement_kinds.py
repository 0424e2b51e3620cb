"""What a comparison of our code with a reference is made of."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

#: Numbers that two sides have to agree on; None where one is undefined.
Values = Sequence[float | None]


@dataclass(frozen=True)
class Comparison:
    """`ours` and `theirs` take one input; `draw` makes one by chance, and `nasty` lists the worst.

    Where inputs take long, of the random ones that are asked for one in `every` is enough.
    """

    name: str
    reference: str
    draw: Callable[[random.Random], Any]
    nasty: Sequence[Any]
    ours: Callable[[Any], Values]
    theirs: Callable[[Any], Values]
    every: int = 1
