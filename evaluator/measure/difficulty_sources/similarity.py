"""How alike two texts are, from their embeddings of length 1: numbers from 0 to 1, of which 1 is the same."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]
#: Texts x dimensions and others x dimensions in, texts x others out.
Similarity = Callable[[Matrix, Matrix], Matrix]


def cosine(texts: Matrix, others: Matrix) -> Matrix:
    """The cosine; opposite directions are not similar at all, so negative ones are 0."""
    return np.clip(texts @ others.T, 0.0, 1.0)


def angular(texts: Matrix, others: Matrix) -> Matrix:
    """One minus the angle as a share of half a turn."""
    return 1.0 - np.arccos(np.clip(texts @ others.T, -1.0, 1.0)) / np.pi


def euclidean(texts: Matrix, others: Matrix) -> Matrix:
    """One divided by one plus the distance."""
    return 1.0 / (1.0 + np.sqrt(np.maximum(0.0, 2.0 - 2.0 * (texts @ others.T))))


#: What `--similarity` may be; a function added here can be chosen by its name.
SIMILARITIES: dict[str, Similarity] = {"cosine": cosine, "angular": angular, "euclidean": euclidean}
