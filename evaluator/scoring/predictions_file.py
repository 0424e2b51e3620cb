"""A file of predictions made elsewhere, cut into rows: CSV, TSV, JSON lines, or SQuAD's ``{id: answer}``.

The file may be compressed by gzip, and in UTF-16.

Rows are turned into what a model would have answered, so that the task checks them as it checks models.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from evaluator.datasets.rows import BadRow, FileRow, cut, parse_json
from evaluator.own_predictions import COLUMNS
from evaluator.plain_text import PackedError, text_of
from evaluator.records import digest
from evaluator.scoring.recomputed import counted
from evaluator.tasks import FieldError, Task, is_text, show

FORMATS = ("csv", "tsv", "jsonl", "json")
#: What a row, or a whole file, may leave out.
OPTIONAL = ("confidence", "probabilities")
APART = "probabilities."
#: How many names a message lists.
LISTED = 20


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
                parts[name] = hashlib.sha256(path.read_bytes()).hexdigest()
        return digest(parts)


@dataclass(frozen=True)
class Given:
    """One prediction of a file: the example, the model if the file names it, and the answer."""

    line: int
    id: str
    model: str | None
    output: Any


class PredictionsError(ValueError):
    """A file of predictions that cannot be taken as it is; the message has a line for each problem."""


@dataclass(frozen=True)
class RowProblem:
    """What is wrong with one row."""

    line: int
    error: FieldError


def read_predictions(
    source: PredictionsFile, task: Task, labels: Sequence[str], words: Mapping[str, str]
) -> tuple[list[Given], list[RowProblem]]:
    """Every row as what a model answered, and what is wrong with the others.

    `words` says what other words mean one of `labels`, where `source.label_map` does not.
    Raises `PredictionsError` if the file as a whole cannot be read or lacks a column.
    """
    try:
        check_columns(source.columns, task)
    except FieldError as error:
        raise PredictionsError(f"{source.path}: {error}") from None
    text, form = _text(source.path), source.form
    if form not in FORMATS:
        raise PredictionsError(
            f"{source.path}: format: {show(form)} is none of {', '.join(FORMATS)}; name one"
        )
    rows = list(_document(source, text) if form == "json" else _table(source, text, form))
    names, label_map = _names(source, task, rows), _label_map(source, labels, words)
    given, problems = [], []
    for row in rows:
        try:
            given.append(_read_row(row, names, label_map, labels))
        except FieldError as error:
            problems.append(RowProblem(row.line, error))
    return given, problems


def check_columns(names: Iterable[str], task: Task) -> None:
    """Raise `FieldError` unless each of `names` is something a prediction for `task` may say."""
    known: tuple[str, ...] = ("id", _answer_name(task), "confidence", "model")
    if task.answer == "label":
        known = (*known, "probabilities", f"{APART}LABEL")
    for name in names:
        apart = task.answer == "label" and name.startswith(APART) and name != APART
        if name not in known and not apart:
            problem = f"{show(name)} is not a field of a prediction for {task.name}"
            raise FieldError("column", name, problem, f"name only {', '.join(known)}")


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
            fix = f"map it to one of {', '.join(labels)}"
            raise PredictionsError(f"{source.path}: label_map.{theirs}: {show(label)} is not a label; {fix}")
    return {**words, **mapped}


def _text(path: Path) -> str:
    try:
        return text_of(path.read_bytes(), str(path))
    except OSError as error:
        raise PredictionsError(f"{path}: cannot be read ({error}); correct the path") from None
    except PackedError as error:
        raise PredictionsError(str(error)) from None


def _document(source: PredictionsFile, text: str) -> Iterator[FileRow | BadRow]:
    """SQuAD's ``{id: answer}``; the number of the entry stands for a line."""
    fix = "write {id: answer}, or one object a line in a .jsonl"
    for number, (key, value) in enumerate(_pairs(source.path, text, fix), start=1):
        yield FileRow(number, {"id": key, "label": value, "answer": value})


def _pairs(path: Path, text: str, fix: str) -> list[tuple[str, Any]]:
    """The entries of a JSON object, ids that occur twice included. Raises `PredictionsError`."""
    try:
        document = json.loads(text, object_pairs_hook=list)
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


def _table(source: PredictionsFile, text: str, form: str) -> Iterator[FileRow | BadRow]:
    """Rows as objects, in any form; a table's first row is its header."""
    rows = cut(text, form)
    if form == "jsonl":
        yield from rows
        return
    header = _header(source.path, rows)
    for row in rows[1:]:
        if isinstance(row, FileRow) and len(row.cells) != len(header):
            problem = f"has {counted(len(row.cells), 'column')}, not {len(header)}"
            yield BadRow(row.line, row.cells, problem, "correct the row")
        else:
            yield (
                FileRow(row.line, dict(zip(header, row.cells, strict=True)))
                if isinstance(row, FileRow)
                else row
            )


