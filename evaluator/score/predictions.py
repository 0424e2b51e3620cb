"""A file of predictions made elsewhere, in; checked answers by example, out.

A row is what a model would have answered, so the task checks rows as it checks models. A file is refused for
everything that is wrong with it at once; an answer that is no label is a wrong answer.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from evaluator.data.datasets import Dataset
from evaluator.data.tables import (
    BadRow,
    Row,
    Table,
    form_of,
    parse_json,
    read_json,
    read_table,
    table_of,
)
from evaluator.data.tasks import FieldError, Prediction, Task, get_task, is_text, show
from evaluator.data.tasks.answers import FILE, check_label_answer, stated_confidence
from evaluator.rank.formats import counted
from evaluator.rank.own_predictions import COLUMNS
from evaluator.records.base import digest, file_sha256
from evaluator.records.errors import UserError, or_one_of, together
from evaluator.records.references import PredictionSet
from evaluator.score.answers import MILLIONTHS, prediction_set, probabilities

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
#: How many names a message lists, and how many problems before it counts the rest.
NAMES, PROBLEMS = 20, 10
#: How far a probability may be under the greatest one and count as it, as stored ones are rounded.
EVEN = 2 / MILLIONTHS
#: What a cell says, in any case, that has no number.
NO_NUMBER = ("", "-", "nan", "na", "n/a", "none", "null")
MISSING = ("missing", "no prediction is given for this example, which counts as wrong")


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
class GivenAnswers:
    """The answers, and by example, in the dataset's order, what went wrong with it.

    `picked` is which model of the file was taken, if it names any; `unused` are columns of the file that say
    nothing here; `unlikely` says how many labels are not the most probable class, "" where none is.
    """

    predictions: PredictionSet
    failures: Sequence[tuple[str, str] | None]
    picked: str | None
    unused: tuple[str, ...] = ()
    unlikely: str = ""


def given_answers(
    file: PredictionsFile,
    dataset: Dataset,
    model: str,
    named: str,
    show_text: bool,
    rows: PredictionRows | None = None,
) -> GivenAnswers:
    """The answers of one `model`, which the file calls `named` if it says which models its rows are of.

    `rows` are those of the file, where they were read before; `show_text` is whether messages about answers
    may quote the dataset. Raises `UserError` unless the file can be taken as it is, and where most labels are
    not the most probable class.
    """
    read = rows or rows_of(file, dataset)
    found = answers_of_rows(read.of_model(named), dataset, file.path, model, show_text, named)
    unlikely, labels = unlikely_labels(dataset, found.predictions)
    said = "".join(unlikely_words(unlikely, labels))
    if 2 * unlikely > labels and not file.accept_differences:
        fix = (
            "say which column is which with --column (columns under [[predictions]]), or take the labels as"
            " they are with --accept-differences (accept_differences = true there)"
        )
        raise UserError(file.path, said, fix)
    return replace(found, unused=read.unused, unlikely=said)


def unlikely_labels(dataset: Dataset, predictions: PredictionSet) -> tuple[int, int]:
    """How many labels are not the most probable class, and of how many that is known.

    Labels that count as the same are also one class. Where an answer comes with a confidence alone, one below
    an even share says so.
    """
    labels, predicted = predictions.labels, np.array(predictions.predicted or (), dtype=int)
    if not labels or not len(predicted):
        return 0, 0
    answered = predicted >= 0
    stated = np.array(predictions.exact_confidence or [None] * len(predicted), dtype=float)
    unlikely, known = stated < 1 / len(labels) - EVEN, answered & ~np.isnan(stated)
    if (shares := probabilities(predictions)) is not None:
        classes = np.array([dataset.merge.get(label, label) for label in labels])
        given, rows = answered & ~np.isnan(shares[:, 0]), np.arange(len(predicted))
        merged = shares @ (classes[:, None] == classes)
        below = [each[rows, predicted] < each.max(axis=1) - EVEN for each in (shares, merged)]
        unlikely, known = np.where(given, below[0] & below[1], unlikely), known | given
    return int((known & unlikely).sum()), int(known.sum())


def unlikely_words(unlikely: int, labels: int) -> list[str]:
    """What is said where some of so many labels are not the most probable class, else nothing."""
    return [f"labels that are not the most probable class: {unlikely} of {labels}"] if unlikely else []


def rows_of(file: PredictionsFile, dataset: Dataset) -> PredictionRows:
    """The rows of a file that answers a dataset. Raises `UserError` if it cannot be read."""
    return PredictionRows.read(file, get_task(dataset.task), dataset.labels, label_words(dataset))


def label_words(dataset: Dataset) -> dict[str, str]:
    """Other words for a label that models answer with: those of the task and of the dataset's own file.
    Of labels that count as the same, the first is meant."""
    answers = {dataset.merge.get(label, label): label for label in reversed(dataset.labels)}
    own = {word: answers[gold] for word, gold in dataset.label_map.items() if gold in answers}
    return {**get_task(dataset.task).words, **answers, **{label: label for label in dataset.labels}, **own}


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


def read_no_answer(path: Path, ids: Sequence[str]) -> tuple[float, ...]:
    """What a ``na_prob`` file says of each of `ids`, in their order: any finite numbers.

    Raises `UserError` where an id is missing, unknown or there twice, or has no number.
    """
    found = read_json(path)
    if not isinstance(found, dict):
        raise UserError(path, "is not a JSON object", "write {id: number}")
    for number, (id_, value) in enumerate(found.items(), start=1):
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise UserError(
                f"{path}:{number}: {show(id_)}", f"{show(value)} is not a finite number", "give one"
            )
    if unknown := found.keys() - set(ids):
        id_ = next(id_ for id_ in found if id_ in unknown)
        raise UserError(path, f"{show(id_)} is no example of the dataset", "leave it out")
    if missing := [name for name in ids if name not in found]:
        raise UserError(path, f"lacks {listed(missing)}", "give a number for every example")
    return tuple(float(found[name]) for name in ids)


def answers_of_rows(
    rows: Iterable[Given | RowProblem],
    dataset: Dataset,
    path: Path,
    model: str,
    show_text: bool,
    named: str = "",
) -> GivenAnswers:
    """The answers by example of rows that were read from `path`; otherwise as `given_answers`.

    Raises `UserError` unless every row could be taken and one answer is valid.
    """
    task, places = get_task(dataset.task), {id_: place for place, id_ in enumerate(dataset.ids)}
    rows = list(rows)
    trials = _trials(rows, named)
    trial_of = {name: at for at, name in enumerate(trials)}
    answers = [Prediction()] * (len(places) * len(trials))
    failures: list[tuple[str, str] | None] = [MISSING] * len(answers)
    beside: dict[str, list[float | None]] = {}
    lines: dict[int, int] = {}
    models: set[str] = set()
    unnamed, unread, misplaced, refused = [], [], [], []
    taken, invalid, first_invalid = 0, 0, ""
    # Of what many rows have in common, the first is named and the others are counted.
    unknown = twice = ""
    for row in rows:
        if isinstance(row, RowProblem):
            unread.append((row.line, str(row.error)))
            continue
        line, id_, whose, output, trial, numbers = row
        if whose is None:
            unnamed.append(line)
        else:
            models.add(whose)
        if whose not in (None, named):
            continue
        if id_ in dataset.left_out:  # whoever answered it could not know
            continue
        taken += 1
        place = places.get(id_)
        if place is None:
            fix = f"give ids of {dataset.id}, such as {show(dataset.ids[0])}"
            unknown = unknown or f"id: {show(id_)} is no example of {dataset.id}; {fix}"
            misplaced.append((line, unknown))
            continue
        slot = place * len(trials) + trial_of[trial]
        if slot in lines:
            twice = twice or f"id: {show(id_)} {_earlier(lines[slot], trial)}"
            misplaced.append((line, twice))
            continue
        lines[slot], failures[slot] = line, None
        for metric, number in numbers.items():
            beside.setdefault(metric, [None] * len(answers))[slot] = number
        try:
            answers[slot] = task.check_output(output, dataset.labels, FILE)
        except FieldError as error:
            valid = {"label": dataset.labels[0]} if dataset.labels else {"answer": ""}
            try:  # whatever else is wrong with the row is seen once there is a valid answer in its place
                task.check_output({**output, **valid}, dataset.labels, FILE)
            except FieldError as other:
                refused.append((line, str(other)))
                continue
            invalid += 1
            if invalid == 1:
                first_invalid = f"{line}: no answer is valid, the first being that of {show(id_)}: {error}"
            quotes = not show_text and _quotes(output, dataset.examples[place], task)
            message = "not a valid answer" if quotes else str(error)
            failures[slot] = ("invalid-answer", f"line {line}: {message}")
            answers[slot] = Prediction(confidence=stated_confidence(output))
    if models and named not in models:
        refuse(path, unread)
        fix = (
            "import it as one of them, say under [[predictions]] of the board file which id it has here"
            ' with models = { theirs = "ours" }, or name another column with --column model=NAME'
        )
        problem = f"has rows of {listed(sorted(models))}, none of {show(named)}"
        raise UserError(f"{path}: model", problem, fix)
    if models:
        problem = "model: missing, where other rows name one; name the model of every row"
        refuse(path, [(line, problem) for line in unnamed])
    refuse(path, sorted(unread + misplaced))
    refuse(path, refused)
    if invalid == taken:
        more = ", or map the file's labels with --map-label THEIRS=OURS" if task.answer == "label" else ""
        raise UserError(f"{path}:{first_invalid}{more}")
    predictions = prediction_set(dataset, model, answers, MILLIONTHS, len(trials))
    if beside:
        values = {name: tuple(beside[name]) for name in sorted(beside)}
        predictions = predictions.model_copy(update={"values": values})
    return GivenAnswers(predictions, failures, named if models else None)


def _trials(rows: Iterable[Given | RowProblem], named: str) -> list[str]:
    """The trials of a model, numbers in their order; at least one."""
    found = {row.trial for row in rows if isinstance(row, Given) and row.model in (None, named)}
    whole = {name: int(name) for name in found if re.fullmatch("[0-9]{1,18}", name)}
    return sorted(found, key=lambda name: (name not in whole, whole.get(name, 0), name)) or [""]


def _earlier(line: int, trial: str) -> str:
    if trial:
        return f"has a prediction of {show(trial)} on line {line} already; give one an example and run"
    fix = "give one an example, or say which column tells runs apart with --column trial=NAME"
    return f"has a prediction on line {line} already; {fix}"


def refuse(path: Path, problems: Sequence[tuple[int, str]]) -> None:
    """Raise `UserError` if there are problems: the same once, the first few, the rest counted."""
    if problems:
        kinds = together(problems)
        lines = [
            f"{path}:{line}: {message}" + (f" (and {counted(count - 1, 'more row')})" if count > 1 else "")
            for line, message, count in kinds[:PROBLEMS]
        ]
        more = sum(count for _, _, count in kinds[PROBLEMS:])
        raise UserError("\n".join([*lines, *([f"{path}: and {more} more"] if more else [])]))


def _quotes(output: Mapping[str, Any], example: Mapping[str, Any], task: Task) -> bool:
    """Whether what is given as an answer may hold words of the text it is about."""
    given = output.get("label", output.get("answer"))
    if not isinstance(given, str):
        return isinstance(given, list | dict)
    return any(given.lower() in example.get(field, "").lower() for field in task.fields)
