"""A model under perturbation: its predictions on a suite's variants, and how many stay the same."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from evaluator.datasets import Dataset
from evaluator.metrics import report
from evaluator.records import Failure, PredictionSet, Score, SuiteScores, TransformationScores
from evaluator.run.journal import Journal
from evaluator.run.plan import Unit
from evaluator.run.predict import AnswerReader, Predictor
from evaluator.run.suites import perturbed
from evaluator.scoring.columns import THOUSANDTHS, prediction_set, texts
from evaluator.scoring.entry import Entry
from evaluator.scoring.results import failures_of
from evaluator.scoring.scores import score
from evaluator.store import reference_to
from evaluator.suites.make import Suite
from evaluator.tasks import get_task
from evaluator.worker import Limits, ModelToLoad, Placement

#: How agreement is computed; in the version of its score beside the suite's hash.
VERSION = "agreement-1"
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
    answers = [replace(entry.answer, confidence=None, probabilities=None) for entry in entries]
    predictions = prediction_set(variants, unit.model.id, answers, THOUSANDTHS)
    return predictions.model_copy(update={"suite": suite.hash}), failures_of(variants, entries)


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


def suite_scores(
    dataset: Dataset,
    suite: Suite,
    original: PredictionSet,
    predictions: PredictionSet,
    failures: Sequence[Failure],
) -> SuiteScores:
    """Agreement, worst case and task metric of a model on a suite.

    `original` are its predictions on the dataset, `predictions` on the variants. Raises ValueError for
    a suite without variants: there is nothing to agree on.
    """
    if not suite.variants:
        raise ValueError(f"suite {suite.name} on {dataset.id}: no example has a variant")
    variants = perturbed(dataset, suite)
    same = agreements(dataset, variants, suite, original, predictions)
    rows = np.array([variant.row for variant in suite.variants])
    examples, place = np.unique(rows, return_inverse=True)
    worst = np.ones(len(examples))
    np.minimum.at(worst, place, same)
    metric = get_task(dataset.task).metric
    return SuiteScores(
        suite=suite.hash,
        kind=suite.kind,
        seed=suite.seed,
        spec=suite.spec,
        examples=len(examples),
        without=len(dataset.examples) - len(examples),
        variants=len(rows),
        agreement=100 * float(np.mean(np.bincount(place, same) / np.bincount(place))),
        worst=100 * float(worst.mean()),
        metric=metric,
        score=score(variants, predictions, [metric])[metric].value,
        transformations={
            name: _transformation(name, suite, same, (dataset, original), (variants, predictions))
            for name in suite.counts
        },
        failures=tuple(failures),
        predictions=reference_to(predictions),
    )


def agreements(
    dataset: Dataset, variants: Dataset, suite: Suite, original: PredictionSet, predictions: PredictionSet
) -> npt.NDArray[np.float64]:
    """For every variant, how far the prediction is that on the original: 0 or 1, for texts their token F1.

    An invalid answer agrees with nothing, not even with another.
    """
    rows = [variant.row for variant in suite.variants]
    if get_task(dataset.task).answer == "text":
        before, after = texts(dataset, original), texts(variants, predictions)
        pairs = [(before[row], text) for row, text in zip(rows, after, strict=True)]
        return _overlap(pairs)
    labels = np.array(original.predicted)[rows]
    return np.asarray((labels == np.array(predictions.predicted)) & (labels >= 0), dtype=np.float64)


def _overlap(pairs: Sequence[tuple[str | None, str | None]]) -> npt.NDArray[np.float64]:
    found = report([b or "" for _, b in pairs], [a or "" for a, _ in pairs], "qa", ["f1"]).scores["f1"]
    assert found.per_item is not None
    equal = np.array([before is not None and before == after for before, after in pairs])
    given = np.array([before is not None and after is not None for before, after in pairs])
    # Two empty answers share no token but are still the same answer.
    return np.where(equal, 1.0, np.where(given, found.per_item / 100, 0.0))


Answered = tuple[Dataset, PredictionSet]


def _transformation(
    name: str, suite: Suite, same: npt.NDArray[np.float64], before: Answered, after: Answered
) -> TransformationScores:
    counts = suite.counts[name]
    places = [place for place, variant in enumerate(suite.variants) if variant.transformation == name]
    found = TransformationScores(
        made=counts.made, unchanged=counts.unchanged, not_applicable=counts.not_applicable
    )
    if not places:
        return found
    metric = get_task(before[0].task).metric
    rows = [suite.variants[place].row for place in places]
    numbers = {
        "agreement": 100 * float(same[places].mean()),
        "score": score(*after, [metric], places)[metric].value,
        "original": score(*before, [metric], rows)[metric].value,
    }
    return found.model_copy(update=numbers)


def agreement_score(scores: SuiteScores) -> Score:
    """The suite as a column of a board: comparable where suite and definition are the same."""
    return Score(value=scores.agreement, unit="%", version=f"{VERSION}/{scores.suite}")
