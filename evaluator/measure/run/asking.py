"""What a model answers to examples, and how fast: one and the same run of it."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from evaluator.measure.run.journal import Journal
from evaluator.measure.run.predict import (
    AnswerKey,
    AnswerReader,
    Deaths,
    Predictor,
    ScoredAnswers,
    answer_key,
)
from evaluator.measure.timing import Settings, measure, worker_cpus
from evaluator.measure.worker import Limits, ModelToLoad, Placement, WorkerError
from evaluator.records.base import SCHEMA_VERSION
from evaluator.records.measurement import Measurement
from evaluator.records.scratch import write_atomic
from evaluator.score.entry import Entry


class Steps(Protocol):
    """Receives how many examples have been asked."""

    def phase(self, text: str, total: int | None = None, done: int = 0) -> None: ...
    def advance(self, done: int = 1, left_s: float | None = None) -> None: ...


class _Silent:
    """Shows no progress."""

    def phase(self, text: str, total: int | None = None, done: int = 0) -> None:
        """Not shown."""

    def advance(self, done: int = 1, left_s: float | None = None) -> None:
        """Not shown."""


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
    settings: Settings
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

    Without stored predictions there is an answer to every example: what the model said while it was timed.
    Raises the `WorkerError` that makes it pointless to go on.
    """
    if questions.stored is not None:
        known = dict(enumerate(questions.stored))
        answers = ScoredAnswers(questions.reader, len(known), known, lambda number, entry: None)
        return TimedAnswers({}, _measure(questions, answers))
    return _Asking(questions, directory, progress).ask()


class _Asking:
    """The questions of one run, which goes on where an interrupted one stopped."""

    def __init__(self, questions: TimedQuestions, directory: Path, progress: Steps) -> None:
        self.questions, self.directory, self.progress = questions, directory, progress

    def ask(self) -> TimedAnswers:
        """The answers of all, and the timing."""
        count, settings = len(self.questions.examples), self.questions.settings
        path = self.directory / f"predictions-{SCHEMA_VERSION}.jsonl"
        with Journal[int](path, lambda number: 0 <= number < count) as journal:
            before = len(journal.entries)
            self.progress.phase(f"asking, in {settings.repeats} workers or more", count, before)
            known = {number: answer_key(entry) for number, entry in journal.entries.items()}
            keep = partial(self._keep, journal)
            measurement, lost = self._measured(ScoredAnswers(self.questions.reader, count, known, keep))
            if lost and len(journal.entries) == before:
                raise lost
            if lost:
                self._ask_rest(journal)
            return TimedAnswers(dict(journal.entries), measurement, lost)

    def _keep(self, journal: Journal[int], number: int, entry: Entry) -> None:
        journal.append(number, entry)
        self.progress.advance()

    def _ask_rest(self, journal: Journal[int]) -> None:
        """Ask what a model that was lost while it was timed had not been asked."""
        asked = self.questions
        rest = [number for number in range(len(asked.examples)) if number not in journal.entries]
        secrets.SystemRandom().shuffle(rest)
        # Where those that are timed run, too.
        placement = Placement(asked.settings.threads, worker_cpus(asked.settings.threads))
        with Predictor(asked.spec, asked.reader, asked.limits, placement, Deaths(1)) as predictor:
            for number in rest:
                self._keep(journal, number, predictor.entry(asked.examples[number]))

    def _measured(self, answers: ScoredAnswers) -> tuple[Measurement | None, WorkerError | None]:
        """The timing of an interrupted run, else a new one, or what the model was lost to."""
        path = self.directory / "measurement.json"
        if path.exists():
            return Measurement.model_validate_json(path.read_bytes()), None
        try:
            measurement = _measure(self.questions, answers)
        except WorkerError as error:
            return None, error
        write_atomic(path, json.dumps(measurement.plain()).encode())
        return measurement, None


def _measure(questions: TimedQuestions, answers: ScoredAnswers) -> Measurement:
    return measure(questions.spec, questions.examples, answers, questions.settings, questions.limits)
