"""Values by example of a table whose rows are examples, and what is said of each of these."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from evaluator.exchange.results.arranging import Rows, column, texts_of
from evaluator.exchange.results.numbers import Numbers
from evaluator.exchange.results.reading import CellTable
from evaluator.rank.formats import counted
from evaluator.records.errors import UserError
from evaluator.score.examples import is_no_id

#: What is before a mark in a column, as a tag: ``instance^__``.
BEFORE = "^"


@dataclass(frozen=True)
class TakenExamples:
    """Values by example: for each model and metric an array (examples, trials), NaN where one is missing.

    `human` are labels of people, of the same shape, which correct the values of a judge here or elsewhere.
    """

    ids: tuple[str, ...]
    tags: Mapping[str, tuple[str, ...]]
    clusters: tuple[str, ...]
    values: Mapping[str, Mapping[str, NDArray[np.float64]]]
    human: Mapping[str, Mapping[str, NDArray[np.float64]]] = field(default_factory=dict)

    @property
    def trials(self) -> int:
        """How often each example was tried."""
        arrays = (
            array for each in (self.values, self.human) for one in each.values() for array in one.values()
        )
        return next(int(array.shape[1]) for array in arrays)


def example_values(
    rows: Rows, columns: Mapping[str, Numbers], human: Mapping[str, Numbers]
) -> dict[str, TakenExamples]:
    """Values and labels of people by dataset, model and metric, in the order of the ids of the file."""
    spec, table = rows.spec, rows.table
    example = texts_of(table, str(spec.example))
    trial = texts_of(table, spec.trial) if spec.trial else pd.Series("", index=example.index)
    keys = pd.DataFrame({"dataset": rows.dataset, "model": rows.model, "example": example, "trial": trial})
    twice = keys.duplicated(keep=False)
    if twice.any():
        at = int(np.argmax(twice.to_numpy()))
        same = (keys == keys.iloc[at]).all(axis=1).to_numpy()
        first, second = table.frame.index[same][:2]
        fix = "keep one of them, or say what tells repeats apart with --column trial=COLUMN"
        about = f"{example.iloc[at]!r} of {column(table, spec.model).iloc[at]!r}"
        raise UserError(f"{first}: {spec.example}", f"{about} is in {second} too", fix)
    found = {}
    for dataset, places in keys.groupby("dataset", sort=False).indices.items():
        parts = [{name: each.values[places] for name, each in side.items()} for side in (columns, human)]
        found[str(dataset)] = _dataset(rows, keys.iloc[places], places, *parts)
    return found


def _dataset(
    rows: Rows,
    keys: pd.DataFrame,
    places: NDArray[Any],
    columns: Mapping[str, NDArray[np.float64]],
    labels: Mapping[str, NDArray[np.float64]],
) -> TakenExamples:
    examples, ids = pd.factorize(keys["example"])
    models, whose = pd.factorize(keys["model"])
    order = _trials(keys)
    trials = int(order.max()) + 1
    there = np.zeros((len(whose), len(ids)), dtype=bool)
    there[models, examples] = True
    if columns:  # people may have been asked about other answers of each model
        _check_ids(rows.table, there, [str(one) for one in whose], [str(one) for one in ids])

    def by_model(columns: Mapping[str, NDArray[np.float64]]) -> dict[str, dict[str, NDArray[np.float64]]]:
        found: dict[str, dict[str, NDArray[np.float64]]] = {}
        for name, cells in columns.items():
            cube = np.full((len(whose), len(ids), trials), np.nan)
            cube[models, examples, order] = cells
            for at, one in enumerate(whose):
                if not np.isnan(cube[at]).all():
                    found.setdefault(str(one), {})[name] = cube[at]
        return found

    spec = rows.spec
    facts = {name: _facts(rows, name, places, examples, len(ids)) for name in spec.tags.values()}
    tags = {tag: facts[name] for tag, name in spec.tags.items()}
    clusters = _facts(rows, spec.cluster, places, examples, len(ids)) if spec.cluster else ()
    return TakenExamples(
        _published_ids([str(one) for one in ids]),
        tags,
        clusters,
        by_model(columns),
        by_model(labels),
    )


def _trials(keys: pd.DataFrame) -> NDArray[Any]:
    """Which trial of its example a row is, from 0: the same for all rows of a model's run.

    A column that does not name runs, but tells the trials of each example apart, numbers them in their order.
    """
    place: NDArray[Any] = keys.groupby(["model", "example"], sort=False).cumcount().to_numpy()
    most = pd.Series(place).groupby(keys["model"].to_numpy()).max()
    run = place.copy()
    for model, rows in keys.groupby("model", sort=False).indices.items():
        numbers, names = pd.factorize(keys["trial"].iloc[rows])
        if len(names) > most[model] + 1:
            return place
        run[rows] = numbers
    return run


def _published_ids(ids: Sequence[str]) -> tuple[str, ...]:
    """The ids; of texts, which a board does not publish, their hashes."""
    if not any(map(is_no_id, ids)):
        return tuple(ids)
    return tuple(map(hashed_id, ids))


def hashed_id(text: str) -> str:
    """What stands for a text that is an id."""
    return f"t-{hashlib.sha256(text.encode()).hexdigest()[:12]}"


def _check_ids(table: CellTable, there: NDArray[np.bool_], models: Sequence[str], ids: Sequence[str]) -> None:
    """Raise `UserError` where a model has examples that no other has, and lacks some that others have."""
    if len(models) < 2:
        return
    alone = there.sum(axis=0) == 1
    for at, model in enumerate(models):
        own, lacks = there[at] & alone, ~there[at]
        if own.any() and lacks.any():
            problem = (
                f"{model} has {counted(int(own.sum()), 'example')} that no other model has, such as"
                f" {ids[int(np.argmax(own))]!r}, and lacks {int(lacks.sum())}, such as"
                f" {ids[int(np.argmax(lacks))]!r}"
            )
            raise UserError(table.where, problem, "give the same example the same id for every model")


def _facts(
    rows: Rows, name: str, places: NDArray[Any], examples: NDArray[Any], number: int
) -> tuple[str, ...]:
    """What a column says of each example, "" where it says nothing; where rows differ, what most say."""
    whole, _, mark = name.partition(BEFORE) if name not in rows.table.frame else (name, "", "")
    cells = fact_texts(whole, column(rows.table, whole)).to_numpy(dtype=object)[places]
    cells = [cell.partition(mark)[0] for cell in cells] if mark else cells
    said: list[Counter[str]] = [Counter() for _ in range(number)]
    for example, cell in zip(examples.tolist(), cells, strict=True):
        if cell:
            said[example][cell] += 1
    return tuple(min(one, key=lambda text: (-one[text], text)) if one else "" for one in said)


def fact_texts(name: str, cells: pd.Series[Any]) -> pd.Series[Any]:
    """A column that says something about examples or models as texts; times become days."""
    texts = cells.map(lambda cell: "" if cell is None or cell is pd.NA else str(cell).strip())
    return texts.map(day_of) if is_times(name, texts) else texts


def is_times(name: str, texts: pd.Series[Any]) -> bool:
    """Whether a column is of times as numbers: milliseconds or seconds since 1970, by name and size."""
    own = re.split(r"[\W_]+", name.lower())
    said = texts[texts != ""]
    return bool(
        {"date", "time", "timestamp", "created", "released", "release"} & set(own)
        and len(said)
        and said.map(lambda text: bool(re.fullmatch(r"\d{9,10}|\d{12,13}(\.0)?", text))).all()
    )


def day_of(text: str) -> str:
    """The day of a time in seconds or milliseconds since 1970; "" for no time."""
    if not text:
        return ""
    number = float(text)
    return str(pd.Timestamp(int(number), unit="ms" if number > 1e11 else "s").date())
