"""Sentiment: is a statement negative, (neutral) or positive?"""

from __future__ import annotations

from evaluator.data.tasks.base import Task, label_metrics
from evaluator.data.tasks.mock import mock_maker

LABEL_SETS = (("negative", "positive"), ("negative", "neutral", "positive"))

TASK = Task(
    name="sentiment",
    fields=("statement",),
    kind="classification",
    label_sets=LABEL_SETS,
    metrics=label_metrics("macro-f1"),
    perturbable=("statement",),
    mock_examples=mock_maker("statement"),
)
