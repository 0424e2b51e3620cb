"""How a model was isolated while it was measured, in words."""

from __future__ import annotations

from evaluator.records.measurement import Isolation

#: What a model had to itself or was held to, by the layer that saw to it.
LAYERS = {
    "pid": "saw no processes but its own",
    "mount": "saw no files but its own and libraries, and could write to a scratch folder only",
    "network": "had no network",
    "ipc": "shared no memory with others",
    "landlock": "was held to its own files and processes by rules of the kernel (Landlock)",
    "seccomp": "could make no system call that hides memory or reaches into other processes (seccomp)",
}
#: The same layers where they were missing.
MISSING = {
    "pid": "processes of its own",
    "mount": "a file system of its own",
    "network": "a network of its own",
    "ipc": "shared memory of its own",
    "landlock": "the kernel's rules for files and signals (Landlock)",
    "seccomp": "a filter of system calls (seccomp)",
}


def kept_in(isolation: Isolation) -> tuple[str, ...]:
    """A sentence about how the model was isolated, and one about each layer that was missing."""
    held = [LAYERS[layer] for layer in isolation.layers]
    first = f"While it was measured, the model {_joined(held)}." if held else _NOTHING
    return first, *(f"Missing: {MISSING[layer]}. {_why(why)}" for layer, why in isolation.missing.items())


_NOTHING = "While it was measured, the model was limited by the rights of its user only."


def _why(reason: str) -> str:
    return f"The reason: {reason}." if reason else ""


def _joined(parts: list[str]) -> str:
    return f"{', '.join(parts[:-1])} and {parts[-1]}" if len(parts) > 1 else parts[0]
