"""The tasks models are measured on, by name."""

from __future__ import annotations

from evaluator.data.tasks.answers import FieldError, Prediction, is_text, show
from evaluator.data.tasks.known import ASKED, TASKS
from evaluator.data.tasks.task import Task
from evaluator.records.errors import or_one_of

__all__ = ["ASKED", "TASKS", "FieldError", "Prediction", "Task", "get_task", "is_text", "show"]


def get_task(name: str) -> Task:
    """Return the task called `name`; raise `FieldError` that lists the known ones."""
    if name not in TASKS:
        fix = or_one_of(name, TASKS).removeprefix("; ")
        raise FieldError("task", name, f"{show(name)} is not a task", fix)
    return TASKS[name]
