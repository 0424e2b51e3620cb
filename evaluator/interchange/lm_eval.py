"""Reads ``results_*.json`` of EleutherAI's lm-evaluation-harness, version 0.4.

The format is what `lm_eval.evaluator.simple_evaluate` returns and `lm_eval.loggers.EvaluationTracker` saves:
``results`` holds numbers by task and ``"metric,filter"``, with ``"metric_stderr,filter"`` beside them;
``versions``, ``n-shot``, ``n-samples`` ({original, effective}) and ``higher_is_better`` are by task;
``config`` has the kind of model, its arguments and the limit; ``lm_eval_version``, ``git_hash`` and ``date``
(seconds since 1970) are of the whole. Later minor versions add fields, which are not looked at.

Standard errors have no place in a result, so they are not read.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from evaluator.interchange.errors import InterchangeError
from evaluator.tasks import show

#: Arguments of a model that decide its numbers. Others may hold keys, hosts and folders, and stay out.
ARGUMENTS = (
    "pretrained", "model", "peft", "delta", "tokenizer", "revision", "subfolder", "dtype", "max_length",
    "max_gen_toks", "add_bos_token", "load_in_8bit", "load_in_4bit", "gptqmodel", "autogptq", "quantization",
    "temperature", "enable_thinking",
)  # fmt: skip
LOCAL = "(local path)"
#: A number, a word, or a repository ``owner/name``; what has more folders or starts with a dot or a
#: slash is a place on somebody's machine.
_PUBLIC = re.compile(r"[A-Za-z0-9][\w.+-]*(/[A-Za-z0-9][\w.+-]*)?", re.ASCII)
_WORD = re.compile(r"[\w.+-]{1,64}", re.ASCII)
_UNKNOWN = (None, "", " ", "N/A", "Yaml")
_LAST = datetime(2200, 1, 1, tzinfo=UTC).timestamp()


@dataclass(frozen=True)
class TaskReport:
    """One task: numbers by ``metric,filter``, and whether more is better by metric, where the file says so.

    `effective` examples of `original` were answered; None where the file does not say.
    """

    name: str
    values: dict[str, Any]
    higher: dict[str, bool]
    version: str | None
    shots: int | None
    effective: int | None
    original: int | None


@dataclass(frozen=True)
class LmEvalReport:
    """A file as read: the facts of the whole run, and its tasks, each checked when it is used."""

    path: Path
    sha256: str
    harness: str
    git: str | None
    date: str | None = field(metadata={"format": "YYYY-MM-DD, UTC"})
    model_kind: str | None
    model_arguments: dict[str, str]
    limit: str | None
    chat_template: bool
    document: Mapping[str, Any]

    @property
    def tasks(self) -> list[str]:
        """The names of all tasks and groups of tasks with numbers, as the file has them."""
        return list(self.document["results"])

    def task(self, name: str) -> TaskReport:
        """What is reported of one of `tasks`. Raises `InterchangeError`."""
        return _task(self.path, self.document, name)


def read_report(path: Path) -> LmEvalReport:
    """Read a file that the harness wrote. Raises `InterchangeError` for any other file."""
    content = path.read_bytes()
    document = _document(path, content)
    config = _mapping(path, document, "config")
    return LmEvalReport(
        path=path,
        sha256="sha256:" + hashlib.sha256(content).hexdigest(),
        # Where the harness finds no version or commit, what it writes instead is not a single word.
        harness=_word_if_any(document.get("lm_eval_version")) or "of unknown version",
        git=_word_if_any(document.get("git_hash")),
        date=_date(path, document.get("date")),
        model_kind=None if config.get("model") in _UNKNOWN else _public(config["model"]),
        model_arguments=_arguments(path, config.get("model_args")),
        limit=_limit(path, config.get("limit")),
        chat_template=bool(document.get("chat_template")),
        document=document,
    )


def wrong(path: Path, where: str, value: Any, problem: str, fix: str) -> InterchangeError:
    """The error for a value of a file."""
    return InterchangeError(f"{path}: {where}: {problem} (got {show(value)}); {fix}")


def number(path: Path, where: str, value: Any) -> float:
    """A finite number. Raises `InterchangeError`."""
    fix = "run the harness again, or leave this metric or task out"
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise wrong(path, where, value, "is not a number", fix)
    try:
        found = float(value)
    except OverflowError:
        found = math.inf
    if not math.isfinite(found):
        raise wrong(path, where, value, "is not a finite number", fix)
    return found


def _document(path: Path, content: bytes) -> dict[str, Any]:
    fix = "give a results_*.json of lm-evaluation-harness 0.4"
    try:
        document = json.loads(content, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        raise InterchangeError(f"{path}: not JSON: {error}; {fix}") from None
    if not isinstance(document, dict):
        raise wrong(path, "the whole", document, "is not an object", fix)
    results = document.get("results")
    if not isinstance(results, dict) or not results:
        raise wrong(path, "results", results, "has no tasks", fix)
    return document


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"{show(twice)} occurs twice in one object")
    return found


def _mapping(path: Path, document: Mapping[str, Any], name: str, within: str = "") -> dict[str, Any]:
    """An object that may be absent."""
    value = document.get(name)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise wrong(
            path, f"{within}{name}", value, "is not an object", "give the file as the harness wrote it"
        )
    return value


def _word_if_any(value: Any) -> str | None:
    """A version or a hash: short, and nothing that could be a place or markup."""
    return value if isinstance(value, str) and value not in _UNKNOWN and _WORD.fullmatch(value) else None


def _public(value: Any) -> str:
    """What a model or a part of it was loaded from, unless that is a place."""
    text = str(value)
    return text if len(text) <= 200 and _PUBLIC.fullmatch(text) else LOCAL


def _date(path: Path, value: Any) -> str | None:
    if value is None:
        return None
    seconds = number(path, "date", value)
    if not 0 <= seconds < _LAST:
        fix = "give seconds since 1970, as the harness does"
        raise wrong(path, "date", value, "is no time of a run", fix)
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d")


def _limit(path: Path, value: Any) -> str | None:
    """How many examples of each task, or which share of them, were answered; None for all."""
    return None if value is None else f"{number(path, 'config.limit', value):g}"


def _arguments(path: Path, value: Any) -> dict[str, str]:
    """What of a model's arguments may be published. They are ``name=value,name=value``, or an object."""
    if value is None:
        return {}
    if isinstance(value, str):
        pairs = [part.split("=", 1) for part in value.split(",")]
        value = {pair[0].strip(): pair[1].strip() for pair in pairs if len(pair) == 2}
    if not isinstance(value, dict):
        fix = "give the file as the harness wrote it"
        raise wrong(path, "config.model_args", value, "is neither a text nor an object", fix)
    return {
        name: _public(value[name]) for name in ARGUMENTS if isinstance(value.get(name), str | int | float)
    }


