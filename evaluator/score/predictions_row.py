"""Rows of a file of predictions, as what a model would have answered.

So the task checks rows as it checks models. Most rows are plain, and of these a million have to be read: a
label that is one, numbers that are shares. They are read many at a time, column by column; every other row
goes the long way, which says what is wrong with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from evaluator.data.datasets.rows import BadRow, FileRow, PlainRows, parse_json, plain_json
from evaluator.data.tasks import FieldError, Prediction, Task, is_text, show
from evaluator.data.tasks.answers import SUM_TOLERANCE

#: What a row, or a whole file, may leave out.
OPTIONAL = ("confidence", "probabilities")
APART = "probabilities."


class Given(NamedTuple):
    """One prediction of a file: the example, the model if the file names it, and the answer.

    `output` is what a model would have answered, or what the task makes of that where it is plain.
    """

    line: int
    id: str
    model: str | None
    output: dict[str, Any] | Prediction


class RowProblem(NamedTuple):
    """What is wrong with one row."""

    line: int
    error: FieldError


@dataclass(frozen=True)
class TableRows(PlainRows):
    """Rows of a table, whose cells the `header` names."""

    header: Sequence[str]

    def __iter__(self) -> Iterator[FileRow]:
        rows = zip(self.lines, self.cells, strict=True)
        return (FileRow(line, dict(zip(self.header, cells, strict=True))) for line, cells in rows)


@dataclass(frozen=True)
class PlainAnswers:
    """Predictions of neighbouring rows, column by column, all of them valid.

    `models` is empty where no column names them. `labels` are places among the task's labels; `confidences`
    are from 0 to 1, NaN where none is given; `shares` has a row of probabilities each, in the order of the
    labels, or is None.
    """

    lines: Sequence[int]
    ids: Sequence[str]
    models: Sequence[str | None]
    labels: npt.NDArray[np.int64]
    confidences: npt.NDArray[np.float64]
    shares: npt.NDArray[np.float64] | None

    def __len__(self) -> int:
        return len(self.lines)

    @property
    def unnamed(self) -> Sequence[int]:
        """The lines of the rows that name no model."""
        if not self.models:
            return self.lines
        return [line for line, model in zip(self.lines, self.models, strict=True) if model is None]

    def of(self, model: str) -> PlainAnswers:
        """The rows that name this model or none."""
        if not set(self.models) - {None, model}:
            return self
        at = [place for place, named in enumerate(self.models) if named in (None, model)]
        lines = [self.lines[place] for place in at]
        ids, models = [self.ids[place] for place in at], [self.models[place] for place in at]
        shares = None if self.shares is None else self.shares[at]
        return PlainAnswers(lines, ids, models, self.labels[at], self.confidences[at], shares)

    def __iter__(self) -> Iterator[Given]:
        sure = [None if value != value else value for value in self.confidences.tolist()]
        nothing = [None] * len(sure)
        models = self.models or nothing
        shares = nothing if self.shares is None else map(tuple, self.shares.tolist())
        for line, id_, model, *answer in zip(
            self.lines, self.ids, models, self.labels.tolist(), sure, shares, strict=True
        ):
            yield Given(line, id_, model, Prediction(*answer))


class _NotPlainError(Exception):
    """Something in a block must be looked at row by row."""


@dataclass(frozen=True)
class RowReading:
    """How rows are read: by the file's `names` for what they say; `label_map` has its words for labels."""

    names: Mapping[str, str]
    label_map: Mapping[str, str]
    labels: Sequence[str]
    task: Task

    def row(self, row: FileRow | BadRow) -> Given | RowProblem:
        """What a row says, or what is wrong with it."""
        try:
            return self._given(row)
        except FieldError as error:
            return RowProblem(row.line, error)

    def plain(self, rows: PlainRows) -> PlainAnswers | None:
        """What rows say if every cell is plainly as it should be; None where they must be looked at."""
        if self.task.answer == "text":
            return None
        try:
            return PlainAnswers(
                rows.lines,
                _texts(self._column(rows, "id")),
                _plain_models(self._optional(rows, "model")),
                np.array(self._meant(_texts(self._column(rows, "label")))),
                _plain_confidences(self._optional(rows, "confidence"), len(rows)),
                self._plain_shares(rows),
            )
        except (_NotPlainError, LookupError, TypeError, ValueError, OverflowError):
            return None

    def _column(self, rows: PlainRows, name: str) -> list[Any]:
        """The cells of what the file may call otherwise. LookupError if a row lacks it."""
        place = self.names[name]
        if isinstance(rows, TableRows):
            number = rows.header.index(place)
            return [cells[number] for cells in rows.cells]
        if name in OPTIONAL:
            return [cells.get(place) for cells in rows.cells]
        return [cells[place] for cells in rows.cells]

    def _optional(self, rows: PlainRows, name: str) -> list[Any]:
        return self._column(rows, name) if name in self.names else []

    @cached_property
    def _places(self) -> dict[str, int]:
        """Every word for a label, and the place of that among the labels."""
        words = (*self.labels, *self.task.words, *self.label_map)
        meant = {word: self.task.label(self.label_map.get(word, word), self.labels) for word in words}
        return {word: self.labels.index(label) for word, label in meant.items() if label in self.labels}

    def _plain_shares(self, rows: PlainRows) -> npt.NDArray[np.float64] | None:
        """The probabilities of the labels, in their order (rows, labels), if there are any."""
        apart = {name.removeprefix(APART): name for name in self.names if name.startswith(APART)}
        if apart:
            return self._in_order(self._meant(apart), [self._column(rows, name) for name in apart.values()])
        stated = self._optional(rows, "probabilities")
        if set(map(type, stated)) <= {str}:
            stated = _plain_cells(stated)
        if not stated or all(value is None for value in stated):
            return None
        if set(map(type, stated)) == {list}:
            return self._in_order(range(len(self.labels)), list(zip(*stated, strict=True)))
        [words] = set(map(tuple, stated))
        return self._in_order(self._meant(words), [[shares[word] for shares in stated] for word in words])

    def _meant(self, words: Iterable[str]) -> list[int]:
        return [self._places[word] for word in words]

    def _in_order(self, places: Sequence[int], columns: Sequence[Sequence[Any]]) -> npt.NDArray[np.float64]:
        """What rows state of the labels at these places, each of which must be there once."""
        if sorted(places) != list(range(len(self.labels))):
            raise _NotPlainError
        shares = np.empty((len(columns[0]), len(places)))
        for place, column in zip(places, columns, strict=True):
            shares[:, place] = _plain_numbers(column)
        # A sum at the very edge of what is allowed is left to the checks.
        if not (np.abs(shares.sum(axis=1) - 1) <= 0.99 * SUM_TOLERANCE).all():
            raise _NotPlainError
        return shares

    def _given(self, row: FileRow | BadRow) -> Given:
        if isinstance(row, BadRow):
            raise row.error
        line, cells = row
        try:
            values = {name: cells[column] for name, column in self.names.items()}
        except KeyError:
            values = {name: _cell(row, name, column) for name, column in self.names.items()}
        example_id, model = values.pop("id"), values.pop("model", None)
        if not _is_id(example_id):
            problem = f"{show(example_id)} is not an id"
            raise FieldError("id", example_id, problem, "give a string or a whole number")
        return Given(line, str(example_id), None if model in (None, "") else str(model), self._output(values))

    def _output(self, values: dict[str, Any]) -> dict[str, Any]:
        """The row as a model would have answered; an empty cell says nothing of confidence or probability."""
        output = {}
        if "label" in values:
            output["label"] = _label(values["label"], self.label_map)
        if "answer" in values:
            output["answer"] = values["answer"]
        if values.get("confidence") not in (None, ""):
            output["confidence"] = _number("confidence", values["confidence"])
        if len(values) > len(output):
            shares = _shares(values, self.label_map, self.labels)
            return output | {"probabilities": shares} if shares else output
        return output


