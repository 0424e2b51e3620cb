"""The sampler: a small process beside each worker, run as a script with the standard library alone.

It samples the memory of the worker's whole process tree from outside, kills the tree when it passes
its cap or when the parent has gone, and drains what the model prints, of which it keeps the end. It is one
file, long as it is, because it is run without the rest of the package.

    python -S -E sampler.py ROOT MARK LOG_FD INTERVAL_MS CAP_BYTES KEEPERS WATCH SCRATCH FOLDER

MARK is in the worker's environment, so that every process that the model starts is known, orphans too.
KEEPERS is 1 if ROOT and its children only keep a PID namespace for the model, WATCH is 1 if the model
could stop the parent. Files that the model keeps count as memory: those below SCRATCH in a file system of
the worker's own, or those below FOLDER, which is removed in the end if the parent has gone.

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
import stat as modes
import subprocess
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


class Linux:
    """What /proc tells of processes; `portable_sampler` has another for systems without it."""

    def pids(self) -> set[int]:
        """The ids of all processes."""
        return {int(name) for name in os.listdir("/proc") if name.isdigit()}

    def stat(self, pid: int) -> Stat | None:
        """What the system says of a process; None if there is none."""
        text = _read(f"/proc/{pid}/stat")
        if not text:
            return None
        fields = text.rpartition(")")[2].split()
        return Stat(fields[0], int(fields[1]), int(fields[19]))

    def has_mark(self, pid: int, mark: str) -> bool:
        """Whether the environment of a process holds the mark."""
        return f"{MARK}={mark}" in _read(f"/proc/{pid}/environ", 2**20)

    def rss(self, pid: int) -> int:
        """Resident bytes."""
        fields = _read(f"/proc/{pid}/statm").split()
        return int(fields[1]) * _PAGE if fields else 0

    def pss(self, pid: int) -> int | None:
        """Resident bytes, each page shared out among its users; None if unknown."""
        return _kilobytes(_read(f"/proc/{pid}/smaps_rollup"), "Pss:")

    def high_water(self, pid: int) -> int:
        """The most bytes that were ever resident; 0 if unknown."""
        return _kilobytes(_read(f"/proc/{pid}/status"), "VmHWM:") or 0


LINUX = Linux()


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


def kill_tree(system: Linux, root: int, mark: str, known: Mapping[int, int] | None = None) -> None:
    """Kill `root`, its descendants, and what left its tree: bearers of `mark`, `known` (id: start time).

    `root` must not have been waited for yet, so that its id is still its own.
    """
    _signal(root, signal.SIGSTOP)
    for _ in range(100):
        table = {pid: entry for pid in system.pids() if (entry := system.stat(pid)) is not None}
        alive = {pid for pid, entry in table.items() if entry.state not in "ZX" and pid != root}
        strays = {pid for pid, start in (known or {}).items() if pid in table and table[pid].started == start}
        marked = {pid for pid in alive if system.has_mark(pid, mark)}
        family = alive & (descendants([root], table) | strays | marked)
        if not family:
            break
        for pid in family:
            _signal(pid, signal.SIGKILL)
        time.sleep(0.001)
    _signal(root, signal.SIGKILL)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(root, signal.SIGKILL)


def kill_namespace(root: int) -> None:
    """Kill the first process of a PID namespace, and with it all in it; `root`, its parent, then ends too."""
    first = [pid for pid in LINUX.pids() if (entry := LINUX.stat(pid)) is not None and entry.parent == root]
    for pid in first:
        _signal(pid, signal.SIGKILL)
    for _ in range(1000 if first else 0):
        # It waits for the first process, which would stay behind as a zombie otherwise.
        if (entry := LINUX.stat(root)) is None or entry.state in "ZX":
            return
        time.sleep(0.001)
    _signal(root, signal.SIGKILL)


def remove(folder: str) -> None:
    """Remove a folder that a model wrote, however deep it is and whatever it forbids."""
    if folder:
        # Python's own functions give up where folders are nested too deeply.
        for command in (["chmod", "-R", "u+rwX", folder], ["rm", "-rf", "--", folder]):
            subprocess.run(command, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)


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
    """A process and its descendants, kept up to date by looking at new processes only.

    With `keepers` the process and its children are no members: they only keep a namespace for the rest.
    """

    def __init__(self, system: Linux, root: int, mark: str, keepers: bool = False) -> None:
        self.system, self.root, self.mark, self.keepers = system, root, mark, keepers
        first = system.stat(root)
        self.members: dict[int, int] = {} if first is None or keepers else {root: first.started}
        self._keepers: set[int] = {root} if keepers else set()
        self._strangers: set[int] = set()

    def refresh(self) -> None:
        """Take in processes born and drop processes gone since the last time."""
        now = self.system.pids()
        self._strangers &= now
        self._keepers &= now
        self.members = {pid: start for pid, start in self.members.items() if pid in now}
        new = now - self._strangers - self._keepers - self.members.keys()
        table = {pid: entry for pid in new if (entry := self.system.stat(pid)) is not None}
        born = descendants({*self._keepers, *self.members}, table)
        if self.keepers:
            self._keepers |= {pid for pid in born if table[pid].parent == self.root}
        self.members.update((pid, table[pid].started) for pid in born - self._keepers)
        self._strangers |= new - born

    def kill(self) -> None:
        """Leave no member alive."""
        if self.keepers:
            kill_namespace(self.root)
        else:
            kill_tree(self.system, self.root, self.mark, self.members)

    def ended(self) -> bool:
        """Whether the root has exited."""
        entry = self.system.stat(self.root)
        return entry is None or entry.state in "ZX"

    def rss(self) -> int:
        """Resident bytes of all members, shared pages counted once for each."""
        return sum(map(self.system.rss, self.members))

    def pss(self) -> int | None:
        """Resident bytes of all members, each page shared out among its users; None if unknown."""
        known = [share for share in map(self.system.pss, self.members) if share is not None]
        return sum(known) if known else None

    def parent_stopped(self) -> bool:
        """Whether the process that started this one is stopped: the model could have done it."""
        parent = self.system.stat(os.getppid())
        return parent is not None and parent.state == "T"

    def high_water(self) -> int:
        """The most bytes that any member ever had."""
        return max(map(self.system.high_water, self.members), default=0)


class Files:
    """The bytes of the files that a model keeps.

    With `scratch` they lie in a file system of the worker's own, which one call tells about; otherwise
    below `folder`, and in files that were deleted while one of the processes has them open.
    """

    def __init__(self, tree: Tree, scratch: str, folder: str) -> None:
        self.tree, self.scratch, self.folder, self._last = tree, scratch, folder, 0

    def used(self, thorough: bool) -> int:
        """Bytes in use; where files must be looked at one by one, only if `thorough`, else as last time."""
        if self.scratch:
            self._last = self._in_file_system()
        elif thorough and self.folder:
            self._last = self._in_folder() + self._deleted()
        return self._last

    def _in_file_system(self) -> int:
        for pid in self.tree.members:
            with contextlib.suppress(OSError):
                # The interpreter may not have moved in yet: then there is no such folder.
                found = os.statvfs(f"/proc/{pid}/root{self.scratch}")
                return (found.f_blocks - found.f_bfree) * found.f_frsize
        return self._last

    def _in_folder(self) -> int:
        total, waiting = 0, [self.folder]
        while waiting:
            with contextlib.suppress(OSError), os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    with contextlib.suppress(OSError):
                        total += entry.stat(follow_symlinks=False).st_blocks * 512
                        if entry.is_dir(follow_symlinks=False):
                            waiting.append(entry.path)
        return total

    def _deleted(self) -> int:
        """Deleted files that are open, anonymous files of memory among them, each counted once."""
        found: dict[tuple[int, int], int] = {}
        for pid in self.tree.members:
            with contextlib.suppress(OSError), os.scandir(f"/proc/{pid}/fd") as entries:
                for entry in entries:
                    with contextlib.suppress(OSError):
                        at = os.stat(entry.path)
                        if modes.S_ISREG(at.st_mode) and at.st_nlink == 0:
                            found[at.st_dev, at.st_ino] = at.st_blocks * 512
        return sum(found.values())


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
    """Samples the memory of a tree by phase, and kills it when it is over `cap` bytes (0: no cap).

    What the model keeps in `files` is memory too. With `watch` the parent, which the model could stop, is
    looked at as well: if it is stopped the tree is killed and the parent woken.
    """

    tree: Tree
    files: Files
    cap: int
    watch: bool
    phases: dict[str, Phase] = field(default_factory=lambda: {"load": Phase()})
    current: str = "load"
    peak: int = 0
    killed_at: int | None = None
    woke_parent: bool = False
    last_pss: float = 0.0

    def tick(self, missed: int) -> None:
        """Take one sample into the current phase."""
        phase = self.phases[self.current]
        phase.missed += missed
        if self.killed_at is not None or self.woke_parent:
            return
        if self.tree.ended():
            self.tree.kill()
            self.tree.members = {}
            return
        self.tree.refresh()
        slow = time.monotonic() - self.last_pss >= _PSS_EVERY_S
        files = self.files.used(slow)
        used = self.tree.rss() + files
        phase.start = phase.start or used
        phase.rss += used
        phase.ticks += 1
        self.peak = max(self.peak, used)
        if slow:
            self._slow_sample(phase, files)
        if self.cap and used > self.cap:
            self._enforce(used, files)
        if self.watch and self.tree.parent_stopped():
            self.woke_parent = True
            self.tree.kill()
            _signal(os.getppid(), signal.SIGCONT)

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
        ended = {"killed_at_bytes": self.killed_at, "woke_parent": self.woke_parent}
        return {"peak_bytes": self.peak, **ended, "phases": phases}

    def _slow_sample(self, phase: Phase, files: int) -> None:
        self.last_pss = time.monotonic()
        self.peak = max(self.peak, self.tree.high_water())
        pss = self.tree.pss()
        if pss is not None:
            phase.pss += pss + files
            phase.pss_ticks += 1

    def _enforce(self, sampled: int, files: int) -> None:
        # Forked processes share pages that RSS counts twice; only what is really used may kill.
        pss = self.tree.pss()
        used = sampled if pss is None else pss + files
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
        self.sampler, self.log, self.interval_s, self.pending = sampler, log, interval_s, b""

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
        else:
            remove(self.sampler.files.folder)

    def _answer(self, answer: dict[str, object]) -> None:
        os.write(1, json.dumps(answer).encode() + b"\n")


def main(arguments: list[str], system: Linux = LINUX) -> None:
    """Watch the process named on the command line."""
    root, mark, descriptor, interval_ms, cap, keepers, watch, scratch, folder = arguments
    processes = Tree(system, int(root), mark, keepers == "1")
    sampler = MemorySampler(processes, Files(processes, scratch, folder), int(cap), watch == "1")
    SamplerLoop(sampler, Log(int(descriptor)), int(interval_ms) / 1000).run()


if __name__ == "__main__":
    main(sys.argv[1:])
