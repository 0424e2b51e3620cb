"""The client's side: it sends assignments to free workers, takes answers in, and sends lost ones again."""

from __future__ import annotations

import pickle
import time
from collections import Counter
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from evaluator.cluster.child import AssignmentAnswer, NodeAssignment
from evaluator.cluster.connecting import ClusterAddress, configure_scheduler, connected, start_missing
from evaluator.cluster.membership import Membership
from evaluator.measure.run import Progress
from evaluator.measure.run.asking import TimedAnswers, TimedQuestions
from evaluator.measure.run.unit import UnitRun
from evaluator.measure.run.untimed import KeptAnswers, Questions
from evaluator.measure.worker import WorkerError
from evaluator.rank.formats import counted
from evaluator.records.board import Boards
from evaluator.records.errors import UserError

if TYPE_CHECKING:
    from distributed import Client, Future

#: Seconds between two looks at who is there.
LOOK_S = 0.5
#: Seconds to wait for a node that can do what is left.
PATIENCE_S = 3600.0
#: An assignment that was lost so often on one and the same machine is given up.
MOST_LOSSES = 5


@dataclass(eq=False)
class Item:
    """Questions of unit number `unit`, from 1, and how often each machine was lost with them."""

    unit: int
    questions: TimedQuestions | Questions
    losses: Counter[str] = field(default_factory=Counter)

    @property
    def timed(self) -> bool:
        """Whether the model is timed."""
        return isinstance(self.questions, TimedQuestions)


class Fleet:
    """Has models asked on the nodes of a cluster: a `Drive` of `evaluator.measure.run.evaluate`."""

    def __init__(self, address: ClusterAddress, boards: Boards) -> None:
        self.address, self.boards = address, boards

    def __call__(
        self, runs: Sequence[UnitRun], work: Path, progress: Progress, remeasure: bool
    ) -> Generator[tuple[int, UnitRun], None, None]:
        """Bring units up to date; yields each with its number, from 1, whenever its outcome is another.

        Models are prepared here first, so that every node has the same. What is not timed waits until every
        model is timed, as on one machine. Raises `UserError`.
        """
        timed, untimed = [], []
        for number, run in enumerate(runs, start=1):
            progress.unit(number, len(runs), run.unit)
            if asked := run.timed_questions(remeasure):
                timed.append(Item(number, asked))
            elif run.begin(remeasure):
                yield number, run
        with ExitStack() as stack:
            connection = _Connection(self.address, self.boards, runs, progress, stack)
            for item, answer in connection.ask(timed):
                run = runs[item.unit - 1]
                run.begin(remeasure, lambda questions, answer=answer: _given(answer))  # type: ignore[misc]
                yield item.unit, run
            for number, run in enumerate(runs, start=1):
                before, wanted = run.outcome, run.questions()
                if wanted is not None:
                    untimed.append(Item(number, wanted))
                elif run.finish(None) is not before:
                    yield number, run
            for item, answer in connection.ask(untimed):
                run = runs[item.unit - 1]
                before, lost = run.outcome, isinstance(answer, Exception)
                if run.finish(KeptAnswers({}, error=answer) if lost else answer) is not before:  # type: ignore[arg-type]
                    yield item.unit, run


def _given(answer: AssignmentAnswer) -> TimedAnswers:
    if isinstance(answer, Exception):
        raise answer
    assert isinstance(answer, TimedAnswers)
    return answer


@dataclass(frozen=True)
class _Sent:
    """A Dask task under way at a worker: an item, or None where the worker shows what it is."""

    future: Future
    address: str
    item: Item | None


