"""A file of examples as the first dataset of a new leaderboard: which columns hold what, and which labels."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluator.data.datasets import Dataset, DatasetSource, read_dataset
from evaluator.data.plain_text import text_of, unpacked
from evaluator.data.tasks import Task, get_task
from evaluator.score.metrics import METRICS, Metric

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
FORMATS = {".tsv": "tsv", ".csv": "csv", ".jsonl": "jsonl"}
#: More labels than these are no labels, but numbers or texts in the wrong column.
MOST_LABELS = 100


class OwnDataError(ValueError):
    """A file that cannot be a new leaderboard's data; the message names it, what is wrong, and the fix."""


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
    """Read a TSV, CSV or JSON lines file as examples of a task, whose columns `named` names or their usual
    names tell.

    Raises `OwnDataError` for a file that cannot be read as one, or lacks a column, and
    `evaluator.data.datasets.DatasetError` at the first row that cannot be read.
    """
    suffix = Path(file.name.removesuffix(".gz")).suffix.lower()
    if suffix not in FORMATS:
        raise OwnDataError(f"--data: {file} is no .tsv, .csv or .jsonl file; save it as one, or as its .gz")
    form, about = FORMATS[suffix], get_task(task)
    rows = _rows(file, form)
    columns = _columns(file, about, list(rows[0]), named)
    labels = _labels(file, about, form, columns)
    read = read_dataset(DatasetSource("own", task, file, form, columns, labels=labels))
    return OwnData(file, about, form, columns, labels, _commonest(read) if labels else None)


def _rows(file: Path, form: str) -> list[dict[str, Any]]:
    """All rows by column. Raises `OwnDataError` where there is none."""
    try:
        data = file.read_bytes()
        text = text_of(unpacked(data, str(file)) if file.suffix == ".gz" else data, str(file))
        rows = _json_rows(text) if form == "jsonl" else _table_rows(text, form)
    except (OSError, ValueError, csv.Error) as error:
        raise OwnDataError(f"--data: {file}: {error}") from None
    if not rows:
        raise OwnDataError(f"--data: {file} has no rows under a line of column names; give one that has")
    return rows


def _json_rows(text: str) -> list[dict[str, Any]]:
    rows = [json.loads(line) for line in text.split("\n") if line.strip()]
    if not all(isinstance(row, dict) for row in rows):
        raise ValueError("has a line that is no JSON object; write one a line")
    return rows


def _table_rows(text: str, form: str) -> list[dict[str, Any]]:
    lines = io.StringIO(text, newline="")
    if form == "tsv":
        return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    return list(csv.DictReader(lines))


def _columns(file: Path, task: Task, there: Sequence[str], named: Mapping[str, str]) -> dict[str, str]:
    """The file's column for each field of the task and for its answers."""
    needed = (*task.fields, "label" if task.answer == "label" else "answers")
    if strange := sorted(set(named) - {*needed, "id"}):
        raise OwnDataError(f"--column: {task.name} has no {strange[0]!r}; it needs {', '.join(needed)}")
    found = {field: named[field] for field in (*needed, "id") if field in named}
    for field in needed:
        usual = (name for name in USUAL[field] if name in there and name not in found.values())
        found.setdefault(field, next(usual, ""))
        if found[field] not in there:
            has = ", ".join(map(repr, there))
            fix = f"say which it is with --column {field}=NAME"
            raise OwnDataError(
                f"--data: {file} has no column for the {field} of {task.name}, but {has}; {fix}"
            )
    return found


def _labels(file: Path, task: Task, form: str, columns: Mapping[str, str]) -> tuple[str, ...]:
    """The labels in the order that the task gives them, else by name."""
    if task.answer == "text":
        return ()
    found = {str(row.get(columns["label"])) for row in _rows(file, form)}
    labels = set(task.in_labels(sorted(found)))
    if task.label_sets is None:
        if not 2 <= len(labels) <= MOST_LABELS:
            what = f"has {len(labels)} different labels in column {columns['label']!r}"
            raise OwnDataError(f"--data: {file} {what}; give another with --column label=NAME")
        return tuple(sorted(labels))
    for fitting in task.label_sets:
        if labels <= {*fitting}:
            return fitting
    known = " or ".join(", ".join(fitting) for fitting in task.label_sets)
    strange = min(label for label in labels if not any(label in one for one in task.label_sets))
    fix = f"write {known}, or choose --task classification, which takes any labels"
    raise OwnDataError(
        f"--data: {file}: column {columns['label']!r}: {strange!r} is no label of {task.name}; {fix}"
    )


def _commonest(dataset: Dataset) -> str:
    """The most frequent label, of several the first by name."""
    counts = Counter(map(str, dataset.gold))
    return min(counts, key=lambda label: (-counts[label], label))
