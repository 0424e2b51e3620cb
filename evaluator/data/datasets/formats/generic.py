"""Tables of any columns, which the source maps to what they hold; and gold labels without texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from evaluator.data.datasets.formats.base import NO_TAGS, DatasetSource, Format, GivenItem, Item, Left
from evaluator.data.nodes import wrong
from evaluator.data.tables import FORMS, BadRow, Row, Table, form_of, read_table
from evaluator.data.tasks import TASKS, FieldError, get_task, show
from evaluator.records.errors import UserError

TAG = "tag."
CLUSTER = "cluster"
#: The forms whose columns a header names, or nothing but their places; the others have keys.
HEADED = ("csv", "tsv")
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
    """Raise `FieldError` unless the columns of `source` fit its task and `form`, one of `FORMS`."""
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
    if "votes" in source.columns and form in HEADED:
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
    if form not in HEADED:
        fix = "JSON lines, JSON and Parquet need keys for all columns"
        raise FieldError(field, column, f"{show(column)} is not a key", fix)
    if isinstance(column, str) or column < 0:
        fix = "use 0-based column numbers for all columns, or header names for all"
        raise FieldError(field, column, f"{show(column)} is not a column number", fix)


def read(data: bytes, source: DatasetSource, form: str) -> Iterator[GivenItem]:
    """The rows of a table of that form, as the columns of `source` map them. Raises `UserError`."""
    table = read_table(data, form, source.where, header=_named(source))
    found = mapped(table, _with_cluster(source), form)
    return (
        (_voted(row, source) if isinstance(row, Item) else row for row in found)
        if _by_votes(source)
        else found
    )


def published(
    data: bytes, source: DatasetSource, form: str, columns: Mapping[str, str]
) -> Iterator[GivenItem]:
    """`read` for a format whose columns are known by name."""
    fix = f"give the file as {source.format} is published"
    return mapped(read_table(data, form, source.where), replace(source, columns=columns), form, fix)


def mapped(
    table: Table, source: DatasetSource, form: str, fix: str = "name one column of the file"
) -> Iterator[GivenItem]:
    """The rows of a table as the columns of `source` map them.

    Raises `UserError` if a header lacks one of them; `fix` says what to do then.
    """
    if form in HEADED and _named(source):
        header = list(table.frame.columns)
        for name, column in source.columns.items():
            if column not in header:
                problem = f"{show(column)} is not in the header {show(header)}"
                raise UserError(f"{source.where}:1: {_field(name)}", problem, fix)
    mapping = _Mapping.of(source.columns, source.task)
    return (row if isinstance(row, BadRow) else mapping.item(row) for row in table.rows())


def _voted(item: Item, source: DatasetSource) -> GivenItem:
    votes = item.votes
    if not isinstance(votes, tuple) or not all(isinstance(vote, str) for vote in votes):
        error = wrong("votes", votes, "is not a list of responses", "give a list of strings")
        return BadRow(item.line, error)
    [(most, times)] = Counter(votes).most_common(1) or [("", 0)]
    if 2 * times <= len(votes):
        return Left(item.line, "no majority")
    return item._replace(gold=most) if most in source.label_map else Left(item.line, most)


@dataclass(frozen=True)
class _Mapping:
    """Where rows have what: the column of each mapped name.

    `shown` has the columns of what a model sees, and of the id; `others` the rest of them. `tags` has what
    tags are called by their names here; `judged` is whether there is anything of people or of sources.
    """

    places: Places
    shown: Places
    others: Places
    tags: Mapping[str, str]
    gold: str
    in_words: bool
    judged: bool

    @classmethod
    def of(cls, places: Places, task: str) -> _Mapping:
        names = (*get_task(task).fields, "id")
        shown = {name: place for name, place in places.items() if name in names}
        others = {name: place for name, place in places.items() if name not in names}
        tags = {name: name.removeprefix(TAG) for name in places if name.startswith(TAG)}
        judged = any(name in places for name in ("validated", "votes", CLUSTER))
        return cls(places, shown, others, tags, gold_name(task), get_task(task).answer == "text", judged)

    def item(self, row: Row) -> Item | BadRow:
        """What a row has: what a model sees apart from gold, tags and judgements."""
        line, cells = row
        try:
            shown = {name: cells[place] for name, place in self.shown.items()}
            values = {name: cells[place] for name, place in self.others.items()}
        except KeyError:
            name, place = next((name, place) for name, place in self.places.items() if place not in cells)
            what = f"the key {show(place)}" if isinstance(place, str) else f"column {place}"
            error = FieldError(name, None, f"missing: the row lacks {what}", "add it or correct columns")
            return BadRow(line, error)
        gold = _references(values.get(self.gold)) if self.in_words else values.get(self.gold)
        tags = {tag: written(values[name]) for name, tag in self.tags.items()} if self.tags else NO_TAGS
        tags = {tag: value for tag, value in tags.items() if value is not None} if tags else NO_TAGS
        if not self.judged:
            return Item(line, shown, gold, tags)
        validated, cluster = values.get("validated"), values.get(CLUSTER)
        if "validated" in values and _truth(validated) is None:
            problem = f"{'null ' if validated is None else ''}is not true or false"
            error = wrong("validated", validated, problem, "write true, false, 1 or 0")
            return BadRow(line, error)
        cluster = "" if cluster is None else written(cluster)
        if not isinstance(cluster, str):
            return BadRow(line, wrong(CLUSTER, cluster, "is not a name", "write a text or a number"))
        votes = values.get("votes", [])
        if isinstance(votes, list):
            votes = tuple(map(written, votes))
        return Item(line, shown, gold, tags, votes, _truth(validated), cluster)


def _truth(value: Any) -> bool | None:
    return TRUTH.get(str(written(value)).lower()) if isinstance(value, (str, int)) else None


def written(value: Any) -> Any:
    """A JSON number or boolean as JSON writes it; anything else as it is."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, (int, float)) else value


