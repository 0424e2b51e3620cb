"""What the kernel refuses a model: files, TCP and signals by Landlock, system calls by seccomp.

Both need no privileges and work inside containers. What they hold for is inherited and cannot be taken off.

The filter of system calls is a program in the kernel's little language (classic BPF). Refused is what would
take memory that nobody counts, reach into other processes, leave something behind for the next worker, undo
other layers, or leave the CPUs that a model is pinned to.
"""

from __future__ import annotations

import ctypes
import errno
import os
import stat
import struct
from collections.abc import Iterable

from evaluator.measure.isolation.namespaces import PR_SET_NO_NEW_PRIVS, prctl, syscall

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


def landlock_abi() -> int:
    """The version of the kernel's interface. OSError where there is none."""
    return syscall("landlock_create_ruleset", _CREATE, None, 0, _VERSION)


def restrict_files(read: Iterable[str], write: Iterable[str]) -> None:
    """Keep this process to files below `read` and, for changes too, `write`; cut TCP; keep its signals in.

    Paths that do not exist are left out. OSError if the kernel refuses.
    """
    version = landlock_abi()
    handled = _file_rights(version)
    ruleset = syscall("landlock_create_ruleset", _CREATE, *_ruleset(version, handled), 0)
    for path in read:
        _allow_below(ruleset, path, _READ)
    for path in write:
        # Of devices only those are there that one may write to; no command to them is needed.
        _allow_below(ruleset, path, handled & ~_IOCTL_DEV)
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    syscall("landlock_restrict_self", _RESTRICT, ruleset, 0)
    os.close(ruleset)


def _file_rights(version: int) -> int:
    """Every right on files that this version of the interface knows."""
    rights = _REFER - 1
    for since, right in ((2, _REFER), (3, _TRUNCATE), (5, _IOCTL_DEV)):
        rights |= right if version >= since else 0
    return rights


def _ruleset(version: int, handled: int) -> tuple[bytes, int]:
    fields = [handled]
    if version >= NETWORK_ABI:
        fields.append(_BIND_AND_CONNECT_TCP)
    if version >= SIGNALS_ABI:
        fields.append(_ABSTRACT_SOCKETS_AND_SIGNALS)
    packed = struct.pack(f"={len(fields)}Q", *fields)
    return packed, len(packed)


def _allow_below(ruleset: int, path: str, rights: int) -> None:
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


# For each machine: the kernel's name of its architecture, the number of seccomp(2), and the column below.
_MACHINES = {"x86_64": (0xC000003E, 317, 0), "aarch64": (0xC00000B7, 277, 1)}
_X32_BIT = 0x40000000

# Programs look for a substitute where the kernel does not know a call.
_UNKNOWN = {
    "memfd_create": (319, 279), "memfd_secret": (447, 447), "shmget": (29, 194), "shmat": (30, 196),
    "semget": (64, 190), "msgget": (68, 186), "mq_open": (240, 180), "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426), "io_uring_register": (427, 427),
    # Its flags lie in memory, where a filter cannot look; libc falls back to clone.
    "clone3": (435, 435),
}  # fmt: skip
_FORBIDDEN = {
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271),
    "process_madvise": (440, 440), "process_mrelease": (448, 448), "pidfd_getfd": (438, 438),
    "kcmp": (312, 272), "add_key": (248, 217), "request_key": (249, 218), "keyctl": (250, 219),
    "bpf": (321, 280), "perf_event_open": (298, 241), "userfaultfd": (323, 282),
    "fanotify_init": (300, 262), "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41),
    "move_mount": (429, 429), "open_tree": (428, 428), "fsopen": (430, 430), "fsconfig": (431, 431),
    "fsmount": (432, 432), "fspick": (433, 433), "mount_setattr": (442, 442), "unshare": (272, 97),
    "setns": (308, 268), "chroot": (161, 51), "open_by_handle_at": (304, 265), "kexec_load": (246, 104),
    "kexec_file_load": (320, 294), "init_module": (175, 105), "finit_module": (313, 273),
    "delete_module": (176, 106), "swapon": (167, 224), "swapoff": (168, 225), "reboot": (169, 142),
    "sched_setaffinity": (203, 122), "sched_setscheduler": (144, 119), "sched_setparam": (142, 118),
    "sched_setattr": (314, 274), "setpriority": (141, 140), "ioprio_set": (251, 30),
    "migrate_pages": (256, 238), "move_pages": (279, 239),
}  # fmt: skip
_MMAP, _MADVISE, _CLONE, _SOCKET, _PRLIMIT = (9, 222), (28, 233), (56, 220), (41, 198), (302, 261)

