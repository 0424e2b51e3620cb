"""What a Dask worker does: it starts a process for an errand and returns the bytes of its answer."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import dask
from distributed import get_worker

from evaluator.fleet.model_files import ModelFiles
from evaluator.scratch import scratch_folder

#: Seconds between two looks whether anybody still wants the answer.
LOOK_S = 1.0


class FilesMissing(Exception):  # noqa: N818
    """The node has no copy of the model; send its files with the errand."""


class ProcessKilled(Exception):  # noqa: N818
    """Somebody, or the system for want of memory, killed the process of an errand."""


def carry_out(errand: bytes, files: ModelFiles | None, packed: bytes | None, scratch: str | None) -> bytes:
    """The answer to a packed errand; `packed` are the model's files, `scratch` is the board file's.

    Raises `FilesMissing` and `ProcessKilled`; RuntimeError with what was printed last if it went wrong.
    """
    home = Path(scratch or tempfile.gettempdir()) / f"steelyard-{os.getuid()}"
    model = None
    if files is not None:
        model = files.unpack(packed, home / "models") if packed else files.found(home / "models")
        if model is None:
            raise FilesMissing(files.directory)
    with scratch_folder(home / "errands" / "one") as folder:
        (folder / "errand").write_bytes(errand)
        _run(folder, [str(model)] if model else [], _unwanted())
        return (folder / "answer").read_bytes()


def _run(folder: Path, model: list[str], unwanted: Callable[[], bool]) -> None:
    command = [sys.executable, "-m", "evaluator.fleet.child", str(folder), str(os.getpid()), *model]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=_environment()
        )
    try:
        while process.poll() is None and not unwanted():
            _wait(process)
    finally:
        process.kill()
        process.wait()
    if process.returncode == -signal.SIGKILL:
        raise ProcessKilled("the process that asked the model was killed")
    if process.returncode:
        last = (folder / "log").read_text("utf-8", "replace").strip().splitlines()[-1:]
        raise RuntimeError(f"exit code {process.returncode}: {' '.join(last)}")


def _wait(process: subprocess.Popen[bytes]) -> None:
    try:
        process.wait(LOOK_S)
    except subprocess.TimeoutExpired:
        return


def _environment() -> dict[str, str]:
    """This process's, without what Dask's nanny adds: it would change how models use threads and memory."""
    added = dask.config.get("distributed.nanny.pre-spawn-environ")
    return {name: value for name, value in os.environ.items() if name not in added}


def _unwanted() -> Callable[[], bool]:
    """Whether the client has let go of the Dask task that this thread does, or is gone itself."""
    worker = get_worker()
    key = worker.get_current_task()

    def unwanted() -> bool:
        state = worker.state.tasks.get(key)
        return state is None or state.state in ("cancelled", "resumed") or worker.status.name == "closing"

    return unwanted
