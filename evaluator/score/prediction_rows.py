"""The rows of a file of predictions made elsewhere: which column is what, and what each row says."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from evaluator.data.tables import BadRow, Row, Table, form_of, parse_json, read_json, read_table, table_of
from evaluator.data.tasks import FieldError, Task, is_text, show
from evaluator.data.tasks.answers import FILE, check_label_answer
from evaluator.rank.own_predictions import COLUMNS
from evaluator.records.base import digest, file_sha256
from evaluator.records.errors import UserError, or_one_of

#: What a row, or a whole file, may leave out.
OPTIONAL = ("confidence", "probabilities")
APART = "probabilities."
#: What stands before the name of a metric whose numbers a file has beside its answers.
BESIDE = "values."
#: What further names the columns of a table of several models may have.
TABLE = {
    "id": ("example", "question_id", "instance_id", "sample_id", "item_id"),
    "label": ("answer", "response", "output"),
    "answer": ("response", "output", "predicted", "pred"),
    "model": ("model_name", "model_id", "system", "llm"),
    "trial": ("trial", "run", "epoch", "seed", "repeat", "attempt"),
}
#: What a row calls its answer.
_ANSWER = {"label": "label", "text": "answer"}
#: What a cell says, in any case, that has no number.
NO_NUMBER = ("", "-", "nan", "na", "n/a", "none", "null")
#: How many names a message lists.
NAMES = 20


@dataclass(frozen=True)
class PredictionsFile:
    """Where predictions are and how to read them: one of `FORMS`, or SQuAD's JSON object ``{id: answer}``.

    `columns` maps ``id``, ``label`` (for tasks that ask for texts: ``answer``), ``confidence``,
    ``probabilities`` (a JSON object, or a list in the order of the labels), ``probabilities.LABEL`` (a
    number) and ``model`` to the file's names; what is left out is looked for under its usual names, of
    probabilities those of all labels.
    `label_map` maps the file's labels to the dataset's, or to other words for them. `no_answer` is a second
    file, SQuAD v2's ``na_prob``: a JSON object of numbers by id, higher where an answer is less likely.
    `accept_differences` takes labels most of which are not the most probable class.

    ``trial`` is a column that says which of several runs a row is of: each is a further trial of its example.
    `values` maps metrics to columns with a number beside each answer, such as its cost. A table of
    `several_models` may call its columns by more names, a column for trials among them.
    """

    path: Path
    format: str | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    label_map: Mapping[str, str] = field(default_factory=dict)
    no_answer: Path | None = None
    accept_differences: bool = False
    values: Mapping[str, str] = field(default_factory=dict)
    several_models: bool = False

    @property
    def form(self) -> str:
        """The format as given, else what the suffix says, which may be none of `FORMS`."""
        return self.format or form_of(self.path.name)

    def revision(self) -> str:
        """Hash of the files' bytes, columns and label map; with `form`, all that decides what they say."""
        parts: dict[str, Any] = {"columns": dict(self.columns), "label_map": dict(self.label_map)}
        parts |= {"values": dict(self.values)} if self.values else {}
        for name, path in (("file", self.path), ("no_answer", self.no_answer)):
            if path is not None:
                parts[name] = file_sha256(path)
        return digest(parts)


class Given(NamedTuple):
    """One prediction: the example, the model and the trial if the file names them, what a model would have
    answered, and the numbers beside it by metric."""

    line: int
    id: str
    model: str | None
    output: dict[str, Any]
    trial: str = ""
    beside: Mapping[str, float] = {}


class RowProblem(NamedTuple):
    """What is wrong with one row."""

    line: int
    error: FieldError


