"""Browser copies of models in a work folder, which are no results and are not committed."""

from __future__ import annotations

import hashlib
from pathlib import Path

from evaluator.records.browser import BrowserCopy
from evaluator.records.store.kinds import short
from evaluator.records.store.reading import read_record

#: A copy's manifest in its folder, and the folder of all copies in a work folder.
COPY, COPIES = "copy.json", "browser"


def copy_folder(copies: Path, model: str, sha256: str) -> Path:
    """Where the copy of a model with this hash of its manifest is, whether or not it exists."""
    return copies / f"{model}-{short(sha256)}"


def find_copy(copies: Path, model: str, sha256: str) -> BrowserCopy | None:
    """The manifest of a copy whose files are all there as it says; None where they are not."""
    folder = copy_folder(copies, model, sha256)
    if not (folder / COPY).is_file():
        return None
    copy = read_record(folder / COPY, BrowserCopy)
    whole = all(_sha256(folder / name) == file.sha256 for name, file in copy.files.items())
    return copy if whole and copy.content_hash() == sha256 else None


def _sha256(path: Path) -> str | None:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None
