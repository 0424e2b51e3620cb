"""The revision that a change is compared with, and what the change does to its results."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from evaluator.records.board import Boards, load_boards
from evaluator.records.errors import UserError
from evaluator.records.git import PLAIN, GitError, Repository, blob_name
from evaluator.records.store import SNAPSHOTS, Store

#: The list of snapshots, which may only grow.
LIST = "versions.json"


class BaseError(ValueError):
    """A revision that nothing can be compared with; the message names it and the fix."""


@dataclass(frozen=True)
class Base:
    """The boards and results of a commit, written to `folder`; `boards` is None where it has no board file.

    `results` is where its results were, relative to the repository.
    """

    repository: Repository
    commit: str
    folder: Path
    boards: Boards | None
    results: str

    @property
    def store(self) -> Store:
        """Its results, with their predictions."""
        return Store(self.folder / self.results)


def base_of(revision: str, board_file: Path, folder: Path) -> Base:
    """What HEAD and a revision last had in common, its boards and results written to an empty folder.

    Raises `BaseError` and `GitError`.
    """
    repository = Repository(board_file.resolve().parent)
    commit = _fork_point(repository, revision)
    root = repository.root.resolve()
    board = board_file.resolve().relative_to(root).as_posix()
    _write(repository, commit, board.__eq__, folder)
    if not (folder / board).exists():
        return Base(repository, commit, folder, None, "")
    try:
        boards = load_boards(folder / board)
    except UserError as error:
        raise BaseError(f"--against: {str(error).replace(f'{folder}/', f'{commit[:12]}:')}") from None
    results = (folder / board).parent.joinpath(boards.results)
    try:
        within = results.resolve().relative_to(folder.resolve()).as_posix()
    except ValueError:
        raise BaseError(
            f"--against: the results of {board} are outside its repository; nothing to compare"
        ) from None
    snapshots = PurePosixPath(within, SNAPSHOTS)
    _write(repository, commit, lambda name: _is_result(PurePosixPath(name), within, snapshots), folder)
    return Base(repository, commit, folder, boards, within)


def _fork_point(repository: Repository, revision: str) -> str:
    try:
        commit = repository.text("rev-parse", "--verify", "--end-of-options", f"{revision}^{{commit}}")
    except GitError:
        raise BaseError(
            f"--against: {repository.root} has no revision {revision!r}; fetch it, or give another"
        ) from None
    try:
        return repository.text("merge-base", commit, "HEAD")
    except GitError:
        raise BaseError(
            f"--against: HEAD and {revision!r} have no commit in common;"
            " fetch the whole history (git fetch --unshallow; for actions/checkout fetch-depth: 0)"
        ) from None


def _is_result(name: PurePosixPath, results: str, snapshots: PurePosixPath) -> bool:
    return name.suffix == ".json" and name.is_relative_to(results) and not name.is_relative_to(snapshots)


def _write(repository: Repository, commit: str, names: Callable[[str], bool], folder: Path) -> None:
    """Write the plain files of a commit whose names are chosen."""
    kept = {
        name: blob.name
        for name, blob in repository.files(commit).items()
        if blob.mode in PLAIN and names(name)
    }
    for name, content in zip(kept, repository.contents(kept.values()), strict=True):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


def differences(base: Base, store: Store) -> tuple[int, int]:
    """How many results are new, and how many differ from the base."""
    before = {path.relative_to(base.store.root): path for path in base.store.paths()} if base.boards else {}
    after = {path.relative_to(store.root): path for path in store.paths()}
    changed = sum(before[name].read_bytes() != after[name].read_bytes() for name in before.keys() & after)
    return len(after.keys() - before.keys()), changed


def removed(base: Base, store: Store) -> Iterator[str]:
    """A line for each result of the base that is no longer there."""
    if base.boards is None:
        return
    for path in base.store.paths():
        name = path.relative_to(base.store.root)
        if not (store.root / name).exists():
            fix = f"git checkout {base.commit[:12]} -- {base.results}/{name}"
            other = "`removed` in the board file takes a model off its boards"
            yield f"{store.root / name}: was removed, but results stay; {other}; bring it back: {fix}"


def changed_snapshots(base: Base, store: Store) -> Iterator[str]:
    """A line for each file of a published snapshot that is not what it was."""
    if base.boards is None:
        return
    snapshots = PurePosixPath(base.results, SNAPSHOTS)
    for name, blob in base.repository.files(base.commit, str(snapshots)).items():
        path = store.root / SNAPSHOTS / PurePosixPath(name).relative_to(snapshots)
        what = _snapshot_change(base, path, blob.name)
        if what:
            fix = f"bring it back: git checkout {base.commit[:12]} -- {name}"
            yield f"{path}: {what}, but published snapshots never change; {fix}"


def _snapshot_change(base: Base, path: Path, blob: str) -> str | None:
    if path.is_symlink() or not path.is_file():
        return "was removed"
    content = path.read_bytes()
    if blob_name(content, base.repository.algorithm) == blob:
        return None
    if path.name == LIST and path.parent.name == SNAPSHOTS:
        [before] = base.repository.contents([blob])
        return None if _grown(before, content) else "lost an entry or changed one"
    return "was changed"


def _grown(before: bytes, after: bytes) -> bool:
    """Whether the new list of snapshots starts with the whole of the old one."""
    try:
        old, new = json.loads(before)["snapshots"], json.loads(after)["snapshots"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return False
    return isinstance(new, list) and new[: len(old)] == old
