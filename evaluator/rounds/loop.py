"""The models in the loop, each in a worker of its own, isolated as in `evaluate`, and asked one by one."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from time import perf_counter_ns

from evaluator.measure.run.answers import AnswerReader
from evaluator.measure.run.asking import Predictor
from evaluator.measure.run.plan import board_prepared, worker_limits
from evaluator.measure.worker import ModelToLoad, Placement, WorkerError
from evaluator.records.errors import UserError
from evaluator.rounds.collection import Collection
from evaluator.rounds.events import ModelAnswer
from evaluator.score.answers import Entry


class Loop:
    """The models of a collection, loaded. Use as a context manager.

    Any thread may ask: questions wait for one another. A model that cannot go on fails every later question,
    and says why in its answer.
    """

    def __init__(self, collection: Collection, work: Path) -> None:
        """Prepare all models and load them; `work` is where prepared ones are. `revisions` has their hashes.

        Raises `UserError`, for a model that does not load too, and `MissingPackage`.
        """
        boards, task, self._labels = collection.boards, collection.spec.task, collection.labels
        # People think for as long as they like, so a worker's whole life has no limit.
        limits = replace(worker_limits(boards.limits), total_s=None)
        reader = AnswerReader(task, self._labels, show_text=True)
        self.revisions: dict[str, str] = {}
        self._predictors: dict[str, Predictor] = {}
        for name in collection.spec.models:
            spec = boards.model(name)
            assert spec is not None
            made = board_prepared(spec, boards, collection.root, collection.data, work)
            to_load = ModelToLoad(made.adapter, made.directory, made.options, task, self._labels)
            self.revisions[name] = made.revision
            self._predictors[name] = Predictor(to_load, reader, limits, Placement())
        # All is done in one thread, as a worker dies with the thread that started it.
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="loop")
        try:
            for predictor in self._predictors.values():
                self._thread.submit(predictor.load).result()
        except WorkerError as error:
            self.__exit__()
            problem = f"a model does not load: {error.message}"
            raise UserError(f"collect: {collection.spec.id}", problem) from None

    def ask(self, inputs: Mapping[str, str]) -> tuple[ModelAnswer, ...]:
        """What each model answers, in the order of the board file."""
        asked = [self._thread.submit(self._answer, name, dict(inputs)) for name in self._predictors]
        return tuple(each.result() for each in asked)

    def _answer(self, name: str, inputs: dict[str, str]) -> ModelAnswer:
        began = perf_counter_ns()
        try:
            entry = self._predictors[name].entry(inputs)
        except WorkerError as error:
            entry = Entry(failure=(error.kind, error.message))
        answer, shares = entry.answer, entry.answer.probabilities
        given = self._labels[answer.label] if self._labels else answer.text
        return ModelAnswer(
            model=name,
            revision=self.revisions[name],
            answer=None if entry.failure else given,
            confidence=answer.confidence,
            probabilities=dict(zip(self._labels, shares, strict=True)) if shares else None,
            ms=(perf_counter_ns() - began) / 1e6,
            failure=": ".join(entry.failure) if entry.failure else None,
        )

    def __enter__(self) -> Loop:
        return self

    def __exit__(self, *_: object) -> None:
        for predictor in self._predictors.values():
            self._thread.submit(predictor.close)
        self._thread.shutdown()
