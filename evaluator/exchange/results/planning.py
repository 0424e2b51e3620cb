"""All tables of an import together: published numbers beside examples, and the board that they make."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from evaluator.exchange.results.arranging import STAR
from evaluator.exchange.results.beside import PLUS_MINUS
from evaluator.exchange.results.example_values import BEFORE, TakenExamples
from evaluator.exchange.results.reading import FILE, CellTable
from evaluator.exchange.results.taking import Taken, take
from evaluator.exchange.results.told import Told
from evaluator.exchange.results.understanding import (
    NO_NUMBERS,
    Understood,
    guessed_name,
    understand,
    with_ids,
)
from evaluator.exchange.results.words import JUDGES, PEOPLE, ROLES, words
from evaluator.records.base import TIMING
from evaluator.records.board import Boards, MetricSpec
from evaluator.records.board.imports import MetricColumn
from evaluator.records.errors import UserError, or_one_of
from evaluator.score.parts import MOST, are_days, rows_of_parts

#: Digits to which a published number must be the mean of examples.
DIGITS = 4
#: A metric that fewer models have has no weight by default, and so with datasets: models without a number
#: that has weight are not ranked.
MOST_HAVE = 0.9


@dataclass(frozen=True)
class Plan:
    """Tables as they are understood, what was taken out of each, and the board that they make.

    `weights` and `dataset_weights` are empty where the usual ones do; `published` says which columns are
    numbers that examples imply. `split` is the tag whose values visitors weigh, with how many parts it has.
    """

    understood: tuple[Understood, ...]
    taken: tuple[Taken, ...]
    metrics: tuple[MetricSpec, ...]
    datasets: tuple[str, ...]
    base: str
    weights: Mapping[str, float]
    dataset_weights: Mapping[str, float]
    published: Mapping[str, str]
    split: tuple[str, int] | None = None


def planned(tables: Sequence[CellTable], told: Told, name: str, boards: Boards | None = None) -> Plan:
    """What the tables mean and say together; `name` is the dataset's id where nothing says it.

    What `boards` know of a metric comes before what is guessed. Raises `UserError`.
    """
    if boards is not None:
        known = [metric for board in boards.boards if board.task == "scored" for metric in board.metrics]
        told = replace(told, known={metric.name: metric for metric in reversed(known)})
    _check_columns(tables, told)
    if told.dataset is None and len(tables) > 1:
        names = {guessed_name(table, "") for table in tables} - {""}
        name = min(names, key=len) if names else name
        found = [understand(table, _of(told, table), name) for table in tables]
    else:
        found = [understand(table, _of(told, table), guessed_name(table, name)) for table in tables]
    found.sort(key=lambda one: one.spec.rows != "examples")
    found = [_as_labels(one, found, told) or one for one in found]
    _check_options(found, told)
    taken: list[Taken] = []
    published: dict[str, str] = {}
    for at, one in enumerate(found):
        specs = {metric.name: metric for metric in one.metrics}
        mine = take(one.spec, one.table, specs)
        names_of = _published(mine, taken) if one.spec.rows != "examples" else {}
        if names_of:
            of_examples = {metric.name: metric for other in found[:at] for metric in other.metrics}
            metrics = [of_examples.get(names_of.get(metric.name, ""), metric) for metric in one.metrics]
            published |= {one.spec.metrics[name].column: names_of[name] for name in names_of}
            found[at] = with_ids(one, names_of, metrics)
            mine = take(found[at].spec, one.table, {metric.name: metric for metric in metrics})
        taken.append(mine)
    metrics = _together(found)
    if not metrics:
        where = ", ".join(table.where for table in tables)
        raise UserError(where, "has no column of numbers that a board shows", NO_NUMBERS)
    plan = _board(found, taken, metrics, published)
    return replace(plan, split=_split(plan, told))


def _as_labels(one: Understood, tables: Sequence[Understood], told: Told) -> Understood | None:
    """The table as labels of people that correct a judge's verdicts in another one; None where it is none.

    Its one metric is called after people, or told to be human; the other table has one metric, or one that is
    called as a judge's.
    """
    if one.spec.rows != "examples" or len(one.judged) != 1 or one.judged[0].column.human:
        return None
    column = one.judged[0].column
    if not (PEOPLE & set(words(column.column)) or column.column == told.columns.get("human")):
        return None
    known = told.known.get(told.metrics.get(column.column, ("", None))[0])
    others = [each for table in tables if table is not one for each in table.judged if not each.column.human]
    judges = [each.metric for each in others if JUDGES & set(words(each.column.column))]
    metrics = [known] if known else judges or [each.metric for each in others]
    if len(metrics) != 1:
        return None
    [metric] = metrics
    labels = MetricColumn(human=column.column, scale=column.scale)
    spec = one.spec.model_copy(update={"metrics": {metric.name: labels}, "tags": {}, "cluster": None})
    return replace(one, spec=spec, metrics=(metric,), judged=(), weightless=frozenset())


def _check_columns(tables: Sequence[CellTable], told: Told) -> None:
    """Raise `UserError` for a role that is none, and for a column that no table has."""
    known = list(dict.fromkeys(str(name) for table in tables for name in table.frame.columns))
    for role, column in told.columns.items():
        if role not in (*ROLES, "examples", "human") and not role.startswith(("tag:", "card:", "human:")):
            options = or_one_of(role, [*ROLES, "examples", "human", "tag:NAME", "card:FIELD"])
            raise UserError(f"--column {role}={column}", f"{role!r} is no role{options}")
        if column not in (*known, STAR, FILE) and column.partition(BEFORE)[0] not in known:
            where = ", ".join(table.where for table in tables)
            raise UserError(
                f"--column {role}={column}", f"{where} has no such column{or_one_of(column, known)}"
            )


def _of(told: Told, table: CellTable) -> Told:
    """What was said about the columns of this table."""
    mine = {
        role: column
        for role, column in told.columns.items()
        if {column, column.partition(BEFORE)[0]} & {*table.frame.columns, STAR, FILE}
    }
    return replace(told, columns=mine)


def _check_options(found: Sequence[Understood], told: Told) -> None:
    """Raise `UserError` for an option about a metric that is not there."""
    names = {name for one in found for name in one.spec.metrics}
    columns = {column for one in found for column in map(str, one.table.frame.columns)}
    columns |= {one.column.column for each in found for one in each.judged}
    for option, given in (
        ("--lower-is-better", told.lower),
        ("--higher-is-better", told.higher),
        ("--unit", told.units),
        ("--range", told.ranges),
        ("--leave-out", told.leave_out),
        ("--metric", told.metrics),
    ):
        for name in given:
            if name.removesuffix(PLUS_MINUS) not in names | columns:
                problem = f"no such {'column' if option in ('--leave-out', '--metric') else 'metric'}"
                known = columns if option in ("--leave-out", "--metric") else names
                raise UserError(f"{option} {name}", f"{problem}{or_one_of(name, sorted(known))}")


def means(examples: TakenExamples, model: str) -> dict[str, float]:
    """The mean of a model's values by metric, of trials first and then of examples; NaN without any."""
    found = {}
    for name, values in examples.values.get(model, {}).items():
        rows = values[~np.isnan(values).all(axis=1)]
        found[name] = float(np.mean(np.nanmean(rows, axis=1))) if len(rows) else math.nan
    return found


