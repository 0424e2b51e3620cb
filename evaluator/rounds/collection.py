"""A collection: its table of the board file, what writers write about, and the tries and responses they made.

Its folder is ``collect/ID`` beside the board file: ``tries/WRITER.jsonl``, ``responses/VALIDATOR.jsonl``,
and what `check` and `merge` make of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, model_validator

from evaluator.data.tasks import FieldError, Task, get_task
from evaluator.records.base import Record, Slug
from evaluator.records.board import Boards, CollectSpec, DatasetSpec
from evaluator.records.board.specs import UNLIKE
from evaluator.records.errors import UserError
from evaluator.records.names import check_name, or_one_of
from evaluator.rounds.events import (
    RESPONSE,
    WRITTEN,
    Asked,
    Judged,
    ModelAnswer,
    Response,
    read_lines,
    repair_all,
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

    @model_validator(mode="after")
    def _not_by_hand(self) -> WritingPrompt:
        if any(name.startswith("collect-") for name in self.tags):
            raise ValueError("tags: names that begin with collect- are taken; choose others")
        return self


PROMPT: TypeAdapter[WritingPrompt] = TypeAdapter(WritingPrompt)


def read_prompts(path: Path, task: Task, labels: Sequence[str]) -> dict[str, WritingPrompt]:
    """The prompts of a file of JSON lines, by id, in its order. Raises `UserError`."""
    if not path.is_file():
        raise UserError(f"{path}: no such file; put the prompts there, or correct prompts in board.toml")
    found: dict[str, WritingPrompt] = {}
    for number, prompt in read_lines(path, PROMPT):
        if isinstance(prompt, str):
            raise UserError(prompt)
        _check(prompt, f"{path}:{number}", task, labels)
        if prompt.id in found:
            raise UserError(f"{path}:{number}: id: {prompt.id!r} is used twice; give each its own")
        found[prompt.id] = prompt
    if not found:
        raise UserError(f"{path}: has no prompts; write one JSON object a line")
    return found


def _check(prompt: WritingPrompt, where: str, task: Task, labels: Sequence[str]) -> None:
    for name in prompt.inputs:
        if name not in task.fields:
            raise UserError(f"{where}: inputs: {name!r} is no field; use {', '.join(task.fields)}")
    if len(prompt.inputs) == len(task.fields):
        raise UserError(f"{where}: inputs: nothing is left to write; leave one field out")
    if prompt.label is not None and labels and prompt.label not in labels:
        raise UserError(f"{where}: label: {prompt.label!r} is no label; use one of {', '.join(labels)}")


def next_prompt(
    prompts: Sequence[WritingPrompt],
    mine: Mapping[str, int],
    others: Counter[str],
    most: int,
    skip: Container[str],
) -> WritingPrompt | None:
    """The prompt that a writer gets: one begun, else the one that fewest others wrote for, in file order.

    `mine` and `others` count tries by prompt. So writers share prompts only where there are fewer prompts
    than writers, and a frozen round can be split by both. None when all are done.
    """
    left = [prompt for prompt in prompts if mine.get(prompt.id, 0) < most and prompt.id not in skip]
    begun = [prompt for prompt in left if mine.get(prompt.id, 0)]
    return next(iter(begun), None) or min(left, key=lambda prompt: others[prompt.id], default=None)


#: What everything is written for where a collection has no prompts.
FREE = WritingPrompt(id="free")


@dataclass(frozen=True)
class Try:
    """A text, what the models answered, and what its writer says the right answer is, if anything yet."""

    asked: Asked
    judged: Judged | None = None

    @property
    def id(self) -> str:
        """Its id in all files."""
        return self.asked.id


@dataclass(frozen=True)
class Tries:
    """All tries of a collection, in order of writers and time, and what is wrong with lines left out."""

    tries: list[Try] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    @property
    def judged(self) -> list[Try]:
        """Those that have a right answer."""
        return [one for one in self.tries if one.judged is not None]


@dataclass(frozen=True)
class Collection:
    """A collection of a board file; `data` is where the paths of datasets and prompts start."""

    spec: CollectSpec
    boards: Boards
    root: Path
    data: Path

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
        """What writers write for, by id."""
        if self.spec.prompts is None:
            return {FREE.id: FREE}
        return read_prompts(self.data / self.spec.prompts, self.task, self.labels)

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

    @property
    def folder(self) -> Path:
        """Where all files of the collection are."""
        return self.root / "collect" / self.spec.id

    def repair(self) -> None:
        """Remove an incomplete line that a power cut left, before anybody writes."""
        for kind in ("tries", "responses"):
            repair_all(self.folder / kind)

    @property
    def fooled_by(self) -> str:
        """When a model was fooled: ``label``, ``f1`` or ``writer``."""
        by_task = "f1" if self.task.answer == "text" else "label"
        return self.spec.fooled or by_task

    def tries_file(self, writer: str) -> Path:
        """Where a writer's tries are. Raises `UserError` for a name that no file can have."""
        return self._file("tries", writer)

    def responses_file(self, validator: str) -> Path:
        """Where a validator's responses are. Raises `UserError`, too."""
        return self._file("responses", validator)

    def _file(self, kind: str, name: str) -> Path:
        others = [path.stem for path in (self.folder / kind).glob("*.jsonl")]
        try:
            check_name(name, others)
        except ValueError as error:
            raise UserError(f"name: {error}") from None
        return self.folder / kind / f"{name}.jsonl"

    def read_tries(self) -> Tries:
        """The tries of all writers; lines that cannot be used are problems."""
        found = Tries()
        for path in sorted((self.folder / "tries").glob("*.jsonl")):
            found.tries.extend(self._tries_of(path, found.problems))
        repeated = _repeated(one.id for one in found.tries)
        for id_ in sorted(repeated):
            found.problems.append(f"{self.folder}: id: {id_} is that of two tries; delete one of them")
        return Tries([one for one in found.tries if one.id not in repeated], found.problems)

    def read_responses(self) -> tuple[dict[str, dict[str, Response]], list[str]]:
        """The last response to each try by validator and id, and what is wrong with other lines."""
        found: dict[str, dict[str, Response]] = {}
        problems: list[str] = []
        for path in sorted((self.folder / "responses").glob("*.jsonl")):
            validator = path.stem
            given: dict[str, Response] = {}
            for number, line in read_lines(path, RESPONSE):
                if isinstance(line, str):
                    problems.append(line)
                elif problem := self._response_problem(line, validator):
                    problems.append(f"{path}:{number}: {problem}")
                else:
                    given[line.id] = line
            if given:
                found[validator] = given
        return found, problems

    def answer_problem(self, answer: str) -> str | None:
        """Why something cannot be a right answer, with the fix; None if it can."""
        if self.labels and answer not in self.labels:
            return f"answer: {answer!r} is no label; use one of {', '.join(self.labels)}"
        return None

    def fooled(self, one: Try, answer: ModelAnswer) -> bool:
        """Whether a model's answer to a judged try is wrong, as the collection has it.

        A model that failed was not fooled. Token F1 is that of SQuAD (Rajpurkar et al. 2016).
        """
        assert one.judged is not None
        if self.fooled_by == "writer":
            return bool(one.judged.fooled)
        if answer.answer is None:
            return False
        if self.fooled_by == "label":
            return answer.answer != one.judged.answer
        return token_f1(answer.answer, one.judged.answer) < UNLIKE

    def _tries_of(self, path: Path, problems: list[str]) -> Iterator[Try]:
        """The tries of a writer's file, each with the last that was said of it."""
        asked: dict[str, Asked] = {}
        judged: dict[str, Judged] = {}
        writer = path.stem
        for number, line in read_lines(path, WRITTEN):
            problem = line if isinstance(line, str) else self.line_problem(line, writer, asked)
            if problem is not None:
                problems.append(problem if isinstance(line, str) else f"{path}:{number}: {problem}")
            elif isinstance(line, Asked):
                asked[line.id] = line
            elif isinstance(line, Judged):
                judged[line.id] = line
        yield from (Try(one, judged.get(one.id)) for one in asked.values())

    def line_problem(self, line: Asked | Judged, writer: str, asked: Mapping[str, Asked]) -> str | None:
        """Why a line cannot be in a writer's file, `asked` before it by id, with the fix; None if it can."""
        if isinstance(line, Judged):
            known = None if line.id in asked else f"id: {line.id} was not asked before; delete the line"
            return known or self.answer_problem(line.answer)
        if line.id in asked:
            return f"id: {line.id} is asked twice; delete one of the lines"
        if line.writer != writer:
            return f"writer: {line.writer!r} is not the file's name; move the line to its own file"
        return self._asked_problem(line)

    def _asked_problem(self, line: Asked) -> str | None:
        if line.collection != self.spec.id:
            return f"collection: {line.collection!r} is not {self.spec.id}; move the file to its collection"
        if line.prompt is not None and line.prompt not in self.prompts:
            return f"prompt: {line.prompt!r} is not in the file of prompts; add it there"
        if set(line.inputs) != set(self.task.fields):
            return f"inputs: are {', '.join(sorted(line.inputs))}; give {', '.join(self.task.fields)}"
        given = self.prompts[line.prompt].inputs if line.prompt else {}
        changed = [name for name, text in given.items() if line.inputs[name] != text]
        return f"inputs.{changed[0]}: is not what the prompt gives; leave it as it is" if changed else None

    def _response_problem(self, line: Response, validator: str) -> str | None:
        if line.validator != validator:
            return f"validator: {line.validator!r} is not the file's name; move the line to its own file"
        if line.collection != self.spec.id:
            return f"collection: {line.collection!r} is not {self.spec.id}; move the file to its collection"
        return None if line.answer is None else self.answer_problem(line.answer)


def open_collection(boards: Boards, name: str, root: Path, data: Path) -> Collection:
    """The collection of that id. Raises `UserError` that suggests one."""
    known = {spec.id: spec for spec in boards.collect}
    if name not in known:
        fix = or_one_of(name, known) if known else "; add a table [[collect]] to board.toml"
        raise UserError(f"collection {name!r}: the board file has no such collection{fix}")
    return Collection(known[name], boards, root, data)


def known_data(collection: Collection) -> Iterator[DatasetSpec]:
    """The datasets of the collection's task that can be read, but its own: what a try must not repeat."""
    own = f"{collection.spec.id}/"
    for spec in collection.boards.datasets:
        if spec.readable and spec.task == collection.spec.task and not (spec.path or own).startswith(own):
            yield spec


def _repeated(ids: Iterable[str]) -> set[str]:
    seen: set[str] = set()
    return {id_ for id_ in ids if id_ in seen or seen.add(id_)}  # type: ignore[func-returns-value]
