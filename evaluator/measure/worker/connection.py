"""The parent's end of the connection to a worker. It blocks while it waits and never past a deadline."""

from __future__ import annotations

import select
import socket
import subprocess
import time

from evaluator.measure.worker.ending import ending_of
from evaluator.measure.worker.protocol import Frames


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
