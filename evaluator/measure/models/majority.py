"""The majority class: ``majority.json`` holds ``{"counts": {label: n}}`` of a training file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluator.measure.models.base import Model, ModelError, known_options, label_fields


@dataclass(frozen=True)
class Majority:
    """Gives the same answer to every example."""

    answer: dict[str, Any]

    def predict(self, example: dict[str, Any]) -> Any:
        """The most frequent label, with the shares of all labels as probabilities."""
        return self.answer

    def predict_batch(self, examples: Sequence[dict[str, Any]]) -> list[Any]:
        """The same answer for each example."""
        return [self.answer] * len(examples)


def open_model(directory: Path, options: Mapping[str, Any], task: str, labels: Sequence[str]) -> Model:
    """Read ``directory/majority.json``. Of equally frequent labels the first in `labels` wins.

    Raises `ModelError` if the file is missing, is not what it should be, or counts nothing.
    """
    known_options("majority", options, ())
    label_fields("majority", task, most=None)
    counts = _counts(directory / "majority.json", labels)
    total = sum(counts.values())
    shares = {label: count / total for label, count in counts.items()}
    return Majority({"label": max(labels, key=counts.__getitem__), "probabilities": shares})


def _counts(file: Path, labels: Sequence[str]) -> dict[str, int]:
    try:
        found = json.loads(file.read_bytes())["counts"]
        counts = {label: int(found.get(label, 0)) for label in labels}
    except FileNotFoundError:
        raise ModelError(f"{file}: no such file; make it with the recipe majority") from None
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise ModelError(f'{file}: {error!r}; write {{"counts": {{label: n}}}}') from error
    if set(found) - set(labels) or min(counts.values()) < 0 or not any(counts.values()):
        raise ModelError(f"{file}: counts: {found} does not count the labels {', '.join(labels)}; correct it")
    return counts
