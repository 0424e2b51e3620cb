"""What the worker does to itself, before any code of the model runs, so that a model hurts only itself."""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

_CLONE_NEWUSER, _CLONE_NEWNET = 0x10000000, 0x40000000
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
_LIBC = ctypes.CDLL(None, use_errno=True)

# Address first or second among the arguments of each audit event, by the event's name.
_ADDRESS = {
    "socket.connect": 1,
    "socket.bind": 1,
    "socket.sendto": 1,
    "socket.sendmsg": 1,
    "socket.getaddrinfo": 0,
    "socket.gethostbyname": 0,
    "socket.gethostbyaddr": 0,
}


class NetworkRefused(PermissionError):  # noqa: N818
    """The model tried to use the network. An OSError, so that libraries that can do without, do."""


def confine(parent: int, cpus: Sequence[int]) -> dict[str, str]:
    """Pin this process to `cpus` (if any), tie its life to process `parent`, cut its network.

    Returns what was achieved, for the record.
    """
    if cpus:
        os.sched_setaffinity(0, cpus)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    network = _cut_network()
    sys.addaudithook(_refuse_network)
    _die_with(parent)
    # Orphans come to this process, not to init, so the sampler still finds them in its tree.
    _LIBC.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    return {"network": network}


def _cut_network() -> str:
    """Enter an empty network namespace where the system allows it."""
    user, group = os.getuid(), os.getgid()
    if _LIBC.unshare(_CLONE_NEWNET) == 0:
        return "namespace + audit hook"
    if _LIBC.unshare(_CLONE_NEWUSER | _CLONE_NEWNET) != 0:
        return "audit hook"
    own = Path("/proc/self")
    (own / "setgroups").write_text("deny")
    (own / "uid_map").write_text(f"{user} {user} 1")
    (own / "gid_map").write_text(f"{group} {group} 1")
    return "namespace + audit hook"


def _die_with(parent: int) -> None:
    # After the namespaces: a change of credentials would clear it.
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)


def _refuse_network(event: str, arguments: tuple[Any, ...]) -> None:
    position = _ADDRESS.get(event)
    if position is None:
        return
    address = arguments[position]
    local = position == 1 and (address is None or isinstance(address, (str, bytes)))
    if not local:
        raise NetworkRefused(_name(arguments[position:]))


def _name(rest: tuple[Any, ...]) -> str:
    """``host:port`` from the arguments of an event, from its address on."""
    parts = rest[0] if isinstance(rest[0], tuple) else rest[:2]
    return ":".join(str(part) for part in parts[:2] if part is not None)
