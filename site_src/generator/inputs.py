"""What a site's bytes depend on, as one hash; no record is read for it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

from evaluator.board import Boards
from evaluator.snapshots.repository import VERSIONS, folder_of
from evaluator.store import SIBLINGS, SNAPSHOTS


def inputs_of(boards: Boards, results: Path, sources: Iterable[Path]) -> str:
    """Hash of the boards, of the files under `results`, and of `sources`, which make pages of them.

    Of predictions only names and sizes count: the result beside them has the hash of what they hold. Of
    snapshots only their list counts, which has the hashes of all manifests.
    """
    state = hashlib.sha256(boards.model_dump_json().encode())
    snapshots = folder_of(results)
    for path in sorted([*_results(results), snapshots / VERSIONS]):
        if not path.is_file():
            continue
        kept = path.name.endswith(SIBLINGS)
        content = str(path.stat().st_size) if kept else _sha256(path)
        state.update(f"{path.relative_to(results).as_posix()} {content}\n".encode())
    for path in sources:
        state.update(f"{path.name} {_sha256(path)}\n".encode())
    return state.hexdigest()


def _results(results: Path) -> Iterable[Path]:
    """Every JSON file but those of snapshots, of which there may be thousands."""
    folders = (path for path in results.glob("*") if path.name != SNAPSHOTS)
    return (path for folder in folders for path in folder.rglob("*.json"))


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
