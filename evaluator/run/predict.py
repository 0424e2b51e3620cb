"""Asks a model for the answer to each example, and turns what comes back into a journal entry."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import Any

from evaluator.datasets import Dataset
from evaluator.run.failing import publishable_message
from evaluator.scoring.entry import Entry
from evaluator.tasks import FieldError, get_task
from evaluator.worker import Limits, ModelToLoad, Placement, Worker, WorkerError

#: A model that ends its worker this often is not tried again.
MAX_DEATHS = 3


class Predictor:
    """A worker that is started again when the model takes it down. Use as a context manager.

    A failure is described in the model's words only if `show_text`. `entry` raises the `WorkerError`
    that makes it pointless to go on: the model cannot be loaded, or took its worker down `MAX_DEATHS`
    times.
    """

    def __init__(self, spec: ModelToLoad, dataset: Dataset, limits: Limits, show_text: bool) -> None:
        self.spec, self.dataset, self.limits, self.show_text = spec, dataset, limits, show_text
        self.task = get_task(dataset.task)
        self.deaths = 0
        self._batches = False
        self._worker: Worker | None = None

    def entry(self, number: int) -> Entry:
        """Ask for one example's answer; the model's errors are in the entry."""
        try:
            return self._checked(self._alive().predict(self._inputs(number)).output)
        except WorkerError as error:
            if error.fatal:
                self._bury(error)
            return Entry(failure=(error.kind, publishable_message(error, self.show_text)))

    def entries(self, numbers: Sequence[int]) -> list[Entry]:
        """Ask for several examples' answers at once; one by one if there is only one, or the batch fails."""
        if len(numbers) > 1:
            try:
                outputs = self._alive().predict_batch([self._inputs(number) for number in numbers])
                return [self._checked(output) for output in outputs]
            except WorkerError as error:
                if error.fatal:
                    self._bury(error)
        return [self.entry(number) for number in numbers]

    def same_in_batches(self, numbers: Sequence[int], alone: Sequence[Entry]) -> bool:
        """Whether the model takes several examples at once and then answers as it did one by one."""
        if len(numbers) < 2 or not self._batches:
            return False
        together = self.entries(numbers)
        return [_answer_of(entry) for entry in together] == [_answer_of(entry) for entry in alone]

    def _inputs(self, number: int) -> dict[str, Any]:
        return self.task.inputs(self.dataset.examples[number])

    def _checked(self, output: Any) -> Entry:
        try:
            return Entry(self.task.check_output(output, self.dataset.labels))
        except FieldError as error:
            return Entry(failure=("invalid-answer", publishable_message(error, self.show_text)))

    def _alive(self) -> Worker:
        if self._worker is None:
            worker = Worker(self.spec, self.limits, Placement())
            try:
                self._batches = worker.start().batches
            except WorkerError:
                worker.close()
                raise
            self._worker = worker
        return self._worker

    def _bury(self, error: WorkerError) -> None:
        loaded = self._worker is not None
        self.close()
        self.deaths += 1
        if not loaded or self.deaths >= MAX_DEATHS:
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


def _answer_of(entry: Entry) -> tuple[int, str | None]:
    """What an answer says; probabilities may differ in the last digits."""
    return entry.answer.label, entry.answer.text
