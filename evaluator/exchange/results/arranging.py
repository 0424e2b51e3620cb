"""Tables with a row for each model and dataset, from rows of one number each and from keys within keys."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from evaluator.exchange.results.reading import CellTable
from evaluator.records.board.imports import ImportSpec
from evaluator.records.errors import UserError, or_one_of

#: The name of the column that the key in place of * becomes.
STAR = "*"
#: How the columns end that have what stands beside a metric's numbers, of rows that were values.
ERROR, EXAMPLES = " (standard error)", " (examples)"


@dataclass(frozen=True)
class Rows:
    """The rows of a table: whose they are, about which dataset."""

    table: CellTable
    model: pd.Series[Any]
    dataset: pd.Series[Any]
    spec: ImportSpec


def column(table: CellTable, name: str) -> pd.Series[Any]:
    """The cells of a column. Raises `UserError` that suggests one."""
    if name not in table.frame.columns:
        known = or_one_of(name, map(str, table.frame.columns))
        raise UserError(table.where, f"has no column {name!r}{known}", "")
    return table.frame[name]


def texts_of(table: CellTable, name: str) -> pd.Series[Any]:
    """A column in which every row says something, as texts."""
    cells = column(table, name).map(lambda cell: "" if cell is None or cell is pd.NA else str(cell).strip())
    empty = cells[cells == ""]
    if len(empty):
        fix = "give every row one, or delete it"
        raise UserError(f"{empty.index[0]}: {name}", "is empty", fix)
    return cells


def arranged(spec: ImportSpec, table: CellTable) -> CellTable:
    """The table with a row for each model and dataset, whatever its rows are."""
    named = [
        name
        for one in spec.metrics.values()
        for name in (one.column, one.standard_error, *(one.interval or ()))
    ]
    counts = spec.examples if isinstance(spec.examples, str) else None
    patterns = [name for name in (*named, counts) if name and STAR in name]
    if patterns and STAR not in table.frame.columns:
        table = spread(table, patterns)
    return turned(table, spec) if spec.rows == "values" else table


def spread(table: CellTable, patterns: Sequence[str]) -> CellTable:
    """A row for each key in place of the * of `patterns`, which are columns such as ``results.*.pass_1``."""
    found: dict[str, dict[str, str]] = {}
    for pattern in patterns:
        match = re.compile(re.escape(pattern).replace(r"\*", r"([^.]+)"))
        for name in table.frame.columns:
            if key := match.fullmatch(name):
                found.setdefault(key[1], {})[pattern] = name
    used = {name for columns in found.values() for name in columns.values()}
    others = [name for name in table.frame.columns if name not in used]
    parts = []
    for dataset, columns in found.items():
        part = table.frame[others].copy()
        part[STAR] = dataset
        for pattern in patterns:
            part[pattern] = table.frame[columns[pattern]] if pattern in columns else None
        parts.append(part[part[list(columns)].notna().any(axis=1)])
    return replace(table, frame=pd.concat(parts).astype(object))


def turned(table: CellTable, spec: ImportSpec) -> CellTable:
    """Rows of one number each as rows of all numbers of a model on a dataset; columns are the metrics.

    ``NAME (standard error)`` and ``NAME (examples)`` are what stands beside a number.
    """
    frame = table.frame
    about = [name for name in (spec.model, _dataset_column(spec), spec.example, spec.trial) if name]
    named = texts_of(table, str(spec.metric))
    keys = [frame[name].map(str) for name in about] + [named]
    together = pd.concat(keys, axis=1).apply(tuple, axis=1)
    twice = together.duplicated(keep=False)
    if twice.any():
        first, second = frame.index[(together == together[twice].iloc[0]).to_numpy()][:2]
        says = ", ".join(f"{key.name or spec.metric} {key[first]!r}" for key in keys)
        fix = "keep one of them, or say what tells them apart with --column dataset=COLUMN or trial=COLUMN"
        raise UserError(f"{first}", f"says a number again: {says}; another row with these is {second}", fix)
    beside = {"": str(spec.value), EXAMPLES: spec.examples}
    beside[ERROR] = next(filter(None, (one.standard_error for one in spec.metrics.values())), None)
    used = {name for name in (*beside.values(), spec.metric) if name}
    rest = [name for name in frame.columns if name not in used]
    groups = pd.concat(keys[:-1], axis=1).apply(tuple, axis=1)
    first_rows = ~groups.duplicated()
    wide = frame.loc[first_rows.to_numpy(), rest].copy()
    place = {group: at for at, group in enumerate(groups[first_rows])}
    at = groups.map(place).to_numpy()
    for metric in dict.fromkeys(named):
        mine = (named == metric).to_numpy()
        for suffix, column in beside.items():
            if column is not None:
                cells = np.full(len(wide), None, dtype=object)
                cells[at[mine]] = frame[column].to_numpy(dtype=object)[mine]
                wide[f"{metric}{suffix}"] = cells
    return replace(table, frame=wide)


def _dataset_column(spec: ImportSpec) -> str | None:
    return spec.datasets.column if spec.datasets else None


def shown(text: object) -> str:
    """A value as an argument on a command line."""
    said = str(text)
    return said if re.fullmatch(r"[\w.%/:+*@-]+", said) else "'" + said.replace("'", "'\\''") + "'"
