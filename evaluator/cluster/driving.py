"""The client's side: it sends assignments to free slots, takes answers in, and sends lost ones again."""

from __future__ import annotations

import pickle
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from evaluator.cluster.assignment import AssignmentAnswer, NodeAssignment
from evaluator.cluster.connecting import (
    ClusterAddress,
    ClusterError,
    configure_scheduler,
    connected,
    start_missing,
)
from evaluator.cluster.membership import Membership
from evaluator.cluster.model_files import ModelFiles
from evaluator.cluster.node_card import CardAssignment
from evaluator.cluster.queue import LossVerdict, Queue, QueueItem
from evaluator.measure.run import Progress
from evaluator.measure.run.asking import TimedAnswers, TimedQuestions
from evaluator.measure.run.unit import UnitRun
from evaluator.measure.run.untimed import KeptAnswers, Questions
from evaluator.measure.worker import WorkerError
from evaluator.rank.formats import counted
from evaluator.records.board import Boards

if TYPE_CHECKING:
    from distributed import Client, Future

#: Seconds between two looks at who is there.
LOOK_S = 0.5
#: An item, and its answer or what kept the model from being asked.
AnsweredItem = tuple[QueueItem, AssignmentAnswer]


#: Seconds to wait for a node that can do what is left.
PATIENCE_S = 3600.0


class Fleet:
    """Has models asked on the nodes of a cluster: a `Drive` of `evaluator.measure.run.evaluate`."""

    def __init__(self, address: ClusterAddress, boards: Boards) -> None:
        self.address, self.boards = address, boards

    def __call__(
        self, runs: Sequence[UnitRun], work: Path, progress: Progress, remeasure: bool
    ) -> Generator[tuple[int, UnitRun], None, None]:
        """Bring units up to date; yields each with its number, from 1, whenever its outcome is another.

        Models are prepared here first, so that every node has the same. Raises `ClusterError`.
        """
        items = _OpenQuestions(runs, remeasure)
        for number, run in enumerate(runs, start=1):
            progress.unit(number, len(runs), run.unit)
            yield from items.begin(number)
        if not items.queue.left:
            return
        progress.all_units()
        progress.phase("waiting for the scheduler")
        with connected(self.address, self.boards.cluster) as client:
            progress.phase("on the cluster", items.queue.left)
            exchange = _Exchange(client, self.boards, items, progress)
            for item, answer in exchange.answers():
                before = items.queue.left
                yield from items.take(item, answer)
                progress.advance(1 if items.queue.left == before else 0)


class _OpenQuestions:
    """What each unit still wants to know."""

    def __init__(self, runs: Sequence[UnitRun], remeasure: bool) -> None:
        self.runs, self.remeasure = runs, remeasure
        self.queue = Queue()
        self.questions: dict[QueueItem, TimedQuestions | Questions] = {}

    def begin(self, number: int) -> Iterator[tuple[int, UnitRun]]:
        """Queue a unit's timing; without one go on to what is asked untimed."""
        run = self.runs[number - 1]
        if questions := run.timed_questions(self.remeasure):
            self._enqueue(QueueItem(number, timed=True), questions)
            return
        if run.begin(self.remeasure):
            yield number, run
        yield from self._continue(number)

    def take(self, item: QueueItem, answer: AssignmentAnswer) -> Iterator[tuple[int, UnitRun]]:
        """Score an answer, and queue what follows from it."""
        run, before = self.runs[item.unit - 1], self.runs[item.unit - 1].outcome
        self.questions.pop(item)
        if item.timed:
            run.begin(self.remeasure, lambda questions: _given(answer))
            yield item.unit, run
            yield from self._continue(item.unit)
            return
        run.finish(answer if isinstance(answer, KeptAnswers) else KeptAnswers({}, error=_error(answer)))
        if run.outcome is not before:
            yield item.unit, run

    def _continue(self, number: int) -> Iterator[tuple[int, UnitRun]]:
        run = self.runs[number - 1]
        before, questions = run.outcome, run.questions()
        if questions is not None and questions.inputs:
            self._enqueue(QueueItem(number, timed=False), questions)
            return
        run.finish(None)
        if run.outcome is not before:
            yield number, run

    def _enqueue(self, item: QueueItem, questions: TimedQuestions | Questions) -> None:
        self.questions[item] = questions
        self.queue.add(item)


