"""Which scorers are known: only these are run unless --run-scorer is given."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from evaluator.git import GitError, Repository
from evaluator.records import Digest
from evaluator.snapshots.freezing import file_hash
from evaluator.snapshots.repository import folder_of
from evaluator.snapshots.reranking import SCORER, Trust
from evaluator.snapshots.scoring import HERE, shipped


def known_scorers(results: Path | None) -> Trust:
    """Trust in the scorer of this program, those in its history, and those committed under `results`.

    Histories are read when first needed, and only where these are git repositories.
    """

    @cache
    def former() -> frozenset[Digest]:
        committed = _committed(folder_of(results)) if results is not None else frozenset()
        return _history() | committed

    return lambda hashed: hashed == file_hash(shipped()[SCORER]) or hashed in former()


def _history() -> frozenset[Digest]:
    """The scorers that this program's own repository has ever had."""
    try:
        repository = Repository(HERE)
        raw = ("log", "--format=", "--raw", "--no-abbrev", "--no-renames", "--", f"{HERE / SCORER}")
        names = {line.split()[3] for line in repository.text(*raw).splitlines()}
        return _hashes(repository, names)
    except GitError:
        return frozenset()


def _committed(snapshots: Path) -> frozenset[Digest]:
    """The scorers of snapshots, as HEAD has them."""
    try:
        repository = Repository(snapshots)
        within = snapshots.resolve().relative_to(repository.root.resolve()).as_posix()
        files = repository.files("HEAD", within)
        return _hashes(repository, {blob.name for path, blob in files.items() if path.endswith(f"/{SCORER}")})
    except GitError:
        return frozenset()


def _hashes(repository: Repository, names: set[str]) -> frozenset[Digest]:
    return frozenset(file_hash(content) for content in repository.contents(sorted(names)))
