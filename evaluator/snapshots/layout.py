"""How ``snapshot.json`` is laid out: small, since every snapshot has one, and yet in lines for git."""

from __future__ import annotations

import json
from typing import Any

#: What fits in as many characters is one line: a model with its results, a metric.
LINE = 240


def laid_out(document: Any) -> bytes:
    """The only bytes that a record may have on disk: JSON without white space but for ends of lines.

    What does not fit in a line has a field or an item a line; a list of numbers or names is one line,
    however long. Fields stand in the order given. Raises ValueError on NaN and infinities.
    """
    return (_layout(document) + "\n").encode("utf-8")


def _layout(value: Any) -> str:
    line = _line(value)
    if len(line) <= LINE or not _breaks(value):
        return line
    if isinstance(value, dict):
        return "{\n" + ",\n".join(f"{_line(str(key))}:{_layout(item)}" for key, item in value.items()) + "\n}"
    return "[\n" + ",\n".join(map(_layout, value)) + "\n]"


def _breaks(value: Any) -> bool:
    """Whether a value has parts that differ in kind or are made of parts."""
    return isinstance(value, dict) or (
        isinstance(value, list | tuple) and any(isinstance(item, dict) for item in value)
    )


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
