"""A scikit-learn pipeline from texts to labels, saved with joblib as ``model.joblib``.

A joblib file is a pickle: loading it runs whatever code it holds. Open only files you trust.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluator.models.base import Model, ModelError, known_options, map_labels, need, text_field


@dataclass(frozen=True)
class Pipeline:
    """A pipeline and the label each of its classes stands for."""

    pipeline: Any
    field: str
    classes: tuple[str, ...]
    probabilistic: bool

    def predict(self, example: dict[str, Any]) -> Any:
        """The label, with probabilities where the pipeline has `predict_proba`."""
        return self.predict_batch([example])[0]

    def predict_batch(self, examples: Sequence[dict[str, Any]]) -> list[Any]:
        """One answer for each example."""
        texts = [example[self.field] for example in examples]
        if not self.probabilistic:
            known = list(self.pipeline.classes_)
            return [{"label": self.classes[known.index(raw)]} for raw in self.pipeline.predict(texts)]
        return [self._answer(row.tolist()) for row in self.pipeline.predict_proba(texts)]

    def _answer(self, row: list[float]) -> dict[str, Any]:
        shares = dict(zip(self.classes, row, strict=True))
        return {"label": max(shares, key=shares.__getitem__), "probabilities": shares}


def open_model(directory: Path, options: Mapping[str, Any], task: str, labels: Sequence[str]) -> Model:
    """Load ``directory/model.joblib``. Option `label_map`: class of the pipeline (as text) to label.

    Raises `ModelError` if the file is missing or its classes are not the task's labels.
    """
    known_options("sklearn", options, ("label_map",))
    need("sklearn")
    file = directory / "model.joblib"
    if not file.is_file():
        raise ModelError(f"{file}: no such file; save the pipeline there with joblib.dump")
    pipeline = need("joblib").load(file)
    if not hasattr(pipeline, "classes_"):
        raise ModelError(f"{file}: a {type(pipeline).__name__} has no classes_; save a fitted classifier")
    classes = map_labels(str(file), [str(raw) for raw in pipeline.classes_], options, labels)
    return Pipeline(pipeline, text_field(task), classes, hasattr(pipeline, "predict_proba"))
