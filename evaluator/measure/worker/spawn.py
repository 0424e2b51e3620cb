"""Starting a worker's processes: its own, with its environment and scratch folder, and its sampler."""

from __future__ import annotations

import json
import os
import re
import secrets
import select
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from evaluator.measure.isolation.launcher import Plan
from evaluator.measure.isolation.namespaces import SCRATCH
from evaluator.measure.isolation.probing import ROOT, Layers, common, with_targets
from evaluator.measure.isolation.restrictions import SIGNALS_ABI
from evaluator.measure.worker import sampler
from evaluator.measure.worker.connection import Connection
from evaluator.measure.worker.protocol import MemoryUse, ModelToLoad, PhaseMemory, Placement

INTERVAL_MS = 25
_ANSWER_S = 20.0
_LINUX = ("-S", "-E", "-P", sampler.__file__)
_START_PORTABLE = (
    "import sys; sys.path.insert(0, sys.argv.pop(1));"
    " from evaluator.measure.worker.portable_sampler import main; main(sys.argv[1:])"
)
_PORTABLE = ("-E", "-P", "-c", _START_PORTABLE, ROOT)


def needs_portable() -> bool:
    """Whether this system has no /proc that tells what the sampler needs."""
    return not os.path.exists("/proc/self/statm")


@dataclass(frozen=True)
class TreeEnd:
    """How a tree was ended: bytes at which the cap was enforced, if it was; whether the model had stopped
    the parent; and the end of the log."""

    killed_at: int | None
    woke_parent: bool
    log: str


