"""A scikit-learn pipeline from texts to labels, saved with joblib as ``model.joblib``.

Of a task with several fields it gets them as one text with a line for each.

A joblib file is a pickle: loading it runs whatever code it holds. Open only files you trust.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluator.measure.models.base import (
    Model,
    ModelError,
    joined,
    known_options,
    label_fields,
    likeliest,
    map_labels,
    need,
)


@dataclass(frozen=True)
class Pipeline:
    """A pipeline and the label each of its classes stands for."""

    pipeline: Any
    fields: tuple[str, ...]
    labels: tuple[str, ...]
    classes: tuple[str, ...]
    probabilistic: bool

    def predict(self, example: dict[str, Any]) -> Any:
        """The label, with probabilities where the pipeline has `predict_proba`."""
        return self.predict_batch([example])[0]

    def predict_batch(self, examples: Sequence[dict[str, Any]]) -> list[Any]:
        """One answer for each example."""
        texts = [joined(example, self.fields) for example in examples]
        if not self.probabilistic:
            known = list(self.pipeline.classes_)
            return [{"label": self.classes[known.index(raw)]} for raw in self.pipeline.predict(texts)]
        shares = self.pipeline.predict_proba(texts).tolist()
        return [likeliest(self.labels, self.classes, row) for row in shares]


def open_model(directory: Path, options: Mapping[str, Any], task: str, labels: Sequence[str]) -> Model:
    """Load ``directory/model.joblib``. Option `label_map`: class of the pipeline (as text) to label.

    Raises `ModelError` if the file is missing or its classes are not the task's labels.
    """
    known_options("sklearn", options, ("label_map",))
    fields = label_fields("sklearn", task, most=None)
    need("sklearn")
    file = directory / "model.joblib"
    if not file.is_file():
        raise ModelError(f"{file}: no such file; save the pipeline there with joblib.dump")
    pipeline = need("joblib").load(file)
    if not hasattr(pipeline, "classes_"):
        raise ModelError(f"{file}: a {type(pipeline).__name__} has no classes_; save a fitted classifier")
    classes = map_labels(str(file), [str(raw) for raw in pipeline.classes_], options, task, labels)
    return Pipeline(pipeline, fields, tuple(labels), classes, hasattr(pipeline, "predict_proba"))
