"""The folder of a model where a node finds it: the same path, where nodes share files, else a copy."""

from __future__ import annotations

import io
import os
import tarfile
from dataclasses import dataclass
from pathlib import Path

from evaluator.measure.models import directory_files
from evaluator.records.canonical import digest
from evaluator.records.scratch import scratch_folder


@dataclass(frozen=True)
class ModelFiles:
    """A model's folder on the machine that evaluates, and the hash of all files in it."""

    directory: str
    sha256: str

    @classmethod
    def of(cls, directory: Path) -> ModelFiles | None:
        """Those of a folder; None for a model that has none."""
        if directory == Path():
            return None
        return cls(str(directory.resolve()), digest(directory_files(directory)))

    def found(self, copies: Path) -> Path | None:
        """Where these files are on this node, if they are: at home, or in the folder of `copies`."""
        home = Path(self.directory)
        if home.is_dir() and digest(directory_files(home)) == self.sha256:
            return home
        copy = copies / self.sha256.removeprefix("sha256:")
        return copy if copy.is_dir() else None

    def packed(self) -> bytes:
        """All files, as a tar archive."""
        archive = io.BytesIO()
        with tarfile.open(fileobj=archive, mode="w", dereference=True) as tar:
            for name in directory_files(Path(self.directory)):
                tar.add(Path(self.directory) / name, name)
        return archive.getvalue()

    def unpack(self, packed: bytes, copies: Path) -> Path:
        """A whole copy among `copies`, which appears at once."""
        copy = copies / self.sha256.removeprefix("sha256:")
        with scratch_folder(copy) as folder:
            with tarfile.open(fileobj=io.BytesIO(packed)) as tar:
                # Python 3.11.2, Debian 12's, has no filter yet. The machine that packed the files also sends
                # the code that runs here, so the filter is a second lock and not the first.
                tar.extraction_filter = getattr(tarfile, "data_filter", lambda member, _: member)
                tar.extractall(folder)
            if not copy.exists():
                os.rename(folder, copy)
        return copy
