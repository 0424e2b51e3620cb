"""What all neural metrics share: a network that is opened once, and texts scored in batches."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable

import numpy as np

from evaluator.score.metrics.base import Floats
from evaluator.score.metrics.texts import Texts

#: What scores p texts, given column by column: k numbers of each (k, p).
Network = Callable[..., Floats]
AT_ONCE = 32


class Scorer:
    """The network that `make` opens when it is first asked, and what it has answered.

    The same texts are asked once in a process: a board needs their scores, and how far each moves the mean.
    """

    def __init__(self, make: Callable[[], Network]) -> None:
        self._make = make
        self._network: Network | None = None
        self._known: dict[str, Floats] = {}
        self._lock = threading.Lock()

    def __call__(self, *columns: list[str]) -> Floats:
        """The scores (k, n) of n rows of texts."""
        key = hashlib.sha256(json.dumps(columns).encode()).hexdigest()
        with self._lock:
            if key not in self._known:
                self._network = self._network or self._make()
                self._known[key] = in_batches(self._network, *columns)
            return self._known[key]


def in_batches(network: Network, *columns: list[str], size: int = AT_ONCE) -> Floats:
    """The scores (k, n) of n rows of texts, rows of similar length together and the longest first."""
    lengths = [max(map(len, row)) for row in zip(*columns, strict=True)]
    order = np.argsort(lengths, kind="stable")[::-1]
    found = [
        network(*([column[row] for row in order[at : at + size]] for column in columns))
        for at in range(0, len(order), size)
    ]
    scores: Floats = np.concatenate(found, axis=1)
    return scores[:, np.argsort(order)]


def stripped_pairs(items: Texts) -> tuple[list[str], list[str]]:
    """The prediction and the reference of each pair, without white space around them."""
    left, right = items.pair_sequences(items.form(str.strip))
    return left, right


def floored(scores: Floats, predictions: list[str], floor: float) -> Floats:
    """The scores of pairs (p,), where that of an empty prediction is `floor` at most.

    A network may find nothing better than something wrong; nobody gains by not answering.
    """
    empty = np.array([not text for text in predictions])
    return np.where(empty, np.minimum(scores, floor), scores)
