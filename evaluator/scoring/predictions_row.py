"""One row of a file of predictions, as what a model would have answered.

So the task checks rows as it checks models. Most rows are plain, and of these a million have to be read: a
label that is one, numbers that are shares. What they say is taken as checked by the shortest way; every other
row goes the long one, which says what is wrong with it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from evaluator.datasets.rows import BadRow, FileRow, parse_json
from evaluator.tasks import FieldError, Prediction, Task, is_text, show
from evaluator.tasks.answers import SUM_TOLERANCE

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
class RowReading:
    """How rows are read: by the file's `names` for what they say; `label_map` has its words for labels."""

    names: Mapping[str, str]
    label_map: Mapping[str, str]
    labels: Sequence[str]
    task: Task

    def row(self, row: FileRow | BadRow) -> Given | RowProblem:
        """What a row says, or what is wrong with it."""
        try:
            return self._plain(row) or self._given(row)
        except FieldError as error:
            return RowProblem(row.line, error)

    @cached_property
    def _columns(self) -> tuple[str | None, ...] | None:
        """Where plain rows have what they say; None if no row is plain."""
        if self.task.answer == "text" or any(name.startswith(APART) for name in self.names):
            return None
        return tuple(self.names.get(name) for name in ("id", "label", "model", *OPTIONAL))

    @cached_property
    def _places(self) -> dict[str, int]:
        """Every word for a label, and the place of that among the labels."""
        words = (*self.labels, *self.task.words, *self.label_map)
        meant = {word: self.task.label(self.label_map.get(word, word), self.labels) for word in words}
        return {word: self.labels.index(label) for word, label in meant.items() if label in self.labels}

    def _plain(self, row: FileRow | BadRow) -> Given | None:
        """What a row says if every cell is plainly as it should be; None where it must be looked at."""
        if self._columns is None or isinstance(row, BadRow):
            return None
        line, cells = row
        id_, label, named, confidence, probabilities = self._columns
        try:
            example_id, model = cells[id_], cells[named] if named else None
            answer = Prediction(
                self._places[cells[label]],
                _plain_confidence(cells.get(confidence)),
                self._plain_shares(_parsed(cells.get(probabilities))),
            )
        except (LookupError, TypeError, ValueError):
            return None
        if not isinstance(example_id, str) or not is_text(example_id):
            return None
        if model is not None and not isinstance(model, str):
            return None
        return Given(line, example_id, model or None, answer)

    def _plain_shares(self, stated: Any) -> tuple[float, ...] | None:
        """The probabilities of the labels, in their order. ValueError and the like if they are not plain."""
        if stated is None:
            return None
        shares = [-1.0] * len(self.labels)
        if isinstance(stated, dict):
            for word, share in stated.items():
                shares[self._places[word]] = _number("probabilities", share)
        elif isinstance(stated, list):
            shares = [_number("probabilities", share) for share in stated]
        # A label that is named twice leaves another without a share.
        if len(stated) != len(self.labels) or min(shares) < 0 or max(shares) > 1:
            raise ValueError
        if not abs(math.fsum(shares) - 1) <= SUM_TOLERANCE:  # NaN neither
            raise ValueError
        return tuple(shares)

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


def _plain_confidence(value: Any) -> float | None:
    """How sure a row says it is, if it does. ValueError unless it is a share."""
    if value is None or value == "":
        return None
    share = _number("confidence", value)
    if 0 <= share <= 1:
        return share
    raise ValueError


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
