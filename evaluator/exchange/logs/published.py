"""What of a tool's file may be published: names, versions, settings and numbers, without places and keys."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Iterable, Mapping
from typing import Any

from evaluator.data.nodes import Node
from evaluator.data.tasks import is_text

LOCAL = "(local path)"
#: A number, a word, or a repository ``owner/name``; what has more folders or starts with a dot or a
#: slash is a place on somebody's machine.
_PUBLIC = re.compile(r"[A-Za-z0-9][\w.+-]*(/[A-Za-z0-9][\w.+-]*)?", re.ASCII)
_WORD = re.compile(r"[\w.+-]{1,64}", re.ASCII)
#: What tools write where they know nothing.
UNKNOWN = (None, "", " ", "N/A", "Yaml")


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
