"""What a Dask worker does: it starts a process for an assignment and returns the bytes of its answer.

The folder of a model is looked for at the same path, where nodes share files, else among copies that were
sent.
"""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

import dask
from distributed import get_worker

from evaluator.cluster.membership import NodeCard, measured_card, versions
from evaluator.records.base import digest, directory_files
from evaluator.records.scratch import scratch_folder

#: Seconds between two looks whether anybody still wants the answer.
LOOK_S = 1.0
_ONE_AT_A_TIME = Lock()


class FilesMissing(Exception):  # noqa: N818
    """The node has no copy of the model; send its files with the assignment."""


class ProcessKilled(Exception):  # noqa: N818
    """Somebody, or the system for want of memory, killed the process of an assignment."""


@dataclass(frozen=True)
class ModelFiles:
    """A model's folder on the machine that evaluates, and the hash of all files in it, without its prefix."""

    directory: str
    sha256: str

    @classmethod
    def of(cls, directory: Path) -> ModelFiles | None:
        """Those of a folder; None for a model that has none."""
        return None if directory == Path() else cls(str(directory.resolve()), _hash(directory))

    def found(self, copies: Path) -> Path | None:
        """Where these files are on this node, if they are: at home, or in the folder of `copies`."""
        if Path(self.directory).is_dir() and _hash(Path(self.directory)) == self.sha256:
            return Path(self.directory)
        return copies / self.sha256 if (copies / self.sha256).is_dir() else None

    def packed(self) -> bytes:
        """All files, as a tar archive."""
        archive = io.BytesIO()
        with tarfile.open(fileobj=archive, mode="w", dereference=True) as tar:
            for name in directory_files(Path(self.directory)):
                tar.add(Path(self.directory) / name, name)
        return archive.getvalue()

    def unpack(self, packed: bytes, copies: Path) -> Path:
        """A whole copy among `copies`, which appears at once."""
        copy = copies / self.sha256
        with scratch_folder(copy) as folder:
            with tarfile.open(fileobj=io.BytesIO(packed)) as tar:
                # Python 3.11.2, Debian 12's, has no filter yet. The machine that packed the files also sends
                # the code that runs here, so the filter is a second lock and not the first.
                tar.extraction_filter = getattr(tarfile, "data_filter", lambda member, _: member)
                tar.extractall(folder)
            if not copy.exists():
                os.rename(folder, copy)
        return copy


def _hash(folder: Path) -> str:
    return digest(directory_files(folder)).removeprefix("sha256:")


def carry_out(assignment: bytes, files: ModelFiles | None, packed: bytes | None) -> bytes:
    """The answer to a packed assignment; `packed` are the model's files.

    Raises `FilesMissing` and `ProcessKilled`; RuntimeError with what was printed last if it went wrong, or if
    the client has let go of this Dask task or is gone itself.
    """
    home, model = _home(), Path()
    if files is not None:
        found = files.unpack(packed, home / "models") if packed else files.found(home / "models")
        if found is None:
            raise FilesMissing(files.directory)
        model = found
    # What Dask's nanny adds would change how models use threads and memory.
    added = dask.config.get("distributed.nanny.pre-spawn-environ")
    environment = {name: value for name, value in os.environ.items() if name not in added}
    worker = get_worker()
    key = worker.get_current_task()
    with scratch_folder(home / "assignments" / "one") as folder, _ONE_AT_A_TIME:
        (folder / "assignment").write_bytes(assignment)
        module = ("-P", "-m", "evaluator.cluster.child")
        command = [sys.executable, *module, str(folder), str(model), str(os.getpid())]
        with (folder / "log").open("wb") as log:
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment
            )
        try:
            while process.poll() is None:
                with suppress(subprocess.TimeoutExpired):
                    process.wait(LOOK_S)
                task = worker.state.tasks.get(key)
                dropped = task is None or task.state in ("cancelled", "resumed")
                if dropped or worker.status.name == "closing":
                    raise RuntimeError("nobody wants the answer any more")
        finally:
            process.kill()
            code = process.wait()
        if code == -signal.SIGKILL:
            raise ProcessKilled("the process that asked the model was killed")
        if code:
            last = (folder / "log").read_text("utf-8", "replace").strip().splitlines()[-1:]
            raise RuntimeError(f"exit code {code}: {' '.join(last)}")
        return (folder / "answer").read_bytes()


def show(threads: int | None) -> tuple[Mapping[str, str], NodeCard | None]:
    """The versions of this node's software and, unless None, its card for models with that many threads."""
    return versions(), None if threads is None else measured_card(threads)


def _home() -> Path:
    """This user's folder, which nobody else can write to: what is read there is run. OSError if it is not."""
    home = Path(tempfile.gettempdir()) / f"steelyard-{os.getuid()}"
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    if home.stat().st_uid != os.getuid() or home.stat().st_mode & 0o022:
        raise PermissionError(f"{home}: others may write there; remove it, or set TMPDIR")
    return home
