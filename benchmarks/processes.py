"""What a process of its own takes."""

from __future__ import annotations

import os
import time


def used(command: list[str]) -> tuple[float, float, float]:
    """Seconds on the clock, seconds of processor time, and the peak of memory in MB; its children counted.

    Ends this program if the command fails.
    """
    start = time.perf_counter()
    child = os.posix_spawn(command[0], command, os.environ)
    _, status, usage = os.wait4(child, 0)
    if status:
        raise SystemExit(f"{' '.join(command)} ended with {os.waitstatus_to_exitcode(status)}")
    return time.perf_counter() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1000
