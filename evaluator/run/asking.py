"""What a model answers to the examples of a unit, and how fast: one and the same run of it."""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from evaluator.board import Boards
from evaluator.measure import Settings, measure, worker_cpus
from evaluator.records import SCHEMA_VERSION, Failure, Measurement, PredictionSet
from evaluator.run.journal import Journal
from evaluator.run.loading import worker_limits
from evaluator.run.plan import Unit
from evaluator.run.predict import AnswerReader, Deaths, Predictor, ScoredAnswers, said
from evaluator.scoring.columns import answers_of, prediction_set, resolution_for
from evaluator.scoring.entry import Entry
from evaluator.scoring.results import failures_of
from evaluator.scratch import write_atomic
from evaluator.worker import Limits, ModelToLoad, Placement, WorkerError


class Steps(Protocol):
    """Receives how many examples have been asked."""

    def phase(self, text: str, total: int | None = None, done: int = 0) -> None: ...
    def advance(self, done: int = 1, left_s: float | None = None) -> None: ...


class _Silent:
    """Nobody looks."""

    def phase(self, text: str, total: int | None = None, done: int = 0) -> None:
        """Not shown."""

    def advance(self, done: int = 1, left_s: float | None = None) -> None:
        """Not shown."""


SILENT = _Silent()


@dataclass(frozen=True)
class Asked:
    """What a model answered, what went wrong, and how it was timed, or why that was lost."""

    predictions: PredictionSet
    failures: list[Failure]
    measurement: Measurement | None
    lost: WorkerError | None = None


class Asking:
    """The questions of a unit; `directory` keeps what has been answered until the unit is done."""

    def __init__(self, unit: Unit, boards: Boards, directory: Path, progress: Steps) -> None:
        self.unit, self.directory, self.progress = unit, directory, progress
        self.settings = Settings(**boards.measure.model_dump(exclude={"isolation"}))
        self.reader = AnswerReader(
            unit.dataset.task, unit.dataset.labels, boards.dataset(unit.dataset.id).show_text
        )
        self._limits = boards.limits

    @property
    def limits(self) -> Limits:
        """How much the model may take."""
        return worker_limits(self._limits)

    @property
    def placement(self) -> Placement:
        """Where a worker runs that is asked what a lost one was not: as those that are timed."""
        return Placement(self.settings.threads, worker_cpus(self.settings.threads))

    def ask(self, spec: ModelToLoad) -> Asked:
        """Predictions, one an example in the dataset's order: what the model answered while it was timed.

        Raises the `WorkerError` that makes it pointless to go on.
        """
        dataset = self.unit.dataset
        count = len(dataset.examples)
        path = self.directory / f"predictions-{SCHEMA_VERSION}.jsonl"
        with Journal[int](path, lambda number: 0 <= number < count) as journal:
            before = len(journal.entries)
            self.progress.phase(f"asking, in {self.settings.repeats} workers or more", count, before)
            known = {number: said(entry) for number, entry in journal.entries.items()}
            measurement, lost = self._measured(
                spec,
                ScoredAnswers(
                    self.reader, count, known, lambda number, entry: self._keep(journal, number, entry)
                ),
            )
            if lost and len(journal.entries) == before:
                raise lost
            if lost:
                self._ask_rest(spec, journal)
            entries = [journal.entries[number] for number in range(count)]
        given = [entry.answer for entry in entries]
        predictions = prediction_set(dataset, self.unit.model.id, given, resolution_for(dataset))
        failures = failures_of(dataset, [entry.failure for entry in entries])
        return Asked(predictions, failures, measurement, lost)

    def time_again(self, spec: ModelToLoad, predictions: PredictionSet) -> Measurement:
        """A new timing, whose answers are compared with `predictions`. Raises a fatal `WorkerError`."""
        known = dict(enumerate(answers_of(self.unit.dataset, predictions)))
        return self._measure(spec, ScoredAnswers(self.reader, len(known), known, lambda number, entry: None))

    def _keep(self, journal: Journal[int], number: int, entry: Entry) -> None:
        journal.append(number, entry)
        self.progress.advance()

    def _ask_rest(self, spec: ModelToLoad, journal: Journal[int]) -> None:
        """Ask what a model that was lost while it was timed had not been asked."""
        examples = self.unit.dataset.examples
        rest = [number for number in range(len(examples)) if number not in journal.entries]
        secrets.SystemRandom().shuffle(rest)
        with Predictor(spec, self.reader, self.limits, self.placement, Deaths(1)) as predictor:
            for number in rest:
                self._keep(journal, number, predictor.entry(examples[number]))

    def _measured(
        self, spec: ModelToLoad, answers: ScoredAnswers
    ) -> tuple[Measurement | None, WorkerError | None]:
        """The timing of an interrupted run, else a new one, or what the model was lost to."""
        path = self.directory / "measurement.json"
        if path.exists():
            return Measurement.model_validate_json(path.read_bytes()), None
        try:
            measurement = self._measure(spec, answers)
        except WorkerError as error:
            return None, error
        write_atomic(path, json.dumps(measurement.plain()).encode())
        return measurement, None

    def _measure(self, spec: ModelToLoad, answers: ScoredAnswers) -> Measurement:
        return measure(spec, self.unit.dataset.examples, answers, self.settings, self.limits)
