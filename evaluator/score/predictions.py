"""Rows of predictions made elsewhere, in; checked answers by example, out.

A row is what a model would have answered, so the task checks rows as it checks models. A file is refused for
everything that is wrong with it at once; an answer that is no label is a wrong answer.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from evaluator.data.datasets import Dataset
from evaluator.data.tables import (
    read_json,
)
from evaluator.data.tasks import FieldError, Prediction, Task, get_task, show
from evaluator.data.tasks.answers import FILE, stated_confidence
from evaluator.rank.formats import counted
from evaluator.records.errors import UserError, together
from evaluator.records.references import PredictionSet
from evaluator.score.answers import MILLIONTHS, prediction_set, probabilities
from evaluator.score.prediction_rows import Given, PredictionRows, PredictionsFile, RowProblem, listed

#: How far a probability may be under the greatest one and count as it, as stored ones are rounded.
EVEN = 2 / MILLIONTHS
#: How many problems a message lists before it counts the rest.
PROBLEMS = 10
MISSING = ("missing", "no prediction is given for this example, which counts as wrong")


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
