"""How well people do on a dataset, estimated from the responses of those who annotated it.

The estimate is stored as a result of its own, which boards show beside the models and never rank.
"""

from __future__ import annotations

from pathlib import Path

from evaluator.data.datasets import Dataset
from evaluator.records.base import HUMAN, PEOPLE
from evaluator.records.board import DatasetSpec
from evaluator.records.references import ModelRef, Source
from evaluator.records.result import Result, Score
from evaluator.records.store import Store
from evaluator.score.metrics import get_metric
from evaluator.score.metrics.annotators import HumanPerformance, human_performance
from evaluator.score.results import TOOL, dataset_ref, now

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
    return Result(
        task=dataset.task,
        model=ModelRef(
            id=HUMAN,
            label=annotators,
            made_from={"annotators": found.annotators, "seed": seed},
        ),
        dataset=dataset_ref(dataset),
        provenance="human",
        scores={name: _score(name, found, field) for name, field in FIELDS.items()},
        source=Source(citation=CITATION, note=f"{found.annotators} responses to each example, shuffled"),
        created=now(),
        tool=TOOL,
    )


def _score(name: str, found: HumanPerformance, field: str) -> Score:
    metric = get_metric(name)
    value = getattr(found, field)
    return Score(value=value, unit=metric.unit, version=metric.version, interval=found.intervals[field])


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
