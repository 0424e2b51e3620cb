"""The tasks models are measured on, by name."""

from __future__ import annotations

from evaluator.data.plain_text import is_text
from evaluator.data.tasks import classification, generation, hate_speech, nli, qa, sentiment
from evaluator.data.tasks.answers import Prediction
from evaluator.data.tasks.base import Task
from evaluator.data.tasks.errors import FieldError, show
from evaluator.records.names import or_one_of

__all__ = ["TASKS", "FieldError", "Prediction", "Task", "get_task", "is_text", "show"]

TASKS: dict[str, Task] = {
    task.name: task
    for task in (nli.TASK, qa.TASK, sentiment.TASK, hate_speech.TASK, classification.TASK, generation.TASK)
}


def get_task(name: str) -> Task:
    """Return the task called `name`; raise `FieldError` that lists the known ones."""
    if name not in TASKS:
        fix = or_one_of(name, TASKS).removeprefix("; ")
        raise FieldError("task", name, f"{show(name)} is not a task", fix)
    return TASKS[name]
