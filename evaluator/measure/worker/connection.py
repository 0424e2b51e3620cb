"""The parent's end of the connection to a worker. It blocks while it waits and never past a deadline."""

from __future__ import annotations

import os
import select
import socket
import subprocess
import threading
import time

from evaluator.measure.worker.protocol import Frames


class Ending:
    """The end of a process that this one started, by a descriptor that becomes readable when it comes.

    The process is left to be waited for, so that its id stays its own; where the system has no descriptors of
    processes a thread waits for it.
    """

    def __init__(
        self, process: subprocess.Popen[bytes], by_thread: bool = not hasattr(os, "pidfd_open")
    ) -> None:
        self._process, self._thread = process, None
        if by_thread:
            self._descriptor, write_end = os.pipe()

            def wait() -> None:
                process.wait()
                os.close(write_end)

            self._thread = threading.Thread(target=wait, daemon=True)
            self._thread.start()
        else:
            self._descriptor = os.pidfd_open(process.pid)

    def fileno(self) -> int:
        """What to poll for input."""
        return self._descriptor

    def status(self, wait_s: float) -> int | None:
        """The exit code, or minus the signal, as of `subprocess.Popen`; None if it runs on for `wait_s`."""
        poller = select.poll()
        poller.register(self._descriptor, select.POLLIN)
        poller.poll(wait_s * 1000)
        if self._thread is not None:
            return self._process.poll()
        found = os.waitid(os.P_PIDFD, self._descriptor, os.WEXITED | os.WNOWAIT | os.WNOHANG)
        if found is None:
            return None
        return found.si_status if found.si_code == os.CLD_EXITED else -found.si_status

    def close(self) -> None:
        """Wait no more."""
        if self._thread is not None:
            self._thread.join()
        os.close(self._descriptor)


class Connection:
    """A socket to `process`, which also notices the end of that process and of `sampler`.

    A process that the model forked may hold the socket open, so the end of the stream would not show it.
    """

    def __init__(
        self, sock: socket.socket, process: subprocess.Popen[bytes], sampler: subprocess.Popen[bytes]
    ) -> None:
        sock.setblocking(False)
        self._socket = sock
        self._process = Ending(process)
        self._sampler = Ending(sampler)
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
