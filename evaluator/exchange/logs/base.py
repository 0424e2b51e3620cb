"""What the files of any evaluation tool say, in one shape, and how they are read."""

from __future__ import annotations

import importlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from evaluator.data.nodes import Node, wrong
from evaluator.data.tasks import show
from evaluator.records.base import file_sha256
from evaluator.records.errors import UserError

#: An answer, or a right one: the place of one of the example's choices, or a text; None where there is none.
Answer = int | str | None

#: The way round everything that is about examples.
NONE = "or take the published numbers alone with --examples none"
AGAIN = "give the file as the tool wrote it"


class LoggedExample(NamedTuple):
    """One example as a tool kept it, in one of its trials, from 0.

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
    trial: int = 0


@dataclass(frozen=True)
class LoggedExamples:
    """The examples of a task, each once or in several trials, and the file that they are in.

    `unusable` says of others what is wrong with them.
    """

    path: Path
    rows: tuple[LoggedExample, ...]
    unusable: tuple[UserError, ...] = ()

    @classmethod
    def of(cls, path: Path, reads: Iterable[Callable[[], LoggedExample | None]]) -> LoggedExamples:
        """What each function reads, which may be None, or an error for an example that cannot be used.

        What has the id of another is a further trial of it: of their own numbers, if those are runs. Raises
        `UserError` where there are none.
        """
        found: list[LoggedExample] = []
        unusable = []
        for read in reads:
            try:
                row = read()
            except UserError as error:
                unusable.append(error)
                continue
            if row is not None:
                found.append(row)
        if not found and not unusable:
            raise UserError(path, "has no examples", AGAIN)
        numbers = {trial: at for at, trial in enumerate(sorted({row.trial for row in found}))}
        most = max(Counter(row.id for row in found).values(), default=0)
        # Where some example was asked in every run, and none twice in one, a number is the same run of all.
        are_runs = len(numbers) == most and len({(row.id, row.trial) for row in found}) == len(found)
        rows, times = [], Counter[str]()
        for row in sorted(found, key=attrgetter("trial")):
            rows.append(row._replace(trial=numbers[row.trial] if are_runs else times[row.id]))
            times[row.id] += 1
        return cls(path, tuple(rows), tuple(unusable))

    def whole(self) -> LoggedExamples:
        """The same, each example once. Raises the first error of an example that cannot be used."""
        if self.unusable:
            raise self.unusable[0]
        for row in self.rows:
            if row.trial:
                fix = f"run it with one epoch or trial, {NONE}"
                raise wrong("id", row.id, "was asked more than once", fix, f"{self.path}:{row.line}")
        return self

    @property
    def sha256(self) -> str:
        """Hash of the file."""
        return f"sha256:{file_sha256(self.path)}"


@dataclass(frozen=True)
class LoggedTask:
    """One task: numbers and their standard errors by ``metric,filter``, each checked when it is used.

    `shares` and `percents` are the keys of the numbers that are known to be shares of one, and in per cent.
    `units` are those of what examples took, such as seconds, which no answer implies. `higher` says by metric
    whether more is better, where that is known. `rounded` says that numbers may be rounded to their last
    digit. `effective` examples of
    `original` were answered; None where the files do not say. `scored` says of a metric on how many of them
    it is, where these are fewer. `examples` reads what was kept of each; None where nothing was.

    All else that can change the numbers, by name (`settings_of`): `settings` are those that a source says in
    words, `own` those of one metric; `definition` are those of the task itself, which are compared only.
    """

    name: str
    values: Mapping[str, Any]
    errors: Mapping[str, Any] = field(default_factory=dict)
    shares: frozenset[str] = frozenset()
    percents: frozenset[str] = frozenset()
    units: Mapping[str, str] = field(default_factory=dict)
    higher: Mapping[str, bool] = field(default_factory=dict)
    rounded: bool = False
    version: str | None = None
    shots: int | None = None
    effective: int | None = None
    original: int | None = None
    scored: Mapping[str, int] = field(default_factory=dict)
    settings: Mapping[str, str] = field(default_factory=dict)
    own: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    definition: Mapping[str, str] = field(default_factory=dict)
    examples: Callable[[], LoggedExamples] | None = None


@dataclass(frozen=True)
class EvaluationLog:
    """What a tool wrote of one model: facts of the whole run, and its tasks, each checked when it is used.

    `path` has the numbers. `tool` is what wrote it, at `home`, in `tool_version`. `read_task` raises
    `UserError`. `model` is what the tool calls the model, None where it does not say. `date` is YYYY-MM-DD in
    UTC. `limit` says how many examples of each task, or which share of them, were answered. `short` has other
    names of tasks, and `summaries` are those that are means over others.
    """

    path: Path
    tool: str
    home: str
    tasks: tuple[str, ...]
    read_task: Callable[[str], LoggedTask]
    model: str | None = None
    tool_version: str | None = None
    git: str | None = None
    date: str | None = None
    model_kind: str | None = None
    model_arguments: Mapping[str, str] = field(default_factory=dict)
    limit: str | None = None
    chat_template: bool = False
    short: Mapping[str, str] = field(default_factory=dict)
    summaries: frozenset[str] = frozenset()

    @property
    def sha256(self) -> str:
        """Hash of the file with the numbers."""
        return f"sha256:{file_sha256(self.path)}"

    @property
    def version(self) -> str:
        """That of the tool, for messages and citations."""
        return self.tool_version or "of unknown version"


def document(path: Path, content: bytes | str | None = None, where: str = "", fix: str = AGAIN) -> Node:
    """The value of a JSON file, or of its line or part `where`; numbers may be NaN, as tools write it.

    Raises `UserError`, also where an object has a key twice.
    """
    where = where or str(path)
    try:
        value = json.loads(path.read_bytes() if content is None else content, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        raise UserError(where, f"not JSON: {error}", fix) from None
    return Node(value, where=where)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"{show(twice)} occurs twice in one object")
    return found


def pyarrow(path: Path, module: str = "pyarrow") -> ModuleType:
    """`pyarrow` or a module of it, for `path`. Raises `UserError` where it is missing."""
    try:
        return importlib.import_module(module)
    except ImportError:
        fix = "pip install 'steelyard[parquet]'"
        raise UserError(path, "takes pyarrow to be read, which is missing", fix) from None