def _header(path: Path, rows: Sequence[FileRow | BadRow]) -> list[str]:
    """The names of a table's columns; `PredictionsError` unless there are some, all different."""
    if not rows:
        raise PredictionsError(f"{path}:1: header: missing; name the columns in the first row")
    if isinstance(rows[0], BadRow):
        raise PredictionsError(f"{path}:{rows[0].line}: {replace(rows[0], field='header').error}")
    header: list[str] = rows[0].cells
    for name in header:
        if header.count(name) > 1:
            fix = "give every column a name of its own"
            raise PredictionsError(f"{path}:{rows[0].line}: header: has {show(name)} twice; {fix}")
    return header


def _names(source: PredictionsFile, task: Task, rows: Sequence[FileRow | BadRow]) -> dict[str, str]:
    """The file's name for each thing a row may say. Raises `PredictionsError` if one is missing."""
    columns = dict.fromkeys(column for row in rows if isinstance(row, FileRow) for column in row.cells)
    if not columns:
        raise _no_rows(source.path, rows)
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


def _no_rows(path: Path, rows: Sequence[FileRow | BadRow]) -> PredictionsError:
    for row in rows:
        if isinstance(row, BadRow):
            return PredictionsError(f"{path}:{row.line}: {row.error}")
    return PredictionsError(f"{path}: has no predictions; give it one row an example")


def _read_row(
    row: FileRow | BadRow, names: Mapping[str, str], label_map: Mapping[str, str], labels: Sequence[str]
) -> Given:
    if isinstance(row, BadRow):
        raise row.error
    values = {name: _cell(row, name, column) for name, column in names.items()}
    example_id, model = values.pop("id"), values.pop("model", None)
    if isinstance(example_id, bool) or not isinstance(example_id, str | int) or not is_text(str(example_id)):
        problem = f"{show(example_id)} is not an id"
        raise FieldError("id", example_id, problem, "give a string or a whole number")
    output = _output(values, label_map, labels)
    return Given(row.line, str(example_id), None if model in (None, "") else str(model), output)


def _cell(row: FileRow, name: str, column: str) -> Any:
    if name in OPTIONAL or name.startswith(APART):
        return row.cells.get(column)
    if column not in row.cells:
        raise FieldError(name, None, f"missing: the row lacks {show(column)}", "add it or correct --column")
    return row.cells[column]


def _output(values: Mapping[str, Any], label_map: Mapping[str, str], labels: Sequence[str]) -> dict[str, Any]:
    """The row as a model would have answered; an empty cell says nothing of confidence or probability."""
    output = {name: values[name] for name in ("label", "answer") if name in values}
    if "label" in output:
        output["label"] = _label(output["label"], label_map)
    if values.get("confidence") not in (None, ""):
        output["confidence"] = _number("confidence", values["confidence"])
    shares = _shares(values, label_map, labels)
    return output | ({"probabilities": shares} if shares else {})


def _label(raw: Any, label_map: Mapping[str, str]) -> Any:
    """The dataset's label; a JSON number or boolean counts as it is written, anything else stays."""
    word = str(raw).lower() if isinstance(raw, bool) else str(raw)
    return label_map.get(word, word) if isinstance(raw, str | int | float) else raw


def _shares(
    values: Mapping[str, Any], label_map: Mapping[str, str], labels: Sequence[str]
) -> dict[str, Any] | None:
    """Probabilities by label, from one column of objects or lists or from a column for each label."""
    stated = _apart(values) or _parsed(values.get("probabilities"))
    if stated is None:
        return None
    if isinstance(stated, list) and len(stated) == len(labels):
        return {label: _number("probabilities", share) for label, share in zip(labels, stated, strict=True)}
    if isinstance(stated, dict):
        return _by_label(stated, label_map)
    fix = f"give one number for each of {', '.join(labels)}, as an object or a list"
    raise FieldError("probabilities", stated, f"{show(stated)} does not fit the labels", fix)


def _by_label(stated: Mapping[str, Any], label_map: Mapping[str, str]) -> dict[str, float]:
    shares: dict[str, float] = {}
    meant: dict[str, str] = {}
    for word, share in stated.items():
        label = _label(word, label_map)
        if label in meant:
            problem = f"{show(meant[label])} and {show(word)} both mean {show(label)}"
            raise FieldError("probabilities", stated, problem, "give one number a label")
        meant[label], shares[label] = word, _number("probabilities", share)
    return shares


def _apart(values: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name.removeprefix(APART): value
        for name, value in values.items()
        if name.startswith(APART) and value not in (None, "")
    }


def _parsed(value: Any) -> Any:
    """A cell of a table holds JSON; an empty one nothing."""
    if not isinstance(value, str):
        return value
    try:
        return parse_json(value) if value else None
    except ValueError as error:
        fix = "write an object, with each label once, or a list"
        raise FieldError("probabilities", value, f"{show(value)} {error}", fix) from None


def _number(name: str, value: Any) -> float:
    try:
        return float(str(value) if isinstance(value, bool) else value)
    except (ValueError, TypeError, OverflowError):
        problem = f"{show(value)} is not a number"
        raise FieldError(name, value, problem, "correct it or leave it out") from None
