"""The parent's end of the connection to a worker. It blocks while it waits and never past a deadline."""

from __future__ import annotations

import os
import select
import socket
import subprocess
import threading
import time
from typing import Protocol

from evaluator.measure.worker.protocol import Frames


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


class Connection:
    """A socket to `process`, which also notices the end of that process and of `sampler`.

    A process that the model forked may hold the socket open, so the end of the stream would not show it.
    """

    def __init__(
        self, sock: socket.socket, process: subprocess.Popen[bytes], sampler: subprocess.Popen[bytes]
    ) -> None:
        sock.setblocking(False)
        self._socket = sock
        self._process = ending_of(process)
        self._sampler = ending_of(sampler)
        self._deadline = 0.0
        self._frames = Frames(self._receive)
        self._readable = select.poll()
        self._readable.register(sock, select.POLLIN)
        self._readable.register(self._process, select.POLLIN)
        self._readable.register(self._sampler, select.POLLIN)
        self._writable = select.poll()
        self._writable.register(sock, select.POLLOUT)

    def ask(self, request: bytes, deadline: float, limit: int) -> bytes:
        """Send a frame and return the body of the next one, at most `limit` bytes.

        Raises TimeoutError after `deadline` (of `time.monotonic`), EOFError if the other side or the
        sampler has ended, `ProtocolError` if what comes is no frame.
        """
        self._deadline = deadline
        self._send(request)
        return self._frames.next(limit)

    def exit_status(self, wait_s: float) -> int | None:
        """The exit code, or minus the signal, that ended the process; None if it runs on for `wait_s`."""
        return self._process.status(wait_s)

    def close(self) -> None:
        """Hang up."""
        self._socket.close()
        self._process.close()
        self._sampler.close()

    def _send(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            try:
                view = view[self._socket.send(view) :]
            except BlockingIOError:
                self._wait(self._writable)
            except (BrokenPipeError, ConnectionResetError):
                raise EOFError from None

    def _receive(self) -> bytes:
        ready = self._wait(self._readable)
        if all(descriptor != self._socket.fileno() for descriptor, _ in ready):
            raise EOFError
        try:
            return self._socket.recv(65536)
        except ConnectionResetError:
            raise EOFError from None

    def _wait(self, poller: select.poll) -> list[tuple[int, int]]:
        left = self._deadline - time.monotonic()
        ready = poller.poll(left * 1000) if left > 0 else []
        if not ready:
            raise TimeoutError
        return ready
