"""Rows as published forms have them: keys that must be there, values that must be of a kind.

Errors name the place in the row or document (``data[0].paragraphs[3].qas[1].question``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from evaluator.data.datasets.formats.base import Item, Left
from evaluator.data.datasets.rows import BadRow, FileRow, cut
from evaluator.data.datasets.source import DatasetError, DatasetSource
from evaluator.data.plain_text import FileText
from evaluator.data.tasks import is_text, show

#: What a reader gives for a row.
GivenItem = Item | BadRow | Left


class Wrong(ValueError):  # noqa: N818 - it is a row that is in error, not the program
    """A value that is not what its form says; `value` is None where there is nothing to show."""

    def __init__(self, field: str, value: Any, problem: str, fix: str) -> None:
        super().__init__(f"{field}: {problem}; {fix}")
        self.field, self.value, self.problem, self.fix = field, value, problem, fix

    def on(self, line: int) -> BadRow:
        """The row on `line`, which has this value, as a malformed one."""
        return BadRow(line, self.value, self.problem, self.fix, self.field)


@dataclass(frozen=True)
class Node:
    """A value that should be a JSON object, or a TSV row by the names of its header.

    `place` says where in the row or document it is; it is empty for the row itself. The methods raise
    `Wrong`.
    """

    value: Any
    place: str = ""

    def path(self, key: str) -> str:
        """The place of the value under `key`."""
        return f"{self.place}.{key}" if self.place else key

    def has(self, key: str) -> bool:
        """Whether the value under `key` is there and not null."""
        return self._object().get(key) is not None

    def at(self, key: str) -> Any:
        """The value under `key`."""
        cells = self._object()
        if key not in cells:
            fix = "add it, or choose the format that the file is in"
            raise Wrong(self.path(key), None, f"missing: the row lacks the key {show(key)}", fix)
        return cells[key]

    def text(self, key: str) -> str:
        """The string under `key`; it may be empty."""
        return _text(self.path(key), self.at(key))

    def name(self, key: str) -> str | int:
        """The id under `key`: a string that is not empty, or a whole number."""
        value = self.at(key)
        if isinstance(value, bool) or not isinstance(value, (str, int)) or value == "":
            raise _not_a(self.path(key), value, "an id", "give a string or a whole number")
        return value if isinstance(value, int) else self.text(key)

    def flag(self, key: str) -> bool:
        """The true or false under `key`; false where there is no such key."""
        value = self.at(key) if self.has(key) else False
        if not isinstance(value, bool):
            raise _not_a(self.path(key), value, "true or false", "give true or false without quotes")
        return value

    def entries(self, key: str) -> list[Node]:
        """The entries of the list under `key`."""
        value, path = self.at(key), self.path(key)
        if not isinstance(value, list):
            raise _not_a(path, value, "a list", "give a list, in [ ]")
        return [Node(entry, f"{path}[{number}]") for number, entry in enumerate(value)]

    def child(self, key: str) -> Node:
        """The object under `key`."""
        return Node(self.at(key), self.path(key))

    def tags(self, *keys: str) -> dict[str, str]:
        """Tags by the names of those `keys` that hold a text; an absent one or null is no tag."""
        return {key: self.text(key) for key in keys if self.has(key)}

    def texts(self, key: str) -> tuple[str, ...]:
        """The strings of the list under `key`."""
        return tuple(_text(entry.place, entry.value) for entry in self.entries(key))

    def _object(self) -> dict[str, Any]:
        if not isinstance(self.value, dict):
            raise _not_a(self.place or "row", self.value, "an object", "give an object, in { }")
        return self.value


def _text(field: str, value: Any) -> str:
    if not isinstance(value, str):
        raise _not_a(field, value, "a string", "give the text as a string")
    if not is_text(value):
        problem = "has half a surrogate pair, which is not text"
        raise Wrong(field, value, problem, "give valid Unicode")
    return value


def _not_a(field: str, value: Any, expected: str, fix: str) -> Wrong:
    subject = "null " if value is None else ""
    return Wrong(field, value, f"{subject}is not {expected}", fix)


def attempt(line: int, read: Callable[..., Iterable[Item | Left]], *values: Any) -> list[GivenItem]:
    """What ``read(line, *values)`` gives, or, where it raises `Wrong`, only one malformed row."""
    try:
        return list(read(line, *values))
    except Wrong as wrong:
        return [wrong.on(line)]


def each(
    rows: Iterable[FileRow | BadRow], read: Callable[[int, Node], Iterable[Item | Left]]
) -> Iterator[GivenItem]:
    """What `read` gives for the line and cells of each row; rows that could not be cut stay as they are."""
    for row in rows:
        if isinstance(row, BadRow):
            yield row
        else:
            yield from attempt(row.line, read, Node(row.cells))


def table(text: FileText, source: DatasetSource, names: Sequence[str]) -> Iterator[FileRow | BadRow]:
    """The rows of a TSV file by the names of its header, which must have each of `names` once.

    Raises `DatasetError` if it does not.
    """
    rows = cut(text, "tsv")
    header = next(rows, BadRow(1, None, "missing", ""))
    if isinstance(header, BadRow) or any(header.cells.count(name) != 1 for name in names):
        shown = header.problem if isinstance(header, BadRow) else show(header.cells)
        fix = f"name the columns {', '.join(names)} once each, separated by tabs"
        raise DatasetError(f"{source.where}:{header.line}: header: {shown}; {fix}")
    for row in rows:
        yield row if isinstance(row, BadRow) else _named(row, header.cells)


def _named(row: FileRow, header: list[str]) -> FileRow | BadRow:
    if len(row.cells) != len(header):
        problem = f"has {len(row.cells)} columns, not {len(header)}"
        return BadRow(row.line, row.cells, problem, "give every row the columns of the header")
    return FileRow(row.line, dict(zip(header, row.cells, strict=True)))
