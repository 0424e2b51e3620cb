"""A board's metrics as columns of its table, and the cells under them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from evaluator.rank.difficulty_sentences import title_of
from evaluator.records import board as boards_module
from evaluator.records.board import MetricSpec
from site_src.generator.views import formats

#: Metrics whose colour is theirs on every board; the base metric always takes the first.
COLOURS = {"throughput": 1, "memory": 2, "fairness": 3, "robustness": 4}
PALETTE = 12


@dataclass(frozen=True)
class ShownColumn:
    """A metric as a column, and its colour's number."""

    spec: MetricSpec
    colour: int

    @property
    def name(self) -> str:
        return self.spec.name

    @property
    def label(self) -> str:
        return self.spec.label

    @property
    def amounts(self) -> str:
        """The unit of a difference: per cent differ by points."""
        return "points" if self.spec.unit == "%" else self.spec.unit

    @property
    def one(self) -> str:
        """A difference of one unit, in words."""
        return "1 point" if self.spec.unit == "%" else f"1 {self.spec.unit}"

    def text(self, value: float | None) -> str:
        """A value with the decimals of the column."""
        return formats.number(value, self.spec.decimals)


@dataclass(frozen=True)
class Cell:
    """One number of the table."""

    column: ShownColumn
    value: float | None
    text: str


def columns_of(board: boards_module.BoardSpec) -> tuple[ShownColumn, ...]:
    """The columns of a board."""
    colours = colour_slots([metric.name for metric in board.metrics], board.base)
    return tuple(ShownColumn(metric, colours[metric.name]) for metric in board.metrics)


def colour_slots(names: Iterable[str], base: str) -> dict[str, int]:
    """A colour for every metric, the same for the same name as long as it has one of its own."""
    slots: dict[str, int] = {}
    free = iter(range(len(COLOURS) + 1, PALETTE))
    for name in names:
        own = 0 if name == base else COLOURS.get(name)
        slots[name] = own if own is not None else next(free, PALETTE - 1)
    return slots


def label_of(name: str) -> str:
    """What people call a metric that is no column of the board, one of difficulty among them."""
    # The registry takes a fifth of a second to import, so only pages that are written wait for it.
    from evaluator.score.metrics import METRICS

    return METRICS[name].label if name in METRICS else title_of(name)


def cell(column: ShownColumn, value: float | None) -> Cell:
    """A value as its column shows it."""
    return Cell(column, value, column.text(value))
