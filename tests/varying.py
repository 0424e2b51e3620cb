"""How the cells of a made board vary: as `evaluator.score.certainty` says it of a real one."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from typing import Any

from evaluator.score.certainty import PARTS


def varying(
    models: int, right: Sequence[str], timed: Sequence[str] = (), others: Sequence[str] = ()
) -> dict[str, Any]:
    """How the cells of a dataset of 1,000 examples vary: metrics that are right or wrong on each, that are
    timed, and others; covariances have as many digits as those of real boards."""
    chance = random.Random(7)
    answers = {name: [chance.getrandbits(1000) for _ in range(models)] for name in right}
    pairs = [(i, j) for i in range(models) for j in range(i)]
    crossed = [*itertools.combinations([*right, *others], 2), *((name, name) for name in others)]
    return {
        "examples": 1000,
        "clusters": 1000,
        "unit": dict.fromkeys([*right, *others], 100.0),
        "covariances": [
            [*names, 1.25e-06, [chance.randint(1, PARTS) for _ in pairs]] for names in sorted(crossed)
        ],
        "right": {name: [bits.bit_count() for bits in column] for name, column in answers.items()},
        "apart": {
            name: [(column[i] ^ column[j]).bit_count() for i, j in pairs] for name, column in answers.items()
        },
        "relative": {name: [1.5e-05] * models for name in timed},
        "unknown": {},
    }
