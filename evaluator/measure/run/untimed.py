"""Asking what is not timed: one model after another, each by workers that take batches from a queue.

A model's answers are kept by the hash of what it was asked, so that a text that stands in two suites, or in
two datasets, is asked once, in this run and in later ones. A model is asked in batches if it answers a sample
in a batch as it does one by one.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections import deque
from collections.abc import Generator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any, Literal

import psutil

from evaluator.data.datasets import Dataset, DatasetError
from evaluator.data.suites.make import Suite
from evaluator.data.tasks import get_task
from evaluator.measure.models.base import MissingPackage
from evaluator.measure.run.answers import AnswerReader, Journal, answer_key
from evaluator.measure.run.asking import Deaths, Predictor, Steps
from evaluator.measure.timing.machine import own_cpus
from evaluator.measure.worker import Limits, ModelToLoad, Placement, WorkerError
from evaluator.rank.formats import counted
from evaluator.records.base import SCHEMA_VERSION, digest
from evaluator.records.errors import UserError
from evaluator.records.result import BatchCheck
from evaluator.records.scratch import write_atomic
from evaluator.score.answers import Entry
from evaluator.score.suites import PlannedSuite, perturbed, suite_of

#: Inputs that a worker takes at once, at most.
SIZE = 32
#: Characters of a batch, at most, once every text is padded to the longest: about 8,000 tokens.
BUDGET = 32 * 1024
#: How many inputs are asked both one by one and in a batch.
SAMPLE = 32
#: How far a probability may be off in a batch: padding changes the last digits of 32-bit sums.
TOLERANCE = 1e-4
#: The share of the free memory that workers may take.
ROOM = 0.8

#: What keeps a model from being asked at all.
Unasked = WorkerError | UserError | DatasetError | MissingPackage
#: What a model is shown of one example.
ExampleInputs = Mapping[str, Any]

_encoded = json.JSONEncoder(sort_keys=True).encode


def input_key(inputs: ExampleInputs) -> str:
    """The hash of what a model is shown, under which its answer is kept."""
    return hashlib.sha256(_encoded(inputs).encode()).hexdigest()[:32]


class DatasetInputs:
    """A dataset, and what a model is shown of it."""

    def __init__(self, dataset: Dataset) -> None:
        self.dataset = dataset

    @cached_property
    def keys(self) -> list[str]:
        """The key of each example."""
        return list(map(input_key, self._inputs))

    @cached_property
    def by_key(self) -> dict[str, ExampleInputs]:
        """What a model is shown, by key; equal inputs once."""
        return dict(zip(self.keys, self._inputs, strict=True))

    @cached_property
    def _inputs(self) -> list[dict[str, Any]]:
        return list(map(get_task(self.dataset.task).inputs, self.dataset.examples))


class EvaluationInputs:
    """What models are shown of the datasets and suites of one evaluation, put together once for all models.

    `work` keeps the suites from one evaluation to the next.
    """

    def __init__(self, work: Path) -> None:
        self.work = work
        self._suites: dict[str, Suite] = {}
        self._inputs: dict[str, DatasetInputs] = {}

    def of(self, dataset: Dataset) -> DatasetInputs:
        """What is shown of a dataset."""
        return self._inputs.setdefault(dataset.id, DatasetInputs(dataset))

    def suite(self, planned: PlannedSuite, dataset: Dataset) -> Suite:
        """The suite, made if it was not made before. Raises `UserError`."""
        if planned.hash not in self._suites:
            self._suites[planned.hash] = suite_of(planned, dataset, self.work)
        return self._suites[planned.hash]

    def variants(self, suite: Suite, dataset: Dataset) -> DatasetInputs:
        """What is shown of a suite's variants, which are of `dataset`."""
        if suite.hash not in self._inputs:
            self._inputs[suite.hash] = DatasetInputs(perturbed(dataset, suite))
        return self._inputs[suite.hash]


@dataclass(frozen=True)
class Questions:
    """What one unit wants to know of a model, by keys; `revision` is the model's."""

    model: str
    revision: str
    spec: ModelToLoad
    reader: AnswerReader
    limits: Limits
    inputs: Mapping[str, ExampleInputs]

    @property
    def file(self) -> str:
        """The name of the file of the answers, the same where a model answers alike."""
        reader = self.reader
        decides = [self.revision, reader.task, list(reader.labels), reader.show_text, SCHEMA_VERSION]
        return f"{self.model}-{digest(decides).removeprefix('sha256:')[:16]}.jsonl"