def _published(mine: Taken, others: Iterable[Taken]) -> dict[str, str]:
    """The metrics of `mine` that are, for most models, the means of examples = which metric of these."""
    found: dict[str, str] = {}
    for other in others:
        for dataset, examples in other.examples.items():
            reported = mine.reported.get(dataset, {})
            shared = [model for model in reported if model in examples.values]
            implied = {model: means(examples, model) for model in shared}
            names = dict.fromkeys(name for model in shared for name in reported[model])
            for name in names:
                for metric in dict.fromkeys(one for model in shared for one in implied[model]):
                    pairs = [
                        (reported[model][name].value, implied[model].get(metric, math.nan))
                        for model in shared
                        if name in reported[model]
                    ]
                    same = sum(math.isclose(*pair, rel_tol=10.0**-DIGITS, abs_tol=1e-9) for pair in pairs)
                    if 2 * same > len(pairs) or (name == metric and metric not in found.values()):
                        found[name] = metric
    return found


def _together(found: Sequence[Understood]) -> list[MetricSpec]:
    """The metrics of all tables, each once. Raises `UserError` where two tables have one name for two."""
    metrics: dict[str, tuple[MetricSpec, str]] = {}
    for one in found:
        for metric in one.metrics:
            other, where = metrics.setdefault(metric.name, (metric, one.table.where))
            if (other.unit, other.direction) != (metric.unit, metric.direction):
                ours, theirs = metric.unit or "no unit", other.unit or "no unit"
                problem = f"{metric.name} is in {ours}, and in {theirs} in {where}"
                fix = f"say --unit {metric.name}=UNIT, or give one another name with --metric COLUMN=NAME"
                raise UserError(one.table.where, problem, fix)
    return [metric for metric, _ in metrics.values()]


