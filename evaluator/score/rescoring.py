"""What is computed again from what is stored, without any model: new metrics, and how well people do.

People's scores are estimated from the responses of those who annotated a dataset. They are stored as a result
of their own, which boards show beside the models and never rank.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from evaluator.data.datasets import Dataset, read_dataset
from evaluator.data.tasks.known import SCORED
from evaluator.records.base import HUMAN, PEOPLE
from evaluator.records.board import Boards, DatasetSpec
from evaluator.records.references import ModelRef, PredictionSet, Source
from evaluator.records.result import Result, Score
from evaluator.records.store import Store, reference_to
from evaluator.score.difficulty import difficulty_scores, without_difficulties
from evaluator.score.examples import (
    answered,
    check_ids,
    dataset_source,
    keep_examples,
    scored_dataset,
)
from evaluator.score.keeping import keep_covariances
from evaluator.score.metrics import get_metric
from evaluator.score.metrics.annotators import human_performance
from evaluator.score.scores import (
    TOOL,
    dataset_ref,
    metric_names,
    now,
    now_after,
    score,
    score_tags,
    with_scores,
)

#: The metrics, and what `HumanPerformance` calls them.
FIELDS = {"macro-f1": "f1", "accuracy": "accuracy", "macro-precision": "precision", "macro-recall": "recall"}
CITATION = "Estimated from synthetic annotators, as Potts et al. 2021 (DynaSent) do"


def estimate(dataset: Dataset, annotators: str = PEOPLE, seed: int = 0) -> Result | None:
    """The result of people on `dataset`, labelled by who its `annotators` are.

    None where some example does not keep two responses or more.
    """
    if not dataset.has_votes or min(map(len, dataset.votes)) < 2:
        return None
    found = human_performance(dataset.votes, dataset.gold, dataset.gold_labels, seed)
    scores = {}
    for name, field in FIELDS.items():
        metric, value, interval = get_metric(name), getattr(found, field), found.intervals[field]
        scores[name] = Score(value=value, unit=metric.unit, version=metric.version, interval=interval)
    made_from = {"annotators": found.annotators, "seed": seed}
    return Result(
        task=dataset.task,
        model=ModelRef(id=HUMAN, label=annotators, made_from=made_from),
        dataset=dataset_ref(dataset),
        provenance="human",
        scores=scores,
        source=Source(citation=CITATION, note=f"{found.annotators} responses to each example, shuffled"),
        created=now(),
        tool=TOOL,
    )


def keep_estimate(dataset: Dataset, spec: DatasetSpec, store: Store) -> list[Path]:
    """Bring the stored estimate for `dataset` up to date, if it has one; return what was written."""
    collected = spec.collected
    new = estimate(dataset, collected.annotators if collected and collected.annotators else PEOPLE)
    if new is None:
        return []
    old = store.find(dataset.task, dataset.id, HUMAN)
    if old is not None and old.model_copy(update={"created": new.created}) == new:
        return []
    return store.save(new)


def rescore(spec: DatasetSpec, boards: Boards, data: Path, store: Store) -> list[tuple[Result, bool]]:
    """Every result on the dataset that keeps predictions of this revision, and whether it changed.

    Computes metrics that are missing or were computed by another version, brings names and cards of models
    that the board file knows up to date, what is published of single examples, and covariances. Raises
    `data.datasets.DatasetError`, `records.store.UserError` and `records.errors.UserError`.
    """
    dataset = read_dataset(dataset_source(spec, data))
    check_ids(dataset, spec)
    results = []
    for result in answered(dataset, store):
        predictions = with_scores(dataset, store.predictions(result), spec.show_gold)
        new = rescored(result, dataset, predictions, boards.metrics_of(dataset.id), store)
        known = boards.model(result.model.id)
        if known and known.is_of(result.task):
            new = new.model_copy(update={"model": new.model.known_as(known.label, known.card)})
        if new != result:
            store.save(new, predictions)
        results.append((new, new != result))
    if results:
        keep_examples(dataset, spec, store)
        keep_covariances(dataset, boards, store)
    return results


def vary_again(dataset: str, boards: Boards, store: Store) -> None:
    """Bring up to date how the values that a source gave vary, where results or a metric's range changed."""
    results = store.results_on(SCORED.name, dataset)
    for revision in sorted({one.dataset.revision or "" for one in results if one.predictions}):
        kept = store.examples(SCORED.name, dataset, revision)
        if kept is not None:
            keep_covariances(scored_dataset(kept), boards, store)


def rescored(
    result: Result, dataset: Dataset, predictions: PredictionSet, requested: Sequence[str], store: Store
) -> Result:
    """The result with the metrics it lacks, or has by another version, from its predictions.

    Its scores by difficulty become those of the difficulties that are stored.
    """
    names = metric_names(dataset, predictions, requested)
    here = {name: score.version for name, score in result.scores.items()}
    missing = [name for name in names if here.get(name) != get_metric(name).version]
    # Predictions whose scores by example came or went have another hash.
    changes: dict[str, Any] = {"predictions": reference_to(predictions)}
    scores = without_difficulties(result.scores)
    scores |= difficulty_scores(dataset, predictions, store, {*requested, *result.scores})
    if missing:
        scores |= score(dataset, predictions, missing)
        changes["tags"] = score_tags(dataset, predictions)
    if missing or scores != result.scores:
        changes |= {"scores": scores, "created": now_after(result), "tool": TOOL}
    return result.model_copy(update=changes)
