"""Asking a model behind an endpoint everything, several requests at a time, and keeping each answer at once.

An answer is on disk before the next request takes its place, so an evaluation that was killed asks nothing
again that was answered. What fails for no fault of its own is sent again; what never comes stays unanswered,
and the next evaluation asks it.
"""

from __future__ import annotations

import asyncio
import datetime
import json
import os
import random
import time
from collections import Counter, deque
from collections.abc import Generator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path, PureWindowsPath
from typing import Any

from pydantic import TypeAdapter, ValidationError

from evaluator.measure.endpoint.ledger import Budget, Ledger, OverBudget
from evaluator.measure.endpoint.request import Again, Client, Refused, Said, Stopped
from evaluator.measure.models.base import MissingPackage
from evaluator.measure.models.endpoint import EndpointModel
from evaluator.measure.run.answers import AnswerReader
from evaluator.measure.run.asking import Steps
from evaluator.measure.run.untimed import ExampleInputs, KeptAnswers, Questions
from evaluator.rank.formats import counted
from evaluator.records.board import TAKEN, Boards, EndpointSpec
from evaluator.records.errors import UserError
from evaluator.score.answers import Entry
from evaluator.score.prices import cost

#: After so many inputs in a row without an answer, or refused before any was answered, the rest is left.
HOPELESS = 3
#: Seconds before a request is sent again, doubled each time up to the most.
FIRST_WAIT_S, LONGEST_WAIT_S = 1.0, 60.0
#: What a conversation may take besides its texts, in tokens, and each of its messages. A token is a byte or
#: more of the text, so its bytes are the most that they can be.
AROUND_ALL, AROUND_EACH = 100, 20
#: How a server says that an answer ended at the limit of tokens, and that it was held back.
AT_LIMIT, HELD_BACK = "length", "content_filter"

_said = TypeAdapter(Said)


def ask_endpoints(
    questions: Sequence[Questions], boards: Boards, work: Path, progress: Steps
) -> Generator[tuple[Sequence[int], KeptAnswers], None, None]:
    """Ask models behind endpoints, one after another; yields the positions in `questions` that one had."""
    by_file: dict[str, list[int]] = {}
    for number, one in enumerate(questions):
        by_file.setdefault(one.file, []).append(number)
    for name, numbers in by_file.items():
        yield numbers, _ask_model([questions[number] for number in numbers], boards, work, name, progress)


def _ask_model(
    questions: Sequence[Questions], boards: Boards, work: Path, name: str, progress: Steps
) -> KeptAnswers:
    first = questions[0]
    inputs = {key: value for one in questions for key, value in one.inputs.items()}
    load = first.spec
    model = EndpointModel.of(load.options, load.directory, load.task, load.labels)
    spec = boards.endpoint(model.endpoint)
    assert spec is not None  # a board file whose models name another is not read
    budget = Budget(f"endpoints: {spec.id}", spec.max_requests, spec.max_usd)
    with ExitStack() as stack:
        try:
            ledger = stack.enter_context(Ledger(work / "endpoints" / f"{spec.id}.jsonl", budget))
            kept = stack.enter_context(KeptSaid(work / "answers" / name))
            queue = EndpointQueue(model, spec, boards, kept, ledger, progress)
            todo = [key for key in inputs if key not in kept.said]
            what = f"asking {counted(len(inputs), 'text')} at {spec.id}, {spec.concurrency} at a time"
            progress.phase(what, len(inputs), len(inputs) - len(todo))
            if todo:
                asyncio.run(queue.ask_all({key: inputs[key] for key in sorted(todo)}))
        except (UserError, MissingPackage) as error:
            return KeptAnswers({}, error=error)
        return queue.answers(inputs, first.reader)


class KeptSaid:
    """The answers by the key of what was asked, a line each, on disk as they come. A context manager.

    An input that the server refused has its words in place of an answer. The last line, where a process was
    killed while it wrote it, is dropped.
    """

    def __init__(self, path: Path) -> None:
        self.said: dict[str, Said | str] = {}
        path.parent.mkdir(parents=True, exist_ok=True)
        whole = 0
        for line in path.read_bytes().splitlines(keepends=True) if path.exists() else []:
            if not line.endswith(b"\n"):
                break
            try:
                key, fields = json.loads(line)
                self.said[key] = fields if isinstance(fields, str) else _said.validate_python(fields)
            except (ValueError, ValidationError):
                fix = "remove the file to ask everything again"
                raise UserError(path, f"byte {whole}: is no answer", fix) from None
            whole += len(line)
        self._file = path.open("ab")
        self._file.truncate(whole)

    def add(self, key: str, said: Said | str) -> None:
        """Keep one; returns when it is on disk."""
        fields = said if isinstance(said, str) else asdict(said)
        self._file.write(json.dumps([key, fields]).encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())
        self.said[key] = said

    def __enter__(self) -> KeptSaid:
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()