_SHARED, _ANONYMOUS, _PAGEOUT = 0x01, 0x20, 21
_NEW_NAMESPACES = 0x7E020080
_UNIX = 1

_SET_FILTER, _SPEC_ALLOW = 1, 4
_LOAD, _EQUAL, _AT_LEAST, _AND, _RETURN = 0x20, 0x15, 0x35, 0x54, 0x06
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16

Instruction = tuple[int, int, int, int]


def has_filter() -> bool:
    """Whether there is a filter for this kind of machine."""
    return os.uname().machine in _MACHINES


def refuse_calls(network: bool) -> None:
    """Install the filter in this process, for good. OSError if the kernel refuses.

    Sockets that are not local may be made only if `network`: where they lead nowhere anyhow.
    """
    _, number, _ = _MACHINES[os.uname().machine]
    code = b"".join(struct.pack("=HBBI", *step) for step in call_filter(os.uname().machine, network))
    held = ctypes.create_string_buffer(code, len(code))
    described = struct.pack("@HP", len(code) // 8, ctypes.addressof(held))
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    # Without this flag some kernels would slow the whole process down.
    syscall("seccomp", number, _SET_FILTER, _SPEC_ALLOW, described)


def call_filter(machine: str, network: bool) -> list[Instruction]:
    """The filter for a kind of machine: instructions as (code, jump if true, jump if false, value)."""
    architecture, _, column = _MACHINES[machine]
    steps = [
        *_load_word(_ARCHITECTURE),
        (_EQUAL, 1, 0, architecture),
        _refusal(errno.ENOSYS),
        *_load_word(_NUMBER),
    ]
    if machine == "x86_64":
        steps += [(_AT_LEAST, 0, 1, _X32_BIT), _refusal(errno.ENOSYS)]
    steps += _if_called(_MMAP[column], _flags(3, _SHARED | _ANONYMOUS))
    steps += _if_called(_CLONE[column], _any_flag(0, _NEW_NAMESPACES))
    steps += _if_called(_MADVISE[column], _equals(2, _PAGEOUT))
    steps += _if_called(_PRLIMIT[column], _other_than(0, 0, errno.EPERM))
    if not network:
        steps += _if_called(_SOCKET[column], _other_than(0, _UNIX, errno.EACCES))
    for names, error in ((_UNKNOWN, errno.ENOSYS), (_FORBIDDEN, errno.EPERM)):
        for numbers in names.values():
            steps += [(_EQUAL, 0, 1, numbers[column]), _refusal(error)]
    return [*steps, (_RETURN, 0, 0, _ALLOW)]


def _if_called(number: int, rule: list[Instruction]) -> list[Instruction]:
    """`rule`, which refuses or goes on at its end, for call `number` alone; the number stays loaded."""
    return [(_EQUAL, 0, len(rule) + 1, number), *rule, (_RETURN, 0, 0, _ALLOW)]


def _flags(argument: int, flags: int) -> list[Instruction]:
    return [*_of(argument), (_AND, 0, 0, flags), (_EQUAL, 0, 1, flags), _refusal(errno.EPERM)]


def _any_flag(argument: int, flags: int) -> list[Instruction]:
    return [*_of(argument), (_AND, 0, 0, flags), (_EQUAL, 1, 0, 0), _refusal(errno.EPERM)]


def _equals(argument: int, value: int) -> list[Instruction]:
    return [*_of(argument), (_EQUAL, 0, 1, value), _refusal(errno.EPERM)]


def _other_than(argument: int, value: int, error: int) -> list[Instruction]:
    return [*_of(argument), (_EQUAL, 1, 0, value), _refusal(error)]


def _of(argument: int) -> list[Instruction]:
    """Load the lower half of an argument of the call."""
    return _load_word(_ARGUMENTS + 8 * argument)


def _load_word(offset: int) -> list[Instruction]:
    return [(_LOAD, 0, 0, offset)]


def _refusal(error: int) -> Instruction:
    return (_RETURN, 0, 0, _ERRNO | error)
