"""What the files of any evaluation tool say, in one shape, and the checks that their readers share."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from evaluator.interchange.errors import InterchangeError
from evaluator.tasks import is_text, show

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
        """What is said of one of `tasks`. Raises `InterchangeError`."""
        return self.read_task(name)


def wrong(path: Path | str, where: str, value: Any, problem: str, fix: str) -> InterchangeError:
    """The error for a value of a file."""
    return InterchangeError(f"{path}: {where}: {problem} (got {show(value)}); {fix}")


def number(path: Path | str, where: str, value: Any) -> float:
    """A finite number. Raises `InterchangeError`."""
    fix = "run the evaluation again, or leave this metric or task out"
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise wrong(path, where, value, "is not a number", fix)
    try:
        found = float(value)
    except OverflowError:
        found = math.inf
    if not math.isfinite(found):
        raise wrong(path, where, value, "is not a finite number", fix)
    return found


def count(path: Path | str, where: str, value: Any) -> int:
    """A whole number that is not negative. Raises `InterchangeError`."""
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**53:
        raise wrong(path, where, value, "is not a count", AGAIN)
    return value


def text(path: Path | str, where: str, value: Any) -> str:
    """A text, which may be empty. Raises `InterchangeError`."""
    if not isinstance(value, str) or not is_text(value):
        raise wrong(path, where, value, "is not a text", AGAIN)
    return value


def list_(path: Path | str, where: str, value: Any) -> list[Any]:
    """A list. Raises `InterchangeError`."""
    if not isinstance(value, list):
        raise wrong(path, where, value, "is not a list", AGAIN)
    return value


def mapping(path: Path | str, where: str, value: Any) -> dict[str, Any]:
    """An object, empty where it is absent. Raises `InterchangeError`."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise wrong(path, where, value, "is not an object", AGAIN)
    return value


def identifier(path: Path | str, where: str, value: Any) -> str:
    """What names an example: a text, or a whole number. Raises `InterchangeError`."""
    if isinstance(value, str) and value and is_text(value):
        return value
    return str(count(path, where, value))


def word_if_any(value: Any) -> str | None:
    """A version or a hash: short, and nothing that could be a place or markup."""
    return value if isinstance(value, str) and value not in UNKNOWN and _WORD.fullmatch(value) else None


def version(path: Path, where: str, value: Any) -> str | None:
    """The version of a task, of which 1 and 1.0 are the same. Raises `InterchangeError`."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = f"{number(path, where, value):g}"
    if value in UNKNOWN:
        return None
    if (word := word_if_any(value)) is None:
        fix = "give at most 64 letters, digits and . _ + -, or leave it out"
        raise wrong(path, where, value, "is not a version", fix)
    return word


def public(value: Any) -> str:
    """What a model or a part of it was loaded from, unless that is a place."""
    found = str(value)
    return found if len(found) <= 200 and _PUBLIC.fullmatch(found) else LOCAL


def parsed(path: Path | str, content: bytes | str, fix: str) -> Any:
    """The value of a JSON file or line. Raises `InterchangeError`, also where an object has a key twice."""
    try:
        return json.loads(content, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        raise InterchangeError(f"{path}: not JSON: {error}; {fix}") from None


def hash_of(content: bytes) -> str:
    """The hash of a file's bytes, as records have it."""
    return "sha256:" + hashlib.sha256(content).hexdigest()


def file_hash(path: Path) -> str:
    """The hash of a file, as records have it."""
    with path.open("rb") as file:
        return "sha256:" + hashlib.file_digest(file, "sha256").hexdigest()


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"{show(twice)} occurs twice in one object")
    return found
