"""What the local pages ask: prompts and answers of models for writers, texts to answer blind for validators.

A desk has the files of a collection open for all requests of one page's server. Whatever it answers that it
keeps is on disk before.
"""

from __future__ import annotations

import random
import secrets
import threading
from collections import Counter
from collections.abc import Iterable
from contextlib import ExitStack
from typing import Annotated, Any, Literal, Self

from pydantic import Field

from evaluator.records.base import Record, Slug
from evaluator.records.errors import UserError
from evaluator.rounds.collection import FREE, Collection, Try, WritingPrompt
from evaluator.rounds.events import Asked, Judged, LineFile, Reason, Response, Text, TryId
from evaluator.rounds.loop import Loop
from evaluator.rounds.server import Routes
from evaluator.score.scores import now


class NextPrompt(Record):
    """Which prompt is next for a writer; never one of `skip`."""

    writer: Slug
    skip: list[Slug] = []


class Ask(Record):
    """A text to ask the models about. `inputs` are the fields that the prompt does not give."""

    writer: Slug
    prompt: Slug
    inputs: dict[str, Text]
    seconds: Annotated[float, Field(ge=0)]


class Judge(Record):
    """The right answer to a try of one's own."""

    writer: Slug
    id: TryId
    answer: Text
    fooled: bool | None = None
    reason: Reason = ""


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


class _Files:
    """Files of one kind, ``tries`` or ``responses``, each opened on first use. Use as a context manager."""

    def __init__(self, collection: Collection, kind: str) -> None:
        self.collection, self._kind = collection, kind
        self._open, self._files = ExitStack(), dict[str, LineFile]()
        #: Held while the files, or what is known of them, change.
        self._changing = threading.RLock()
        collection.repair()

    def _file(self, name: str) -> LineFile:
        if name not in self._files:
            file = LineFile(self.collection.file_of(self._kind, name))
            self._files[name] = self._open.enter_context(file)
        return self._files[name]

    def describe(self) -> dict[str, Any]:
        """What the page shows before anybody does anything."""
        return self.collection.describe()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()


class Desk(_Files):
    """Where people write. Raises `UserError` where the files of the collection are wrong."""

    def __init__(self, collection: Collection, loop: Loop) -> None:
        super().__init__(collection, "tries")
        self._loop = loop
        self._tries = {one.id: one for one in collection.tries()}
        #: The prompt that each writer has before them.
        self._dealt: dict[str, str] = {}

    def routes(self) -> Routes:
        """What the page may ask, by path: what it sends, and what answers it."""
        return {
            "/api/prompt": (NextPrompt, self.prompt),
            "/api/ask": (Ask, self.ask),
            "/api/judge": (Judge, self.judge),
        }

    def prompt(self, document: NextPrompt) -> dict[str, Any]:
        """The next prompt of a writer, with what the writer has done; null when all are done."""
        with self._changing:
            self._file(document.writer)
            tries = self._of(document.writer)
            found = self._next_prompt(document)
            self._dealt |= {document.writer: found.id} if found else {}
            waiting = [one for one in tries if one.judged is None]
            return {
                "prompt": None if found is None else found.plain(),
                "left": 0 if found is None else self.collection.spec.tries - _by_prompt(tries)[found.id],
                "waiting": _shown(waiting[-1]) if waiting else None,
                **self._done(document.writer),
            }

    def ask(self, document: Ask) -> dict[str, Any]:
        """The models' answers to a text."""
        spec, prompt = self.collection.spec, self.collection.prompts.get(document.prompt)
        if prompt is None:
            problem = f"{document.prompt!r} is not in the file of prompts"
            raise UserError("prompt", problem, "take one that is")
        inputs = self._inputs(prompt, document.inputs)
        with self._changing:
            file = self._file(document.writer)
            made = _by_prompt(self._of(document.writer))[prompt.id]
        if made >= spec.tries:
            raise UserError("prompt", f"{made} tries are all that {prompt.id!r} has", "take the next one")
        asked = Asked(
            id=secrets.token_hex(16),
            collection=spec.id,
            writer=document.writer,
            prompt=prompt.id if spec.prompts else None,
            inputs=inputs,
            tags=prompt.tags,
            answers=self._loop.ask(inputs),
            seconds=round(document.seconds, 1),
            at=now(),
        )
        with self._changing:
            file.add(asked)
            self._tries[asked.id] = Try(asked)
        return _shown(Try(asked))

    def judge(self, document: Judge) -> dict[str, Any]:
        """Keep the right answer to a try, and say which models it fooled."""
        with self._changing:
            known = self._tries.get(document.id)
            if known is None or known.asked.writer != document.writer:
                raise UserError("id", f"{document.id} is no try of {document.writer}", "send one of theirs")
            problem = self.collection.answer_problem(document.answer)
            if self.collection.fooled_by == "writer" and document.fooled is None:
                problem = "fooled: missing; say whether the model was fooled"
            if problem:
                raise UserError(problem)
            judged = Judged(**document.model_dump(exclude={"writer"}), at=now())
            self._file(document.writer).add(judged)
            one = self._tries[known.id] = Try(known.asked, judged)
            return {"fooled": self._fooled(one), **self._done(document.writer)}

    def _next_prompt(self, document: NextPrompt) -> WritingPrompt | None:
        """One begun, else the one that fewest others wrote for or have before them, in file order.

        So writers share prompts only where there are fewer prompts than writers, and a frozen round can be
        split by both.
        """
        mine = _by_prompt(self._of(document.writer))
        others = _by_prompt(self._tries.values()) - mine
        # A whole class begins at once: what somebody has before them is taken, too.
        others.update(name for writer, name in self._dealt.items() if writer != document.writer)
        most, prompts = self.collection.spec.tries, self.collection.prompts.values()
        left = [one for one in prompts if mine[one.id] < most and one.id not in document.skip]
        return min(left, key=lambda one: (0, 0) if mine[one.id] else (1, others[one.id]), default=None)

    def _inputs(self, prompt: WritingPrompt, given: dict[str, str]) -> dict[str, str]:
        """All fields of the task: what the prompt gives, and what was written."""
        fields = self.collection.task.fields
        written = [name for name in fields if name not in prompt.inputs]
        if sorted(given) != sorted(written):
            raise UserError("inputs", f"are {', '.join(sorted(given))}", f"send {', '.join(written)}")
        whole = prompt.inputs | {name: given[name].strip() for name in written}
        found = {name: whole[name] for name in fields}
        for name in written:
            if not found[name]:
                raise UserError(f"inputs.{name}", "is empty", "write something")
        self.collection.task.check_example(found, "the text")
        return found

    def _of(self, writer: str) -> list[Try]:
        return [one for one in self._tries.values() if one.asked.writer == writer]

    def _fooled(self, one: Try) -> list[str]:
        return [answer.model for answer in one.asked.answers if self.collection.fooled(one, answer)]

    def _done(self, writer: str) -> dict[str, int]:
        judged = [one for one in self._of(writer) if one.judged is not None]
        return {"made": len(judged), "fooled_by_me": sum(bool(self._fooled(one)) for one in judged)}


