"""What ``steelyard rank`` ranks: a board with its stored results, or a table of numbers."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evaluator.cli.options import check_known, results_directory

if TYPE_CHECKING:
    from evaluator.rank.dynascore import Board, RankedMetric
    from evaluator.rank.rank_sets import Certainty
    from evaluator.records.board import BoardEntry

#: What stands for standard input, and what messages call it.
STDIN, STDIN_NAME = "-", "standard input"
#: What may be between cells; the one that is most frequent in the header is.
DELIMITERS = ",\t;"
#: What a cell without a number may say in place of nothing.
MISSING = ("", "-", "–", "—")
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
    from evaluator.score.certainty import assemble_floored, sampled

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

    where, models, columns = read_numbers(source)
    names = list(columns)
    for option, given in (("--lower-is-better", costs), ("--cap", caps), ("--base", [base] if base else ())):
        for name in given:
            check_known(option, name, names, f"{where} has no such column")
    metrics = [_metric(name, name in costs or name in caps, caps.get(name)) for name in names]
    epsilon, kind = threshold
    board = Board(
        models,
        metrics,
        {"": columns},
        base or names[0],
        epsilon=epsilon,
        epsilon_kind=kind,
        missing=missing,
    )
    return Table(board, board.default_weights(), {"": 1.0}, dict.fromkeys(names, 2))


def _metric(name: str, cost: bool, cap: float | None) -> RankedMetric:
    from evaluator.rank.dynascore import RankedMetric

    return RankedMetric(name, -1, cap) if cost else RankedMetric(name)


def read_numbers(source: str) -> tuple[str, list[str], dict[str, list[float | None]]]:
    """The table in a file, or in standard input for ``-``: what messages call it, the models in its first
    column, and for each metric their numbers, None where a cell is empty.

    Commas, tabs or semicolons are between the cells of texts; a number beside semicolons may have a comma for
    the decimal point, as in much of the world. Raises `UserError` naming file, line and column.
    """
    from evaluator.data.tables import FORMS, content, decoded, form_of, read_table
    from evaluator.records.errors import UserError

    where = STDIN_NAME if source == STDIN else source
    data = sys.stdin.buffer.read() if source == STDIN else content(Path(source), where)
    form, delimiter = form_of(source), ","
    if form not in FORMS or form == "tsv":
        form = "csv"
    if form == "csv":
        header = decoded(content(data, where), where).partition("\n")[0]
        delimiter = max(DELIMITERS, key=header.count)
    table = read_table(data, form, where, delimiter=delimiter)
    table.refuse_bad()
    frame = table.frame.rename(columns=lambda name: str(name).strip())
    names = list(frame.columns)
    if len(names) < 2 or names[0].lower() != "model":
        found = ", ".join(map(repr, names)) or "nothing"
        raise UserError(f"{where}:1", f'the header must be "model" and at least one metric, not {found}')
    if "" in names:
        raise UserError(f"{where}:1", "a column has no name", "give every column one")
    if len(set(names)) < len(names):
        repeated = next(name for name in names if names.count(name) > 1)
        raise UserError(f"{where}:1", f"column {repeated!r} occurs more than once", "give each its own name")
    if frame.empty:
        raise UserError(where, "no models", "give it at least one row under the header")
    models = frame[names[0]].map(str)
    for line, model in models.items():
        if not model.strip():
            raise UserError(f"{where}:{line}: model", "missing", "give every row a name")
    for line, model in models[models.duplicated()].items():
        first = models.index[models == model][0]
        raise UserError(f"{where}:{line}: model", f"{model!r} is on line {first} too", "keep one of them")
    columns = {
        name: [
            _number(cell, delimiter == ";", f"{where}:{line}: {name}") for line, cell in frame[name].items()
        ]
        for name in names[1:]
    }
    return where, models.tolist(), columns


def _number(cell: Any, has_commas: bool, place: str) -> float | None:
    import pandas as pd

    from evaluator.rank.dynascore import LARGEST
    from evaluator.records.errors import UserError

    if cell is None or cell is pd.NA or (isinstance(cell, str) and cell.strip() in MISSING):
        return None
    try:
        value = float(cell.replace(",", ".") if has_commas and isinstance(cell, str) else cell)
    except (TypeError, ValueError):
        raise UserError(place, f"{cell!r} is not a number", "leave a missing value empty") from None
    if math.isnan(value) or not abs(value) <= LARGEST:
        problem = f"{cell!r} is not a finite number up to {LARGEST:g}"
        raise UserError(place, problem, "correct it or leave it empty")
    return value
