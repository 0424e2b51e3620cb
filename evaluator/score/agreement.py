"""How many of a model's predictions stay the same on the variants of a suite."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from evaluator.data.datasets import Dataset
from evaluator.data.suites.make import Suite
from evaluator.data.tasks import get_task
from evaluator.records.predictions import PredictionSet
from evaluator.records.result import Failure, Result, Score, SuiteScores, TransformationScores
from evaluator.records.store import reference_to
from evaluator.score.columns import texts
from evaluator.score.metrics import report
from evaluator.score.scores import score
from evaluator.score.suites import rows_of

#: How agreement is computed; in the version of its score beside the suite's hash.
VERSION = "agreement-1"

#: Examples, and what a model answered to each.
AnsweredDataset = tuple[Dataset, PredictionSet]


def suite_scores(
    suite: Suite, before: AnsweredDataset, after: AnsweredDataset, failures: Sequence[Failure]
) -> SuiteScores:
    """Agreement, worst case and task metric of a model on a suite.

    `before` are the dataset and the model's predictions on it, `after` the variants and those on them.
    Raises ValueError for a suite without variants: there is nothing to agree on.
    """
    (dataset, _), (variants, predictions) = before, after
    if not suite.variants:
        raise ValueError(f"suite {suite.name} on {dataset.id}: no example has a variant")
    rows = rows_of(suite)
    same = agreements(before, after, rows)
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
        transformations={name: _transformation(name, suite, same, before, after) for name in suite.counts},
        failures=tuple(failures),
        predictions=reference_to(predictions),
    )


def agreements(
    before: AnsweredDataset, after: AnsweredDataset, rows: Sequence[int]
) -> npt.NDArray[np.float64]:
    """For every variant, how far the prediction `after` is that of its original: 0 or 1, for texts token F1.

    `rows` say which example each variant is of. An invalid answer agrees with nothing, not even with another.
    """
    if get_task(before[0].task).answer == "text":
        originals, found = texts(*before), texts(*after)
        return _overlap([(originals[row], text) for row, text in zip(rows, found, strict=True)])
    return same_labels(before[1], after[1], rows)


def same_labels(
    original: PredictionSet, predictions: PredictionSet, rows: Sequence[int]
) -> npt.NDArray[np.float64]:
    """`agreements` of labels, which needs no texts."""
    labels = np.array(original.predicted)[list(rows)]
    return np.asarray((labels == np.array(predictions.predicted)) & (labels >= 0), dtype=np.float64)


def _overlap(pairs: Sequence[tuple[str | None, str | None]]) -> npt.NDArray[np.float64]:
    found = report([b or "" for _, b in pairs], [a or "" for a, _ in pairs], "qa", ["f1"]).scores["f1"]
    assert found.per_item is not None
    equal = np.array([before is not None and before == after for before, after in pairs])
    given = np.array([before is not None and after is not None for before, after in pairs])
    # Two empty answers share no token but are still the same answer.
    return np.where(equal, 1.0, np.where(given, found.per_item / 100, 0.0))


def _transformation(
    name: str, suite: Suite, same: npt.NDArray[np.float64], before: AnsweredDataset, after: AnsweredDataset
) -> TransformationScores:
    counts = suite.counts[name]
    places = [place for place, variant in enumerate(suite.variants) if variant.transformation == name]
    found = TransformationScores(
        made=counts.made,
        unchanged=counts.unchanged,
        not_applicable=counts.not_applicable,
        undecided=counts.undecided,
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


def with_suites(result: Result, suites: Mapping[str, SuiteScores]) -> Result:
    """The result with these suites, and no others, among its scores."""
    scores = {name: value for name, value in result.scores.items() if name not in result.suites}
    scores |= {name: agreement_score(found) for name, found in suites.items()}
    return result.model_copy(update={"suites": dict(suites), "scores": scores})


def with_kept_suites(new: Result, old: Result | None) -> Result:
    """A result that takes the place of `old`, with the suites of that if both are of the same answers."""
    if old is None or (old.predictions, old.dataset) != (new.predictions, new.dataset):
        return new
    return with_suites(new, old.suites)


def lost_suites(new: Result, old: Result | None) -> tuple[str, ...]:
    """The suites of `old` that the result in its place does not have, as they are about other answers."""
    return tuple(name for name in (old.suites if old else ()) if name not in new.suites)
