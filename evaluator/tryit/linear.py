"""A linear classifier of texts, from exported weights; standard library only.

``linear.json`` has `classes`, the `bias` of each but the first, how many features are `known`, the `kind` of
features and what else these need, such as the number of `buckets` after the known ones. ``linear.bin`` has,
one after the other, the hashes of the known features, for TF-IDF the place of each one's rarity in `idf`
(2 bytes), and for each class but the first a weight of every feature (4 bytes, little-endian). The first
class's weights are 0: only differences of scores count.
"""

from __future__ import annotations

import json
import math
import sys
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluator.measure.models.base import Model, ModelError, joined, label_fields, likeliest
from evaluator.tryit.features import WIDTH, FastTextFeatures, Known, TfidfFeatures

DESCRIPTION, WEIGHTS = "linear.json", "linear.bin"


@dataclass(frozen=True)
class Linear:
    """Features, and for each class but the first its bias and the weight of every feature."""

    fields: tuple[str, ...]
    labels: tuple[str, ...]
    classes: tuple[str, ...]
    features: TfidfFeatures | FastTextFeatures
    bias: Sequence[float]
    weights: Sequence[Sequence[float]]

    def predict(self, example: dict[str, Any]) -> Any:
        """The likeliest label, with the softmax over all classes as probabilities."""
        values = self.features.values(joined(example, self.fields))
        scores = [0.0]
        for bias, weights in zip(self.bias, self.weights, strict=True):
            scores.append(bias + math.fsum(value * weights[place] for place, value in values))
        return likeliest(self.labels, self.classes, softmax(scores))


def softmax(scores: Sequence[float]) -> list[float]:
    """Shares of 1 in proportion to the exponentials of the scores."""
    top = max(scores)
    powers = [math.exp(score - top) for score in scores]
    total = math.fsum(powers)
    return [power / total for power in powers]


def open_model(directory: Path, options: Mapping[str, Any], task: str, labels: Sequence[str]) -> Model:
    """Read the two files of a directory. Raises `ModelError` where they do not fit one another."""
    fields = label_fields("linear", task, most=None)
    spec = json.loads((directory / DESCRIPTION).read_bytes())
    parts = _Parts(directory / WEIGHTS)
    known = Known(parts.take(WIDTH * spec["known"]))
    features: TfidfFeatures | FastTextFeatures
    if spec["kind"] == "tfidf":
        idf = [spec["idf"][place] for place in parts.numbers("H", spec["known"])]
        features = TfidfFeatures(known, idf, spec["features"])
    else:
        features = FastTextFeatures(known, spec["features"])
    size = spec["known"] + spec["features"].get("buckets", 0)
    weights = [parts.numbers("f", size) for _ in spec["bias"]]
    parts.end()
    return Linear(fields, tuple(labels), tuple(spec["classes"]), features, spec["bias"], weights)


class _Parts:
    """A file of numbers, taken from its start to its end."""

    def __init__(self, file: Path) -> None:
        self.file, self.rest = file, file.read_bytes()

    def take(self, size: int) -> bytes:
        """The next bytes."""
        found, self.rest = self.rest[:size], self.rest[size:]
        if len(found) < size:
            raise ModelError(f"{self.file}: ends too early; make the copy again")
        return found

    def numbers(self, kind: str, count: int) -> array[Any]:
        """The next numbers, of a type code of `array`."""
        found = array(kind)
        found.frombytes(self.take(found.itemsize * count))
        if sys.byteorder == "big":
            found.byteswap()
        return found

    def end(self) -> None:
        """Raise `ModelError` unless nothing is left."""
        if self.rest:
            raise ModelError(f"{self.file}: has {len(self.rest)} bytes too many; make the copy again")
