"""One model and all that it is asked untimed, by a worker on each core or by one worker on all of them.

Each core comes with a thread, its lane. The first lane to come leads: it finds out whether the model
answers to a batch as it does to single inputs, and how many workers the memory has room for. The others help
where that saves time. The leader loads the model while inputs are still in the making; the others as soon as
these are there if the model was timed before, else when the leader knows what it is like. Once all of them
work, the leader tries whether one worker that uses all cores is faster than they are together, if there is
enough left to do to be worth a try.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Condition

import psutil

from evaluator.measure.run.batching import SAMPLE, SIZE, InputBatch, compare, in_batches, length
from evaluator.measure.run.inputs import ExampleInputs
from evaluator.measure.run.journal import Journal
from evaluator.measure.run.predict import AnswerReader, Deaths, Predictor
from evaluator.measure.worker import Limits, ModelToLoad, Placement, WorkerError
from evaluator.records.result import BatchCheck
from evaluator.score.entry import Entry

#: The share of the free memory that further workers may take.
ROOM = 0.8
#: One worker on all cores is tried where there is so many times more to do than it takes to load.
WORTH_A_TRIAL = 20
#: What every worker answers before the two ways are compared: batches, and seconds of them, as a moment in
#: which the machine had other things to do would decide over a few short ones.
TRIAL, TRIAL_S = 3, 0.5
#: How many times faster one worker must be than several, so that they make room for it.
CLEARLY = 1.05
#: Who answers to one input at a time gets the inputs for so many seconds at once: lanes wait for one another
#: less often, and no more than these answers are lost with a process that is killed.
GROUP_S = 0.1

#: Receives how many more inputs are answered.
OnAnswered = Callable[[int], None]


@dataclass(frozen=True)
class Timed:
    """What a worker took when the model was timed: seconds for one input and to load, and memory at most."""

    seconds: float
    load_s: float
    peak_bytes: int


class Job:
    """A model, and the `journal` that keeps its answers by the keys of inputs, which come by `give`.

    `timed` is None if the model never was. What an earlier run failed to answer is asked again.
    `check` says whether batches were answered alike; `error` why it was pointless to go on. Both are None
    where there is nothing to say.
    """

    def __init__(
        self,
        spec: ModelToLoad,
        reader: AnswerReader,
        limits: Limits,
        journal: Journal[str],
        cores: Sequence[int],
        timed: Timed | None = None,
    ) -> None:
        self.spec, self.reader, self.limits = spec, reader, limits
        self.journal, self.cores, self.timed = journal, cores, timed
        self.inputs: Mapping[str, ExampleInputs] = {}
        for key in [key for key, entry in journal.entries.items() if entry.failure]:
            del journal.entries[key]
        self.check: BatchCheck | None = None
        self.error: WorkerError | None = None
        self._deaths, self._predictors, self._loading = Deaths(), set[Predictor](), set[Predictor]()
        self._changed = Condition()
        self._queue = deque[InputBatch]()
        self._waiting = 0
        self._pace = _Pace()
        self._load_s = 0.0
        self._given = self._led = self._decided = self._cut = self._together = False
        self._stopped = self._paused = self._alone = False
        self._seats, self._seated, self._ready, self._asking = 1, 0, 0, 0

    @property
    def todo(self) -> list[str]:
        """The keys that have no answer yet, sorted."""
        return sorted(key for key in self.inputs if key not in self.journal.entries)

    def give(self, inputs: Mapping[str, ExampleInputs]) -> None:
        """Say what the model is to be asked, by key."""
        with self._changed:
            self.inputs, self._given = inputs, True
            self._changed.notify_all()
        if self.timed and len(self.todo) * self.timed.seconds > self.timed.load_s:
            self._decide(self._room(self.timed.peak_bytes))

    def serve(self, core: int, answered: OnAnswered) -> None:
        """Take part from `core` until nothing is left to do here."""
        with self._changed:
            leads, self._led = not self._led, True
        try:
            (self._lead if leads else self._help)(core, answered)
        except WorkerError as error:
            self.stop(error)
        finally:
            if leads:
                self._decide(1)
                self._let_work()

    def stop(self, error: WorkerError | None = None) -> None:
        """Ask nothing more and end all workers, whatever they are at."""
        with self._changed:
            self.error = self.error or error
            self._stopped = True
            predictors = list(self._predictors)
            self._changed.notify_all()
        for predictor in predictors:
            predictor.stop()

    def _lead(self, core: int, answered: OnAnswered) -> None:
        # Who has answered before may have nothing left to answer, which is no reason to load the model.
        if self.journal.entries and not self._has_work():
            return
        with self._worker((core,)) as predictor:
            loaded = predictor.load()
            self._load_s = (loaded.spawn_ns + loaded.load_ns) / 1e9
            if not self._has_work():
                return
            self._begin(predictor, loaded.batches, answered)
            worth_it = self._left_s() > self._load_s
            self._decide(1 + self._room(predictor.memory().peak_bytes) if worth_it else 1)
            self._let_work()
            self._work(predictor, answered, leads=True)
        self._stop_loading()

    def _has_work(self) -> bool:
        """Wait for the inputs; whether any of them has no answer yet."""
        with self._changed:
            self._changed.wait_for(lambda: self._given or self._stopped)
            return not self._stopped and bool(self.todo)

    def _let_work(self) -> None:
        """The inputs are cut into batches: who has loaded the model may ask."""
        with self._changed:
            self._cut = True
            self._changed.notify_all()

    def _begin(self, predictor: Predictor, batches: bool, answered: OnAnswered) -> None:
        """Ask a sample one by one, then at once if the model can, and cut the rest into batches."""
        todo = self.todo
        several = batches and len(todo) > SAMPLE
        sample = (sorted(self.inputs) if several else todo)[:SAMPLE]
        began = time.monotonic()
        alone = [self._ask_one(predictor, key, answered) for key in sample]
        took = time.monotonic() - began
        group = max(1, min(SIZE, int(GROUP_S / took * len(sample))))
        if several:
            began = time.monotonic()
            self.check = compare(alone, predictor.entries([self.inputs[key] for key in sample]))
            took = time.monotonic() - began
        self._together = self.check is not None and self.check.passed
        lengths = [length(self.inputs[key]) for key in sample]
        self._pace.note(len(sample) * max(lengths) if self._together else sum(lengths), took)
        self._queue.extend(in_batches(self.inputs, self.todo, SIZE if self._together else group))
        self._waiting = sum(batch.cost for batch in self._queue)

    def _ask_one(self, predictor: Predictor, key: str, answered: OnAnswered) -> Entry:
        entry = predictor.entry(self.inputs[key])
        self._keep([key], [entry], answered)
        return entry

    def _help(self, core: int, answered: OnAnswered) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._decided)
            if self._seated >= self._seats:
                return
            self._seated += 1
        with self._worker((core,)) as predictor:
            if not self._load_beside(predictor):
                return
            with self._changed:
                self._changed.wait_for(lambda: self._cut or self._stopped)
                self._ready += 1
                self._pace.begin()
            self._work(predictor, answered)

    def _load_beside(self, predictor: Predictor) -> bool:
        """Load the model; whether that was done before everything was answered."""
        with self._changed:
            if self._cut and not self._queue:
                return False
            self._loading.add(predictor)
        try:
            predictor.load()
        except WorkerError:
            # There may be no room for one more; those that work go on.
            with self._changed:
                self._seats -= 1
            return False
        finally:
            with self._changed:
                self._loading.discard(predictor)
        return True

    def _stop_loading(self) -> None:
        """End the workers that are not needed any more, as nothing is left to ask."""
        with self._changed:
            late = list(self._loading)
        for predictor in late:
            predictor.stop()

    def _decide(self, seats: int) -> None:
        """Let that many workers work in all, the leader's among them."""
        with self._changed:
            if not self._decided:
                self._seats = max(1, min(len(self.cores), seats))
                self._seated, self._ready, self._decided = 1, 1, True
                self._changed.notify_all()

    def _room(self, peak_bytes: int) -> int:
        """How many further workers of so much memory have room."""
        return int(ROOM * psutil.virtual_memory().available / max(peak_bytes, 1))

    def _work(self, predictor: Predictor, answered: OnAnswered, leads: bool = False) -> None:
        """Ask batch after batch; who `leads` tries the other way when it is time to."""
        while batch := self._take():
            self._ask(predictor, batch, answered)
            if leads and self._worth_a_trial():
                self._try_alone(predictor, answered)
                leads = False

    def _take(self) -> InputBatch | None:
        """The next batch; None if there is none for this lane."""
        with self._changed:
            self._changed.wait_for(lambda: not self._paused or self._stopped)
            return None if self._alone else self._next()

    def _ask(self, predictor: Predictor, batch: InputBatch, answered: OnAnswered) -> None:
        began, inputs = time.monotonic(), [self.inputs[key] for key in batch.keys]
        entries: list[Entry] = []
        try:
            if self._together:
                entries = predictor.entries(inputs)
            else:
                for one in inputs:
                    entries.append(predictor.entry(one))
        finally:
            with self._changed:
                self._asking -= 1
                self._pace.note(batch.cost, time.monotonic() - began)
                self._changed.notify_all()
            self._keep(batch.keys[: len(entries)], entries, answered)

    def _worth_a_trial(self) -> bool:
        with self._changed:
            settled = self._ready == self._seats and self._pace.known(self._seats)
            return settled and len(self.cores) > 1 and self._left_s() > WORTH_A_TRIAL * self._load_s

    def _try_alone(self, predictor: Predictor, answered: OnAnswered) -> None:
        """Ask a few batches of one worker on all cores; if it is faster it does the rest."""
        apart = self._pace.rate * self._seats
        if self._seats == 1:
            # Perhaps there is no room for both.
            predictor.close()
        with self._worker(tuple(self.cores)) as whole:
            whole.load()
            with self._others_paused():
                self._pace.begin()
                while not self._pace.known(1) and (batch := self._pop()):
                    self._ask(whole, batch, answered)
                faster = self._pace.rate > CLEARLY * apart
                self._alone = faster
            while faster and (batch := self._pop()):
                self._ask(whole, batch, answered)

    def _pop(self) -> InputBatch | None:
        """The next batch for the worker on all cores."""
        with self._changed:
            return self._next()

    def _next(self) -> InputBatch | None:
        """The next batch, which is asked from now on; None if there is none."""
        if self._stopped or not self._queue:
            return None
        self._asking += 1
        batch = self._queue.popleft()
        self._waiting -= batch.cost
        return batch

    @contextmanager
    def _others_paused(self) -> Iterator[None]:
        """Wait until no lane asks anything, and let none ask meanwhile."""
        with self._changed:
            self._paused = True
            self._changed.wait_for(lambda: not self._asking)
        try:
            yield
        finally:
            with self._changed:
                self._paused = False
                self._pace.begin()
                self._changed.notify_all()

    @contextmanager
    def _worker(self, cpus: tuple[int, ...]) -> Iterator[Predictor]:
        """A worker on these CPUs, with a thread for each; known to `stop`."""
        placement = Placement(len(cpus), cpus)
        with Predictor(self.spec, self.reader, self.limits, placement, self._deaths) as predictor:
            with self._changed:
                self._predictors.add(predictor)
                if self._stopped:
                    predictor.stop()
            try:
                yield predictor
            finally:
                with self._changed:
                    self._predictors.discard(predictor)

    def _keep(self, keys: Sequence[str], entries: Sequence[Entry], answered: OnAnswered) -> None:
        with self._changed:
            new = [pair for pair in zip(keys, entries, strict=True) if pair[0] not in self.journal.entries]
            self.journal.extend(new)
        answered(len(new))

    def _left_s(self) -> float:
        """Seconds that one worker would take for the rest."""
        return self._waiting / self._pace.rate


class _Pace:
    """How fast one worker answers: the cost of batches over the seconds that they took, since `begin`."""

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """Forget what was before."""
        self._batches, self._cost, self._seconds = 0, 0.0, 0.0

    def note(self, cost: float, seconds: float) -> None:
        """One more batch. Costs are at least 1, so that there is always a rate."""
        self._batches += 1
        self._cost += max(cost, 1)
        self._seconds += seconds

    def known(self, workers: int) -> bool:
        """Whether that many workers answered enough to be compared with others."""
        return self._batches >= TRIAL * workers and self._seconds >= TRIAL_S * workers

    @property
    def rate(self) -> float:
        """Cost per second of one worker."""
        return self._cost / max(self._seconds, 1e-9)
