"""System calls that Python has no function for. Linux only: elsewhere nothing here is called."""

from __future__ import annotations

import ctypes
import os

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_CAPBSET_DROP = 1, 4, 24
PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS = 36, 38
# Importing the module `signal` would cost the launcher a millisecond.
SIGKILL = 9

_LIBC = ctypes.CDLL(None, use_errno=True)


def call(name: str, *arguments: int | bytes | None) -> int:
    """What libc's function `name` returns; OSError with its errno if that is -1."""
    result = int(getattr(_LIBC, name)(*map(_argument, arguments)))
    if result == -1:
        error = ctypes.get_errno()
        raise OSError(error, f"{name}: {os.strerror(error)}")
    return result


def syscall(name: str, number: int, *arguments: int | bytes | None) -> int:
    """What system call `number` returns; OSError that names it if that is -1."""
    result = int(_LIBC.syscall(*map(_argument, (number, *arguments))))
    if result == -1:
        error = ctypes.get_errno()
        raise OSError(error, f"{name}: {os.strerror(error)}")
    return result


def prctl(option: int, value: int) -> None:
    """Set a property of this process. OSError if the system refuses."""
    call("prctl", option, value, 0, 0, 0)


def _argument(value: int | bytes | None) -> object:
    # Without a type ctypes passes integers as 32 bits.
    return ctypes.c_long(value) if isinstance(value, int) else value
