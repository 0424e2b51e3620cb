"""Gold answers without texts: predictions made elsewhere can be scored on them, models cannot be asked.

A CSV, TSV (with a header) or JSON lines file, by its suffix; `columns` names the ids and gold answers.
"""

from __future__ import annotations

from collections.abc import Iterator

from evaluator.data.datasets.formats.base import Format, PlainItems
from evaluator.data.datasets.formats.generic import TAG, read
from evaluator.data.datasets.formats.nodes import GivenItem
from evaluator.data.datasets.source import DatasetSource
from evaluator.data.plain_text import FileText
from evaluator.data.tasks import TASKS, FieldError, show

SUFFIXES = ("csv", "tsv", "jsonl")


def _suffix(source: DatasetSource) -> str:
    assert source.path is not None
    name = source.path.name.removesuffix(".gz")
    suffix = name.rpartition(".")[2]
    if suffix not in SUFFIXES:
        problem = f"{show(name)} does not end in one of {', '.join(SUFFIXES)}"
        raise FieldError("path", name, problem, "name the file after what it is")
    return suffix


def _check(source: DatasetSource) -> None:
    """Raise `FieldError` unless the columns are named, ids and gold answers among them, and no texts."""
    _suffix(source)
    needed = ("id", "label")
    for name in needed:
        if name not in source.columns:
            raise FieldError(f"columns.{name}", None, "missing", f"say which column holds the {name}")
    for name, column in source.columns.items():
        if name not in (*needed, "validated") and not name.startswith(TAG):
            fix = f"map only {', '.join(needed)}, validated, {TAG}NAME; for texts use csv, tsv or jsonl"
            raise FieldError(f"columns.{name}", column, "is no part of gold answers", fix)
        if not isinstance(column, str):
            raise FieldError(
                f"columns.{name}", column, f"{show(column)} is not a name", "use the header's names"
            )


def _read(text: FileText, source: DatasetSource) -> Iterator[GivenItem | PlainItems]:
    return read(text, source, _suffix(source))


#: Only where answers are labels: one in words is kept by quoting the text (`evaluator.data.tasks.quoting`).
LABELLED = tuple(name for name, task in TASKS.items() if task.answer == "label")
GOLD = Format(
    "gold",
    LABELLED,
    _read,
    check=_check,
    texts=False,
    about="ids and gold labels only, as CSV, TSV or JSON lines, for predictions on texts that are elsewhere",
    columns={
        "id": "id",
        "label": "label",
        "validated": "whether people confirmed the label",
        "tag.NAME": "tags",
    },
)
