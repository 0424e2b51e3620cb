"""Where a dataset is, and what its format gives: rows as the file states them, before they are checked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from evaluator.data.nodes import Node
from evaluator.data.tables import BadRow, Table, read_table
from evaluator.data.tasks import FieldError, show
from evaluator.records.errors import UserError

NO_TAGS: Mapping[str, str] = MappingProxyType({})
#: Why a row is left out whose label says that it has none.
NO_LABEL = "no gold label"


class DatasetError(UserError):
    """A dataset that cannot be read, which is not a model's fault: file, line, field, value and fix."""


@dataclass(frozen=True)
class DatasetSource:
    """One file in a known format (`evaluator.data.datasets.FORMATS`).

    `columns` is for the formats that need it: it maps the task's input fields, ``label`` (for tasks that
    ask for texts: ``answers``) and, if the file has them, ``id``, ``votes``, ``validated`` and
    ``tag.NAME`` to header names (or JSON keys), or all of them to 0-based column numbers of a file
    without a header. `label_map` maps what the file says to one of `labels`, or to "" where it means that
    there is no label: such a row is left out, counted. A JSON number or boolean counts as it is written,
    null as "". `cluster` is one more such column: what each example is from. Where `labels` or `label_map`
    are empty, the format's own are used, and where it has none, labels stand for themselves; a map that only
    says what is no label is added to these. `options` go to the format, `tags` to every example. `sha256`
    pins the file as it is on disk: 64 hex digits, or None to take it as it is. `path` is None only for a
    format that fetches its data by `options`. `also` are sources of the same task and labels, whose
    examples follow: training sets of which a model is made together. `skip_malformed` leaves malformed rows
    out instead of refusing them.
    """

    id: str
    task: str
    path: Path | None
    format: str
    columns: Mapping[str, str | int] = field(default_factory=dict)
    label_map: Mapping[str, str] = field(default_factory=dict)
    labels: tuple[str, ...] = ()
    sha256: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    tags: Mapping[str, str] = field(default_factory=dict)
    cluster: str | int | None = None
    also: tuple[DatasetSource, ...] = ()
    skip_malformed: bool = False

    @property
    def where(self) -> str:
        """What messages call it: its path, or its id where there is none."""
        return f"dataset {self.id}" if self.path is None else str(self.path)


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
    """A row that the format itself says is not to be scored; counted by `reason`, no error.

    `id` is its own, if it has one.
    """

    line: int
    reason: str
    id: str = ""


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


def attempt(line: int, read: Callable[..., Iterable[Item | Left]], *values: Any) -> list[GivenItem]:
    """What ``read(line, *values)`` gives, or, where it raises `FieldError`, only one malformed row."""
    try:
        return list(read(line, *values))
    except FieldError as error:
        return [BadRow(line, error)]


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
