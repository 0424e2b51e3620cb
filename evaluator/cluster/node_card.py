"""What a node shows before it is given anything: its software, its hardware and how fast it is."""

from __future__ import annotations

import functools
import platform
import statistics
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import evaluator
from evaluator.measure.isolation.probing import probe
from evaluator.measure.timing import fingerprint, worker_cpus
from evaluator.measure.timing.machine import reference_ns
from evaluator.measure.timing.measurement import batches
from evaluator.records.base import digest
from evaluator.records.result import Fingerprint

#: What may change an answer, its time, or how it travels.
PACKAGES = (
    *("cloudpickle", "dask", "distributed", "floret", "numpy", "onnxruntime", "pydantic", "scikit-learn"),
    *("scipy", "tokenizers", "torch", "transformers", "vaderSentiment"),
)
#: How far a node's speed may be from the first one's.
TOLERANCE = 0.05
#: Tries of which the fastest counts: other work on a machine only slows it.
_TRIES = 3


@dataclass(frozen=True)
class NodeCard:
    """A node; `overhead_ns` is the median round trip of a model that does nothing.

    The fingerprint's `reference_ns` is the median time of the reference workload; of both the least of some
    tries counts. `missing` are the layers of isolation that do not work there = why not.
    """

    fingerprint: Fingerprint
    overhead_ns: int
    missing: Mapping[str, str]


def measured_card(threads: int) -> NodeCard:
    """The card of this machine, which must do nothing else, for models with that many threads."""
    found = fingerprint(threads, worker_cpus(threads))
    fastest = min(found.reference_ns, *(reference_ns() for _ in range(_TRIES - 1)))
    overheads = [statistics.median(batch.times_ns) for batch in batches(_TRIES, threads)]
    found = found.model_copy(update={"reference_ns": fastest})
    return NodeCard(found, round(min(overheads)), probe().missing)


def versions() -> dict[str, str]:
    """The software that must be the same everywhere: name = version, "none" where it is not installed."""
    found = {"Python": platform.python_version(), "Steelyard": _own_code()}
    for name in PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = "none"
    return found


@functools.cache
def _own_code() -> str:
    """The version of Steelyard, and the hash of its code."""
    assert evaluator.__file__ is not None
    folder = Path(evaluator.__file__).parent
    code = {path.relative_to(folder).as_posix(): path.read_text("utf-8") for path in folder.rglob("*.py")}
    return f"{metadata.version('steelyard')} ({digest(code).removeprefix('sha256:')[:8]})"


def differences(here: Mapping[str, str], there: Mapping[str, str]) -> list[str]:
    """What a node has in another version, as ``torch 2.12.0, here 2.13.0``."""
    return [
        f"{name} {there.get(name, 'none')}, here {version}"
        for name, version in here.items()
        if there.get(name) != version
    ]


def class_of(card: NodeCard, first: NodeCard) -> str:
    """The name of a node's class: what `Fingerprint.key` begins with.

    A node like the first of a run except for its speed, beyond the tolerance, is ``-slower`` or ``-faster``.
    """
    name = card.fingerprint.key.removeprefix("sha256:")[:8]
    if card.fingerprint.key != first.fingerprint.key:
        return name
    ratios = [
        card.fingerprint.reference_ns / first.fingerprint.reference_ns,
        card.overhead_ns / first.overhead_ns,
    ]
    furthest = max(ratios, key=lambda ratio: max(ratio, 1 / ratio))
    if max(furthest, 1 / furthest) <= 1 + TOLERANCE:
        return name
    return f"{name}-{'slower' if furthest > 1 else 'faster'}"