class EndpointQueue:
    """One model and what it has yet to be asked, from which as many requests as are allowed at once take."""

    def __init__(
        self,
        model: EndpointModel,
        spec: EndpointSpec,
        boards: Boards,
        kept: KeptSaid,
        ledger: Ledger,
        progress: Steps,
    ) -> None:
        self.model, self.spec, self.boards = model, spec, boards
        self.kept, self.ledger, self.progress = kept, ledger, progress
        self.error: UserError | None = None
        self._todo: deque[str] = deque()
        self._refused: dict[str, str] = {}
        self._without = 0
        self._next_at = 0.0
        self._under_way, self._settled = 0, asyncio.Event()
        self._answered = any(isinstance(one, Said) for one in kept.said.values())

    async def ask_all(self, inputs: Mapping[str, ExampleInputs]) -> None:
        """Ask until nothing is left, or nothing more is to be asked. Raises `MissingPackage`, `Stopped`."""
        self._todo = deque(inputs)
        async with Client(self.spec) as client, asyncio.TaskGroup() as group:
            for _ in range(min(self.spec.concurrency, len(inputs))):
                group.create_task(self._work(client, inputs))

    def answers(self, inputs: Mapping[str, ExampleInputs], reader: AnswerReader) -> KeptAnswers:
        """All answers, what each took, and what is to be said of the run."""
        said = {key: self.kept.said[key] for key in inputs if key in self.kept.said}
        missing, error = len(inputs) - len(said), self.error
        if missing and error is None:
            what = f"{missing} of {counted(len(inputs), 'text')} were not answered"
            error = Stopped(f"endpoints: {self.spec.id}", what, "evaluate again: only these are asked")
        entries = {key: self._entry(one, reader) for key, one in said.items()}
        taken = {key: _taken(one) for key, one in said.items()}
        return KeptAnswers(entries, error=error, taken=taken, asked=self._facts(list(said.values())))

    async def _work(self, client: Client, inputs: Mapping[str, ExampleInputs]) -> None:
        while self._todo and self.error is None:
            key = self._todo.popleft()
            try:
                await self._ask(client, key, inputs[key])
            except (Stopped, OverBudget) as error:
                self.error = self.error or error

    async def _ask(self, client: Client, key: str, example: ExampleInputs) -> None:
        """Ask about one input, again if need be, and keep what is said."""
        messages, why = self._messages(example), ""
        for attempt in range(self.spec.retries + 1):
            await self._turn()
            if self.error is not None:
                return
            number, paid = await self._reserved(self._most(messages)), None
            try:
                said = await client.send(self.model.served, messages, self.model.settings)
            except Again as error:
                why = str(error)
                wait = min(LONGEST_WAIT_S, FIRST_WAIT_S * 2**attempt) * random.uniform(0.5, 1.0)
                self._wait(wait if error.seconds is None else error.seconds)
            except Refused as error:
                paid = 0.0
                self._refuse(key, str(error))
                return
            else:
                self._keep(key, said)
                paid = self._usd(said)
                return
            finally:
                self._settle(number, paid)
        self._without += 1
        if self._without >= HOPELESS:
            each = counted(self.spec.retries + 1, "request")
            what = f"{HOPELESS} texts in a row have no answer after {each} each: {why}"
            raise Stopped(f"endpoints: {self.spec.id}", what, "look at the server, and evaluate again")

    def _messages(self, example: ExampleInputs) -> list[dict[str, str]]:
        try:
            return self.model.messages(example)
        # A template may fail in ways of its own, such as a division by zero.
        except Exception as error:
            what = f"{self.model.prompt.source!r}: {error}"
            raise Stopped("options.template", what, "correct it") from None

    def _keep(self, key: str, said: Said) -> None:
        self.kept.add(key, said)
        self.progress.advance(1)
        self._without, self._answered = 0, True
        # Now that it answers something, what it refused was refused for itself.
        for refused, words in self._refused.items():
            self.kept.add(refused, words)
            self.progress.advance(1)
        self._refused.clear()

    def _refuse(self, key: str, words: str) -> None:
        if self._answered:
            self.kept.add(key, words)
            self.progress.advance(1)
            return
        self._refused[key] = words
        if len(self._refused) >= HOPELESS:
            what = f"it takes none of the requests: {words}"
            raise Stopped(f"endpoints: {self.spec.id}", what, "correct the model's options, or ask elsewhere")

    async def _reserved(self, most: float | None) -> int:
        """The number of a request that the budget allows, now or once what is under way has cost less than it
        might. Raises `OverBudget`."""
        while True:
            try:
                number = self.ledger.reserve(most)
            except OverBudget:
                if not self._under_way:
                    raise
                self._settled.clear()
                await self._settled.wait()
            else:
                self._under_way += 1
                return number

    def _settle(self, number: int, usd: float | None) -> None:
        self.ledger.settle(number, usd)
        self._under_way -= 1
        self._settled.set()

    async def _turn(self) -> None:
        """Wait until the next request may be sent."""
        now = time.monotonic()
        at = max(now, self._next_at)
        pace = self.spec.requests_per_minute
        self._next_at = at + (60.0 / pace if pace else 0.0)
        if at > now:
            await asyncio.sleep(at - now)

    def _wait(self, seconds: float) -> None:
        """Send nothing for so long: a server that is too busy is so for all requests."""
        self._next_at = max(self._next_at, time.monotonic() + seconds)

    def _most(self, messages: Sequence[Mapping[str, str]]) -> float | None:
        """The most that an answer can cost in US dollars; None where no price is known."""
        texts = sum(len(one["content"].encode()) for one in messages)
        sent = texts + AROUND_ALL + AROUND_EACH * len(messages)
        return self._dollars({"input_tokens": sent, "output_tokens": self.model.new_tokens}, _today())

    def _usd(self, said: Said) -> float | None:
        tokens = {name: getattr(said, name) for name in ("input_tokens", "cached_tokens", "output_tokens")}
        return self._dollars(tokens, datetime.date.fromisoformat(said.at))

    def _dollars(self, tokens: Mapping[str, int | None], day: datetime.date) -> float | None:
        found = cost(self.boards, self.spec.id, self.model.served, tokens, day)
        return found.amount if found is not None and found.currency == "USD" else None

    def _entry(self, said: Said | str, reader: AnswerReader) -> Entry:
        if isinstance(said, str):
            words = f": {said}" if reader.show_text else ""
            return Entry(failure=("refused", f"the endpoint did not take it{words}"))
        if said.finish == HELD_BACK:
            return Entry(failure=("refused", "the endpoint held the answer back"))
        return reader.checked(self.model.output(said.text))

    def _facts(self, said: Sequence[Said | str]) -> dict[str, Any]:
        """What a result says of the run: where and when it was asked, as what, and how answers ended."""
        answers = [one for one in said if isinstance(one, Said)]
        days = sorted({one.at for one in answers})
        facts = {
            "endpoint": self.spec.id,
            "region": self.spec.region,
            "model": self.model.served,
            "served": sorted({_without_folders(one.served) for one in answers if one.served}),
            "from": days[0] if days else None,
            "to": days[-1] if days else None,
            "finished": dict(sorted(Counter(one.finish for one in answers).items())),
        }
        return {name: value for name, value in facts.items() if value not in (None, [], {})}


def _taken(said: Said | str) -> dict[str, float | None]:
    if isinstance(said, str):
        return dict.fromkeys(TAKEN)
    return {name: _number(said, name) for name in TAKEN}


def _number(said: Said, name: str) -> float | None:
    value = said.finish == AT_LIMIT if name == "cut_off" else getattr(said, name)
    return None if value is None else float(value)


def _without_folders(served: str) -> str:
    """The name of a served model. Some servers call a model by its file, with the folders of their machine,
    which are nobody's business and elsewhere are others."""
    path = PureWindowsPath(served)  # takes both kinds of slashes
    return path.name if path.root or path.suffix == ".gguf" else served


def _today() -> datetime.date:
    return datetime.datetime.now(datetime.UTC).date()
