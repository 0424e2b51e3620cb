"""Generation of a text from a text: translation, summaries, answers in words of one's own."""

from __future__ import annotations

from evaluator.data.tasks.base import Task
from evaluator.data.tasks.mock import mock_maker

TASK = Task(
    name="generation",
    fields=("text",),
    kind="generation",
    label_sets=(),
    metrics=("chrf", "sacrebleu", "rouge-l", "exact-match"),
    perturbable=("text",),
    mock_examples=mock_maker("text"),
)
