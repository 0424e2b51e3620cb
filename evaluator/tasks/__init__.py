"""The tasks models are measured on, by name."""

from __future__ import annotations

from evaluator.tasks import sentiment
from evaluator.tasks.base import FieldError, Prediction, Task, is_text, show

__all__ = ["TASKS", "FieldError", "Prediction", "Task", "get_task", "is_text", "show"]

TASKS: dict[str, Task] = {task.name: task for task in (sentiment.TASK,)}


def get_task(name: str) -> Task:
    """Return the task called `name`; raise `FieldError` that lists the known ones."""
    if name not in TASKS:
        raise FieldError("task", name, f"{show(name)} is not a task", f"use one of {', '.join(TASKS)}")
    return TASKS[name]
