"""Extractive question answering: the words of the context that answer the question."""

from __future__ import annotations

from evaluator.data.tasks.base import Task
from evaluator.data.tasks.mock import mock_maker

TASK = Task(
    name="qa",
    fields=("context", "question"),
    kind="qa",
    label_sets=(),
    metrics=(
        "f1",
        "exact-match",
        "has-ans-f1",
        "has-ans-exact-match",
        "no-ans-f1",
        "no-ans-exact-match",
        "best-f1",
        "best-exact-match",
    ),
    # The answers must stay where they are, so a question is never touched and a context with care.
    perturbable=("context",),
    mock_examples=mock_maker("context", "question"),
)
