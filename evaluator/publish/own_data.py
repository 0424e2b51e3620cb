"""A file of examples as the first dataset of a new leaderboard: which columns hold what, and which labels."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as default
from pathlib import Path
from typing import TYPE_CHECKING

from evaluator.data.datasets import DatasetSource, read_dataset
from evaluator.data.tables import FORMS, form_of, read_table
from evaluator.data.tasks import Task, get_task
from evaluator.records.errors import UserError
from evaluator.score.examples import is_no_id
from evaluator.score.metrics import METRICS, Metric

if TYPE_CHECKING:
    import pandas as pd

#: What files call the columns that a task needs, the likeliest first.
_TEXTS = ("text", "sentence", "prompt", "question", "input", "content", "body", "message")
_REFERENCES = ("references", "reference", "target", "completion", "output", "summary", "translation")
USUAL = {
    "statement": ("statement", "sentence", "text", "review", "comment", "tweet", "post", *_TEXTS),
    "text": (*_TEXTS, "instruction", "source", "document", "article", "statement"),
    "context": ("context", "premise", "sentence1", "passage", "paragraph", "document", "article", "text"),
    "hypothesis": ("hypothesis", "sentence2", "claim"),
    "question": ("question", "query", "prompt"),
    "label": ("label", "gold_label", "gold", "class", "category", "target", "answer", "sentiment"),
    "answers": ("answers", "answer", "gold", *_REFERENCES, "label"),
}
#: What files call the id of a row, and what of it is a tag or says which rows are from one source.
IDS = ("id", "uid", "example_id", "idx")
TAGS = ("subject", "topic", "domain", "genre", "language", "category", "difficulty", "split")
CLUSTERS = ("cluster", "group", "group_id", "passage_id", "document_id", "doc_id")
#: More labels than these are no labels, but numbers or texts in the wrong column.
MOST_LABELS = 100


@dataclass(frozen=True)
class OwnData:
    """A file that was read as examples of a task.

    `columns` map what the task needs, and ids and tags, to the file's own names; `cluster` is the column of
    what rows are from, if there is one. `labels` are () where the answer is a text, and `commonest` is the
    most frequent of them. `left_out` says which rows have no label; `unused` are the other columns. `slug` is
    the dataset's id.
    """

    file: Path
    task: Task
    format: str
    columns: Mapping[str, str]
    labels: tuple[str, ...]
    commonest: str | None
    cluster: str | None = None
    label_map: Mapping[str, str] = default(default_factory=dict)
    left_out: str = ""
    unused: tuple[str, ...] = ()

    @property
    def slug(self) -> str:
        name = self.file.name.removesuffix(".gz").partition(".")[0].lower()
        return re.sub(r"[^a-z0-9]+", "-", name).strip("-") or "data"

    @property
    def words(self) -> str:
        """Which column was taken for what, and what was not taken."""
        taken = [f"{name} = {column}" for name, column in self.columns.items()]
        taken += [f"cluster = {self.cluster}"] if self.cluster is not None else []
        rest = f"; not used: {', '.join(self.unused)}" if self.unused else ""
        left = f"; left out: {self.left_out}" if self.left_out else ""
        return f"{self.file.name}: {', '.join(taken)}{rest}{left}"

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
    frame = table.frame
    columns = _columns(file, about, list(frame.columns), named)
    cluster = _more_columns(frame, columns)
    labels, label_map = _labels(file, about, frame[columns["label"]]) if about.answer == "label" else ((), {})
    source = DatasetSource("own", task, file, form, columns, label_map, labels, cluster=cluster)
    read = read_dataset(source)
    counts = Counter(map(str, read.gold))
    commonest = min(counts, key=lambda label: (-counts[label], label)) if labels else None
    left_out = ", ".join(f"{count} {reason}" for reason, count in read.dropped.items())
    unused = tuple(name for name in frame.columns if name not in {*columns.values(), cluster})
    return OwnData(file, about, form, columns, labels, commonest, cluster, label_map, left_out, unused)


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


def _more_columns(frame: pd.DataFrame, columns: dict[str, str]) -> str | None:
    """Add ids and tags to the columns, and give that of clusters, where names and cells plainly say so.

    Ids are all there and all different; tags and clusters are all there, more than one, and repeated.
    """

    def different(name: str) -> int:
        """How many values a column has that is not taken; 0 if it lacks one, or has lists and the like."""
        taken = name in columns.values() or name not in frame.columns
        cells = [] if taken else frame[name].tolist()
        plain = all(isinstance(cell, str | int) and cell != "" for cell in cells)
        return len(set(map(str, cells))) if plain else 0

    ids = [name for name in IDS if different(name) == len(frame)]
    ids = [name for name in ids if not any(map(is_no_id, map(str, frame[name])))]
    if ids:
        columns.setdefault("id", ids[0])
    tags = [name for name in TAGS if 1 < different(name) <= min(MOST_LABELS, len(frame) / 2)]
    columns.update({f"tag.{name}": name for name in tags})
    return next((name for name in CLUSTERS if 1 < different(name) < len(frame)), None)


def _labels(file: Path, task: Task, column: pd.Series[str]) -> tuple[tuple[str, ...], dict[str, str]]:
    """The labels in the order that the task gives them, else by name; and what in the file means no label."""
    written = {"" if one is None or one != one else str(one) for one in column}
    # A dash is a label of its own where there may be a plus.
    none = dict.fromkeys(sorted(written & ({""} if task.label_sets is None else {"", "-"})), "")
    return _known_labels(file, task, column, written - none.keys()), none


def _known_labels(file: Path, task: Task, column: pd.Series[str], written: set[str]) -> tuple[str, ...]:
    labels = set(task.in_labels(sorted(written)))
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
