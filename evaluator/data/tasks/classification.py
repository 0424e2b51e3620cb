"""Classification of one text by labels that the dataset brings."""

from __future__ import annotations

from evaluator.data.tasks.base import Task, label_metrics
from evaluator.data.tasks.mock import mock_maker

TASK = Task(
    name="classification",
    fields=("text",),
    kind="classification",
    label_sets=None,
    metrics=label_metrics("accuracy"),
    perturbable=("text",),
    mock_examples=mock_maker("text"),
)
