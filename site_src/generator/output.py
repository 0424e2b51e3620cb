"""The output folder: swapped in when complete, and never replaced when it is not this program's."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path

from evaluator.records.errors import UserError
from evaluator.records.scratch import scratch_folder

#: Says that a folder was made by `replace`, and the sizes of the files that it holds.
MARKER = ".steelyard-site"


def replace(output: Path, fill: Callable[[Path], None]) -> dict[str, int]:
    """Let `fill` write a folder beside `output`, then put it in its place. Returns file sizes.

    If the new folder cannot take its place, the old one is put back. Raises `UserError` where `output`
    exists, is not empty and was not made here.
    """
    if output.exists() and not (output / MARKER).is_file() and (not output.is_dir() or any(output.iterdir())):
        raise UserError(
            output,
            f"exists and was not made by a build (it has no {MARKER})",
            "empty it yourself or give another output folder",
        )
    with scratch_folder(output) as scratch:
        fresh, old = scratch / "new", scratch / "old"
        fresh.mkdir()
        fill(fresh)
        files = sorted(path for path in fresh.rglob("*") if path.is_file())
        sizes = {path.relative_to(fresh).as_posix(): path.stat().st_size for path in files}
        marker = json.dumps({"files": sizes}, indent=0, sort_keys=True)
        (fresh / MARKER).write_text(marker + "\n", encoding="utf-8")
        if output.exists():
            output.rename(old)
        try:
            fresh.rename(output)
        except BaseException:
            if old.exists():
                old.rename(output)
            raise
    return sizes


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
