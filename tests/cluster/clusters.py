"""A Dask cluster of real processes on this machine: every address of the loopback is a node of its own."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from distributed import Client

Found = TypeVar("Found")

#: Far more than anything here takes, on a machine that does much else.
PATIENCE_S = 300.0


class Cluster:
    """A scheduler and its workers, by the last number of their address."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.url = f"tcp://127.0.0.1:{free.getsockname()[1]}"
        self.workers: dict[int, subprocess.Popen[bytes]] = {}
        self.start_scheduler()

    def start_scheduler(self) -> None:
        host, port = self.url.removeprefix("tcp://").split(":")
        self.scheduler = self._dask("scheduler", "--host", host, "--port", port, "--dashboard-address", ":0")

    def start_worker(
        self, number: int, *arguments: str, under: tuple[str, ...] = (), **environment: str
    ) -> None:
        """A worker on the node 127.0.0.`number`, perhaps `under` a program such as taskset."""
        start = ("--nworkers", "1", "--nthreads", "1", "--resources", "slot=1", "--memory-limit", "0")
        place = (
            "--host",
            f"127.0.0.{number}",
            "--dashboard-address",
            ":0",
            "--local-directory",
            str(self.folder),
        )
        self.workers[number] = self._dask(
            "worker", self.url, *place, *start, *arguments, under=under, environment=environment
        )

    def _dask(
        self, *arguments: str, under: tuple[str, ...] = (), environment: Mapping[str, str] | None = None
    ) -> subprocess.Popen[bytes]:
        command = [*under, sys.executable, "-m", "distributed.cli.dask_" + arguments[0], *arguments[1:]]
        given = {**os.environ, "TMPDIR": str(self.folder), **(environment or {})}
        with (self.folder / "log").open("ab") as log:
            return subprocess.Popen(command, stdout=log, stderr=log, env=given)

    def stop_worker(self, number: int) -> None:
        worker = self.workers.pop(number)
        worker.terminate()
        worker.wait()

    def stop(self) -> None:
        """End the workers, then the scheduler: one that is just being started again would wait for it."""
        for number in list(self.workers):
            self.stop_worker(number)
        self.scheduler.terminate()
        self.scheduler.wait()

    @contextmanager
    def watched(self) -> Iterator[Client]:
        with Client(self.url, timeout=PATIENCE_S) as client:
            yield client


def slot_of(client: Client, task: str, other_than: str = "") -> str:
    """The address of the worker that does a Dask task whose name begins so, once one does.

    `other_than` is a worker that was killed, which the scheduler may still count for a moment.
    """

    def found() -> str | None:
        busy = (slot for slot, keys in client.processing().items() if any(k.startswith(task) for k in keys))
        return next((slot for slot in busy if slot != other_than), None)

    return wait_for(found)


def kill_worker(client: Client, slot: str) -> None:
    """SIGKILL for the process of a worker, which its nanny starts again."""
    info = client.run(os.getpid, workers=[slot])
    os.kill(info[slot], signal.SIGKILL)


def wait_for(look: Callable[[], Found | None]) -> Found:
    """What `look` returns, once it is something."""
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        if found := look():
            return found
        time.sleep(0.05)
    raise AssertionError("it did not come about")