class _Connection:
    """Assignments out, answers in; the cluster is joined, or started, when there is something to ask."""

    def __init__(
        self,
        address: ClusterAddress,
        boards: Boards,
        runs: Sequence[UnitRun],
        progress: Progress,
        stack: ExitStack,
    ) -> None:
        self.address, self.boards, self.runs, self.progress = address, boards, runs, progress
        self._stack, self._client = stack, None
        self.members = Membership(boards, address.kind == "local", progress.say)
        self._waiting: list[Item] = []
        self._busy: dict[str, Item] = {}
        self._sent: dict[str, _Sent] = {}
        self._events: SimpleQueue[str] = SimpleQueue()
        self._progressed = time.monotonic()
        self._files: Any = None

    @property
    def client(self) -> Client:
        """Dask's client."""
        if self._client is None:
            from evaluator.cluster.node import ModelFiles

            self.progress.all_units()
            self.progress.phase("waiting for the scheduler")
            self._client = self._stack.enter_context(connected(self.address, self.boards.cluster))
            configure_scheduler(self._client)
            self._files = cache(ModelFiles.of)
        return self._client

    def ask(self, items: Sequence[Item]) -> Iterator[tuple[Item, AssignmentAnswer]]:
        """Every item with its answer, or why there is none, as they come.

        Raises `UserError` when there is no hope of more.
        """
        if not items:
            return
        self._waiting += items
        present = self._present()
        self.progress.phase("on the cluster", len(items))
        self._progressed = time.monotonic()
        while self._waiting or self._busy:
            gone, unknown = self.members.update(present)
            for address in gone:
                yield from self._lost(address)
            for address, with_card in unknown.items():
                self._show(address, with_card)
            for address in sorted(self.members.hosts.keys() - self._busy.keys()):
                if item := self._next(address):
                    self._send(address, item)
            if self._busy:
                self._progressed = time.monotonic()
            self._check_patience()
            for item, answer in self._event():
                self.progress.advance()
                yield item, answer
            present = self._present()

    @property
    def _left(self) -> str:
        return counted(len(self._waiting) + len(self._busy), "assignment")

    def _present(self) -> Mapping[str, Any]:
        """The workers that are there. Raises `UserError` when the scheduler is gone."""
        client = self.client
        try:
            # Not `client.scheduler_info`: it may return the totals without workers that the client keeps.
            known = (
                client.sync(client.scheduler.identity, n_workers=-1) if client.status == "running" else None
            )
        except OSError:
            known = None
        if known is None:
            fix = "start it again, and run the same command: what was finished is stored"
            raise UserError("--cluster", f"the Dask scheduler is gone, with {self._left} left", fix)
        workers: Mapping[str, Any] = known["workers"]
        start_missing(client, len(workers))
        return workers

    def _check_patience(self) -> None:
        if time.monotonic() - self._progressed > PATIENCE_S:
            wanted = f" of class {self.members.first_class}" if self.members.first_class else ""
            fix = "add some, and run the same command: what was finished is stored"
            missing = f"no node{wanted} came within {PATIENCE_S:g} s, with {self._left} left"
            raise UserError("--cluster", missing, fix)

    def _next(self, address: str) -> Item | None:
        """The first item that waits and that a worker may do; None if there is none.

        What was lost with its machine goes to another one, if there is one at all.
        """
        host = self.members.hosts[address]
        for item in self._waiting:
            able = [one for one in self.members.hosts if not item.timed or self.members.may_time(one)]
            others = {self.members.hosts[one] for one in able} - set(item.losses)
            if address in able and (host in others or not others):
                self._waiting.remove(item)
                return item
        return None

    def _show(self, address: str, with_card: bool) -> None:
        from evaluator.cluster.node import show

        self._submit(address, None, "show", show, self.boards.measure.threads if with_card else None)

    def _send(self, address: str, item: Item, with_files: bool = False) -> None:
        from evaluator.cluster.node import carry_out

        self._busy[address] = item
        files = self._files(item.questions.spec.directory)
        packed, scratch = files.packed() if files and with_files else None, self.boards.cluster.scratch
        assignment = NodeAssignment(item.questions, self.members.share_of(address)).packed()
        self._submit(address, item, self._name(item), carry_out, assignment, files, packed, scratch)

    def _submit(self, address: str, item: Item | None, name: str, *call: Any) -> None:
        key = f"{name}-{uuid4().hex}"
        future = self.client.submit(
            *call,
            key=key,
            workers=[address],
            resources={"slot": 1},
            pure=False,
            retries=0,
        )
        self._sent[key] = _Sent(future, address, item)
        future.add_done_callback(lambda done: self._events.put(key))

    def _event(self) -> Iterator[tuple[Item, AssignmentAnswer]]:
        """Wait a while for a task to end: well, by an error, or because its worker is gone."""
        from distributed import CancelledError, KilledWorker

        from evaluator.cluster.node import FilesMissing, ProcessKilled

        try:
            sent = self._sent.pop(self._events.get(timeout=LOOK_S), None)
        except Empty:
            return
        if sent is None:
            # Somebody had let go of it: what it says is dropped.
            return
        address, item = sent.address, sent.item
        try:
            result = sent.future.result()
        except FilesMissing:
            assert item is not None
            self._send(address, item, with_files=True)
        except (KilledWorker, CancelledError, OSError):
            yield from self._lost(address)
        except ProcessKilled:
            yield from self._verdict(address)
        except Exception as error:
            if item is not None:
                self._waiting.insert(0, self._busy.pop(address))
            self.members.refuse(address, f"it cannot do what it is asked: {error or error!r}")
        else:
            if item is None:
                self.members.showed(address, *result)
                return
            answer = pickle.loads(result)
            if not isinstance(answer, Exception):
                answer = replace(answer, node_class=self.members.classes[self.members.hosts[address]])
            yield self._busy.pop(address), answer

    def _lost(self, address: str) -> Iterator[tuple[Item, AssignmentAnswer]]:
        """A worker is gone, and what it was doing is lost."""
        for key in [key for key, sent in self._sent.items() if sent.address == address]:
            self._sent.pop(key).future.cancel()
        self.members.forget(address)
        if address in self._busy:
            yield from self._verdict(address)

    def _verdict(self, address: str) -> Iterator[tuple[Item, AssignmentAnswer]]:
        """What becomes of an item that was lost: another try, the model's failure, or neither."""
        item = self._busy.pop(address)
        host = address.partition("://")[2].rpartition(":")[0]
        item.losses[host] += 1
        machines = ", ".join(sorted(item.losses))
        if len(item.losses) > 1:
            said = f"the model was lost with its node twice, on {machines}"
            yield item, WorkerError("killed", said, fatal=True)
        elif item.losses[host] >= MOST_LOSSES:
            said = f"the node was lost {item.losses[host]} times ({machines}); run evaluate again"
            yield item, WorkerError("node-lost", said, fatal=True)
        else:
            self._waiting.insert(0, item)
            self.progress.say(f"{address} was lost while it asked {self._name(item)}, which is asked again")

    def _name(self, item: Item) -> str:
        unit = self.runs[item.unit - 1].unit
        return f"{unit.model.id} on {unit.dataset.id}, {'timed' if item.timed else 'untimed'}"
