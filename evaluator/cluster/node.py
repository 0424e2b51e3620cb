"""What a Dask worker does: it starts a process for an assignment and returns the bytes of its answer."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from threading import Lock

import dask
from distributed import get_worker

from evaluator.cluster.model_files import ModelFiles
from evaluator.cluster.node_card import versions
from evaluator.records.scratch import scratch_folder

#: Seconds between two looks whether anybody still wants the answer.
LOOK_S = 1.0


class FilesMissing(Exception):  # noqa: N818
    """The node has no copy of the model; send its files with the assignment."""


class ProcessKilled(Exception):  # noqa: N818
    """Somebody, or the system for want of memory, killed the process of an assignment."""


def carry_out(
    assignment: bytes, files: ModelFiles | None, packed: bytes | None, scratch: str | None
) -> bytes:
    """The answer to a packed assignment; `packed` are the model's files, `scratch` is the board file's.

    Raises `FilesMissing` and `ProcessKilled`; RuntimeError with what was printed last if it went wrong.
    """
    home, model = _home(scratch), None
    if files is not None:
        model = files.unpack(packed, home / "models") if packed else files.found(home / "models")
        if model is None:
            raise FilesMissing(files.directory)
    return _answer(assignment, home, str(model or Path()))


def show(card: bytes | None, scratch: str | None) -> tuple[dict[str, str], bytes | None]:
    """The versions of this node's software, and the answer to a packed `CardAssignment`, if there is one."""
    return versions(), None if card is None else _answer(card, _home(scratch), str(Path()))


def _home(scratch: str | None) -> Path:
    """This user's folder, which nobody else can write to: what is read there is run. OSError if it is not."""
    home = Path(scratch or tempfile.gettempdir()) / f"steelyard-{os.getuid()}"
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    if home.stat().st_uid != os.getuid() or home.stat().st_mode & 0o022:
        raise PermissionError(f"{home}: others may write there; remove it, or name another cluster.scratch")
    return home


def _answer(assignment: bytes, home: Path, model: str) -> bytes:
    with scratch_folder(home / "assignments" / "one") as folder:
        (folder / "assignment").write_bytes(assignment)
        with _ONE_AT_A_TIME:
            code = _processes.run(folder, model, _is_dropped())
        if code == -signal.SIGKILL:
            raise ProcessKilled("the process that asked the model was killed")
        if code:
            last = (folder / "log").read_text("utf-8", "replace").strip().splitlines()[-1:]
            raise RuntimeError(f"exit code {code}: {' '.join(last)}")
        return (folder / "answer").read_bytes()


class _Processes:
    """The process that forks one for each assignment; started when the first of them comes."""

    def __init__(self) -> None:
        self._first: subprocess.Popen[bytes] | None = None

    def run(self, folder: Path, model: str, is_dropped: Callable[[], bool]) -> int:
        """Do the assignment in `folder` and return the exit code of its process; a signal is negative."""
        first = self._first = self._first if self._first and self._first.poll() is None else _start()
        assert first.stdin is not None
        assert first.stdout is not None
        try:
            first.stdin.write(json.dumps([str(folder), model]).encode() + b"\n")
            first.stdin.flush()
            while not select.select([first.stdout], [], [], LOOK_S)[0]:
                if is_dropped():
                    raise RuntimeError("nobody wants the answer any more")
            if status := first.stdout.readline():
                return int(status)
            return first.wait()
        except BaseException:
            first.kill()
            first.wait()
            raise


_processes = _Processes()
_ONE_AT_A_TIME = Lock()


def _start() -> subprocess.Popen[bytes]:
    command = [sys.executable, "-P", "-m", "evaluator.cluster.child", str(os.getpid())]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=_environment())


def _environment() -> dict[str, str]:
    """This process's, without what Dask's nanny adds: it would change how models use threads and memory."""
    added = dask.config.get("distributed.nanny.pre-spawn-environ")
    return {name: value for name, value in os.environ.items() if name not in added}


def _is_dropped() -> Callable[[], bool]:
    """Whether the client has let go of the Dask task that this thread does, or is gone itself."""
    worker = get_worker()
    key = worker.get_current_task()

    def is_dropped() -> bool:
        state = worker.state.tasks.get(key)
        return state is None or state.state in ("cancelled", "resumed") or worker.status.name == "closing"

    return is_dropped
