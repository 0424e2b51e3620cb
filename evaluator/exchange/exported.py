"""What an export is: documents or files, and what of a board is not in them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluator.records.scratch import write_atomic


@dataclass(frozen=True)
class Exported:
    """A document in plain data, and which numbers of the model are not in it and why."""

    document: Any
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True)
class ExportedFiles:
    """The bytes of files by their paths in a folder, and what is not in them and why."""

    files: Mapping[str, bytes]
    left_out: tuple[str, ...] = ()

    def write(self, folder: Path) -> list[Path]:
        """Write all of them under `folder`, which is made if need be; each appears whole or not at all."""
        paths = [folder / name for name in self.files]
        for path, content in zip(paths, self.files.values(), strict=True):
            write_atomic(path, content)
        return paths


def about_file(path: Path) -> dict[str, Any]:
    """A file that was written: its path, bytes and SHA-256, as plain data."""
    content = path.read_bytes()
    return {"path": str(path), "bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
