"""Whether the files that a snapshot is of are committed: what it cites must be found again."""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path

#: So many files are named, and the rest counted.
NAMED = 5


class UncommittedError(ValueError):
    """Results that git does not have as they are; the message names files and the mend."""


def check_committed(results: Path, folders: Iterable[str]) -> None:
    """Raise `UncommittedError` unless the JSON files in these folders of `results` are those of HEAD.

    `folders` are ``<task>/<dataset>``. A file that is new, ignored, changed, only staged, or removed
    without a commit is named.
    """
    folders = sorted(folders)
    otherwise = "is in no git repository; a snapshot cites what can be found again: commit the results"
    algorithm = _git(results, ["rev-parse", "--show-object-format"], otherwise).strip()
    committed = _committed(results, folders)
    paths = sorted(path for folder in folders for path in (results / folder).glob("*.json"))
    found = {path.relative_to(results).as_posix(): _blob(path.read_bytes(), algorithm) for path in paths}
    changed = [name for name, blob in found.items() if committed.get(name) != blob]
    said = [f"{name}: {'changed since it was' if name in committed else 'not'} committed" for name in changed]
    said += [f"{name}: removed, but not from git" for name in sorted(committed.keys() - found.keys())]
    if said:
        more = [f"and {len(said) - NAMED} more"] if len(said) > NAMED else []
        lines = [*(f"{results}/{line}" for line in said[:NAMED]), *more]
        raise UncommittedError("\n".join([*lines, "commit the results, then make the snapshot"]))


def _committed(results: Path, folders: Sequence[str]) -> dict[str, str]:
    """The blobs of HEAD in the folders, by path under `results`; none where nothing was ever committed."""
    if _run(results, ["rev-parse", "--verify", "--quiet", "HEAD"]).returncode:
        return {}
    paths = [f"{folder}/" for folder in folders]
    listed = _git(results, ["ls-tree", "-z", "HEAD", "--", *paths], "cannot be listed by git")
    entries = (entry.split("\t", 1) for entry in listed.split("\0") if entry)
    return {name: about.split()[2] for about, name in entries if name.endswith(".json")}


def _blob(content: bytes, algorithm: str) -> str:
    """The hash that git gives a file."""
    return hashlib.new(algorithm, b"blob %d\0" % len(content) + content).hexdigest()


def _git(results: Path, arguments: list[str], otherwise: str) -> str:
    done = _run(results, arguments)
    if done.returncode:
        said = done.stderr.strip()
        raise UncommittedError(f"{results}: {otherwise}" + (f" ({said})" if said else ""))
    return done.stdout


def _run(results: Path, arguments: list[str]) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(["git", *arguments], cwd=results, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        missing = "git is not installed" if results.is_dir() else "no such folder"
        raise UncommittedError(f"{results}: {missing}; a snapshot is of committed results only") from None
