"""What a file of predictions says of each example of a dataset, row by row, checked, and kept as columns.

A file is refused for everything that is wrong with it at once. An answer that is no label is a wrong answer.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from evaluator.data.datasets import Dataset
from evaluator.data.datasets.rows import Watch
from evaluator.data.tasks import FieldError, Prediction, Task, get_task, show
from evaluator.data.tasks.answers import FILE, stated_confidence
from evaluator.records.predictions import PredictionSet
from evaluator.score.columns import MILLIONTHS, AnswerColumns
from evaluator.score.predictions_file import PredictionRows, PredictionsError, PredictionsFile, listed
from evaluator.score.predictions_row import Given, PlainAnswers, RowProblem
from evaluator.score.recomputed import counted, together

#: Problems a message lists before it counts the rest.
LISTED = 10
Rows = PlainAnswers | list[Given | RowProblem]
MISSING = ("missing", "no prediction is given for this example, which counts as wrong")


@dataclass(frozen=True)
class GivenAnswers:
    """The answers, and, by the example's row, what is wrong with invalid ones.

    `lines` says where in the file the answer to each example is, 0 where there is none; `picked` is which
    model of the file was taken, if it names any.
    """

    predictions: PredictionSet
    invalid: Mapping[int, tuple[str, str]]
    lines: npt.NDArray[np.int64]
    picked: str | None

    @property
    def failures(self) -> Iterator[tuple[str, str] | None]:
        """What went wrong with each example."""
        return (self.invalid.get(row) if line else MISSING for row, line in enumerate(self.lines))


def given_answers(
    file: PredictionsFile,
    dataset: Dataset,
    model: str,
    named: str,
    show_text: bool,
    watch: Watch | None = None,
) -> GivenAnswers:
    """The answers of one `model`, which the file calls `named` if it says which models its rows are of.

    Raises `PredictionsError` unless the file can be taken as it is. `show_text` is whether messages about
    answers may quote the dataset. `watch` is called as the file is read.
    """
    rows = PredictionRows(file, get_task(dataset.task), dataset.labels, label_words(dataset))
    collector = _collected(_watched(rows.blocks(), watch), dataset, file.path, named, show_text)
    if not rows.is_complete():
        collector = _collected(rows.blocks(), dataset, file.path, named, show_text)
    return collector.checked(model)


def answers_of_rows(
    rows: Iterable[Given], dataset: Dataset, model: str, path: Path, show_text: bool
) -> GivenAnswers:
    """The same for rows of one model that were read from `path` otherwise."""
    return _collected([rows], dataset, path, "", show_text).checked(model)


def _watched(blocks: Iterable[Rows], watch: Watch | None) -> Iterator[Rows]:
    """The blocks, and `watch` called after each."""
    for block in blocks:
        yield block
        if watch is not None:
            watch(len(block))


def _collected(
    blocks: Iterable[Iterable[Given | RowProblem]],
    dataset: Dataset,
    path: Path,
    named: str,
    show_text: bool,
) -> _Collector:
    collector = _Collector(path, dataset, named, show_text)
    for block in blocks:
        if not (isinstance(block, PlainAnswers) and collector.take_plain(block)):
            for row in block:
                collector.take(row)
    return collector


def label_words(dataset: Dataset) -> dict[str, str]:
    """Other words for a label that models answer with: those of the task and of the dataset's own file.
    Of labels that count as the same, the first is meant."""
    answers = {dataset.merge.get(label, label): label for label in reversed(dataset.labels)}
    own = {word: answers[gold] for word, gold in dataset.label_map.items() if gold in answers}
    return {**get_task(dataset.task).words, **answers, **{label: label for label in dataset.labels}, **own}


class _Collector:
    """Takes the rows of a file one after the other."""

    def __init__(self, path: Path, dataset: Dataset, named: str, show_text: bool) -> None:
        self.path, self.dataset, self.named, self.show_text = path, dataset, named, show_text
        self.task = get_task(dataset.task)
        self.columns = AnswerColumns(dataset, MILLIONTHS)
        self.rows = {id_: row for row, id_ in enumerate(dataset.ids)}
        self.lines = np.zeros(len(self.rows), dtype=np.int64)
        self.models: set[str] = set()
        self.invalid: dict[int, tuple[str, str]] = {}
        self._unnamed = array("Q")
        self._taken, self._first_invalid = 0, ""
        self._unread: list[tuple[int, str]] = []
        self._misplaced: list[tuple[int, str]] = []
        self._refused: list[tuple[int, str]] = []

    def take_plain(self, block: PlainAnswers) -> bool:
        """Keep what valid answers say, if each is of an example that has none yet; False if not."""
        own = block.of(self.named)
        places = list(map(self.rows.get, own.ids))
        known = [place for place in places if place is not None]
        if len(set(known)) < len(places) or self.lines[known].any():
            return False
        self.models.update(model for model in set(block.models) if model is not None)
        self._unnamed.extend(block.unnamed)
        self._taken += len(known)
        self.lines[known] = own.lines
        if known:  # rows of other models add no columns
            self.columns.put_all(known, own.labels, own.confidences, own.shares)
        return True

    def take(self, row: Given | RowProblem) -> None:
        """Keep what a row says of an example, or what is wrong with it."""
        if isinstance(row, RowProblem):
            self._unread.append((row.line, str(row.error)))
            return
        if row.model is None:
            self._unnamed.append(row.line)
        else:
            self.models.add(row.model)
        if row.model in (None, self.named):
            self._taken += 1
            self._place(row)

    def _place(self, row: Given) -> None:
        place = self.rows.get(row.id)
        if place is None:
            example = show(self.dataset.examples[0]["id"])
            fix = f"give ids of {self.dataset.id}, such as {example}"
            self._misplaced.append(
                (row.line, f"id: {show(row.id)} is no example of {self.dataset.id}; {fix}")
            )
        elif self.lines[place]:
            earlier = f"has a prediction on line {self.lines[place]} already"
            self._misplaced.append((row.line, f"id: {show(row.id)} {earlier}; give one an example"))
        else:
            self.lines[place] = row.line
            self._answer(place, row)

    def _answer(self, place: int, row: Given) -> None:
        if isinstance(row.output, Prediction):
            self.columns.put(place, row.output)
            return
        try:
            self.columns.put(place, _checked(row.output, self.dataset.labels, self.task))
        except _NotAnAnswer as error:
            if not self.invalid:
                self._first_invalid = (
                    f"{row.line}: no answer is valid, the first being that of {show(row.id)}: {error}"
                )
            quotes = not self.show_text and _quotes(row.output, self.dataset.examples[place], self.task)
            message = "not a valid answer" if quotes else str(error)
            self.invalid[place] = ("invalid-answer", f"line {row.line}: {message}")
            self.columns.put(place, Prediction(confidence=stated_confidence(row.output)))
        except FieldError as error:
            self._refused.append((row.line, str(error)))

    def checked(self, model: str) -> GivenAnswers:
        """The answers, as those of a model.

        Raises `PredictionsError` unless every row could be taken and one answer is valid.
        """
        if self.models:
            self._check_models()
        _refuse(self.path, sorted(self._unread + self._misplaced))
        _refuse(self.path, self._refused)
        if len(self.invalid) == self._taken:
            more = (
                ", or map the file's labels with --map-label THEIRS=OURS"
                if self.task.answer == "label"
                else ""
            )
            raise PredictionsError(f"{self.path}:{self._first_invalid}{more}")
        self.rows.clear()  # as large as the answers
        predictions = self.columns.prediction_set(model)
        return GivenAnswers(predictions, self.invalid, self.lines, self.named if self.models else None)

    def _check_models(self) -> None:
        """Raise `PredictionsError` unless every row names a model, and some row the one that is meant."""
        if self.named not in self.models:
            _refuse(self.path, self._unread)
            raise PredictionsError(
                f"{self.path}: model: has rows of {listed(sorted(self.models))}, none of {show(self.named)};"
                " import it as one of them, say under [[predictions]] of the board file which id it has here"
                ' with models = { theirs = "ours" }, or name another column with --column model=NAME'
            )
        problem = "model: missing, where other rows name one; name the model of every row"
        _refuse(self.path, [(line, problem) for line in self._unnamed])


def _refuse(path: Path, problems: Sequence[tuple[int, str]]) -> None:
    """Raise `PredictionsError` if there are problems: the same once, the first few, the rest counted."""
    if problems:
        kinds = together(problems)
        lines = [f"{path}:{line}: {message}{_and_more(count)}" for line, message, count in kinds[:LISTED]]
        more = sum(count for _, _, count in kinds[LISTED:])
        raise PredictionsError("\n".join([*lines, *([f"{path}: and {more} more"] if more else [])]))


def _and_more(count: int) -> str:
    return f" (and {counted(count - 1, 'more row')})" if count > 1 else ""


def _quotes(output: Mapping[str, Any], example: Mapping[str, Any], task: Task) -> bool:
    """Whether what is given as an answer may hold words of the text it is about."""
    given = output.get("label", output.get("answer"))
    if not isinstance(given, str):
        return isinstance(given, list | dict)
    return any(given.lower() in example.get(field, "").lower() for field in task.fields)


class _NotAnAnswer(ValueError):  # noqa: N818 - the answer is in error, not the file
    """An invalid answer, in a row that can be used otherwise."""


def _checked(output: dict[str, Any], labels: Sequence[str], task: Task) -> Prediction:
    """The prediction of a row. Raises `_NotAnAnswer`; `FieldError` if anything else is wrong, which is
    seen once there is a valid answer in its place."""
    try:
        return task.check_output(output, labels, FILE)
    except FieldError as error:
        valid = {"label": labels[0]} if labels else {"answer": ""}
        task.check_output({**output, **valid}, labels, FILE)
        raise _NotAnAnswer(str(error)) from None
