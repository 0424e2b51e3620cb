"""A collection: its table of the board file, what writers write about, and the tries and responses they made.

Its folder is ``collect/ID`` beside the board file: ``tries/WRITER.jsonl``, ``responses/VALIDATOR.jsonl``,
and what `check` and `merge` make of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter

from evaluator.data.tasks import FieldError, Task, get_task
from evaluator.records.base import Record, Slug
from evaluator.records.board import Boards, CollectSpec
from evaluator.records.board.specs import UNLIKE
from evaluator.records.errors import UserError, check_name, or_one_of
from evaluator.records.scratch import write_atomic
from evaluator.rounds.events import (
    RESPONSE,
    WRITTEN,
    Asked,
    Judged,
    ModelAnswer,
    Response,
    Text,
    Written,
    read_lines,
)
from evaluator.score.metrics.squad_pair import token_f1


class WritingPrompt(Record):
    """Something to write about.

    `text` is shown to the writer. `inputs` are fields of the task that are given, such as a context; the
    writer fills in the others. `label` is the right answer that the text should have. `tags` go to its tries.
    """

    id: Slug
    text: str = ""
    inputs: dict[str, str] = {}
    label: str | None = None
    tags: dict[str, str] = {}


#: What everything is written for where a collection has no prompts.
FREE = WritingPrompt(id="free")


class GoldQuestion(Record):
    """A text whose right answer is known, to see how far a validator can be relied on."""

    id: Slug
    inputs: dict[str, Text]
    answer: Text


Known = TypeVar("Known", WritingPrompt, GoldQuestion)


@dataclass(frozen=True)
class Try:
    """A text, what the models answered, and what its writer says the right answer is, if anything yet."""

    asked: Asked
    judged: Judged | None = None

    @property
    def id(self) -> str:
        """Its id in all files."""
        return self.asked.id

    @property
    def right(self) -> str:
        """The right answer of a try that has one."""
        assert self.judged is not None
        return self.judged.answer


@dataclass(frozen=True)
class Collection:
    """A collection of a board file; `data` is where the paths of datasets and prompts start."""

    spec: CollectSpec
    boards: Boards
    root: Path
    data: Path

    @property
    def id(self) -> str:
        """Its name in commands and folders."""
        return self.spec.id

    @property
    def folder(self) -> Path:
        """Where all files of the collection are."""
        return self.root / "collect" / self.spec.id

    @cached_property
    def task(self) -> Task:
        """What models are asked to do."""
        return get_task(self.spec.task)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """What may be answered; () where answers are texts."""
        labels = self.task.in_labels(self.spec.labels) or (self.task.label_sets or ((),))[0]
        try:
            self.task.check_labels(labels)
        except FieldError as error:
            raise UserError(f"collect: {self.spec.id}: {error}") from None
        return labels

    @cached_property
    def prompts(self) -> dict[str, WritingPrompt]:
        """What writers write for, by id. Raises `UserError`."""
        if self.spec.prompts is None:
            return {FREE.id: FREE}
        return self._by_id("prompts", self.spec.prompts, WritingPrompt, self._check_prompt)

    @cached_property
    def gold(self) -> dict[str, GoldQuestion]:
        """The questions with known answers by id. Raises `UserError`."""
        if self.spec.gold_questions is None:
            return {}
        return self._by_id("gold_questions", self.spec.gold_questions, GoldQuestion, self._check_gold)

    def fooled(self, one: Try, answer: ModelAnswer) -> bool:
        """Whether a model's answer to a judged try is wrong; a failure is not."""
        return answer.answer is not None and not self.agrees(answer.answer, one.right)

    def agrees(self, answer: str, right: str) -> bool:
        """Whether an answer is the right one: the same label, or a text of token F1 `UNLIKE` or more.

        Token F1 is that of SQuAD (Rajpurkar et al. 2016), from 0 to 1.
        """
        return answer == right if self.labels else token_f1(answer, right) >= UNLIKE

    def describe(self) -> dict[str, Any]:
        """What a page for writers shows before anybody writes."""
        models = [model for name in self.spec.models if (model := self.boards.model(name))]
        return {
            "label": self.spec.label,
            "goal": self.spec.goal,
            "fields": list(self.task.fields),
            "labels": list(self.labels),
            "models": [{"id": model.id, "label": model.label} for model in models],
            "reason": self.spec.reason,
            "licence": self.spec.licence,
            "prompts": len(self.prompts),
        }

    def file_of(self, kind: str, name: str) -> Path:
        """Where somebody's ``tries`` or ``responses`` are. `UserError` for a name that no file can have."""
        return person_file(self.folder, kind, name)

    def keep(self, name: str, record: Record) -> Path:
        """Write what a command made of the files into the folder, under that name; return where."""
        path = self.folder / name
        write_atomic(path, (record.model_dump_json(indent=1) + "\n").encode())
        return path

    def tries(self) -> list[Try]:
        """All tries, in order of writers and time. Raises `UserError` for the first line that cannot be."""
        found: dict[str, Try] = {}
        for path in sorted((self.folder / "tries").glob("*.jsonl")):
            mine: dict[str, Try] = {}
            for place, line in read_lines(path, WRITTEN):
                self.take(line, path.stem, mine, place)
            for id_ in sorted(mine.keys() & found.keys()):
                raise UserError(path, f"id: {id_} is that of two tries", "delete one of them")
            found |= mine
        return list(found.values())

    def judged_tries(self) -> list[Try]:
        """Those that have a right answer. Raises `UserError` as `tries` does, and where there are none."""
        judged = [one for one in self.tries() if one.judged is not None]
        if not judged:
            fix = f"write some with: steelyard collect {self.spec.id}"
            raise UserError(self.folder, "has no tries with a right answer yet", fix)
        return judged

    def take(self, line: Written, writer: str, tries: dict[str, Try], place: str) -> None:
        """Add what a line of a writer's file says to `tries`, by id. Raises `UserError` if it cannot be."""
        if isinstance(line, Judged):
            if line.id not in tries:
                raise UserError(place, f"id: {line.id} was not asked before", "delete the line")
            self.check_answer(line.answer, f"{place}: answer")
            tries[line.id] = replace(tries[line.id], judged=line)
            return
        if line.id in tries:
            raise UserError(place, f"id: {line.id} is asked twice", "delete one of the lines")
        self._check_file("writer", line.writer, writer, line.collection, place)
        self._check_inputs(line.inputs, place)
        if line.prompt is not None and line.prompt not in self.prompts:
            raise UserError(place, f"prompt: {line.prompt!r} is not in the file of prompts", "add it there")
        given = self.prompts[line.prompt].inputs if line.prompt else {}
        for name, text in given.items():
            if line.inputs[name] != text:
                raise UserError(
                    f"{place}: inputs.{name}", "is not what the prompt gives", "leave it as it is"
                )
        tries[line.id] = Try(line)

    def responses(self) -> dict[str, dict[str, Response]]:
        """The last response to each try by validator, in order of their names, and by id.

        Raises `UserError` for the first line that cannot be.
        """
        found: dict[str, dict[str, Response]] = {}
        for path in sorted((self.folder / "responses").glob("*.jsonl")):
            for place, line in read_lines(path, RESPONSE):
                self._check_file("validator", line.validator, path.stem, line.collection, place)
                self.check_answer(line.answer, f"{place}: answer")
                found.setdefault(path.stem, {})[line.id] = line
        return found

    def check_answer(self, answer: str | None, place: str = "answer") -> None:
        """Raise `UserError` for what cannot be a right answer."""
        if self.labels and answer is not None and answer not in self.labels:
            raise UserError(place, f"{answer!r} is no label", f"use one of {', '.join(self.labels)}")

    def _check_file(self, key: str, name: str, file: str, collection: str, place: str) -> None:
        if name != file:
            raise UserError(place, f"{key}: {name!r} is not the file's name", "move the line to its own file")
        if collection != self.spec.id:
            problem = f"collection: {collection!r} is not {self.spec.id}"
            raise UserError(place, problem, "move the file to its collection")

    def _check_inputs(self, inputs: dict[str, str], place: str) -> None:
        if set(inputs) != set(self.task.fields):
            fix = f"give {', '.join(self.task.fields)}"
            raise UserError(place, f"inputs: are {', '.join(sorted(inputs))}", fix)

    def _check_prompt(self, prompt: WritingPrompt, place: str) -> None:
        if unknown := prompt.inputs.keys() - set(self.task.fields):
            fix = f"use {', '.join(self.task.fields)}"
            raise UserError(place, f"inputs: {min(unknown)!r} is no field", fix)
        if len(prompt.inputs) == len(self.task.fields):
            raise UserError(place, "inputs: nothing is left to write", "leave one field out")
        self.check_answer(prompt.label, f"{place}: label")

    def _check_gold(self, gold: GoldQuestion, place: str) -> None:
        self.check_answer(gold.answer, f"{place}: answer")
        self._check_inputs(gold.inputs, place)

    def _by_id(
        self, key: str, name: str, kind: type[Known], check: Callable[[Known, str], None]
    ) -> dict[str, Known]:
        """The records of a file of JSON lines by id, in its order; `key` of the board file names it."""
        path = self.data / name
        if not path.is_file():
            raise UserError(path, "no such file", f"put it there, or correct {key} in board.toml")
        found: dict[str, Known] = {}
        for place, one in read_lines(path, TypeAdapter(kind)):
            if one.id in found:
                raise UserError(place, f"id: {one.id!r} is used twice", "give each its own")
            check(one, place)
            found[one.id] = one
        if not found:
            raise UserError(path, f"has no {key.replace('_', ' ')}", "write one JSON object a line")
        return found


def person_file(folder: Path, kind: str, name: str) -> Path:
    """Where somebody's ``tries`` or ``responses`` are. `UserError` for a name that no file can have."""
    try:
        check_name(name, [path.stem for path in (folder / kind).glob("*.jsonl")])
    except ValueError as error:
        raise UserError("name", str(error)) from None
    return folder / kind / f"{name}.jsonl"


def open_collection(boards: Boards, name: str, root: Path, data: Path) -> Collection:
    """The collection of that id. Raises `UserError` that suggests one."""
    known = {spec.id: spec for spec in boards.collect}
    if name not in known:
        fix = or_one_of(name, known) if known else "; add a table [[collect]] to board.toml"
        raise UserError(f"collection {name!r}: the board file has no such collection{fix}")
    return Collection(known[name], boards, root, data)
