"""On which CPUs of which machine a measurement is made, and how fast that machine was just then."""

from __future__ import annotations

import functools
import os
import platform
import statistics
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path

import numpy as np

from evaluator.measure.timing.clock import Threads
from evaluator.measure.worker import needs_portable
from evaluator.records.measurement import Fingerprint

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


_LIBRARIES = (
    "numpy",
    "scikit-learn",
    "torch",
    "transformers",
    "floret",
    "vaderSentiment",
    "llama-cpp-python",
)
_REFERENCES, _RUNS = 7, 3


def fingerprint(
    threads: int, affinity: Sequence[int], references: Mapping[str, int] | None = None
) -> Fingerprint:
    """Describe this machine; call it with this process's own affinity, before it is moved aside.

    `references` has, by keys of machines, what their reference workload took before: it is kept, so that
    results of different days are in the same unit.
    """
    found = _described(threads, tuple(affinity), len(own_cpus()))
    known = (references or {}).get(found.key)
    return found.model_copy(update={"reference_ns": known}) if known else found


@functools.cache
def _described(threads: int, affinity: tuple[int, ...], cores: int) -> Fingerprint:
    """Once a process: all models that it times have one unit."""
    return Fingerprint(
        cpu=_cpu(),
        cores=cores,
        governor=_governor(affinity),
        memory_bytes=os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"),
        os=_system(),
        python=f"{platform.python_implementation()} {platform.python_version()}",
        libraries=_versions(),
        threads=threads,
        affinity=affinity,
        reference_ns=reference_ns(),
        sampler="portable" if needs_portable() else "linux",
    )


def reference_ns() -> int:
    """The usual time of the reference workload on this machine, in nanoseconds."""
    with Threads() as threads:
        return round(statistics.median(reference(threads) for _ in range(_REFERENCES)))


def reference(threads: Threads) -> float:
    """Nanoseconds that a fixed workload takes just now: half interpreter and half small matrix products.

    The median of a few runs, as one in several is slowed by what the CPU did before.
    """
    return statistics.median(threads.time_own(_workload).net_ns for _ in range(_RUNS))


def _workload() -> None:
    counts: dict[int, int] = {}
    for number in range(60_000):
        counts[number * 7919 % 1009] = counts.get(number % 1009, 0) + 1
    # 64 x 64 is below the size at which BLAS starts threads.
    matrix = np.linspace(0.0, 1.0, 64 * 64).reshape(64, 64)
    for _ in range(400):
        matrix = matrix @ matrix
        matrix /= matrix.max()


def _cpu() -> str:
    described = Path("/proc/cpuinfo")
    for line in described.read_text().splitlines() if described.exists() else ():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def _governor(affinity: Sequence[int]) -> str | None:
    cpu = affinity[0] if affinity else min(own_cpus())
    file = Path(f"/sys/devices/system/cpu/cpu{cpu}/cpufreq/scaling_governor")
    return file.read_text().strip() if file.exists() else None


def _system() -> str:
    try:
        name = platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        name = platform.system()
    return f"{name}, kernel {platform.release()}"


def _versions() -> dict[str, str]:
    found = {}
    for name in _LIBRARIES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found
