"""What is not timed: which inputs of which units a model is asked, each once, and how long that takes.

A model's answers are kept by the hash of what it was asked, so that a text that stands in two suites, or in
two datasets, is asked once, in this run and in later ones.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from evaluator.data.datasets import DatasetError
from evaluator.measure.models import MissingPackage
from evaluator.measure.run.asking import Steps
from evaluator.measure.run.inputs import ExampleInputs
from evaluator.measure.run.job import Job, Timed
from evaluator.measure.run.journal import Journal
from evaluator.measure.run.lanes import asking_all
from evaluator.measure.run.predict import AnswerReader
from evaluator.measure.timing.machine import own_cpus
from evaluator.measure.worker import Limits, ModelToLoad, WorkerError
from evaluator.records.base import SCHEMA_VERSION
from evaluator.records.canonical import digest
from evaluator.records.errors import UserError
from evaluator.records.result import BatchCheck
from evaluator.records.scratch import write_atomic
from evaluator.score.entry import Entry
from evaluator.score.recomputed import counted

#: What keeps a model from being asked at all.
Unasked = WorkerError | UserError | DatasetError | MissingPackage


class LaterInputs(Mapping[str, ExampleInputs]):
    """What a model is shown, by key: put together by `make` when somebody looks; a plain dict for nodes."""

    def __init__(self, make: Callable[[], Mapping[str, ExampleInputs]]) -> None:
        self._make = make

    @cached_property
    def _made(self) -> Mapping[str, ExampleInputs]:
        return self._make()

    def __getitem__(self, key: str) -> ExampleInputs:
        return self._made[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._made)

    def __len__(self) -> int:
        return len(self._made)

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (dict(self._made),)


@dataclass(frozen=True)
class Questions:
    """What one unit wants to know of a model, by keys; `revision` is the model's.

    `timed` is None if the model never was timed on these inputs' dataset.
    """

    model: str
    revision: str
    spec: ModelToLoad
    reader: AnswerReader
    limits: Limits
    inputs: Mapping[str, ExampleInputs]
    timed: Timed | None

    @property
    def file(self) -> str:
        """The name of the file of the answers, the same where a model answers alike."""
        reader = self.reader
        decides = [self.revision, reader.task, list(reader.labels), reader.show_text, SCHEMA_VERSION]
        return f"{self.model}-{digest(decides).removeprefix('sha256:')[:16]}.jsonl"


@dataclass(frozen=True)
class KeptAnswers:
    """A model's answers by key; `error` is why some may be missing.

    `node_class` is the kind of node of a cluster that asked, None for this machine.
    """

    entries: Mapping[str, Entry]
    check: BatchCheck | None = None
    error: Unasked | None = None
    node_class: str | None = None


def ask(
    questions: Sequence[Questions], directory: Path, progress: Steps
) -> Generator[tuple[Sequence[int], KeptAnswers], None, None]:
    """Ask everything, each model once; yields the positions in `questions` that an answered model had.

    `directory` is where answers are kept. Models are loaded while inputs are put together.
    """
    cores = sorted(own_cpus())
    with ExitStack() as files:
        asked = [_ModelJob(questions, numbers, directory, cores, files) for numbers in _by_file(questions)]
        of_job = {one.job: one for one in asked}
        # Whatever happens here, the lanes end before the files are closed that they write to.
        told = files.enter_context(asking_all(list(of_job), cores))
        total = sum(one.give() for one in asked)
        what = f"asking {counted(total, 'text')} untimed, on {counted(len(cores), 'core')}"
        progress.phase(what, total, total - sum(one.left for one in asked))
        for job, count in told:
            if count is not None:
                of_job[job].count(count)
                progress.advance(count, sum_if_known([one.left_s for one in asked]))
            else:
                of_job[job].over = True
                yield of_job[job].numbers, of_job[job].answers()


def _by_file(questions: Sequence[Questions]) -> list[list[int]]:
    """Positions of the questions that one file answers, in their order."""
    found: dict[str, list[int]] = {}
    for number, one in enumerate(questions):
        found.setdefault(one.file, []).append(number)
    return list(found.values())


def sum_if_known(parts: Sequence[float | None]) -> float | None:
    """The sum of seconds, None if any of them are not known."""
    known = [part for part in parts if part is not None]
    return sum(known) if len(known) == len(parts) else None


class _ModelJob:
    """One model under way, for all units that ask it."""

    def __init__(
        self,
        questions: Sequence[Questions],
        numbers: Sequence[int],
        directory: Path,
        cores: Sequence[int],
        files: ExitStack,
    ) -> None:
        first = questions[numbers[0]]
        self.numbers, self.over, self.left = numbers, False, 0
        self._questions = [questions[number] for number in numbers]
        self._path = directory / first.file
        journal = files.enter_context(Journal[str](self._path, lambda key: isinstance(key, str)))
        self.job = Job(first.spec, first.reader, first.limits, journal, cores, first.timed)
        self._seconds = None if first.timed is None else first.timed.seconds / len(cores)
        self._done, self._began = 0, 0.0

    def give(self) -> int:
        """Put the inputs together, and let them be asked; how many there are."""
        inputs = {key: value for one in self._questions for key, value in one.inputs.items()}
        self.left = len(inputs.keys() - self.job.journal.entries.keys())
        self.job.give(inputs)
        return len(inputs)

    def count(self, answers: int) -> None:
        """So many more inputs are answered."""
        self._began = self._began or time.monotonic()
        self._done += answers
        self.left -= answers

    @property
    def left_s(self) -> float | None:
        """Seconds that the rest takes, by its own pace, or by the model's when it was timed, if it was."""
        if self.over:
            return 0.0
        ran = time.monotonic() - self._began
        each = ran / self._done if self._done and ran > 1 else self._seconds
        return None if each is None else self.left * each

    def answers(self) -> KeptAnswers:
        """All answers, and what is known of batches: found out now, or when they were asked."""
        batches = self._path.with_suffix(".batches.json")
        if self.job.check is not None:
            write_atomic(batches, json.dumps(self.job.check.plain()).encode())
        check = BatchCheck.model_validate_json(batches.read_bytes()) if batches.exists() else None
        return KeptAnswers(self.job.journal.entries, check, self.job.error)
