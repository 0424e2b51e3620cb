"""Which files are among the results, and how large they are: looked at before any of them is read."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from evaluator.records.names import name_problem, same_as, same_names
from evaluator.records.scratch import PREFIX, is_leftover
from evaluator.records.store import SNAPSHOTS

MEGABYTE = 1_000_000
LEFTOVER = (
    "is half-written, left by a run that was stopped; the next command that writes results removes it"
    ", or remove it"
)
#: What else may be in a results folder.
HARMLESS = {".gitkeep", "README.md"}


@dataclass(frozen=True)
class Sizes:
    """The most that a file, and all of them together, may have, in bytes."""

    file: int
    total: int


def file_problems(root: Path, sizes: Sizes) -> Iterator[str]:
    """A line for each file under a results folder that should not be there, or is too large.

    What a process that is alive is writing there is left out.
    """
    total = 0
    found = list(_walk(root))
    yield from _name_problems(root, found)
    for path in found:
        if path.name.startswith(PREFIX) and not path.is_symlink():
            if is_leftover(path):
                yield f"{path}: {LEFTOVER}"
            continue
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


def _name_problems(root: Path, files: list[Path]) -> Iterator[str]:
    """A line for each name that not every file system can have, which a clone there would lose or mix up."""
    names = {path.relative_to(root) for path in files}
    paths = sorted(names | {parent for name in names for parent in name.parents if parent.name})
    for path in paths:
        if problem := name_problem(path.name.removesuffix(".json")):
            yield f"{root / path}: {problem}"
    for first, second in same_names(map(str, paths)):
        yield f"{root / second}: {same_as(first)}"


def _walk(root: Path) -> Iterator[Path]:
    """Everything under a folder that is no folder itself, sorted; links are not followed.

    Folders of what is being written, or was, stand for what is in them.
    """
    for folder, folders, files in os.walk(root):
        links = [name for name in folders if name.startswith(PREFIX) or Path(folder, name).is_symlink()]
        folders[:] = sorted(name for name in folders if not name.startswith(PREFIX))
        yield from (Path(folder, name) for name in sorted([*files, *links]))


def _belongs(path: Path) -> bool:
    if path.name in HARMLESS or path.parts[0] == SNAPSHOTS:
        return True
    return len(path.parts) == 3 and path.suffix == ".json" and not path.name.startswith(".")


def _megabytes(size: int) -> str:
    return f"{size / MEGABYTE:.1f} MB"
