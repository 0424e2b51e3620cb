"""Predictions made elsewhere, scored here: checked against a dataset, stored, never ranked on timing.

A file that cannot be taken as it is changes nothing. An answer that is no label, and an example
without an answer, are wrong, and counted in the result.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import TypeAdapter, ValidationError

from evaluator.board import Boards, DatasetSpec, PredictionsSpec
from evaluator.datasets import Dataset
from evaluator.records import (
    HUMAN,
    ModelCard,
    ModelRef,
    PredictionSet,
    PredictionsRef,
    Result,
    Slug,
    Source,
    digest,
    name_problem,
)
from evaluator.scoring.columns import MILLIONTHS, prediction_set
from evaluator.scoring.difficulty_scores import difficulty_scores
from evaluator.scoring.entry import Entry
from evaluator.scoring.examples import check_ids, keep_examples, with_scores
from evaluator.scoring.people import keep_estimate
from evaluator.scoring.predictions_file import (
    Given,
    PredictionsError,
    PredictionsFile,
    RowProblem,
    listed,
    read_no_answer,
    read_predictions,
)
from evaluator.scoring.recomputed import counted, together
from evaluator.scoring.results import TOOL, dataset_ref, failures_of, now
from evaluator.scoring.scores import metric_names, score, score_tags
from evaluator.store import Store, StoreError
from evaluator.tasks import FieldError, Prediction, Task, get_task, is_text, show
from evaluator.tasks.answers import FILE, stated_confidence

#: Problems a message lists before it counts the rest.
LISTED = 10


@dataclass(frozen=True)
class Submission:
    """A file of predictions on a dataset, whose they are, and where they come from.

    `named` is what the file's ``model`` column calls the model, where it has one. `metrics` are those that
    boards show of the dataset, beside those of its task. `model` becomes part
    of a path: `FieldError` unless it is an id, and not that of people, and `label` is a text.
    """

    file: PredictionsFile
    dataset: DatasetSpec
    model: str
    label: str
    named: str
    card: ModelCard
    metrics: tuple[str, ...]
    source: Source | None = None

    def __post_init__(self) -> None:
        try:
            TypeAdapter(Slug).validate_python(self.model)
        except ValidationError:
            fix = "give 1 to 100 of A-Z, a-z, 0-9, '.', '_' and '-', of which the first is a letter or digit"
            raise FieldError("model", self.model, f"{show(self.model)} is not an id", fix) from None
        if self.model == HUMAN:
            raise FieldError("model", HUMAN, f"{HUMAN!r} stands for people", "choose another id")
        if problem := name_problem(self.model):
            raise FieldError("model", self.model, *problem.split("; "))
        if not is_text(self.label):
            raise FieldError("label", self.label, f"{show(self.label)} is not text", "give valid UTF-8")


def submission(
    boards: Boards,
    file: PredictionsFile,
    dataset: str,
    model: str,
    source: Source | None = None,
    named: str | None = None,
) -> Submission:
    """One model's predictions on a dataset of the board file, which may know the model's name and card.

    Raises `FieldError` for a model that the board file says was removed.
    """
    known = boards.model(model)
    if known and known.removed:
        fix = "delete `removed` in the board file to import it again"
        raise FieldError("model", model, f"{model} was {known.removed.words}", fix)
    label, card = (known.label, known.card) if known else (model, ModelCard())
    metrics = tuple(boards.metrics_of(dataset))
    return Submission(file, boards.dataset(dataset), model, label, named or model, card, metrics, source)


def declared_file(spec: PredictionsSpec, data: Path) -> PredictionsFile:
    """The files that a table of the board file names; `data` is where their paths start."""
    second = None if spec.no_answer is None else data / spec.no_answer
    return PredictionsFile(data / spec.path, spec.format, spec.columns, spec.label_map, second)


def declared(boards: Boards, data: Path) -> list[Submission]:
    """The predictions that the board file declares, but for those of removed models; `data` is where their
    paths start."""
    found = []
    for spec in boards.predictions:
        file = declared_file(spec, data)
        found += [
            submission(boards, file, spec.dataset, model, spec.source, named)
            for named, model in present_models(spec, boards).items()
        ]
    return found


def present_models(spec: PredictionsSpec, boards: Boards) -> dict[str, str]:
    """What the file's column says = the model's id, of the models of a table that were not removed."""
    models = {spec.model: spec.model} if spec.model else spec.models
    removed = {model.id for model in boards.models if model.removed}
    return {named: model for named, model in models.items() if model not in removed}


@dataclass(frozen=True)
class Imported:
    """What an import wrote, or would have written again."""

    status: Literal["imported", "unchanged"]
    result: Result
    written: tuple[Path, ...] = ()


def import_predictions(submission: Submission, dataset: Dataset, store: Store) -> Imported:
    """Score one model's predictions on `dataset` and store the result.

    If the file has a ``model`` column, only the rows of the submission's model count. Raises
    `PredictionsError`, and then nothing is written: for rows that cannot be read, ids that are unknown
    or occur twice, confidences and probabilities that are none, when the file names models but not this
    one, when no answer is a label at all, and when the model has a result on the dataset that was not made
    from predictions. Raises `evaluator.datasets.DatasetError` where ids are not fit to be published, and
    `StoreError` where the model's id cannot be the name of a new file.
    """
    entries, picked = checked_entries(submission, dataset, store)
    old = store.find(dataset.task, dataset.id, submission.model)
    result, predictions = _result(submission, dataset, entries, picked, store)
    keep_estimate(dataset, store)
    if old is not None and _is_whole(old, store) and _is_same(old, result):
        imported = Imported("unchanged", old)
    else:
        imported = Imported("imported", result, tuple(store.save(result, predictions)))
    keep_examples(dataset, submission.dataset, store)
    return imported


def checked_entries(submission: Submission, dataset: Dataset, store: Store) -> tuple[list[Entry], str | None]:
    """What the file says of each example, and which model of the file was taken, if it names any.

    Writes nothing. Raises what `import_predictions` does.
    """
    check_ids(dataset, submission.dataset)
    store.check_new(store.path(dataset.task, dataset.id, submission.model))
    task, file = get_task(dataset.task), submission.file
    given, problems = read_predictions(file, task, dataset.labels, _words(dataset))
    rows = _rows_of(file.path, given, problems, submission.named)
    _check_ids(file.path, rows, problems, dataset)
    entries = _entries(file.path, rows, dataset, task, submission.dataset.show_text)
    _no_answer(file, dataset)
    old = store.find(dataset.task, dataset.id, submission.model)
    if old is not None and old.provenance != "predictions":
        place = store.path(dataset.task, dataset.id, submission.model)
        fix = "import under another model id, or delete it first"
        raise PredictionsError(f"{place}: provenance: holds a result that is {old.provenance}; {fix}")
    return entries, submission.named if rows[0].model is not None else None


def _is_whole(result: Result, store: Store) -> bool:
    """Whether the predictions of a result are there as they were written."""
    try:
        store.predictions(result)
    except StoreError:
        return False
    return True


def _is_same(old: Result, new: Result) -> bool:
    return old.model_copy(update={"created": new.created}) == new


def _words(dataset: Dataset) -> dict[str, str]:
    """Other words for a label that models answer with: those of the task and of the dataset's own file.
    Of labels that count as the same, the first is meant."""
    answers = {dataset.merge.get(label, label): label for label in reversed(dataset.labels)}
    own = {word: answers[gold] for word, gold in dataset.label_map.items() if gold in answers}
    return {**get_task(dataset.task).words, **answers, **{label: label for label in dataset.labels}, **own}


def _rows_of(path: Path, given: Sequence[Given], problems: Sequence[RowProblem], model: str) -> list[Given]:
    """The rows of one model, if the file says which models its rows are of; else all."""
    models = sorted({row.model for row in given if row.model is not None})
    if not models:
        return list(given)
    if model not in models:
        _refuse(path, _messages(problems))
        raise PredictionsError(
            f"{path}: model: has rows of {listed(models)}, none of {show(model)}; import it as"
            " one of them, say under [[predictions]] of the board file which id it has here with"
            ' models = { theirs = "ours" }, or name another column with --column model=NAME'
        )
    fix = "name the model of every row"
    unnamed = [row.line for row in given if row.model is None]
    _refuse(path, [(line, f"model: missing, where other rows name one; {fix}") for line in unnamed])
    return [row for row in given if row.model == model]


def _messages(problems: Sequence[RowProblem]) -> list[tuple[int, str]]:
    return [(problem.line, str(problem.error)) for problem in problems]


def _check_ids(path: Path, rows: Sequence[Given], problems: Sequence[RowProblem], dataset: Dataset) -> None:
    """Raise `PredictionsError` for all rows that cannot be taken, the first few one by one."""
    known = {example["id"] for example in dataset.examples}
    found = _messages(problems)
    seen: dict[str, int] = {}
    for row in rows:
        if row.id not in known:
            example = show(dataset.examples[0]["id"])
            fix = f"give ids of {dataset.id}, such as {example}"
            found.append((row.line, f"id: {show(row.id)} is no example of {dataset.id}; {fix}"))
        elif row.id in seen:
            earlier = f"has a prediction on line {seen[row.id]} already"
            found.append((row.line, f"id: {show(row.id)} {earlier}; give one an example"))
        seen.setdefault(row.id, row.line)
    _refuse(path, sorted(found))


def _refuse(path: Path, problems: Sequence[tuple[int, str]]) -> None:
    """Raise `PredictionsError` if there are problems: the same once, the first few, the rest counted."""
    if problems:
        kinds = together(problems)
        lines = [f"{path}:{line}: {message}{_and_more(count)}" for line, message, count in kinds[:LISTED]]
        more = sum(count for _, _, count in kinds[LISTED:])
        raise PredictionsError("\n".join([*lines, *([f"{path}: and {more} more"] if more else [])]))


def _and_more(count: int) -> str:
    return f" (and {counted(count - 1, 'more row')})" if count > 1 else ""


def _entries(path: Path, rows: Sequence[Given], dataset: Dataset, task: Task, show_text: bool) -> list[Entry]:
    """An entry for each example, in the dataset's order."""
    missing = Entry(failure=("missing", "no prediction is given for this example, which counts as wrong"))
    entries, refused, invalid = {}, [], []
    examples = {example["id"]: example for example in dataset.examples}
    for row in rows:
        try:
            entries[row.id] = Entry(_checked(row.output, dataset.labels, task))
        except _NotAnAnswer as error:
            invalid.append((row, str(error)))
            quotes = not show_text and _quotes(row, examples[row.id], task)
            message = "not a valid answer" if quotes else str(error)
            failure = ("invalid-answer", f"line {row.line}: {message}")
            entries[row.id] = Entry(Prediction(confidence=stated_confidence(row.output)), failure)
        except FieldError as error:
            refused.append((row.line, str(error)))
    _refuse(path, refused)
    if len(invalid) == len(rows):
        row, message = invalid[0]
        more = ", or map the file's labels with --map-label THEIRS=OURS" if task.answer == "label" else ""
        raise PredictionsError(
            f"{path}:{row.line}: no answer is valid, the first being that of {show(row.id)}: {message}{more}"
        )
    return [entries.get(example["id"], missing) for example in dataset.examples]


