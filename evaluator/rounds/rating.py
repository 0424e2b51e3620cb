"""Answers of models that people label, blind, so that they correct a judge: examples drawn at random.

All of it is in ``collect/DATASET`` beside the board file: ``asked.json`` says what people are shown,
``responses/VALIDATOR.jsonl`` what they said, and ``labels.csv`` is made of that, to be imported.
"""

from __future__ import annotations

import csv
import io
import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError

from evaluator.exchange.results.arranging import arranged, column, texts_of
from evaluator.exchange.results.numbers import numbers
from evaluator.exchange.results.reading import FILE as FROM_FILE
from evaluator.exchange.results.reading import KEY, CellTable
from evaluator.exchange.results.storing import table_of
from evaluator.exchange.results.taking import dataset_ids
from evaluator.records.base import Record, Slug, describe_errors, digest
from evaluator.records.board import Boards
from evaluator.records.board.imports import ImportSpec
from evaluator.records.errors import UserError, or_one_of
from evaluator.records.scratch import write_atomic
from evaluator.rounds.collection import person_file
from evaluator.rounds.events import RESPONSE, Response, read_lines

FILE, LABELS = "asked.json", "labels.csv"
#: Examples that people are asked about unless more or fewer are wanted.
NUMBER = 300
#: What is answered where a judge says right or wrong, and what stands for it in the file of labels.
RIGHT = {"right": 1.0, "wrong": 0.0}
#: A judge that gives at most so many whole numbers has a button for each.
BUTTONS = 11


class RatingPlan(Record):
    """What people are asked: about the answers to so many examples, of which they see the columns `shown`."""

    version: Literal[1] = 1
    dataset: Slug
    metric: Slug
    shown: Annotated[tuple[str, ...], Field(min_length=1)]
    number: Annotated[int, Field(ge=1)]


@dataclass(frozen=True)
class RatedAnswer:
    """An answer of a model to an example, both as the file names them, and what is shown of it."""

    model: str
    example: str
    inputs: Mapping[str, str]


@dataclass(frozen=True)
class Rating:
    """The answers of a dataset's models, in the order in which people are asked about them.

    That is example by example, drawn at random; `labels` may be answered, or any number where it is empty.
    """

    plan: RatingPlan
    title: str
    folder: Path
    labels: tuple[str, ...]
    answers: Mapping[str, RatedAnswer]

    @property
    def id(self) -> str:
        """What responses name as their collection."""
        return self.plan.dataset

    @cached_property
    def order(self) -> list[str]:
        """The ids of the answers to the first examples, as many as are wanted; each example's together."""
        by_example: dict[str, list[str]] = defaultdict(list)
        for id_ in sorted(self.answers):
            by_example[self.answers[id_].example].append(id_)
        examples = sorted(by_example)
        random.Random(f"labels/{self.id}").shuffle(examples)
        # Ids are hashes, so that their order says nothing of whose the answers are.
        return [id_ for example in examples[: self.plan.number] for id_ in by_example[example]]

    @property
    def inputs(self) -> dict[str, Mapping[str, str]]:
        """What is shown of each of these answers."""
        return {id_: self.answers[id_].inputs for id_ in self.order}

    def describe(self) -> dict[str, Any]:
        """What the page shows before anybody answers."""
        question = "Is this answer right?" if self.labels == tuple(RIGHT) else "How good is this answer?"
        # No fields of a task, of which a question could have no answer.
        return {"label": self.title, "fields": [], "labels": list(self.labels), "question": question}

    def file_of(self, kind: str, name: str) -> Path:
        """Where somebody's responses are. Raises `UserError` for a name that no file can have."""
        return person_file(self.folder, kind, name)

    def check_answer(self, answer: str | None, place: str = "answer") -> None:
        """Raise `UserError` for what is no label, or no number."""
        if answer is None:
            return
        if self.labels and answer not in self.labels:
            raise UserError(place, f"{answer!r} is no label", f"use one of {', '.join(self.labels)}")
        if not self.labels and not _is_number(answer):
            raise UserError(place, f"{answer!r} is no number", "write one such as 3.5")

    def responses(self) -> dict[str, dict[str, Response]]:
        """The last response of each person to each answer, by their names and by id. Raises `UserError`."""
        found: dict[str, dict[str, Response]] = {}
        for path in sorted((self.folder / "responses").glob("*.jsonl")):
            for place, line in read_lines(path, RESPONSE):
                if line.id not in self.answers:
                    raise UserError(f"{place}: id", f"{line.id} is no answer of {self.id}", "delete the line")
                self.check_answer(line.answer, f"{place}: answer")
                found.setdefault(path.stem, {})[line.id] = line
        return found

    def keep_labels(self) -> tuple[Path, list[list[float]]]:
        """Write what people said as a table to import; return where, and the labels of each answer.

        Raises `UserError` where nobody has answered yet.
        """
        said: dict[str, list[float]] = defaultdict(list)
        text = io.StringIO()
        table = csv.writer(text, lineterminator="\n")
        table.writerow(["model", "example", "trial", "human"])
        for person, given in self.responses().items():
            for id_, response in given.items():
                if response.answer is not None:
                    value = RIGHT.get(response.answer) if self.labels == tuple(RIGHT) else None
                    value = float(response.answer) if value is None else value
                    said[id_].append(value)
                    one = self.answers[id_]
                    table.writerow([one.model, one.example, person, f"{value:g}"])
        if not said:
            raise UserError(self.folder, "has no labels yet", f"run: steelyard collect validate {self.id}")
        path = self.folder / LABELS
        write_atomic(path, text.getvalue().encode())
        return path, list(said.values())


