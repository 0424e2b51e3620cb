"""A linear classifier of texts, from exported weights; standard library only.

A feature is known by five bytes of a hash, not by its words: the file is smaller, and no word of the
training texts is published in it. Of 100,000 features two share a hash with a probability of one in 200.

``linear.json`` has `classes`, the `bias` of each but the first, how many features are `known`, the `kind` of
features and what else these need, such as the number of `buckets` after the known ones. ``linear.bin`` has,
one after the other, the hashes of the known features, for TF-IDF the place of each one's rarity in `idf`
(2 bytes), and for each class but the first a weight of every feature (4 bytes, little-endian). The first
class's weights are 0: only differences of scores count.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import sys
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluator.measure.models.base import Model, joined, label_fields, likeliest
from evaluator.measure.models.baselines import PREFIX, one_line
from evaluator.records.errors import UserError

DESCRIPTION, WEIGHTS = "linear.json", "linear.bin"
#: Bytes of a feature's hash.
WIDTH = 5
#: How fastText ends a text, and where it parts words.
END = "</s>"
_SPACES = re.compile(r"[ \n\r\t\v\f\0]+")

FeatureValues = list[tuple[int, float]]


def key_of(feature: str) -> bytes:
    """The hash that a feature is known by."""
    return hashlib.blake2b(feature.encode(), digest_size=WIDTH).digest()


@dataclass(frozen=True)
class Known:
    """The hashes of known features, sorted, one after the other; a feature's number is its place."""

    keys: bytes

    def __len__(self) -> int:
        return len(self.keys) // WIDTH

    def place(self, feature: str) -> int | None:
        """The number of a feature, None where it is unknown."""
        key = key_of(feature)
        found = bisect_left(range(len(self)), key, key=self._key)
        return found if found < len(self) and self._key(found) == key else None

    def _key(self, place: int) -> bytes:
        return self.keys[place * WIDTH : (place + 1) * WIDTH]


@dataclass(frozen=True)
class TfidfFeatures:
    """Words and runs of words, weighed as scikit-learn's TfidfVectorizer does; `idf` is of each known one.

    `spec`: `pattern` of a word, `lowercase`, `shortest` and `longest` run, `sublinear`, `binary`,
    `normalised`.
    """

    known: Known
    idf: Sequence[float]
    spec: dict[str, Any]

    def values(self, text: str) -> FeatureValues:
        """The numbers of the features in a text, with their values."""
        found = [(place, self._frequency(count) * self.idf[place]) for place, count in self._counts(text)]
        length = math.sqrt(math.fsum(value * value for _, value in found)) if self.spec["normalised"] else 1.0
        return [(place, value / length) for place, value in found]

    def _counts(self, text: str) -> Iterator[tuple[int, int]]:
        words = re.findall(self.spec["pattern"], text.lower() if self.spec["lowercase"] else text)
        for feature, count in Counter(self._runs(words)).items():
            place = self.known.place(feature)
            if place is not None:
                yield place, count

    def _runs(self, words: list[str]) -> Iterator[str]:
        for length in range(self.spec["shortest"], self.spec["longest"] + 1):
            yield from (" ".join(words[at : at + length]) for at in range(len(words) - length + 1))

    def _frequency(self, count: int) -> float:
        if self.spec["binary"]:
            return 1.0
        return 1.0 + math.log(count) if self.spec["sublinear"] else float(count)


@dataclass(frozen=True)
class FastTextFeatures:
    """Words and hashed runs of words as fastText has them (Joulin et al. 2017), all of the same value.

    `spec`: `split_words` as the adapter's option, `longest` run, and the number of `buckets`.
    """

    known: Known
    spec: dict[str, Any]

    def values(self, text: str) -> FeatureValues:
        """The numbers of the features in a text, those of runs after the words', each with its share."""
        words = self._words(text)
        found = [place for word in words if (place := self.known.place(word)) is not None]
        found += [len(self.known) + bucket for bucket in self._buckets([_fnv(word) for word in words])]
        return [(place, 1 / len(found)) for place in found]

    def _words(self, text: str) -> list[str]:
        line = one_line(text, self.spec["split_words"])
        words = [word for word in _SPACES.split(line) if word]
        if END in words:
            words = words[: words.index(END)]
        return [word for word in words if not word.startswith(PREFIX)] + [END]

    def _buckets(self, hashes: list[int]) -> Iterator[int]:
        for start, first in enumerate(hashes):
            mixed = first
            for other in hashes[start + 1 : start + self.spec["longest"]]:
                mixed = (mixed * 116049371 + other) % 2**64
                yield mixed % self.spec["buckets"]


def _fnv(word: str) -> int:
    """fastText's hash of a word: FNV-1a over signed bytes, its 32 bits taken for a signed number of 64."""
    found = 2166136261
    for byte in word.encode():
        found = (found ^ (byte - 256 if byte > 127 else byte) % 2**32) * 16777619 % 2**32
    return found if found < 2**31 else found + 2**64 - 2**32


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
    """Read the two files of a directory. Raises `UserError` where they do not fit one another."""
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
            raise UserError(self.file, "ends too early", "make the copy again")
        return found

    def numbers(self, kind: str, count: int) -> array[Any]:
        """The next numbers, of a type code of `array`."""
        found = array(kind)
        found.frombytes(self.take(found.itemsize * count))
        if sys.byteorder == "big":
            found.byteswap()
        return found

    def end(self) -> None:
        """Raise `UserError` unless nothing is left."""
        if self.rest:
            raise UserError(self.file, f"has {len(self.rest)} bytes too many", "make the copy again")
