"""What a model's page shows except for its results, worked out before the template sees it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from evaluator.records.references import ModelCard
from site_src.generator.pages.dataset_page import readable_values, tabled_values
from site_src.generator.pages.model_result import NOWHERE, TagPlaces
from site_src.generator.views import formats
from site_src.generator.views.board import BoardView
from site_src.generator.views.cards import card_of
from site_src.generator.views.columns import ShownColumn
from site_src.generator.views.datasets import DatasetView
from site_src.generator.views.examples import Verdicts
from site_src.generator.views.facts import Fact
from site_src.generator.views.provenance import Origin, origins
from site_src.generator.views.rivals import Rival, rivals_of
from site_src.generator.views.rows import RowView
from site_src.generator.views.strengths import BoardParts, Strengths, field_of, strengths_of


@dataclass(frozen=True)
class MetricPart:
    """What one metric adds to the model's Dynascore at the default weights."""

    column: ShownColumn
    text: str
    contribution: float | None
    difference: float | None


@dataclass(frozen=True)
class ModelView:
    """Everything on a model's page. Its score is compared with that of `other`, the board's `role`.

    `places` are by dataset, of its own results.
    """

    board: BoardView
    row: RowView
    other: RowView
    role: str
    origins: tuple[Origin, ...]
    card: tuple[Fact, ...]
    parts: tuple[MetricPart, ...]
    strengths: Strengths | None
    rivals: tuple[Rival, ...]
    places: Mapping[str, TagPlaces]

    @property
    def rival(self) -> RowView | None:
        """The model to compare with: the first of the board, or the second if this is the first."""
        return next((row for row in self.board.rows if row.entry.id != self.row.entry.id), None)


@dataclass(frozen=True)
class Beside:
    """What the pages of a board's models share: who is right on what, and what all models reach.

    `places` are by dataset, for results on the revision that it has.
    """

    verdicts: Mapping[str, Verdicts]
    field: BoardParts
    places: Mapping[str, TagPlaces]


def beside_of(board: BoardView, verdicts: Mapping[str, Verdicts]) -> Beside:
    """What the pages of a board's models share; `verdicts` by dataset, where they are known."""
    places = {dataset.spec.id: _places(board, dataset, verdicts) for dataset in board.datasets}
    return Beside(verdicts, field_of(board, verdicts), places)


def _places(board: BoardView, dataset: DatasetView, verdicts: Mapping[str, Verdicts]) -> TagPlaces:
    readable = readable_values(verdicts.get(dataset.spec.id))
    return TagPlaces(bool(readable), readable or tabled_values(board, dataset))


def model_view(board: BoardView, row: RowView, beside: Beside) -> ModelView:
    """Lay out everything about one model of a board."""
    own = row.entry.results
    other, role = _other(board, row)
    fitting = {
        dataset.spec.id: own[dataset.spec.id].dataset.revision == dataset.revision
        for dataset in board.datasets
        if dataset.spec.id in own
    }
    return ModelView(
        board=board,
        row=row,
        other=other,
        role=role,
        origins=origins(own.values()),
        card=_card(card_of(own.values())),
        parts=_parts(row, other),
        strengths=strengths_of(board, beside.field, row.entry.id),
        rivals=rivals_of(board, row, beside.verdicts),
        places={name: beside.places[name] if fits else NOWHERE for name, fits in fitting.items()},
    )


def _other(board: BoardView, row: RowView) -> tuple[RowView, str]:
    """The model to compare a score with, and what it is. The median model is compared with the leader."""
    ranked = board.ranked_rows
    if not ranked or row.entry.id != board.middle_id:
        middle = board.ranked_places.get(board.middle_id or "")
        return row if middle is None else ranked[middle], "median model"
    if row is not ranked[0] or len(ranked) == 1:
        return ranked[0], "leader"
    return ranked[1], "second"


def _card(card: ModelCard) -> tuple[Fact, ...]:
    size = None if card.parameters is None else formats.count(card.parameters)
    return (
        ("Description", card.description),
        ("Intended use", card.intended_use),
        ("Training data", card.training_data),
        ("Parameters", size),
        ("Languages", ", ".join(card.languages) or None),
        ("Licence", card.licence),
        ("Paper", card.paper),
        ("Link", card.link),
    )


def _parts(row: RowView, other: RowView) -> tuple[MetricPart, ...]:
    def difference(metric: str) -> float | None:
        if row.rank is None:
            return None
        return row.contributions.get(metric, 0.0) - other.contributions.get(metric, 0.0)

    return tuple(
        MetricPart(
            column=cell.column,
            text=cell.text,
            contribution=row.contributions.get(cell.column.name),
            difference=difference(cell.column.name),
        )
        for cell in row.cells
    )
