"""Waiting for the end of a process together with other things, and how it ended."""

from __future__ import annotations

import os
import select
import subprocess
import threading
from typing import Protocol


class Ending(Protocol):
    """The end of a process that this one started: a descriptor that becomes readable when it comes."""

    def fileno(self) -> int:
        """What to poll for input."""

    def status(self, wait_s: float) -> int | None:
        """The exit code, or minus the signal, as of `subprocess.Popen`; None if it runs on for `wait_s`."""

    def close(self) -> None:
        """Wait no more."""


def ending_of(process: subprocess.Popen[bytes]) -> Ending:
    """The best way to wait that this system has."""
    return DescriptorEnding(process.pid) if hasattr(os, "pidfd_open") else ThreadEnding(process)


class DescriptorEnding:
    """By a descriptor of the process. It is left to be waited for, so that its id stays its own."""

    def __init__(self, pid: int) -> None:
        self._descriptor = os.pidfd_open(pid)

    def fileno(self) -> int:
        return self._descriptor

    def status(self, wait_s: float) -> int | None:
        _readable(self._descriptor, wait_s)
        found = os.waitid(os.P_PIDFD, self._descriptor, os.WEXITED | os.WNOWAIT | os.WNOHANG)
        if found is None:
            return None
        return found.si_status if found.si_code == os.CLD_EXITED else -found.si_status

    def close(self) -> None:
        os.close(self._descriptor)


class ThreadEnding:
    """By a thread that waits for the process, where the system has no descriptors of processes."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._descriptor, self._write_end = os.pipe()
        self._thread = threading.Thread(target=self._wait, daemon=True)
        self._thread.start()

    def fileno(self) -> int:
        return self._descriptor

    def status(self, wait_s: float) -> int | None:
        _readable(self._descriptor, wait_s)
        return self._process.poll()

    def close(self) -> None:
        self._thread.join()
        os.close(self._descriptor)

    def _wait(self) -> None:
        self._process.wait()
        os.close(self._write_end)


def _readable(descriptor: int, wait_s: float) -> None:
    poller = select.poll()
    poller.register(descriptor, select.POLLIN)
    poller.poll(wait_s * 1000)
