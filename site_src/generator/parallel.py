"""Many pages on all cores: jobs that write files of their own, shared out among forked processes.

Forked, because the jobs hold the whole site's data, which then need not be sent. Where a process cannot
safely be forked the jobs run one after another; the files are the same.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor

BuildJob = Callable[[], None]

#: Jobs that a process takes at a time; fewer are done before other processes have got going.
BLOCK = 20
#: Seconds between two checks that the process that shares out the jobs is still running.
WATCHED = 0.5
#: The jobs at hand, where forked processes find them.
_jobs: Sequence[BuildJob] = ()


def run_all(jobs: Sequence[BuildJob], processes: int | None = None) -> None:
    """Run every job, on as many `processes` as there are cores. Raises what a job raises."""
    global _jobs
    processes = processes or (
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    )
    # Apple's own libraries do not survive a fork.
    may_fork = sys.platform != "darwin" and "fork" in multiprocessing.get_all_start_methods()
    if processes == 1 or not may_fork or len(jobs) <= BLOCK:
        for job in jobs:
            job()
        return
    _jobs = jobs
    context = multiprocessing.get_context("fork")
    try:
        with ProcessPoolExecutor(processes, context, _end_with, (os.getpid(),)) as pool:
            for _ in pool.map(_run, range(len(jobs)), chunksize=BLOCK):
                pass
    finally:
        _jobs = ()


def _end_with(parent: int) -> None:
    """End this process when the one that forked it is gone, which may be killed without notice."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(WATCHED)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _run(at: int) -> None:
    _jobs[at]()
