"""What a format is and gives: the rows of a file as it states them, before anything is checked.

For rows of published forms there is `Node`: keys that must be there, values that must be of a kind; errors
name the place in the row or document (``data[0].paragraphs[3].qas[1].question``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple

from evaluator.data.datasets.source import DatasetSource
from evaluator.data.tables import BadRow, Table, read_table
from evaluator.data.tasks import FieldError, is_text, show
from evaluator.records.errors import UserError

NO_TAGS: Mapping[str, str] = MappingProxyType({})


class Item(NamedTuple):
    """One example as a file states it; the reader checks it.

    `line` is the physical line it starts on, counted from 1; in a format that is one JSON document it is
    the number of the question, from 1. `values` has the task's input fields and, if the file has one,
    ``id``. `gold` is a label in the file's words (str, int or bool) or, for tasks that ask for texts, a
    tuple of reference strings. `votes` are the annotators' responses in the file's words. `cluster` names
    what the example is from, which others may be from too; "" if that is nothing in particular.
    """

    line: int
    values: dict[str, Any]
    gold: Any
    tags: Mapping[str, str] = NO_TAGS
    votes: tuple[str, ...] = ()
    validated: bool | None = None
    cluster: str = ""


@dataclass(frozen=True)
class Left:
    """A row that the format itself says is not to be scored; counted by `reason`, no error."""

    line: int
    reason: str


#: What a reader gives for a row.
GivenItem = Item | BadRow | Left


def no_columns(source: DatasetSource) -> None:
    """Raise `FieldError` if `source` says where things are in a format that says so itself."""
    if source.columns:
        problem = f"{source.format} has columns of its own"
        raise FieldError("columns", source.columns, problem, "leave columns out")


#: What a file holds, as the items, rows left out and bad rows of a dataset.
ReadFile = Callable[[bytes, DatasetSource], Iterable[GivenItem]]


@dataclass(frozen=True)
class Format:
    """A published form of data.

    `read` gets the bytes of the file and gives its rows in order, most often those of
    `evaluator.data.tables.read_table`; it may raise `UserError` if there are none to give, as in a file that
    is one broken JSON document. It and `check`, which runs before the file is opened, may raise `FieldError`
    for columns and options; the source they get has labels and label map filled in. `fetch` gives the bytes
    where they do not come from a path.

    `labels` and `label_map` are the defaults of a source that names none; an example whose default label
    is not among the labels of the source is left out, counted under that label. `merge` maps what a model
    may answer to the gold label it counts as, where the gold labels are coarser (HANS); then `label_map`
    leads to these. `options` are the names of the options it knows. `texts` is whether there is anything to
    show a model: without it examples have an id and nothing else. `clusters` is whether a source may name the
    column of its clusters.

    `about` says in a sentence what is published in it. `columns` are the places that are read, with what
    they are; where the source maps columns, what it may map.
    """

    name: str
    tasks: tuple[str, ...]
    read: ReadFile
    labels: tuple[str, ...] = ()
    label_map: Mapping[str, str] = field(default_factory=dict)
    merge: Mapping[str, str] = field(default_factory=dict)
    options: tuple[str, ...] = ()
    check: Callable[[DatasetSource], None] = no_columns
    fetch: Callable[[DatasetSource], bytes] | None = None
    texts: bool = True
    clusters: bool = False
    about: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)


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


def each(table: Table, read: Callable[[int, Node], Iterable[Item | Left]]) -> Iterator[GivenItem]:
    """What `read` gives for the line and cells of each row; rows that could not be cut stay as they are."""
    for row in table.rows():
        if isinstance(row, BadRow):
            yield row
        else:
            yield from attempt(row.line, read, Node(row.cells))


def json_lines(read: Callable[[int, Node], Iterable[Item | Left]]) -> ReadFile:
    """What reads a file of JSON lines, one object after the other, by `read`."""
    return lambda data, source: each(read_table(data, "jsonl", source.where), read)


def named_table(data: bytes, source: DatasetSource, names: Sequence[str]) -> Table:
    """A TSV file whose header has each of `names`. Raises `UserError` if it does not."""
    table = read_table(data, "tsv", source.where)
    if not {*names} <= {*table.frame.columns}:
        fix = f"name the columns {', '.join(names)} once each, separated by tabs"
        raise UserError(f"{source.where}:1: header", show(list(table.frame.columns)), fix)
    return table
