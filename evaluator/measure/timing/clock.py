"""Time less the time that threads waited for a CPU, which the kernel counts in `schedstat`.

What others do on a machine makes a request take longer, mostly because its threads stand in line. That part
is known to the nanosecond for each thread, so it is taken off. Where the system has no such files, time is
that of the clock.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass

#: Who waited so long was interrupted by others: handing over from one thread to the next takes less.
INTERRUPTED_NS = 20_000
#: Nanoseconds that a thread ran and that it waited, so far.
Counts = tuple[int, int]


@dataclass(frozen=True)
class Lap:
    """Nanoseconds on the clock, and how many of them were spent waiting for a CPU; None if unknown."""

    elapsed_ns: int
    waited_ns: int | None

    @property
    def net_ns(self) -> int:
        """What is left."""
        return max(1, self.elapsed_ns - (self.waited_ns or 0))

    @property
    def interrupted(self) -> bool:
        """Whether others had the CPU meanwhile, and with it its caches."""
        return (self.waited_ns or 0) >= INTERRUPTED_NS


@dataclass(frozen=True)
class Reading:
    """The counts of this thread, None where the system has none, and of a model's threads."""

    own: Counts | None
    threads: dict[int, Counts]


def lap(elapsed_ns: int, before: Reading, after: Reading, cpus: int = 1) -> Lap:
    """What of a time on the clock was waiting: of this thread, and of the model's on so many CPUs.

    A thread that stands in line behind threads of its own model does not wait for others, so what these ran
    meanwhile is not taken off; and no model takes less time than its threads ran. Both readings are of the
    same threads.
    """
    if before.own is None or after.own is None:
        return Lap(elapsed_ns, None)
    ran = {thread: counts[0] - before.threads[thread][0] for thread, counts in after.threads.items()}
    waited = {thread: counts[1] - before.threads[thread][1] for thread, counts in after.threads.items()}
    total = sum(ran.values())
    for_others = max((waited[thread] - (total - ran[thread]) for thread in ran), default=0)
    found = after.own[1] - before.own[1] + max(0, for_others)
    return Lap(elapsed_ns, max(0, min(found, elapsed_ns - total // cpus)))


class Threads:
    """The counters of this thread and of a model's, whose files are kept open. Use as a context manager."""

    def __init__(self) -> None:
        self._own = _opened(f"/proc/self/task/{threading.get_native_id()}/schedstat")
        self._files: dict[int, int] = {}
        self._last: dict[int, Counts] = {}

    def __enter__(self) -> Threads:
        return self

    def __exit__(self, *error: object) -> None:
        for file in (*self._files.values(), self._own):
            if file is not None:
                os.close(file)

    def look(self, processes: Iterable[int]) -> None:
        """Take in the threads that these processes have now."""
        for process in processes:
            with suppress(OSError):
                for name in os.listdir(f"/proc/{process}/task"):
                    path, thread = f"/proc/{process}/task/{name}/schedstat", int(name)
                    if thread not in self._files and (file := _opened(path)) is not None:
                        self._files[thread], self._last[thread] = file, (0, 0)

    def read(self) -> Reading:
        """The counts now; of a thread that has ended, the last."""
        for thread, file in self._files.items():
            self._last[thread] = _counts(file) or self._last[thread]
        return Reading(None if self._own is None else _counts(self._own), dict(self._last))

    def time_own(self, work: Callable[[], None]) -> Lap:
        """How long this thread takes for some work."""
        before, began = self.read(), time.perf_counter_ns()
        work()
        elapsed = time.perf_counter_ns() - began
        return lap(elapsed, Reading(before.own, {}), Reading(self.read().own, {}))


def _opened(path: str) -> int | None:
    try:
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None


def _counts(file: int) -> Counts | None:
    """None for a thread that is gone, or where the kernel counts nothing: it says 0 of all then."""
    try:
        ran, waited, slices = map(int, os.pread(file, 100, 0).split())
    except (OSError, ValueError):
        return None
    return (ran, waited) if slices else None
