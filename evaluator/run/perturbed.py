"""A model under perturbation: its predictions on a suite's variants."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Sequence
from pathlib import Path

from evaluator.datasets import Dataset
from evaluator.records import Failure, PredictionSet
from evaluator.run.journal import Journal
from evaluator.run.plan import Unit
from evaluator.run.predict import AnswerReader, Predictor
from evaluator.scoring.columns import THOUSANDTHS, prediction_set
from evaluator.scoring.entry import Entry
from evaluator.scoring.results import failures_of
from evaluator.scoring.suites import perturbed
from evaluator.suites.make import Suite
from evaluator.tasks import get_task
from evaluator.worker import Limits, ModelToLoad, Placement

#: Variants asked at once where a model answers several, and how many are asked both ways first.
BATCH, SAMPLE = 32, 32


def predict_variants(
    spec: ModelToLoad,
    unit: Unit,
    suite: Suite,
    limits: Limits,
    placement: Placement,
    path: Path,
    show_text: bool,
) -> tuple[PredictionSet, list[Failure]]:
    """The model's predictions on every variant, each distinct input asked once; `path` is the journal.

    They are asked for in an order that nobody knows beforehand, in batches where the model takes them
    and, over a sample, gives the same answers as one by one. `show_text` is whether failures may quote
    the texts. Raises the `evaluator.worker.WorkerError` that makes it pointless to go on.
    """
    variants = perturbed(unit.dataset, suite)
    first = _first_of_each(variants)
    distinct = sorted(set(first))
    secrets.SystemRandom().shuffle(distinct)
    with Journal(path, len(variants.examples)) as journal:
        todo = [row for row in distinct if row not in journal.entries]
        with Predictor(spec, AnswerReader(variants, show_text), limits, placement) as predictor:
            for rows, entries in _answered(predictor, todo):
                for row, entry in zip(rows, entries, strict=True):
                    journal.append(row, entry)
        entries = [journal.entries[row] for row in first]
    answers = [entry.answer._replace(confidence=None, probabilities=None) for entry in entries]
    predictions = prediction_set(variants, unit.model.id, answers, THOUSANDTHS)
    failures = failures_of(variants, [entry.failure for entry in entries])
    return predictions.model_copy(update={"suite": suite.hash}), failures


def _first_of_each(variants: Dataset) -> list[int]:
    """For every variant, the first that shows a model the same."""
    task, seen = get_task(variants.task), dict[str, int]()
    keys = [json.dumps(task.inputs(example), sort_keys=True) for example in variants.examples]
    return [seen.setdefault(key, row) for row, key in enumerate(keys)]


def _answered(predictor: Predictor, todo: Sequence[int]) -> Iterable[tuple[Sequence[int], Sequence[Entry]]]:
    """Rows and their entries, first the sample, then in batches if these proved the same."""
    sample, rest = todo[:SAMPLE], todo[SAMPLE:]
    alone = [predictor.entry(row) for row in sample]
    yield sample, alone
    step = BATCH if rest and predictor.same_in_batches(sample, alone) else 1
    for start in range(0, len(rest), step):
        rows = rest[start : start + step]
        yield rows, predictor.entries(rows)
