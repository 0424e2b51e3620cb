"""What the local pages ask: prompts and answers of models for writers, texts to answer blind for validators.

Whatever is answered that it is kept is on disk before. The arguments of a question are checked by pydantic.
"""

from __future__ import annotations

import random
import secrets
import threading
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, validate_call

from evaluator.records.base import Slug
from evaluator.records.errors import UserError
from evaluator.rounds.collection import FREE, Collection, Try, WritingPrompt
from evaluator.rounds.events import Asked, Judged, Reason, Response, Text, TryId, add_lines
from evaluator.rounds.loop import Loop
from evaluator.rounds.rating import Rating
from evaluator.rounds.server import Routes
from evaluator.score.scores import now

STRICT = ConfigDict(strict=True)


class Desk:
    """Where people write. Raises `UserError` where the files of the collection are wrong."""

    def __init__(self, collection: Collection, loop: Loop) -> None:
        self.collection, self._loop = collection, loop
        self._tries = {one.id: one for one in collection.tries()}
        #: The prompt that each writer has before them.
        self._dealt: dict[str, str] = {}
        #: Held while the files, or what is known of them, change.
        self._changing = threading.RLock()

    def routes(self) -> Routes:
        """What the page may ask, by path, and what answers it."""
        return {
            "/api/state": self.collection.describe,
            "/api/prompt": self.prompt,
            "/api/ask": self.ask,
            "/api/judge": self.judge,
        }

    @validate_call(config=STRICT)
    def prompt(self, writer: Slug, skip: list[Slug]) -> dict[str, Any]:
        """The next prompt of a writer, none of `skip`, and what the writer has done; null when all are."""
        self.collection.file_of("tries", writer)
        with self._changing:
            tries = self._of(writer)
            found = self._next_prompt(writer, skip)
            self._dealt |= {writer: found.id} if found else {}
            waiting = [one for one in tries if one.judged is None]
            return {
                "prompt": None if found is None else found.plain(),
                "left": 0 if found is None else self.collection.spec.tries - _by_prompt(tries)[found.id],
                "waiting": _shown(waiting[-1]) if waiting else None,
                **self._done(writer),
            }

    @validate_call(config=STRICT)
    def ask(
        self,
        writer: Slug,
        prompt: Slug,
        inputs: dict[str, Text],
        seconds: Annotated[float, Field(ge=0, allow_inf_nan=False)],
    ) -> dict[str, Any]:
        """The models' answers to a text; `inputs` are the fields that the prompt does not give."""
        spec, known = self.collection.spec, self.collection.prompts.get(prompt)
        path = self.collection.file_of("tries", writer)
        if known is None:
            raise UserError("prompt", f"{prompt!r} is not in the file of prompts", "take one that is")
        whole = self._inputs(known, inputs)
        with self._changing:
            made = _by_prompt(self._of(writer))[prompt]
        if made >= spec.tries:
            raise UserError("prompt", f"{made} tries are all that {prompt!r} has", "take the next one")
        asked = Asked(
            id=secrets.token_hex(16),
            collection=spec.id,
            writer=writer,
            prompt=prompt if spec.prompts else None,
            inputs=whole,
            tags=known.tags,
            answers=self._loop.ask(whole),
            seconds=round(seconds, 1),
            at=now(),
        )
        with self._changing:
            add_lines(path, [asked])
            self._tries[asked.id] = Try(asked)
        return _shown(Try(asked))

    @validate_call(config=STRICT)
    def judge(
        self,
        writer: Slug,
        id: TryId,  # noqa: A002
        answer: Text,
        reason: Reason = "",
    ) -> dict[str, Any]:
        """Keep the right answer to a try of one's own, and say which models it fooled."""
        with self._changing:
            known = self._tries.get(id)
            if known is None or known.asked.writer != writer:
                raise UserError("id", f"{id} is no try of {writer}", "send one of theirs")
            self.collection.check_answer(answer)
            judged = Judged(id=id, answer=answer, reason=reason, at=now())
            add_lines(self.collection.file_of("tries", writer), [judged])
            one = self._tries[id] = Try(known.asked, judged)
            return {"fooled": self._fooled(one), **self._done(writer)}

    def _next_prompt(self, writer: str, skip: list[str]) -> WritingPrompt | None:
        """One begun, else the one that fewest others wrote for or have before them, in file order.

        So writers share prompts only where there are fewer prompts than writers, and a frozen round can be
        split by both.
        """
        mine = _by_prompt(self._of(writer))
        others = _by_prompt(self._tries.values()) - mine
        # A whole class begins at once: what somebody has before them is taken, too.
        others.update(name for other, name in self._dealt.items() if other != writer)
        most, prompts = self.collection.spec.tries, self.collection.prompts.values()
        left = [one for one in prompts if mine[one.id] < most and one.id not in skip]
        return min(left, key=lambda one: (0, 0) if mine[one.id] else (1, others[one.id]), default=None)

    def _inputs(self, prompt: WritingPrompt, given: dict[str, str]) -> dict[str, str]:
        """All fields of the task: what the prompt gives, and what was written."""
        whole = {name: text.strip() for name, text in given.items()} | prompt.inputs
        found = {name: whole.get(name, "") for name in self.collection.task.fields}
        for name, text in found.items():
            if not text:
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


