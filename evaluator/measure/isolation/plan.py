"""What the launcher is told to do, as plain values that travel between two processes in bytes."""

from __future__ import annotations

import marshal

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

    def __init__(
        self,
        *,
        parent: int,
        link: int,
        cpus: list[int],
        namespaces: list[str],
        landlock: bool,
        seccomp: bool,
        read: list[str],
        scratch: str,
        size: int,
        command: list[str],
    ) -> None:
        self.parent = parent
        self.link = link
        self.cpus = cpus
        self.namespaces = namespaces
        self.landlock = landlock
        self.seccomp = seccomp
        self.read = read
        self.scratch = scratch
        self.size = size
        self.command = command

    def to_text(self) -> str:
        """The plan as an argument of a command line."""
        return marshal.dumps(vars(self)).hex()


def from_text(text: str) -> Plan:
    """The plan that `Plan.to_text` wrote, by the same interpreter."""
    return Plan(**marshal.loads(bytes.fromhex(text)))
