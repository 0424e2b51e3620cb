"""Asks a model for the answer to each example, and turns what comes back into a journal entry."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from types import TracebackType
from typing import Any

from evaluator.datasets import Dataset
from evaluator.run.failing import publishable_message
from evaluator.scoring.entry import Entry, checked_entry
from evaluator.tasks import get_task
from evaluator.worker import Limits, ModelToLoad, Placement, Reply, Worker, WorkerError

#: A model that ends its worker this often is not tried again.
MAX_DEATHS = 3
#: What an answer says: a label's index, or a text. Probabilities may differ in the last digits.
Said = tuple[int, str | None]


def said(entry: Entry) -> Said:
    """What the answer of an entry says; invalid answers all say the same."""
    return entry.answer.label, entry.answer.text


@dataclass(frozen=True)
class AnswerReader:
    """Reads what comes back from a model; a failure is described in its words only if `show_text`."""

    dataset: Dataset
    show_text: bool

    def inputs(self, number: int) -> dict[str, Any]:
        """What a model is shown of an example."""
        return get_task(self.dataset.task).inputs(self.dataset.examples[number])

    def entry(self, outcome: Reply | WorkerError) -> Entry:
        """An answer if it is what the task asks for, else what is wrong."""
        if isinstance(outcome, WorkerError):
            return Entry(failure=(outcome.kind, publishable_message(outcome, self.show_text)))
        return self.checked(outcome.output)

    def checked(self, output: Any) -> Entry:
        """An output as an entry; an answer that is none keeps its confidence."""
        return checked_entry(self.dataset, output, partial(publishable_message, show_text=self.show_text))


class ScoredAnswers:
    """The answers that are scored: the first to each example, whoever asks; later ones are compared.

    `known` is what is said already, by the example's number; `keep` takes each new entry.
    """

    def __init__(
        self,
        reader: AnswerReader,
        known: dict[int, Said],
        keep: Callable[[int, Entry], None],
    ) -> None:
        self.reader, self.known, self.keep = reader, known, keep

    def missing(self) -> list[int]:
        """The numbers of the examples that have no answer yet."""
        return [number for number in range(len(self.reader.dataset.examples)) if number not in self.known]

    def took(self, position: int, outcome: Reply | WorkerError) -> bool:
        """Keep the first answer to an example; whether a later one says the same."""
        entry = self.reader.entry(outcome)
        if position in self.known:
            return self.known[position] == said(entry)
        self.known[position] = said(entry)
        self.keep(position, entry)
        return True


class Predictor:
    """A worker that is started again when the model takes it down. Use as a context manager.

    `entry` raises the `WorkerError` that makes it pointless to go on: the model cannot be loaded, or took
    its worker down `MAX_DEATHS` times, `deaths` of them before.
    """

    def __init__(
        self, spec: ModelToLoad, reader: AnswerReader, limits: Limits, placement: Placement, deaths: int = 0
    ) -> None:
        self.spec, self.reader, self.limits, self.placement = spec, reader, limits, placement
        self.deaths = deaths
        self._batches = False
        self._worker: Worker | None = None

    def entry(self, number: int) -> Entry:
        """Ask for one example's answer; the model's errors are in the entry.

        A worker that somebody else ended says nothing of its model: another one is asked, once.
        """
        error = self._try(number)
        if isinstance(error, WorkerError) and error.kind == "killed":
            error = self._try(number)
        if isinstance(error, WorkerError) and error.fatal:
            self._count_death(error)
        return self.reader.entry(error)

    def entries(self, numbers: Sequence[int]) -> list[Entry]:
        """Ask for several examples' answers at once; one by one if there is only one, or the batch fails."""
        if len(numbers) > 1:
            try:
                outputs = self._alive().predict_batch([self.reader.inputs(number) for number in numbers])
                return [self.reader.checked(output) for output in outputs]
            except WorkerError as error:
                if error.fatal:
                    self.close()
                    self._count_death(error)
        return [self.entry(number) for number in numbers]

    def same_in_batches(self, numbers: Sequence[int], alone: Sequence[Entry]) -> bool:
        """Whether the model takes several examples at once and then answers as it did one by one."""
        if len(numbers) < 2 or not self._batches:
            return False
        together = self.entries(numbers)
        return [said(entry) for entry in together] == [said(entry) for entry in alone]

    def _try(self, number: int) -> Reply | WorkerError:
        """What one worker answers; an error ends it if it is fatal."""
        worker = self._alive()
        try:
            return worker.predict(self.reader.inputs(number))
        except WorkerError as error:
            if error.fatal:
                self.close()
            return error

    def _alive(self) -> Worker:
        if self._worker is None:
            worker = Worker(self.spec, self.limits, self.placement)
            try:
                self._batches = worker.start().batches
            except WorkerError:
                worker.close()
                raise
            self._worker = worker
        return self._worker

    def _count_death(self, error: WorkerError) -> None:
        self.deaths += 1
        if self.deaths >= MAX_DEATHS:
            raise error

    def close(self) -> None:
        """End the worker, if there is one."""
        if self._worker is not None:
            self._worker.close()
            self._worker = None

    def __enter__(self) -> Predictor:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
