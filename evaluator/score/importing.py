"""Predictions made elsewhere, scored here: checked against a dataset, stored, never ranked on timing.

A file that cannot be taken as it is changes nothing. An answer that is no label, and an example
without an answer, are wrong, and counted in the result.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from pydantic import TypeAdapter, ValidationError

from evaluator.data.datasets import Dataset
from evaluator.data.tasks import FieldError, get_task, show
from evaluator.records.base import HUMAN, Slug, digest
from evaluator.records.board import Boards, DatasetSpec, MetricSpec, PredictionsSpec, SuiteSpec
from evaluator.records.errors import UserError, name_problem
from evaluator.records.references import ModelCard, ModelRef, PredictionSet, Source
from evaluator.records.result import Result
from evaluator.records.store import Store, reference_to
from evaluator.score.answer_tables import check_ranges, models_of_table, value_metric
from evaluator.score.answers import failures_of
from evaluator.score.difficulty import difficulty_scores, is_by_difficulty
from evaluator.score.examples import check_ids, keep_examples
from evaluator.score.means import MEAN, by_trial, mean_score
from evaluator.score.metrics import names_for
from evaluator.score.passes import is_of_trials
from evaluator.score.prediction_rows import PredictionRows, PredictionsFile
from evaluator.score.predictions import GivenAnswers, given_answers, read_no_answer, rows_of
from evaluator.score.rescoring import keep_estimate
from evaluator.score.scores import TOOL, dataset_ref, metric_names, now_after, score, score_tags, with_scores
from evaluator.score.suites import (
    card_of,
    lost_suites,
    perturbed,
    planned_suites,
    suite_of,
    suite_scores,
    with_kept_suites,
    with_suites,
)


@dataclass(frozen=True)
class Submission:
    """A file of predictions on a dataset, whose they are, and where they come from.

    `named` is what the file's ``model`` column calls the model, where it has one. `metrics` are those that
    boards show of the dataset, beside those of its task; `values` are those that the file has numbers of.
    """

    file: PredictionsFile
    dataset: DatasetSpec
    model: str
    label: str
    named: str
    card: ModelCard
    metrics: tuple[str, ...]
    source: Source | None = None
    values: Mapping[str, MetricSpec] = field(default_factory=dict)


def submission(
    boards: Boards,
    file: PredictionsFile,
    dataset: str,
    model: str,
    source: Source | None = None,
    named: str | None = None,
    label: str | None = None,
) -> Submission:
    """One model's predictions on a dataset of the board file, which may know the model's name and card.

    The model's id becomes part of a path. Raises `FieldError` for one that is no id, that of people, or that
    of a model that the board file says was removed; `UserError` for values of no metric that boards show.
    """
    try:
        TypeAdapter(Slug).validate_python(model)
    except ValidationError:
        fix = "give 1 to 100 of A-Z, a-z, 0-9, '.', '_' and '-', of which the first is a letter or digit"
        raise FieldError("model", model, f"{show(model)} is not an id", fix) from None
    if model == HUMAN:
        raise FieldError("model", HUMAN, f"{HUMAN!r} stands for people", "choose another id")
    if problem := name_problem(model):
        raise FieldError("model", model, *problem.split("; "))
    known = boards.model(model)
    if known and known.removed:
        fix = "delete `removed` in the board file to import it again"
        raise FieldError("model", model, f"{model} was {known.removed.words}", fix)
    name, card = (known.label, known.card) if known else (label or model, ModelCard())
    metrics = tuple(boards.metrics_of(dataset))
    values = {metric: value_metric(boards, dataset, metric) for metric in file.values}
    return Submission(
        file, boards.dataset(dataset), model, name, named or model, card, metrics, source, values
    )


def declared_file(spec: PredictionsSpec, data: Path) -> PredictionsFile:
    """The files that a table of the board file names; `data` is where their paths start."""
    second = None if spec.no_answer is None else data / spec.no_answer
    return PredictionsFile(
        data / spec.path,
        None,
        spec.columns,
        spec.label_map,
        second,
        spec.accept_differences,
        spec.values,
        several_models=not spec.whose,
    )


def declared(boards: Boards, data: Path) -> list[Submission]:
    """The predictions that the board file declares, except for those of removed models.

    Raises `UserError`.
    """
    return [one for spec in boards.predictions for one in declared_in(spec, boards, data)]


def declared_in(spec: PredictionsSpec, boards: Boards, data: Path) -> list[Submission]:
    """Those of one table of the board file. Raises `UserError`."""
    file = declared_file(spec, data)
    return [
        submission(boards, file, spec.dataset, model, spec.source, named, None if spec.whose else named)
        for named, model in present_models(spec, boards, file).items()
    ]


def present_models(
    spec: PredictionsSpec, boards: Boards, file: PredictionsFile | None = None
) -> dict[str, str]:
    """What the file's column says = the model's id, of the models of a table that were not removed.

    Where the table does not name models, those that the `file` names, as `models_of_table` finds them. Raises
    `UserError` as that does.
    """
    models = {spec.model: spec.model} if spec.model else spec.models
    if not models and file is not None:
        models = models_of_table(file, boards, boards.dataset(spec.dataset).task)
    removed = {model.id for model in boards.models if model.removed}
    return {named: model for named, model in models.items() if model not in removed}


@dataclass(frozen=True)
class Imported:
    """What an import wrote, or would have written again.

    `lost` are suites of the result before, whose agreement was with other answers; `unused` are columns of
    the file that say nothing here; `unlikely` says how many labels are not the most probable class.
    """

    status: Literal["imported", "unchanged"]
    result: Result
    written: tuple[Path, ...] = ()
    lost: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()
    unlikely: str = ""


def import_predictions(submission: Submission, dataset: Dataset, store: Store) -> Imported:
    """Score one model's predictions on `dataset` and store the result.

    If the file has a ``model`` column, only the rows of the submission's model count. Raises `UserError`, and
    then nothing is written: for rows that cannot be read, ids that are unknown, occur twice in one trial or
    are not fit to be published, confidences and probabilities that are none, when the file names models but
    not this one, when no answer is a label at all, when most labels are not the most probable class, for
    numbers outside their metric's range, and when the model has a result on the dataset that was not made
    from predictions.
    """
    return _imported(submission, checked_answers(submission, dataset, store), dataset, store)


def import_table(submissions: Sequence[Submission], dataset: Dataset, store: Store) -> list[Imported]:
    """Import all models of one file, or, where one of them cannot be taken, nothing. Raises `UserError`."""
    rows = rows_of(submissions[0].file, dataset)
    given = [checked_answers(one, dataset, store, rows) for one in submissions]
    return [_imported(one, own, dataset, store) for one, own in zip(submissions, given, strict=True)]


def _imported(submission: Submission, given: GivenAnswers, dataset: Dataset, store: Store) -> Imported:
    file = submission.file
    made_from = _made_from(file, given)
    result, predictions = scored(
        dataset,
        submission.dataset,
        given,
        ModelRef(id=submission.model, label=submission.label, made_from=made_from, card=submission.card),
        submission.metrics,
        store,
        inputs=digest({**made_from, "dataset": dataset.revision, "task": dataset.task}),
        source=submission.source,
    )
    beside = {
        name: mean_score(by_trial(predictions, name), submission.values[name].unit)
        for name in predictions.values or {}
    }
    scores = {**result.scores, **{name: one for name, one in beside.items() if one is not None}}
    result = result.model_copy(update={"scores": scores})
    old = store.find(dataset.task, dataset.id, submission.model)
    result = with_added_scores(with_kept_suites(result, old), old, store)
    keep_estimate(dataset, submission.dataset, store)
    if old is not None and is_stored(old, result, store):
        imported = Imported("unchanged", old)
    else:
        lost = lost_suites(result, old)
        imported = Imported("imported", result, tuple(store.save(result, predictions)), lost)
    keep_examples(dataset, submission.dataset, store)
    return replace(imported, unused=given.unused, unlikely=given.unlikely)


def _made_from(file: PredictionsFile, given: GivenAnswers) -> dict[str, Any]:
    """What a result says of the file that its model's answers are from.

    ``missing`` counts the numbers beside answers that are not there.
    """
    about: dict[str, Any] = {"predictions": file.revision(), "format": file.form}
    about |= {"model": given.picked} if given.picked is not None else {}
    about |= {"runs": given.predictions.trials} if given.predictions.trials > 1 else {}
    values = given.predictions.values or {}
    about |= {"values": {name: file.values[name] for name in values}} if values else {}
    missing = {name: column.count(None) for name, column in values.items() if None in column}
    return about | ({"missing": missing} if missing else {})


def said_of_runs(result: Result) -> list[str]:
    """How many runs a result is the mean of, and which numbers beside its answers are missing, in words."""
    about = result.model.made_from
    runs, examples = about.get("runs", 1), result.dataset.examples or 0
    said = [f"the mean of {runs} runs of each example"] if runs > 1 else []
    return said + [
        f"{name}: {missing:,} of {examples * runs:,} numbers are missing"
        for name, missing in about.get("missing", {}).items()
    ]


def checked_answers(
    submission: Submission, dataset: Dataset, store: Store, rows: PredictionRows | None = None
) -> GivenAnswers:
    """What the file says of each example. Writes nothing, and raises what `import_predictions` does."""
    check_ids(dataset, submission.dataset)
    place = store.path(dataset.task, dataset.id, submission.model)
    store.check_new(place)
    file, show_text = submission.file, submission.dataset.show_text
    rows = rows or rows_of(file, dataset)
    check_ranges(rows, submission.named, submission.values)
    given = given_answers(file, dataset, submission.model, submission.named, show_text, rows)
    if file.no_answer is not None:
        if dataset.task != "qa":
            raise UserError(file.no_answer, f"is for questions, and {dataset.id} has none", "leave it out")
        if given.predictions.trials > 1:
            raise UserError(
                file.no_answer, f"is of one run, and {submission.model} has several", "leave it out"
            )
        no_answer = read_no_answer(file.no_answer, dataset.ids)
        given = replace(given, predictions=given.predictions.model_copy(update={"no_answer": no_answer}))
    old = store.find(dataset.task, dataset.id, submission.model)
    if old is not None and old.provenance != "predictions":
        fix = "import under another model id, or delete it first"
        raise UserError(f"{place}: provenance", f"holds a result that is {old.provenance}", fix)
    return given


def with_added_scores(new: Result, old: Result | None, store: Store, tool: str | None = None) -> Result:
    """A result that takes the place of `old`, with the scores of that which somebody has added by hand.

    Those whose version begins with the name of a `tool` are from its log. Raises `UserError` where added
    scores are of other answers or examples, so that they can neither be kept nor be lost in silence.
    """
    if old is None:
        return new
    others = {
        name: score
        for name, score in old.scores.items()
        if not (name in new.scores or name in old.suites or is_by_difficulty(score) or score.version == MEAN)
        and not (tool and score.version.startswith(f"{tool} "))
    }
    if (old.predictions, old.dataset) == (new.predictions, new.dataset):
        return new.model_copy(update={"scores": {**new.scores, **others}})
    known = names_for(get_task(new.task).kind)
    added = [name for name, one in others.items() if not (name in known or is_of_trials(one.version))]
    if added:
        place = store.path(old.task, old.dataset.id, old.model.id)
        problem = (
            f"{', '.join(added)}: added to this result by hand, of other answers than those imported now"
        )
        fix = "remove them from the file, or import under another model id"
        raise UserError(f"{place}: scores", problem, fix)
    return new


def is_stored(old: Result, new: Result, store: Store) -> bool:
    """Whether a result is `old`, except for its date, and the predictions of that are there as they were
    written."""
    if old.model_copy(update={"created": new.created}) != new:
        return False
    try:
        store.predictions(old)
    except UserError:
        return False
    return True


def scored(
    dataset: Dataset,
    spec: DatasetSpec,
    given: GivenAnswers,
    model: ModelRef,
    metrics: tuple[str, ...],
    store: Store,
    *,
    inputs: str,
    source: Source | None,
) -> tuple[Result, PredictionSet]:
    """The result of `given` answers, with `metrics` beside the task's own, and what it is computed from.

    `inputs` is the hash of all that decides the answers.
    """
    predictions = with_scores(dataset, given.predictions, spec.show_gold)
    scores = score(dataset, predictions, metric_names(dataset, predictions, metrics))
    scores |= difficulty_scores(dataset, predictions, store, metrics)
    result = Result(
        task=dataset.task,
        model=model,
        dataset=dataset_ref(dataset),
        inputs=inputs,
        provenance="predictions",
        scores=scores,
        tags=score_tags(dataset, predictions),
        failures=tuple(failures_of(dataset, given.failures)),
        predictions=reference_to(predictions),
        source=source,
        created=now_after(store.find(dataset.task, dataset.id, model.id)),
        tool=TOOL,
    )
    return result, predictions


def import_variants(
    file: PredictionsFile,
    model: str,
    suite: SuiteSpec,
    spec: DatasetSpec,
    dataset: Dataset,
    store: Store,
    work: Path,
) -> Imported:
    """Score a model's answers to the variants of a suite that were given elsewhere, and store them with its
    result on `dataset`: how far they are those that it gave before, its fairness or robustness.

    The suite is made, or read from `work`. A variant without an answer agrees with nothing, and is counted.
    Raises `UserError`, and then nothing is written, unless the model's own answers were imported before, for
    all that `import_predictions` refuses, and for a suite that cannot be made; ValueError for one without
    variants.
    """
    place, result = store.path(dataset.task, dataset.id, model), store.find(dataset.task, dataset.id, model)
    if result is None:
        fix = f"import what {model} answers to {dataset.id} first, without --suite"
        raise UserError(place, "is not there", fix)
    if result.provenance != "predictions":
        fix = "only imported answers can be compared with imported ones; evaluate a model that is here"
        raise UserError(f"{place}: provenance", f"holds a result that is {result.provenance}", fix)
    if result.dataset.revision != dataset.revision:
        fix = f"import its answers to {dataset.id} as it is now first"
        raise UserError(f"{place}: dataset", "is of another revision than the file", fix)
    [planned] = planned_suites([suite], dataset, work)
    made = suite_of(planned, dataset, work)
    shown = perturbed(dataset, made)
    given = given_answers(file, shown, model, model, spec.show_text)
    # As of variants that are asked here, the answers alone are kept.
    only = {"suite": made.hash, "probabilities": None, "exact_confidence": None}
    predictions = given.predictions.model_copy(update=only)
    original = store.predictions(result)
    if original.trials > 1:
        fix = "a suite compares one answer with another; import one run of it as a model of its own"
        raise UserError(place, f"has {original.trials} runs of {model}", fix)
    wrong = failures_of(shown, given.failures)
    scores = suite_scores(made, (dataset, original), (shown, predictions), wrong)
    new = with_suites(result, {**result.suites, made.name: scores})
    if new == result:
        return Imported("unchanged", result, unused=given.unused, unlikely=given.unlikely)
    new = new.model_copy(update={"created": now_after(result), "tool": TOOL})
    store.save_record(card_of(made, dataset, spec.show_text))
    written = tuple(store.save(new, original, [predictions]))
    return Imported("imported", new, written, unused=given.unused, unlikely=given.unlikely)
