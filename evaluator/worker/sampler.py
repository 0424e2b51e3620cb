"""The sampler: a small process beside each worker, run as a script with the standard library alone.

It samples the memory of the worker's whole process tree from outside, kills the tree when it passes
its cap or when the parent has gone, and drains what the model prints, of which it keeps the end.

    python -S -E sampler.py ROOT MARK LOG_FD INTERVAL_MS CAP_BYTES

MARK is in the worker's environment, so that every process that the model starts is known, orphans too.

Commands come as lines on standard input, answers go as JSON lines to standard output: ``phase NAME``
ends a phase and begins another, ``report`` gives all so far, ``stop`` kills the tree and gives all.
The end of standard input is a ``stop`` without an answer.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import sys
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

MARK = "STEELYARD_WORKER"
LOG_BYTES = 4096
_PAGE = os.sysconf("SC_PAGE_SIZE")
_PSS_EVERY_S = 1.0


@dataclass(frozen=True)
class Stat:
    """A line of ``/proc/PID/stat``: state letter, parent, and start time in clock ticks since boot."""

    state: str
    parent: int
    started: int


def stat(pid: int) -> Stat | None:
    """What the system says of a process; None if there is none."""
    text = _read(f"/proc/{pid}/stat")
    if not text:
        return None
    fields = text.rpartition(")")[2].split()
    return Stat(fields[0], int(fields[1]), int(fields[19]))


def pids() -> set[int]:
    """The ids of all processes."""
    return {int(name) for name in os.listdir("/proc") if name.isdigit()}


def descendants(roots: Iterable[int], table: Mapping[int, Stat]) -> set[int]:
    """The processes of `table` whose line of parents leads to one of `roots`, the roots left out."""
    children: dict[int, list[int]] = {}
    for pid, entry in table.items():
        children.setdefault(entry.parent, []).append(pid)
    found: set[int] = set()
    waiting = list(roots)
    while waiting:
        new = [pid for pid in children.get(waiting.pop(), ()) if pid not in found]
        found.update(new)
        waiting.extend(new)
    return found


def kill_tree(root: int, mark: str, known: Mapping[int, int] | None = None) -> None:
    """Kill `root`, its descendants, and what left its tree: bearers of `mark`, `known` (id: start time).

    `root` must not have been waited for yet, so that its id is still its own.
    """
    _signal(root, signal.SIGSTOP)
    for _ in range(100):
        table = {pid: entry for pid in pids() if (entry := stat(pid)) is not None}
        alive = {pid: entry for pid, entry in table.items() if entry.state not in "ZX" and pid != root}
        strays = {pid for pid, start in (known or {}).items() if pid in table and table[pid].started == start}
        marked = {pid for pid in alive if f"{MARK}={mark}" in _read(f"/proc/{pid}/environ", 2**20)}
        family = alive.keys() & (descendants([root], table) | strays | marked)
        if not family:
            break
        for pid in family:
            _signal(pid, signal.SIGKILL)
        time.sleep(0.001)
    _signal(root, signal.SIGKILL)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(root, signal.SIGKILL)


def _signal(pid: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


def _read(path: str, size: int = 8192) -> str:
    try:
        with open(path, "rb", buffering=0) as file:
            return (file.read(size) or b"").decode("utf-8", "replace")
    except OSError:
        return ""


def _kilobytes(text: str, name: str) -> int | None:
    """The bytes that a line ``Name:  123 kB`` of `text` states."""
    for line in text.splitlines():
        if line.startswith(name):
            return int(line.split()[1]) * 1024
    return None


class Tree:
    """A process and its descendants, kept up to date by looking at new processes only."""

    def __init__(self, root: int, mark: str) -> None:
        self.root = root
        self.mark = mark
        first = stat(root)
        self.members: dict[int, int] = {} if first is None else {root: first.started}
        self._strangers: set[int] = set()

    def refresh(self) -> None:
        """Take in processes born and drop processes gone since the last time."""
        now = pids()
        self._strangers &= now
        self.members = {pid: start for pid, start in self.members.items() if pid in now}
        new = now - self._strangers - self.members.keys()
        table = {pid: entry for pid in new if (entry := stat(pid)) is not None}
        born = descendants(self.members, table)
        self.members.update((pid, table[pid].started) for pid in born)
        self._strangers |= new - born

    def kill(self) -> None:
        """Leave no member alive."""
        kill_tree(self.root, self.mark, self.members)

    def ended(self) -> bool:
        """Whether the root has exited."""
        entry = stat(self.root)
        return entry is None or entry.state in "ZX"

    def rss(self) -> int:
        """Resident bytes of all members, shared pages counted once for each."""
        lines = (_read(f"/proc/{pid}/statm").split() for pid in self.members)
        return sum(int(fields[1]) * _PAGE for fields in lines if fields)

    def pss(self) -> int | None:
        """Resident bytes of all members, each page shared out among its users; None if unknown."""
        shares = [_kilobytes(_read(f"/proc/{pid}/smaps_rollup"), "Pss:") for pid in self.members]
        known = [share for share in shares if share is not None]
        return sum(known) if known else None

    def high_water(self) -> int:
        """The highest VmHWM of any member, in bytes."""
        marks = (_kilobytes(_read(f"/proc/{pid}/status"), "VmHWM:") for pid in self.members)
        return max((mark for mark in marks if mark is not None), default=0)


@dataclass
class Phase:
    """Sums of the samples of one phase."""

    start: int = 0
    ticks: int = 0
    missed: int = 0
    rss: int = 0
    pss: int = 0
    pss_ticks: int = 0

    def summary(self) -> dict[str, int | None]:
        """What a report says of the phase, in bytes."""
        return {
            "start_rss_bytes": self.start,
            "mean_rss_bytes": self.rss // self.ticks if self.ticks else 0,
            "mean_pss_bytes": self.pss // self.pss_ticks if self.pss_ticks else None,
            "ticks": self.ticks,
            "missed_ticks": self.missed,
        }


@dataclass
class MemorySampler:
    """Samples the memory of a tree by phase, and kills it when it is over `cap` bytes (0: no cap)."""

    tree: Tree
    cap: int
    phases: dict[str, Phase] = field(default_factory=lambda: {"load": Phase()})
    current: str = "load"
    peak: int = 0
    killed_at: int | None = None
    last_pss: float = 0.0

    def tick(self, missed: int) -> None:
        """Take one sample into the current phase."""
        phase = self.phases[self.current]
        phase.missed += missed
        if self.killed_at is not None or not self.tree.members:
            return
        if self.tree.ended():
            self.tree.kill()
            self.tree.members = {}
            return
        self.tree.refresh()
        rss = self.tree.rss()
        phase.start = phase.start or rss
        phase.rss += rss
        phase.ticks += 1
        self.peak = max(self.peak, rss)
        if time.monotonic() - self.last_pss >= _PSS_EVERY_S:
            self._slow_sample(phase)
        if self.cap and rss > self.cap:
            self._enforce(rss)

    def begin(self, name: str) -> None:
        """End the current phase with a full sample and begin phase `name` with another."""
        for phase in (self.current, name):
            self.current = phase
            self.phases.setdefault(phase, Phase())
            self.last_pss = 0.0
            self.tick(0)

    def report(self) -> dict[str, object]:
        """All that is known so far."""
        self.peak = max(self.peak, self.tree.high_water())
        phases = {name: phase.summary() for name, phase in self.phases.items()}
        return {"peak_bytes": self.peak, "killed_at_bytes": self.killed_at, "phases": phases}

    def _slow_sample(self, phase: Phase) -> None:
        self.last_pss = time.monotonic()
        self.peak = max(self.peak, self.tree.high_water())
        pss = self.tree.pss()
        if pss is not None:
            phase.pss += pss
            phase.pss_ticks += 1

    def _enforce(self, rss: int) -> None:
        # Forked processes share pages that RSS counts twice; only what is really used may kill.
        pss = self.tree.pss()
        used = rss if pss is None else pss
        if used > self.cap:
            self.killed_at = used
            self.tree.kill()


class Log:
    """The end of what the model prints. The descriptor is drained, so printing never blocks a model."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self.tail = b""
        os.set_blocking(descriptor, False)

    def drain(self) -> bool:
        """Read what is there now, at most a mebibyte; False when every writer has gone."""
        for _ in range(16):
            try:
                chunk = os.read(self.descriptor, 65536)
            except BlockingIOError:
                return True
            if not chunk:
                return False
            self.tail = (self.tail + chunk)[-LOG_BYTES:]
        return True


