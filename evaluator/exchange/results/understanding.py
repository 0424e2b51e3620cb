"""What a table of results means: which column is what, and what of it is not certain.

Names of columns and the cells themselves say it; everything can be told in their place (`Told`). A guess that
could be wrong without anybody seeing it is `unsure`, and stops an import that nobody confirms.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from evaluator.exchange.results.arranging import ERROR, EXAMPLES, STAR, arranged, shown
from evaluator.exchange.results.columns import ColumnReader
from evaluator.exchange.results.judging import JudgedColumn
from evaluator.exchange.results.nesting import Patterns, patterns_of
from evaluator.exchange.results.reading import FILE, KEY, RUN, CellTable
from evaluator.exchange.results.told import Told, Unsure
from evaluator.exchange.results.words import ROLES, STANDARD_ERRORS, by_role, ends_as, is_called
from evaluator.records.base import slug
from evaluator.records.board import MetricSpec
from evaluator.records.board.imports import DatasetColumn, ImportSpec, MetricColumn
from evaluator.records.errors import UserError

#: Names of files and folders that say nothing about what was measured.
GENERIC_WORDS = "results result leaderboard scores score data models model table instances examples output"
GENERIC_WORDS += " outputs predictions submissions submission metrics numbers test tmp runs all export"
GENERIC = frozenset(GENERIC_WORDS.split())
#: A column with fewer different values has no ids of examples, but settings; more are needed where its name
#: does not say that they are ids.
FEWEST, MANY = 3, 20
#: What to do with a table without numbers, which may well have answers of models.
NO_NUMBERS = (
    "name one with --metric COLUMN=NAME; if it has answers of models, make a board of the right answers with"
    " init --data, and import rows of model, id and answer, or with --model those of one model"
)


@dataclass(frozen=True)
class Understood:
    """A table and what it means. `weightless` are metrics of which it is not known which way is better."""

    table: CellTable
    spec: ImportSpec
    metrics: tuple[MetricSpec, ...]
    judged: tuple[JudgedColumn, ...]
    left_out: Mapping[str, str]
    unsure: tuple[Unsure, ...]
    weightless: frozenset[str] = frozenset()


def understand(table: CellTable, told: Told, name: str) -> Understood:
    """What the table means; `name` is the dataset's id where nothing says it. Raises `UserError`."""
    nested = any("." in str(one) for one in table.frame.columns)
    patterns = patterns_of(table.frame) if nested else Patterns((), {})
    spec = _who(table, told)
    unsure = list(_unsure_numbers(table))
    work = table
    if patterns.stars:
        if spec["model"] == KEY and "model" not in told.columns:
            options = ("--column 'model=(key)'", "--column 'model=*'")
            about = "which of two levels of keys are the models"
            unsure.append(Unsure(about, f"the upper one, {_first(table.frame[KEY])},", options))
        if spec["model"] != STAR:
            spec["datasets"] = DatasetColumn(column=STAR, ids=dict(told.datasets))
        work = arranged(_spec(spec, table, metrics=_columns(patterns.stars)), table)
    spec |= _shape(work, spec, told, unsure)
    if spec.get("datasets") is None:
        spec["dataset"] = told.dataset or spec.get("dataset") or name
    error = _error_of_values(work.frame, spec)
    if spec["rows"] == "values":
        texts = dict.fromkeys(str(cell).strip() for cell in work.frame[spec["metric"]] if cell)
        work = arranged(_spec(spec, table, metrics=_columns(texts, error)), work)
    reader = ColumnReader(work, spec, told, _used(work, spec, patterns))
    judged = reader.read()
    if not judged and spec["rows"] != "models":
        raise UserError(table.where, "has no column of numbers", NO_NUMBERS)
    found: dict[str, Any] = {
        "tags": reader.tags,
        "card": reader.card,
        "cluster": reader.cluster,
        "examples": reader.examples,
    }
    if spec["rows"] == "models" and table.objects:
        found["label"] = _labels(table, spec, reader.free)
    full = _spec(
        spec | {key: value for key, value in found.items() if value},
        table,
        metrics={
            one.metric.name: one.column.model_copy(update={"standard_error": error}) if error else one.column
            for one in judged
        },
        missing=told.missing,
        source=told.source,
        accept_differences=told.accept_differences,
    )
    return Understood(
        table,
        full,
        tuple(one.metric for one in judged),
        tuple(judged),
        {column: why for column, why in {**patterns.left_out, **reader.left_out}.items() if column != FILE},
        (*unsure, *reader.unsure),
        frozenset(reader.weightless),
    )


def _columns(names: Iterable[str], error: str | None = None) -> dict[str, MetricColumn]:
    return {f"m{at}": MetricColumn(column=name, standard_error=error) for at, name in enumerate(names)}


