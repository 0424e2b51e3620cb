"""The output folder: swapped in when complete, and never taken for ours when it is not."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from evaluator.scratch import scratch_folder

#: Records that a folder was made by `replace`, from which inputs, and what it holds.
MARKER = ".steelyard-site"


class ForeignFolderError(RuntimeError):
    """The output folder holds something that this program did not make."""


def unchanged(output: Path, inputs: str) -> dict[str, int] | None:
    """Sizes of the files in `output` if it was made from `inputs` and still holds them all."""
    marker = _marker(output)
    if marker is None or marker.get("inputs") != inputs:
        return None
    return marker["files"] if all(whole_files(output).values()) else None


def whole_files(output: Path) -> dict[str, bool]:
    """The files of the site in `output`, and whether each is as it was written: of its size, and no later.

    Of what was changed since the build only what has kept both its size and its time is not noticed.
    """
    marker = _marker(output)
    if marker is None:
        return {}
    built = (output / MARKER).stat().st_mtime_ns
    return {name: _is_whole(f"{output}/{name}", size, built) for name, size in marker["files"].items()}


def replace(output: Path, inputs: str, fill: Callable[[Path], None]) -> dict[str, int]:
    """Let `fill` write a folder beside `output`, then put it in its place. Returns file sizes.

    Raises `ForeignFolderError` where `output` exists, is not empty and was not made here.
    """
    check_ours(output)
    with scratch_folder(output) as scratch:
        fresh = scratch / "new"
        fresh.mkdir()
        fill(fresh)
        files = _sizes(fresh)
        marker = json.dumps({"files": files, "inputs": inputs}, indent=0, sort_keys=True)
        (fresh / MARKER).write_text(marker + "\n", encoding="utf-8")
        swap(fresh, output, scratch / "old")
    return files


def swap(fresh: Path, output: Path, old: Path) -> None:
    """Put `fresh` in the place of `output`, which is put back if that fails."""
    if output.exists():
        output.rename(old)
    try:
        fresh.rename(output)
    except OSError:
        if old.exists():
            old.rename(output)
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


def _is_whole(path: str, size: int, built: int) -> bool:
    try:
        found = os.stat(path)
    except OSError:
        return False
    return stat.S_ISREG(found.st_mode) and found.st_size == size and found.st_mtime_ns <= built


def _sizes(folder: Path) -> dict[str, int]:
    start = len(f"{folder}/")
    paths = [os.path.join(parent, name) for parent, _, names in os.walk(folder) for name in names]
    return {path[start:].replace(os.sep, "/"): os.path.getsize(path) for path in sorted(paths)}
