"""Checks that the readers of evaluation tools' files share: each takes a file, a field and its value."""

from __future__ import annotations

import hashlib
import importlib
import json
import math
import re
from pathlib import Path
from types import ModuleType
from typing import Any

from evaluator.data.tasks import is_text, show
from evaluator.records.errors import UserError

LOCAL = "(local path)"
#: A number, a word, or a repository ``owner/name``; what has more folders or starts with a dot or a
#: slash is a place on somebody's machine.
_PUBLIC = re.compile(r"[A-Za-z0-9][\w.+-]*(/[A-Za-z0-9][\w.+-]*)?", re.ASCII)
_WORD = re.compile(r"[\w.+-]{1,64}", re.ASCII)
#: What tools write where they know nothing.
UNKNOWN = (None, "", " ", "N/A", "Yaml")
AGAIN = "give the file as the tool wrote it"


def wrong(path: Path | str, where: str, value: Any, problem: str, fix: str) -> UserError:
    """The error for a value of a file."""
    return UserError(f"{path}: {where}: {problem} (got {show(value)}); {fix}")


def number(path: Path | str, where: str, value: Any) -> float:
    """A finite number. Raises `UserError`."""
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
    """A whole number that is not negative. Raises `UserError`."""
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**53:
        raise wrong(path, where, value, "is not a count", AGAIN)
    return value


def text(path: Path | str, where: str, value: Any) -> str:
    """A text, which may be empty. Raises `UserError`."""
    if not isinstance(value, str) or not is_text(value):
        raise wrong(path, where, value, "is not a text", AGAIN)
    return value


def list_(path: Path | str, where: str, value: Any) -> list[Any]:
    """A list. Raises `UserError`."""
    if not isinstance(value, list):
        raise wrong(path, where, value, "is not a list", AGAIN)
    return value


def mapping(path: Path | str, where: str, value: Any) -> dict[str, Any]:
    """An object, empty where it is absent. Raises `UserError`."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise wrong(path, where, value, "is not an object", AGAIN)
    return value


def identifier(path: Path | str, where: str, value: Any) -> str:
    """What names an example: a text, or a whole number. Raises `UserError`."""
    if isinstance(value, str) and value and is_text(value):
        return value
    return str(count(path, where, value))


def word_if_any(value: Any) -> str | None:
    """A version or a hash: short, and nothing that could be a place or markup."""
    return value if isinstance(value, str) and value not in UNKNOWN and _WORD.fullmatch(value) else None


def version(path: Path, where: str, value: Any) -> str | None:
    """The version of a task, of which 1 and 1.0 are the same. Raises `UserError`."""
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
    """The value of a JSON file or line. Raises `UserError`, also where an object has a key twice."""
    try:
        return json.loads(content, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        raise UserError(f"{path}: not JSON: {error}; {fix}") from None


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


def pyarrow(path: Path, module: str = "pyarrow") -> ModuleType:
    """`pyarrow` or a module of it, for `path`. Raises `UserError` where it is missing."""
    try:
        return importlib.import_module(module)
    except ImportError:
        fix = "pip install 'steelyard[parquet]'"
        raise UserError(f"{path}: takes pyarrow to be read, which is missing; {fix}") from None
