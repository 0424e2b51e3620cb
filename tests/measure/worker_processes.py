"""What the tests of the worker ask the system about its processes."""

from __future__ import annotations

import contextlib
import os
import re
import time
from collections.abc import Callable
from pathlib import Path

from evaluator.measure.worker import Worker

EVERY_LAYER = frozenset({"pid", "mount", "network", "ipc", "landlock", "seccomp"})


def on_host(worker: Worker, pid: int) -> int:
    """The id that this process knows a worker's process by, which calls itself `pid`."""
    for status in Path("/proc").glob("[0-9]*/status"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            numbers = re.search(r"^NSpid:(.*)", status.read_text(), re.MULTILINE)
            host = int(status.parent.name)
            if numbers and int(numbers[1].split()[-1]) == pid and worker.pid in lineage(host):
                return host
    raise AssertionError(f"the worker has no process {pid}")


def lineage(pid: int) -> list[int]:
    """A process, its parent, and so on."""
    found = []
    while pid:
        found.append(pid)
        try:
            pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
        except (FileNotFoundError, ProcessLookupError):
            break
    return found


def family(worker: Worker) -> list[int]:
    """The processes of a worker, those that only keep its namespace included, a child after its parent.

    Their numbers say nothing of their order: the system begins anew with small ones after the largest.
    """
    everybody = map(int, filter(str.isdigit, os.listdir("/proc")))
    lines = [line for line in map(lineage, everybody) if worker.pid in line]
    return [line[0] for line in sorted(lines, key=len)]


def watcher_of(worker: Worker) -> int:
    """The process that watches over a worker: the one that has its id on its command line."""
    return running(
        lambda words: str(worker.pid) in words and any(word.endswith("sampler.py") for word in words),
        f"nothing watches over {worker.pid}",
    )


def running(fits: Callable[[list[str]], bool], otherwise: str) -> int:
    """The process whose command line fits. One that has just begun has none for an instant, so this waits for it."""
    end = time.monotonic() + 10
    while time.monotonic() < end:
        for process in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                if fits((process / "cmdline").read_text(errors="replace").split("\0")):
                    return int(process.name)
        time.sleep(0.01)
    raise AssertionError(otherwise)


def soon(condition: Callable[[], bool]) -> bool:
    """Whether it comes to be within a while, far longer than anything here takes."""
    end = time.monotonic() + 10
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
    return condition()


def alive(pid: int) -> bool:
    """Whether a process runs; one that ended and was not waited for does not."""
    try:
        return " Z " not in Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
