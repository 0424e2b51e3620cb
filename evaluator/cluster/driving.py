"""The client's side: it sends assignments to free workers, takes answers in, and sends lost ones again."""

from __future__ import annotations

import pickle
import time
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import cache
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from evaluator.cluster.child import AssignmentAnswer, NodeAssignment
from evaluator.cluster.connecting import ClusterAddress, connected
from evaluator.cluster.membership import Membership
from evaluator.measure.run import Progress
from evaluator.measure.run.asking import TimedAnswers, TimedQuestions
from evaluator.measure.run.unit import UnitRun
from evaluator.measure.run.untimed import KeptAnswers, Questions, Unasked
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
    """Questions of a unit, and how often each machine was lost with them."""

    run: UnitRun
    questions: TimedQuestions | Questions
    losses: Counter[str] = field(default_factory=Counter)

    @property
    def timed(self) -> bool:
        """Whether the model is timed."""
        return isinstance(self.questions, TimedQuestions)

    @property
    def name(self) -> str:
        """What is asked, for people."""
        unit = self.run.unit
        return f"{unit.model.id} on {unit.dataset.id}, {'timed' if self.timed else 'untimed'}"


class Fleet:
    """Has models asked on the nodes of a cluster: an `Asker` of `evaluator.measure.run.evaluate`.

    The cluster is joined, or started, when there is something to ask, and left by `close`.
    """

    def __init__(self, address: ClusterAddress, boards: Boards, progress: Progress) -> None:
        self.address, self.boards, self.progress = address, boards, progress
        self.members = Membership(boards, address.kind == "local", progress.say)
        self._stack, self._client = ExitStack(), None
        self._waiting: list[Item] = []
        # By worker its Dask task, which asks an item, or shows what the worker is where that is None.
        self._sent: dict[str, tuple[Future, Item | None]] = {}
        self._ended: SimpleQueue[tuple[str, str]] = SimpleQueue()
        self._files: Any = None

    def close(self) -> None:
        """Leave the cluster, and end it if it was started for this."""
        self._stack.close()

    def timed(
        self, asked: Iterable[tuple[UnitRun, TimedQuestions]]
    ) -> Iterator[tuple[UnitRun, TimedAnswers | Unasked]]:
        """As they come. Models are prepared here first: all nodes have the same. Raises `UserError`."""
        for run, answers in self._ask([Item(*one) for one in asked]):
            assert not isinstance(answers, KeptAnswers)
            yield run, answers

    def untimed(
        self, asked: Sequence[tuple[UnitRun, Questions]]
    ) -> Generator[tuple[UnitRun, KeptAnswers], None, None]:
        """As they come. Raises `UserError`."""
        for run, answers in self._ask([Item(*one) for one in asked]):
            assert not isinstance(answers, TimedAnswers)
            yield run, KeptAnswers({}, error=answers) if isinstance(answers, Exception) else answers

    @property
    def client(self) -> Client:
        """Dask's client."""
        if self._client is None:
            from evaluator.cluster.node import ModelFiles

            self.progress.all_units()
            self.progress.phase("waiting for the scheduler")
            self._client = self._stack.enter_context(connected(self.address, self.boards.slurm))
            self._files = cache(ModelFiles.of)
        return self._client

    def _ask(self, items: Sequence[Item]) -> Iterator[tuple[UnitRun, AssignmentAnswer]]:
        """Every unit with its answer, as they come. Raises `UserError` when there is no hope of more."""
        if not items:
            return
        from evaluator.cluster.node import show

        self._waiting += items
        present = self._present()
        self.progress.phase("on the cluster", len(items))
        progressed = time.monotonic()
        while self._waiting or any(item for _, item in self._sent.values()):
            gone, unknown = self.members.update(present)
            for address in gone:
                if address in self._sent:
                    future, item = self._sent.pop(address)
                    future.cancel()
                    yield from self._lost(address, item)
            for address, with_card in unknown.items():
                self._submit(address, None, "show", show, self.boards.measure.threads if with_card else None)
            for address in sorted(self.members.hosts.keys() - self._sent.keys()):
                if item := self._next(address):
                    self._send(address, item)
            if any(item for _, item in self._sent.values()):
                progressed = time.monotonic()
            elif time.monotonic() - progressed > PATIENCE_S:
                wanted = f" of class {self.members.first_class}" if self.members.first_class else ""
                missing = f"no node{wanted} came within {PATIENCE_S:g} s, with {self._left} left"
                fix = "add some, and run the same command: what was finished is stored"
                raise UserError("--cluster", missing, fix)
            for answered in self._event():
                self.progress.advance()
                yield answered
            present = self._present()

    @property
    def _left(self) -> str:
        busy = sum(item is not None for _, item in self._sent.values())
        return counted(len(self._waiting) + busy, "assignment")

    def _present(self) -> Mapping[str, Any]:
        """The workers that are there. Raises `UserError` when the scheduler is gone."""
        client = self.client
        try:
            # Not `client.scheduler_info`: it may return the totals without workers that the client keeps.
            running = client.status == "running"
            known = client.sync(client.scheduler.identity, n_workers=-1) if running else None
        except OSError:
            known = None
        if known is None:
            fix = "start it again, and run the same command: what was finished is stored"
            raise UserError("--cluster", f"the Dask scheduler is gone, with {self._left} left", fix)
        workers: Mapping[str, Any] = known["workers"]
        cluster = client.cluster
        if cluster is not None and len(workers) < len(cluster.worker_spec):
            # Its nanny gave up a worker that was started for this, or a batch job ended: it is started again.
            cluster.scale(len(cluster.worker_spec))
        return workers

    def _next(self, address: str) -> Item | None:
        """The first item that a worker may do; what was lost goes to another machine, if there is one."""
        host = self.members.hosts[address]
        for item in self._waiting:
            able = [one for one in self.members.hosts if not item.timed or self.members.may_time(one)]
            others = {self.members.hosts[one] for one in able} - set(item.losses)
            if address in able and (host in others or not others):
                self._waiting.remove(item)
                return item
        return None

    def _send(self, address: str, item: Item, with_files: bool = False) -> None:
        from evaluator.cluster.node import carry_out

        files = self._files(item.questions.spec.directory)
        packed = files.packed() if files and with_files else None
        assignment = NodeAssignment(item.questions, self.members.share_of(address)).packed()
        self._submit(address, item, item.name, carry_out, assignment, files, packed)

    def _submit(self, address: str, item: Item | None, name: str, *call: Any) -> None:
        key = f"{name}-{uuid4().hex}"
        future = self.client.submit(
            *call, key=key, workers=[address], resources={"slot": 1}, pure=False, retries=0
        )
        self._sent[address] = future, item
        future.add_done_callback(lambda done: self._ended.put((address, key)))

    def _event(self) -> Iterator[tuple[UnitRun, AssignmentAnswer]]:
        """Wait a while for a task to end: well, by an error, or because its worker is gone."""
        from distributed import CancelledError, KilledWorker

        from evaluator.cluster.node import FilesMissing, ProcessKilled

        try:
            address, key = self._ended.get(timeout=LOOK_S)
        except Empty:
            return
        if address not in self._sent or self._sent[address][0].key != key:
            # Somebody had let go of it: what it says is dropped.
            return
        future, item = self._sent.pop(address)
        try:
            result = future.result()
        except FilesMissing:
            assert item is not None
            self._send(address, item, with_files=True)
        except (KilledWorker, CancelledError, OSError):
            self.members.forget(address)
            yield from self._lost(address, item)
        except ProcessKilled:
            yield from self._lost(address, item)
        except Exception as error:
            if item is not None:
                self._waiting.insert(0, item)
            self.members.refuse(address, f"it cannot do what it is asked: {error or error!r}")
        else:
            if item is None:
                self.members.showed(address, *result)
                return
            answer = pickle.loads(result)
            if not isinstance(answer, Exception):
                answer = replace(answer, node_class=self.members.classes[self.members.hosts[address]])
            yield item.run, answer

    def _lost(self, address: str, item: Item | None) -> Iterator[tuple[UnitRun, AssignmentAnswer]]:
        """What becomes of an item that was lost: another try, the model's failure, or neither."""
        if item is None:
            return
        host = address.partition("://")[2].rpartition(":")[0]
        item.losses[host] += 1
        machines = ", ".join(sorted(item.losses))
        if len(item.losses) > 1:
            said = f"the model was lost with its node twice, on {machines}"
            yield item.run, WorkerError("killed", said, fatal=True)
        elif item.losses[host] >= MOST_LOSSES:
            said = f"the node was lost {item.losses[host]} times ({machines}); run evaluate again"
            yield item.run, WorkerError("node-lost", said, fatal=True)
        else:
            self._waiting.insert(0, item)
            self.progress.say(f"{address} was lost while it asked {item.name}, which is asked again")