class Bench(_Files):
    """Where people validate: each sees the text alone, neither its writer nor what anybody answered.

    Raises `UserError` where the files of the collection are wrong.
    """

    def __init__(self, collection: Collection) -> None:
        super().__init__(collection, "responses")
        tries = collection.judged_tries()
        self._responses = collection.responses()
        self._writers = {one.id: one.asked.writer for one in tries}
        self._inputs = {one.id: one.asked.inputs for one in tries}
        self._inputs |= {gold.id: gold.inputs for gold in collection.gold.values()}

    def routes(self) -> Routes:
        """What the page may ask, by path: what it sends, and what answers it."""
        return {"/api/next": (NextItem, self.next), "/api/respond": (Respond, self.respond)}

    def next(self, document: NextItem) -> dict[str, Any]:
        """The next text that a validator has not responded to; null when there is nothing left."""
        with self._changing:
            self._file(document.validator)
            done = self._responses.get(document.validator, {})
            left = [id_ for id_ in self._order(document.validator) if id_ not in done]
            item = {"id": left[0], "inputs": self._inputs[left[0]]} if left else None
            return {"item": item, "done": len(done), "left": len(left)}

    def respond(self, document: Respond) -> dict[str, Any]:
        """Keep a response."""
        response = Response(**document.model_dump(), collection=self.collection.spec.id, at=now())
        problem = self.collection.answer_problem(response.answer)
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

    def _order(self, validator: str) -> list[str]:
        """What there is for a validator, in an order that their name decides.

        Not what they wrote themselves, nor what has all its responses already.
        """
        given = Counter(id_ for one in self._responses.values() for id_ in one)
        ids = sorted(self._inputs)
        random.Random(f"0/{validator}").shuffle(ids)
        needed = self.collection.spec.responses
        return [
            id_
            for id_ in ids
            if id_ not in self._writers or (self._writers[id_] != validator and given[id_] < needed)
        ]


def _by_prompt(tries: Iterable[Try]) -> Counter[str]:
    """How many tries each prompt has."""
    return Counter(one.asked.prompt or FREE.id for one in tries)


def _shown(one: Try) -> dict[str, Any]:
    return {
        "id": one.id,
        "inputs": dict(one.asked.inputs),
        "prompt": one.asked.prompt,
        "answers": [answer.plain() for answer in one.asked.answers],
    }
