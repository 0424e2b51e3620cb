"""Asking a model: what it answers to examples, and how fast, which is one and the same run of it."""

from __future__ import annotations

import itertools
import json
import os
import secrets
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Any, Protocol

from evaluator.measure.run.answers import AnswerKey, AnswerReader, Journal, answer_key
from evaluator.measure.timing import Timing, worker_cpus
from evaluator.measure.timing.passes import Example
from evaluator.measure.worker import (
    Limits,
    Loaded,
    MemoryUse,
    ModelToLoad,
    Placement,
    Reply,
    Worker,
    WorkerError,
)
from evaluator.rank.formats import counted
from evaluator.records.base import SCHEMA_VERSION
from evaluator.records.board import MeasureSettings
from evaluator.records.measurement import Measurement
from evaluator.records.scratch import write_atomic
from evaluator.score.answers import Entry

#: A model that ends its worker this often is not tried again.
MAX_DEATHS = 3


class ScoredAnswers:
    """The answers that are scored: the first to each example, whoever asks; later ones are compared.

    `count` is the number of examples; `known` what is said already, by the example's number; `keep` takes
    each new entry.
    """

    def __init__(
        self,
        reader: AnswerReader,
        count: int,
        known: dict[int, AnswerKey],
        keep: Callable[[int, Entry], None],
    ) -> None:
        self.reader, self.count, self.known, self.keep = reader, count, known, keep

    def missing(self) -> list[int]:
        """The numbers of the examples that have no answer yet."""
        return [number for number in range(self.count) if number not in self.known]

    def took(self, position: int, outcome: Reply | WorkerError) -> bool:
        """Keep the first answer to an example; whether a later one says the same."""
        entry = self.reader.entry(outcome)
        if position in self.known:
            return self.known[position] == answer_key(entry)
        self.known[position] = answer_key(entry)
        self.keep(position, entry)
        return True


class Deaths:
    """How often a model took down a worker; workers that are asked at the same time share one count."""

    def __init__(self, count: int = 0) -> None:
        self._count, self._lock = count, Lock()

    def add(self, error: WorkerError) -> None:
        """Count one more; raise `error`, which was its end, when that is once too often."""
        with self._lock:
            self._count += 1
            if self._count >= MAX_DEATHS:
                raise error


class Predictor:
    """A worker that is started again when the model takes it down. Use as a context manager.

    Asking raises the `WorkerError` that makes it pointless to go on: the model cannot be loaded, or took
    workers down `MAX_DEATHS` times.
    """

    def __init__(
        self,
        spec: ModelToLoad,
        reader: AnswerReader,
        limits: Limits,
        placement: Placement,
        deaths: Deaths | None = None,
    ) -> None:
        self.spec, self.reader, self.limits, self.placement = spec, reader, limits, placement
        self.deaths = deaths or Deaths()
        self._stopped = False
        self._worker: Worker | None = None

    def load(self) -> Loaded:
        """Start the worker and load the model."""
        if self._stopped:
            raise WorkerError("closed", "the worker was stopped", fatal=True)
        self._worker = Worker(self.spec, self.limits, self.placement)
        try:
            return self._worker.start()
        except WorkerError:
            self.close()
            raise

    def entry(self, example: Example) -> Entry:
        """Ask for one answer; the model's errors are in the entry.

        A worker that somebody else ended says nothing of its model: another one is asked, once.
        """
        error = self._try(example)
        if isinstance(error, WorkerError) and error.kind == "killed":
            error = self._try(example)
        if isinstance(error, WorkerError) and error.fatal:
            self.deaths.add(error)
        return self.reader.entry(error)

    def entries(self, examples: Sequence[Example]) -> list[Entry]:
        """Ask for several answers at once; one by one if there is only one, or the batch fails."""
        if len(examples) > 1:
            try:
                return [self.reader.checked(output) for output in self._alive().predict_batch(examples)]
            except WorkerError as error:
                if error.fatal:
                    self.close()
                    self.deaths.add(error)
        return [self.entry(example) for example in examples]

    def memory(self) -> MemoryUse:
        """The memory of the worker so far."""
        return self._alive().memory()

    def _try(self, example: Example) -> Reply | WorkerError:
        """What one worker answers; an error ends it if it is fatal."""
        worker = self._alive()
        try:
            return worker.predict(example)
        except WorkerError as error:
            if error.fatal:
                self.close()
            return error

    def _alive(self) -> Worker:
        if self._worker is None:
            self.load()
        assert self._worker is not None
        return self._worker

    def stop(self) -> None:
        """Kill the model, and start no other: for another thread, while this one waits for an answer.

        The thread that waits sees that the model is gone, and ends the worker itself.
        """
        self._stopped = True
        worker = self._worker
        with suppress(WorkerError, ProcessLookupError):
            if worker is not None:
                os.kill(worker.pid, signal.SIGKILL)

    def close(self) -> None:
        """End the worker, if there is one."""
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.close()

    def __enter__(self) -> Predictor:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Steps(Protocol):
    """Receives how many examples have been asked."""

    def phase(self, text: str, total: int | None = None, done: int = 0) -> None: ...
    def advance(self, done: int = 1) -> None: ...


