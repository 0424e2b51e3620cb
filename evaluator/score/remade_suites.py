"""The suites of stored results, made again from the dataset's texts; each is made once for all results."""

from __future__ import annotations

from pathlib import Path

from evaluator.data.datasets import Dataset
from evaluator.data.suites import SuiteError
from evaluator.data.suites.make import Suite
from evaluator.records.board import Boards
from evaluator.records.canonical import digest
from evaluator.score.suites import define, make_suite, perturbed

#: No folder: these suites are made here, by this version, and read from nowhere.
NOWHERE = Path()


class RemadeSuites:
    """Suites by their hashes.

    Unless the board file is `trusted`, suites with options, which may name files, are left out.
    """

    def __init__(self, boards: Boards, trusted: bool) -> None:
        self.boards, self.trusted = boards, trusted
        self._made: dict[str, Suite | str] = {}
        self._hashes: dict[str, str] = {}

    def suite(self, name: str, dataset: Dataset, stored: str) -> Suite | str:
        """The suite of the hash `stored` under a name, or why it cannot be made here."""
        if stored not in self._made:
            self._made[stored] = self._make(name, dataset, stored)
        return self._made[stored]

    def ids(self, suite: Suite, dataset: Dataset) -> str:
        """The hash of the ids that predictions of its variants have."""
        if suite.hash not in self._hashes:
            ids = [example["id"] for example in perturbed(dataset, suite).examples]
            self._hashes[suite.hash] = digest(ids)
        return self._hashes[suite.hash]

    def _make(self, name: str, dataset: Dataset, stored: str) -> Suite | str:
        spec = self.boards.known_suites.get(name)
        if spec is None:
            return f"the board file has no suite {name}"
        if spec.backend != "steelyard":
            return f"the suite {name} is made by {spec.backend}"
        if spec.options and not self.trusted:
            return f"the suite {name} has options, which may name files"
        try:
            definition = define(spec, NOWHERE)
            if definition.hash(dataset.revision) != stored:
                return f"the suite {name} of {dataset.id} was made by other rules or another version"
            return make_suite(definition, dataset)
        except SuiteError as error:
            return str(error)
