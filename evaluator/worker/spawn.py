"""Starting the process of a worker: its environment, its connection and its sampler."""

from __future__ import annotations

import os
import re
import secrets
import socket
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from evaluator.worker.connection import Connection
from evaluator.worker.sampler import MARK
from evaluator.worker.sampler_handle import SamplerHandle
from evaluator.worker.spec import Placement

_ROOT = Path(__file__).resolve().parents[2]
_SECRET = re.compile(r"TOKEN$|SECRET|PASSWORD|PASSWD|CREDENTIAL|API_?KEY", re.IGNORECASE)
_THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMEXPR_NUM_THREADS")
_FIXED = {
    "TOKENIZERS_PARALLELISM": "false",
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "PYTHONHASHSEED": "0",
    # Byte code written beside a handler would change the hash of the model's directory.
    "PYTHONDONTWRITEBYTECODE": "1",
}


@dataclass(frozen=True)
class Processes:
    """A worker's process, the connection to it, and the sampler that watches it."""

    child: subprocess.Popen[bytes]
    link: Connection
    sampler: SamplerHandle

    def end(self) -> tuple[int | None, str]:
        """Kill all; the bytes at which the memory cap was enforced, if it was, and the end of the log."""
        outcome = self.sampler.stop()
        self.child.wait()
        self.link.close()
        return outcome


def environment(inherited: Mapping[str, str], placement: Placement) -> dict[str, str]:
    """The worker's environment: `inherited` without secrets, with thread counts and offline switches."""
    kept = {name: value for name, value in inherited.items() if not _SECRET.search(name)}
    path = os.pathsep.join(filter(None, [str(_ROOT), inherited.get("PYTHONPATH")]))
    threads = dict.fromkeys(_THREADS, str(placement.threads))
    return {**kept, **threads, **_FIXED, "PYTHONPATH": path}


def spawn(placement: Placement, memory_bytes: int | None) -> Processes:
    """Start a worker that has opened no model yet."""
    ours, theirs = socket.socketpair()
    log, printed = os.pipe()
    try:
        mark = secrets.token_hex(16)
        child = _child(theirs.fileno(), printed, placement, mark)
        sampler = SamplerHandle(child.pid, mark, log, memory_bytes)
    finally:
        theirs.close()
        os.close(printed)
        os.close(log)
    return Processes(child, Connection(ours, child.pid, sampler.pid), sampler)


def _child(descriptor: int, printed: int, placement: Placement, mark: str) -> subprocess.Popen[bytes]:
    cpus = ",".join(map(str, placement.cpus))
    arguments = [str(descriptor), str(os.getpid()), cpus]
    return subprocess.Popen(
        [sys.executable, "-P", "-X", "faulthandler", "-m", "evaluator.worker.child", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=printed,
        stderr=printed,
        pass_fds=(descriptor,),
        start_new_session=True,
        env={MARK: mark, **environment(os.environ, placement)},
    )
