"""A file of predictions made elsewhere, cut into rows: CSV, TSV, JSON lines, or SQuAD's ``{id: answer}``.

The file may be compressed by gzip, and in UTF-16.

`evaluator.score.predictions_row` says what each row gives.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from evaluator.data.datasets.rows import BLOCK, BadRow, Block, FileRow, PlainRows, cut_blocks
from evaluator.data.plain_text import FileText, PackedError
from evaluator.data.tasks import FieldError, Task, show
from evaluator.rank.own_predictions import COLUMNS
from evaluator.records.canonical import digest
from evaluator.records.names import or_one_of
from evaluator.score.predictions_row import (
    APART,
    OPTIONAL,
    Given,
    PlainAnswers,
    RowProblem,
    RowReading,
    TableRows,
)
from evaluator.score.recomputed import counted

#: The rows of a file, from its first, as often as they are asked for.
Blocks = Callable[[], Iterator[Block]]

FORMATS = ("csv", "tsv", "jsonl", "json")
#: How many names a message lists.
LISTED = 20
#: Of a block with unusual rows, so many are tried together before they are read one by one.
FEW = 50


@dataclass(frozen=True)
class PredictionsFile:
    """Where predictions are and how to read them.

    `columns` maps ``id``, ``label`` (for tasks that ask for texts: ``answer``), ``confidence``,
    ``probabilities`` (a JSON object, or a list in the order of the labels), ``probabilities.LABEL`` (a
    number) and ``model`` to the file's names; what is left out is looked for under its usual names.
    `label_map` maps the file's labels to the dataset's, or to other words for them. `no_answer` is a second
    file, SQuAD v2's ``na_prob``: a JSON object of numbers by id, higher where an answer is less likely.
    """

    path: Path
    format: str | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    label_map: Mapping[str, str] = field(default_factory=dict)
    no_answer: Path | None = None

    @property
    def form(self) -> str:
        """The format as given, else what the suffix says, which may be none of `FORMATS`."""
        name = self.path.name.lower().removesuffix(".gz")
        return self.format or name.rpartition(".")[2]

    def revision(self) -> str:
        """Hash of the files' bytes, columns and label map; with `form`, all that decides what they say."""
        parts: dict[str, Any] = {"columns": dict(self.columns), "label_map": dict(self.label_map)}
        for name, path in (("file", self.path), ("no_answer", self.no_answer)):
            if path is not None:
                with path.open("rb") as file:
                    parts[name] = hashlib.file_digest(file, "sha256").hexdigest()
        return digest(parts)


class PredictionsError(ValueError):
    """A file of predictions that cannot be taken as it is; the message has a line for each problem."""


class PredictionRows:
    """The rows of a file, each as what a model answered or what is wrong with it, read as they are asked for.

    `words` says what other words mean one of `labels`, where `source.label_map` does not. Raises
    `PredictionsError` if the file as a whole cannot be read or lacks a column.
    """

    def __init__(
        self, source: PredictionsFile, task: Task, labels: Sequence[str], words: Mapping[str, str]
    ) -> None:
        try:
            check_columns(source.columns, task)
        except FieldError as error:
            raise PredictionsError(f"{source.path}: {error}") from None
        self._source, self._task = source, task
        text, self._form = _text(source.path), source.form
        if self._form not in FORMATS:
            known = ", ".join(FORMATS)
            raise PredictionsError(f"{source.path}: format: {show(self._form)} is none of {known}; name one")
        json_document = self._form == "json"
        self._blocks = _document(source, text) if json_document else partial(_table, source, text, self._form)
        self._columns: dict[str, None] = {}
        self._reading = RowReading(self._first_names(), _label_map(source, labels, words), labels, task)

    def __iter__(self) -> Iterator[Given | RowProblem]:
        """Every row, from the first."""
        return itertools.chain.from_iterable(self.blocks())

    def blocks(self) -> Iterator[PlainAnswers | list[Given | RowProblem]]:
        """The same rows, those that are plain many at a time."""
        for block in self._blocks():
            self._note_columns(block)
            yield from self._read(block)

    def _read(self, block: Block) -> Iterator[PlainAnswers | list[Given | RowProblem]]:
        plain = self._reading.plain(block) if isinstance(block, PlainRows) else None
        if plain is not None:
            yield plain
        elif isinstance(block, PlainRows) and len(block) > FEW:
            for start in range(0, len(block), FEW):
                yield from self._read(block[start : start + FEW])
        else:
            yield list(map(self._reading.row, block))

    def _note_columns(self, block: Block) -> bool:
        """Whether the rows have columns that none had before."""
        before = len(self._columns)
        if isinstance(block, TableRows):
            self._columns |= dict.fromkeys(block.header)
        else:
            rows = block.cells if isinstance(block, PlainRows) else _cells(block)
            self._columns |= dict.fromkeys(itertools.chain.from_iterable(dict.fromkeys(map(tuple, rows))))
        return len(self._columns) > before

    def is_complete(self) -> bool:
        """Whether all rows were read by the right names; if not, they are to be read again.

        Any row of JSON lines may be the first to have a column, although they seldom differ.
        """
        before, self._reading = self._reading, replace(self._reading, names=self._names())
        return before.names == self._reading.names

    def _first_names(self) -> dict[str, str]:
        """The names in the first rows, as many as have all that is needed."""
        for block in self._blocks():
            if self._note_columns(block):
                with suppress(PredictionsError):
                    return self._names()
        if not self._columns:
            raise _no_rows(self._source.path, itertools.chain.from_iterable(self._blocks()))
        return self._names()

    def _names(self) -> dict[str, str]:
        return _names(self._source, self._task, self._columns)


