"""Who is right on which example of a dataset, and how hard its examples are, from stored predictions.

Reading is light on purpose. A build must not check every file that it shows a count of;
``steelyard check`` and the store do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from evaluator.records.base import parse_document
from evaluator.records.datasets import Examples
from evaluator.records.result import Result
from evaluator.records.store import PREDICTIONS, Store
from site_src.generator.views import formats

#: How many models, the best ones, are counted at most, so that a large board still builds in seconds.
COUNTED = 100
#: Ids that are listed of the examples no model gets right.
LISTED = 40
#: Most lines that there may be, from no model to all of them.
LINES = 21
#: Per-example score that says whether an answer in words is right, and which share of its resolution is.
EXACT = "exact-match"


@dataclass(frozen=True)
class HardnessLine:
    """Examples that `low` to `high` models get right; `share` of all, `length` of the longest line."""

    low: int
    high: int
    examples: int
    share: float
    length: float

    @property
    def models(self) -> str:
        low, high = formats.count(self.low), formats.count(self.high)
        return low if low == high else f"{low} to {high}"


@dataclass(frozen=True)
class Hardness:
    """How many of the counted `models` get how many of the `examples` right.

    `others` have predictions too, but are not among the counted. `nobody` are the first ids of
    the `unsolved` examples, which no model gets right.
    """

    models: int
    others: int
    examples: int
    lines: tuple[HardnessLine, ...]
    everybody: int
    unsolved: int
    nobody: tuple[str, ...]
    in_words: bool


@dataclass(frozen=True)
class Verdicts:
    """Which models are right on which of the `examples`, the best models first.

    `right` has a value for each example, by the model's id. `answers` are the labels that models gave, None
    where there was no valid one; only of examples whose texts are known, and of answers that are labels.
    `others` have predictions too, but are not among the counted.
    """

    examples: Examples
    right: Mapping[str, Sequence[bool]]
    answers: Mapping[str, Sequence[str | None]]
    others: int
    in_words: bool

    @cached_property
    def counts(self) -> list[int]:
        """How many models are right on each example."""
        return [sum(column) for column in zip(*self.right.values(), strict=True)]

    @property
    def texts(self) -> tuple[str, ...] | None:
        """The examples' texts, where these may be shown and answers to them are known."""
        return self.examples.texts if self.answers else None


def predictions_file(store: Store, result: Result) -> Path | None:
    """Where a result's predictions lie; None where it has none or they are not kept with the results."""
    if result.predictions is None:
        return None
    own = store.path(result.task, result.dataset.id, result.model.id)
    path = own.with_name(f"{result.model.id}.{formats.short_hash(result.predictions.sha256)}{PREDICTIONS}")
    return path if path.is_file() else None


def hardness(store: Store, examples: Examples, results: Iterable[Result]) -> Hardness | None:
    """Count who is right on which example; see `verdicts`."""
    found = verdicts(store, examples, results)
    return hardness_of(found) if found else None


def verdicts(store: Store, examples: Examples, results: Iterable[Result]) -> Verdicts | None:
    """Who is right on which example; `results` are the best first. None where that is known of no model.

    Raises `UserError` where a file is not what the store wrote.
    """
    files = [(result.model.id, path) for result in results if (path := predictions_file(store, result))]
    ids, in_words = examples.ids_sha256, False
    right: dict[str, Sequence[bool]] = {}
    answers: dict[str, Sequence[str | None]] = {}
    for model, path in files[:COUNTED]:
        document = document_of(path)
        if document["ids_sha256"] != ids or (own := _right(document, examples)) is None:
            continue
        right[model], in_words = own, "answers" in document
        if examples.texts is not None and "predicted" in document:
            labels = [*document["labels"], None]  # the last place is for -1, no valid answer
            answers[model] = [labels[place] for place in document["predicted"]]
    return Verdicts(examples, right, answers, max(len(files) - COUNTED, 0), in_words) if right else None


def document_of(path: Path) -> dict[str, Any]:
    """Predictions as JSON. Raises `UserError`."""
    return parse_document(path.read_bytes(), path)


def _right(document: dict[str, Any], examples: Examples) -> list[bool] | None:
    """Whether each answer is right; None where that is not known."""
    if "predicted" in document and examples.gold is not None:
        places = {label: index for index, label in enumerate(examples.labels)}
        # The last place is for -1, no valid answer, which no gold label equals.
        means = [places.get(examples.merge.get(label, label), -1) for label in document["labels"]] + [-1]
        return [
            means[answer] == gold for answer, gold in zip(document["predicted"], examples.gold, strict=True)
        ]
    if exact := (document.get("scores") or {}).get(EXACT):
        return [share == document["resolution"] for share in exact]
    return None


def hardness_of(found: Verdicts) -> Hardness:
    """How many models get how many of the examples right."""
    counts, models = found.counts, len(found.right)
    nobody = [id_ for id_, count in zip(found.examples.ids, counts, strict=True) if count == 0]
    return Hardness(
        models=models,
        others=found.others,
        examples=len(counts),
        lines=lines(counts, models),
        everybody=sum(count == models for count in counts),
        unsolved=len(nobody),
        nobody=tuple(nobody[:LISTED]),
        in_words=found.in_words,
    )


def lines(counts: Sequence[int], models: int) -> tuple[HardnessLine, ...]:
    """A line for no model and for each number of them, or for equal steps of numbers where they are many."""
    step = -(-models // (LINES - 1))
    bounds = [(0, 0), *((low, min(low + step - 1, models)) for low in range(1, models + 1, step))]
    by_count = Counter(counts)
    sizes = [sum(by_count[count] for count in range(low, high + 1)) for low, high in bounds]
    longest = max(sizes, default=0) or 1
    total = len(counts) or 1
    return tuple(
        HardnessLine(low, high, size, size / total, size / longest)
        for (low, high), size in zip(bounds, sizes, strict=True)
    )
