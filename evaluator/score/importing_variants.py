"""Answers to a suite's variants that were given elsewhere: how far they are those that the model gave before.

So a model that cannot be asked here, whose answers were imported, has fairness and robustness too.
"""

from __future__ import annotations

from pathlib import Path

from evaluator.data.datasets import Dataset
from evaluator.data.datasets.rows import Watch
from evaluator.records.board import DatasetSpec, SuiteSpec
from evaluator.records.result import Result
from evaluator.records.store import Store
from evaluator.score.agreement import suite_scores, with_suites
from evaluator.score.given_answers import given_answers
from evaluator.score.importing import Imported
from evaluator.score.predictions_file import PredictionsError, PredictionsFile
from evaluator.score.results import TOOL, failures_of, now_after
from evaluator.score.suites import card_of, perturbed, planned_suites, suite_of


def import_variants(
    file: PredictionsFile,
    model: str,
    suite: SuiteSpec,
    spec: DatasetSpec,
    dataset: Dataset,
    store: Store,
    work: Path,
    watch: Watch | None = None,
) -> Imported:
    """Score a model's answers to the variants of a suite, and store them with its result on `dataset`.

    The suite is made, or read from `work`. A variant without an answer agrees with nothing, and is counted.
    Raises `PredictionsError`, and then nothing is written, unless the model's own answers were imported
    before, and for all that `evaluator.score.importing.import_predictions` refuses; `SuiteError` for a
    suite that cannot be made, and ValueError for one without variants.
    """
    result = _answered(model, dataset, store)
    [planned] = planned_suites([suite], dataset, work)
    made = suite_of(planned, dataset, work)
    shown = perturbed(dataset, made)
    given = given_answers(file, shown, model, model, spec.show_text, watch)
    # As of variants that are asked here, the answers alone are kept.
    only = {"suite": made.hash, "probabilities": None, "exact_confidence": None}
    predictions = given.predictions.model_copy(update=only)
    original = store.predictions(result)
    wrong = failures_of(shown, given.failures)
    scores = suite_scores(made, (dataset, original), (shown, predictions), wrong)
    new = with_suites(result, {**result.suites, made.name: scores})
    if new == result:
        return Imported("unchanged", result)
    new = new.model_copy(update={"created": now_after(result), "tool": TOOL})
    store.save_record(card_of(made, dataset, spec.show_text))
    return Imported("imported", new, tuple(store.save(new, original, [predictions])))


def _answered(model: str, dataset: Dataset, store: Store) -> Result:
    """The model's imported answers to this revision of the dataset."""
    place = store.path(dataset.task, dataset.id, model)
    result = store.find(dataset.task, dataset.id, model)
    if result is None:
        raise PredictionsError(
            f"{place}: is not there; import what {model} answers to {dataset.id} first, without --suite"
        )
    if result.provenance != "predictions":
        fix = "only imported answers can be compared with imported ones; evaluate a model that is here"
        raise PredictionsError(f"{place}: provenance: holds a result that is {result.provenance}; {fix}")
    if result.dataset.revision != dataset.revision:
        fix = f"import its answers to {dataset.id} as it is now first"
        raise PredictionsError(f"{place}: dataset: is of another revision than the file; {fix}")
    return result
