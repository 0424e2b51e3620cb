"""What was looked at in snapshots, and what was found wrong."""

from __future__ import annotations

from dataclasses import dataclass, field

from evaluator.publish.snapshots.sources import SnapshotFiles


@dataclass(frozen=True)
class SnapshotProblem:
    """What is wrong with a file, and what to do about it."""

    file: str
    message: str

    def __str__(self) -> str:
        return f"{self.file}: {self.message}"


@dataclass
class Verified:
    """What was looked at and what was found: nothing wrong if there are no `problems`.

    `not_covered` names what is beside the snapshots, or used by their pages, and was not checked.
    """

    snapshots: int = 0
    files: int = 0
    ranked: int = 0
    problems: list[SnapshotProblem] = field(default_factory=list)
    not_covered: list[str] = field(default_factory=list)


def problem_of(source: SnapshotFiles, name: str, error: Exception) -> SnapshotProblem:
    """An error about a file, whose message may begin with the file."""
    return SnapshotProblem(source.where(name), str(error).removeprefix(f"{source.where(name)}: "))
