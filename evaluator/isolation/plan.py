"""What the launcher is told to do, as plain values that travel between two processes in bytes."""

from __future__ import annotations

import marshal
from dataclasses import asdict, dataclass

#: The layers in the order in which they are put on. ``"user"`` is a step to the next four, no layer itself.
NAMESPACES = ("pid", "mount", "network", "ipc")
LAYERS = (*NAMESPACES, "landlock", "seccomp")


@dataclass(frozen=True)
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

    def to_text(self) -> str:
        """The plan as an argument of a command line."""
        return marshal.dumps(asdict(self)).hex()


def from_text(text: str) -> Plan:
    """The plan that `Plan.to_text` wrote, by the same interpreter."""
    return Plan(**marshal.loads(bytes.fromhex(text)))
