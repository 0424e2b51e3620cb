"""The models in the loop: each in a worker of its own, isolated as in `evaluate`, asked one by one."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from time import perf_counter_ns
from types import TracebackType

from evaluator.measure.models import Prepared
from evaluator.measure.run.loading import board_prepared, worker_limits
from evaluator.measure.run.predict import AnswerReader, Predictor
from evaluator.measure.worker import ModelToLoad, Placement, WorkerError
from evaluator.rounds.collection import Collection
from evaluator.rounds.events import ModelAnswer
from evaluator.score.entry import Entry


class Loop:
    """The models of a collection, loaded. Use as a context manager.

    Any thread may ask: questions wait for one another, as a model answers one at a time. A model that
    cannot go on fails every later question, and says why in its answer.
    """

    def __init__(self, collection: Collection, work: Path) -> None:
        """Prepare all models and load them; `work` is where prepared ones are.

        Raises `PlanError`, `ModelError`, `MissingPackage`, and `WorkerError` for a model that does not load.
        """
        self._members = [_Member(collection, name, work) for name in collection.spec.models]
        try:
            for loading in [member.load() for member in self._members]:
                loading.result()
        except BaseException:
            self.close()
            raise

    def ask(self, inputs: Mapping[str, str]) -> tuple[ModelAnswer, ...]:
        """What each model answers, in the order of the board file; all are asked at the same time."""
        return tuple(asked.result() for asked in [member.ask(inputs) for member in self._members])

    @property
    def revisions(self) -> dict[str, str]:
        """The hash of each model, by its id."""
        return {member.name: member.prepared.revision for member in self._members}

    def close(self) -> None:
        """End all models."""
        for member in self._members:
            member.close()

    def __enter__(self) -> Loop:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class _Member:
    """One model. All is done in one thread of its own, as a worker dies with the thread that started it."""

    def __init__(self, collection: Collection, name: str, work: Path) -> None:
        spec, boards = collection.boards.model(name), collection.boards
        assert spec is not None
        self.name, self.labels = name, collection.labels
        self.prepared: Prepared = board_prepared(spec, boards, collection.root, collection.data, work)
        to_load = ModelToLoad(
            self.prepared.adapter,
            self.prepared.directory,
            self.prepared.options,
            collection.spec.task,
            self.labels,
        )
        reader = AnswerReader(collection.spec.task, self.labels, show_text=True)
        # People think for as long as they like, so a worker's whole life has no limit.
        limits = replace(worker_limits(boards.limits), total_s=None)
        self._predictor = Predictor(to_load, reader, limits, Placement())
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)

    def load(self) -> Future[object]:
        return self._thread.submit(self._predictor.load)

    def ask(self, inputs: Mapping[str, str]) -> Future[ModelAnswer]:
        return self._thread.submit(self._answer, dict(inputs))

    def close(self) -> None:
        self._thread.submit(self._predictor.close)
        self._thread.shutdown()

    def _answer(self, inputs: dict[str, str]) -> ModelAnswer:
        began = perf_counter_ns()
        try:
            entry = self._predictor.entry(inputs)
        except WorkerError as error:
            entry = Entry(failure=(error.kind, error.message))
        answer, shares = entry.answer, entry.answer.probabilities
        given = answer.text if not self.labels else self.labels[answer.label]
        return ModelAnswer(
            model=self.name,
            revision=self.prepared.revision,
            answer=None if entry.failure else given,
            confidence=answer.confidence,
            probabilities=dict(zip(self.labels, shares, strict=True)) if shares else None,
            ms=(perf_counter_ns() - began) / 1e6,
            failure=": ".join(entry.failure) if entry.failure else None,
        )