def _is_number(text: str) -> bool:
    try:
        return abs(float(text)) < float("inf")
    except ValueError:
        return False


def is_rated(boards: Boards, name: str) -> bool:
    """Whether a table of the board file has single answers of a dataset's models, which people may label."""
    return any(_has(spec, name) for spec in boards.imports)


def _has(spec: ImportSpec, name: str) -> bool:
    return spec.rows == "examples" and spec.dataset in (None, name) and bool(_judged(spec))


def _judged(spec: ImportSpec) -> list[str]:
    """The metrics that are read from a column, whose numbers a judge may have given."""
    return [name for name, one in spec.metrics.items() if one.column]


def open_rating(
    boards: Boards,
    name: str,
    root: Path,
    data: Path,
    shown: Sequence[str] = (),
    number: int | None = None,
    metric: str | None = None,
) -> Rating:
    """The answers of a dataset that people label, as they were asked before, or as is said now and kept.

    Raises `UserError`.
    """
    folder = root / "collect" / name
    path = folder / FILE
    kept = _kept_plan(path)
    metric = metric or (kept.metric if kept else None)
    specs = [spec for spec in boards.imports if _has(spec, name) and metric in (None, *_judged(spec))]
    if not specs:
        fix = "import its answers first, a row each, with what a judge says of them"
        raise UserError(name, f"no table [[imports]] of the board file has its answers{_of(metric)}", fix)
    spec = specs[0]
    judged = _judged(spec)
    if metric is None and len(judged) > 1:
        problem = f"{name} has {len(judged)} metrics"
        raise UserError("--metric", problem, f"say which a judge gives: {' or '.join(judged)}")
    metric = metric or judged[0]
    table = arranged(spec, table_of(spec, data))
    shown = tuple(shown) or (kept.shown if kept else ())
    _check_shown(table, spec, shown)
    plan = RatingPlan(
        dataset=name,
        metric=metric,
        shown=shown,
        number=number or (kept.number if kept else NUMBER),
    )
    rating = Rating(
        plan,
        boards.dataset(name).label,
        folder,
        _labels(spec, table, metric, boards, name),
        _answers(spec, table, name, shown),
    )
    if plan != kept:
        write_atomic(path, (plan.model_dump_json(indent=1) + "\n").encode())
    return rating


def _kept_plan(path: Path) -> RatingPlan | None:
    if not path.is_file():
        return None
    try:
        return RatingPlan.model_validate_json(path.read_bytes())
    except ValidationError as error:
        raise UserError("", describe_errors(error, str(path))) from None


def _of(metric: str | None) -> str:
    return f" with the metric {metric}" if metric else ""


def _check_shown(table: CellTable, spec: ImportSpec, shown: Sequence[str]) -> None:
    """Raise `UserError` where nothing would be shown, or what must not be known."""
    hidden = {spec.model, *spec.label, FROM_FILE, KEY}
    hidden |= {name for one in spec.metrics.values() for name in (one.column, one.human) if name}
    free = [str(name) for name in table.frame.columns if name not in hidden]
    if not shown:
        raise UserError("--show", "is missing", f"name the columns that people see{or_one_of('', free)}")
    for name in shown:
        column(table, name)
        if name in hidden:
            problem = f"{name!r} says whose the answer is, or what others said of it"
            raise UserError("--show", problem, f"people answer without knowing that{or_one_of(name, free)}")


def _labels(spec: ImportSpec, table: CellTable, metric: str, boards: Boards, dataset: str) -> tuple[str, ...]:
    """What may be answered, as the judge answers: right or wrong, or one of a few whole numbers, else any."""
    read = spec.metrics[metric]
    found = numbers(column(table, read.column), table.style, spec.missing)
    known = sorted(set(found.known.tolist()))
    if found.words or set(known) <= {0.0, 1.0}:
        return tuple(RIGHT)
    about = boards.metric_of(dataset, metric)
    if about and about.range:
        known = [about.range[0] / read.scale, *known, about.range[1] / read.scale]
    low, high = min(known), max(known)
    if all(value.is_integer() for value in known) and high - low < BUTTONS:
        return tuple(str(value) for value in range(int(low), int(high) + 1))
    return ()


def _answers(spec: ImportSpec, table: CellTable, name: str, shown: Sequence[str]) -> dict[str, RatedAnswer]:
    models, examples = (texts_of(table, one) for one in (spec.model, str(spec.example)))
    datasets = texts_of(table, spec.datasets.column) if spec.datasets else None
    texts = {one: [_text(cell) for cell in column(table, one)] for one in shown}
    found: dict[str, RatedAnswer] = {}
    for at, (place, model, example) in enumerate(zip(table.frame.index, models, examples, strict=True)):
        if datasets is not None and dataset_ids(spec)(datasets.iloc[at]) != name:
            continue
        id_ = digest([name, example, model]).removeprefix("sha256:")[:32]
        if id_ in found:
            problem = f"{model} has answered {example!r} several times, and labels would be of one of these"
            raise UserError(str(place), problem, "give one answer of each model to each example")
        found[id_] = RatedAnswer(model, example, {one: cells[at] for one, cells in texts.items()})
    if not found:
        raise UserError(table.where, f"has no answer of {name}", "correct the name")
    return found


def _text(cell: Any) -> str:
    return "" if cell is None or cell != cell else str(cell)
