"""Namespaces of a process: users, processes, mounts, the network and shared memory of its own."""

from __future__ import annotations

import os
import struct
from collections.abc import Callable

from evaluator.measure.isolation.libc import PR_CAPBSET_DROP, call, prctl

_USER = 0x10000000
FLAGS = {"pid": 0x20000000, "mount": 0x00020000, "network": 0x40000000, "ipc": 0x08000000}
_CAPABILITIES_VERSION = 0x20080522


def enter(names: list[str]) -> None:
    """Move this process into new namespaces; of ``"pid"`` its children only. OSError if it may not.

    With ``"user"`` among `names` it stays who it was, and gets the rights that the others take.
    """
    if "user" in names:
        enter_user()
    flags = sum(FLAGS[name] for name in names if name != "user")
    if flags:
        call("unshare", flags)


def enter_user() -> None:
    """Enter a user namespace in which this process is who it was."""
    user, group = os.getuid(), os.getgid()
    call("unshare", _USER)
    _write("setgroups", "deny")
    _write("uid_map", f"{user} {user} 1")
    _write("gid_map", f"{group} {group} 1")


def drop_rights() -> None:
    """Give up every capability, and with it all that root may do more than others, for good."""
    number = 0
    while True:
        try:
            prctl(PR_CAPBSET_DROP, number)
        except OSError:
            # Past the last one, or there are none to drop.
            break
        number += 1
    call("capset", struct.pack("=Ii", _CAPABILITIES_VERSION, 0), bytes(24))


def run_as_first(report: int, start: Callable[[], int]) -> None:
    """Be the first process of a PID namespace: `start` the model's, adopt orphans, end with it.

    The model's wait status goes to the descriptor `report` as four bytes. When this returns and the
    process ends, the kernel kills whatever is left in the namespace.
    """
    model = start()
    while True:
        pid, status = os.wait()
        if pid == model:
            os.write(report, struct.pack("=i", status))
            return


def _write(name: str, text: str) -> None:
    try:
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)
    except OSError as error:
        raise OSError(error.errno, f"/proc/self/{name}: {error.strerror}") from None