class SamplerLoop:
    """Waits for commands, for output of the model, and for the next tick."""

    def __init__(self, sampler: MemorySampler, log: Log, interval_s: float) -> None:
        self.sampler = sampler
        self.log = log
        self.interval_s = interval_s
        self.pending = b""

    def run(self) -> None:
        """Serve until ``stop`` or the end of standard input, then leave no process of the tree alive."""
        poller = select.poll()
        poller.register(0, select.POLLIN)
        poller.register(self.log.descriptor, select.POLLIN)
        due = time.monotonic()
        while True:
            due = self._tick_if(due)
            for descriptor, _ in poller.poll(max(0.0, (due - time.monotonic()) * 1000)):
                if descriptor == 0:
                    if not self._commands():
                        return
                elif not self.log.drain():
                    poller.unregister(descriptor)

    def _tick_if(self, due: float) -> float:
        """Sample if the time has come; the time of the next sample."""
        late = time.monotonic() - due
        if late < 0:
            return due
        missed = int(late / self.interval_s)
        self.sampler.tick(missed)
        return due + (missed + 1) * self.interval_s

    def _commands(self) -> bool:
        """Do what the commands that have come say; False after the last one."""
        received = os.read(0, 4096)
        *lines, self.pending = (self.pending + received).split(b"\n")
        for line in lines:
            word, _, name = line.decode().partition(" ")
            if word == "phase":
                self.sampler.begin(name)
                self._answer({})
            elif word == "report":
                self._answer(self.sampler.report())
            else:
                received = b""
        if not received:
            self._stop(answered=bool(lines))
        return bool(received)

    def _stop(self, answered: bool) -> None:
        report = self.sampler.report()
        self.sampler.tree.refresh()
        self.sampler.tree.kill()
        self.log.drain()
        if answered:
            self._answer({**report, "log": self.log.tail.decode("utf-8", "replace")})

    def _answer(self, answer: dict[str, object]) -> None:
        os.write(1, json.dumps(answer).encode() + b"\n")


def main(arguments: list[str]) -> None:
    """Watch the process named on the command line."""
    mark = arguments.pop(1)
    root, descriptor, interval_ms, cap = map(int, arguments)
    SamplerLoop(MemorySampler(Tree(root, mark), cap), Log(descriptor), interval_ms / 1000).run()


if __name__ == "__main__":
    main(sys.argv[1:])