class SamplerHandle:
    """A running sampler of the tree of process `root`, whose environments hold `mark`.

    It drains descriptor `log` and caps the tree at `memory_bytes` (0: no cap). `layers` keep the model
    in; `folder` is its scratch folder where it has no file system of its own. It works by psutil if
    `portable`, else by /proc.
    """

    def __init__(
        self,
        root: int,
        mark: str,
        log: int,
        memory_bytes: int,
        layers: Layers,
        folder: str | None,
        portable: bool,
    ) -> None:
        self._root, self._mark, self._portable = root, mark, portable
        self._namespace = "pid" in layers.namespaces
        can_stop_parent = not self._namespace and layers.landlock < SIGNALS_ABI
        numbers = (log, INTERVAL_MS, memory_bytes, int(self._namespace), int(can_stop_parent))
        scratch = SCRATCH if "mount" in layers.namespaces else ""
        start = _PORTABLE if portable else _LINUX
        self.process = subprocess.Popen(
            [sys.executable, *start, str(root), mark, *map(str, numbers), scratch, folder or ""],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            pass_fds=(log,),
            start_new_session=True,
            bufsize=0,
        )

    def running(self) -> bool:
        """Whether the sampler still runs."""
        return self.process.poll() is None

    def members(self) -> set[int]:
        """The model's processes; none where only psutil tells of them."""
        if self._portable:
            return set()
        tree = sampler.Tree(sampler.LINUX, self._root, self._mark, self._namespace)
        tree.refresh()
        return set(tree.members)

    def phase(self, name: str) -> None:
        """Begin phase `name`; returns when the boundary has been sampled. EOFError without a sampler."""
        self._command(f"phase {name}")

    def report(self) -> MemoryUse:
        """The memory used so far, by phase. EOFError without a sampler."""
        answer = self._command("report")
        phases = {name: PhaseMemory(**fields) for name, fields in answer["phases"].items()}
        return MemoryUse(float(INTERVAL_MS), answer["peak_bytes"], phases)

    def stop(self) -> TreeEnd:
        """Kill the tree, and the sampler."""
        try:
            answer = self._command("stop")
        except EOFError:
            answer = {}
        # Again from here, in case the model had killed the sampler.
        if self._namespace:
            sampler.kill_namespace(self._root)
        elif self._portable:
            from evaluator.measure.worker.portable_sampler import Portable

            sampler.kill_tree(Portable(), self._root, self._mark)
        else:
            sampler.kill_tree(sampler.LINUX, self._root, self._mark)
        self.process.kill()
        self.process.communicate()
        return TreeEnd(answer.get("killed_at_bytes"), answer.get("woke_parent", False), answer.get("log", ""))

    def _command(self, command: str) -> dict[str, Any]:
        """The sampler's answer. EOFError if it is gone or does not answer."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        try:
            self.process.stdin.write(command.encode() + b"\n")
        except BrokenPipeError:
            raise EOFError from None
        answer = select.poll()
        answer.register(self.process.stdout, select.POLLIN)
        line = self.process.stdout.readline() if answer.poll(_ANSWER_S * 1000) else b""
        if not line:
            raise EOFError
        return dict(json.loads(line))


_SECRET = re.compile(r"TOKEN$|SECRET|PASSWORD|PASSWD|CREDENTIAL|API_?KEY", re.IGNORECASE)
_THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMEXPR_NUM_THREADS")
_FIXED = {
    "TOKENIZERS_PARALLELISM": "false",
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "PYTHONHASHSEED": "0",
    # Byte code written beside a handler would change the hash of the model's directory.
    "PYTHONDONTWRITEBYTECODE": "1",
}
_AT_HOME = ("HOME", "TMPDIR", "TEMP", "TMP", "PWD")
# What else leads to folders at home, which are not there for a model.
_AWAY = re.compile(r"XDG_\w+|OLDPWD|HF_HOME|MPLCONFIGDIR|\w+_CACHE|\w+_CACHE_DIR")
#: The launcher, with the project's folder and a plan as arguments.
LAUNCH = (
    "import sys; sys.path.insert(0, sys.argv[1]);"
    " from evaluator.measure.isolation.launcher import main; main(sys.argv[2])"
)


@dataclass(frozen=True)
class Processes:
    """A worker's process, the connection to it, the sampler that watches it, and the folder of its files.

    `folder` is None where a worker's files are in a file system of its own, which ends with it.
    """

    child: subprocess.Popen[bytes]
    link: Connection
    sampler: SamplerHandle
    folder: str | None

    def end(self) -> TreeEnd:
        """Kill all and leave nothing behind; what the sampler saw."""
        outcome = self.sampler.stop()
        self.child.wait()
        self.link.close()
        if self.folder is not None:
            sampler.remove(self.folder)
        return outcome


def environment(
    inherited: Mapping[str, str], placement: Placement, scratch: str, library: str = ROOT
) -> dict[str, str]:
    """The worker's environment: `inherited` without secrets, with thread counts and offline switches.

    Home and temporary files are in `scratch`, the package `evaluator` in `library`.
    """
    kept = {
        name: value
        for name, value in inherited.items()
        if not _SECRET.search(name) and not _AWAY.fullmatch(name)
    }
    path = os.pathsep.join(filter(None, [library, inherited.get("PYTHONPATH")]))
    threads = dict.fromkeys(_THREADS, str(placement.threads))
    return {**kept, **threads, **_FIXED, **dict.fromkeys(_AT_HOME, scratch), "PYTHONPATH": path}


def spawn(
    spec: ModelToLoad, placement: Placement, memory_bytes: int | None, layers: Layers, portable: bool
) -> Processes:
    """Start a worker that has opened no model yet, behind `layers`; `portable` chooses its sampler."""
    from evaluator.measure.models import FROM_HUB
    from evaluator.measure.models.pretrained import cache, cached_files

    scratch, library, folder = SCRATCH, ROOT, None
    if "mount" not in layers.namespaces:
        # Its files are in a folder that must be removed in the end. The project's folder is no library there:
        # who may import from it could list all that is in it.
        folder = tempfile.mkdtemp(prefix="steelyard-")
        scratch, library = os.path.join(folder, "scratch"), os.path.join(folder, "library")
        os.mkdir(scratch)
        os.mkdir(library)
        os.symlink(os.path.join(ROOT, "evaluator"), os.path.join(library, "evaluator"))
    # What this model may read besides: its own folder, or its folder in the cache of the hub.
    own = [] if spec.adapter == "null" else [str(spec.directory)]
    if spec.adapter in FROM_HUB and isinstance(name := spec.options.get("model"), str):
        own = [str(cached_files(name))]
    ours, theirs = socket.socketpair()
    log, printed = os.pipe()
    mark = secrets.token_hex(16)
    try:
        link = theirs.fileno()
        child_module = ("-P", "-X", "faulthandler", "-m", "evaluator.measure.worker.child")
        plan = Plan(
            parent=os.getpid(),
            link=link,
            cpus=list(placement.cpus),
            namespaces=list(layers.namespaces),
            landlock=layers.landlock > 0,
            seccomp=layers.seccomp,
            read=[*common(), *with_targets(own), *([library] if folder else [])],
            scratch=scratch,
            size=memory_bytes or 0,
            command=[sys.executable, *child_module, str(link)],
        )
        child = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", LAUNCH, ROOT, plan.to_text()],
            stdin=subprocess.DEVNULL,
            stdout=printed,
            stderr=printed,
            pass_fds=(link,),
            start_new_session=True,
            env={
                sampler.MARK: mark,
                **environment(os.environ, placement, scratch, library),
                "HF_HUB_CACHE": str(cache().absolute()),
            },
        )
        watcher = SamplerHandle(child.pid, mark, log, memory_bytes or 0, layers, folder, portable)
    finally:
        theirs.close()
        os.close(printed)
        os.close(log)
    return Processes(child, Connection(ours, child, watcher.process), watcher, folder)
