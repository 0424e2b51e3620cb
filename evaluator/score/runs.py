"""Several whole runs of a model: by how much more their numbers differ than single examples explain.

An example that is asked again may be answered otherwise, each by itself, which the covariances of the means
over trials hold already. A run that differs as a whole, such as one of another training seed, moves all
examples at once, which no number of them shows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evaluator.rank.significance import CONFIDENCE, Evidence, level

#: So many degrees of freedom has what all models say of how far the runs of one differ.
SHARED_FREEDOM = 4
#: Significant digits of what is kept: beyond these libraries of another version may add up otherwise.
DIGITS = 6


@dataclass(frozen=True)
class Runs:
    """How a metric of one model differs over so many whole runs, in the metric's unit squared.

    `spread` is the variance of the runs' numbers without bias. `noise` is what that would be if each example
    varied by itself: the mean over examples of their variance over trials, over the number of examples.
    """

    runs: int
    spread: float
    noise: float

    @classmethod
    def of(cls, trials: npt.NDArray[np.float64]) -> Runs | None:
        """From values (examples, runs), NaN where missing; None where no two runs say anything.

        Examples that lack some runs count by how far the others are from their own mean.
        """
        there = ~np.isnan(trials)
        several = trials[there.sum(axis=1) > 1]
        if several.size == 0:
            return None
        counts = (~np.isnan(several)).sum(axis=0)
        several, counts = several[:, counts > 0], counts[counts > 0]
        apart = several - np.nanmean(several, axis=1, keepdims=True)
        shifts = np.nansum(apart, axis=0) / counts
        within = np.nanvar(several, axis=1, ddof=1).mean()
        return cls(len(shifts), float(shifts.var(ddof=1)), float((within / counts).mean()))


def run_variances(by_model: Mapping[str, Runs | None], always_same: frozenset[str]) -> list[float] | None:
    """By how much the variance of each model's number is larger because whole runs differ; None without runs.

    A run's variance is estimated from all models' runs, and where a model's own say that it is more, from
    these too. It is as uncertain as an estimate of so few runs is: it is widened by what Student's t is wider
    than the normal distribution. What examples by themselves explain is taken
    off, and the mean over K runs has one K-th of the rest. A model of one run has all of it, unless it is
    among those that say `always_same`.
    """
    known = [one for one in by_model.values() if one is not None]
    if not known:
        return None
    freedom = sum(one.runs - 1 for one in known)
    spread, noise = (
        sum((one.runs - 1) * getattr(one, what) for one in known) / freedom for what in ("spread", "noise")
    )
    tail = (1.0 - CONFIDENCE) / 2.0
    widened = (level(tail, 1, Evidence(freedom=freedom)) / level(tail)) ** 2
    found = []
    for model, one in by_model.items():
        own, explained, runs = spread, noise, 1
        if one is not None:
            runs, explained = one.runs, one.noise
            shrunk = (SHARED_FREEDOM * spread + (runs - 1) * one.spread) / (SHARED_FREEDOM + runs - 1)
            own = max(spread, shrunk)
        variance = 0.0 if model in always_same else max(0.0, widened * own - explained) / runs
        found.append(float(f"{variance:.{DIGITS}g}"))
    return found