def _cells(rows: Iterable[FileRow | BadRow]) -> list[Any]:
    return [row.cells for row in rows if isinstance(row, FileRow)]


def check_columns(names: Iterable[str], task: Task) -> None:
    """Raise `FieldError` unless each of `names` is something a prediction for `task` may say."""
    known: tuple[str, ...] = ("id", _answer_name(task), "confidence", "model")
    if task.answer == "label":
        known = (*known, "probabilities", f"{APART}LABEL")
    for name in names:
        apart = task.answer == "label" and name.startswith(APART) and name != APART
        if name not in known and not apart:
            problem = f"{show(name)} is not a field of a prediction for {task.name}"
            raise FieldError("column", name, problem, or_one_of(name, known).removeprefix("; "))


def _answer_name(task: Task) -> str:
    """What a row's answer is called."""
    return "label" if task.answer == "label" else "answer"


def _label_map(source: PredictionsFile, labels: Sequence[str], words: Mapping[str, str]) -> dict[str, str]:
    """What each word means; the file's own map leads to a label, or to another word for one.

    Raises `PredictionsError` if it leads to neither.
    """
    mapped = {
        theirs: ours if ours in labels else words.get(ours, ours) for theirs, ours in source.label_map.items()
    }
    for theirs, label in mapped.items():
        if labels and label not in labels:
            fix = or_one_of(label, labels)
            raise PredictionsError(f"{source.path}: label_map.{theirs}: {show(label)} is not a label{fix}")
    return {**words, **mapped}


def _text(path: Path) -> FileText:
    try:
        return FileText(path, str(path))
    except OSError as error:
        raise PredictionsError(f"{path}: cannot be read ({error}); correct the path") from None
    except PackedError as error:
        raise PredictionsError(str(error)) from None


def _document(source: PredictionsFile, text: FileText) -> Blocks:
    """SQuAD's ``{id: answer}``; the number of the entry stands for a line."""
    pairs = _pairs(source.path, text, "write {id: answer}, or one object a line in a .jsonl")

    def blocks() -> Iterator[Block]:
        for start in range(0, len(pairs), BLOCK):
            some = pairs[start : start + BLOCK]
            cells = [{"id": key, "label": value, "answer": value} for key, value in some]
            yield PlainRows(range(start + 1, start + len(cells) + 1), cells)

    return blocks


def _pairs(path: Path, text: FileText, fix: str) -> list[tuple[str, Any]]:
    """The entries of a JSON object, ids that occur twice included. Raises `PredictionsError`."""
    try:
        document = json.loads(text.whole(), object_pairs_hook=list)
    except (ValueError, RecursionError) as error:
        raise PredictionsError(f"{path}: is not JSON ({error}); restore the file") from None
    if not isinstance(document, list) or not all(isinstance(pair, tuple) for pair in document):
        raise PredictionsError(f"{path}: is not a JSON object; {fix}")
    return document


