"""Whether stored agreement is what the stored predictions of variants give: suites are made again."""

from __future__ import annotations

from pathlib import Path

from evaluator.data.datasets import Dataset
from evaluator.data.suites.make import Suite
from evaluator.records.board import Boards
from evaluator.records.errors import UserError
from evaluator.records.predictions import PredictionSet
from evaluator.records.result import Result, SuiteScores
from evaluator.records.store import Store
from evaluator.score.agreement import agreement_score, suite_scores
from evaluator.score.metrics import get_metric
from evaluator.score.recomputed import Recomputed, counted, is_same
from evaluator.score.remade_suites import RemadeSuites
from evaluator.score.suites import perturbed, rows_of


class Suites:
    """The suites of a store's results; each is made once for all of them."""

    def __init__(self, store: Store, boards: Boards, found: Recomputed, trusted: bool) -> None:
        self.store, self.found = store, found
        self.remade = RemadeSuites(boards, trusted)
        self._carded: set[str] = set()

    def of(self, path: Path, result: Result, original: PredictionSet, dataset: Dataset | None) -> None:
        """Check the agreement of one result; `dataset` is None where its file is not at hand."""
        for name, stored in result.suites.items():
            self._column(path, result, name, stored)
            try:
                variants = self.store.variants(result, name)
            except UserError:
                continue
            if problem := _misfit(result, stored, variants):
                self.found.wrong(path, f"suites: {name}: predictions: {problem}")
            elif dataset is None or not dataset.has_inputs:
                self.found.leave(f"no texts of {result.dataset.id} here, so no suites of it", path)
            else:
                self._agreement(path, result, name, (dataset, original, variants))

    def _column(self, path: Path, result: Result, name: str, stored: SuiteScores) -> None:
        """The score that boards rank is the agreement of the suite."""
        column, again = result.scores.get(name), agreement_score(stored)
        if column is None:
            return
        if column.version != again.version:
            self.found.wrong(path, f"scores: {name}: is by {column.version}, its suite by {again.version}")
        elif not is_same(column.value, again.value):
            self.found.wrong(path, f"scores: {name}: is {column.value}, its suite has {again.value}")

    def _agreement(
        self, path: Path, result: Result, name: str, asked: tuple[Dataset, PredictionSet, PredictionSet]
    ) -> None:
        dataset, original, variants = asked
        stored = result.suites[name]
        metric = result.scores.get(stored.metric)
        if metric is None or metric.version != get_metric(stored.metric).version:
            self.found.leave(f"{stored.metric} of suites was computed by another version", path)
            return
        suite = self.remade.suite(name, dataset, stored.suite)
        if isinstance(suite, str):
            self.found.leave(suite, path)
        elif variants.ids_sha256 != self.remade.ids(suite, dataset):
            self.found.wrong(path, f"suites: {name}: predictions: are not of the variants of this suite")
        else:
            self._card(result, name, suite)
            after = perturbed(dataset, suite), variants
            again = suite_scores(suite, (dataset, original), after, stored.failures)
            self.found.compare(path, f"suites: {name}: ", _numbers(stored), _numbers(again))

    def _card(self, result: Result, name: str, suite: Suite) -> None:
        """The rows that a suite's card keeps; once for all results."""
        card = self.store.suite_card(result.task, result.dataset.id, name)
        if card is None or card.suite != suite.hash or suite.hash in self._carded:
            return
        self._carded.add(suite.hash)
        if card.rows not in ((), rows_of(suite)):
            problem = "rows: are not those that the variants are of; evaluate a model on the suite again"
            self.found.wrong(self.store.record_path(card), problem)


def _misfit(result: Result, stored: SuiteScores, variants: PredictionSet) -> str | None:
    """Why predictions are not those of a model on a suite's variants."""
    about = variants.task, variants.model, variants.dataset, variants.dataset_revision, variants.suite
    if about != (result.task, result.model.id, result.dataset.id, result.dataset.revision, stored.suite):
        return f"are about {', '.join(map(str, about))}"
    if variants.examples != stored.variants:
        return f"has {counted(variants.examples, 'row')} for {counted(stored.variants, 'variant')}"
    return None


def _numbers(scores: SuiteScores) -> dict[str, float | None]:
    """Every number of a suite's scores under one name each."""
    names = ("examples", "without", "variants", "agreement", "worst", "score")
    found: dict[str, float | None] = {name: getattr(scores, name) for name in names}
    for transformation, numbers in scores.transformations.items():
        found |= {f"{transformation}: {name}": value for name, value in numbers}
    return found
