"""Landlock: what files a process may open, what it may connect to and whom it may signal.

It needs no privileges and works inside containers. What it holds for is inherited and cannot be taken off.
"""

from __future__ import annotations

import os
import stat
import struct
from collections.abc import Iterable

from evaluator.measure.isolation.libc import PR_SET_NO_NEW_PRIVS, prctl, syscall

_CREATE, _ADD_RULE, _RESTRICT = 444, 445, 446
_VERSION, _PATH_BENEATH = 1, 1

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 2, 4, 8
_REFER, _TRUNCATE, _IOCTL_DEV = 1 << 13, 1 << 14, 1 << 15
_READ = _EXECUTE | _READ_FILE | _READ_DIR
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEV
_BIND_AND_CONNECT_TCP = 3
_ABSTRACT_SOCKETS_AND_SIGNALS = 3

#: The first versions of the interface that know rules for the network, and scopes of signals.
NETWORK_ABI, SIGNALS_ABI = 4, 6


def abi() -> int:
    """The version of the kernel's interface. OSError where there is none."""
    return syscall("landlock_create_ruleset", _CREATE, None, 0, _VERSION)


def restrict(read: Iterable[str], write: Iterable[str]) -> None:
    """Keep this process to files below `read` and, for changes too, `write`; cut TCP; keep its signals in.

    Paths that do not exist are left out. OSError if the kernel refuses.
    """
    version = abi()
    handled = _handled(version)
    ruleset = syscall("landlock_create_ruleset", _CREATE, *_attributes(version, handled), 0)
    for path in read:
        _allow(ruleset, path, _READ)
    for path in write:
        # Of devices only those are there that one may write to; no command to them is needed.
        _allow(ruleset, path, handled & ~_IOCTL_DEV)
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    syscall("landlock_restrict_self", _RESTRICT, ruleset, 0)
    os.close(ruleset)


def _handled(version: int) -> int:
    """Every right on files that this version of the interface knows."""
    rights = _REFER - 1
    for since, right in ((2, _REFER), (3, _TRUNCATE), (5, _IOCTL_DEV)):
        rights |= right if version >= since else 0
    return rights


def _attributes(version: int, handled: int) -> tuple[bytes, int]:
    fields = [handled]
    if version >= NETWORK_ABI:
        fields.append(_BIND_AND_CONNECT_TCP)
    if version >= SIGNALS_ABI:
        fields.append(_ABSTRACT_SOCKETS_AND_SIGNALS)
    packed = struct.pack(f"={len(fields)}Q", *fields)
    return packed, len(packed)


def _allow(ruleset: int, path: str, rights: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        if not stat.S_ISDIR(os.fstat(place).st_mode):
            rights &= _OF_FILES
        syscall("landlock_add_rule", _ADD_RULE, ruleset, _PATH_BENEATH, struct.pack("=Qi", rights, place), 0)
    finally:
        os.close(place)
