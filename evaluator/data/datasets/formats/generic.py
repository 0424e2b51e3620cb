"""TSV, CSV and JSON lines of any columns, which the source maps to what they hold."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from evaluator.data.datasets.formats.base import NO_TAGS, Format, Item, Left, PlainItems
from evaluator.data.datasets.formats.nodes import GivenItem
from evaluator.data.datasets.rows import BadRow, Block, FileRow, PlainRows, cut_blocks
from evaluator.data.datasets.source import DatasetError, DatasetSource
from evaluator.data.plain_text import FileText
from evaluator.data.tasks import TASKS, FieldError, get_task, show

TAG = "tag."
CLUSTER = "cluster"
NAME_ONE = "name one column of the file"
#: What may be mapped: the task's own fields, its gold answer, and more where the file has it.
COLUMNS = {
    "FIELD": "each input field of the task",
    "label": "gold label, or left out where there are votes; for tasks that ask for texts: answers",
    "id": "id, if there is one",
    "validated": "whether people confirmed the label, if it says so",
    "tag.NAME": "a tag, if there are any",
}
TRUTH = {"true": True, "1": True, "false": False, "0": False}

Places = Mapping[str, str | int]


def check_columns(source: DatasetSource, form: str) -> None:
    """Raise `FieldError` unless the columns of `source` fit its task and `form` (tsv, csv or jsonl)."""
    source = _with_cluster(source)
    fields = get_task(source.task).fields
    for name in (*fields, *(() if _by_votes(source) else (gold_name(source.task),))):
        if name not in source.columns:
            raise FieldError(f"columns.{name}", None, "missing", f"say which column holds the {name}")
    known = (*fields, gold_name(source.task), "id", "votes", "validated")
    if CLUSTER in source.columns and source.cluster is None:
        problem, fix = f"{show(CLUSTER)} is no column of columns", "write cluster beside columns"
        raise FieldError(f"columns.{CLUSTER}", source.columns[CLUSTER], problem, fix)
    for name, column in source.columns.items():
        if name not in (*known, CLUSTER) and not (name.startswith(TAG) and name != TAG):
            fix = f"map only {', '.join(known)}, {TAG}NAME"
            raise FieldError(f"columns.{name}", column, f"{source.task} has no such field", fix)
        _check_column(source, name, column, form)
    if "votes" in source.columns and form != "jsonl":
        raise FieldError("columns.votes", source.columns["votes"], "votes are lists", "use jsonl")


def _by_votes(source: DatasetSource) -> bool:
    """Whether gold labels are the majorities of responses, as no column has them."""
    label = gold_name(source.task) == "label"
    return label and "votes" in source.columns and "label" not in source.columns


def gold_name(task: str) -> str:
    """What the mapping calls the gold answer of a task."""
    return "answers" if get_task(task).answer == "text" else "label"


def _with_cluster(source: DatasetSource) -> DatasetSource:
    """With the column of the clusters among the others."""
    if source.cluster is None or CLUSTER in source.columns:
        return source
    return replace(source, columns={**source.columns, CLUSTER: source.cluster})


def _field(name: str) -> str:
    """Where a source says it."""
    return CLUSTER if name == CLUSTER else f"columns.{name}"


def _named(source: DatasetSource) -> bool:
    return all(isinstance(column, str) for column in source.columns.values())


def _check_column(source: DatasetSource, name: str, column: str | int, form: str) -> None:
    field = _field(name)
    if _named(source):
        return
    if form == "jsonl":
        raise FieldError(
            field, column, f"{show(column)} is not a key", "JSON lines need keys for all columns"
        )
    if isinstance(column, str) or column < 0:
        fix = "use 0-based column numbers for all columns, or header names for all"
        raise FieldError(field, column, f"{show(column)} is not a column number", fix)


def read(text: FileText, source: DatasetSource, form: str) -> Iterator[GivenItem | PlainItems]:
    """The rows of `text`, cut as `form` says (tsv, csv or jsonl), as the columns of `source` map them."""
    found = _mapped(cut_blocks(text, form), _with_cluster(source), form, NAME_ONE)
    return with_majorities(_each(found), source) if _by_votes(source) else found


def published(
    text: FileText, source: DatasetSource, form: str, columns: Mapping[str, str | int]
) -> Iterator[Item | BadRow]:
    """`read` for a format whose columns are known."""
    fix = f"give the file as {source.format} is published"
    return _each(_mapped(cut_blocks(text, form), replace(source, columns=columns), form, fix))


def items(
    rows: list[FileRow | BadRow], source: DatasetSource, form: str, fix: str
) -> Iterator[Item | BadRow]:
    """`rows` as the columns of `source` map them; `fix` is for a header that does not fit."""
    return _each(_mapped(iter([rows]), source, form, fix))


def _each(found: Iterable[Item | PlainItems | BadRow]) -> Iterator[Item | BadRow]:
    for item in found:
        if isinstance(item, PlainItems):
            yield from item
        else:
            yield item


def _mapped(
    blocks: Iterator[Block], source: DatasetSource, form: str, fix: str
) -> Iterator[Item | PlainItems | BadRow]:
    """The rows of `blocks` as the columns of `source` map them, many at a time where they are plain."""
    places, width = source.columns, 0
    if form != "jsonl" and _named(source):
        first = next(blocks, [])
        header = next(iter(first), None)
        places, width = _in_header(header, source, fix), most_common_width([header])
        blocks = itertools.chain([first[1:]], blocks)
    elif form != "jsonl":
        kept = list(blocks)
        width = most_common_width(itertools.chain.from_iterable(kept))
        blocks = iter(kept)
    mapping = _Mapping.of(places, width, source.task)
    for block in blocks:
        plain = mapping.plain(block) if isinstance(block, PlainRows) else None
        if plain is not None:
            yield plain
        else:
            yield from (row if isinstance(row, BadRow) else mapping.item(row) for row in block)


def with_majorities(found: Iterator[Item | BadRow], source: DatasetSource) -> Iterator[GivenItem]:
    """The rows, each with the label that more than half of its responses give."""
    return (_voted(row, source) if isinstance(row, Item) else row for row in found)


def _voted(item: Item, source: DatasetSource) -> GivenItem:
    votes = item.votes
    if not isinstance(votes, tuple) or not all(isinstance(vote, str) for vote in votes):
        return BadRow(item.line, votes, "is not a list of responses", "give a list of strings", "votes")
    [(most, times)] = Counter(votes).most_common(1) or [("", 0)]
    if 2 * times <= len(votes):
        return Left(item.line, "no majority")
    return item._replace(gold=most) if most in source.label_map else Left(item.line, most)


def _in_header(header: FileRow | BadRow | None, source: DatasetSource, fix: str) -> Places:
    """The number of each of the columns, all given by name, in the header.

    Raises `DatasetError` if there is none or it does not have each column once.
    """
    if header is None:
        raise DatasetError(f"{source.where}:1: header: missing, but columns are known by name; {fix}")
    if isinstance(header, BadRow):
        raise DatasetError(f"{source.where}:{header.line}: header: {header.problem}; {header.fix}")
    for name, column in source.columns.items():
        if header.cells.count(column) != 1:
            found = f"found {header.cells.count(column)} times in the header {show(header.cells)}"
            raise DatasetError(
                f"{source.where}:{header.line}: {_field(name)}: {show(column)} is {found}; {fix}"
            )
    return {name: header.cells.index(column) for name, column in source.columns.items()}


def most_common_width(rows: Iterable[FileRow | BadRow | None]) -> int:
    """How many columns a file without a header has: as many as most of its rows do."""
    widths = Counter(len(row.cells) for row in rows if isinstance(row, FileRow))
    return widths.most_common(1)[0][0] if widths else 0


@dataclass(frozen=True)
class _Mapping:
    """Where rows have what: the place of each mapped name, and for a table the number of columns.

    `shown` has the places of what a model sees, and of the id; `others` the rest of them. `tags` has what
    tags are called by their names here; `judged` is whether there is anything of people or of sources.
    """

    places: Places
    width: int
    shown: Places
    others: Places
    tags: Mapping[str, str]
    gold: str
    in_words: bool
    judged: bool

    @classmethod
    def of(cls, places: Places, width: int, task: str) -> _Mapping:
        names = (*get_task(task).fields, "id")
        shown = {name: place for name, place in places.items() if name in names}
        others = {name: place for name, place in places.items() if name not in names}
        tags = {name: name.removeprefix(TAG) for name in places if name.startswith(TAG)}
        judged = any(name in places for name in ("validated", "votes", CLUSTER))
        return cls(
            places, width, shown, others, tags, gold_name(task), get_task(task).answer == "text", judged
        )

    def item(self, row: FileRow) -> Item | BadRow:
        """What a row has: what a model sees apart from gold, tags and judgements."""
        line, cells = row
        if isinstance(cells, list) and len(cells) != self.width:
            problem = f"has {len(cells)} columns, not {self.width}"
            return BadRow(line, cells, problem, "give every row the same columns")
        try:
            shown = {name: cells[place] for name, place in self.shown.items()}
            values = {name: cells[place] for name, place in self.others.items()}
        except (IndexError, KeyError):
            return self._lacking(row)
        gold = _references(values.get(self.gold)) if self.in_words else values.get(self.gold)
        if not self.judged:
            return Item(line, shown, gold, self._tags(values) if self.tags else NO_TAGS)
        validated, cluster = values.get("validated"), values.get(CLUSTER)
        if "validated" in values and _truth(validated) is None:
            problem = f"{'null ' if validated is None else ''}is not true or false"
            return BadRow(line, validated, problem, "write true, false, 1 or 0", "validated")
        cluster = "" if cluster is None else written(cluster)
        if not isinstance(cluster, str):
            return BadRow(line, cluster, "is not a name", "write a text or a number", CLUSTER)
        return Item(
            line,
            shown,
            gold,
            self._tags(values),
            _votes(values.get("votes", [])),
            _truth(validated),
            cluster,
        )

    def plain(self, rows: PlainRows) -> PlainItems | None:
        """What rows have if each has its columns, and there is no more than texts and labels; else None."""
        if self.judged or self.tags or self.in_words:
            return None
        cells = rows.cells
        try:
            if self.width and set(map(len, cells)) != {self.width}:
                return None
            columns = {
                name: [row[place] for row in cells] for name, place in {**self.shown, **self.others}.items()
            }
        except (IndexError, KeyError):
            return None
        return PlainItems(rows.lines, columns, columns.pop(self.gold))

    def _lacking(self, row: FileRow) -> BadRow:
        """The first thing that the row does not have."""
        there = row.cells if isinstance(row.cells, dict) else range(len(row.cells))
        name, place = next((name, place) for name, place in self.places.items() if place not in there)
        what = f"the key {show(place)}" if isinstance(place, str) else f"column {place}"
        return BadRow(row.line, None, f"missing: the row lacks {what}", "add it or correct columns", name)

    def _tags(self, values: Mapping[str, Any]) -> dict[str, str]:
        tags = {tag: written(values[name]) for name, tag in self.tags.items()}
        return {tag: value for tag, value in tags.items() if value is not None}


def _truth(value: Any) -> bool | None:
    return TRUTH.get(str(written(value)).lower()) if isinstance(value, (str, int)) else None


def written(value: Any) -> Any:
    """A JSON number or boolean as JSON writes it; anything else as it is."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, (int, float)) else value


def _references(value: Any) -> Any:
    return (value,) if isinstance(value, str) else tuple(value) if isinstance(value, list) else value


def _votes(value: Any) -> Any:
    return tuple(written(vote) for vote in value) if isinstance(value, list) else value


def _format(form: str, about: str, **more: str) -> Format:
    return Format(
        form,
        tuple(TASKS),
        partial(read, form=form),
        check=partial(check_columns, form=form),
        clusters=True,
        about=about,
        columns={**COLUMNS, **more},
    )


TSV = _format("tsv", "tab-separated values of any columns, with a header or without; nothing is quoted")
CSV = _format("csv", "comma-separated values of any columns, with a header or without")
JSONL = _format(
    "jsonl", "JSON lines of any keys", votes="the annotators' responses, a list, if there are any"
)