class _Silent:
    def phase(self, text: str, total: int | None = None, done: int = 0) -> None: ...
    def advance(self, done: int = 1) -> None: ...


SILENT = _Silent()


@dataclass(frozen=True)
class TimedQuestions:
    """All that it takes to ask a model and time it: nothing of a right answer.

    Of `examples` the model is shown the inputs. With `stored`, what its stored predictions say of each,
    only the timing is wanted: answers are compared with them. `references` are those of
    `evaluator.measure.timing.fingerprint`.
    """

    spec: ModelToLoad
    reader: AnswerReader
    limits: Limits
    settings: MeasureSettings
    examples: Sequence[Mapping[str, Any]]
    stored: Sequence[AnswerKey] | None = None
    references: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class TimedAnswers:
    """The answers by the examples' numbers, and how the model was timed, or why that was lost.

    `node_class` is the kind of node of a cluster that asked, None for this machine.
    """

    entries: Mapping[int, Entry]
    measurement: Measurement | None
    lost: WorkerError | None = None
    node_class: str | None = None


def ask_timed(
    asked: Sequence[tuple[TimedQuestions, Path]], progress: Steps = SILENT
) -> Iterator[tuple[int, TimedAnswers | WorkerError]]:
    """Ask models everything, on this machine and in turns; yields the place of each in `asked` with its end.

    Each folder keeps what has been answered until all of it is, so that an interrupted run goes on where it
    stopped. Without stored predictions there is an answer to every example: what the model said while it was
    timed. Instead of answers comes the `WorkerError` that makes it pointless to go on.
    """
    with ExitStack() as stack:
        turns = []
        for questions, directory in asked:
            journal = None
            if questions.stored is None:
                path, count = directory / f"predictions-{SCHEMA_VERSION}.jsonl", len(questions.examples)
                journal = stack.enter_context(Journal[int](path, range(count).__contains__))
            turns.append(_Turns(questions, directory, journal, progress))
        total, done = sum(len(one.examples) for one, _ in asked), sum(one.before for one in turns)
        progress.phase(f"asking and timing {counted(len(turns), 'model')}", total, done)
        left = list(range(len(turns)))
        for turn in itertools.count():
            if turn == 1 and left:
                seconds = max(one.settings.seconds for one, _ in asked)
                progress.phase(f"timing {counted(len(left), 'model')} in turns, each {seconds:g} s at most")
            for place in list(left):
                if found := turns[place].next():
                    left.remove(place)
                    yield place, found
            if not left:
                return


class _Turns:
    """The blocks of one model; what it answers in them goes to `journal`, if its answers are wanted."""

    def __init__(
        self, questions: TimedQuestions, directory: Path, journal: Journal[int] | None, progress: Steps
    ) -> None:
        self.questions, self.directory, self.progress = questions, directory, progress
        self._journal = journal
        known = dict(enumerate(questions.stored or ()))
        if journal is not None:
            known = {number: answer_key(entry) for number, entry in journal.entries.items()}
        self.before = len(known)
        answers = ScoredAnswers(questions.reader, len(questions.examples), known, self._keep)
        self._timing = Timing(
            questions.spec,
            questions.examples,
            answers,
            questions.settings,
            questions.limits,
            questions.references,
        )

    def next(self) -> TimedAnswers | WorkerError | None:
        """One more block; what became of the model, where that was the last."""
        entries = self._journal.entries if self._journal is not None else {}
        kept = self.directory / "measurement.json"
        if self._journal is not None and kept.exists():
            return TimedAnswers(entries, Measurement.model_validate_json(kept.read_bytes()))
        try:
            self._timing.add_block()
        except WorkerError as error:
            return self._lost(error)
        if not self._timing.enough:
            return None
        measurement = self._timing.measurement()
        if self._journal is not None:
            write_atomic(kept, json.dumps(measurement.plain()).encode())
        return TimedAnswers(entries, measurement)

    def _lost(self, error: WorkerError) -> TimedAnswers | WorkerError:
        """What it had not been asked when it was lost is asked where it would have been timed."""
        if self._journal is None or len(self._journal.entries) == self.before:
            return error
        questions, threads = self.questions, self.questions.settings.threads
        rest = [number for number in range(len(questions.examples)) if number not in self._journal.entries]
        secrets.SystemRandom().shuffle(rest)
        placement = Placement(threads, worker_cpus(threads))
        try:
            with Predictor(
                questions.spec, questions.reader, questions.limits, placement, Deaths(1)
            ) as predictor:
                for number in rest:
                    self._keep(number, predictor.entry(questions.examples[number]))
        except WorkerError as last:
            return last
        return TimedAnswers(self._journal.entries, None, error)

    def _keep(self, number: int, entry: Entry) -> None:
        if self._journal is not None:
            self._journal.append(number, entry)
            self.progress.advance()
