"""The filter of system calls, run instruction by instruction as the kernel would, for each kind of machine."""

from __future__ import annotations

import errno

import pytest

from evaluator.measure.isolation.restrictions import call_filter

ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
ALLOWED = 0
MACHINES = pytest.mark.parametrize("machine", ARCHITECTURES)

#: Calls by number on x86_64 and aarch64, from the kernel's own tables.
NUMBERS = {
    "read": (0, 63),
    "write": (1, 64),
    "openat": (257, 56),
    "execve": (59, 221),
    "futex": (202, 98),
    "kill": (62, 129),
    "mmap": (9, 222),
    "madvise": (28, 233),
    "clone": (56, 220),
    "clone3": (435, 435),
    "socket": (41, 198),
    "prlimit64": (302, 261),
    "memfd_create": (319, 279),
    "shmget": (29, 194),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "sched_setaffinity": (203, 122),
    "sched_getaffinity": (204, 123),
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "io_uring_setup": (425, 425),
    "keyctl": (250, 219),
    "bpf": (321, 280),
}


def outcome(machine: str, name: str, *arguments: int, network: bool = True, architecture: int = 0) -> int:
    """The error number that the filter answers a call with; `ALLOWED` if it lets it through."""
    number = NUMBERS[name][0 if machine == "x86_64" else 1]
    return answer(machine, number, arguments, network, architecture or ARCHITECTURES[machine])


def answer(machine: str, number: int, arguments: tuple[int, ...], network: bool, architecture: int) -> int:
    words = {0: number, 4: architecture}
    words |= {16 + 8 * place: value & 0xFFFFFFFF for place, value in enumerate(arguments)}
    steps, at, loaded = call_filter(machine, network), 0, 0
    while True:
        code, if_true, if_false, value = steps[at]
        at += 1
        if code == 0x20:
            loaded = words.get(value, 0)
        elif code == 0x54:
            loaded &= value
        elif code == 0x15:
            at += if_true if loaded == value else if_false
        elif code == 0x35:
            at += if_true if loaded >= value else if_false
        else:
            assert code == 0x06
            return value & 0xFFFF if value >> 16 == 5 else ALLOWED


@MACHINES
@pytest.mark.parametrize("name", ["read", "write", "openat", "execve", "futex", "kill", "sched_getaffinity"])
def test_ordinary_calls_pass(machine: str, name: str) -> None:
    """What every program does is let through."""
    assert outcome(machine, name, 1, 2, 3) == ALLOWED


@MACHINES
@pytest.mark.parametrize(
    ("name", "error"),
    [
        *((name, errno.ENOSYS) for name in ("memfd_create", "shmget", "io_uring_setup", "clone3")),
        *((name, errno.EPERM) for name in ("ptrace", "process_vm_readv", "sched_setaffinity", "unshare")),
        *((name, errno.EPERM) for name in ("setns", "mount", "keyctl", "bpf")),
    ],
)
def test_refused_calls_are_refused(machine: str, name: str, error: int) -> None:
    """Each refused call answers with its error."""
    assert outcome(machine, name) == error


@MACHINES
def test_some_calls_depend_on_their_arguments(machine: str) -> None:
    """Private memory, threads and own limits are granted; what hides memory or makes namespaces is not."""
    private, shared, anonymous = 2, 1, 0x20
    assert outcome(machine, "mmap", 0, 4096, 3, private | anonymous) == ALLOWED
    assert outcome(machine, "mmap", 0, 4096, 3, shared) == ALLOWED
    assert outcome(machine, "mmap", 0, 4096, 3, shared | anonymous) == errno.EPERM
    assert outcome(machine, "madvise", 0, 4096, 4) == ALLOWED
    assert outcome(machine, "madvise", 0, 4096, 21) == errno.EPERM
    assert outcome(machine, "clone", 0x3D0F00) == ALLOWED
    for namespace in (0x10000000, 0x20000000, 0x00020000, 0x40000000, 0x08000000, 0x04000000, 0x02000000):
        assert outcome(machine, "clone", 17 | namespace) == errno.EPERM
    assert outcome(machine, "prlimit64", 0) == ALLOWED
    assert outcome(machine, "prlimit64", 1234) == errno.EPERM


@MACHINES
def test_only_local_sockets_where_there_is_a_network(machine: str) -> None:
    """A process that shares the host's network makes local sockets only; others may make all."""
    assert outcome(machine, "socket", 2, network=True) == ALLOWED
    assert outcome(machine, "socket", 1, network=False) == ALLOWED
    for family in (2, 10, 16, 17, 40):
        assert outcome(machine, "socket", family, network=False) == errno.EACCES


def test_no_other_set_of_numbers_gets_around_it() -> None:
    """Calls by the numbers of 32-bit programs, and of x32, are unknown altogether."""
    assert outcome("x86_64", "read", architecture=0x40000003) == errno.ENOSYS
    assert answer("x86_64", 0x40000000 | 319, (), True, ARCHITECTURES["x86_64"]) == errno.ENOSYS