def _quotes(row: Given, example: Mapping[str, Any], task: Task) -> bool:
    """Whether what is given as an answer may hold words of the text it is about."""
    given = row.output.get("label", row.output.get("answer"))
    if not isinstance(given, str):
        return isinstance(given, list | dict)
    return any(given.lower() in example.get(field, "").lower() for field in task.fields)


class _NotAnAnswer(ValueError):  # noqa: N818 - the answer is in error, not the file
    """An invalid answer, in a row that can be used otherwise."""


def _checked(output: dict[str, Any], labels: Sequence[str], task: Task) -> Prediction:
    """The prediction of a row. Raises `_NotAnAnswer`; `FieldError` if anything else is wrong, which is
    seen once there is a valid answer in its place."""
    try:
        return task.check_output(output, labels, FILE)
    except FieldError as error:
        valid = {"label": labels[0]} if labels else {"answer": ""}
        task.check_output({**output, **valid}, labels, FILE)
        raise _NotAnAnswer(str(error)) from None


def _result(
    submission: Submission, dataset: Dataset, entries: Sequence[Entry], picked: str | None, store: Store
) -> tuple[Result, PredictionSet]:
    """The result and what it is computed from; `picked` is the model whose rows of the file were taken."""
    made_from = {"predictions": submission.file.revision(), "format": submission.file.form}
    made_from |= {"model": picked} if picked is not None else {}
    answers = [entry.answer for entry in entries]
    predictions = prediction_set(dataset, submission.model, answers, MILLIONTHS)
    predictions = predictions.model_copy(update={"no_answer": _no_answer(submission.file, dataset)})
    predictions = with_scores(dataset, predictions, submission.dataset.show_gold)
    scores = score(dataset, predictions, metric_names(dataset, predictions, submission.metrics))
    scores |= difficulty_scores(dataset, predictions, store, submission.metrics)
    result = Result(
        task=dataset.task,
        model=ModelRef(
            id=submission.model,
            label=submission.label,
            made_from=made_from,
            card=submission.card,
        ),
        dataset=dataset_ref(dataset),
        inputs=digest({**made_from, "dataset": dataset.revision, "task": dataset.task}),
        provenance="predictions",
        scores=scores,
        tags=score_tags(dataset, predictions),
        failures=tuple(failures_of(dataset, entries)),
        predictions=PredictionsRef(sha256=predictions.content_hash(), examples=predictions.examples),
        source=submission.source,
        created=now(),
        tool=TOOL,
    )
    return result, predictions


def _no_answer(file: PredictionsFile, dataset: Dataset) -> tuple[float, ...] | None:
    """What a second file says of questions without an answer. Raises `PredictionsError`."""
    if file.no_answer is None:
        return None
    if dataset.task != "qa":
        fix = "leave it out"
        raise PredictionsError(f"{file.no_answer}: is for questions, and {dataset.id} has none; {fix}")
    return read_no_answer(file.no_answer, [example["id"] for example in dataset.examples])
