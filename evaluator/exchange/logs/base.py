"""What the files of any evaluation tool say, in one shape, and how they are read."""

from __future__ import annotations

import hashlib
import importlib
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from evaluator.data.nodes import Node, wrong
from evaluator.data.tasks import is_text, show
from evaluator.records.base import file_sha256
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


def word_if_any(value: Any) -> str | None:
    """A version or a hash: short, and nothing that could be a place or markup."""
    return value if isinstance(value, str) and value not in UNKNOWN and _WORD.fullmatch(value) else None


def name_if_any(value: Any) -> str | None:
    """What a tool calls a model, where it is a text that can be seen."""
    is_name = isinstance(value, str) and value not in UNKNOWN and value.isprintable()
    return value if is_name and is_text(value) else None


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


#: Names of arguments that open a door, and decide no number.
_SECRET = re.compile(r"(^|[_.-])(api_?key|key|secret|password|auth|credentials?|token)$", re.IGNORECASE)
#: Where a function was in memory, as Python writes it.
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


def setting(value: Any) -> str | None:
    """A setting as a text that may be published; None where nothing is set.

    What might be a place, a key or a long text is told apart by its hash alone.
    """
    if value is None or value == "" or value == [] or value == {}:
        return None
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) or (isinstance(value, int) and abs(value) < 2**53):
        return f"{value:.15g}"
    if isinstance(value, str) and len(value) <= 60 and _PUBLIC.fullmatch(value):
        return value
    whole = _ADDRESS.sub("", json.dumps(value, sort_keys=True))
    return f"(not shown, {hashlib.sha256(whole.encode()).hexdigest()[:8]})"


def settings_of(node: Node, names: Iterable[str], inside: str = "") -> dict[str, str]:
    """The settings under `names` that are set, by name or as ``inside.name``; keys are none."""
    prefix = f"{inside}." if inside else ""
    shown = [name for name in names if len(name) <= 100 and name.isprintable() and not _SECRET.search(name)]
    found = {prefix + name: setting(node.get(name)) for name in shown}
    return {name: value for name, value in found.items() if value is not None}


def scores_of(node: Node, keys: Mapping[str, str]) -> dict[str, float]:
    """The finite numbers under names of an example's metrics, by the metrics.

    Tools write NaN for an example that could not be scored.
    """
    values = {metric: node.get(name) for metric, name in keys.items()}
    return {
        metric: float(value)
        for metric, value in values.items()
        if isinstance(value, bool) or (isinstance(value, int | float) and _is_finite(value))
    }


def _is_finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def pyarrow(path: Path, module: str = "pyarrow") -> ModuleType:
    """`pyarrow` or a module of it, for `path`. Raises `UserError` where it is missing."""
    try:
        return importlib.import_module(module)
    except ImportError:
        fix = "pip install 'steelyard[parquet]'"
        raise UserError(path, "takes pyarrow to be read, which is missing", fix) from None
