"""Results' scores by the stored difficulties of their dataset, and the table for every way of splitting."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from evaluator.data.datasets import Dataset
from evaluator.data.tasks import get_task
from evaluator.rank.difficulty import DEFINITION, Samples
from evaluator.rank.difficulty_order import (
    BY_CONFIDENCE,
    CASES,
    CHOICES,
    CONFIDENCE,
    FIXED,
    DifficultyQuestion,
)
from evaluator.rank.difficulty_rows import per_cent
from evaluator.records.datasets import Difficulty, DifficultyTable
from evaluator.records.references import PredictionSet
from evaluator.records.result import Result, Score
from evaluator.records.store import Store
from evaluator.score.examples import answered, examples_of
from evaluator.score.scores import TOOL, mean_of_trials, now_after

#: The score by a model's own confidence, which needs no stored difficulty.
WMPROB = "wmprob"
#: What a score is by: the defaults of `evaluator.rank.difficulty_order.DifficultyQuestion`.
ASKED, PERCENT = "7-equal case-1", 10
#: Of a table: of case 8 it has other numbers than under "difficulty/2". Scores are of case 1, and the same.
TABLE_DEFINITION = "difficulty/3"


def difficulty_scores(
    dataset: Dataset, predictions: PredictionSet, store: Store, requested: Collection[str] = ()
) -> dict[str, Score]:
    """A model's scores by each stored difficulty of the dataset: 7 equal splits, case 1, ties' mean weight.

    By WOOD at 10 per cent, if that is stored. By its own confidence, where it says how sure it is, if the
    dataset has difficulties or a table of them, or `wmprob` is `requested`. Raises `UserError`.
    """
    about = dataset.task, dataset.id, dataset.revision
    stored = store.difficulties(*about)
    wanted = bool(stored) or WMPROB in requested or store.difficulty_table(*about) is not None
    if not wanted or get_task(dataset.task).answer != "label":
        return {}
    trials = [samples_of(dataset, {run.model: run}, stored) for run in predictions.runs()]
    versions = _versions(stored)
    if WMPROB in trials[0].metrics():
        versions[WMPROB] = _version(None)
    values = {name: [one.answer(_question(name)).rows[0].value for one in trials] for name in versions}
    return {
        name: Score(value=mean_of_trials(known), unit="%", version=versions[name])
        for name, found in values.items()
        if len(known := [value for value in found if value is not None]) == len(found)
    }


def samples_of(
    dataset: Dataset, predictions: Mapping[str, PredictionSet], difficulties: Collection[Difficulty]
) -> Samples:
    """A dataset, what models answered and its difficulties, as `evaluator.rank.difficulty` takes them."""
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
        trials = []
        for run in predictions.runs():
            self.samples.add(run.model, run.plain())
            trials.append(self.samples.influence(_question(name), run.model))
            self.samples.remove(run.model)
        known = [one for one in trials if one is not None]
        if len(known) < len(trials):
            return None
        return [mean_of_trials(values) for values in zip(*known, strict=True)]


def _versions(stored: Collection[Difficulty]) -> dict[str, str]:
    """The versions of scores by those of the stored difficulties that there are scores by."""
    return {one.name: _version(one) for one in stored if one.values or str(PERCENT) in one.columns}


def _version(difficulty: Difficulty | None) -> str:
    """Of a score: the definition, the question and the source, so that scores by another one are stale.

    A model's own confidence is no source that models share.
    """
    if difficulty is None:
        return f"{DEFINITION} {ASKED}"
    percent = "" if difficulty.percentages is None else f" {PERCENT}%"
    return f"{DEFINITION} {ASKED}{percent} {difficulty.content_hash().removeprefix('sha256:')[:12]}"


def _question(name: str) -> DifficultyQuestion:
    """What scores by a difficulty answer."""
    return DifficultyQuestion(metric=name, percent=PERCENT)


def is_by_difficulty(score: Score) -> bool:
    """Whether a score is by a difficulty, under this or an earlier version of the definition."""
    return score.version.partition("/")[0] == DEFINITION.partition("/")[0]


def without_difficulties(scores: Mapping[str, Score]) -> dict[str, Score]:
    """The scores that are by no difficulty."""
    return {name: score for name, score in scores.items() if not is_by_difficulty(score)}


def score_results(
    dataset: Dataset, store: Store, requested: Collection[str] = ()
) -> list[tuple[Result, bool]]:
    """Bring the scores by difficulty of every result up to date; each result, and whether it changed."""
    found = []
    for result in answered(dataset, store):
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
    """All results of a dataset by all of its difficulties, but for those of several runs, of which no example
    is simply right or wrong. Raises ValueError if there are no results."""
    kept = [store.predictions(one) for one in answered(dataset, store)]
    predictions = {one.model: one for one in kept if one.trials == 1}
    if not predictions:
        raise ValueError(f"{dataset.id}: has no results with predictions; evaluate or import some first")
    difficulties = store.difficulties(dataset.task, dataset.id, dataset.revision)
    return DifficultyTable(
        task=dataset.task,
        dataset=dataset.id,
        revision=dataset.revision,
        definition=TABLE_DEFINITION,
        difficulties={one.name: one.content_hash() for one in difficulties},
        predictions={model: one.content_hash() for model, one in predictions.items()},
        table=full_table(samples_of(dataset, predictions, difficulties)),
    )


def full_table(samples: Samples) -> dict[str, Any]:
    """Every model by every difficulty, percentage, case, kind of splits and handling of ties.

    Columns are in the order of `models`: values and tie limits in per cent, ranks; None where undefined.
    Splits are 7 equal ones or none ("continuous", which ties do not touch); the scale is linear. A WOOD with
    several percentages has rows by their mean too, whose `percents` are all of them. Cases 6 to 9 are by
    their numbers, so that case 1 without splits is case 6, or 7 by confidence.
    """
    models = sorted(samples.models)
    table = [_table_row(samples, question, models) for question in _all_questions(samples)]
    accuracy = [per_cent(samples.models[model].correct, len(samples.ids)) for model in models]
    return {"definition": TABLE_DEFINITION, "models": models, "accuracy": accuracy, "rows": table}


def _all_questions(samples: Samples) -> Iterator[DifficultyQuestion]:
    for metric, percents in samples.metrics().items():
        columns: list[dict[str, Any]] = [{"percent": percent} for percent in percents] or [{}]
        columns += [{"percents": percents}] if len(percents) > 1 else []
        for column, case in itertools.product(columns, CASES):
            fixed = FIXED.get(case, {})
            if case in FIXED and (case in BY_CONFIDENCE) != (metric == CONFIDENCE):
                continue
            if fixed.get("kind") != "continuous":
                for ties in CHOICES["ties"]:
                    yield DifficultyQuestion(metric, case=case, ties=ties, **column)
            if case > 1 and (case not in FIXED or "kind" in fixed):
                yield DifficultyQuestion(metric, case=case, kind="continuous", **column)


def _table_row(samples: Samples, question: DifficultyQuestion, models: Sequence[str]) -> dict[str, Any]:
    by_model = {row.model: row for row in samples.answer(question).rows}
    rows = [by_model[model] for model in models]
    several = question.percents is not None
    return {
        "metric": question.metric,
        "percent": question.percent if samples.metrics()[question.metric] and not several else None,
        **({"percents": list(question.percents or ())} if several else {}),
        "case": question.case,
        "kind": question.kind,
        "ties": question.ties if question.kind == "equal" else None,
        "scored": [row.scored for row in rows],
        **{name: [getattr(row, name) for row in rows] for name in ("value", "rank", "lowest", "highest")},
    }
