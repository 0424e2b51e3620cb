"""A model directory and what exactly it holds: the hash of every file in it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evaluator.measure.models.pretrained import FROM_HUB
from evaluator.records.canonical import digest
from evaluator.records.errors import UserError

# These open something else than a directory, or nothing at all.
WITHOUT_DIRECTORY = ("lexicon", "whole-context", *FROM_HUB)


@dataclass(frozen=True)
class Prepared:
    """A model ready for `open_model`.

    `revision` is the canonical hash of adapter, options and the hash of every file. `details` says
    what a recipe made the model from: recipe, options, seed, training set, library versions, and
    ``origin``, where downloaded or packaged weights come from.
    """

    adapter: str
    directory: Path
    options: Mapping[str, Any]
    revision: str
    details: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def existing(cls, adapter: str, directory: Path | None, options: Mapping[str, Any]) -> Prepared:
        """A model as it is in `directory`, which only adapters that read none may leave out.

        Raises `UserError` if the directory is missing.
        """
        if directory is None and adapter not in WITHOUT_DIRECTORY:
            raise UserError("directory", "missing", f"the {adapter} adapter opens a model's directory")
        if directory is not None and not directory.is_dir():
            raise UserError(directory, "no such folder", "correct the model's directory")
        files = directory_files(directory) if directory is not None else {}
        revision = digest({"adapter": adapter, "options": dict(options), "files": files})
        return cls(adapter, directory or Path(), options, revision)


def directory_files(directory: Path) -> dict[str, str]:
    """The SHA-256 of every file in `directory`, by its relative name; Python's caches left out."""
    files = sorted(
        path for path in directory.rglob("*") if path.is_file() and "__pycache__" not in path.parts
    )
    return {path.relative_to(directory).as_posix(): file_sha256(path) for path in files}


def file_sha256(path: Path) -> str:
    """The SHA-256 of a file's bytes, 64 hex digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
