"""The parent's side of the sampler: the process that watches a worker from outside."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from dataclasses import dataclass
from typing import Any

from evaluator.measure.isolation.landlock import SIGNALS_ABI
from evaluator.measure.isolation.places import ROOT
from evaluator.measure.isolation.probing import Layers
from evaluator.measure.isolation.root import SCRATCH
from evaluator.measure.worker import sampler
from evaluator.measure.worker.spec import MemoryUse, PhaseMemory

INTERVAL_MS = 25
_ANSWER_S = 20.0
_LINUX = ("-S", "-E", "-P", sampler.__file__)
_START_PORTABLE = (
    "import sys; sys.path.insert(0, sys.argv.pop(1));"
    " from evaluator.measure.worker.portable_sampler import main; main(sys.argv[1:])"
)
_PORTABLE = ("-E", "-P", "-c", _START_PORTABLE, ROOT)


def needs_portable() -> bool:
    """Whether this system has no /proc that tells what the sampler needs."""
    return not os.path.exists("/proc/self/statm")


@dataclass(frozen=True)
class Watched:
    """What a sampler watches: the tree of process `root`, whose environments hold `mark`.

    It drains descriptor `log` and caps the tree at `memory_bytes` (0: no cap). `layers` keep the model
    in; `folder` is its scratch folder where it has no file system of its own.
    """

    root: int
    mark: str
    log: int
    memory_bytes: int
    layers: Layers
    folder: str | None

    def arguments(self) -> list[str]:
        """The sampler's command line."""
        spaces = self.layers.namespaces
        can_stop_parent = "pid" not in spaces and self.layers.landlock < SIGNALS_ABI
        numbers = (self.log, INTERVAL_MS, self.memory_bytes, int("pid" in spaces), int(can_stop_parent))
        return [
            str(self.root),
            self.mark,
            *map(str, numbers),
            SCRATCH if "mount" in spaces else "",
            self.folder or "",
        ]


@dataclass(frozen=True)
class TreeEnd:
    """How a tree was ended: bytes at which the cap was enforced, if it was; whether the model had stopped
    the parent; and the end of the log."""

    killed_at: int | None
    woke_parent: bool
    log: str


class SamplerHandle:
    """A running sampler of a process tree."""

    def __init__(self, watched: Watched, portable: bool) -> None:
        """Start a sampler of `watched`, by psutil if `portable`, else by /proc."""
        self._watched = watched
        self._portable = portable
        self.process = subprocess.Popen(
            [sys.executable, *(_PORTABLE if portable else _LINUX), *watched.arguments()],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            pass_fds=(watched.log,),
            start_new_session=True,
            bufsize=0,
        )

    def running(self) -> bool:
        """Whether the sampler still runs."""
        return self.process.poll() is None

    def phase(self, name: str) -> None:
        """Begin phase `name`; returns when the boundary has been sampled. EOFError without a sampler."""
        self._command(f"phase {name}")

    def report(self) -> MemoryUse:
        """The memory used so far, by phase. EOFError without a sampler."""
        answer = self._command("report")
        phases = {name: PhaseMemory(**fields) for name, fields in answer["phases"].items()}
        return MemoryUse(float(INTERVAL_MS), answer["peak_bytes"], phases)

    def stop(self) -> TreeEnd:
        """Kill the tree, and the sampler."""
        try:
            answer = self._command("stop")
        except EOFError:
            answer = {}
        # Again from here, in case the model had killed the sampler.
        self._kill_tree()
        self.process.kill()
        self.process.communicate()
        return TreeEnd(answer.get("killed_at_bytes"), answer.get("woke_parent", False), answer.get("log", ""))

    def _kill_tree(self) -> None:
        root, mark = self._watched.root, self._watched.mark
        if self._portable:
            from evaluator.measure.worker.portable_sampler import kill_tree

            kill_tree(root, mark)
        elif "pid" in self._watched.layers.namespaces:
            sampler.kill_namespace(root)
        else:
            sampler.kill_tree(root, mark)

    def _command(self, command: str) -> dict[str, Any]:
        """The sampler's answer. EOFError if it is gone or does not answer."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        try:
            self.process.stdin.write(command.encode() + b"\n")
        except BrokenPipeError:
            raise EOFError from None
        answer = select.poll()
        answer.register(self.process.stdout, select.POLLIN)
        line = self.process.stdout.readline() if answer.poll(_ANSWER_S * 1000) else b""
        if not line:
            raise EOFError
        return dict(json.loads(line))
