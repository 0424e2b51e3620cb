"""A board's numbers beside those of other results, such as the ones that a paper reports."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evaluator.records.board import Assembled, BesideSpec, Boards, DatasetSpec
from evaluator.records.references import Source
from evaluator.records.result import Result
from evaluator.score.standard_errors import spearman
from site_src.generator.views.columns import ShownColumn

#: A model of the ranking, as the scorer gives it.
RankedBeside = Mapping[str, Any]


@dataclass(frozen=True)
class BesidePair:
    """One metric of one model: here, there, and here / there, which is None if there is 0."""

    here: float
    there: float

    @property
    def ratio(self) -> float | None:
        return self.here / self.there if self.there else None


@dataclass(frozen=True)
class BesideColumn:
    """One metric of the models that both have, None for a model that lacks it here or there."""

    column: ShownColumn
    pairs: tuple[BesidePair | None, ...]

    @property
    def known(self) -> tuple[BesidePair, ...]:
        return tuple(pair for pair in self.pairs if pair is not None)

    @property
    def ratio(self) -> float | None:
        """The median of the ratios."""
        ratios = [pair.ratio for pair in self.known if pair.ratio is not None]
        return statistics.median(ratios) if ratios else None

    @property
    def correlation(self) -> float | None:
        """Spearman's rank correlation of the models."""
        return spearman([pair.here for pair in self.known], [pair.there for pair in self.known])


@dataclass(frozen=True)
class BesideTable:
    """The models that a board and another dataset's results both have, in the order of the board.

    `labels` are their names here and there.
    """

    dataset: DatasetSpec
    provenance: str
    source: Source | None
    labels: tuple[tuple[str, str], ...]
    columns: tuple[BesideColumn, ...]

    @property
    def rows(self) -> list[tuple[tuple[str, str], tuple[BesidePair | None, ...]]]:
        """For each model its names, and a pair for each column."""
        pairs = zip(*(column.pairs for column in self.columns), strict=True)
        return list(zip(self.labels, pairs, strict=True))


def beside_tables(
    assembled: Assembled,
    boards: Boards,
    models: Sequence[RankedBeside],
    columns: Sequence[ShownColumn],
    results: Iterable[Result],
) -> tuple[BesideTable, ...]:
    """A table for each dataset that the board is shown beside and that has a model and a metric of it.

    `models` are those of the default ranking, and `results` all that are stored.
    """
    specs = assembled.board.beside
    wanted = {spec.dataset for spec in specs}
    found = {(r.dataset.id, r.model.id): r for r in results if r.dataset.id in wanted}
    labels = {entry.id: entry.label for entry in assembled.entries.values()}
    tables = (
        _table(boards.dataset(spec.dataset), _both(spec, models, found), columns, labels) for spec in specs
    )
    return tuple(table for table in tables if table is not None)


def _both(
    spec: BesideSpec, models: Sequence[RankedBeside], results: Mapping[tuple[str, str], Result]
) -> list[tuple[RankedBeside, Result]]:
    keys = [(model, (spec.dataset, spec.models.get(model["model"], ""))) for model in models]
    return [(model, results[key]) for model, key in keys if key in results]


def _table(
    dataset: DatasetSpec,
    both: Sequence[tuple[RankedBeside, Result]],
    columns: Sequence[ShownColumn],
    labels: Mapping[str, str],
) -> BesideTable | None:
    compared = (BesideColumn(column, tuple(_pair(column, *one) for one in both)) for column in columns)
    known = tuple(column for column in compared if column.known)
    if not known:
        return None
    _, first = both[0]
    names = tuple((labels[model["model"]], result.model.label) for model, result in both)
    return BesideTable(dataset, first.provenance, first.source, names, known)


def _pair(column: ShownColumn, model: RankedBeside, result: Result) -> BesidePair | None:
    """A metric of a model, if it has one in the same unit on both sides."""
    here, score = model["values"][column.name], result.scores.get(column.name)
    if here is None or score is None or score.unit != column.spec.unit:
        return None
    return BesidePair(here, score.value)
