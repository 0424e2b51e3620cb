"""The bytes that JSON has on disk: the only ones that equal documents have.

Results are laid out for people and for git: `READABLE`. A snapshot, of which there are many, is small and
yet in lines: `COMPACT`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class JsonLayout:
    """What fits in `line` characters is one line; other objects have a field a line, lists an item a line.

    With `readable` nested objects and lists always have lines of their own, long lists of numbers or names
    are wrapped (in the other layout they are one line, however long), and there are spaces between parts.
    """

    line: int
    indent: str
    readable: bool

    def text(self, value: Any, indent: str = "") -> str:
        """The value as JSON, the lines after its first indented. ValueError for NaN and infinities."""
        line = self._line(value)
        if not isinstance(value, dict | list | tuple) or self._fits(value, len(indent) + len(line)):
            return line
        if isinstance(value, dict):
            return self._fields(value, indent)
        if not _has_objects(value):
            return self._wrapped(value, indent) if self.readable else line
        inner = indent + self.indent
        return "[\n" + ",\n".join(inner + self.text(item, inner) for item in value) + f"\n{indent}]"

    def _fits(self, value: dict[str, Any] | list[Any] | tuple[Any, ...], length: int) -> bool:
        """Whether a value of so many characters is one line."""
        return length <= self.line and not (self.readable and _is_nested(value))

    def _line(self, value: Any) -> str:
        """One line; lists of numbers close together, since columns are long."""
        spaced = self.readable and isinstance(value, dict)
        separators = (", ", ": ") if spaced else (",", ":")
        return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=separators)

    def _fields(self, value: dict[str, Any], indent: str) -> str:
        inner, colon = indent + self.indent, ": " if self.readable else ":"
        fields = (f"{self._line(str(key))}{colon}{self.text(item, inner)}" for key, item in value.items())
        return "{\n" + ",\n".join(inner + field for field in fields) + f"\n{indent}}}"

    def _wrapped(self, value: list[Any] | tuple[Any, ...], indent: str) -> str:
        """Items packed into lines, which are short enough that a diff shows which examples changed."""
        items, inner = list(map(self._line, value)), indent + self.indent
        lines = [inner]
        for item in items[:-1]:
            if len(lines[-1]) + len(item) + 1 > self.line and lines[-1] != inner:
                lines.append(inner)
            lines[-1] += item + ","
        lines[-1] += items[-1]
        return "[\n" + "\n".join(lines) + f"\n{indent}]"


def _is_nested(value: dict[str, Any] | list[Any] | tuple[Any, ...]) -> bool:
    """Whether there is more in `value` than one line should have."""
    if isinstance(value, dict):
        return any(isinstance(item, dict | list | tuple) and item for item in value.values())
    return _has_objects(value)


def _has_objects(items: list[Any] | tuple[Any, ...]) -> bool:
    return any(isinstance(item, dict) for item in items)


READABLE = JsonLayout(line=120, indent="  ", readable=True)
COMPACT = JsonLayout(line=240, indent="", readable=False)


def dump(document: Any, layout: JsonLayout = READABLE) -> bytes:
    """A document as the bytes of a file; fields are in the order given. ValueError for NaN and infinities."""
    return (layout.text(document) + "\n").encode("utf-8")
