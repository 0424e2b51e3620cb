"""Results' scores by the stored difficulties of their dataset, and the table for every way of splitting."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from evaluator.data.datasets import Dataset
from evaluator.data.tasks import get_task
from evaluator.records.datasets import Difficulty, DifficultyTable
from evaluator.records.predictions import PredictionSet
from evaluator.records.result import Result, Score
from evaluator.records.store import Store
from evaluator.score.examples import examples_of
from evaluator.score.results import TOOL, now_after

if TYPE_CHECKING:
    from evaluator.rank.difficulty import Samples
    from evaluator.rank.difficulty_order import DifficultyQuestion

#: The score by a model's own confidence, which needs no stored difficulty.
WMPROB = "wmprob"
#: What a score is by: the defaults of `evaluator.rank.difficulty_order.DifficultyQuestion`.
ASKED, PERCENT = "7-equal case-1", 10


def difficulty_scores(
    dataset: Dataset, predictions: PredictionSet, store: Store, requested: Collection[str] = ()
) -> dict[str, Score]:
    """A model's scores by each stored difficulty of the dataset: 7 equal splits, case 1, ties' mean weight.

    By WOOD at 10 per cent, if that is stored. By its own confidence, where it says how sure it is, if the
    dataset has difficulties or a table of them, or `wmprob` is `requested`. Raises `UserError`.
    """
    about = dataset.task, dataset.id, dataset.revision
    stored = store.difficulties(*about)
    sure = bool(stored) or WMPROB in requested or store.difficulty_table(*about) is not None
    if not sure or get_task(dataset.task).answer != "label":
        return {}
    samples = samples_of(dataset, {predictions.model: predictions}, stored)
    versions = _versions(stored)
    if WMPROB in samples.metrics():
        versions[WMPROB] = _version(None)
    values = {name: _value(samples, name) for name in versions}
    return {
        name: Score(value=value, unit="%", version=versions[name])
        for name, value in values.items()
        if value is not None
    }


def samples_of(
    dataset: Dataset, predictions: Mapping[str, PredictionSet], difficulties: Collection[Difficulty]
) -> Samples:
    """A dataset, what models answered and its difficulties, as `evaluator.rank.difficulty` takes them."""
    from evaluator.rank.difficulty import Samples

    return Samples.read(
        examples_of(dataset, show_gold=True).plain(),
        {model: one.plain() for model, one in predictions.items()},
        [one.plain() for one in difficulties],
    )


class DifficultySamples:
    """A dataset with the difficulties that are stored of it, for one model after another.

    `versions` are those that scores by each difficulty have now. Raises `UserError`.
    """

    def __init__(self, dataset: Dataset, store: Store) -> None:
        stored = store.difficulties(dataset.task, dataset.id, dataset.revision)
        self.samples = samples_of(dataset, {}, stored)
        self.versions = _versions(stored) | {WMPROB: _version(None)}

    def influence(self, predictions: PredictionSet, name: str) -> list[float] | None:
        """By how much each example moves a model's score by a difficulty; None where it has no value."""
        self.samples.add(predictions.model, predictions.plain())
        found = self.samples.influence(_question(name), predictions.model)
        self.samples.remove(predictions.model)
        return found


def _versions(stored: Collection[Difficulty]) -> dict[str, str]:
    """The versions of scores by those of the stored difficulties that there are scores by."""
    return {one.name: _version(one) for one in stored if one.values or str(PERCENT) in one.columns}


def _version(difficulty: Difficulty | None) -> str:
    """Of a score: the definition, the question and the source, so that scores by another one are stale.

    A model's own confidence is no source that models share.
    """
    from evaluator.rank.difficulty import DEFINITION

    if difficulty is None:
        return f"{DEFINITION} {ASKED}"
    percent = "" if difficulty.percentages is None else f" {PERCENT}%"
    return f"{DEFINITION} {ASKED}{percent} {difficulty.content_hash().removeprefix('sha256:')[:12]}"


def _value(samples: Samples, name: str) -> float | None:
    [row] = samples.answer(_question(name)).rows
    return row.value


def _question(name: str) -> DifficultyQuestion:
    """What scores by a difficulty answer."""
    from evaluator.rank.difficulty_order import DifficultyQuestion

    return DifficultyQuestion(metric=name, percent=PERCENT)


def is_by_difficulty(score: Score) -> bool:
    """Whether a score is by a difficulty, under this or an earlier version of the definition."""
    from evaluator.rank.difficulty import DEFINITION

    return score.version.partition("/")[0] == DEFINITION.partition("/")[0]


def without_difficulties(scores: Mapping[str, Score]) -> dict[str, Score]:
    """The scores that are by no difficulty."""
    return {name: score for name, score in scores.items() if not is_by_difficulty(score)}


def results_of(dataset: Dataset, store: Store) -> list[Result]:
    """The results that keep predictions of this revision of a dataset. Raises `UserError`."""
    found = store.results_on(dataset.task, dataset.id)
    return [one for one in found if one.dataset.revision == dataset.revision and one.predictions is not None]


def score_results(
    dataset: Dataset, store: Store, requested: Collection[str] = ()
) -> list[tuple[Result, bool]]:
    """Bring the scores by difficulty of every result up to date; each result, and whether it changed."""
    found = []
    for result in results_of(dataset, store):
        predictions = store.predictions(result)
        fresh = difficulty_scores(dataset, predictions, store, {*requested, *result.scores})
        scores = without_difficulties(result.scores) | fresh
        new = scores != result.scores
        if new:
            result = result.model_copy(update={"scores": scores, "created": now_after(result), "tool": TOOL})
            store.save(result, predictions)
        found.append((result, new))
    return found


def table_of(dataset: Dataset, store: Store) -> DifficultyTable:
    """All results of a dataset by all of its difficulties. Raises ValueError if there are no results."""
    from evaluator.rank.difficulty import DEFINITION
    from evaluator.score.difficulty_table import full_table

    predictions = {one.model.id: store.predictions(one) for one in results_of(dataset, store)}
    if not predictions:
        raise ValueError(f"{dataset.id}: has no results with predictions; evaluate or import some first")
    difficulties = store.difficulties(dataset.task, dataset.id, dataset.revision)
    return DifficultyTable(
        task=dataset.task,
        dataset=dataset.id,
        revision=dataset.revision,
        definition=DEFINITION,
        difficulties={one.name: one.content_hash() for one in difficulties},
        predictions={model: one.content_hash() for model, one in predictions.items()},
        table=full_table(samples_of(dataset, predictions, difficulties)),
    )