@dataclass(frozen=True)
class PredictionRows:
    """The rows of a file, each as what a model answered or what is wrong with it.

    `names` is the file's column for each thing that a row may say, `label_map` what its words mean.
    `by_label` is whether probabilities were found in columns named after the labels.
    """

    path: Path
    table: Table
    names: Mapping[str, str]
    label_map: Mapping[str, str]
    labels: Sequence[str]
    by_label: bool

    @classmethod
    def read(
        cls, source: PredictionsFile, task: Task, labels: Sequence[str], words: Mapping[str, str]
    ) -> PredictionRows:
        """The rows of a file. `words` says what other words mean one of `labels`, where `source.label_map`
        does not. Raises `UserError` if the file as a whole cannot be read or lacks a column.
        """
        try:
            check_columns(source.columns, task)
        except FieldError as error:
            raise UserError(f"{source.path}: {error.field}", error.problem, error.fix) from None
        mapped = {
            word: ours if ours in labels else words.get(ours, ours) for word, ours in source.label_map.items()
        }
        for theirs, label in mapped.items():
            if labels and label not in labels:
                problem = f"{show(label)} is not a label{or_one_of(label, labels)}"
                raise UserError(f"{source.path}: label_map.{theirs}", problem)
        answer = _ANSWER[task.answer]
        label_map, table = {**words, **mapped}, _table(source, answer)
        optional = OPTIONAL if task.answer == "label" else OPTIONAL[:1]
        names = _names(source, table, ("id", answer), ("model", *optional))
        names |= _beside_columns(source, table)
        apart = {}
        if task.answer == "label" and not any(name.startswith("probabilities") for name in names):
            apart = _label_columns(table, names, label_map, labels)
        return cls(source.path, table, {**names, **apart}, label_map, labels, bool(apart))

    @property
    def unused(self) -> tuple[str, ...]:
        """The columns that say nothing here."""
        return tuple(str(name) for name in self.table.frame.columns if name not in self.names.values())

    @cached_property
    def models(self) -> list[str]:
        """What the file calls the models that its rows are of, in the order of their first rows."""
        return list(dict.fromkeys(row.model for row in self._read if isinstance(row, Given) and row.model))

    def of_model(self, named: str) -> Sequence[Given | RowProblem]:
        """The rows of a model, and those that may be of any, in their order; all rows where none is of it."""
        rows: Sequence[Given | RowProblem] = self._by_model.get(named, self._read)
        return rows

    @cached_property
    def _by_model(self) -> dict[str, Sequence[Given | RowProblem]]:
        found: dict[str, list[Given | RowProblem]] = {name: [] for name in self.models}
        for row in self._read:
            whose = row.model if isinstance(row, Given) else None
            for name in [whose] if whose is not None else found:
                found[name].append(row)
        return dict(found)

    @cached_property
    def _read(self) -> list[Given | RowProblem]:
        return list(self)

    def __iter__(self) -> Iterator[Given | RowProblem]:
        for row in self.table.rows():
            try:
                if isinstance(row, BadRow):
                    raise row.error
                yield self._checked(_given(row, self.names, self.label_map, self.labels))
            except FieldError as error:
                yield RowProblem(row.line, error)

    def _checked(self, given: Given) -> Given:
        """The row, whose probabilities may only have been taken for such. Raises `FieldError`."""
        shares = given.output.get("probabilities")
        if self.by_label and shares is not None:
            try:
                check_label_answer({"label": self.labels[0], "probabilities": shares}, self.labels, FILE)
            except FieldError as error:
                fix = "columns named after the labels are its probabilities; normalise or rename them"
                raise FieldError(error.field, None, error.problem, fix) from None
        return given


def _label_columns(
    table: Table, names: Mapping[str, str], label_map: Mapping[str, str], labels: Sequence[str]
) -> dict[str, str]:
    """Columns named after the labels, with "probabilities." in front or without; {} unless all are there."""
    found = {}
    for column in table.frame.columns:
        word = str(column).removeprefix(APART)
        if column not in names.values() and label_map.get(word, word) in labels:
            found[APART + word] = column
    meant = {label_map.get(word, word) for word in (name.removeprefix(APART) for name in found)}
    return found if meant == set(labels) else {}


def ids_of(source: PredictionsFile) -> set[str]:
    """The ids that a file has predictions of. Raises `UserError`."""
    table = _table(source)
    return set(map(str, table.frame[_names(source, table, ("id",))["id"]]))


