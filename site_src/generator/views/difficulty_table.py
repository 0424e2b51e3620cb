"""The stored table of a dataset's models by every difficulty, case and kind of splits, as a page shows it."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evaluator.rank.difficulty_sentences import title_of
from evaluator.records.datasets import Difficulty, DifficultyTable
from evaluator.records.result import Result

#: What a column's numbers were made by: the kind of splits, and what became of ties.
WAYS = {
    ("equal", "mean"): "7 equal splits, ties share weights",
    ("equal", "stable"): "7 equal splits, ties in order",
    ("continuous", None): "no splits",
}


@dataclass(frozen=True)
class DifficultyCell:
    """A value in per cent and its rank; None where there is none."""

    value: float | None
    rank: int | None


@dataclass(frozen=True)
class DifficultyLine:
    """The numbers of one model: for each way, those of all cases."""

    model: str
    label: str
    cells: tuple[DifficultyCell, ...]


@dataclass(frozen=True)
class SourceTable:
    """All numbers by one difficulty. Each of `ways` has a column for each of its cases."""

    label: str
    ways: tuple[tuple[str, tuple[int, ...]], ...]
    lines: tuple[DifficultyLine, ...]

    @property
    def starts(self) -> list[int]:
        """The columns with which ways begin."""
        return list(itertools.accumulate((len(cases) for _, cases in self.ways[:-1]), initial=0))


def source_tables(
    table: DifficultyTable | None, difficulties: Iterable[Difficulty], results: Sequence[Result]
) -> tuple[SourceTable, ...]:
    """The stored table by difficulty, of the models of these results.

    Numbers by other difficulty values than the present ones, or of other answers, are left out; so there may
    be none, as where nothing is stored.
    """
    if table is None:
        return ()
    models: list[str] = table.table["models"]
    chosen = [(models.index(result.model.id), result) for result in results if _is_of(table, result)]
    present = {difficulty.name: difficulty.content_hash() for difficulty in difficulties}
    stale = {name for name, hashed in table.difficulties.items() if present.get(name) != hashed}
    rows = [row for row in table.table["rows"] if row["metric"] not in stale]
    by_source = itertools.groupby(rows, key=_label)
    return tuple(_source_table(label, list(found), chosen) for label, found in by_source if chosen)


def _is_of(table: DifficultyTable, result: Result) -> bool:
    predictions = result.predictions
    return predictions is not None and table.predictions.get(result.model.id) == predictions.sha256


def _source_table(
    label: str, rows: Sequence[Mapping[str, Any]], chosen: Sequence[tuple[int, Result]]
) -> SourceTable:
    ordered = sorted(rows, key=lambda row: row["case"])
    by_way = {way: [row for row in ordered if (row["kind"], row.get("ties")) == way] for way in WAYS}
    columns = [row for found in by_way.values() for row in found]
    ways = [(WAYS[way], tuple(row["case"] for row in found)) for way, found in by_way.items() if found]
    lines = [
        DifficultyLine(result.model.id, result.model.label, tuple(_cell(column, at) for column in columns))
        for at, result in chosen
    ]
    return SourceTable(label, tuple(ways), tuple(lines))


def _label(row: Mapping[str, Any]) -> str:
    """What a row's numbers are by."""
    title, percent = title_of(row["metric"]), row.get("percent")
    if several := row.get("percents"):
        return f"{title}, mean of {', '.join(map(str, several))} % of the training set"
    return title if percent is None else f"{title}, {percent} % of the training set"


def _cell(column: Mapping[str, Any], at: int) -> DifficultyCell:
    return DifficultyCell(column["value"][at], column["rank"][at])