@dataclass(frozen=True)
class KeptAnswers:
    """A model's answers by key; `error` is why some may be missing.

    `node_class` is the kind of node of a cluster that asked, None for this machine. Of a model behind an
    endpoint `taken` says by key what each answer took, and `asked` where and when it was asked.
    """

    entries: Mapping[str, Entry]
    check: BatchCheck | None = None
    error: Unasked | None = None
    node_class: str | None = None
    taken: Mapping[str, Mapping[str, float | None]] = field(default_factory=dict)
    asked: Mapping[str, Any] = field(default_factory=dict)


def ask(
    questions: Sequence[Questions], directory: Path, progress: Steps
) -> Generator[tuple[Sequence[int], KeptAnswers], None, None]:
    """Ask everything, each model once; yields the positions in `questions` that an answered model had.

    `directory` is where answers are kept. Whoever stops listening ends all workers.
    """
    by_file: dict[str, list[int]] = {}
    for number, one in enumerate(questions):
        by_file.setdefault(one.file, []).append(number)
    with ExitStack() as stack:
        queues = []
        for name, numbers in by_file.items():
            journal = stack.enter_context(Journal[str](directory / name, lambda key: isinstance(key, str)))
            queues.append(ModelQueue([questions[number] for number in numbers], journal))
        total, cores = sum(len(queue.inputs) for queue in queues), len(own_cpus())
        what = f"asking {counted(total, 'text')} untimed, on {counted(cores, 'core')}"
        progress.phase(what, total, total - sum(len(queue.todo) for queue in queues))
        for (name, numbers), queue in zip(by_file.items(), queues, strict=True):
            queue.ask_all(progress)
            yield numbers, queue.answers(directory / name)


