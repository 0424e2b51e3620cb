"""Models as rows of a board's table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evaluator.records.board import AGAIN, Assembled, BoardEntry, DatasetSpec
from site_src.generator.views import formats, provenance
from site_src.generator.views.certainty import RankSet, SureView
from site_src.generator.views.columns import Cell, ShownColumn, cell


@dataclass(frozen=True)
class RowView:
    """One model as the table shows it."""

    entry: BoardEntry
    origin: str
    mark: str
    rank: int | None
    ranks: RankSet | None
    heat: bool
    score: float | None
    leaving: int
    contributions: Mapping[str, float]
    z_score: float | None
    cells: tuple[Cell, ...]
    reasons: tuple[str, ...]
    floored: bool

    @property
    def short(self) -> str:
        """The name as controls are called by it, where a very long one would be repeated."""
        return formats.shortened(self.entry.label, 60)

    @property
    def suspect(self) -> tuple[str, ...]:
        """Which of its timings are in doubt, and why."""
        return tuple(map(str, self.entry.suspect))


def rows_of(
    assembled: Assembled,
    columns: tuple[ShownColumn, ...],
    scoring: tuple[DatasetSpec, ...],
    models: list[dict[str, Any]],
    sure: SureView,
) -> tuple[RowView, ...]:
    """The rows of the ranked `models`, in their order."""
    places, heat = {name: index for index, name in enumerate(assembled.data["models"])}, sure.heat

    def row(model: dict[str, Any]) -> RowView:
        index = places[model["model"]]
        ranks = sure.of(index, model["rank"])
        left = len(sure.leaving.get(index, ()))
        return _row(assembled, columns, scoring, model, ranks, index in heat, left)

    return tuple(map(row, models))


def _row(
    assembled: Assembled,
    columns: tuple[ShownColumn, ...],
    scoring: tuple[DatasetSpec, ...],
    model: dict[str, Any],
    ranks: RankSet | None,
    heat: bool,
    leaving: int,
) -> RowView:
    entry = assembled.entries[model["model"]]
    return RowView(
        entry=entry,
        origin=provenance.summary(entry.results.values()),
        mark=entry.provenance,
        rank=model["rank"],
        ranks=ranks,
        heat=heat,
        score=model["dynascore"],
        leaving=leaving,
        contributions=model["contributions"],
        z_score=model["mean_z_score"],
        cells=tuple(cell(column, model["values"][column.name]) for column in columns),
        reasons=_reasons(entry, scoring),
        floored=entry.id in assembled.data.get("floored", ()),
    )


def _reasons(entry: BoardEntry, scoring: tuple[DatasetSpec, ...]) -> tuple[str, ...]:
    absent = [f"no result on {dataset.label}" for dataset in scoring if dataset.id not in entry.results]
    apart = (why.removesuffix(AGAIN) for why in entry.kept_apart)
    return (*entry.failures, *absent, *apart)


def blank_row(columns: Sequence[ShownColumn]) -> RowView:
    """A row of no model."""
    return RowView(
        entry=BoardEntry("", "", ""),
        origin="",
        mark="",
        rank=None,
        ranks=None,
        heat=False,
        leaving=0,
        score=None,
        contributions={},
        z_score=None,
        cells=tuple(cell(column, None) for column in columns),
        reasons=(),
        floored=False,
    )
