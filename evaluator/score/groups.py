"""The independent units of a dataset, the examples or what groups of them share, and sums over these."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evaluator.data.datasets import Dataset
from evaluator.records.base import digest

#: Influence values are rounded to so many parts of the largest on the dataset.
INFLUENCE_PARTS = 1 << 20

Whole = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Groups:
    """The independent units of a dataset: `number` of each example's, () where each is a unit of its own."""

    examples: int
    count: int
    number: tuple[int, ...]

    @classmethod
    def of(cls, dataset: Dataset) -> Groups:
        examples = len(dataset.examples)
        return cls(examples, len(set(dataset.clusters)) or examples, dataset.clusters)

    @property
    def sources(self) -> str | None:
        """The hash of which examples belong together; None where none do."""
        return digest(list(self.number)) if self.number else None

    @property
    def scale(self) -> float:
        """What makes the sum of products of influence values a covariance of means, without bias."""
        if not self.number:
            return 1.0 / (self.examples * max(1, self.examples - 1))
        return self.count / (self.examples * self.examples * max(1, self.count - 1))

    def among(self, examples: npt.NDArray[np.bool_]) -> int:
        """How many units have one of some examples."""
        return len(set(np.array(self.number)[examples].tolist())) if self.number else int(examples.sum())

    def standard_error(self, moved: npt.NDArray[np.float64]) -> float:
        """That of the mean of an example's value, from influence values (examples,), in their unit."""
        sums = np.bincount(self.number, moved, self.count) if self.number else moved
        return math.sqrt(math.fsum((sums * sums).tolist()) * self.scale)

    def in_steps(self, moved: npt.NDArray[np.float64]) -> tuple[Whole, float]:
        """Influence values (models, examples) as whole numbers (models, units) of a step; 0 where unknown."""
        step = float(np.abs(moved).max()) / INFLUENCE_PARTS
        return self.summed((np.rint(moved / step) if step else moved).astype(np.int64), step)

    def summed(self, rows: Whole, step: float) -> tuple[Whole, float]:
        """Influence values (models, units) of (models, examples), in no more parts: products must fit in."""
        if not self.number:
            return rows, step
        sums = np.array([np.bincount(self.number, row, self.count) for row in rows])
        larger = max(1.0, float(np.abs(sums).max()) / INFLUENCE_PARTS)
        return np.rint(sums / larger).astype(np.int64), step * larger
