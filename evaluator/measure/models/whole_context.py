"""The whole context as the answer to any question: what a model of extractive QA has to beat."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluator.measure.models.base import Model, ModelError, known_options


@dataclass(frozen=True)
class WholeContext:
    """Gives back what it was asked about."""

    def predict(self, example: dict[str, Any]) -> Any:
        """The context, unchanged."""
        return {"answer": example["context"]}

    def predict_batch(self, examples: Sequence[dict[str, Any]]) -> list[Any]:
        """The context of each example."""
        return [self.predict(example) for example in examples]


def open_model(directory: Path, options: Mapping[str, Any], task: str, labels: Sequence[str]) -> Model:
    """Open nothing; `directory` is not used. Raises `ModelError` for another task than qa."""
    known_options("whole-context", options, ())
    if task != "qa":
        raise ModelError(f"task {task}: whole-context answers qa only; use another adapter or recipe")
    return WholeContext()
