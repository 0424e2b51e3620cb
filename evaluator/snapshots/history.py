"""How the models of a board did, snapshot by snapshot."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluator.snapshots.repository import RECORD, SnapshotError, listed


@dataclass(frozen=True)
class Point:
    """A model in one snapshot; rank and score are None where it was not ranked."""

    snapshot: str
    created: str
    rank: int | None
    score: float | None


def history(root: Path, board: str) -> dict[str, list[Point]]:
    """The snapshots that each model of a board is in, in the order of their time; models by id.

    `root` is the folder of the snapshots. Files are taken as they are, for speed: `verify` is what
    checks them. Raises `SnapshotError` for one that cannot be read.
    """
    found: dict[str, list[Point]] = {}
    entries = sorted(
        (entry for entry in listed(root) if entry.board == board), key=lambda entry: entry.created
    )
    for entry in entries:
        for model, rank, score in _places(root / entry.id / RECORD):
            found.setdefault(model, []).append(Point(entry.id, entry.created, rank, score))
    return dict(sorted(found.items()))


def _places(path: Path) -> list[tuple[str, int | None, float | None]]:
    try:
        document: Any = json.loads(path.read_bytes())
        ranking = document["ranking"]
        return list(zip(document["data"]["models"], ranking["ranks"], ranking["scores"], strict=True))
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise SnapshotError(f"{path}: cannot be read: {error}; run: steelyard verify") from None
