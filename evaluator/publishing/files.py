"""Which files are among the results, and how large they are: looked at before any of them is read."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from evaluator.store import SNAPSHOTS

MEGABYTE = 1_000_000
#: What else may be in a results folder.
HARMLESS = {".gitkeep", "README.md"}


@dataclass(frozen=True)
class Sizes:
    """The most that a file, and all of them together, may have, in bytes."""

    file: int
    total: int


def file_problems(root: Path, sizes: Sizes) -> Iterator[str]:
    """A line for each file under a results folder that should not be there, or is too large."""
    total = 0
    for path in _walk(root):
        size = path.lstat().st_size
        total += size
        if path.is_symlink() or not path.is_file():
            yield f"{path}: is a link or a device; results are plain files"
        elif not _belongs(path.relative_to(root)):
            yield f"{path}: is no result, which are in <task>/<dataset>/<model>.json; remove it"
        elif size > sizes.file:
            yield f"{path}: has {_megabytes(size)}; a file may have {_megabytes(sizes.file)} (--max-file)"
    if total > sizes.total:
        yield f"{root}: has {_megabytes(total)}; all results may have {_megabytes(sizes.total)} (--max-total)"


def _walk(root: Path) -> Iterator[Path]:
    """Everything under a folder that is no folder itself, sorted; links are not followed."""
    for folder, folders, files in os.walk(root):
        folders.sort()
        links = [name for name in folders if Path(folder, name).is_symlink()]
        yield from (Path(folder, name) for name in sorted([*files, *links]))


def _belongs(path: Path) -> bool:
    if path.name in HARMLESS or path.parts[0] == SNAPSHOTS:
        return True
    return len(path.parts) == 3 and path.suffix == ".json" and not path.name.startswith(".")


def _megabytes(size: int) -> str:
    return f"{size / MEGABYTE:.1f} MB"