def read_no_answer(path: Path, ids: Sequence[str]) -> tuple[float, ...]:
    """What a ``na_prob`` file says of each of `ids`, in their order: any finite numbers.

    Raises `PredictionsError` where an id is missing, unknown or there twice, or has no number.
    """
    found: dict[str, float] = {}
    for number, (key, value) in enumerate(_pairs(path, _text(path), "write {id: number}"), start=1):
        where = f"{path}:{number}: {show(key)}"
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise PredictionsError(f"{where}: {show(value)} is not a finite number; give one")
        if key in found:
            raise PredictionsError(f"{where}: is there twice; give one number for each id")
        found[key] = float(value)
    if unknown := next((key for key in found if key not in set(ids)), None):
        raise PredictionsError(f"{path}: {show(unknown)} is no example of the dataset; leave it out")
    if missing := [name for name in ids if name not in found]:
        raise PredictionsError(f"{path}: lacks {listed(missing)}; give a number for every example")
    return tuple(found[name] for name in ids)


def _table(source: PredictionsFile, text: FileText, form: str) -> Iterator[Block]:
    """Rows as objects, in any form; a table's first row is its header."""
    blocks = cut_blocks(text, form)
    if form == "jsonl":
        yield from blocks
        return
    first = next(blocks, [])
    header = _header(source.path, next(iter(first), None))
    for block in itertools.chain([first[1:]], blocks):
        if isinstance(block, PlainRows) and set(map(len, block.cells)) == {len(header)}:
            yield TableRows(block.lines, block.cells, header)
        else:
            yield [_named(row, header) for row in block]


def _named(row: FileRow | BadRow, header: Sequence[str]) -> FileRow | BadRow:
    if isinstance(row, BadRow):
        return row
    if len(row.cells) != len(header):
        problem = f"has {counted(len(row.cells), 'column')}, not {len(header)}"
        return BadRow(row.line, row.cells, problem, "correct the row")
    return FileRow(row.line, dict(zip(header, row.cells, strict=True)))


def _header(path: Path, row: FileRow | BadRow | None) -> list[str]:
    """The names of a table's columns; `PredictionsError` unless there are some, all different."""
    if row is None:
        raise PredictionsError(f"{path}:1: header: missing; name the columns in the first row")
    if isinstance(row, BadRow):
        raise PredictionsError(f"{path}:{row.line}: {replace(row, field='header').error}")
    header: list[str] = row.cells
    for name in header:
        if header.count(name) > 1:
            fix = "give every column a name of its own"
            raise PredictionsError(f"{path}:{row.line}: header: has {show(name)} twice; {fix}")
    return header


def _names(source: PredictionsFile, task: Task, columns: Mapping[str, None]) -> dict[str, str]:
    """The file's name for each thing a row may say. Raises `PredictionsError` if one is missing."""
    kinds = (
        "id",
        _answer_name(task),
        "model",
        *(OPTIONAL if task.answer == "label" else OPTIONAL[:1]),
    )
    usual = {name: next((known for known in COLUMNS[name] if known in columns), None) for name in kinds}
    names = {name: known for name, known in usual.items() if known is not None} | dict(source.columns)
    for name in dict.fromkeys((*kinds[:2], *names)):
        if names.get(name) not in columns:
            problem = f"no row has {show(names[name])}" if name in names else "missing"
            raise PredictionsError(
                f"{source.path}: {name}: {problem}; it has {listed(columns)};"
                f" say which with --column {name}=NAME"
            )
    return names


def listed(names: Iterable[str]) -> str:
    """`names` for a message: the first few, and how many more there are."""
    shown = [show(name) for name in names]
    more = len(shown) - LISTED
    return ", ".join(shown[:LISTED]) + (f" and {more} more" if more > 0 else "")


def _no_rows(path: Path, rows: Iterable[FileRow | BadRow]) -> PredictionsError:
    for row in rows:
        if isinstance(row, BadRow):
            return PredictionsError(f"{path}:{row.line}: {row.error}")
    return PredictionsError(f"{path}: has no predictions; give it one row an example")
