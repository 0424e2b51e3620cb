"""How a measurement is made, and which CPUs it is made on."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(frozen=True)
class Settings:
    """The settings of a measurement; times in seconds.

    `threads` is what the model may use; `repeats` the least number of fresh workers. Each is timed for
    at least `min_requests` *and* `min_duration_s`, or until it has been asked everything once; where all
    together stay below these, more workers are started. The warm-up of each takes at least
    `warmup_requests`, and `warmup_s` or as long as what is timed, where that is shorter.
    """

    threads: int = 1
    repeats: int = 3
    min_requests: int = 200
    min_duration_s: float = 5.0
    warmup_requests: int = 10
    warmup_s: float = 0.5

    def __post_init__(self) -> None:
        for name in ("threads", "repeats", "min_requests"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name}: {getattr(self, name)} is less than 1; give at least 1")


#: Whether this system lets a process choose its CPUs; macOS does not.
_PINS = hasattr(os, "sched_setaffinity")


def own_cpus() -> set[int]:
    """The CPUs that this thread may use."""
    return os.sched_getaffinity(0) if _PINS else set(range(os.cpu_count() or 1))


def worker_cpus(threads: int) -> tuple[int, ...]:
    """The CPUs to pin a worker of `threads` threads to: the last of ours, or none if it needs all."""
    own = sorted(own_cpus())
    return tuple(own[-threads:]) if _PINS and len(own) > threads else ()


@contextmanager
def apart_from(cpus: Sequence[int]) -> Iterator[None]:
    """Keep this thread, and the samplers it starts, off `cpus`."""
    with pinned_to(own_cpus() - set(cpus)):
        yield


@contextmanager
def beside(cpus: Sequence[int]) -> Iterator[None]:
    """Keep this thread on `cpus` (if any) while it asks the model that runs there.

    It sleeps until the answer comes, so it takes nothing from the model; and handing over on one CPU
    costs a third of waking another, idle one.
    """
    with pinned_to(set(cpus) or own_cpus()):
        yield


@contextmanager
def pinned_to(cpus: set[int]) -> Iterator[None]:
    """Keep this thread, and what it starts, on `cpus`, where the system lets it choose."""
    if not _PINS:
        yield
        return
    own = own_cpus()
    os.sched_setaffinity(0, cpus)
    try:
        yield
    finally:
        os.sched_setaffinity(0, own)