def check_columns(names: Iterable[str], task: Task) -> None:
    """Raise `FieldError` unless each of `names` is something a prediction for `task` may say."""
    known: tuple[str, ...] = ("id", _ANSWER[task.answer], "confidence", "model", "trial")
    if task.answer == "label":
        known = (*known, "probabilities", f"{APART}LABEL")
    for name in names:
        apart = task.answer == "label" and name.startswith(APART) and name != APART
        if name not in known and not apart:
            problem = f"{show(name)} is not a field of a prediction for {task.name}"
            raise FieldError("column", name, problem, or_one_of(name, known).removeprefix("; "))


def _table(source: PredictionsFile, answer: str = "answer") -> Table:
    """The rows of the file; those of an object {id: answer} have the columns id and `answer`.

    Raises `UserError` if there is none.
    """
    document = read_json(source.path) if source.form == "json" else None
    if isinstance(document, dict):  # the number of the entry stands for a line
        rows = [{"id": id_, answer: said} for id_, said in document.items()]
        table = table_of(str(source.path), rows)
    else:
        table = read_table(source.path, source.form)
    if table.frame.empty:
        if table.bad:
            raise UserError(f"{source.path}:{table.bad[0].line}: {table.bad[0].error}")
        raise UserError(source.path, "has no predictions", "give it one row an example")
    return table


def _names(
    source: PredictionsFile, table: Table, needed: Sequence[str], more: Sequence[str] = ()
) -> dict[str, str]:
    """The file's name for each thing a row may say. Raises `UserError` if one that is `needed` is missing."""
    columns = list(table.frame.columns)
    usual = {name: usual_columns(name, columns, source.several_models) for name in (*needed, *more)}
    names = {name: known[0] for name, known in usual.items() if known} | dict(source.columns)
    if source.several_models:
        needed = (*needed, "model")
        _check_one_answer(source, usual, needed)
        names |= _trial_column(source, table, names)
    for name in dict.fromkeys((*needed, *names)):
        if names.get(name) not in columns:
            problem = f"no row has {show(names[name])}" if name in names else "missing"
            fix = f"it has {listed(columns)}; say which with --column {name}=NAME"
            raise UserError(f"{source.path}: {name}", problem, fix)
    return names


def usual_columns(name: str, columns: Sequence[Any], several_models: bool) -> list[str]:
    """The columns that are usually called so where a file says something, the likeliest first."""
    known = (*COLUMNS.get(name, ()), *(TABLE.get(name, ()) if several_models else ()))
    return [one for one in dict.fromkeys(known) if one in columns]


def _check_one_answer(
    source: PredictionsFile, usual: Mapping[str, Sequence[str]], needed: Sequence[str]
) -> None:
    """Raise `UserError` where two columns could be the answers: one may well have the right ones."""
    for name in needed:
        found = usual.get(name, ())
        if name in _ANSWER.values() and name not in source.columns and len(found) > 1:
            problem = f"may be {listed(found)}"
            raise UserError(f"{source.path}: {name}", problem, f"say which with --column {name}=NAME")


def _trial_column(source: PredictionsFile, table: Table, names: Mapping[str, str]) -> dict[str, str]:
    """The column of trials, where a model answers an example more than once; {} if there is none."""
    found = usual_columns("trial", list(table.frame.columns), several_models=True)
    known = [names[name] for name in ("model", "id") if names.get(name) in table.frame.columns]
    if "trial" in source.columns or not found or len(known) < 2:
        return {}
    again = table.frame[known].astype(str).duplicated().any()
    return {"trial": found[0]} if again else {}


def _beside_columns(source: PredictionsFile, table: Table) -> dict[str, str]:
    """The columns with numbers beside the answers. Raises `UserError` if one is not there."""
    columns = list(table.frame.columns)
    for metric, column in source.values.items():
        if column not in columns:
            fix = f"it has {listed(columns)}; correct values under [[predictions]], or --metric"
            raise UserError(f"{source.path}: {metric}", f"no row has {show(column)}", fix)
    return {f"{BESIDE}{metric}": column for metric, column in source.values.items()}


