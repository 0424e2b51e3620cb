"""Which example of a dataset each example of a log is: by ids, or where tools number otherwise by texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from evaluator.data.datasets import Dataset
from evaluator.data.tasks import get_task, show
from evaluator.exchange.errors import InterchangeError
from evaluator.exchange.logs.base import LoggedExample, LoggedExamples
from evaluator.exchange.logs.checks import wrong
from evaluator.exchange.words import NONE
from evaluator.records.board import DatasetSpec

ExampleTexts = tuple[str, ...]


def with_ids(examples: LoggedExamples, dataset: Dataset, spec: DatasetSpec) -> LoggedExamples:
    """The examples under the dataset's ids; each of the dataset is among them, with the same texts.

    Where no id is one of the dataset's, those that have the texts of one example of the dataset are that
    example. Raises `InterchangeError` if an example of the dataset is missing or has other texts; ids
    that it does not know are left to the reading of the answers.
    """
    columns, known = _columns(spec), _texts(dataset)
    rows = examples.rows
    if not {row.id for row in rows} & set(dataset.ids):
        ids = _only_once(known)
        rows = tuple(row._replace(id=ids.get(_kept(row, columns) or (row.asked,), row.id)) for row in rows)
    _check_whole(examples, rows, dataset)
    for row in rows:
        _check_texts(examples, row, _kept(row, columns), known.get(row.id))
    return replace(examples, rows=rows)


def _columns(spec: DatasetSpec) -> ExampleTexts:
    """What the file calls the texts of an example; a log may keep them under the same names."""
    return tuple(str(spec.columns.get(field, field)) for field in get_task(spec.task).fields)


def _texts(dataset: Dataset) -> dict[str, ExampleTexts]:
    """The texts of each example by its id; nothing where the dataset is without texts."""
    fields = get_task(dataset.task).fields if dataset.has_inputs else ()
    return {row["id"]: tuple(row[field] for field in fields) for row in dataset.examples if fields}


def _only_once(known: Mapping[str, ExampleTexts]) -> dict[ExampleTexts, str]:
    """The ids by the texts that no other example has."""
    times = Counter(known.values())
    return {texts: id_ for id_, texts in known.items() if times[texts] == 1}


def _kept(row: LoggedExample, columns: ExampleTexts) -> ExampleTexts | None:
    """The texts of an example, where the log kept them."""
    if not all(column in row.fields for column in columns):
        return None
    return tuple(str(row.fields[column]) for column in columns)


def _check_whole(examples: LoggedExamples, rows: Sequence[LoggedExample], dataset: Dataset) -> None:
    missing = set(dataset.ids) - {row.id for row in rows}
    if missing:
        there, whole = len(dataset.ids) - len(missing), len(dataset.ids)
        first = next(id_ for id_ in dataset.ids if id_ in missing)
        own = ", ".join(show(row.id) for row in examples.rows[:3])
        fix = f"run it on all of them, make the dataset of these examples alone, {NONE}"
        problem = f"answers {there} of {whole} examples of {dataset.id}, not {show(first)}"
        raise InterchangeError(f"{examples.path}: {problem} (its own ids are {own} and so on); {fix}")


def _check_texts(
    examples: LoggedExamples, row: LoggedExample, kept: ExampleTexts | None, ours: ExampleTexts | None
) -> None:
    """Raise `InterchangeError` if an example of one id has other texts; neither is quoted."""
    if kept is not None and ours is not None and kept != ours:
        fix = f"give the data that the log is of, {NONE}"
        problem = "has other texts in the log than in the data file"
        raise wrong(f"{examples.path}:{row.line}", "example", row.id, problem, fix)
