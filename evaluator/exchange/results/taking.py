"""The numbers of files of results, taken out of them as an `ImportSpec` says, and checked.

Nothing is guessed here and nothing is stored. What is wrong in a file is a `UserError` that names file, row,
column, value and what to do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from evaluator.exchange.results.arranging import ERROR, EXAMPLES, Rows, arranged, column, shown, texts_of
from evaluator.exchange.results.beside import PLUS_MINUS
from evaluator.exchange.results.example_values import TakenExamples, example_values, fact_texts
from evaluator.exchange.results.naming import card_of, model_ids, plain_name
from evaluator.exchange.results.numbers import Numbers, numbers
from evaluator.exchange.results.reading import CellTable
from evaluator.exchange.results.words import words
from evaluator.rank.formats import counted
from evaluator.records.base import slug
from evaluator.records.board import MetricSpec
from evaluator.records.board.imports import ImportSpec, MetricColumn
from evaluator.records.errors import UserError
from evaluator.records.references import ModelCard
from evaluator.score.standard_errors import Z_95

#: Numbers that stand for "there is none" in files whose other numbers are not negative.
SENTINELS = (-1.0, -9.0, -99.0, -999.0, -9999.0)
#: In per cent.
LEAST_ERROR = 0.05
#: How many rows a message names.
NAMED = 3


@dataclass(frozen=True)
class TakenModel:
    """A model as the files know it; `facts` are what decides its numbers and no card has."""

    id: str
    label: str
    card: ModelCard = field(default_factory=ModelCard)
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Reported:
    """A number of a row, in the metric's unit, with its standard error and on how many examples it is."""

    value: float
    standard_error: float | None = None
    examples: int | None = None


@dataclass(frozen=True)
class Taken:
    """What files say: models by id; by dataset the numbers reported of models, and values by example."""

    where: str
    models: Mapping[str, TakenModel]
    reported: Mapping[str, Mapping[str, Mapping[str, Reported]]]
    examples: Mapping[str, TakenExamples]


def take(spec: ImportSpec, table: CellTable, metrics: Mapping[str, MetricSpec]) -> Taken:
    """The numbers of a table in the units of `metrics`. Raises `UserError`."""
    table = arranged(spec, table)
    frame = table.frame
    names = texts_of(table, spec.model).map(plain_name).rename(spec.model)
    ids = model_ids(names)
    rows = Rows(table, names.map(ids), _datasets(spec, table), spec)
    columns = {
        name: _scaled(rows, one.column, one.scale, metrics.get(name))
        for name, one in spec.metrics.items()
        if one.column
    }
    models = _models(spec, frame, rows.model)
    if spec.rows == "examples":
        human = {
            name: _scaled(rows, one.human, one.scale, metrics.get(name))
            for name, one in spec.metrics.items()
            if one.human
        }
        return Taken(table.where, models, {}, example_values(rows, columns, human))
    return Taken(table.where, models, _reported(rows, columns, metrics), {})


def _datasets(spec: ImportSpec, table: CellTable) -> pd.Series[Any]:
    if spec.datasets is None:
        return pd.Series(spec.dataset, index=table.frame.index, dtype=object)
    return texts_of(table, spec.datasets.column).map(dataset_ids(spec))


def dataset_ids(spec: ImportSpec) -> Callable[[str], str]:
    """The id of the dataset that a column names."""
    given = spec.datasets.ids if spec.datasets else {}
    return lambda name: given.get(name) or slug(name).lower()


def _scaled(rows: Rows, name: str, scale: float, metric: MetricSpec | None) -> Numbers:
    """A column of a metric as numbers in its unit, all of which it can have."""
    table = rows.table
    found = numbers(column(table, name), table.style, rows.spec.missing)
    check_numbers(table, name, found)
    values = found.values * scale
    check_range(table, name, found.values, metric.bounds if metric else None, scale)
    return Numbers(values, found.bad, found.unit, found.spread, found.words)


def check_numbers(table: CellTable, name: str, found: Numbers) -> None:
    """Raise `UserError` for a cell that is no number."""
    if found.bad.any():
        places = table.frame.index[found.bad]
        cell = table.frame[name].iloc[int(np.argmax(found.bad))]
        more = f" (and {counted(len(places) - 1, 'row')} more)" if len(places) > 1 else ""
        fix = f"correct it; say --missing {shown(cell)} if it stands for no number, or --leave-out"
        fix += f" {shown(name)}"
        raise UserError(f"{places[0]}: {name}", f"{cell!r} is no number{more}", fix)


