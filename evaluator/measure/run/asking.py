"""Asking a model: what it answers to examples, and how fast, which is one and the same run of it."""

from __future__ import annotations

import json
import os
import secrets
import signal
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Any, Protocol

from evaluator.measure.run.answers import AnswerKey, AnswerReader, Journal, answer_key
from evaluator.measure.timing import measure, worker_cpus
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
from evaluator.records.base import SCHEMA_VERSION
from evaluator.records.board import MeasureSettings
from evaluator.records.result import Measurement
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
    only the timing is wanted: answers are compared with them.
    """

    spec: ModelToLoad
    reader: AnswerReader
    limits: Limits
    settings: MeasureSettings
    examples: Sequence[Mapping[str, Any]]
    stored: Sequence[AnswerKey] | None = None


@dataclass(frozen=True)
class TimedAnswers:
    """The answers by the examples' numbers, and how the model was timed, or why that was lost.

    `node_class` is the kind of node of a cluster that asked, None for this machine.
    """

    entries: Mapping[int, Entry]
    measurement: Measurement | None
    lost: WorkerError | None = None
    node_class: str | None = None


def ask_timed(questions: TimedQuestions, directory: Path, progress: Steps = SILENT) -> TimedAnswers:
    """Ask everything, on this machine; `directory` keeps what has been answered until all of it is.

    An interrupted run goes on where it stopped. Without stored predictions there is an answer to every
    example: what the model said while it was timed. Raises the `WorkerError` that makes it
    pointless to go on.
    """
    reader, settings, count = questions.reader, questions.settings, len(questions.examples)

    def timed(answers: ScoredAnswers) -> Measurement:
        return measure(questions.spec, questions.examples, answers, settings, questions.limits)

    if questions.stored is not None:
        known = dict(enumerate(questions.stored))
        return TimedAnswers({}, timed(ScoredAnswers(reader, count, known, lambda number, entry: None)))
    path, timing = directory / f"predictions-{SCHEMA_VERSION}.jsonl", directory / "measurement.json"
    with Journal[int](path, lambda number: 0 <= number < count) as journal:

        def keep(number: int, entry: Entry) -> None:
            journal.append(number, entry)
            progress.advance()

        before = len(journal.entries)
        progress.phase(f"asking, in {settings.repeats} workers or more", count, before)
        if timing.exists():
            return TimedAnswers(journal.entries, Measurement.model_validate_json(timing.read_bytes()))
        known = {number: answer_key(entry) for number, entry in journal.entries.items()}
        try:
            measurement = timed(ScoredAnswers(reader, count, known, keep))
        except WorkerError as error:
            if len(journal.entries) == before:
                raise
            # What it had not been asked when it was lost is asked where it would have been timed.
            rest = [number for number in range(count) if number not in journal.entries]
            secrets.SystemRandom().shuffle(rest)
            placement = Placement(settings.threads, worker_cpus(settings.threads))
            with Predictor(questions.spec, reader, questions.limits, placement, Deaths(1)) as predictor:
                for number in rest:
                    keep(number, predictor.entry(questions.examples[number]))
            return TimedAnswers(journal.entries, None, error)
        write_atomic(timing, json.dumps(measurement.plain()).encode())
        return TimedAnswers(journal.entries, measurement)