class ModelQueue:
    """One model and all that it is asked, in batches, which a worker on each core takes from.

    The first worker finds out how much memory the model takes, and whether it answers in batches as one by
    one; as many others as memory has room for follow.
    """

    def __init__(self, questions: Sequence[Questions], journal: Journal[str]) -> None:
        self._first, self.journal = questions[0], journal
        self.inputs = {key: value for one in questions for key, value in one.inputs.items()}
        # What went wrong in an earlier run is asked again.
        for key in [key for key, entry in journal.entries.items() if entry.failure]:
            del journal.entries[key]
        self.todo = sorted(self.inputs.keys() - journal.entries.keys())
        self.check: BatchCheck | None = None
        self._errors: list[WorkerError] = []
        self._deaths = Deaths()
        self._predictors: list[Predictor] = []
        self._lock = Lock()
        self._batches: deque[list[str]] = deque()
        self._stopped = False

    def ask_all(self, progress: Steps) -> None:
        """Ask until nothing is left, or the model is not to be asked any more. Whatever happens, workers end.

        A worker dies with the thread that started it, so each has one that lives as long.
        """
        if not self.todo:
            return
        events: Events = SimpleQueue()
        first, *others = sorted(own_cpus())
        threads = [Thread(target=self._work, args=(first, events, True))]
        threads[0].start()
        at_work = 1
        try:
            while at_work:
                event = events.get()
                if isinstance(event, BaseException):
                    raise event
                kind, count = event
                if kind == "answered":
                    progress.advance(count)
                elif kind == "ended":
                    at_work -= 1
                else:
                    for core in others[:count]:
                        threads.append(Thread(target=self._work, args=(core, events, False)))
                        threads[-1].start()
                        at_work += 1
        finally:
            with self._lock:
                self._stopped = True
                predictors = list(self._predictors)
            for predictor in predictors:
                predictor.stop()
            for thread in threads:
                thread.join()

    def answers(self, path: Path) -> KeptAnswers:
        """All answers, and what is known of batches: found out now, or when they were asked."""
        batches = path.with_suffix(".batches.json")
        if self.check is not None:
            write_atomic(batches, json.dumps(self.check.plain()).encode())
        check = BatchCheck.model_validate_json(batches.read_bytes()) if batches.exists() else None
        missing = self.inputs.keys() - self.journal.entries.keys()
        return KeptAnswers(self.journal.entries, check, self._errors[0] if missing else None)

    def _work(self, core: int, events: Events, is_first: bool) -> None:
        """Ask on a core until nothing is left."""
        first = self._first
        predictor = Predictor(first.spec, first.reader, first.limits, Placement(1, (core,)), self._deaths)
        with self._lock:
            if self._stopped:
                return
            self._predictors.append(predictor)
        loaded = False
        try:
            with predictor:
                batches = predictor.load().batches
                loaded = True
                if is_first:
                    self._begin(predictor, batches, events)
                while keys := self._next():
                    self._ask(predictor, keys, events)
        except WorkerError as error:
            with self._lock:
                self._errors.append(error)
                # A worker that does not load leaves the rest to the others; a model that ends one worker
                # after another is not asked any more.
                if loaded:
                    self._batches.clear()
        except BaseException as error:
            events.put(error)
        events.put(("ended", 1))

    def _begin(self, predictor: Predictor, batches: bool, events: Events) -> None:
        """Ask a sample one by one, then at once if the model can; cut the rest into batches for all."""
        if batches and len(self.todo) > SAMPLE:
            sample = sorted(self.inputs)[:SAMPLE]
            alone = []
            for key in sample:
                alone.append(predictor.entry(self.inputs[key]))
                self._keep([key], alone[-1:], events)
            self.check = compare(alone, predictor.entries([self.inputs[key] for key in sample]))
        rest = [key for key in self.todo if key not in self.journal.entries]
        self._batches.extend(in_batches(self.inputs, rest))
        room = ROOM * psutil.virtual_memory().available / max(predictor.memory().peak_bytes, 1)
        events.put(("others", min(len(self._batches) - 1, int(room)) if self._batches else 0))

    def _next(self) -> list[str] | None:
        """The keys of the next batch; None if there is none."""
        with self._lock:
            return self._batches.popleft() if self._batches and not self._stopped else None

    def _ask(self, predictor: Predictor, keys: Sequence[str], events: Events) -> None:
        if self.check is not None and self.check.passed:
            self._keep(keys, predictor.entries([self.inputs[key] for key in keys]), events)
            return
        for key in keys:
            self._keep([key], [predictor.entry(self.inputs[key])], events)

    def _keep(self, keys: Sequence[str], entries: Sequence[Entry], events: Events) -> None:
        with self._lock:
            new = [pair for pair in zip(keys, entries, strict=True) if pair[0] not in self.journal.entries]
            self.journal.extend(new)
        events.put(("answered", len(new)))


#: How many more inputs are answered, or workers there is room for; that a thread is done; or why one ended.
Events = SimpleQueue[tuple[Literal["answered", "others", "ended"], int] | BaseException]


def in_batches(inputs: Mapping[str, ExampleInputs], keys: Sequence[str]) -> list[list[str]]:
    """The keys in batches of at most `SIZE` inputs of about one length, within the `BUDGET`.

    The batches come in an order that nobody knows beforehand.
    """
    lengths = {key: sum(len(text) for text in inputs[key].values() if isinstance(text, str)) for key in keys}
    batches: list[list[str]] = []
    for key in sorted(keys, key=lengths.__getitem__, reverse=True):
        last = batches[-1] if batches else []
        # The first of a batch is the longest, to which all others are padded.
        if last and len(last) < SIZE and (len(last) + 1) * lengths[last[0]] <= BUDGET:
            last.append(key)
        else:
            batches.append([key])
    secrets.SystemRandom().shuffle(batches)
    return batches


def compare(alone: Sequence[Entry], together: Sequence[Entry]) -> BatchCheck:
    """The answers to the same inputs, one by one and in a batch: how many differ, and how far."""
    differing, largest = 0, None
    for one, other in zip(alone, together, strict=True):
        difference = 0.0
        first, second = one.answer.probabilities, other.answer.probabilities
        if first is not None and second is not None and len(first) == len(second):
            difference = max(abs(a - b) for a, b in zip(first, second, strict=True))
            largest = max(difference, largest or 0.0)
        differing += answer_key(one) != answer_key(other) or difference > TOLERANCE
    return BatchCheck(sample=len(alone), differing=differing, tolerance=TOLERANCE, largest_difference=largest)