def check_range(
    table: CellTable, name: str, values: NDArray[np.float64], limits: tuple[float, float] | None, scale: float
) -> None:
    """Raise `UserError` for numbers outside what the column can hold, and for marks of a missing number."""
    known = values[~np.isnan(values)]
    if limits is not None:
        outside = (values * scale < limits[0] - 1e-9) | (values * scale > limits[1] + 1e-9)
        about = f"outside {limits[0] / scale:g} to {limits[1] / scale:g}, in which the others are"
    else:
        outside = np.isin(values, SENTINELS)
        if (len(known) and (known[~np.isin(known, SENTINELS)] < 0).any()) or np.isin(known, SENTINELS).all():
            return
        about = "in a column of numbers that are not negative"
    if not outside.any():
        return
    places = [str(place) for place in table.frame.index[outside]]
    value = values[outside][0]
    more = f" and {counted(len(places) - NAMED, 'more row')}" if len(places) > NAMED else ""
    rows = ", ".join([places[0], *(place.rpartition(":")[2] for place in places[1:NAMED])]) + more
    fix = f"say --missing={value:g} if it stands for no number, correct it"
    fix += f", or say --range {shown(name)}=LEAST:MOST if it is one"
    raise UserError(f"{rows}: {name}", f"{value:g} is {about}", fix)


def _models(spec: ImportSpec, frame: pd.DataFrame, ids: pd.Series[Any]) -> dict[str, TakenModel]:
    first = frame[~ids.duplicated().to_numpy()]
    own = ids[~ids.duplicated()]
    texts = {
        name: first[name].map(lambda cell: "" if cell is None else plain_name(str(cell).strip())).tolist()
        for name in spec.label or (spec.model,)
    }
    columns = list(texts.values())
    labels = [column[at] or id_ for at, id_ in enumerate(own) for column in columns[:1]]
    for more in columns[1:]:
        repeated = {label for label in labels if labels.count(label) > 1}
        labels = [
            f"{label} ({extra})" if label in repeated and extra else label
            for label, extra in zip(labels, more, strict=True)
        ]
    said = {name: fact_texts(name, first[name]).tolist() for name in spec.card.values() if name in first}
    found = {}
    for at, id_ in enumerate(own):
        about = {one: said[name][at] for one, name in spec.card.items() if name in said}
        if (scale := words(spec.card.get("parameters", ""))[-1:]) and about.get("parameters"):
            # Params (B) counts billions.
            about["parameters"] += {"b": "B", "billions": "B", "m": "M"}.get(scale[0], "")
        card, facts = card_of(about, str(first.index[at]))
        found[id_] = TakenModel(id_, labels[at], card, facts)
    return found


def _reported(
    rows: Rows, columns: Mapping[str, Numbers], metrics: Mapping[str, MetricSpec]
) -> dict[str, dict[str, dict[str, Reported]]]:
    """The numbers of rows that are models, by dataset and model; of repeats the means."""
    spec, table = rows.spec, rows.table
    keys = pd.DataFrame({"model": rows.model, "dataset": rows.dataset})
    twice = keys.duplicated(keep=False)
    if twice.any() and spec.trial is None:
        at = int(np.argmax(twice.to_numpy()))
        same = (keys == keys.iloc[at]).all(axis=1).to_numpy()
        first, second = table.frame.index[same][:2]
        name = column(table, spec.model).iloc[at]
        about = f" on {rows.dataset.iloc[at]}" if spec.datasets else ""
        fix = "keep one of them, give one another name, or say what tells them apart: --column trial=COLUMN,"
        fix += " dataset=COLUMN or example=COLUMN"
        raise UserError(f"{first}: {spec.model}", f"{name!r}{about} is in {second} too", fix)
    percent = {name for name in columns if name in metrics and metrics[name].unit == "%"}
    beside = {name: _beside(rows, spec.metrics[name], name, name in percent) for name in columns}
    counts = {name: _counts(rows, name) for name in columns}
    found: dict[str, dict[str, dict[str, Reported]]] = {}
    for (dataset, model), places in keys.groupby(["dataset", "model"], sort=False).indices.items():
        scores = {}
        for name, cells in columns.items():
            values = cells.values[places]
            if np.isnan(values).all():
                continue
            error = beside[name][places[0]] if len(places) == 1 else np.nan
            examples = counts[name][places[0]] if len(places) == 1 else np.nan
            scores[name] = Reported(
                float(np.mean(values[~np.isnan(values)])) if len(places) > 1 else float(values[0]),
                None if np.isnan(error) else float(error),
                None if np.isnan(examples) else int(examples),
            )
        if scores:
            found.setdefault(str(dataset), {})[str(model)] = scores
    return found


