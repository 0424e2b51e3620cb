"""The members of the cluster: what a node shows before it is given anything, and whether it is used.

It shows its software, its hardware and how fast it is.
"""

from __future__ import annotations

import functools
import platform
import statistics
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from evaluator import __version__
from evaluator.cluster.connecting import START
from evaluator.measure.isolation.probing import probe
from evaluator.measure.timing import fingerprint, worker_cpus
from evaluator.measure.timing.machine import reference_ns
from evaluator.measure.timing.measurement import batches
from evaluator.records.base import digest
from evaluator.records.board import Boards
from evaluator.records.errors import UserError
from evaluator.records.measurement import Fingerprint

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
    """A node: its machine, the median round trip of the null model, and what isolation is missing there."""

    fingerprint: Fingerprint
    overhead_ns: int
    missing: Mapping[str, str]


def measured_card(threads: int) -> NodeCard:
    """The card of this machine, which must do nothing else, for models with that many threads."""
    found = fingerprint(threads, worker_cpus(threads))
    fastest = min(found.reference_ns, *(reference_ns() for _ in range(_TRIES - 1)))
    overhead = min(statistics.median(times) for times in batches(_TRIES, threads))
    return NodeCard(found.model_copy(update={"reference_ns": fastest}), round(overhead), probe().missing)


@functools.cache
def versions() -> Mapping[str, str]:
    """The software that must be the same everywhere: name = version, "none" where it is not installed.

    Steelyard's has the hash of its code.
    """
    folder = Path(__file__).parents[1]
    code = {path.relative_to(folder).as_posix(): path.read_text("utf-8") for path in folder.rglob("*.py")}
    own = f"{__version__} ({digest(code).removeprefix('sha256:')[:8]})"
    found = {"Python": platform.python_version(), "Steelyard": own}
    for name in PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = "none"
    return found


def differences(here: Mapping[str, str], there: Mapping[str, str]) -> list[str]:
    """What a node has in another version, as ``torch 2.12.0, here 2.13.0``."""
    pairs = ((name, version, there.get(name, "none")) for name, version in here.items())
    return [f"{name} {other}, here {version}" for name, version, other in pairs if other != version]


def class_of(card: NodeCard, first: NodeCard) -> str:
    """The name of a node's class: what `Fingerprint.key` begins with.

    A node like the first of a run except for its speed, beyond the tolerance, is ``-slower`` or ``-faster``.
    """
    name = card.fingerprint.key.removeprefix("sha256:")[:8]
    if card.fingerprint.key != first.fingerprint.key:
        return name
    speed = card.fingerprint.reference_ns / first.fingerprint.reference_ns
    furthest = max(speed, card.overhead_ns / first.overhead_ns, key=lambda ratio: max(ratio, 1 / ratio))
    if max(furthest, 1 / furthest) <= 1 + TOLERANCE:
        return name
    return f"{name}-{'slower' if furthest > 1 else 'faster'}"


class Membership:
    """The workers by their addresses, one a machine; of a cluster that is `local` all are on this machine.

    Models are timed on machines of the first one's class only, and there by one worker. `say` is told of
    workers that are refused, and of classes.
    """

    def __init__(self, boards: Boards, local: bool, say: Callable[[str], None]) -> None:
        self.isolation, self.local, self.say = boards.measure.isolation, local, say
        self.hosts: dict[str, str] = {}
        self.refused: dict[str, str] = {}
        self.classes: dict[str, str] = {}
        self._here = versions()
        self._showing: dict[str, str] = {}
        self._first: NodeCard | None = None
        #: The class whose machines are timed on; None before there is one.
        self.first_class: str | None = None

    def update(self, present: Mapping[str, Mapping[str, Any]]) -> tuple[list[str], dict[str, bool]]:
        """Those that are gone, and those to be asked what they are: whether for their machine's card, too.

        `present` is what the scheduler says of each worker. Raises `UserError` if every one is refused.
        """
        known = {**self.hosts, **self._showing}
        gone = sorted(address for address in known if address not in present)
        for address in gone:
            self.hosts.pop(address, None)
            self._showing.pop(address, None)
        self.refused = {address: why for address, why in self.refused.items() if address in present}
        asked = {}
        for address in sorted(present.keys() - known.keys() - self.refused.keys()):
            worker, host = present[address], present[address]["host"]
            taken = [other for other, where in {**self.hosts, **self._showing}.items() if where == host]
            if worker["resources"].get("slot") != 1:
                self.refuse(address, f"it does not offer the resource slot=1; start it with: {START}")
            elif worker["memory_limit"]:
                self.refuse(address, f"Dask would kill it for the memory of a model; start it with: {START}")
            elif taken and not self.local:
                self.refuse(address, f"{taken[0]} is on the same machine; start one worker a machine")
            elif not taken or host in self.classes:
                self._showing[address] = host
                asked[address] = host not in self.classes
        if present and present.keys() == self.refused.keys():
            reasons = "\n".join(f"  {address}: {why}" for address, why in sorted(self.refused.items()))
            raise UserError(f"none of the cluster's workers can be used:\n{reasons}")
        return gone, asked

    def forget(self, address: str) -> None:
        """What a worker is did not arrive: it is to be asked again."""
        self._showing.pop(address, None)

    def showed(self, address: str, found: Mapping[str, str], card: NodeCard | None) -> None:
        """A worker showed its versions, perhaps its machine's card: from now on it is used, or refused."""
        host = self._showing.pop(address, None)
        if host is None:
            return
        if different := differences(self._here, found):
            self.refuse(address, f"other versions: {'; '.join(different)}; install the same there")
        elif card is not None and self.isolation == "required" and card.missing:
            reasons = "; ".join(f"{layer}: {why}" for layer, why in card.missing.items())
            why = f"measure.isolation is required, and models cannot be isolated there: {reasons}"
            self.refuse(address, why)
        else:
            self.hosts[address] = host
            if card is not None:
                self._first = self._first or card
                self.classes[host] = class_of(card, self._first)
                self.first_class = self.first_class or self.classes[host]
                end = "" if self.classes[host] == self.first_class else ": nothing is timed there"
                self.say(f"node {host} is of class {self.classes[host]}{end}")

    def may_time(self, address: str) -> bool:
        """Whether models are timed by a worker."""
        host = self.hosts[address]
        first = min(other for other, where in self.hosts.items() if where == host)
        return self.classes[host] == self.first_class and address == first

    def share_of(self, address: str) -> tuple[int, int]:
        """Which part of its machine's CPUs a worker may use, from 0, and of how many."""
        workers = sorted(other for other, host in self.hosts.items() if host == self.hosts[address])
        return workers.index(address), len(workers)

    def refuse(self, address: str, problem: str) -> None:
        """Give a worker nothing, for as long as it is there."""
        self.hosts.pop(address, None)
        self._showing.pop(address, None)
        self.say(f"{address} is not used: {problem}")
        self.refused[address] = problem
