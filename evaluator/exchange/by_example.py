"""The answers that an evaluation tool kept, stored as predictions and scored here.

The board's own data decides which answers are right, so the examples must be the same: every example of the
dataset is answered once, and has the right answer that the tool took for right. The scores must
then be those that the tool published, example by example where it kept them.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from evaluator.data.datasets import Dataset
from evaluator.data.nodes import wrong
from evaluator.data.tasks import get_task, show
from evaluator.exchange.logs.base import LoggedExample, LoggedExamples
from evaluator.exchange.matching import NONE, ExampleUse, ImportRequest, LoggedWords, MatchedTask, with_ids
from evaluator.exchange.reported import PublishedNumber, check_differences, model_ref, source
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
from evaluator.score.predictions import Given, GivenAnswers, answers_of_rows, label_words
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
    examples = with_ids(one.task.examples(), dataset, one.dataset)
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
    compared = [_compared(one, key, result, dataset, predictions, examples) for key in one.metrics]
    check_differences(one, compared, request)
    marked = {"source": source(one, request, compared), "created": created}
    return result.model_copy(update=marked), predictions, compared


def _given(
    one: MatchedTask, examples: LoggedExamples, dataset: Dataset, model: str, request: ImportRequest
) -> GivenAnswers:
    """What is stored of each example: the answer, or the verdict on it."""
    answer = _verdict(one, dataset) if request.examples == "verdicts" else _answer(one, examples, dataset)
    name = "label" if get_task(dataset.task).answer == "label" else "answer"
    rows = (Given(row.line, row.id, None, {name: answer(row)}) for row in examples.rows)
    return answers_of_rows(rows, dataset, examples.path, model, one.dataset.show_text)


def _check_gold(one: MatchedTask, examples: LoggedExamples, dataset: Dataset, said: LoggedWords) -> None:
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


def _words(examples: LoggedExamples, dataset: Dataset) -> LoggedWords:
    return LoggedWords(examples, dataset.labels, label_words(dataset) if dataset.labels else {})


def _answer(
    one: MatchedTask, examples: LoggedExamples, dataset: Dataset
) -> Callable[[LoggedExample], str | None]:
    """What the model answered, by which all metrics of the task that are asked for must go."""
    said, keys = _words(examples, dataset), list(one.metrics)
    for row in examples.rows:
        where = f"{examples.path}:{row.line}"
        lacking = [key for key in keys if key not in row.answers]
        if lacking:
            fix = f"store whether it is right with --examples verdicts, {NONE}"
            raise wrong(lacking[0], row.id, "rests on no answer that the tool kept", fix, where)
        if len({row.answers[key] for key in keys}) > 1:
            fix = "import one of these metrics, since a model has one answer to an example"
            raise wrong(row.id, ", ".join(keys), "rest on different answers", fix, where)
    _check_gold(one, examples, dataset, said)
    return lambda row: said(row, row.answers[keys[0]])


def _verdict(one: MatchedTask, dataset: Dataset) -> Callable[[LoggedExample], str | None]:
    """The right label where the tool found the answer right, else the other one."""
    if len(dataset.labels) != 2 or len(one.metrics) > 1:
        problem = "needs a dataset with two labels, such as right and wrong, and one metric"
        fix = f"{dataset.id} has {', '.join(dataset.labels) or 'none'}, and metrics {', '.join(one.metrics)}"
        raise UserError(f"--examples verdicts: {problem}; {fix}")
    [key] = one.metrics
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
    apart = ""
    if implied is not None:
        here = dict(zip(dataset.ids, implied.tolist(), strict=True))
        apart = _apart(one, key, here, examples)
    return PublishedNumber(key, name, result.scores[name].value, one.published(key), apart)


def _apart(one: MatchedTask, key: str, here: Mapping[str, float], examples: LoggedExamples) -> str:
    """The first example whose value is another one in the log."""
    for row in examples.rows:
        if key in row.scores:
            theirs = one.scaled(key, row.scores[key])
            if not math.isclose(here[row.id], theirs, rel_tol=1e-9, abs_tol=1e-9):
                return (
                    f"example {show(row.id)} ({examples.path}:{row.line}) has {here[row.id]:g} and {theirs:g}"
                )
    return ""


#: The formats that a file is made in; `gold` has ids and right answers only.
FORMATS = ("jsonl", "gold")


def write_data(path: Path, spec: DatasetSpec, examples: LoggedExamples, use: ExampleUse) -> None:
    """Write what the dataset's columns name of each example: its id, its texts, and its right answer.

    A column of a text is a field that the tool kept, ``text`` being what the model was asked. Where
    verdicts are stored the right answer is the first label. Raises `UserError`.
    """
    _check(path, spec)
    words = LoggedWords(examples, _labels(spec), {label: label for label in _labels(spec)})
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
    spec: DatasetSpec, examples: LoggedExamples, example: LoggedExample, use: ExampleUse, words: LoggedWords
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
    gold = [words(example, one) for one in example.gold]
    right = words.labels[0] if use == "verdicts" else gold[0] if asks_label else gold
    return found | {str(spec.columns["label" if asks_label else "answers"]): right}
