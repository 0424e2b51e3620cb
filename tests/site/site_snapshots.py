"""Snapshots of the sample world, made as ``steelyard snapshot`` makes them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from evaluator.publish.snapshots import certainty_bytes, folder_of, freeze, save
from evaluator.records.board import assemble, load_boards
from evaluator.records.snapshot import Snapshot
from evaluator.records.store import Store
from evaluator.score.certainty import sampled
from site_src.generator import runtime
from site_src.generator.build import frozen_files


def freeze_board(
    boards_file: Path,
    results: Path,
    board_id: str,
    at: int = 1_800_000_000,
    weights: Mapping[str, float] | None = None,
    note: str | None = None,
    vary: Mapping[str, Any] | None = None,
) -> Snapshot:
    """Freeze a board at a time in seconds since 1970, with its page; the results need not be committed.

    `vary` says how the numbers do, where that is made up.
    """
    boards, store = load_boards(boards_file), Store(results)
    [board] = [board for board in boards.boards if board.id == board_id]
    assembled = assemble(board, boards, store.results())
    varied = vary or sampled(assembled, store)
    snapshot = freeze(
        assembled,
        boards,
        store,
        weights,
        note=note,
        licence=boards.site.licence,
        runtime=runtime.pinned(),
        certainty=certainty_bytes(varied),
        clock=lambda: datetime.fromtimestamp(at, UTC),
    )
    save(folder_of(results), snapshot, frozen_files(snapshot, assembled, boards, varied))
    return snapshot
