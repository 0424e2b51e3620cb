"""The parent's side of the sampler: the process that watches a worker from outside."""

from __future__ import annotations

import json
import select
import subprocess
import sys
from typing import Any

from evaluator.worker import sampler
from evaluator.worker.spec import MemoryUse, PhaseMemory

INTERVAL_MS = 25
_ANSWER_S = 20.0


class SamplerHandle:
    """A running sampler of the process tree of `root`."""

    def __init__(self, root: int, mark: str, log: int, memory_bytes: int | None) -> None:
        """Start a sampler that drains descriptor `log` and caps the tree at `memory_bytes`.

        What the model starts inherits `mark` in its environment.
        """
        self._root = root
        self._mark = mark
        arguments = [str(root), mark, str(log), str(INTERVAL_MS), str(memory_bytes or 0)]
        self._process = subprocess.Popen(
            [sys.executable, "-S", "-E", "-P", sampler.__file__, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            pass_fds=(log,),
            start_new_session=True,
            bufsize=0,
        )

    @property
    def pid(self) -> int:
        """The id of the sampler's process."""
        return self._process.pid

    def running(self) -> bool:
        """Whether the sampler still runs."""
        return self._process.poll() is None

    def phase(self, name: str) -> None:
        """Begin phase `name`; returns when the boundary has been sampled. EOFError without a sampler."""
        self._command(f"phase {name}")

    def report(self) -> MemoryUse:
        """The memory used so far, by phase. EOFError without a sampler."""
        answer = self._command("report")
        phases = {name: PhaseMemory(**fields) for name, fields in answer["phases"].items()}
        return MemoryUse(float(INTERVAL_MS), answer["peak_bytes"], phases)

    def stop(self) -> tuple[int | None, str]:
        """Kill the tree; the bytes at which the cap was enforced, if it was, and the end of the log."""
        try:
            answer = self._command("stop")
        except EOFError:
            answer = {}
        # Again from here, in case the model had killed the sampler.
        sampler.kill_tree(self._root, self._mark)
        self._process.kill()
        self._process.communicate()
        return answer.get("killed_at_bytes"), answer.get("log", "")

    def _command(self, command: str) -> dict[str, Any]:
        """The sampler's answer. EOFError if it is gone or does not answer."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(command.encode() + b"\n")
        except BrokenPipeError:
            raise EOFError from None
        answer = select.poll()
        answer.register(self._process.stdout, select.POLLIN)
        line = self._process.stdout.readline() if answer.poll(_ANSWER_S * 1000) else b""
        if not line:
            raise EOFError
        return dict(json.loads(line))
