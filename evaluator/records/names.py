"""Ids that are names of files: which ones every file system can have, wherever a repository is cloned."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

#: Names that Windows gives to devices, whatever follows a first dot.
DEVICES = frozenset(
    ["con", "prn", "aux", "nul", *(f"{port}{number}" for port in ("com", "lpt") for number in range(10))]
)


def name_problem(name: str) -> str | None:
    """Why some file system cannot have a file or folder of that name, with the fix; None where all can."""
    if name.partition(".")[0].casefold() in DEVICES:
        return f"{name!r} is a device on Windows, where no file can have that name; choose another id"
    if name.endswith("."):
        return f"{name!r} ends in a dot, which Windows leaves out of file names; choose another id"
    return None


def same_names(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Pairs of names, each with the first that is the same where capitals do not count (Windows, macOS)."""
    first: dict[str, str] = {}
    for name in names:
        other = first.setdefault(name.casefold(), name)
        if other != name:
            yield other, name


def same_as(other: str) -> str:
    """What is wrong with a name that differs from another by capitals only, with the fix."""
    return f"is {other!r} on file systems that do not tell capitals apart; choose another id"


def check_name(name: str, beside: Iterable[str] = ()) -> None:
    """Raise ValueError, with the fix, unless every file system can have `name` among those `beside` it."""
    if problem := name_problem(name):
        raise ValueError(problem)
    for other in beside:
        if other != name and other.casefold() == name.casefold():
            raise ValueError(f"{name!r} {same_as(other)}")
