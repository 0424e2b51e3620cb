"""Asks a model for the answer to each example, and turns what comes back into a journal entry."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from threading import Lock
from types import TracebackType
from typing import Any

from evaluator.measure.run.failing import publishable_message
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
from evaluator.score.entry import Entry, checked_entry

#: A model that ends its worker this often is not tried again.
MAX_DEATHS = 3
#: What an answer says: a label's index, or a text. Probabilities may differ in the last digits.
AnswerKey = tuple[int, str | None]


def answer_key(entry: Entry) -> AnswerKey:
    """What the answer of an entry says; invalid answers all say the same."""
    return entry.answer.label, entry.answer.text


@dataclass(frozen=True)
class AnswerReader:
    """Reads what comes back from a model; a failure is described in its words only if `show_text`."""

    task: str
    labels: tuple[str, ...]
    show_text: bool

    def entry(self, outcome: Reply | WorkerError) -> Entry:
        """An answer if it is what the task asks for, else what is wrong."""
        if isinstance(outcome, WorkerError):
            return Entry(failure=(outcome.kind, publishable_message(outcome, self.show_text)))
        return self.checked(outcome.output)

    def checked(self, output: Any) -> Entry:
        """An output as an entry; an invalid answer keeps its confidence."""
        describe = partial(publishable_message, show_text=self.show_text)
        return checked_entry(self.task, self.labels, output, describe)


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