def _task(path: Path, document: Mapping[str, Any], name: str) -> TaskReport:
    results = _mapping(path, document["results"], name, "results.")
    values = {
        key: value
        for key, value in results.items()
        if "," in key and not key.partition(",")[0].endswith("_stderr")
    }
    higher = _mapping(path, _mapping(path, document, "higher_is_better"), name, "higher_is_better.")
    effective, original = _samples(path, document, name)
    return TaskReport(
        name=name,
        values=values,
        higher={metric: flag for metric, flag in higher.items() if isinstance(flag, bool)},
        version=_version(path, _mapping(path, document, "versions").get(name), name),
        shots=_shots(path, document, name),
        effective=effective,
        original=original,
    )


def _version(path: Path, value: Any, task: str) -> str | None:
    """A task's version, of which 1 and 1.0 are the same."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = f"{number(path, f'versions.{task}', value):g}"
    if value in _UNKNOWN:
        return None
    if (word := _word_if_any(value)) is None:
        fix = "give at most 64 letters, digits and . _ + -, or leave it out"
        raise wrong(path, f"versions.{task}", value, "is not a version", fix)
    return word


def _shots(path: Path, document: Mapping[str, Any], task: str) -> int | None:
    where, value = f"n-shot.{task}", _mapping(path, document, "n-shot").get(task)
    if value in _UNKNOWN:
        config = _mapping(path, _mapping(path, document, "configs"), task, "configs.")
        where, value = f"configs.{task}.num_fewshot", config.get("num_fewshot")
    return None if value in _UNKNOWN else _count(path, where, value)


def _samples(path: Path, document: Mapping[str, Any], task: str) -> tuple[int | None, int | None]:
    samples = _mapping(path, _mapping(path, document, "n-samples"), task, "n-samples.")
    if not samples:
        return None, None
    effective, original = (
        _count(path, f"n-samples.{task}.{name}", samples.get(name)) for name in ("effective", "original")
    )
    if not 0 < effective <= original:
        fix = "give at least one example, and no more than there are"
        raise wrong(path, f"n-samples.{task}.effective", effective, f"does not fit {original}", fix)
    return effective, original


def _count(path: Path, where: str, value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**53:
        raise wrong(path, where, value, "is not a count", "give the file as the harness wrote it")
    return value
