"""What ``steelyard check --quality`` prints: the criteria of BetterBench for boards, with their evidence."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evaluator.cli.options import board_of, results_directory
from evaluator.cli.printing import BAD, DOUBT, GOOD, in_colour, print_json, printable, summarise

if TYPE_CHECKING:
    from evaluator.publish.quality import Assessment
    from evaluator.records.board import Boards, BoardSpec
    from evaluator.records.store import Store

#: Colours of verdicts.
COLOURS = {"proven": GOOD, "stated": DOUBT, "not met": BAD}


def print_quality(board_file: Path, results: Path | None, chosen: str, as_json: bool) -> None:
    """Print the criteria of a board, or of all boards if `chosen` is empty.

    Raises `click.UsageError` for an unknown board.
    """
    from evaluator.publish.quality import counts
    from evaluator.records.board import load_boards
    from evaluator.records.store import Store

    boards = load_boards(board_file)
    store = Store(results_directory(board_file, boards, results))
    specs = [board_of(boards, chosen, "--quality")] if chosen else boards.boards
    found = {spec.id: _assessed(spec, boards, store) for spec in specs}
    if as_json:
        document = {
            id_: {"counts": counts(rows), "criteria": list(map(_plain, rows))} for id_, rows in found.items()
        }
        print_json({"boards": document})
        return
    for id_, rows in found.items():
        summarise(f"{id_}: {', '.join(f'{number} {verdict}' for verdict, number in counts(rows).items())}")
        for row in rows:
            click.echo(_line(row))


def _assessed(spec: BoardSpec, boards: Boards, store: Store) -> tuple[Assessment, ...]:
    from evaluator.exchange.tables import ranked_board
    from evaluator.publish.quality import assess, facts_of
    from evaluator.publish.snapshots import folder_of, listed
    from evaluator.score.certainty import assemble_floored

    results = [result for dataset in spec.datasets for result in store.results_on(spec.task, dataset)]
    frozen = sum(one.board == spec.id for one in listed(folder_of(store.root)))
    assembled = assemble_floored(spec, boards, store, results)
    if not assembled.entries:
        return assess(facts_of(boards, assembled, {}, frozen))
    board = ranked_board(spec, boards, store)
    ranked = (row.model for row in board.ranking.rows if row.rank is not None)
    return assess(facts_of(boards, assembled, {model: board.sure.sets[model] for model in ranked}, frozen))


def _line(row: Assessment) -> str:
    """Number, verdict, what is asked, and what there is of it; what is not met says what to do."""
    shown = [row.evidence.text] if row.evidence else []
    shown += [row.statement] if row.statement else []
    if row.verdict == "not met":
        stated = f"say how it is met under [quality] {row.criterion.id}"
        shown.append(f"{row.evidence.fix}, or {stated}" if row.evidence and row.evidence.fix else stated)
    verdict = in_colour(f"{row.verdict:>7}", COLOURS[row.verdict])
    return f"{row.number:>3} {verdict}  {row.criterion.asks} {printable('; '.join(shown))}"


def _plain(row: Assessment) -> dict[str, Any]:
    return {
        "number": row.number,
        "id": row.criterion.id,
        "stage": row.criterion.stage,
        "asks": row.criterion.asks,
        "verdict": row.verdict,
        "evidence": asdict(row.evidence) if row.evidence else None,
        "statement": row.statement or None,
    }