def _error_of_values(frame: pd.DataFrame, spec: Mapping[str, Any]) -> str | None:
    """The column of the standard errors of rows that are values."""
    names = [name for name in frame.columns if ends_as(name, STANDARD_ERRORS) is not None]
    return names[0] if names and spec["rows"] == "values" else None


def _used(table: CellTable, spec: Mapping[str, Any], patterns: Patterns) -> frozenset[str]:
    """The columns that have a role already."""
    roles = {spec.get(role) for role in ("model", "metric", "value", "example", "trial", "dataset column")}
    beside = {name for name in table.frame.columns if name.endswith((ERROR, EXAMPLES))}
    label, datasets = spec.get("label") or (), spec.get("datasets")
    special = (STAR, FILE, KEY, RUN, datasets and datasets.column)
    return frozenset(str(name) for name in (*roles, *beside, *label, *patterns.left_out, *special))


def _spec(given: Mapping[str, Any], table: CellTable, **more: Any) -> ImportSpec:
    known = {name: value for name, value in given.items() if name in ImportSpec.model_fields}
    return ImportSpec(**{"rows": "models", **known, **more, "path": tuple(map(str, table.files))})


def _unsure_numbers(table: CellTable) -> list[Unsure]:
    if table.style.unsure is None:
        return []
    place, name, cell = table.style.unsure
    about = f"{place}: {name}: {cell!r} has a comma before three digits"
    return [Unsure(about, "it is a decimal comma", ("write the numbers without marks between thousands",))]


def _who(table: CellTable, told: Told) -> dict[str, Any]:
    """The column of the model's name, by its name, else the first one of texts."""
    frame = table.frame
    if column := told.columns.get("model"):
        # Of two levels of keys, the other one is then the datasets'.
        return {"model": column, **({"datasets": DatasetColumn(column=KEY)} if column == STAR else {})}
    first = str(frame.columns[0])
    if is_called(first, (*ROLES["metric"], *ROLES["dataset"])) and _are_turned(frame):
        fix = "turn the table, so that a row is a model, or give rows of model, metric and value"
        raise UserError(
            f"{table.where}: {first}", "has metrics or datasets in rows and models in columns", fix
        )
    if KEY in frame.columns:
        return {"model": KEY}
    named = by_role("model", (name for name in frame.columns if name not in (FILE, KEY)))
    if table.objects:
        full = [name for name in named if _distinct(frame[name]) == len(frame)]
        return {"model": full[0] if full and len(frame) > 1 else FILE, "label": tuple(named[:1])}
    if named:
        return {"model": named[0]}
    texts = [name for name in frame.columns if name != FILE and _are_texts(frame[name])]
    if texts and len(table.files) == 1 and texts[0] == frame.columns[0]:
        return {"model": texts[0]}
    if len(table.files) > 1:
        return {"model": FILE}
    usual = ", ".join(repr(name) for name in frame.columns[:8] if name != FILE)
    fix = (
        "say which does with --column model=COLUMN, or 'model=(file)' for the file's name; of answers of one"
    )
    fix += " model, say whose with --model"
    raise UserError(table.where, f"no column says which model a row is about: it has {usual}", fix)


def _are_turned(frame: pd.DataFrame) -> bool:
    """Whether the first column alone has texts, all of them different."""
    first, *others = [name for name in frame.columns if name != FILE]
    return _distinct(frame[first]) == len(frame) and not any(_are_texts(frame[name]) for name in others)


def _first(cells: pd.Series[Any]) -> str:
    return ", ".join(dict.fromkeys(map(str, cells.head(3))))


def _distinct(cells: pd.Series[Any]) -> int:
    return len({str(cell) for cell in cells if cell is not None})


def _are_texts(cells: pd.Series[Any]) -> bool:
    """Whether a column has texts with letters throughout, except for empty cells."""
    said = [str(cell) for cell in cells if cell is not None and str(cell).strip()]
    return bool(said) and all(any(char.isalpha() for char in text) for text in said)


