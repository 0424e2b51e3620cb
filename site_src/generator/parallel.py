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

#: Fewer jobs than this are done before other processes have got going.
WORTH = 400
#: Jobs that a process takes at a time.
BLOCK = 40

#: Seconds between two checks that the process that shares out the jobs is still running.
WATCHED = 0.5

#: The jobs at hand, where forked processes find them.
_jobs: Sequence[BuildJob] = ()


def run_all(jobs: Sequence[BuildJob], processes: int | None = None) -> None:
    """Run every job, on as many `processes` as there are cores. Raises what a job raises."""
    global _jobs
    _jobs = jobs
    blocks = [slice(start, start + BLOCK) for start in range(0, len(jobs), BLOCK)]
    try:
        _run_blocks(blocks, processes or (_cores() if len(jobs) >= WORTH else 1))
    finally:
        _jobs = ()


def _run_blocks(blocks: Sequence[slice], processes: int) -> None:
    if processes == 1 or not _may_fork():
        for block in blocks:
            _run(block)
        return
    context = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(processes, context, _end_with, (os.getpid(),)) as pool:
        for _ in pool.map(_run, blocks):
            pass


def _end_with(parent: int) -> None:
    """End this process when the one that forked it is gone, which may be killed without notice."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(WATCHED)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _run(block: slice) -> None:
    for job in _jobs[block]:
        job()


def _may_fork() -> bool:
    """Not on macOS, whose own libraries do not survive it."""
    return sys.platform != "darwin" and "fork" in multiprocessing.get_all_start_methods()


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
