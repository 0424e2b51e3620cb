"""What a model answered to each example, as rows of Every Eval Ever's instance level, version 0.3.0."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evaluator.data.datasets import Dataset
from evaluator.data.tasks import get_task
from evaluator.records.result import Result
from evaluator.records.store import Store
from evaluator.score.columns import answers_of
from evaluator.score.scores import metric_names, values_by_example

#: The value, in per cent, of an answer that is entirely right.
RIGHT = 100.0


class InstanceRows:
    """The rows of one dataset, whose texts and gold labels may be shown."""

    def __init__(self, dataset: Dataset, store: Store) -> None:
        self.dataset, self.store = dataset, store
        self.inputs = [self._input(row) for row in range(len(dataset.gold))] if dataset.has_inputs else []

    def fits(self, result: Result) -> bool:
        """Whether a result keeps predictions of exactly these examples, whose texts are here."""
        same = result.dataset.revision == self.dataset.revision
        return same and result.predictions is not None and bool(self.inputs)

    def lines(self, about: Mapping[str, Any], result: Result, metrics: Sequence[str]) -> Iterator[bytes]:
        """A line of JSON for each example and each of `metrics` that scores one example, in per cent.

        The mean of a metric's lines is the result's number, in the same unit. `about` is what a row says of
        its document. Raises `evaluator.records.store.StoreError` for predictions that cannot be read.
        """
        predictions = self.store.predictions(result)
        known = [
            name
            for name in metric_names(self.dataset, predictions, metrics)
            if name in metrics and name in result.scores and result.scores[name].unit == "%"
        ]
        values = values_by_example(self.dataset, predictions, known)
        answers = [
            predictions.labels[label] if label >= 0 else text
            for label, text in answers_of(self.dataset, predictions)
        ]
        for name, column in values.items():
            for row, (answer, value) in enumerate(zip(answers, column.tolist(), strict=True)):
                fields = {"evaluation_result_id": f"{result.dataset.id}/{name}"}
                document = {**about, **fields, **self._row(row, answer, value)}
                yield json.dumps(document, ensure_ascii=False, allow_nan=False).encode() + b"\n"

    def _row(self, row: int, answer: str | None, value: float) -> dict[str, Any]:
        found: dict[str, Any] = {
            "sample_id": self.dataset.ids[row],
            "sample_hash": _hash(self.inputs[row]),
            "interaction_type": "single_turn",
            "input": self.inputs[row],
            "output": {"raw": [] if answer is None else [answer]},
            "answer_attribution": [] if answer is None else [_attribution(answer)],
            "evaluation": {"score": value, "is_correct": value >= RIGHT},
        }
        if answer is None:
            found["error"] = "no valid answer"
        tags = self.dataset.tags[row] if self.dataset.tags else {}
        return found | ({"metadata": dict(tags)} if tags else {})

    def _input(self, row: int) -> dict[str, Any]:
        """An example's texts, one a line, and its right answers; labels are what could be answered."""
        example, gold = self.dataset.examples[row], self.dataset.gold[row]
        raw = "\n".join(str(example[field]) for field in get_task(self.dataset.task).fields)
        if get_task(self.dataset.task).answer == "text":
            return {"raw": raw, "reference": list(gold)}
        return {"raw": raw, "reference": [gold], "choices": list(self.dataset.labels)}


def _attribution(answer: str) -> dict[str, Any]:
    """The whole of an answer counts: models answer with a label or a text, and nothing is cut out of it."""
    return {
        "turn_idx": 0,
        "source": "output.raw",
        "extracted_value": answer,
        "extraction_method": "whole answer",
        "is_terminal": True,
    }


def _hash(example: Mapping[str, Any]) -> str:
    """The same for the same example of any model: SHA-256 of its text and its right answers."""
    text = example["raw"] + "".join(example["reference"])
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
