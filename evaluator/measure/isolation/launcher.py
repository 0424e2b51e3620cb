"""Puts a process behind the layers that isolate a model, and then becomes, or waits for, that process.

With a PID namespace there are three processes: the launcher stays outside, ends as the model ended, and
dies with the parent; its child is the first process of the namespace; the child of that is the model's.
Without one the launcher itself becomes the model's process.
"""

from __future__ import annotations

import marshal
import os
import resource
import select
import struct
import sys
from collections.abc import Callable

from evaluator.measure.isolation.namespaces import (
    DEVICES,
    PR_SET_CHILD_SUBREAPER,
    PR_SET_DUMPABLE,
    PR_SET_PDEATHSIG,
    SHARED,
    SIGKILL,
    change_root,
    drop_rights,
    enter_namespaces,
    prctl,
    run_as_first,
)
from evaluator.measure.isolation.restrictions import refuse_calls, restrict_files

#: What compiled libraries read of the system to set themselves up; nothing of other processes.
_PROC = ("cpuinfo", "meminfo", "stat", "loadavg", "version", "filesystems", "sys", "self", "thread-self")
#: What most systems allow a process by default.
_OPEN_FILES = 1024


class LayerFailed(OSError):  # noqa: N818
    """A layer that works on this host failed for this process."""


def main(text: str) -> None:
    """Do what the plan says; a layer that fails is reported on the plan's link."""
    plan = from_text(text)
    try:
        _launch(plan)
    except LayerFailed as error:
        _report(plan.link, str(error))
    os._exit(1)


def _launch(plan: Plan) -> None:
    _step("namespaces", lambda: enter_namespaces(plan.namespaces))
    _die_with(plan.parent)
    if "pid" not in plan.namespaces:
        if hasattr(os, "pidfd_open"):
            # Orphans come to this process, not to init, so the sampler still finds them in its tree.
            prctl(PR_SET_CHILD_SUBREAPER, 1)
        _confine_and_run(plan)
    hears, tells = os.pipe()
    first = os.fork()
    if first == 0:
        os.close(hears)
        _be_first(plan, tells)
    os.close(tells)
    os.close(plan.link)
    _end_like(hears, first)


def _be_first(plan: Plan, tells: int) -> None:
    """The first process of the namespace, from its birth to its end."""
    try:
        _die_with_launcher(tells)
        if "mount" in plan.namespaces:
            _step("mount", lambda: change_root(plan.read, plan.size))
        # The model may not look into this process either.
        prctl(PR_SET_DUMPABLE, 0)
        run_as_first(tells, lambda: _start(plan, tells))
    except LayerFailed as error:
        _report(plan.link, str(error))
    finally:
        os._exit(1)


def _start(plan: Plan, tells: int) -> int:
    model = os.fork()
    if model == 0:
        try:
            os.close(tells)
            os.setsid()
            _confine_and_run(plan)
        except LayerFailed as error:
            _report(plan.link, str(error))
        finally:
            os._exit(1)
    os.close(plan.link)
    return model


def _confine_and_run(plan: Plan) -> None:
    """Put the layers of a single process on, and run the command in its place."""
    if plan.cpus:
        os.sched_setaffinity(0, plan.cpus)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # What lies in pipes and sockets is memory that nobody counts.
    resource.setrlimit(resource.RLIMIT_NOFILE, (_OPEN_FILES, _OPEN_FILES))
    os.chdir(plan.scratch)
    if sys.platform == "linux":
        _step("capabilities", drop_rights)
    if plan.landlock:
        _step("landlock", lambda: restrict_files(_readable(plan), _writable(plan)))
    if plan.seccomp:
        _step("seccomp", lambda: refuse_calls(network="network" in plan.namespaces))
    os.set_inheritable(plan.link, True)
    try:
        os.execv(plan.command[0], plan.command)
    except OSError as error:
        raise LayerFailed(f"{plan.command[0]}: {error.strerror}") from error


def _readable(plan: Plan) -> list[str]:
    if "mount" in plan.namespaces:
        # Nothing else is there.
        return ["/"]
    system = [f"/proc/{name}" for name in _PROC]
    for path in system:
        # A rule is about the file as it is in memory now; an open descriptor keeps it there.
        _hold(path)
    return [*plan.read, *system, *DEVICES]


def _hold(path: str) -> None:
    try:
        os.set_inheritable(os.open(path, os.O_PATH), True)
    except OSError:
        return


def _writable(plan: Plan) -> list[str]:
    shared = [SHARED] if "mount" in plan.namespaces else []
    return [plan.scratch, "/dev/null", *shared]


def _die_with(parent: int) -> None:
    if sys.platform == "linux":
        # After the namespaces: a change of credentials would clear it.
        prctl(PR_SET_PDEATHSIG, SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def _die_with_launcher(tells: int) -> None:
    """As `_die_with`, where the parent's id is not visible: its end of the pipe shows whether it lives."""
    prctl(PR_SET_PDEATHSIG, SIGKILL)
    broken = select.poll()
    broken.register(tells, 0)
    if broken.poll(0):
        os._exit(1)


def _end_like(hears: int, first: int) -> None:
    """Wait for the namespace to end, and end as the model did."""
    reported = os.read(hears, 4)
    _, own = os.waitpid(first, 0)
    status = struct.unpack("=i", reported)[0] if len(reported) == 4 else own
    if not os.WIFSIGNALED(status):
        os._exit(os.WEXITSTATUS(status))
    import signal

    number = os.WTERMSIG(status)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if number not in (signal.SIGKILL, signal.SIGSTOP):
        signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


def _step(layer: str, action: Callable[[], None]) -> None:
    try:
        action()
    except OSError as error:
        raise LayerFailed(f"{layer}: {error.args[-1]}") from error


def _report(link: int, reason: str) -> None:
    """Tell the parent, in a frame of the worker's protocol, that the process could not be isolated."""
    import json

    error = {"kind": "isolation", "message": reason, "detail": ""}
    body = json.dumps({"id": "hello", "error": error}).encode()
    os.write(link, struct.pack(">I", len(body)) + body)


#: The layers in the order in which they are put on. ``"user"`` is a step to the first four, no layer itself.
NAMESPACES = ("pid", "mount", "network", "ipc")
LAYERS = (*NAMESPACES, "landlock", "seccomp")


# No dataclass: importing what makes one would double the launcher's time.
class Plan:
    """How to start one process: what it dies with, where it runs, what keeps it in.

    `link` is the descriptor that it gets and on which failures are reported, `read` what it may read,
    `scratch` the one folder that it may write to, `size` the bytes that fit there (0: no limit),
    `command` what is run, by its full path.
    """

    parent: int
    link: int
    cpus: list[int]
    namespaces: list[str]
    landlock: bool
    seccomp: bool
    read: list[str]
    scratch: str
    size: int
    command: list[str]

    def __init__(self, **fields: object) -> None:
        vars(self).update(fields)

    def to_text(self) -> str:
        """The plan as an argument of a command line."""
        return marshal.dumps(vars(self)).hex()


def from_text(text: str) -> Plan:
    """The plan that `Plan.to_text` wrote, by the same interpreter."""
    return Plan(**marshal.loads(bytes.fromhex(text)))
