"""What models are shown of a dataset and of its suites, put together once, whichever models are asked."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from evaluator.data.datasets import Dataset
from evaluator.data.suites.make import Suite
from evaluator.data.tasks import get_task
from evaluator.score.suites import PlannedSuite, perturbed, suite_of

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
    """The datasets and suites of one evaluation; `work` keeps the suites from one evaluation to the next."""

    def __init__(self, work: Path) -> None:
        self.work = work
        self._suites: dict[str, Suite] = {}
        self._inputs: dict[str, DatasetInputs] = {}

    def of(self, dataset: Dataset) -> DatasetInputs:
        """What is shown of a dataset."""
        return self._inputs.setdefault(dataset.id, DatasetInputs(dataset))

    def suite(self, planned: PlannedSuite, dataset: Dataset) -> Suite:
        """The suite, made if it was not made before. Raises `evaluator.data.suites.SuiteError`."""
        if planned.hash not in self._suites:
            self._suites[planned.hash] = suite_of(planned, dataset, self.work)
        return self._suites[planned.hash]

    def variants(self, suite: Suite, dataset: Dataset) -> DatasetInputs:
        """What is shown of a suite's variants, which are of `dataset`."""
        if suite.hash not in self._inputs:
            self._inputs[suite.hash] = DatasetInputs(perturbed(dataset, suite))
        return self._inputs[suite.hash]
