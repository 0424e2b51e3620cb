"""What a table with the answers of several models says: which dataset it answers, and which columns are
numbers beside the answers, such as what each of them cost."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from evaluator.data.datasets import DatasetError, read_dataset
from evaluator.data.tables import FORMS, Table, form_of, read_table
from evaluator.data.tasks import get_task, show
from evaluator.exchange.results.board_file import relative, with_lists, with_predictions
from evaluator.exchange.results.told import Told
from evaluator.exchange.results.words import UNITS, bare, direction_in, unit_in, words
from evaluator.rank.dynascore import LARGEST
from evaluator.records.base import TIMING, slug
from evaluator.records.board import Boards, DatasetSpec, MetricSpec, PredictionsSpec
from evaluator.records.errors import UserError
from evaluator.score.examples import dataset_source
from evaluator.score.metrics import names_for
from evaluator.score.prediction_rows import NO_NUMBER, usual_columns


@dataclass(frozen=True)
class AnswerFile:
    """A table of answers as it was understood: how it is read again, and metrics that its board is to get."""

    path: Path
    spec: PredictionsSpec
    metrics: tuple[MetricSpec, ...]

    def board_file(self, text: str, boards: Boards) -> str:
        """The text of a board file that says how the table is read, and shows its metrics."""
        board = next((one for one in boards.boards if self.spec.dataset in one.datasets), None)
        if board is not None and self.metrics:
            text = with_lists(text, boards.boards.index(board), board, self.metrics)
        return with_predictions(text, self.spec, boards)

    @property
    def lines(self) -> list[str]:
        """What was understood of the numbers beside the answers."""
        new = {metric.name: metric for metric in self.metrics}
        said = []
        for name, column in self.spec.values.items():
            line = f"  {column}: {name}, a number beside each answer"
            if metric := new.get(name):
                line += f", new on the board: {metric.unit or 'no unit'}, {metric.direction} is better"
            said.append(line)
        return said


def understood(
    path: Path, boards: Boards, data: Path, told: Told, labels: Mapping[str, str]
) -> AnswerFile | None:
    """A file as a table of answers; None where it is none: where no column has models, ids or answers, or no
    dataset of the board file has most of the ids.

    A file that the board file declares is read as it says there, unless something else is `told`. Raises
    `UserError` for columns and metrics that are told and cannot be.
    """
    if form_of(path.name) not in FORMS or path.is_dir():
        return None
    place = relative(path, data)
    declared = [one for one in boards.predictions if one.path == place and not one.model]
    if len(declared) == 1 and told == Told() and not labels:
        return AnswerFile(path, declared[0], ())
    try:
        table = read_table(path)
    except UserError:  # which is said by whoever else reads it
        return None
    columns = list(map(str, table.frame.columns))
    model, id_ = (_column(name, columns, told) for name in ("model", "id"))
    if model is None or id_ is None:
        return None
    dataset = _dataset(set(map(str, table.frame[id_])), boards, data, told)
    if dataset is None or not _has_answers(dataset, columns, told):
        return None
    used = {model, id_, *told.columns.values(), *told.leave_out}
    used |= {
        name
        for key in ("label", "answer", "trial", "confidence", "probabilities")
        for name in _usual(key, columns)
    }
    values, metrics = _beside(table, [one for one in columns if one not in used], dataset, boards, told)
    spec = PredictionsSpec(
        dataset=dataset.id,
        path=place,
        models=declared[0].models if len(declared) == 1 else {},
        columns=dict(told.columns),
        label_map=dict(labels),
        values=values,
        accept_differences=told.accept_differences,
        source=told.source,
    )
    return AnswerFile(path, spec, metrics)


def _usual(name: str, columns: Sequence[str]) -> list[str]:
    return usual_columns(name, columns, several_models=True)


def _column(name: str, columns: Sequence[str], told: Told) -> str | None:
    found = told.columns.get(name) or next(iter(_usual(name, columns)), None)
    return found if found in columns else None


def _has_answers(dataset: DatasetSpec, columns: Sequence[str], told: Told) -> bool:
    name = "answer" if get_task(dataset.task).answer == "text" else "label"
    return name in told.columns or bool(_usual(name, columns))


def _dataset(ids: set[str], boards: Boards, data: Path, told: Told) -> DatasetSpec | None:
    """The dataset that has most of the ids; of several that have, the one with the most of them."""
    found: list[tuple[int, DatasetSpec]] = []
    for spec in boards.datasets:
        if not spec.readable or spec.role == "training" or told.dataset not in (None, spec.id):
            continue
        try:
            dataset = read_dataset(dataset_source(spec, data))
        except DatasetError:
            continue
        found.append((len(ids & dataset.left_out.union(dataset.ids)), spec))
    most = max((count for count, _ in found), default=0)
    best = [spec for count, spec in found if count == most]
    if told.dataset is None and 2 * most <= len(ids):
        return None
    if len(best) > 1:
        named = ", ".join(spec.id for spec in best)
        raise UserError("--dataset", f"all of {named} have the ids", "say which dataset is answered")
    return best[0] if best else None


def _beside(
    table: Table, columns: Sequence[str], dataset: DatasetSpec, boards: Boards, told: Told
) -> tuple[dict[str, str], tuple[MetricSpec, ...]]:
    """The columns with numbers beside the answers, by metric, and the metrics that no board shows yet.

    Taken are those that a board shows, those that are told, and what is a cost by its name. Numbers about
    whose meaning nothing is known are left out.
    """
    values: dict[str, str] = {}
    metrics = []
    ours = {*names_for(get_task(dataset.task).kind), *TIMING, *dataset.suites}
    for column in dict.fromkeys([*told.metrics, *columns]):
        if column not in table.frame.columns:
            raise UserError(f"--metric {column}", f"{table.where} has no such column", "correct it")
        name, factor = told.metrics.get(column, (None, None))
        if factor is not None:
            problem = "numbers beside answers are taken as they are"
            raise UserError(
                f"--metric {column}={name}*{factor:g}", problem, "write them in the metric's unit"
            )
        numbers = _numbers(table.frame[column].tolist())
        if not numbers or (name is None and column not in columns):
            continue
        shown = [one for one in (slug(column), slug(bare(column))) if boards.metric_of(dataset.id, one)]
        name = name or next((one for one in (*shown, slug(bare(column)).lower())), column)
        if name in ours or name in values:
            if column in told.metrics:
                what = f"is also {show(values[name])}" if name in values else "is computed or measured here"
                raise UserError(f"--metric {column}={name}", what, "give the column another metric")
            continue
        if boards.metric_of(dataset.id, name) is None:
            metric = _new_metric(name, column, numbers, told)
            if metric is None:
                continue
            metrics.append(metric)
        values[name] = column
    return values, tuple(metrics)


def _new_metric(name: str, column: str, numbers: Sequence[float], told: Told) -> MetricSpec | None:
    """The metric that a column is, None where nothing says which way is better."""
    are_tokens = "tokens" in words(column)
    said = "tokens" if are_tokens else unit_in(column) or UNITS.get(column.lower(), "")
    unit = told.units.get(name, told.units.get(column, said))
    direction: Any = "lower" if are_tokens else direction_in(column, unit)
    for which, names in (("lower", told.lower), ("higher", told.higher)):
        direction = which if names & {name, column} else direction
    if direction != "lower" and column not in told.metrics and not told.higher & {name, column}:
        return None
    middle = median(map(abs, numbers))
    label = " ".join(words(name)).capitalize()
    return MetricSpec(
        name=name,
        label=label,
        unit=unit,
        decimals=min(6, max(0, 2 - math.floor(math.log10(middle)))) if middle else 2,
        direction=direction or "higher",
        cap="max" if direction == "lower" else None,
        range=told.ranges.get(name, told.ranges.get(column)),
    )


def _numbers(cells: Sequence[Any]) -> list[float]:
    """The numbers of a column, of which some cells may be something else."""
    found = []
    for cell in cells:
        if isinstance(cell, bool) or not isinstance(cell, int | float | str) or cell in NO_NUMBER:
            continue
        try:
            number = float(cell)
        except (ValueError, OverflowError):
            continue
        if abs(number) <= LARGEST:
            found.append(number)
    return found
