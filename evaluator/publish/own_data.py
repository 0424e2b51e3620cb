"""A file of examples as the first dataset of a new leaderboard: which columns hold what, and which labels."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from evaluator.data.datasets import DatasetSource, read_dataset
from evaluator.data.tables import FORMS, form_of, read_table
from evaluator.data.tasks import Task, get_task
from evaluator.records.errors import UserError
from evaluator.score.metrics import METRICS, Metric

if TYPE_CHECKING:
    import pandas as pd

#: What files call the columns that a task needs, the likeliest first.
USUAL = {
    "statement": ("statement", "sentence", "text", "review", "comment", "tweet"),
    "text": ("text", "sentence", "input", "source", "document", "article"),
    "context": ("context", "premise", "sentence1", "passage", "text"),
    "hypothesis": ("hypothesis", "sentence2"),
    "question": ("question", "query"),
    "label": ("label", "gold_label", "class", "category", "target"),
    "answers": ("answers", "answer", "references", "reference", "target", "summary", "translation"),
}
#: More labels than these are no labels, but numbers or texts in the wrong column.
MOST_LABELS = 100


@dataclass(frozen=True)
class OwnData:
    """A file that was read as examples of a task.

    `columns` map what the task needs to the file's own names; `labels` are () where the answer is a text, and
    `commonest` is the most frequent of them. `slug` is the dataset's id.
    """

    file: Path
    task: Task
    format: str
    columns: Mapping[str, str]
    labels: tuple[str, ...]
    commonest: str | None

    @property
    def slug(self) -> str:
        name = self.file.name.removesuffix(".gz").partition(".")[0].lower()
        return re.sub(r"[^a-z0-9]+", "-", name).strip("-") or "data"

    @property
    def metric(self) -> Metric:
        """The canonical metric of the task, which the board ranks by."""
        return METRICS[self.task.metric]


def read_own_data(file: Path, task: str, named: Mapping[str, str]) -> OwnData:
    """Read a table as examples of a task, whose columns `named` names or their usual names tell.

    Raises `UserError` for a file that cannot be read as one, lacks a column, or has a row that is no example.
    """
    form, about = form_of(file.name), get_task(task)
    if form not in FORMS:
        fix = f"save it as one of {', '.join(FORMS)}, or as its .gz"
        raise UserError(f"--data: {file}", "is no table by its ending", fix)
    table = read_table(file)
    table.refuse_bad()
    if table.frame.empty:
        raise UserError(f"--data: {file}", "has no rows under a line of column names", "give one that has")
    columns = _columns(file, about, list(table.frame.columns), named)
    labels = () if about.answer == "text" else _labels(file, about, table.frame[columns["label"]])
    read = read_dataset(DatasetSource("own", task, file, form, columns, labels=labels))
    counts = Counter(map(str, read.gold))
    commonest = min(counts, key=lambda label: (-counts[label], label)) if labels else None
    return OwnData(file, about, form, columns, labels, commonest)


def _columns(file: Path, task: Task, there: Sequence[str], named: Mapping[str, str]) -> dict[str, str]:
    """The file's column for each field of the task and for its answers."""
    needed = (*task.fields, "label" if task.answer == "label" else "answers")
    if strange := sorted(set(named) - {*needed, "id"}):
        problem = f"{task.name} has no {strange[0]!r}"
        raise UserError("--column", problem, f"it needs {', '.join(needed)}")
    found = {field: named[field] for field in (*needed, "id") if field in named}
    for field in needed:
        usual = (name for name in USUAL[field] if name in there and name not in found.values())
        found.setdefault(field, next(usual, ""))
        if found[field] not in there:
            has = ", ".join(map(repr, there))
            problem = f"has no column for the {field} of {task.name}, but {has}"
            raise UserError(f"--data: {file}", problem, f"say which it is with --column {field}=NAME")
    return found


def _labels(file: Path, task: Task, column: pd.Series[str]) -> tuple[str, ...]:
    """The labels in the order that the task gives them, else by name."""
    labels = set(task.in_labels(sorted(set(map(str, column)))))
    if task.label_sets is None:
        if not 2 <= len(labels) <= MOST_LABELS:
            problem = f"has {len(labels)} different labels in column {column.name!r}"
            raise UserError(f"--data: {file}", problem, "give another with --column label=NAME")
        return tuple(sorted(labels))
    for fitting in task.label_sets:
        if labels <= {*fitting}:
            return fitting
    known = " or ".join(", ".join(fitting) for fitting in task.label_sets)
    strange = min(label for label in labels if not any(label in one for one in task.label_sets))
    fix = f"write {known}, or choose --task classification, which takes any labels"
    place = f"--data: {file}: column {column.name!r}"
    raise UserError(place, f"{strange!r} is no label of {task.name}", fix)
