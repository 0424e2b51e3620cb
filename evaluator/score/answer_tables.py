"""Tables with the answers of several models: which models, and which numbers stand beside the answers."""

from __future__ import annotations

import math
from collections.abc import Mapping

from evaluator.data.tables import read_table
from evaluator.data.tasks import get_task, show
from evaluator.records.base import TIMING, slug
from evaluator.records.board import Boards, MetricSpec
from evaluator.records.errors import UserError
from evaluator.score.metrics import names_for
from evaluator.score.prediction_rows import Given, PredictionRows, PredictionsFile, listed, usual_columns
from evaluator.score.predictions import refuse


def models_of_table(file: PredictionsFile, boards: Boards, task: str) -> dict[str, str]:
    """What the file's model column says = the id of that model, new ones made of its name.

    A model of the board file is known by its id or its label. Raises `UserError` for a file without such a
    column, and for two names that become one id.
    """
    table = read_table(file.path, file.form)
    columns = list(table.frame.columns)
    named = file.columns.get("model") or next(
        iter(usual_columns("model", columns, several_models=True)), None
    )
    if named not in columns:
        problem = "missing" if named is None else f"no row has {show(named)}"
        fix = f"it has {listed(columns)}; say which with --column model=NAME, or name the model with --model"
        raise UserError(f"{file.path}: model", problem, fix)
    known = {one.label: one.id for one in boards.models if one.is_of(task)}
    known |= {one.id: one.id for one in boards.models}
    found: dict[str, str] = {}
    first: dict[str, tuple[str, int]] = {}
    for line, cell in zip(table.frame.index.tolist(), table.frame[named].tolist(), strict=True):
        name = "" if cell is None else str(cell)
        if not name.strip() or name in found:  # a row that names none is refused with all that is wrong
            continue
        found[name] = known.get(name) or slug(name)
        other, at = first.setdefault(found[name].casefold(), (name, line))
        if other != name:
            problem = f"{show(name)} and {show(other)} of line {at} would both have the id {found[name]}"
            fix = "write the same name for one model, or name both under [[predictions]] of the board file"
            raise UserError(
                f"{file.path}:{line}: {named}", problem, f'{fix} with models = {{ theirs = "ours" }}'
            )
    return found


def value_metric(boards: Boards, dataset: str, name: str) -> MetricSpec:
    """The metric of a board that numbers beside answers are of.

    Raises `UserError` for one that no board with the dataset shows, and one that is computed or measured.
    """
    spec = boards.metric_of(dataset, name)
    if spec is None:
        fix = f"add it to [[boards.metrics]] of a board with {dataset}"
        raise UserError(f"dataset {dataset}", f"no board shows its metric {show(name)}", fix)
    task = get_task(boards.dataset(dataset).task)
    if name in names_for(task.kind) or name in TIMING or name in boards.dataset(dataset).suites:
        what = "measured" if name in TIMING else "computed from answers"
        raise UserError(
            f"dataset {dataset}: values.{name}", f"is {what} here", "give the column another metric"
        )
    return spec


def check_ranges(rows: PredictionRows, named: str, values: Mapping[str, MetricSpec]) -> None:
    """Raise `UserError` for numbers of a model that are outside the range of their metric.

    Where less is better and the board file gives no range, nothing is less than 0.
    """
    problems = []
    for row in rows.of_model(named) if values else ():
        for name, number in row.beside.items() if isinstance(row, Given) else ():
            spec = values[name]
            low, high = spec.bounds or (0.0 if spec.direction == "lower" else -math.inf, math.inf)
            if not low <= number <= high:
                column = rows.names[f"values.{name}"]
                between = f"under {low:g}" if number < low else f"over {high:g}"
                fix = (
                    "leave the cell empty if there is no number, or give the metric a range in the board file"
                )
                problems.append((row.line, f"{column}: {number:g} is {between}; {fix}"))
    refuse(rows.path, problems)
