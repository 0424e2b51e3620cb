"""The data file of a dataset, made of the examples that an evaluation tool kept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from evaluator.data.tasks import get_task
from evaluator.exchange.errors import InterchangeError
from evaluator.exchange.logs.base import LoggedExample, LoggedExamples
from evaluator.exchange.logs.checks import wrong
from evaluator.exchange.request import ExampleUse
from evaluator.exchange.words import LoggedWords
from evaluator.records.board import DatasetSpec
from evaluator.records.scratch import write_atomic

#: The formats that a file is made in; `gold` has ids and right answers only.
FORMATS = ("jsonl", "gold")


def write_data(path: Path, spec: DatasetSpec, examples: LoggedExamples, use: ExampleUse) -> None:
    """Write what the dataset's columns name of each example: its id, its texts, and its right answer.

    A column of a text is a field that the tool kept, ``text`` being what the model was asked. Where
    verdicts are stored the right answer is the first label. Raises `InterchangeError`.
    """
    _check(path, spec)
    words = LoggedWords(examples, _labels(spec), {label: label for label in _labels(spec)})
    rows = [_row(spec, examples, example, use, words) for example in examples.rows]
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    write_atomic(path, lines.encode())


def _check(path: Path, spec: DatasetSpec) -> None:
    """Raise `InterchangeError` unless the board file says how such a file is read."""
    fix = f"give a path that ends in .jsonl, format = {' or '.join(FORMATS)}, and columns with an id"
    if path.suffix != ".jsonl" or spec.format not in FORMATS or "id" not in spec.columns:
        problem = "the data file of a log is JSON lines with ids"
        raise InterchangeError(f"dataset {spec.id}: format: {problem} (got {spec.format}); {fix}")
    if spec.label_map or not (_labels(spec) or get_task(spec.task).answer == "text"):
        fix = "give labels in the order of the choices, and no label_map"
        raise InterchangeError(f"dataset {spec.id}: labels: the data file of a log holds labels; {fix}")


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
            raise wrong(f"{examples.path}:{example.line}", f"columns.{field}", column, "was not kept", fix)
        found[column] = kept[column]
    asks_label = get_task(spec.task).answer == "label"
    gold = [words(example, one) for one in example.gold]
    right = words.labels[0] if use == "verdicts" else gold[0] if asks_label else gold
    return found | {str(spec.columns["label" if asks_label else "answers"]): right}