def _beside(rows: Rows, spec: MetricColumn, name: str, is_percent: bool) -> NDArray[np.float64]:
    """The standard errors of a metric's numbers, in its unit; NaN where there are none."""
    table, missing = rows.table, rows.spec.missing
    if rows.spec.rows == "values" and spec.standard_error:
        cells = numbers(column(table, f"{spec.column}{ERROR}"), table.style, missing)
        errors = cells.values
    elif spec.standard_error == f"{spec.column}{PLUS_MINUS}":
        spread_of = numbers(column(table, spec.column), table.style, missing).spread
        errors = np.full(len(table.frame), np.nan) if spread_of is None else spread_of
    elif spec.standard_error:
        cells = numbers(column(table, spec.standard_error), table.style, missing)
        check_numbers(table, spec.standard_error, cells)
        errors = cells.values
    elif spec.interval:
        low, high = (numbers(column(table, one), table.style, missing) for one in spec.interval)
        for one, found in zip(spec.interval, (low, high), strict=True):
            check_numbers(table, one, found)
        _check_ends(table, spec, low.values, high.values)
        errors = (high.values - low.values) / (2 * Z_95)
    else:
        return np.full(len(table.frame), np.nan)
    errors = errors * abs(spec.scale) / (Z_95 if spec.half_width else 1)
    _check_errors(table, name, errors, is_percent)
    return errors


def _check_errors(table: CellTable, name: str, errors: NDArray[np.float64], is_percent: bool) -> None:
    """Raise `UserError` for standard errors that cannot be those of the metric's numbers.

    Of shares none is over 50 per cent, and under `LEAST_ERROR` in all rows there would be a million examples:
    then they are shares of 1 beside per cent, and rank sets from them would be far too narrow.
    """
    known = errors[~np.isnan(errors)]
    wrong = np.isnan(errors) if not len(known) else errors < 0
    problem = "its standard error is negative"
    if is_percent and not wrong.any() and (errors > 50).any():
        wrong, problem = errors > 50, "its standard error is over 50 per cent, which no share has"
    elif is_percent and len(known) and known.any() and known.max() < LEAST_ERROR:
        wrong = errors == known.max()
        problem = f"no standard error is over {known.max():g} per cent, which takes a million examples"
    if len(known) and wrong.any():
        place = table.frame.index[int(np.argmax(wrong))]
        fix = "give it in the unit of the numbers, or leave its column out with --leave-out"
        raise UserError(f"{place}: {name}", problem, fix)


def _check_ends(
    table: CellTable, spec: MetricColumn, low: NDArray[np.float64], high: NDArray[np.float64]
) -> None:
    """Raise `UserError` for an interval in which the number is not."""
    values = numbers(column(table, spec.column), table.style).values
    outside = (values < low) | (values > high)
    if outside.any():
        at = int(np.argmax(outside))
        problem = f"{values[at]:g} is not from {low[at]:g} to {high[at]:g}"
        fix = "correct it, or leave the ends out with --leave-out"
        raise UserError(f"{table.frame.index[at]}: {spec.column}", problem, fix)


def _counts(rows: Rows, metric: str) -> NDArray[np.float64]:
    """On how many examples the numbers of a metric are, by row; NaN where it is not known."""
    spec, table = rows.spec, rows.table
    if spec.examples is None:
        return np.full(len(table.frame), np.nan)
    if not isinstance(spec.examples, str):
        known = dict(spec.examples)
        return np.array([known.get(one, np.nan) for one in rows.dataset], dtype=float)
    name = f"{spec.metrics[metric].column}{EXAMPLES}" if spec.rows == "values" else spec.examples
    counts = numbers(column(table, name), table.style, spec.missing).values
    wrong = (counts < 1) | (counts != np.round(counts)) & ~np.isnan(counts)
    if wrong.any():
        at = int(np.argmax(wrong))
        fix = "correct it, or say --leave-out if it counts something else"
        raise UserError(f"{table.frame.index[at]}: {name}", f"{counts[at]:g} is no number of examples", fix)
    return counts
