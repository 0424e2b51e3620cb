"""Hate speech: Learning From The Worst (Vidgen et al. 2021) and HateCheck (Röttger et al. 2021)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from evaluator.data.datasets.formats import generic
from evaluator.data.datasets.formats.base import Format, Item, Left, no_columns
from evaluator.data.datasets.rows import BadRow
from evaluator.data.datasets.source import DatasetSource
from evaluator.data.plain_text import FileText
from evaluator.data.tasks import FieldError, show

LABELS = ("not-hateful", "hateful")
SPLITS = ("train", "dev", "test")
ROUNDS = ("1", "2", "3", "4")

#: Columns of the tables v0.2.2 and v0.2.3; they have others too.
LFTW_COLUMNS = {
    "id": "acl.id",
    "statement": "text",
    "label": "label",
    "tag.type": "type",
    "tag.round": "round.base",
    "tag.split": "split",
}
#: Columns of test_suite_cases.csv; it has others too.
HATECHECK_COLUMNS = {
    "id": "case_id",
    "statement": "test_case",
    "label": "label_gold",
    "tag.functionality": "functionality",
    "tag.target_ident": "target_ident",
    "cluster": "templ_id",
}


def _check_lftw(source: DatasetSource) -> None:
    no_columns(source)
    split, number = source.options.get("split"), source.options.get("round")
    if split is not None and split not in SPLITS:
        fix = f"use one of {', '.join(SPLITS)}"
        raise FieldError("options.split", split, f"{show(split)} is not a split", fix)
    if number is not None and (type(number) is not int or number not in map(int, ROUNDS)):
        raise FieldError("options.round", number, f"{show(number)} is not a round", "use 1, 2, 3 or 4")


def _read_lftw(text: FileText, source: DatasetSource) -> Iterator[Item | BadRow | Left]:
    """The examples of one split and one round, or of all; those of others are left out and counted."""
    for row in generic.published(text, source, "csv", LFTW_COLUMNS):
        yield row if isinstance(row, BadRow) else _chosen(row, source.options)


def _chosen(item: Item, options: Any) -> Item | BadRow | Left:
    split, number = item.tags["split"], item.tags["round"]
    if split not in SPLITS:
        return BadRow(item.line, split, "is not a split", f"write {', '.join(SPLITS)}", "split")
    if number not in ROUNDS:
        return BadRow(item.line, number, "is not a round", f"write {', '.join(ROUNDS)}", "round.base")
    if split != options.get("split", split):
        return Left(item.line, "in another split")
    if number != str(options.get("round", number)):
        return Left(item.line, "in another round")
    tags = {name: value for name, value in item.tags.items() if name != "split"}
    return Item(item.line, item.values, item.gold, tags)


def _read_hatecheck(text: FileText, source: DatasetSource) -> Iterator[Item | BadRow]:
    return generic.published(text, source, "csv", HATECHECK_COLUMNS)


LFTW = Format(
    "lftw",
    ("hate-speech",),
    _read_lftw,
    labels=LABELS,
    label_map={"nothate": "not-hateful", "hate": "hateful"},
    options=("split", "round"),
    check=_check_lftw,
    about="Learning From The Worst, tables 0.2.2 and 0.2.3: CSV",
    columns={column: name for name, column in LFTW_COLUMNS.items()},
)
HATECHECK = Format(
    "hatecheck",
    ("hate-speech",),
    _read_hatecheck,
    labels=LABELS,
    label_map={"non-hateful": "not-hateful", "hateful": "hateful"},
    about="HateCheck, test_suite_cases.csv; the cases of one template are a cluster",
    columns={column: name for name, column in HATECHECK_COLUMNS.items()},
)