def listed(names: Iterable[str]) -> str:
    """`names` for a message: the first few, and how many more there are."""
    shown = [show(name) for name in names]
    more = len(shown) - NAMES
    return ", ".join(shown[:NAMES]) + (f" and {more} more" if more > 0 else "")


def _given(row: Row, names: Mapping[str, str], label_map: Mapping[str, str], labels: Sequence[str]) -> Given:
    """What a row says. Raises `FieldError`."""
    line, cells = row
    values: dict[str, Any] = {}
    for name, column in names.items():
        if column in cells:
            values[name] = cells[column]
        elif name not in OPTIONAL and not name.startswith((APART, BESIDE)):
            problem = f"missing: the row lacks {show(column)}"
            raise FieldError(name, None, problem, "add it or correct --column")
    example, model = values["id"], values.get("model")
    is_id = is_text(example) if isinstance(example, str) else type(example) is int
    if not is_id:
        raise FieldError("id", example, f"{show(example)} is not an id", "give a string or a whole number")
    output: dict[str, Any] = {}
    if "label" in values:
        output["label"] = _label(values["label"], label_map)
    if "answer" in values:
        output["answer"] = values["answer"]
    if values.get("confidence") not in (None, ""):  # an empty cell says nothing
        output["confidence"] = _number("confidence", values["confidence"])
    if shares := _shares(values, label_map, labels):
        output["probabilities"] = shares
    trial = ""
    if "trial" in values:
        if values["trial"] in (None, "") or isinstance(values["trial"], list | dict):
            problem = f"{show(values['trial'])} names no run"
            raise FieldError(names["trial"], values["trial"], problem, "name the run of every row")
        trial = _word(values["trial"])
    beside = {
        name.removeprefix(BESIDE): number
        for name, value in values.items()
        if name.startswith(BESIDE) and (number := _beside(names[name], value)) is not None
    }
    return Given(line, str(example), None if model in (None, "") else str(model), output, trial, beside)


def _word(value: Any) -> str:
    """A cell as the name of something: 1, 1.0 and "1" are the same."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _beside(column: str, value: Any) -> float | None:
    """The number in a cell; None where it says that there is none. Raises `FieldError`."""
    if value is None or (isinstance(value, str) and value.strip().lower() in NO_NUMBER):
        return None
    if isinstance(value, float) and math.isnan(value):
        return None
    try:
        number = float("" if isinstance(value, bool) else value)
    except (ValueError, TypeError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        fix = "write a number, or leave the cell empty where there is none"
        raise FieldError(column, value, f"{show(value)} is not a number", fix)
    return number + 0.0  # no zero has a sign


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
    stated: Any = {
        name.removeprefix(APART): value
        for name, value in values.items()
        if name.startswith(APART) and value not in (None, "")
    } or values.get("probabilities")
    if isinstance(stated, str):  # a cell of a table holds JSON; an empty one nothing
        try:
            stated = parse_json(stated) if stated else None
        except ValueError as error:
            fix = "write an object, with each label once, or a list"
            raise FieldError("probabilities", stated, f"{show(stated)} {error}", fix) from None
    if stated is None:
        return None
    if isinstance(stated, list) and len(stated) == len(labels):
        return {label: _number("probabilities", share) for label, share in zip(labels, stated, strict=True)}
    if not isinstance(stated, dict):
        fix = f"give one number for each of {', '.join(labels)}, as an object or a list"
        raise FieldError("probabilities", stated, f"{show(stated)} does not fit the labels", fix)
    shares: dict[str, float] = {}
    meant: dict[str, str] = {}
    for word, share in stated.items():
        label = _label(word, label_map)
        if label in meant:
            problem = f"{show(meant[label])} and {show(word)} both mean {show(label)}"
            raise FieldError("probabilities", stated, problem, "give one number a label")
        meant[label], shares[label] = word, _number("probabilities", share)
    return shares


def _number(name: str, value: Any) -> float:
    if isinstance(value, float):
        return value
    try:
        return float(str(value) if isinstance(value, bool) else value)
    except (ValueError, TypeError, OverflowError):
        problem = f"{show(value)} is not a number"
        raise FieldError(name, value, problem, "correct it or leave it out") from None
