"""How the models of a board did, snapshot by snapshot."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluator.publish.snapshots.differing import shares
from evaluator.publish.snapshots.noise import RankRange
from evaluator.publish.snapshots.repository import RECORD, SnapshotError, listed


@dataclass(frozen=True)
class Point:
    """A model in one snapshot; rank and score are None where it was not ranked, its rank set if unknown.

    `weights` are the snapshot's as shares, of metrics and of datasets.
    """

    snapshot: str
    created: str
    rank: int | None
    score: float | None
    rank_set: RankRange = None
    weights: tuple[dict[str, float], dict[str, float]] = ({}, {})


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
        for model, *place in _places(root / entry.id / RECORD):
            found.setdefault(model, []).append(Point(entry.id, entry.created, *place))
    return dict(sorted(found.items()))


def _places(path: Path) -> list[tuple[Any, ...]]:
    """Model, rank, score, rank set and weights."""
    try:
        document: Any = json.loads(path.read_bytes())
        models, ranking = document["data"]["models"], document["ranking"]
        sets = document["certainty"]["sets"] if "certainty" in document else [None] * len(models)
        weights = shares(document["weights"]["metrics"]), shares(document["weights"]["datasets"])
        columns = models, ranking["ranks"], ranking["scores"], sets, [weights] * len(models)
        return list(zip(*columns, strict=True))
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise SnapshotError(f"{path}: cannot be read: {error}; run: steelyard verify") from None
