"""The output folder: swapped in when complete, and never replaced when it is not this program's."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from evaluator.records.scratch import scratch_folder

#: Records that a folder was made by `replace`, from which inputs, and what it holds.
MARKER = ".steelyard-site"
#: Folders of a site that a new one takes over, each with the sizes of its files by their paths in the site.
Kept = Mapping[str, Mapping[str, int]]


class ForeignFolderError(RuntimeError):
    """The output folder holds something that this program did not make."""


def unchanged(output: Path, inputs: str) -> dict[str, int] | None:
    """Sizes of the files in `output` if it was made from `inputs` and still holds them all."""
    marker = _marker(output)
    if marker is None or marker.get("inputs") != inputs:
        return None
    return marker["files"] if None not in whole_files(output).values() else None


def whole_files(output: Path) -> dict[str, int | None]:
    """The size of each file of the site in `output` that is as it was written: of its size, and no later.

    None for any other. Of what was changed since the build only what has kept both its size and its time is
    not noticed.
    """
    marker = _marker(output)
    if marker is None:
        return {}
    built = _built(output)
    sizes = marker["files"].items()
    return {name: size if _is_whole(f"{output}/{name}", size, built) else None for name, size in sizes}


def untouched_folders(output: Path, files: Iterable[str]) -> bool:
    """Whether the folders that `files` are in, the site's own left out, hold what the build put there."""
    built = _built(output)
    return all(_is_untouched(f"{output}/{name}", built) for name in _folders(files))


def replace(output: Path, inputs: str, fill: Callable[[Path], Kept]) -> dict[str, int]:
    """Let `fill` write a folder beside `output`, then put it in its place. Returns file sizes.

    The folders of `output` that `fill` returns are moved into the new one as they are. Raises
    `ForeignFolderError` where `output` exists, is not empty and was not made here.
    """
    check_ours(output)
    with scratch_folder(output) as scratch:
        fresh = scratch / "new"
        fresh.mkdir()
        kept = fill(fresh)
        files = _sizes(fresh)
        for sizes in kept.values():
            files |= sizes
        marker = json.dumps({"files": files, "inputs": inputs}, indent=0, sort_keys=True)
        (fresh / MARKER).write_text(marker + "\n", encoding="utf-8")
        swap(fresh, output, scratch / "old", kept)
    return files


def swap(fresh: Path, output: Path, old: Path, kept: Iterable[str] = ()) -> None:
    """Put `fresh`, and folders of `output` that are `kept`, in its place; all is put back if that fails."""
    moves = [(output, old)] if output.exists() else []
    moves += [(old / name, fresh / name) for name in kept]
    done = []
    try:
        for source, target in [*moves, (fresh, output)]:
            source.rename(target)
            done.append((source, target))
    except BaseException:
        for source, target in reversed(done):
            target.rename(source)
        raise


def publish(output: Path, folder: str, files: Mapping[str, Path | bytes]) -> str:
    """Put `files`, sources or contents by name, into ``folder/<hash of all of them>``; returns that path."""
    contents = {name: file if isinstance(file, bytes) else file.read_bytes() for name, file in files.items()}
    lines = [f"{name} {hashlib.sha256(content).hexdigest()}\n" for name, content in sorted(contents.items())]
    target = f"{folder}/{hashlib.sha256(''.join(lines).encode()).hexdigest()[:12]}"
    for name, content in contents.items():
        place = output / target / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
    return target


def check_ours(output: Path) -> None:
    """Raise `ForeignFolderError` unless `output` is absent, empty or made here."""
    if not output.exists() or _marker(output) is not None:
        return
    if not output.is_dir() or any(output.iterdir()):
        raise ForeignFolderError(
            f"{output}: exists and was not made by a build (it has no {MARKER});"
            " empty it yourself or give another output folder"
        )


def _marker(output: Path) -> dict[str, Any] | None:
    try:
        document = json.loads((output / MARKER).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return document if isinstance(document, dict) else None


def _built(output: Path) -> int:
    """When the site in `output` was complete, in nanoseconds."""
    return (output / MARKER).stat().st_mtime_ns


def _is_whole(path: str, size: int, built: int) -> bool:
    try:
        found = os.stat(path)
    except OSError:
        return False
    return stat.S_ISREG(found.st_mode) and found.st_size == size and found.st_mtime_ns <= built


def _folders(files: Iterable[str]) -> set[str]:
    """The folders that files are in, and those above them."""
    found: set[str] = set()
    for path in files:
        folder = path.rpartition("/")[0]
        while folder and folder not in found:
            found.add(folder)
            folder = folder.rpartition("/")[0]
    return found


def _is_untouched(path: str, built: int) -> bool:
    """Whether nothing was put into a folder or taken out of it, which sets its time."""
    try:
        found = os.lstat(path)
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_mtime_ns <= built


def _sizes(folder: Path) -> dict[str, int]:
    start = len(f"{folder}/")
    paths = [os.path.join(parent, name) for parent, _, names in os.walk(folder) for name in names]
    return {path[start:].replace(os.sep, "/"): os.path.getsize(path) for path in sorted(paths)}
