"""What the page for writers asks: the next prompt, the models' answers, and to keep the right answer."""

from __future__ import annotations

import secrets
import threading
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from typing import Annotated, Any

from pydantic import Field

from evaluator.records.base import Record, Slug
from evaluator.records.errors import UserError
from evaluator.rounds.collection import FREE, Collection, Try, WritingPrompt, next_prompt
from evaluator.rounds.events import Asked, Judged, LineFile, Reason, Text, TryId
from evaluator.rounds.receiving import Loop
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


class Desk:
    """Where writers' files are open and their tries counted, for all requests of one page's server.

    Use `close` at the end. Raises `UserError` where the files of the collection are wrong.
    """

    def __init__(self, collection: Collection, loop: Loop) -> None:
        self.collection, self._loop = collection, loop
        self._open, self._files = ExitStack(), dict[str, LineFile]()
        self._changing = threading.RLock()
        self._tries: dict[str, dict[str, Try]] = {}
        self._dealt: dict[str, str] = {}
        collection.repair()
        read = collection.read_tries()
        if read.problems:
            raise UserError("\n".join(read.problems))
        for one in read.tries:
            self._tries.setdefault(one.asked.writer, {})[one.id] = one

    def describe(self) -> dict[str, Any]:
        """What the page shows before anybody writes."""
        return self.collection.describe()

    def prompt(self, document: NextPrompt) -> dict[str, Any]:
        """The next prompt of a writer, with what the writer has done; null when all are done."""
        with self._changing:
            self._file(document.writer)
            mine = _by_prompt(self._of(document.writer).values())
            others = _by_prompt(one for tries in self._tries.values() for one in tries.values()) - mine
            # A whole class begins at once: what somebody has before them is taken, too.
            others.update(name for writer, name in self._dealt.items() if writer != document.writer)
            prompts, most = list(self.collection.prompts.values()), self.collection.spec.tries
            found = next_prompt(prompts, mine, others, most, document.skip)
            self._dealt |= {document.writer: found.id} if found else {}
            waiting = [one for one in self._of(document.writer).values() if one.judged is None]
            return {
                "prompt": None if found is None else found.plain(),
                "left": 0 if found is None else most - mine[found.id],
                "waiting": self._shown(waiting[-1]) if waiting else None,
                **self._done(document.writer),
            }

    def ask(self, document: Ask) -> dict[str, Any]:
        """The models' answers to a text, which are on disk before this returns."""
        prompt = self._prompt(document.prompt)
        inputs = self._inputs(prompt, document.inputs)
        with self._changing:
            file = self._file(document.writer)
            self._check_left(document.writer, prompt.id)
        answers = self._loop.ask(inputs)
        asked = Asked(
            id=secrets.token_hex(16),
            collection=self.collection.spec.id,
            writer=document.writer,
            prompt=prompt.id if self.collection.spec.prompts else None,
            inputs=inputs,
            tags=prompt.tags,
            answers=answers,
            seconds=round(document.seconds, 1),
            at=now(),
        )
        with self._changing:
            file.add(asked)
            self._of(document.writer)[asked.id] = Try(asked)
        return self._shown(Try(asked))

    def judge(self, document: Judge) -> dict[str, Any]:
        """Keep the right answer to a try, and say which models it fooled."""
        with self._changing:
            known = self._of(document.writer).get(document.id)
            if known is None:
                raise UserError(f"id: {document.id} is no try of {document.writer}; send one of theirs")
            problem = self.collection.answer_problem(document.answer)
            if self.collection.fooled_by == "writer" and document.fooled is None:
                problem = "fooled: missing; say whether the model was fooled"
            if problem:
                raise UserError(problem)
            judged = Judged(**document.model_dump(exclude={"writer"}), at=now())
            self._file(document.writer).add(judged)
            one = Try(known.asked, judged)
            self._of(document.writer)[one.id] = one
            fooled = [found.model for found in known.asked.answers if self.collection.fooled(one, found)]
            return {"fooled": fooled, **self._done(document.writer)}

    def routes(self) -> dict[str, tuple[type[Record], Callable[[Any], dict[str, Any]]]]:
        """What the page may ask, by path: what it sends, and what answers it."""
        return {
            "/api/prompt": (NextPrompt, self.prompt),
            "/api/ask": (Ask, self.ask),
            "/api/judge": (Judge, self.judge),
        }

    def close(self) -> None:
        """Let others write to the files."""
        self._open.close()

    def _of(self, writer: str) -> dict[str, Try]:
        return self._tries.setdefault(writer, {})

    def _file(self, writer: str) -> LineFile:
        """The writer's file, opened on first use."""
        if writer not in self._files:
            file = LineFile(self.collection.tries_file(writer))
            self._files[writer] = self._open.enter_context(file)
        return self._files[writer]

    def _prompt(self, name: str) -> WritingPrompt:
        prompts = self.collection.prompts
        if name not in prompts:
            raise UserError(f"prompt: {name!r} is not in the file of prompts; take one that is")
        return prompts[name]

    def _inputs(self, prompt: WritingPrompt, given: dict[str, str]) -> dict[str, str]:
        """All fields of the task: what the prompt gives, and what was written."""
        fields = self.collection.task.fields
        written = [name for name in fields if name not in prompt.inputs]
        if sorted(given) != sorted(written):
            raise UserError(f"inputs: are {', '.join(sorted(given))}; send {', '.join(written)}")
        for name in written:
            if not given[name].strip():
                raise UserError(f"inputs.{name}: is empty; write something")
        whole = {**prompt.inputs, **{name: given[name].strip() for name in written}}
        found = {name: whole[name] for name in fields}
        self.collection.task.check_example(found, "the text")
        return found

    def _check_left(self, writer: str, prompt: str) -> None:
        made = _by_prompt(self._of(writer).values())[prompt]
        if made >= self.collection.spec.tries:
            raise UserError(f"prompt: {made} tries are all that {prompt!r} has; take the next one")

    def _done(self, writer: str) -> dict[str, int]:
        tries = [one for one in self._of(writer).values() if one.judged is not None]
        fooled = sum(any(self.collection.fooled(one, a) for a in one.asked.answers) for one in tries)
        return {"made": len(tries), "fooled_by_me": fooled}

    def _shown(self, one: Try) -> dict[str, Any]:
        return {
            "id": one.id,
            "inputs": dict(one.asked.inputs),
            "prompt": one.asked.prompt,
            "answers": [answer.plain() for answer in one.asked.answers],
        }


def _by_prompt(tries: Iterable[Try]) -> Counter[str]:
    """How many tries each prompt has."""
    return Counter(one.asked.prompt or FREE.id for one in tries)
