"""What the files of any evaluation tool say, in one shape, and how they are read."""

from __future__ import annotations

import hashlib
import importlib
import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from evaluator.data.nodes import Node, wrong
from evaluator.data.tasks import show
from evaluator.records.errors import UserError

#: An answer, or a right one: the place of one of the example's choices, or a text; None where there is none.
Answer = int | str | None

LOCAL = "(local path)"
#: A number, a word, or a repository ``owner/name``; what has more folders or starts with a dot or a
#: slash is a place on somebody's machine.
_PUBLIC = re.compile(r"[A-Za-z0-9][\w.+-]*(/[A-Za-z0-9][\w.+-]*)?", re.ASCII)
_WORD = re.compile(r"[\w.+-]{1,64}", re.ASCII)
#: What tools write where they know nothing.
UNKNOWN = (None, "", " ", "N/A", "Yaml")
AGAIN = "give the file as the tool wrote it"


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

    @classmethod
    def of(cls, path: Path, rows: Iterable[LoggedExample]) -> LoggedExamples:
        """All of them. Raises `UserError` where there are none, and where one was asked several times."""
        found: dict[str, LoggedExample] = {}
        for row in rows:
            if row.id in found:
                fix = "take its numbers with --examples none, or run it with one epoch or trial"
                raise wrong("id", row.id, "was asked more than once", fix, f"{path}:{row.line}")
            found[row.id] = row
        if not found:
            raise UserError(path, "has no examples", AGAIN)
        return cls(path, tuple(found.values()))

    @property
    def sha256(self) -> str:
        """Hash of the file."""
        return _file_hash(self.path)


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

    `path` has the numbers. `tool` is what wrote it, at `home`, in `tool_version`. `read_task` raises
    `UserError`. `date` is YYYY-MM-DD in UTC. `limit` says how many examples of each task, or which share of
    them, were answered. `shares` are the metrics that are shares of one.
    """

    path: Path
    tool: str
    home: str
    tasks: tuple[str, ...]
    read_task: Callable[[str], LoggedTask]
    shares: frozenset[str]
    tool_version: str | None = None
    git: str | None = None
    date: str | None = None
    model_kind: str | None = None
    model_arguments: Mapping[str, str] = field(default_factory=dict)
    limit: str | None = None
    chat_template: bool = False

    @property
    def sha256(self) -> str:
        """Hash of the file with the numbers."""
        return _file_hash(self.path)

    @property
    def version(self) -> str:
        """That of the tool, for messages and citations."""
        return self.tool_version or "of unknown version"


def _file_hash(path: Path) -> str:
    with path.open("rb") as file:
        return "sha256:" + hashlib.file_digest(file, "sha256").hexdigest()


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


def word_if_any(value: Any) -> str | None:
    """A version or a hash: short, and nothing that could be a place or markup."""
    return value if isinstance(value, str) and value not in UNKNOWN and _WORD.fullmatch(value) else None


def version(node: Node, key: str) -> str | None:
    """The version of a task, of which 1 and 1.0 are the same. Raises `UserError`."""
    value = node.get(key)
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = f"{node.number(key):g}"
    if value in UNKNOWN:
        return None
    if (word := word_if_any(value)) is None:
        fix = "give at most 64 letters, digits and . _ + -, or leave it out"
        raise node.wrong(key, "is not a version", fix)
    return word


def public(value: Any) -> str:
    """What a model or a part of it was loaded from, unless that is a place."""
    found = str(value)
    return found if len(found) <= 200 and _PUBLIC.fullmatch(found) else LOCAL


def scores_of(node: Node, keys: Mapping[str, str]) -> dict[str, float]:
    """The numbers under names of an example's metrics, by the metrics; nothing where one is not a number."""
    values = {metric: (name, node.get(name)) for metric, name in keys.items()}
    return {
        metric: float(value) if isinstance(value, bool) else node.number(name)
        for metric, (name, value) in values.items()
        if isinstance(value, bool | int | float)
    }


def pyarrow(path: Path, module: str = "pyarrow") -> ModuleType:
    """`pyarrow` or a module of it, for `path`. Raises `UserError` where it is missing."""
    try:
        return importlib.import_module(module)
    except ImportError:
        fix = "pip install 'steelyard[parquet]'"
        raise UserError(path, "takes pyarrow to be read, which is missing", fix) from None
