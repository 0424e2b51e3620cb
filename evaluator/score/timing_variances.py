"""How timings vary: by how blocks differ, and by what all blocks of a model have in common."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from evaluator.rank.significance import normal_quantile
from evaluator.records.result import Result

#: The variance of a median of normal values over that of their mean, for many of them.
OF_MEDIAN = math.pi / 2
#: Digits of the variances of timings: beyond these the logarithms of two machines need not agree.
DIGITS = 6
#: Degrees of freedom of a variance that is as good as known.
MANY_PASSES = 10**6


def relative_variances(name: str, results: Sequence[Result | None]) -> list[float | None]:
    """The variance of each result's timing `name` over its square; None without any.

    It has two parts: how blocks differ, and what they leave open, `Measurement.left_open`. Memory is the
    median of a model's blocks, which varies more than their mean.
    """
    found: list[float | None] = []
    for result in results:
        seen = _of_mean(_logs(name, result))
        shape = OF_MEDIAN if name == "memory" else 1.0
        whole = None if seen is None else shape * seen + _left_open(name, result)
        found.append(None if whole is None else float(f"{whole:.{DIGITS}g}"))
    return found


def _logs(name: str, result: Result | None) -> list[float]:
    """The logarithms of what blocks gave."""
    kept = result.measurement if result is not None and name in result.scores else None
    passes = kept.repeats if kept else ()
    return [math.log(one.memory.mean_bytes if name == "memory" else getattr(one, name)) for one in passes]


def _left_open(name: str, result: Result | None) -> float:
    """The variance of a timing's logarithm that is in no block."""
    if name == "memory" or result is None or result.measurement is None:
        return 0.0
    return (result.measurement.left_open / normal_quantile(0.025)) ** 2


def _of_mean(logs: Sequence[float]) -> float | None:
    """The variance of the mean of logarithms; None of fewer than two."""
    if len(logs) < 2:
        return None
    mean = math.fsum(logs) / len(logs)
    return math.fsum((x - mean) ** 2 for x in logs) / (len(logs) - 1) / len(logs)


def freedom(
    relative: Mapping[str, Sequence[float | None]], results: Sequence[Result | None]
) -> dict[str, dict[str, list[int]]]:
    """Degrees of freedom of what varies by blocks; of what is stated they are many.

    What blocks leave open is known, so a sum with it has more than the blocks have (Satterthwaite 1946).
    """
    if not any(result is not None and result.measurement for result in results):
        return {}
    return {"freedom": {name: [_free(name, result) for result in results] for name in relative}}


def _free(name: str, result: Result | None) -> int:
    if result is None or result.measurement is None:
        return MANY_PASSES
    logs, known = _logs(name, result), _left_open(name, result)
    free = max(1, len(logs) - 1)
    return freedom_of_sum(_of_mean(logs) or 0.0, free, known) if known else free


def freedom_of_sum(seen: float, free: int, known: float) -> int:
    """The degrees of freedom of a variance that was `seen` with `free` ones, and another that is `known`."""
    return min(MANY_PASSES, math.floor(free * ((seen + known) / seen) ** 2)) if seen else MANY_PASSES