class Bench:
    """Where people validate: each sees the text alone, neither its writer nor what anybody answered.

    Raises `UserError` where the files of the collection are wrong.
    """

    def __init__(self, collection: Collection | Rating) -> None:
        self.collection, self._changing = collection, threading.RLock()
        self._responses = collection.responses()
        self._writers: dict[str, str] = {}
        self._inputs: dict[str, Mapping[str, str]] = {}
        if isinstance(collection, Collection):
            tries = collection.judged_tries()
            self._writers = {one.id: one.asked.writer for one in tries}
            self._inputs = {one.id: one.asked.inputs for one in tries}
            self._inputs |= {gold.id: gold.inputs for gold in collection.gold.values()}
            self._needed = collection.spec.responses

    def routes(self) -> Routes:
        """What the page may ask, by path, and what answers it."""
        return {
            "/api/state": self.collection.describe,
            "/api/next": self.next,
            "/api/respond": self.respond,
        }

    @validate_call(config=STRICT)
    def next(self, validator: Slug) -> dict[str, Any]:
        """The next text that a validator has not responded to; null when there is nothing left."""
        self.collection.file_of("responses", validator)
        with self._changing:
            done = self._responses.get(validator, {})
            left = [id_ for id_ in self._order(validator) if id_ not in done]
            item = {"id": left[0], "inputs": self._inputs[left[0]]} if left else None
            return {"item": item, "done": len(done), "left": len(left)}

    @validate_call(config=STRICT)
    def respond(
        self,
        validator: Slug,
        id: Slug,  # noqa: A002
        answer: Text | None = None,
        mark: Literal["unsure", "flag"] | None = None,
        reason: Reason = "",
    ) -> dict[str, Any]:
        """Keep a response: an answer, or a mark in its place."""
        response = Response(
            id=id,
            collection=self.collection.id,
            validator=validator,
            answer=answer,
            mark=mark,
            reason=reason,
            at=now(),
        )
        self.collection.check_answer(answer)
        if id not in self._inputs:
            raise UserError("id", f"{id!r} is no text of this collection", "take the next one")
        if mark == "flag" and not reason.strip():
            raise UserError("reason", "is empty", "say what is wrong with the text")
        with self._changing:
            add_lines(self.collection.file_of("responses", validator), [response])
            self._responses.setdefault(validator, {})[id] = response
        return {}

    def _order(self, validator: str) -> list[str]:
        """What there is for a validator, in an order that their name decides.

        Not what they wrote themselves, nor what has all its responses already.
        """
        given = Counter(id_ for one in self._responses.values() for id_ in one)
        ids = sorted(self._inputs)
        random.Random(f"0/{validator}").shuffle(ids)
        return [
            id_
            for id_ in ids
            if id_ not in self._writers or (self._writers[id_] != validator and given[id_] < self._needed)
        ]


class LabelBench(Bench):
    """Where people label answers that a judge rates: without whose they are, or what the judge said.

    All go by one order, so that the first examples are those that are done first. Raises `UserError` where
    the files are wrong.
    """

    def __init__(self, rating: Rating) -> None:
        super().__init__(rating)
        self._places, self._inputs = rating.order, dict(rating.inputs)
        #: The answer that each person has before them.
        self._dealt: dict[str, str] = {}

    def next(self, validator: Slug) -> dict[str, Any]:
        """The next answer that nobody has labelled, nor has before them; null when there is nothing left."""
        with self._changing:
            turn = super().next(validator=validator)
            self._dealt |= {validator: turn["item"]["id"]} if turn["item"] else {}
            return turn

    def _order(self, validator: str) -> list[str]:
        labelled = {
            id_ for one in self._responses.values() for id_, said in one.items() if said.answer is not None
        }
        taken = {id_ for other, id_ in self._dealt.items() if other != validator} | labelled
        return [id_ for id_ in self._places if id_ not in taken]


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
