"""Which scorers are known: only these are run unless --run-scorer is given."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from evaluator.publish.snapshots.repository import folder_of
from evaluator.publish.snapshots.reranking import Trust
from evaluator.publish.snapshots.scoring import HERE, RANKING, file_hash, shipped
from evaluator.records.base import Digest
from evaluator.records.git import GitError, Repository


def known_scorers(results: Path | None) -> Trust:
    """Trust in the scorers of this program, those in its history, and those committed under `results`.

    Histories are read when first needed, and only where these are git repositories.
    """

    @cache
    def former() -> frozenset[Digest]:
        committed = _committed(folder_of(results)) if results is not None else frozenset()
        return _history() | committed

    own = {file_hash(content) for name, content in shipped().items() if name in RANKING}
    return lambda hashed: hashed in own or hashed in former()


def _history() -> frozenset[Digest]:
    """The scorers that this program's own repository has ever had."""
    try:
        repository = Repository(HERE)
        raw = ("log", "--format=", "--raw", "--no-abbrev", "--no-renames", "--")
        log = repository.text(*raw, *(f"{HERE / name}" for name in RANKING))
        names = {line.split()[3] for line in log.splitlines()}
        return _hashes(repository, names)
    except GitError:
        return frozenset()


def _committed(snapshots: Path) -> frozenset[Digest]:
    """The scorers of snapshots, as HEAD has them."""
    try:
        repository = Repository(snapshots)
        within = snapshots.resolve().relative_to(repository.root.resolve()).as_posix()
        files = repository.files("HEAD", within)
        names = tuple(f"/{name}" for name in RANKING)
        return _hashes(repository, {blob.name for path, blob in files.items() if path.endswith(names)})
    except GitError:
        return frozenset()


def _hashes(repository: Repository, names: set[str]) -> frozenset[Digest]:
    return frozenset(file_hash(content) for content in repository.contents(sorted(names)))
