"""What the files of any evaluation tool say, in one shape."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from evaluator.exchange.logs.checks import file_hash

#: An answer, or a right one: the place of one of the example's choices, or a text; None where there is none.
Answer = int | str | None


class LoggedExample(NamedTuple):
    """One example as a tool kept it.

    `line` is where in its file, from 1. `asked` is what the model was asked, `fields` are what the tool kept
    of the example itself. `gold` are the right answers. `answers` and `scores` are by metric: what
    the tool took for the model's answer, and what it made of it, in the metric's own unit.
    """

    line: int
    id: str
    asked: str
    fields: Mapping[str, Any]
    choices: tuple[str, ...]
    gold: tuple[Answer, ...]
    answers: Mapping[str, Answer]
    scores: Mapping[str, float]


@dataclass(frozen=True)
class LoggedExamples:
    """The examples of a task, and the file that they are in."""

    path: Path
    rows: tuple[LoggedExample, ...]

    @property
    def sha256(self) -> str:
        """Hash of the file."""
        return file_hash(self.path)


@dataclass(frozen=True)
class LoggedTask:
    """One task: numbers and their standard errors by ``metric,filter``, each checked when it is used.

    `higher` says by metric whether more is better, where the files say so. `effective` examples of
    `original` were answered; None where the files do not say. `examples` reads what was kept of each; None
    where nothing was.
    """

    name: str
    values: Mapping[str, Any]
    errors: Mapping[str, Any] = field(default_factory=dict)
    higher: Mapping[str, bool] = field(default_factory=dict)
    version: str | None = None
    shots: int | None = None
    effective: int | None = None
    original: int | None = None
    examples: Callable[[], LoggedExamples] | None = None


@dataclass(frozen=True)
class EvaluationLog:
    """What a tool wrote of one model: facts of the whole run, and its tasks, each checked when it is used.

    `path` has the numbers, `sha256` is its hash. `tool` is what wrote it, at `home`, in `tool_version`.
    `date` is YYYY-MM-DD in UTC. `limit` says how many examples of each task, or which share of them, were
    answered. `shares` are the metrics that are shares of one.
    """

    path: Path
    sha256: str
    tool: str
    home: str
    tool_version: str
    tasks: tuple[str, ...]
    read_task: Callable[[str], LoggedTask]
    shares: frozenset[str]
    git: str | None = None
    date: str | None = None
    model_kind: str | None = None
    model_arguments: Mapping[str, str] = field(default_factory=dict)
    limit: str | None = None
    chat_template: bool = False

    def task(self, name: str) -> LoggedTask:
        """What is said of one of `tasks`. Raises `UserError`."""
        return self.read_task(name)
