"""TSV, CSV and JSON lines of any columns, which the source maps to what they hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from evaluator.datasets.formats.base import Format, Item, Left
from evaluator.datasets.formats.nodes import Given
from evaluator.datasets.rows import BadRow, FileRow, cut
from evaluator.datasets.source import DatasetError, DatasetSource
from evaluator.tasks import TASKS, FieldError, get_task, show

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


def read(text: str, source: DatasetSource, form: str) -> Iterator[Given]:
    """The rows of `text`, cut as `form` says (tsv, csv or jsonl), as the columns of `source` map them."""
    return with_majorities(items(cut(text, form), _with_cluster(source), form, NAME_ONE), source)


def published(
    text: str, source: DatasetSource, form: str, columns: Mapping[str, str | int]
) -> Iterator[Item | BadRow]:
    """`read` for a format whose columns are known."""
    fix = f"give the file as {source.format} is published"
    return items(cut(text, form), replace(source, columns=columns), form, fix)


def items(
    rows: Sequence[FileRow | BadRow], source: DatasetSource, form: str, fix: str
) -> Iterator[Item | BadRow]:
    """`rows` as the columns of `source` map them; `fix` is for a header that does not fit."""
    header = form != "jsonl" and _named(source)
    places = _in_header(rows, source, fix) if header else source.columns
    width = most_common_width(rows[:1] if header else rows)
    for row in rows[header:]:
        yield row if isinstance(row, BadRow) else _item(row, places, width, source.task)


def with_majorities(found: Iterator[Item | BadRow], source: DatasetSource) -> Iterator[Given]:
    """The rows; where no column has their label, with the one that more than half of the responses give."""
    for row in found:
        yield _voted(row, source) if isinstance(row, Item) and _by_votes(source) else row


def _voted(item: Item, source: DatasetSource) -> Given:
    votes = item.votes
    if not isinstance(votes, tuple) or not all(isinstance(vote, str) for vote in votes):
        return BadRow(item.line, votes, "is not a list of responses", "give a list of strings", "votes")
    [(most, times)] = Counter(votes).most_common(1) or [("", 0)]
    if 2 * times <= len(votes):
        return Left(item.line, "no majority")
    return replace(item, gold=most) if most in source.label_map else Left(item.line, most)


def _in_header(rows: Sequence[FileRow | BadRow], source: DatasetSource, fix: str) -> Places:
    """The number of each of the columns, all given by name, in the header that `rows` start with.

    Raises `DatasetError` if there is no header or it does not have each column once.
    """
    if not rows:
        raise DatasetError(f"{source.where}:1: header: missing, but columns are known by name; {fix}")
    header = rows[0]
    if isinstance(header, BadRow):
        raise DatasetError(f"{source.where}:{header.line}: header: {header.problem}; {header.fix}")
    for name, column in source.columns.items():
        if header.cells.count(column) != 1:
            found = f"found {header.cells.count(column)} times in the header {show(header.cells)}"
            raise DatasetError(
                f"{source.where}:{header.line}: {_field(name)}: {show(column)} is {found}; {fix}"
            )
    return {name: header.cells.index(column) for name, column in source.columns.items()}


def most_common_width(rows: Sequence[FileRow | BadRow]) -> int:
    """How many columns a file without a header has: as many as most of its rows do."""
    widths = Counter(len(row.cells) for row in rows if isinstance(row, FileRow))
    return widths.most_common(1)[0][0] if widths else 0


def _item(row: FileRow, places: Places, width: int, task: str) -> Item | BadRow:
    if isinstance(row.cells, list) and len(row.cells) != width:
        problem = f"has {len(row.cells)} columns, not {width}"
        return BadRow(row.line, row.cells, problem, "give every row the same columns")
    values = {}
    for name, place in places.items():
        try:
            values[name] = row.cells[place]
        except (IndexError, KeyError):
            what = f"the key {show(place)}" if isinstance(place, str) else f"column {place}"
            fix = "add it or correct columns"
            return BadRow(row.line, None, f"missing: the row lacks {what}", fix, name)
    return _sorted(row.line, values, task)


def _sorted(line: int, values: dict[str, Any], task: str) -> Item | BadRow:
    """Mapped values as an item: what a model sees apart from gold, tags and judgements."""
    tags = {name.removeprefix(TAG): written(value) for name, value in values.items() if name.startswith(TAG)}
    validated = values.get("validated")
    if "validated" in values and _truth(validated) is None:
        problem = f"{'null ' if validated is None else ''}is not true or false"
        return BadRow(line, validated, problem, "write true, false, 1 or 0", "validated")
    cluster = "" if values.get(CLUSTER) is None else written(values[CLUSTER])
    if not isinstance(cluster, str):
        return BadRow(line, cluster, "is not a name", "write a text or a number", CLUSTER)
    return Item(
        line,
        {name: value for name, value in values.items() if name in (*get_task(task).fields, "id")},
        _gold(values.get(gold_name(task)), task),
        {name: value for name, value in tags.items() if value is not None},
        _votes(values.get("votes", [])),
        _truth(validated),
        cluster,
    )


def _truth(value: Any) -> bool | None:
    return TRUTH.get(str(written(value)).lower()) if isinstance(value, (str, int)) else None


def written(value: Any) -> Any:
    """A JSON number or boolean as JSON writes it; anything else as it is."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, (int, float)) else value


def _gold(value: Any, task: str) -> Any:
    if gold_name(task) == "label":
        return value
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
