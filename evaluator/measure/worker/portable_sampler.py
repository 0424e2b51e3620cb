"""The sampler for systems without /proc, such as macOS: the same commands and reports, by psutil.

What it says is not the same to the byte, so its numbers carry a mark and are never ranked beside others.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterable, Mapping

import psutil

from evaluator.measure.worker import sampler

_GONE = (psutil.NoSuchProcess, psutil.AccessDenied, psutil.ZombieProcess)


class PortableTree(sampler.Tree):
    """A process and its descendants, as psutil sees them."""

    def __init__(self, root: int, mark: str, keepers: bool = False) -> None:
        self.root = root
        self.mark = mark
        self.keepers = keepers
        self.members: dict[int, int] = {}
        self.refresh()

    def refresh(self) -> None:
        """Look at all processes again; those that left the tree stay members."""
        family = _family(self.root)
        keepers = {self.root} if self.keepers else set()
        keepers |= {one.pid for one in family if self.keepers and _parent(one) == self.root}
        found = {one.pid: _started(one) for one in family if one.pid not in keepers}
        strays = {pid: start for pid, start in self.members.items() if _same(pid, start)}
        self.members = strays | found

    def kill(self) -> None:
        """Leave no member alive."""
        kill_tree(self.root, self.mark, self.members)

    def ended(self) -> bool:
        """Whether the root has exited."""
        try:
            return bool(psutil.Process(self.root).status() == psutil.STATUS_ZOMBIE)
        except _GONE:
            return True

    def rss(self) -> int:
        """Resident bytes of all members, shared pages counted once for each."""
        return sum(_memory(pid).get("rss", 0) for pid in self.members)

    def pss(self) -> int | None:
        """Unknown: few systems tell."""
        return None

    def high_water(self) -> int:
        """Unknown, so never above what was sampled."""
        return 0

    def parent_stopped(self) -> bool:
        """Whether the process that started this one is stopped."""
        try:
            return bool(psutil.Process(os.getppid()).status() == psutil.STATUS_STOPPED)
        except _GONE:
            return False


def kill_tree(root: int, mark: str, known: Mapping[int, int] | None = None) -> None:
    """As `sampler.kill_tree`."""
    _signal([root], signal.SIGSTOP)
    for _ in range(100):
        family = {one.pid for one in _family(root) if one.pid != root}
        family |= {pid for pid, start in (known or {}).items() if pid != root and _same(pid, start)}
        family |= {one.pid for one in psutil.process_iter() if one.pid != root and _has_mark(one, mark)}
        alive = {pid for pid in family if _alive(pid)}
        if not alive:
            break
        _signal(alive, signal.SIGKILL)
        time.sleep(0.001)
    _signal([root], signal.SIGKILL)


def _family(root: int) -> list[psutil.Process]:
    try:
        process = psutil.Process(root)
        return [process, *process.children(recursive=True)]
    except _GONE:
        return []


def _parent(process: psutil.Process) -> int:
    with contextlib.suppress(*_GONE):
        return int(process.ppid())
    return 0


def _started(process: psutil.Process) -> int:
    """When it started, in milliseconds."""
    with contextlib.suppress(*_GONE):
        return int(process.create_time() * 1000)
    return 0


def _same(pid: int, started: int) -> bool:
    with contextlib.suppress(*_GONE):
        return _started(psutil.Process(pid)) == started
    return False


def _alive(pid: int) -> bool:
    with contextlib.suppress(*_GONE):
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    return False


def _has_mark(process: psutil.Process, mark: str) -> bool:
    with contextlib.suppress(*_GONE, OSError):
        return bool(process.environ().get(sampler.MARK) == mark)
    return False


def _memory(pid: int) -> dict[str, int]:
    with contextlib.suppress(*_GONE):
        return dict(psutil.Process(pid).memory_info()._asdict())
    return {}


def _signal(pids: Iterable[int], number: signal.Signals) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def main(arguments: list[str]) -> None:
    """Watch the process named on the command line."""
    sampler.main(arguments, PortableTree)
