"""How sure a measured share is, and how alike two orders are."""

from __future__ import annotations

import math
from collections.abc import Sequence

#: Two-sided 95 % of a standard normal distribution.
Z_95 = 1.959963984540054


def wilson(successes: int, trials: int, z: float = Z_95) -> tuple[float, float]:
    """Wilson's score interval for a share, as two shares of 1 (Wilson 1927, "Probable Inference").

    `z` is the normal quantile of the confidence level. Raises ValueError unless
    0 <= successes <= trials and trials > 0.
    """
    if not 0 <= successes <= trials or trials == 0:
        raise ValueError(f"{successes} of {trials} is no share")
    share = successes / trials
    middle = (share + z * z / (2 * trials)) / (1 + z * z / trials)
    half = z / (1 + z * z / trials) * math.sqrt(share * (1 - share) / trials + (z / (2 * trials)) ** 2)
    return max(0.0, middle - half), min(1.0, middle + half)


def spearman(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Spearman's rank correlation of pairs, from -1 to 1; equal numbers share the mean of their ranks.

    None where it is not defined: for fewer than two pairs, or if all numbers of a side are equal. Raises
    ValueError for sides of different lengths (Spearman 1904; the mean ranks after Kendall 1945).
    """
    pairs = list(zip(_centred_ranks(first), _centred_ranks(second), strict=True))
    spread = math.fsum(x * x for x, _ in pairs) * math.fsum(y * y for _, y in pairs)
    return math.fsum(x * y for x, y in pairs) / math.sqrt(spread) if spread else None


def _centred_ranks(values: Sequence[float]) -> list[float]:
    """How many values are smaller than each, less how many are larger: twice its rank from the middle."""
    return [float(sum((other < one) - (other > one) for other in values)) for one in values]