def _references(value: Any) -> Any:
    return (value,) if isinstance(value, str) else tuple(value) if isinstance(value, list) else value


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
VOTES = "the annotators' responses, a list, if there are any"
JSONL = _format("jsonl", "JSON lines of any keys", votes=VOTES)
JSON = _format("json", "a JSON list of objects of any keys", votes=VOTES)
PARQUET = _format("parquet", "a Parquet table of any columns; needs pyarrow", votes=VOTES)


def _check_gold(source: DatasetSource) -> None:
    """Raise `FieldError` unless the columns are named, ids and gold answers among them, and no texts."""
    if source.path is not None and form_of(source.path.name) not in FORMS:
        problem = f"{show(source.path.name)} does not end in one of {', '.join(FORMS)}"
        raise FieldError("path", source.path.name, problem, "name the file after what it is")
    needed = ("id", "label")
    for name in needed:
        if name not in source.columns:
            raise FieldError(f"columns.{name}", None, "missing", f"say which column holds the {name}")
    for name, column in source.columns.items():
        if name not in (*needed, "validated") and not name.startswith(TAG):
            fix = f"map only {', '.join(needed)}, validated, {TAG}NAME; for texts use {', '.join(FORMS)}"
            raise FieldError(f"columns.{name}", column, "is no part of gold answers", fix)
        if not isinstance(column, str):
            fix = "use the header's names"
            raise FieldError(f"columns.{name}", column, f"{show(column)} is not a name", fix)


#: Gold answers without texts: predictions made elsewhere can be scored on them, models cannot be asked. Only
#: where answers are labels: one in words is kept by quoting the text (`evaluator.data.tasks.quoting`).
GOLD = Format(
    "gold",
    tuple(name for name, task in TASKS.items() if task.answer == "label"),
    lambda data, source: read(data, source, form_of(source.where)),
    check=_check_gold,
    texts=False,
    about="ids and gold labels only, in any of the forms above by the file's ending, for predictions on texts"
    " that are elsewhere",
    columns={
        "id": "id",
        "label": "label",
        "validated": "whether people confirmed the label",
        "tag.NAME": "tags",
    },
)
