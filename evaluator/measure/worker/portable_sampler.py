"""The sampler for systems without /proc, such as macOS: the same, by what psutil tells of processes.

What it says is not the same to the byte, so its numbers carry a mark and are never ranked beside others.
"""

from __future__ import annotations

import psutil

from evaluator.measure.worker import sampler

_GONE = (psutil.NoSuchProcess, psutil.AccessDenied, psutil.ZombieProcess)
#: The letters that a sampler looks for, of all states.
_LETTERS = {psutil.STATUS_ZOMBIE: "Z", psutil.STATUS_DEAD: "X", psutil.STATUS_STOPPED: "T"}


class Portable(sampler.Linux):
    """What psutil tells of processes. Few systems know more of memory than what is resident."""

    def pids(self) -> set[int]:
        """As `Linux.pids`."""
        return set(psutil.pids())

    def stat(self, pid: int) -> sampler.Stat | None:
        """As `Linux.stat`, but for the start, which is in milliseconds."""
        try:
            process = psutil.Process(pid)
            started = round(process.create_time() * 1000)
            return sampler.Stat(_LETTERS.get(process.status(), "R"), process.ppid(), started)
        except _GONE:
            return None

    def has_mark(self, pid: int, mark: str) -> bool:
        """As `Linux.has_mark`."""
        try:
            return bool(psutil.Process(pid).environ().get(sampler.MARK) == mark)
        except (*_GONE, OSError):
            return False

    def rss(self, pid: int) -> int:
        """As `Linux.rss`."""
        try:
            return int(psutil.Process(pid).memory_info().rss)
        except _GONE:
            return 0

    def pss(self, pid: int) -> int | None:
        """Unknown."""
        return None

    def high_water(self, pid: int) -> int:
        """Unknown, so never above what was sampled."""
        return 0


def main(arguments: list[str]) -> None:
    """Watch the process named on the command line."""
    sampler.main(arguments, Portable())
