"""Which scorers are known: only these are run without being asked for."""

from __future__ import annotations

import subprocess
from functools import cache
from pathlib import Path

from evaluator.records import Digest
from evaluator.snapshots.freezing import file_hash
from evaluator.snapshots.scoring import HERE, shipped
from evaluator.snapshots.shelf import folder_of
from evaluator.snapshots.verifying import SCORER, Trust


def known_scorers(results: Path | None) -> Trust:
    """Trust in the scorer of this program, those in its history, and those committed under `results`.

    Histories are read when first needed, and only where these are git repositories.
    """

    @cache
    def former() -> frozenset[Digest]:
        own = _git(HERE, ["log", "--format=", "--raw", "--no-abbrev", "--no-renames", "--", SCORER])
        blobs = {line.split()[3] for line in own.splitlines()}
        if results is not None and folder_of(results).is_dir():
            tree = _git(folder_of(results), ["ls-tree", "-r", "HEAD"])
            entries = (line.split("\t", 1) for line in tree.splitlines())
            blobs |= {about.split()[2] for about, name in entries if name.endswith(f"/{SCORER}")}
        return frozenset(file_hash(_blob(HERE if blob in own else results or HERE, blob)) for blob in blobs)

    return lambda hashed: hashed == file_hash(shipped()[SCORER]) or hashed in former()


def _blob(folder: Path, blob: str) -> bytes:
    done = subprocess.run(["git", "cat-file", "blob", blob], cwd=folder, capture_output=True, check=False)
    return done.stdout


def _git(folder: Path, arguments: list[str]) -> str:
    """What git says in a folder, nothing where there is no git or no repository."""
    try:
        done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return ""
    return done.stdout if done.returncode == 0 else ""
