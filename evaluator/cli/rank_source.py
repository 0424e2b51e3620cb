"""What ``steelyard rank`` ranks: a board with its stored results, or a table of numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from evaluator.cli.options import check_known, results_directory
from evaluator.cli.table_file import read_table

if TYPE_CHECKING:
    from evaluator.rank.dynascore import Board, RankedMetric
    from evaluator.rank.rank_sets import Certainty
    from evaluator.records.board import BoardEntry

#: How far apart two models must be on the base metric to count, and whether that is "relative" or "absolute".
Threshold = tuple[float, str]


@dataclass(frozen=True)
class Table:
    """What to rank, its default weights, and how many decimals to show.

    `entries` say of a board's models which numbers are kept apart or in doubt, and `certainty` how sure
    their ranks are; a table has neither.
    """

    board: Board
    weights: dict[str, float]
    dataset_weights: dict[str, float]
    decimals: dict[str, int]
    entries: Mapping[str, BoardEntry] = field(default_factory=dict)
    certainty: Certainty | None = None


def stored_table(
    board_id: str,
    board_file: Path,
    results: Path | None,
    base: str | None,
    threshold: Threshold | None,
    missing: str | None,
) -> Table:
    """A board of the board file with its stored results. Raises `click.UsageError` for names it lacks."""
    from evaluator.rank.dynascore import Board
    from evaluator.rank.rank_sets import Certainty
    from evaluator.records.board import load_boards
    from evaluator.records.store import Store
    from evaluator.score.certainty import sampled
    from evaluator.score.floor import assemble_floored

    boards = load_boards(board_file)
    known = {board.id: board for board in boards.boards}
    check_known("TABLE", board_id, known, "no file is of that name, and no board of that id")
    spec = known[board_id]
    if base is not None:
        check_known(
            "--base", base, [metric.name for metric in spec.metrics], f"{board_id} has no such metric"
        )
    store = Store(results_directory(board_file, boards, results))
    assembled = assemble_floored(spec, boards, store, store.results())
    if not assembled.entries:
        raise ValueError(f"board {board_id} has no results in {store.root}; run: steelyard evaluate")
    changes = {"base": base, "missing": missing}
    if threshold:
        changes |= {"epsilon": threshold[0], "epsilon_kind": threshold[1]}  # type: ignore[dict-item]
    data = assembled.data | {name: value for name, value in changes.items() if value is not None}
    board = Board.from_dict(data)
    return Table(
        board,
        assembled.metric_weights,
        assembled.dataset_weights,
        {metric.name: metric.decimals for metric in spec.metrics},
        assembled.entries,
        Certainty.from_dict(board, sampled(assembled, store)),
    )


def numbers_table(
    source: str,
    base: str | None,
    costs: tuple[str, ...],
    caps: dict[str, float],
    threshold: Threshold,
    missing: str,
) -> Table:
    """A table of numbers, from a file or ``-``. Raises `click.UsageError` for columns it lacks."""
    from evaluator.rank.dynascore import Board

    read = read_table(source)
    names = list(read.columns)
    for option, given in (("--lower-is-better", costs), ("--cap", caps), ("--base", [base] if base else ())):
        for name in given:
            check_known(option, name, names, f"{read.where} has no such column")
    metrics = [_metric(name, name in costs or name in caps, caps.get(name)) for name in names]
    epsilon, kind = threshold
    board = Board(
        read.models,
        metrics,
        {"": read.columns},
        base or names[0],
        epsilon=epsilon,
        epsilon_kind=kind,
        missing=missing,
    )
    return Table(board, board.default_weights(), {"": 1.0}, dict.fromkeys(names, 2))


def _metric(name: str, cost: bool, cap: float | None) -> RankedMetric:
    from evaluator.rank.dynascore import RankedMetric

    return RankedMetric(name, -1, cap) if cost else RankedMetric(name)
