"""System calls that Python has no function for, and namespaces made with them. Linux only.

A process gets namespaces of its own: users, processes, the network, shared memory and a root of its own.

In that root is what a worker may read, read-only, and one small file system in memory. All that a model can
write lies there, ends with the last process in it, and its size is told by one call. So what is kept there
is known to the byte, files that were deleted included.
"""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Callable, Iterable

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_CAPBSET_DROP = 1, 4, 24
PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS = 36, 38
# Importing the module `signal` would cost the launcher a millisecond.
SIGKILL = 9

_LIBC = ctypes.CDLL(None, use_errno=True)


def call(name: str, *arguments: int | bytes | None) -> int:
    """What libc's function `name` returns; OSError with its errno if that is -1."""
    return _checked(name, getattr(_LIBC, name), arguments)


def syscall(name: str, number: int, *arguments: int | bytes | None) -> int:
    """What system call `number` returns; OSError that names it if that is -1."""
    return _checked(name, _LIBC.syscall, (number, *arguments))


def _checked(name: str, function: Callable[..., int], arguments: Iterable[int | bytes | None]) -> int:
    # Without a type ctypes passes integers as 32 bits.
    result = int(function(*(ctypes.c_long(one) if isinstance(one, int) else one for one in arguments)))
    if result == -1:
        error = ctypes.get_errno()
        raise OSError(error, f"{name}: {os.strerror(error)}")
    return result


def prctl(option: int, value: int) -> None:
    """Set a property of this process. OSError if the system refuses."""
    call("prctl", option, value, 0, 0, 0)


_USER = 0x10000000
FLAGS = {"pid": 0x20000000, "mount": 0x00020000, "network": 0x40000000, "ipc": 0x08000000}
_CAPABILITIES_VERSION = 0x20080522


def enter_namespaces(names: list[str]) -> None:
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


#: The worker's own folder, empty at its start: its home, its temporary folder, its working directory.
SCRATCH = "/steelyard"
SHARED = "/dev/shm"
DEVICES = ("/dev/null", "/dev/random", "/dev/urandom")

_MOUNT_SETATTR = 442
_READ_ONLY, _NO_SUID, _NO_DEVICES = 1, 2, 4
_AT_RECURSIVE, _AT_FDCWD = 0x8000, -100
_NOSUID, _NODEV, _NOEXEC, _BIND, _RECURSIVE, _PRIVATE = 2, 4, 8, 0x1000, 0x4000, 1 << 18
_DETACH = 2
_LINKS = {"/dev/fd": "/proc/self/fd", "/dev/stdin": "/proc/self/fd/0"}
_LINKS |= {"/dev/stdout": "/proc/self/fd/1", "/dev/stderr": "/proc/self/fd/2"}
# Something that is there on every Linux; what lies in it stays reachable by descriptors opened before.
_STAGE = "/tmp"
_FILES = 65536


def change_root(read: Iterable[str], size: int) -> None:
    """Give this process a root with `read` and at most `size` bytes to write
    (0: half of the machine's memory). OSError if it may not.

    It must be the first process of new PID and mount namespaces. Paths that do not exist are left out.
    """
    call("mount", b"none", b"/", None, _RECURSIVE | _PRIVATE, None)
    places = {path: place for path in _outermost(read) if (place := _opened(path)) is not None}
    devices = {path: place for path in DEVICES if (place := _opened(path)) is not None}
    os.umask(0o022)
    limit = f",size={size}" if size else ""
    options = f"mode=755,nr_inodes={_FILES}{limit}".encode()
    call("mount", b"tmpfs", _STAGE.encode(), b"tmpfs", _NOSUID | _NODEV, options)
    for path, place in places.items():
        _bind(place, path)
        _make_read_only(_STAGE + path, _AT_RECURSIVE)
    for path, place in devices.items():
        _bind(place, path)
    for path in (SCRATCH, SHARED):
        # A mount of a new folder, so that it can be written to though the root cannot.
        folder = _STAGE + path
        os.makedirs(folder)
        call("mount", folder.encode(), folder.encode(), None, _BIND, None)
    os.mkdir(_STAGE + "/proc")
    call("mount", b"proc", f"{_STAGE}/proc".encode(), b"proc", _NOSUID | _NODEV | _NOEXEC, None)
    # Root may write settings of the whole machine there, even without the rights of root.
    _make_read_only(f"{_STAGE}/proc", 0)
    for path, target in _LINKS.items():
        os.symlink(target, _STAGE + path)
    _pivot()


def _outermost(paths: Iterable[str]) -> list[str]:
    """The paths without those that lie below another of them."""
    found: list[str] = []
    for path in sorted({os.path.abspath(path) for path in paths}):
        if not any(path == other or path.startswith(other.rstrip("/") + "/") for other in found):
            found.append(path)
    return found


def _opened(path: str) -> int | str | None:
    """A descriptor of what is at `path`, or where it leads if it is a link at the top, such as /lib."""
    if os.path.islink(path) and path.count("/") == 1:
        return os.readlink(path)
    try:
        return os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return None


def _bind(place: int | str, path: str) -> None:
    target = _STAGE + path
    os.makedirs(os.path.dirname(target), exist_ok=True)
    if isinstance(place, str):
        os.symlink(place, target)
        return
    source = f"/proc/self/fd/{place}"
    if os.path.isdir(source):
        os.makedirs(target, exist_ok=True)
    else:
        os.close(os.open(target, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o444))
    call("mount", source.encode(), target.encode(), None, _BIND | _RECURSIVE, None)
    os.close(place)


def _make_read_only(path: str, flags: int) -> None:
    if os.path.islink(path):
        return
    attributes = struct.pack("=4Q", _READ_ONLY | _NO_SUID | _NO_DEVICES, 0, 0, 0)
    syscall("mount_setattr", _MOUNT_SETATTR, _AT_FDCWD, path.encode(), flags, attributes, len(attributes))


def _pivot() -> None:
    os.chdir(_STAGE)
    call("pivot_root", b".", b".")
    call("umount2", b".", _DETACH)
    os.chdir("/")
    _make_read_only("/", 0)
