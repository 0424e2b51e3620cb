"""New metrics for old predictions: scores computed again from what is stored, without any model."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from evaluator.data.datasets import Dataset, read_dataset
from evaluator.records.board import Boards, DatasetSpec
from evaluator.records.predictions import PredictionSet
from evaluator.records.result import Result
from evaluator.records.store import Store, reference_to
from evaluator.score.covariances import keep_covariances
from evaluator.score.difficulty_scores import difficulty_scores, without_difficulties
from evaluator.score.examples import check_ids, keep_examples, with_scores
from evaluator.score.metrics import get_metric
from evaluator.score.reading import dataset_source
from evaluator.score.results import TOOL, now_after
from evaluator.score.scores import metric_names, score, score_tags


def rescore(spec: DatasetSpec, boards: Boards, data: Path, store: Store) -> list[tuple[Result, bool]]:
    """Every result on the dataset that keeps predictions of this revision, and whether it changed.

    Computes metrics that are missing or were computed by another version, brings the cards of models that
    the board file knows up to date, what is published of single examples, and covariances. Raises
    `data.datasets.DatasetError`, `records.store.UserError` and `records.errors.UserError`.
    """
    dataset = read_dataset(dataset_source(spec, data))
    check_ids(dataset, spec)
    found = [result for result in store.results_on(dataset.task, dataset.id) if _fits(result, dataset)]
    results = [_brought_up_to_date(result, dataset, boards, store) for result in found]
    if results:
        keep_examples(dataset, spec, store)
        keep_covariances(dataset, boards, store)
    return results


def _fits(result: Result, dataset: Dataset) -> bool:
    return result.dataset.revision == dataset.revision and result.predictions is not None


def _brought_up_to_date(
    result: Result, dataset: Dataset, boards: Boards, store: Store
) -> tuple[Result, bool]:
    show_gold = boards.dataset(dataset.id).show_gold
    predictions = with_scores(dataset, store.predictions(result), show_gold)
    new = rescored(result, dataset, predictions, boards.metrics_of(dataset.id), store)
    known = boards.model(result.model.id)
    if known:
        new = new.model_copy(update={"model": new.model.model_copy(update={"card": known.card})})
    if new != result:
        store.save(new, predictions)
    return new, new != result


def rescored(
    result: Result, dataset: Dataset, predictions: PredictionSet, requested: Sequence[str], store: Store
) -> Result:
    """The result with the metrics it lacks, or has by another version, from its predictions.

    Its scores by difficulty become those of the difficulties that are stored.
    """
    names = metric_names(dataset, predictions, requested)
    missing = [name for name in names if _version(result, name) != get_metric(name).version]
    # Predictions of an older schema version have another hash once they are brought up to date, and so
    # have those whose scores by example came or went.
    changes: dict[str, Any] = {"predictions": reference_to(predictions)}
    scores = without_difficulties(result.scores)
    scores |= difficulty_scores(dataset, predictions, store, {*requested, *result.scores})
    if missing:
        scores |= score(dataset, predictions, missing)
        changes["tags"] = score_tags(dataset, predictions)
    if missing or scores != result.scores:
        changes |= {"scores": scores, "created": now_after(result), "tool": TOOL}
    return result.model_copy(update=changes)


def _version(result: Result, metric: str) -> str | None:
    return result.scores[metric].version if metric in result.scores else None
