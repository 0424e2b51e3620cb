"""Snapshots of the sample world, made as ``steelyard snapshot`` makes them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from site_sample import write_world
from varying import varying

from evaluator.publish.snapshots.freezing import certainty_bytes, freeze
from evaluator.publish.snapshots.repository import folder_of, save
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


#: How the numbers of the first board vary, of seven models and of five: enough for a change of places to be chance.
VARY, VARY_LATER = (
    {"table-2": varying(models, ["perf", "fairness", "robustness"], ["throughput", "memory"])}
    for models in (7, 5)
)
REASON = "its authors found test data in <its> training set"
REMOVED = f"""
[[models]]
id = "bert"
label = "BERT"
task = "sentiment"
removed = {{ reason = "{REASON}", date = 2026-11-01 }}
"""
NOTE = "As in <b>our</b> paper"
SITE = "https://owner.github.io/repo/"


@dataclass(frozen=True)
class Frozen:
    """Results with snapshots, and the site built of them, which knows its address."""

    boards: Path
    results: Path
    site: Path
    first: Snapshot
    changed: Snapshot
    later: Snapshot
    measured: Snapshot
    hostile: Snapshot

    @property
    def root(self) -> Path:
        return folder_of(self.results)


def write_frozen(folder: Path) -> Frozen:
    """Three snapshots of one board, then a result changed, then weights did and two models left, one with a reason;
    and two of other boards. Their site is still to be built.
    """
    boards, results = write_world(folder)
    said = f'[site]\nurl = "{SITE}"\nlicence = "CC-BY-4.0"\n\n'
    boards.write_text(boards.read_text().replace("\n[[datasets]]", f"\n{said}[[datasets]]", 1))
    first = freeze_board(boards, results, "sentiment", 1_800_000_000, note=NOTE, vary=VARY)
    path = results / "sentiment" / "table-2" / "t5.json"
    document = json.loads(path.read_text())
    document["scores"]["perf"]["value"] = 79.5
    path.write_text(json.dumps(document))
    changed = freeze_board(boards, results, "sentiment", 1_800_086_400, vary=VARY)
    measured = freeze_board(boards, results, "measured", 1_800_086_400)
    hostile = freeze_board(boards, results, "hostile", 1_800_086_400)
    boards.write_text(boards.read_text() + REMOVED)
    (results / "sentiment" / "table-2" / "albert.json").unlink()
    weights = {"perf": 1, "memory": 3}
    later = freeze_board(boards, results, "sentiment", 1_800_172_800, weights, vary=VARY_LATER)
    return Frozen(boards, results, folder / "build", first, changed, later, measured, hostile)
