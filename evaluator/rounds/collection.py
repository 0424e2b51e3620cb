"""A collection: its table of the board file, what writers write about, and the tries and responses they made.

Its folder is ``collect/ID`` beside the board file: ``tries/WRITER.jsonl``, ``responses/VALIDATOR.jsonl``,
and what `check` and `merge` make of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
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
    LineFile,
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
        return self._by_id("prompts", self.spec.prompts, WritingPrompt, self._prompt_problem)

    @cached_property
    def gold(self) -> dict[str, GoldQuestion]:
        """The questions with known answers by id. Raises `UserError`."""
        if self.spec.gold_questions is None:
            return {}
        return self._by_id("gold_questions", self.spec.gold_questions, GoldQuestion, self._gold_problem)

    @property
    def fooled_by(self) -> str:
        """When a model was fooled: ``label``, ``f1`` or ``writer``."""
        return self.spec.fooled or ("f1" if self.task.answer == "text" else "label")

    def fooled(self, one: Try, answer: ModelAnswer) -> bool:
        """Whether a model's answer to a judged try is wrong, as the collection has it; a failure is not."""
        if self.fooled_by == "writer":
            return one.judged is not None and bool(one.judged.fooled)
        if answer.answer is None:
            return False
        if self.fooled_by == "label":
            return answer.answer != one.right
        return token_f1(answer.answer, one.right) < UNLIKE

    def agrees(self, answer: str, right: str) -> bool:
        """Whether a person's answer is the right one: the same label, or a text of token F1 `UNLIKE` or more.

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
            "fooled": self.fooled_by,
            "reason": self.spec.reason,
            "licence": self.spec.licence,
            "prompts": len(self.prompts),
        }

    def file_of(self, kind: str, name: str) -> Path:
        """Where somebody's ``tries`` or ``responses`` are. `UserError` for a name that no file can have."""
        try:
            check_name(name, [path.stem for path in (self.folder / kind).glob("*.jsonl")])
        except ValueError as error:
            raise UserError("name", str(error)) from None
        return self.folder / kind / f"{name}.jsonl"

    def keep(self, name: str, record: Record) -> Path:
        """Write what a command made of the files into the folder, under that name; return where."""
        path = self.folder / name
        write_atomic(path, (record.model_dump_json(indent=1) + "\n").encode())
        return path

    def repair(self) -> None:
        """Remove incomplete lines that a power cut left; files that another process has open are repaired."""
        for path in self.folder.glob("*/*.jsonl"):
            with suppress(UserError), LineFile(path):
                pass

    def tries(self) -> list[Try]:
        """All tries, in order of writers and time. Raises `UserError` with every line that cannot be."""
        found: dict[str, Try] = {}
        problems: list[str] = []
        for path in sorted((self.folder / "tries").glob("*.jsonl")):
            mine = self.tries_in(read_lines(path, WRITTEN, problems), path, path.stem, problems)
            for id_ in sorted(mine.keys() & found.keys()):
                problems.append(f"{path}: id: {id_} is that of two tries; delete one of them")
            found |= mine
        _stop_at(problems)
        return list(found.values())

    def judged_tries(self) -> list[Try]:
        """Those that have a right answer. Raises `UserError` as `tries` does, and where there are none."""
        judged = [one for one in self.tries() if one.judged is not None]
        if not judged:
            fix = f"write some with: steelyard collect {self.spec.id}"
            raise UserError(self.folder, "has no tries with a right answer yet", fix)
        return judged

    def tries_in(
        self, lines: Iterable[tuple[int, Written]], path: Path, writer: str, problems: list[str]
    ) -> dict[str, Try]:
        """The tries of a writer's numbered lines by id; why lines cannot be used is added to `problems`."""
        found: dict[str, Try] = {}
        for number, line in lines:
            if problem := self._line_problem(line, writer, found):
                problems.append(f"{path}:{number}: {problem}")
            elif isinstance(line, Asked):
                found[line.id] = Try(line)
            else:
                found[line.id] = replace(found[line.id], judged=line)
        return found

    def responses(self) -> dict[str, dict[str, Response]]:
        """The last response to each try by validator, in order of their names, and by id.

        Raises `UserError` with every line that cannot be.
        """
        found: dict[str, dict[str, Response]] = {}
        problems: list[str] = []
        for path in sorted((self.folder / "responses").glob("*.jsonl")):
            for number, line in read_lines(path, RESPONSE, problems):
                problem = self._place_problem("validator", line.validator, path.stem, line.collection)
                if problem := problem or self.answer_problem(line.answer):
                    problems.append(f"{path}:{number}: {problem}")
                else:
                    found.setdefault(path.stem, {})[line.id] = line
        _stop_at(problems)
        return found

    def answer_problem(self, answer: str | None) -> str | None:
        """Why something cannot be a right answer, with the fix; None if it can."""
        if self.labels and answer is not None and answer not in self.labels:
            return f"answer: {answer!r} is no label; use one of {', '.join(self.labels)}"
        return None

    def _line_problem(self, line: Written, writer: str, found: dict[str, Try]) -> str | None:
        """Why a line cannot follow the tries `found` in a writer's file, with the fix; None if it can."""
        if isinstance(line, Judged):
            known = None if line.id in found else f"id: {line.id} was not asked before; delete the line"
            return known or self.answer_problem(line.answer)
        if line.id in found:
            return f"id: {line.id} is asked twice; delete one of the lines"
        problem = self._place_problem("writer", line.writer, writer, line.collection)
        if problem or line.prompt is None:
            return problem or self._inputs_problem(line.inputs)
        if line.prompt not in self.prompts:
            return f"prompt: {line.prompt!r} is not in the file of prompts; add it there"
        changed = [
            f"inputs.{name}: is not what the prompt gives; leave it as it is"
            for name, text in self.prompts[line.prompt].inputs.items()
            if line.inputs.get(name) != text
        ]
        return self._inputs_problem(line.inputs) or next(iter(changed), None)

    def _place_problem(self, key: str, name: str, file: str, collection: str) -> str | None:
        """Why a line cannot be in the file of that name."""
        if name != file:
            return f"{key}: {name!r} is not the file's name; move the line to its own file"
        if collection != self.spec.id:
            return f"collection: {collection!r} is not {self.spec.id}; move the file to its collection"
        return None

    def _inputs_problem(self, inputs: dict[str, str]) -> str | None:
        if set(inputs) == set(self.task.fields):
            return None
        return f"inputs: are {', '.join(sorted(inputs))}; give {', '.join(self.task.fields)}"

    def _prompt_problem(self, prompt: WritingPrompt) -> str | None:
        if unknown := prompt.inputs.keys() - set(self.task.fields):
            return f"inputs: {min(unknown)!r} is no field; use {', '.join(self.task.fields)}"
        if len(prompt.inputs) == len(self.task.fields):
            return "inputs: nothing is left to write; leave one field out"
        if prompt.label is not None and self.labels and prompt.label not in self.labels:
            return f"label: {prompt.label!r} is no label; use one of {', '.join(self.labels)}"
        return None

    def _gold_problem(self, gold: GoldQuestion) -> str | None:
        return self.answer_problem(gold.answer) or self._inputs_problem(gold.inputs)

    def _by_id(
        self, key: str, name: str, kind: type[Known], problem_of: Callable[[Known], str | None]
    ) -> dict[str, Known]:
        """The records of a file of JSON lines by id, in its order; `key` of the board file names it."""
        path = self.data / name
        if not path.is_file():
            raise UserError(path, "no such file", f"put it there, or correct {key} in board.toml")
        problems: list[str] = []
        found: dict[str, Known] = {}
        for number, one in read_lines(path, TypeAdapter(kind), problems):
            twice = f"id: {one.id!r} is used twice; give each its own" if one.id in found else None
            if problem := twice or problem_of(one):
                problems.append(f"{path}:{number}: {problem}")
            found[one.id] = one
        _stop_at(problems)
        if not found:
            raise UserError(path, f"has no {key.replace('_', ' ')}", "write one JSON object a line")
        return found


def open_collection(boards: Boards, name: str, root: Path, data: Path) -> Collection:
    """The collection of that id. Raises `UserError` that suggests one."""
    known = {spec.id: spec for spec in boards.collect}
    if name not in known:
        fix = or_one_of(name, known) if known else "; add a table [[collect]] to board.toml"
        raise UserError(f"collection {name!r}: the board file has no such collection{fix}")
    return Collection(known[name], boards, root, data)


def _stop_at(problems: list[str]) -> None:
    if problems:
        raise UserError("\n".join(problems))
