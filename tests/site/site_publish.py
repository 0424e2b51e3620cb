"""A small world that says where it is published, with snapshots of its first board."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from site_sample import BOARDS, write_world

from evaluator.publish.snapshots.freezing import freeze
from evaluator.publish.snapshots.repository import folder_of, save
from evaluator.records.board import assemble, load_boards
from evaluator.records.store import Store

URL = "https://boards.example.org/lab/"
NOTE = "After </summary><script>alert(1)</script> & the \u202erevision"


def write_published(folder: Path, url: str | None = URL) -> tuple[Path, Path]:
    """The sample world, with `url` in its board file; return the paths of that file and of the results."""
    folder.mkdir(parents=True, exist_ok=True)
    boards, results = write_world(folder)
    site = f'[site]\nurl = "{url}"\n' if url else ""
    # A table ends where the next begins, so the title must come before it.
    boards.write_text(BOARDS.replace("\n[[datasets]]", f"\n{site}\n[[datasets]]", 1), encoding="utf-8")
    return boards, results


def write_snapshots(boards_file: Path, results: Path, days: int) -> list[str]:
    """Freeze the first board on as many days of December; return the ids of the snapshots, oldest first."""
    boards, store = load_boards(boards_file), Store(results)
    assembled = assemble(boards.boards[0], boards, list(store.results()))
    found = []
    for day in range(1, days + 1):
        moment = datetime(2026, 12, day, 9, 30, tzinfo=UTC)
        snapshot = freeze(assembled, boards, store, note=NOTE, clock=lambda moment=moment: moment)
        found.append(save(folder_of(results), snapshot).name)
    return found
