"""Assets and the scorer, published under content hashes so that pages and snapshots share them."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterable
from pathlib import Path

from site_src.generator.runtime import EVALUATOR, publish_runtime
from site_src.generator.urls import Shared

SOURCE = Path(__file__).parent.parent / "assets"
SCORER = EVALUATOR / "dynascore.py"


def publish_shared(output: Path, cache: Path | None = None) -> Shared:
    """Write assets, scorer and runtime into `output`; the modules keep their relative imports."""
    runtime = publish_runtime(output, cache)
    return Shared(
        assets=publish(output, "assets", sorted(p for p in SOURCE.iterdir() if p.is_file())),
        scorer=publish(output, "scorer", [SCORER]),
        runtime=runtime.directory,
    )


def publish(output: Path, folder: str, files: Iterable[Path]) -> str:
    """Copy `files` to ``folder/<hash of all of them>`` and return that path."""
    files = list(files)
    target = f"{folder}/{content_hash(files)[:12]}"
    (output / target).mkdir(parents=True, exist_ok=True)
    for file in files:
        shutil.copyfile(file, output / target / file.name)
    return target


def content_hash(files: Iterable[Path]) -> str:
    """SHA-256 over the names and contents of files."""
    lines = [f"{file.name} {hashlib.sha256(file.read_bytes()).hexdigest()}\n" for file in files]
    return hashlib.sha256("".join(lines).encode()).hexdigest()
