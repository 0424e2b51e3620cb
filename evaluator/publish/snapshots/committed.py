"""Whether the files that a snapshot is made from are committed: what it cites must stay available."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path

from evaluator.records.git import GitError, Repository

#: How many files are named; the rest are counted.
NAMED = 5


class UncommittedError(ValueError):
    """Results that git does not have as they are; the message names files and the fix."""


def check_committed(results: Path, folders: Iterable[str]) -> None:
    """Raise `UncommittedError` unless the JSON files in these folders of `results` are those of HEAD.

    `folders` are ``<task>/<dataset>``. A file that is new, ignored, changed, only staged, or removed
    without a commit is named.
    """
    folders = sorted(folders)
    repository = _repository(results)
    algorithm = repository.text("rev-parse", "--show-object-format")
    committed = _committed(repository, results, folders)
    paths = sorted(path for folder in folders for path in (results / folder).glob("*.json"))
    found = {path.relative_to(results).as_posix(): _blob(path.read_bytes(), algorithm) for path in paths}
    changed = [name for name, blob in found.items() if committed.get(name) != blob]
    problems = [
        f"{name}: {'changed since it was' if name in committed else 'not'} committed" for name in changed
    ]
    problems += [f"{name}: removed, but not from git" for name in sorted(committed.keys() - found.keys())]
    if problems:
        more = [f"and {len(problems) - NAMED} more"] if len(problems) > NAMED else []
        lines = [*(f"{results}/{line}" for line in problems[:NAMED]), *more]
        raise UncommittedError("\n".join([*lines, "commit the results, then make the snapshot"]))


def _repository(results: Path) -> Repository:
    try:
        return Repository(results)
    except GitError as error:
        fix = "a snapshot cites what can be found again: commit the results"
        raise UncommittedError(f"{results}: is in no git repository; {fix} ({error})") from None


def _committed(repository: Repository, results: Path, folders: Sequence[str]) -> dict[str, str]:
    """The blobs of HEAD in the folders, by path under `results`; none where nothing was ever committed."""
    if not repository.succeeds("rev-parse", "--verify", "--quiet", "HEAD"):
        return {}
    within = results.resolve().relative_to(repository.root.resolve())
    paths = {folder: repository.files("HEAD", (within / folder).as_posix()) for folder in folders}
    return {
        f"{folder}/{path.rpartition('/')[2]}": blob.name
        for folder, files in paths.items()
        for path, blob in files.items()
        if path.endswith(".json") and path.rpartition("/")[0] == (within / folder).as_posix()
    }


def _blob(content: bytes, algorithm: str) -> str:
    """The hash that git gives a file."""
    return hashlib.new(algorithm, b"blob %d\0" % len(content) + content).hexdigest()
