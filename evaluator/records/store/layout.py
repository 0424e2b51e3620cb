"""The bytes that JSON has on disk: the only ones that equal documents have.

Results are laid out for people and for git: `READABLE`. A snapshot, of which there are many, is small and
yet in lines: `COMPACT`.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

#: How many items of a list are packed into lines at a time.
PACKED = 10_000


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
        if not self._is_long(value):
            line = self._line(value)
            if not isinstance(value, dict | list | tuple) or self._fits(value, len(indent) + len(line)):
                return line
        if isinstance(value, dict):
            return self._fields(value, indent)
        if not _has_objects(value):
            return self._wrapped(value, indent) if self.readable else self._line(value)
        inner = indent + self.indent
        return "[\n" + ",\n".join(inner + self.text(item, inner) for item in value) + f"\n{indent}]"

    def _fits(self, value: dict[str, Any] | list[Any] | tuple[Any, ...], length: int) -> bool:
        """Whether a value of so many characters is one line."""
        return length <= self.line and not (self.readable and _is_nested(value))

    def _is_long(self, value: Any) -> bool:
        """Whether a value has a list that is too long for a line by its number of items alone."""
        items = value.values() if isinstance(value, dict) else [value]
        return self.readable and any(isinstance(i, list | tuple) and len(i) > self.line for i in items)

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
        """Items packed into lines, which are short enough that a diff shows which examples changed.

        The last item never has a line of its own.
        """
        inner = indent + self.indent
        rows = list(_packed(self._items(value[:-1]), self.line - len(inner)))
        [last] = self._items(value[-1:])
        rows.append((rows.pop() if rows else "") + last)
        return "[\n" + "\n".join(inner + row for row in rows) + f"\n{indent}]"

    def _items(self, value: list[Any] | tuple[Any, ...]) -> Iterator[str]:
        """Each item as a line; in a column of one kind without asking for each what it is."""
        kinds = set(map(type, value))
        if kinds == {float} and not all(map(math.isfinite, value)):
            return map(self._line, value)
        return map(_WRITTEN.get(kinds.pop(), self._line) if len(kinds) == 1 else self._line, value)


#: How the standard library's encoder writes what columns are made of.
_WRITTEN: dict[type, Callable[[Any], str]] = {
    str: json.encoder.encode_basestring,
    int: int.__repr__,
    float: float.__repr__,
}


def _packed(items: Iterator[str], width: int) -> Iterator[str]:
    """Rows of items, a comma after each; a row has at most `width` characters, or a single item."""
    row = ""
    while some := [f"{item}," for item in itertools.islice(items, PACKED)]:
        text = "".join(some)
        # Rows can be cut at commas unless an item has one of its own.
        cut = _cut(row + text, width) if text.count(",") == len(some) else _filled(row, some, width)
        *rows, row = cut
        yield from rows
    if row:
        yield row


def _cut(text: str, width: int) -> Iterator[str]:
    start = 0
    while len(text) - start > width:
        end = text.rfind(",", start, start + width) + 1 or text.find(",", start) + 1
        yield text[start:end]
        start = end
    yield text[start:]


def _filled(row: str, items: list[str], width: int) -> Iterator[str]:
    for item in items:
        if row and len(row) + len(item) > width:
            yield row
            row = ""
        row += item
    yield row


def _is_nested(value: dict[str, Any] | list[Any] | tuple[Any, ...]) -> bool:
    """Whether there is more in `value` than one line should have."""
    if isinstance(value, dict):
        return any(isinstance(item, dict | list | tuple) and item for item in value.values())
    return _has_objects(value)


def _has_objects(items: list[Any] | tuple[Any, ...]) -> bool:
    return dict in set(map(type, items))


READABLE = JsonLayout(line=120, indent="  ", readable=True)
COMPACT = JsonLayout(line=240, indent="", readable=False)


def dump(document: Any, layout: JsonLayout = READABLE) -> bytes:
    """A document as the bytes of a file; fields are in the order given. ValueError for NaN and infinities."""
    return (layout.text(document) + "\n").encode("utf-8")