def _shape(table: CellTable, spec: dict[str, Any], told: Told, unsure: list[Unsure]) -> dict[str, Any]:
    """What a row is, and the columns that tell rows of one model apart."""
    frame, found = table.frame, dict[str, Any]()
    free = [name for name in frame.columns if name not in (spec["model"], FILE, KEY, RUN)]
    metric = told.columns.get("metric") or next(iter(by_role("metric", free)), None)
    value = told.columns.get("value") or next((one for one in by_role("value", free) if one != metric), None)
    if spec.get("datasets") is None:
        found |= _dataset(frame, free, told)
    if metric and value and _are_texts(frame[metric]):
        return {**found, "rows": "values", "metric": metric, "value": value}
    about = [spec["model"], *([found["datasets"].column] if found.get("datasets") else [])]
    about += [STAR] if spec.get("datasets") else []
    keys = frame[about].map(str)
    trial = told.columns.get("trial")
    example = told.columns.get("example")
    if example is None and not keys.duplicated().any():
        return {**found, "rows": "models"}
    trials = [name for name in (RUN, *by_role("trial", free)) if name in frame and _distinct(frame[name]) > 1]
    trial = trial or next(iter(trials), None)
    if example is None:
        named = [name for name in by_role("example", free) if name != trial]
        usual = [name for name in named if _distinct(frame[name]) >= FEWEST]
        example = next((name for name in usual if _tells_apart(frame, about, name, trial)), None)
        # Where a few rows are there twice, the message is about these.
        nearly = (
            name for name in usual if 2 * frame[[*about, name]].map(str).duplicated().sum() < len(frame)
        )
        example = example or (next(nearly, None) if trial is None else None)
    if example is None and trial and not frame[[*about, trial]].map(str).duplicated().any():
        return {**found, "rows": "models", "trial": trial}
    if example is None:
        others = [name for name in free if name not in about and _tells_apart(frame, about, name, None)]
        is_one = _distinct(keys[about[0]]) == 1
        shared = [name for name in others if MANY <= _distinct(frame[name]) < len(frame) + is_one]
        if not shared:
            return {**found, "rows": "models"}
        example, trial = shared[0], None
        options = (f"--column example={shown(example)}", "--column example=COLUMN", "--column trial=COLUMN")
        unsure.append(Unsure("which column has the examples' ids", f"{example!r}", options))
    needed = frame[[*about, example]].map(str).duplicated().any()
    return {**found, "rows": "examples", "example": example} | ({"trial": trial} if trial and needed else {})


def _tells_apart(frame: pd.DataFrame, about: Sequence[str], name: str, trial: str | None) -> bool:
    keys = [*about, name, *([trial] if trial and trial != name else [])]
    if frame[keys].map(str).duplicated().any():
        return False
    return trial is None or _distinct(frame[name]) > 1


def _dataset(frame: pd.DataFrame, free: Sequence[str], told: Told) -> dict[str, Any]:
    """The column of the dataset, or the one dataset that it names."""
    column = told.columns.get("dataset")
    usual = [name for name in by_role("dataset", free) if _are_texts(frame[name])]
    few = [name for name in usual if _distinct(frame[name]) <= max(2, len(frame) // 2)]
    column = column or next(iter(few), None)
    if column is None or (told.dataset and "dataset" not in told.columns):
        return {}
    names = {str(cell).strip() for cell in frame[column] if cell is not None}
    if len(names) == 1 and "dataset" not in told.columns:
        [only] = names
        return {"dataset": told.datasets.get(only) or slug(only).lower(), "dataset column": column}
    return {"datasets": DatasetColumn(column=column, ids=dict(told.datasets))}


def _repeated(frame: pd.DataFrame, columns: Sequence[str]) -> int:
    """How many rows say what another one has said in these columns."""
    return int(frame[list(columns)].map(str).duplicated().sum())


def _labels(table: CellTable, spec: Mapping[str, Any], free: Sequence[str]) -> tuple[str, ...]:
    """Columns that give every file's model a name: the usual one, and what tells equal ones apart."""
    frame = table.frame
    chosen = list(spec.get("label") or ())
    if not chosen:
        return ()
    texts = [
        name
        for name in (*free, FILE)
        if name in frame.columns and frame[name].map(lambda cell: cell is None or len(str(cell)) <= 60).all()
    ]
    while (left := _repeated(frame, chosen)) and texts:
        best = min(texts, key=lambda name: _repeated(frame, [*chosen, name]))
        if _repeated(frame, [*chosen, best]) == left:
            break
        chosen.append(best)
    return tuple(chosen)


def with_ids(understood: Understood, names: Mapping[str, str], metrics: Sequence[MetricSpec]) -> Understood:
    """The same with other names of metrics, and what is known of these."""
    spec = understood.spec
    renamed = {names.get(name, name): column for name, column in spec.metrics.items()}
    return replace(understood, spec=spec.model_copy(update={"metrics": renamed}), metrics=tuple(metrics))


def guessed_name(table: CellTable, otherwise: str) -> str:
    """The dataset's id from the name of the file, or of the folder that it was given in."""
    path, here = table.files[0], Path.cwd()
    if path.resolve().is_relative_to(here):
        path = path.resolve().relative_to(here)
    parts = [path.name.partition(".")[0]] if len(table.files) == 1 else []
    parts += [part for part in reversed(path.parts[:-1]) if part not in ("/", ".", "..", Path.home().name)][
        :2
    ]
    for part in parts:
        if set(slug(part).lower().replace("-", "_").split("_")) - GENERIC:
            return slug(part).lower().replace("_", "-")
    return otherwise
