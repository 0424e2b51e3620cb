"""The answers that an evaluation tool kept, stored as predictions and scored here.

The board's own data decides which answers are right, so the examples must be the same: every example of the
dataset is answered once, and has the right answer that the tool took for right. The scores must
then be those that the tool published, example by example where it kept them.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from evaluator.data.datasets import Dataset
from evaluator.data.nodes import wrong
from evaluator.data.tasks import get_task, show
from evaluator.exchange.logs.base import NONE, Answer, LoggedExample, LoggedExamples
from evaluator.exchange.matching import ExampleUse, ImportRequest, MatchedTask
from evaluator.exchange.reported import PublishedNumber, check_differences, costs, model_ref, source
from evaluator.records.base import digest
from evaluator.records.board import Boards, DatasetSpec
from evaluator.records.errors import UserError
from evaluator.records.references import PredictionSet
from evaluator.records.result import Result
from evaluator.records.scratch import write_atomic
from evaluator.records.store import Store
from evaluator.score.examples import check_ids
from evaluator.score.importing import scored
from evaluator.score.metrics import METRICS
from evaluator.score.prediction_rows import Given
from evaluator.score.predictions import GivenAnswers, answers_of_rows, label_words
from evaluator.score.scores import values_by_example


def scored_result(
    one: MatchedTask, dataset: Dataset, request: ImportRequest, boards: Boards, store: Store, created: str
) -> tuple[Result, PredictionSet, list[PublishedNumber]]:
    """The result of the answers to a task on `dataset`, and what it is computed from. Writes nothing.

    Raises `UserError` where examples, answers or scores do not fit, and what
    `evaluator.score.importing.import_predictions` raises for bad rows.
    """
    if one.task.examples is None:
        raise UserError(f"{one.log.path}: {one.task.name}: has no examples; {NONE}")
    check_ids(dataset, one.dataset)
    examples = _with_ids(one.task.examples().whole(), dataset, one.dataset)
    model = model_ref(one, request, boards)
    made_from = model.made_from | {"examples": examples.sha256, "stored": request.examples}
    result, predictions = scored(
        dataset,
        one.dataset,
        _given(one, examples, dataset, model.id, request),
        model.model_copy(update={"made_from": made_from}),
        tuple(boards.metrics_of(dataset.id)),
        store,
        inputs=digest({**made_from, "dataset": dataset.revision, "task": dataset.task}),
        source=source(one, request),
    )
    compared = [_compared(one, key, result, dataset, predictions, examples) for key in one.of_answers]
    check_differences(one, compared, request)
    marked = {
        "source": source(one, request, compared),
        "created": created,
        "scores": {**result.scores, **costs(one)},
    }
    return result.model_copy(update=marked), predictions, compared


def _with_ids(examples: LoggedExamples, dataset: Dataset, spec: DatasetSpec) -> LoggedExamples:
    """The examples under the dataset's ids; each of the dataset is among them, with the same texts.

    Where no id is one of the dataset's, those that have the texts of one example of the dataset are that
    example. Raises `UserError` if an example of the dataset is missing or has other texts; ids
    that it does not know are left to the reading of the answers.
    """
    fields = get_task(spec.task).fields
    known: dict[str, tuple[str, ...]] = {}
    if dataset.has_inputs:
        known = {row["id"]: tuple(row[field] for field in fields) for row in dataset.examples}
    # A log may keep the texts under the names that the file has for them.
    columns = [str(spec.columns.get(field, field)) for field in fields]
    texts = [
        tuple(str(row.fields[column]) for column in columns) if {*columns} <= row.fields.keys() else None
        for row in examples.rows
    ]
    rows = list(zip(examples.rows, texts, strict=True))
    if {row.id for row in examples.rows}.isdisjoint(dataset.ids):
        times = Counter(known.values())
        ids = {one: id_ for id_, one in known.items() if times[one] == 1}
        rows = [(row._replace(id=ids.get(kept or (row.asked,), row.id)), kept) for row, kept in rows]
    answered = {row.id for row, _ in rows}
    if missing := [id_ for id_ in dataset.ids if id_ not in answered]:
        there, whole = len(dataset.ids) - len(missing), len(dataset.ids)
        own = ", ".join(show(row.id) for row in examples.rows[:3])
        fix = f"run it on all of them, make the dataset of these examples alone, {NONE}"
        problem = f"answers {there} of {whole} examples of {dataset.id}, not {show(missing[0])}"
        raise UserError(f"{examples.path}: {problem} (its own ids are {own} and so on); {fix}")
    for row, kept in rows:
        if kept is not None and kept != known.get(row.id, kept):
            fix = f"give the data that the log is of, {NONE}"
            problem = "has other texts in the log than in the data file"  # neither is quoted
            raise wrong("example", row.id, problem, fix, f"{examples.path}:{row.line}")
    return replace(examples, rows=tuple(row for row, _ in rows))


class _Words:
    """What a dataset calls the answers of a log's examples.

    `labels` are those of the dataset, () where it asks for texts; `words` says which label other words mean.
    A choice that is no label counts as the label in its place, unless all choices are labels or such words.
    """

    def __init__(self, examples: LoggedExamples, labels: Sequence[str], words: Mapping[str, str]) -> None:
        self.examples, self.labels, self.words = examples, labels, words
        choices = {choice for row in examples.rows for choice in row.choices}
        self.in_place = bool(labels) and not choices <= words.keys()

    def __call__(self, row: LoggedExample, answer: Answer) -> str | None:
        """An answer in the dataset's words, or as it is where it is none of them.

        Raises `UserError` where there are more choices than labels.
        """
        if not isinstance(answer, int):
            return None if answer is None else self.words.get(answer, answer)
        if not self.in_place:
            return self.words.get(row.choices[answer], row.choices[answer])
        if len(row.choices) > len(self.labels):
            where, problem = (
                f"{self.examples.path}:{row.line}",
                f"are more than the {len(self.labels)} labels",
            )
            fix = f"give the dataset a label for each, such as 0, 1, 2 and so on, {NONE}"
            raise wrong("choices", len(row.choices), problem, fix, where)
        return self.labels[answer]


def _given(
    one: MatchedTask, examples: LoggedExamples, dataset: Dataset, model: str, request: ImportRequest
) -> GivenAnswers:
    """What is stored of each example: the answer, or the verdict on it."""
    answer = _verdict(one, dataset) if request.examples == "verdicts" else _answer(one, examples, dataset)
    name = "label" if get_task(dataset.task).answer == "label" else "answer"
    rows = (Given(row.line, row.id, None, {name: answer(row)}) for row in examples.rows)
    return answers_of_rows(rows, dataset, examples.path, model, one.dataset.show_text)


def _check_gold(one: MatchedTask, examples: LoggedExamples, dataset: Dataset, said: _Words) -> None:
    """Raise `UserError` if the tool took another answer for right than the data has."""
    known = {id_: row for row, id_ in enumerate(dataset.ids)}
    for row in examples.rows:
        if row.id not in known:
            continue
        theirs, ours = {said(row, gold) for gold in row.gold}, dataset.gold[known[row.id]]
        here = set(ours) if isinstance(ours, tuple) else {ours}
        if not here & {dataset.merge.get(gold, gold) for gold in theirs if gold is not None}:
            fix = f"the ids of the log must be those of the data file ({one.dataset.path}), {NONE}"
            problem = f"is the right answer to {show(row.id)}, but {dataset.id} has {show(ours)}"
            at = f"{examples.path}:{row.line}"
            raise wrong("right answer", sorted(map(str, theirs)), problem, fix, at)


def _answer(
    one: MatchedTask, examples: LoggedExamples, dataset: Dataset
) -> Callable[[LoggedExample], str | None]:
    """What the model answered, by which all metrics of the task that are asked for must go."""
    said, keys = (
        _Words(examples, dataset.labels, label_words(dataset) if dataset.labels else {}),
        list(one.of_answers),
    )
    for row in examples.rows:
        where = f"{examples.path}:{row.line}"
        lacking = [key for key in keys if key not in row.answers]
        if lacking:
            fix = f"store whether it is right with --examples verdicts, {NONE}"
            problem = "rests on no answer that the tool kept"
            if not row.gold:
                problem = "is of an example whose log does not say which of its choices is right"
            raise wrong(lacking[0], row.id, problem, fix, where)
        if len({row.answers[key] for key in keys}) > 1:
            fix = "import one of these metrics, since a model has one answer to an example"
            raise wrong(row.id, ", ".join(keys), "rest on different answers", fix, where)
    _check_gold(one, examples, dataset, said)
    return lambda row: said(row, row.answers[keys[0]])


def _verdict(one: MatchedTask, dataset: Dataset) -> Callable[[LoggedExample], str | None]:
    """The right label where the tool found the answer right, else the other one."""
    if len(dataset.labels) != 2 or len(one.of_answers) > 1:
        problem = "needs a dataset with two labels, such as right and wrong, and one metric"
        fix = (
            f"{dataset.id} has {', '.join(dataset.labels) or 'none'}, and metrics {', '.join(one.of_answers)}"
        )
        raise UserError(f"--examples verdicts: {problem}; {fix}")
    [key] = one.of_answers
    gold: Mapping[str, Any] = dict(zip(dataset.ids, dataset.gold, strict=True))

    def label(row: LoggedExample) -> str | None:
        if row.scores.get(key) not in (0.0, 1.0):
            fix = f"only metrics that are 0 or 1 on each example are verdicts; {NONE}"
            at = f"{one.log.path}: {one.task.name}"
            raise wrong(key, row.scores.get(key), "is no verdict", fix, at)
        right = gold.get(row.id, dataset.labels[0])
        return right if row.scores[key] else next(label for label in dataset.labels if label != right)

    return label


def _compared(
    one: MatchedTask,
    key: str,
    result: Result,
    dataset: Dataset,
    predictions: PredictionSet,
    examples: LoggedExamples,
) -> PublishedNumber:
    """What the stored answers imply beside what is published, and the first example that disagrees."""
    name = one.metrics[key].name
    if name not in result.scores:
        known = "is not computed from answers like these" if name in METRICS else "is no metric of Steelyard"
        raise UserError(f"{one.log.path}: {one.task.name}: {key}: {name} {known}; {NONE}")
    implied = values_by_example(dataset, predictions, [name]).get(name)
    here = {} if implied is None else dict(zip(dataset.ids, implied.tolist(), strict=True))
    apart = ""
    for row in examples.rows:
        if here and key in row.scores:
            ours, theirs = here[row.id], one.scaled(key, row.scores[key])
            if not math.isclose(ours, theirs, rel_tol=1e-9, abs_tol=1e-9):
                apart = f"example {show(row.id)} ({examples.path}:{row.line}) has {ours:g} and {theirs:g}"
                break
    return PublishedNumber(key, name, result.scores[name].value, one.published(key), apart)


#: The formats that a file is made in; `gold` has ids and right answers only.
FORMATS = ("jsonl", "gold")


def write_data(path: Path, spec: DatasetSpec, examples: LoggedExamples, use: ExampleUse) -> None:
    """Write what the dataset's columns name of each example: its id, its texts, and its right answer.

    A column of a text is a field that the tool kept, ``text`` being what the model was asked. Where
    verdicts are stored the right answer is the first label. Raises `UserError`.
    """
    _check(path, spec)
    words = _Words(examples, _labels(spec), {label: label for label in _labels(spec)})
    rows = [_row(spec, examples, example, use, words) for example in examples.rows]
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    write_atomic(path, lines.encode())


def _check(path: Path, spec: DatasetSpec) -> None:
    """Raise `UserError` unless the board file says how such a file is read."""
    fix = f"give a path that ends in .jsonl, format = {' or '.join(FORMATS)}, and columns with an id"
    if path.suffix != ".jsonl" or spec.format not in FORMATS or "id" not in spec.columns:
        problem = "the data file of a log is JSON lines with ids"
        raise UserError(f"dataset {spec.id}: format: {problem} (got {spec.format}); {fix}")
    if spec.label_map or not (_labels(spec) or get_task(spec.task).answer == "text"):
        fix = "give labels in the order of the choices, and no label_map"
        raise UserError(f"dataset {spec.id}: labels: the data file of a log holds labels; {fix}")


def _labels(spec: DatasetSpec) -> tuple[str, ...]:
    return spec.labels or (get_task(spec.task).label_sets or ((),))[0]


def _row(
    spec: DatasetSpec, examples: LoggedExamples, example: LoggedExample, use: ExampleUse, words: _Words
) -> dict[str, Any]:
    found: dict[str, Any] = {str(spec.columns["id"]): example.id}
    kept = {"text": example.asked, **example.fields}
    for field in get_task(spec.task).fields if spec.format == "jsonl" else ():
        column = str(spec.columns.get(field))
        if column not in kept:
            fix = f"let columns.{field} name one of {', '.join(kept)}"
            raise wrong(f"columns.{field}", column, "was not kept", fix, f"{examples.path}:{example.line}")
        found[column] = kept[column]
    asks_label = get_task(spec.task).answer == "label"
    if not example.gold and use != "verdicts":
        fix = f"give the data file, store whether answers are right with --examples verdicts, {NONE}"
        problem = "is an example whose log does not say which of its choices is right"
        raise wrong("id", example.id, problem, fix, f"{examples.path}:{example.line}")
    gold = [words(example, one) for one in example.gold]
    right = words.labels[0] if use == "verdicts" else gold[0] if asks_label else gold
    return found | {str(spec.columns["label" if asks_label else "answers"]): right}
