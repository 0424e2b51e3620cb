"""What the page for validators asks: the next text, blind and in an order of their own; and keeps responses.

A validator sees the text alone: neither its writer, the writer's answer, the models' nor the prompt's wish.
"""

from __future__ import annotations

import random
import threading
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Literal

from pydantic import TypeAdapter

from evaluator.records.base import Record, Slug
from evaluator.records.errors import UserError
from evaluator.rounds.collection import Collection
from evaluator.rounds.events import LineFile, Reason, Response, Text, read_lines
from evaluator.score.scores import now


class GoldQuestion(Record):
    """A text whose right answer is known, to see how far a validator can be relied on."""

    id: Slug
    inputs: dict[str, Text]
    answer: Text


class NextItem(Record):
    """Which text is next for a validator."""

    validator: Slug


class Respond(Record):
    """An answer, or a mark in its place."""

    validator: Slug
    id: Slug
    answer: Text | None = None
    mark: Literal["unsure", "flag"] | None = None
    reason: Reason = ""


def read_gold(collection: Collection) -> dict[str, GoldQuestion]:
    """The collection's gold questions by id. Raises `UserError`."""
    if collection.spec.gold_questions is None:
        return {}
    path: Path = collection.data / collection.spec.gold_questions
    if not path.is_file():
        fix = "put it there, or correct gold_questions in board.toml"
        raise UserError(f"{path}: no such file; {fix}")
    found: dict[str, GoldQuestion] = {}
    for number, line in read_lines(path, TypeAdapter(GoldQuestion)):
        problem = line if isinstance(line, str) else collection.answer_problem(line.answer)
        if isinstance(line, str) or problem:
            raise UserError(str(problem) if isinstance(line, str) else f"{path}:{number}: {problem}")
        if set(line.inputs) != set(collection.task.fields):
            fix = f"give {', '.join(collection.task.fields)}"
            raise UserError(f"{path}:{number}: inputs: are {', '.join(line.inputs)}; {fix}")
        found[line.id] = line
    return found


class Bench:
    """The texts to validate, and who has responded to which, for all requests of one page's server.

    Use `close` at the end. Raises `UserError` where the files of the collection are wrong.
    """

    def __init__(self, collection: Collection) -> None:
        self.collection = collection
        self._open, self._files = ExitStack(), dict[str, LineFile]()
        self._changing = threading.RLock()
        collection.repair()
        tries = collection.read_tries()
        self._responses, problems = collection.read_responses()
        if tries.problems or problems:
            raise UserError("\n".join([*tries.problems, *problems]))
        self._gold = read_gold(collection)
        self._inputs = {one.id: one.asked.inputs for one in tries.judged}
        self._inputs |= {gold.id: gold.inputs for gold in self._gold.values()}
        self._writers = {one.id: one.asked.writer for one in tries.judged}
        if not self._writers:
            fix = f"write some with: steelyard collect {collection.spec.id}"
            raise UserError(f"{collection.folder}: has no tries with a right answer yet; {fix}")

    def describe(self) -> dict[str, Any]:
        """What the page shows before anybody answers."""
        return {
            "label": self.collection.spec.label,
            "fields": list(self.collection.task.fields),
            "labels": list(self.collection.labels),
        }

    def next(self, document: NextItem) -> dict[str, Any]:
        """The next text that a validator has not responded to; null when there is nothing left."""
        with self._changing:
            self._file(document.validator)
            done = self._responses.get(document.validator, {})
            left = [id_ for id_ in self._order(document.validator) if id_ not in done]
            item = {"id": left[0], "inputs": self._inputs[left[0]]} if left else None
            return {"item": item, "done": len(done), "left": len(left)}

    def respond(self, document: Respond) -> dict[str, Any]:
        """Keep a response, which is on disk before this returns."""
        response = Response(**document.model_dump(), collection=self.collection.spec.id, at=now())
        problem = None if response.answer is None else self.collection.answer_problem(response.answer)
        if response.id not in self._inputs:
            problem = f"id: {response.id!r} is no text of this collection; take the next one"
        if response.mark == "flag" and not response.reason.strip():
            problem = "reason: is empty; say what is wrong with the text"
        if problem:
            raise UserError(problem)
        with self._changing:
            self._file(document.validator).add(response)
            self._responses.setdefault(document.validator, {})[response.id] = response
        return {}

    def routes(self) -> dict[str, tuple[type[Record], Callable[[Any], dict[str, Any]]]]:
        """What the page may ask, by path: what it sends, and what answers it."""
        return {"/api/next": (NextItem, self.next), "/api/respond": (Respond, self.respond)}

    def close(self) -> None:
        """Let others write to the files."""
        self._open.close()

    def _order(self, validator: str) -> list[str]:
        """What there is for a validator, in an order that the seed and the name decide.

        Not what they wrote themselves, nor what has all its responses already.
        """
        given = Counter(id_ for one in self._responses.values() for id_ in one)
        ids = sorted(self._inputs)
        random.Random(f"0/{validator}").shuffle(ids)
        needed = self.collection.spec.responses
        return [
            id_
            for id_ in ids
            if id_ in self._gold or (self._writers[id_] != validator and given[id_] < needed)
        ]

    def _file(self, validator: str) -> LineFile:
        """The validator's file, opened on first use."""
        if validator not in self._files:
            file = LineFile(self.collection.responses_file(validator))
            self._files[validator] = self._open.enter_context(file)
        return self._files[validator]