def _given(answer: AssignmentAnswer) -> TimedAnswers:
    if isinstance(answer, TimedAnswers):
        return answer
    raise _error(answer)


def _error(answer: AssignmentAnswer) -> Any:
    assert isinstance(answer, Exception)
    return answer


@dataclass(frozen=True)
class _Sent:
    """A Dask task under way in a slot: an item, or None where a worker shows what it is."""

    future: Future
    slot: str
    item: QueueItem | None


class _Exchange:
    """Assignments out, answers in. What comes from a task that was let go of is dropped."""

    def __init__(self, client: Client, boards: Boards, items: _OpenQuestions, progress: Progress) -> None:
        self.client, self.boards, self.items, self.progress = client, boards, items, progress
        self.queue = items.queue
        self.membership = Membership(boards, progress.say)
        self._events: SimpleQueue[str] = SimpleQueue()
        self._sent: dict[str, _Sent] = {}
        self._scheduler: str | None = None
        self._progressed = time.monotonic()
        self._files = cache(ModelFiles.of)

    def answers(self) -> Iterator[AnsweredItem]:
        """Every item with its answer, as they come. Raises `ClusterError` when there is no hope of more."""
        while self.queue.left:
            if info := self._scheduler_info():
                yield from self._look(info["workers"])
                for given in list(self.queue.next()):
                    self._send(given.slot, given.item, given.share)
            if self.queue.under_way:
                self._progressed = time.monotonic()
            self._check_patience()
            key = self._next_event()
            if key in self._sent:
                yield from self._ended(self._sent.pop(key))

    @property
    def _left(self) -> str:
        return counted(self.queue.left, "assignment")

    def _next_event(self) -> str:
        try:
            return self._events.get(timeout=LOOK_S)
        except Empty:
            return ""

    def _look(self, present: Mapping[str, Any]) -> Iterator[AnsweredItem]:
        """See who is there and who is gone."""
        start_missing(self.client, len(present))
        gone, asked = self.membership.update(present)
        for slot in gone:
            yield from self._lost(slot)
        for slot, with_card in asked.items():
            self._show(slot, with_card)
        self.membership.check_any(present)

    def _scheduler_info(self) -> Mapping[str, Any] | None:
        """What the scheduler says; None while it is gone. Raises `ClusterError` when it stays away."""
        if self.client.status == "closed":
            fix = "start it again, and run the same command: what was finished is stored"
            raise ClusterError(f"the Dask scheduler is gone, with {self._left} left; {fix}")
        if self.client.status != "running":
            return None
        try:
            # Not `client.scheduler_info`: it may return the totals without workers that the client keeps.
            info: Mapping[str, Any] = self.client.sync(self.client.scheduler.identity, n_workers=-1)
            if info["id"] != self._scheduler:
                self._start_over()
                configure_scheduler(self.client)
                self._scheduler = info["id"]
        except OSError:
            return None
        return info

    def _start_over(self) -> None:
        """Send everything again: a new scheduler has nothing of what was sent."""
        for sent in self._sent.values():
            self._put_back(sent)
        self._sent.clear()

    def _check_patience(self) -> None:
        if time.monotonic() - self._progressed > PATIENCE_S:
            wanted = f" of class {self.membership.first_class}" if self.membership.first_class else ""
            fix = "add some, and run the same command: what was finished is stored"
            raise ClusterError(f"no node{wanted} came within {PATIENCE_S:g} s, with {self._left} left; {fix}")

    def _show(self, slot: str, with_card: bool) -> None:
        from evaluator.cluster.node import show

        card = pickle.dumps(CardAssignment(self.boards.measure.threads)) if with_card else None
        self._submit(slot, None, "show", show, card, self.boards.cluster.scratch)

    def _send(self, slot: str, item: QueueItem, share: tuple[int, int], with_files: bool = False) -> None:
        from evaluator.cluster.node import carry_out

        questions = self.items.questions[item]
        files = self._files(questions.spec.directory)
        packed = files.packed() if files and with_files else None
        assignment = NodeAssignment(questions, share).packed()
        self._submit(
            slot, item, self._name(item), carry_out, assignment, files, packed, self.boards.cluster.scratch
        )

    def _submit(self, slot: str, item: QueueItem | None, name: str, *call: Any) -> None:
        key = f"{name}-{uuid4().hex}"
        future = self.client.submit(
            *call, key=key, workers=[slot], resources={"slot": 1}, pure=False, retries=0
        )
        self._sent[key] = _Sent(future, slot, item)
        future.add_done_callback(lambda done: self._events.put(key))

    def _ended(self, sent: _Sent) -> Iterator[AnsweredItem]:
        """A task has ended: well, by an error, or because its worker or the scheduler is gone."""
        from distributed import CancelledError, KilledWorker

        from evaluator.cluster.node import FilesMissing, ProcessKilled

        error = sent.future.exception() if sent.future.status == "error" else None
        if sent.future.status == "finished":
            try:
                result = sent.future.result()
            except (OSError, CancelledError):
                # The scheduler went before it had handed the answer on.
                self._put_back(sent)
            else:
                yield from self._received(sent, result)
        elif sent.item is None:
            if error is not None and not isinstance(error, KilledWorker):
                self.membership.refuse(sent.slot, f"it cannot show what it is: {error}")
            else:
                self._put_back(sent)
        elif isinstance(error, FilesMissing):
            share = self.queue.share_of(sent.slot)
            self._send(sent.slot, sent.item, share, with_files=True)
        elif isinstance(error, KilledWorker):
            yield from self._lost(sent.slot)
        elif isinstance(error, ProcessKilled):
            yield from self._verdict(sent.slot)
        elif error is not None:
            self.queue.put_back(sent.slot)
            self.queue.left_by(sent.slot)
            self.membership.refuse(sent.slot, str(error) or repr(error))
        else:
            # Cancelled with all others: the scheduler is gone.
            self._put_back(sent)

    def _put_back(self, sent: _Sent) -> None:
        """What was sent is to be asked again; its loss does not count."""
        if sent.item is None:
            self.membership.forget(sent.slot)
        else:
            self.queue.put_back(sent.slot)

    def _received(self, sent: _Sent, result: Any) -> Iterator[AnsweredItem]:
        if sent.item is None:
            node = self.membership.showed(sent.slot, *result)
            if node is not None:
                self.queue.joined(sent.slot, node, self.membership.fit_for_timing(node))
            return
        node = self.queue.slots[sent.slot]
        answer = pickle.loads(result)
        if not isinstance(answer, Exception):
            answer = replace(answer, node_class=self.membership.classes[node])
        yield self.queue.done(sent.slot), answer

    def _lost(self, slot: str) -> Iterator[AnsweredItem]:
        """A slot is gone, and what it was doing is lost."""
        for key in [key for key, sent in self._sent.items() if sent.slot == slot]:
            self._sent.pop(key).future.cancel()
        if slot in self.queue.under_way:
            yield from self._verdict(slot)
        self.queue.left_by(slot)

    def _name(self, item: QueueItem) -> str:
        unit = self.items.runs[item.unit - 1].unit
        return f"{unit.model.id} on {unit.dataset.id}, {'timed' if item.timed else 'untimed'}"

    def _verdict(self, slot: str) -> Iterator[AnsweredItem]:
        item, verdict = self.queue.lost(slot)
        if verdict == "again":
            self.progress.say(f"{slot} was lost while it asked {self._name(item)}, which is asked again")
        else:
            yield item, _loss(item, verdict)


def _loss(item: QueueItem, verdict: LossVerdict) -> WorkerError:
    """Why an item has no answer: its model failed, or nodes were lost."""
    nodes = ", ".join(sorted(item.losses))
    if verdict == "failed":
        return WorkerError("killed", f"the model was lost with its node twice, on {nodes}", fatal=True)
    times = f"{item.losses.total()} times"
    return WorkerError("node-lost", f"the node was lost {times} ({nodes}); run evaluate again", fatal=True)
