"""Hate speech: is a statement hateful?"""

from __future__ import annotations

from evaluator.data.tasks.base import Task, label_metrics
from evaluator.data.tasks.mock import mock_maker

TASK = Task(
    name="hate-speech",
    fields=("statement",),
    kind="classification",
    label_sets=(("not-hateful", "hateful"),),
    metrics=label_metrics("macro-f1"),
    perturbable=("statement",),
    mock_examples=mock_maker("statement"),
)
