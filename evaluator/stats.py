"""How sure a measured share is."""

from __future__ import annotations

import math

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