def _board(
    found: Sequence[Understood],
    taken: Sequence[Taken],
    metrics: Sequence[MetricSpec],
    published: Mapping[str, str],
) -> Plan:
    weightless = {name for one in found for name in one.weightless}
    cells = _cells(taken)
    datasets = tuple(cells)
    order = [one.name for one in metrics if one.name not in weightless] or [one.name for one in metrics]
    higher = [one for one in metrics if one.name in order and one.direction == "higher"]
    base = next((one.name for one in higher if one.unit == "%"), next((one.name for one in higher), order[0]))
    ranked = _ranked(cells, base)
    having = {
        name: sum(name in scores for dataset in ranked for scores in cells[dataset].values())
        for name in order
    }
    most = sum(base in scores for dataset in ranked for scores in cells[dataset].values())
    heavy = [name for name in order if name != base and having[name] >= MOST_HAVE * most]
    weights: dict[str, float] = {}
    if len(heavy) + 1 < len(metrics):
        weights = {base: float(len(heavy) or 1), **dict.fromkeys(heavy, 1.0)}
    dataset_weights = {} if len(ranked) == len(datasets) else dict.fromkeys(ranked, 1.0)
    return Plan(
        tuple(found), tuple(taken), tuple(metrics), datasets, base, weights, dataset_weights, dict(published)
    )


def _split(plan: Plan, told: Told) -> tuple[str, int] | None:
    """The one tag whose values can be weighed, and how many parts of examples it makes.

    Its values are days or months, or 2 to 60 words, and make at least two parts of enough examples. Of
    several such tags it is the told one, if only one was; a column that is to be left out makes none.
    """
    datasets = [examples for one in plan.taken for examples in one.examples.values() if examples.values]
    if not datasets or any(metric.name in TIMING for metric in plan.metrics):
        return None
    columns = {tag: column for one in plan.understood for tag, column in one.spec.tags.items()}
    parts = {
        tag: [
            len(rows_of_parts(one.tags.get(tag, ()))) if _few(one.tags.get(tag, ())) else 0
            for one in datasets
        ]
        for tag in datasets[0].tags
        if columns[tag].partition(BEFORE)[0] not in told.leave_out
    }
    fit = [tag for tag, numbers in parts.items() if min(numbers) > 1]
    said = [tag for tag in fit if f"tag:{tag}" in told.columns]
    chosen = said if len(said) == 1 else fit
    return (chosen[0], max(parts[chosen[0]])) if len(chosen) == 1 else None


def _few(values: Sequence[str]) -> bool:
    return are_days(values) or 2 <= len({*values} - {""}) <= MOST


def _cells(taken: Sequence[Taken]) -> dict[str, dict[str, set[str]]]:
    """Which metrics each model has on each dataset; where there are examples, by these."""
    found: dict[str, dict[str, set[str]]] = {}
    for one in taken:
        for dataset, examples in one.examples.items():
            for model, values in examples.values.items():
                found.setdefault(dataset, {}).setdefault(model, set()).update(values)
    with_examples = set(found)
    for one in taken:
        for dataset, models in one.reported.items():
            for model, scores in models.items():
                if dataset not in with_examples or model in found[dataset]:
                    found.setdefault(dataset, {}).setdefault(model, set()).update(scores)
    return found


def _ranked(cells: Mapping[str, Mapping[str, set[str]]], base: str) -> list[str]:
    """The datasets that are ranked by: all if most models have all, else as many as leave most numbers."""
    having = {
        name: {model for model, scores in models.items() if base in scores} for name, models in cells.items()
    }
    models = set.union(*having.values()) if having else set()
    complete = set.intersection(*having.values()) if having else set()
    if len(complete) >= MOST_HAVE * len(models):
        return list(cells)
    order = sorted(having, key=lambda name: -len(having[name]))
    best = max(
        range(1, len(order) + 1),
        key=lambda number: number * len(set.intersection(*(having[name] for name in order[:number]))),
    )
    chosen = set(order[:best])
    return [name for name in cells if name in chosen]
