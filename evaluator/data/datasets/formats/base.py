"""What a format gives: the rows of a file as it states them, before anything is checked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple

from evaluator.data.datasets.rows import BadRow
from evaluator.data.datasets.source import DatasetSource
from evaluator.data.plain_text import FileText
from evaluator.data.tasks import FieldError

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
class PlainItems:
    """Neighbouring examples as `Item` has them, column by column, with nothing but values and gold labels."""

    lines: Sequence[int]
    values: Mapping[str, Sequence[Any]]
    gold: Sequence[Any]

    def __iter__(self) -> Iterator[Item]:
        columns = zip(*self.values.values(), strict=True)
        for line, cells, gold in zip(self.lines, columns, self.gold, strict=True):
            yield Item(line, dict(zip(self.values, cells, strict=True)), gold)

    def __len__(self) -> int:
        return len(self.lines)


@dataclass(frozen=True)
class Left:
    """A row that the format itself says is not to be scored; counted by `reason`, no error."""

    line: int
    reason: str


def no_columns(source: DatasetSource) -> None:
    """Raise `FieldError` if `source` says where things are in a format that says so itself."""
    if source.columns:
        problem = f"{source.format} has columns of its own"
        raise FieldError("columns", source.columns, problem, "leave columns out")


@dataclass(frozen=True)
class Format:
    """A published form of data.

    `read` gets the decoded text of the file (bytes that are not UTF-8 as lone surrogates, see
    `evaluator.data.datasets.rows`) and gives its rows in order; it may raise `DatasetError` if there are none
    to give, as in a file that is one broken JSON document. It and `check`, which runs before the file is
    opened, may raise `FieldError` for columns and options; the source they get has labels and label map
    filled in. `fetch` gives the bytes where they do not come from a path.

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
    read: Callable[[FileText, DatasetSource], Iterable[Item | PlainItems | BadRow | Left]]
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
