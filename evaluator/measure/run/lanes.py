"""Asks models what is not timed, at full speed: a lane for each core, all in the same order of jobs.

A lane that finds nothing left to ask of one model loads the next, while others still wait for answers.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from queue import SimpleQueue
from threading import Thread

from evaluator.measure.run.job import Job

#: Answers are counted together for so many seconds: to wake the caller for each would slow quick models down.
TELL_EVERY_S = 0.1


@contextmanager
def asking_all(jobs: Sequence[Job], cores: Sequence[int]) -> Iterator[Iterator[tuple[Job, int | None]]]:
    """Ask everything; tells of a job how many more of its inputs are answered, or None when it is over.

    Lanes load models at once, and wait for the inputs where a job was not given them yet. A worker lives as
    long as the thread that started it, and a lane as long as there are jobs. When the context ends, the
    workers are ended.
    """
    events: _Events = SimpleQueue()
    lanes = [Thread(target=_serve, args=(jobs, core, events), name=f"lane {core}") for core in cores]
    for lane in lanes:
        lane.start()
    try:
        yield _until_over(events, len(jobs), len(lanes))
    finally:
        for job in jobs:
            job.stop()
        for lane in lanes:
            lane.join()


#: A job and the answers that came; None when a lane is done with the job. Or what a lane ended by.
_Events = SimpleQueue[tuple[Job, int | None] | BaseException]


def _serve(jobs: Sequence[Job], core: int, events: _Events) -> None:
    try:
        for job in jobs:
            told = _Told(events, job)
            job.serve(core, told.add)
            told.tell()
            events.put((job, None))
    except BaseException as error:
        events.put(error)


class _Told:
    """Tells how many inputs of a job one lane has answered, now and then."""

    def __init__(self, events: _Events, job: Job) -> None:
        self._events, self._job = events, job
        self._count, self._next = 0, time.monotonic()

    def add(self, count: int) -> None:
        """So many more are answered."""
        self._count += count
        if time.monotonic() >= self._next:
            self.tell()

    def tell(self) -> None:
        """Tell of all since the last time."""
        count, self._count = self._count, 0
        self._next = time.monotonic() + TELL_EVERY_S
        if count:
            self._events.put((self._job, count))


def _until_over(events: _Events, jobs: int, lanes: int) -> Iterator[tuple[Job, int | None]]:
    """What the lanes tell, until all have been at every job."""
    left = dict[Job, int]()
    while sum(count == 0 for count in left.values()) < jobs:
        event = events.get()
        if isinstance(event, BaseException):
            raise event
        job, count = event
        if count is None:
            left[job] = left.get(job, lanes) - 1
        if count is not None or left[job] == 0:
            yield job, count