def _texts(column: Sequence[Any]) -> Sequence[str]:
    """Texts that can be written, and whole numbers as texts. `_NotPlainError` for anything else."""
    kinds = set(map(type, column))
    if not kinds <= {str, int}:
        raise _NotPlainError
    texts = column if kinds == {str} else list(map(str, column))
    if not is_text("".join(texts)):
        raise _NotPlainError
    return texts


def _plain_models(column: Sequence[Any]) -> list[str | None]:
    if not set(map(type, column)) <= {str, type(None)}:
        raise _NotPlainError
    return [model or None for model in column]


def _plain_confidences(column: Sequence[Any], rows: int) -> npt.NDArray[np.float64]:
    """How sure rows say they are, NaN where they do not."""
    sure = np.full(rows, np.nan)
    present = [value is not None and value != "" for value in column]
    if any(present):
        sure[present] = _plain_numbers(
            [value for value, is_present in zip(column, present, strict=True) if is_present]
        )
    return sure


def _plain_numbers(column: Sequence[Any]) -> npt.NDArray[np.float64]:
    """Numbers from 0 to 1. `_NotPlainError` or ValueError if there is anything else."""
    if not set(map(type, column)) <= {float, int, str}:
        raise _NotPlainError
    numbers = np.array(list(map(float, column)))
    if not ((numbers >= 0) & (numbers <= 1)).all():  # NaN is neither
        raise _NotPlainError
    return numbers


def _plain_cells(texts: Sequence[str]) -> list[Any]:
    """The JSON of cells, None of empty ones."""
    if not any(texts):
        return []
    found = plain_json(texts)
    if found is None:
        raise _NotPlainError
    return found


def _is_id(value: Any) -> bool:
    if isinstance(value, str):
        return is_text(value)
    return isinstance(value, int) and not isinstance(value, bool)


def _cell(row: FileRow, name: str, column: str) -> Any:
    if column in row.cells:
        return row.cells[column]
    if name in OPTIONAL or name.startswith(APART):
        return None
    raise FieldError(name, None, f"missing: the row lacks {show(column)}", "add it or correct --column")


def _label(raw: Any, label_map: Mapping[str, str]) -> Any:
    """The dataset's label; a JSON number or boolean counts as it is written, anything else stays."""
    if isinstance(raw, str):
        return label_map.get(raw, raw)
    word = str(raw).lower() if isinstance(raw, bool) else str(raw)
    return label_map.get(word, word) if isinstance(raw, int | float) else raw


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
    if isinstance(value, float):
        return value
    try:
        return float(str(value) if isinstance(value, bool) else value)
    except (ValueError, TypeError, OverflowError):
        problem = f"{show(value)} is not a number"
        raise FieldError(name, value, problem, "correct it or leave it out") from None
