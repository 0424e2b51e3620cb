"""Tables of any columns, which the source maps to what they hold; and gold labels without texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from evaluator.data.datasets.formats.base import DatasetSource, Format, GivenItem, Item, Left
from evaluator.data.nodes import wrong
from evaluator.data.tables import FORMS, BadRow, Row, Table, form_of, read_table
from evaluator.data.tasks import ASKED, TASKS, FieldError, get_task, show
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


def check_columns(source: DatasetSource, form: str) -> None:
    """Raise `FieldError` unless the columns of `source` fit its task and `form`, one of `FORMS`."""
    fields = get_task(source.task).fields
    for name in (*fields, *(() if _by_votes(source) else (gold_name(source.task),))):
        if name not in source.columns:
            raise FieldError(f"columns.{name}", None, "missing", f"say which column holds the {name}")
    known = (*fields, gold_name(source.task), "id", "votes", "validated")
    for name, column in source.columns.items():
        if name == CLUSTER:
            problem, fix = f"{show(name)} is no column of columns", "write cluster beside columns"
            raise FieldError(f"columns.{name}", column, problem, fix)
        if name not in known and not (name.startswith(TAG) and name != TAG):
            fix = f"map only {', '.join(known)}, {TAG}NAME"
            raise FieldError(f"columns.{name}", column, f"{source.task} has no such field", fix)
    places = _places(source)
    for name, column in () if _named(places) else places.items():
        if form not in HEADED:
            fix = "JSON lines, JSON and Parquet need keys for all columns"
            raise FieldError(_field(name), column, f"{show(column)} is not a key", fix)
        if isinstance(column, str) or column < 0:
            fix = "use 0-based column numbers for all columns, or header names for all"
            raise FieldError(_field(name), column, f"{show(column)} is not a column number", fix)
    if "votes" in source.columns and form in HEADED:
        raise FieldError("columns.votes", source.columns["votes"], "votes are lists", "use jsonl")


def _by_votes(source: DatasetSource) -> bool:
    """Whether gold labels are the majorities of responses, as no column has them."""
    label = gold_name(source.task) == "label"
    return label and "votes" in source.columns and "label" not in source.columns


def gold_name(task: str) -> str:
    """What the mapping calls the gold answer of a task."""
    return "answers" if get_task(task).answer == "text" else "label"


def _places(source: DatasetSource) -> dict[str, str | int]:
    """The columns, that of the clusters among them."""
    return {**source.columns, **({} if source.cluster is None else {CLUSTER: source.cluster})}


def _field(name: str) -> str:
    """Where a source says it."""
    return CLUSTER if name == CLUSTER else f"columns.{name}"


def _named(places: Mapping[str, str | int]) -> bool:
    return all(isinstance(column, str) for column in places.values())


def read(data: bytes, source: DatasetSource, form: str) -> Iterator[GivenItem]:
    """The rows of a table of that form, as the columns of `source` map them. Raises `UserError`."""
    table = read_table(data, form, source.where, header=_named(_places(source)))
    found = mapped(table, source, form)
    if not _by_votes(source):
        return found
    return (_voted(row, source) if isinstance(row, Item) else row for row in found)


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
    places = _places(source)
    if form in HEADED and _named(places):
        header = list(table.frame.columns)
        for name, column in places.items():
            if column not in header:
                problem = f"{show(column)} is not in the header {show(header)}"
                raise UserError(f"{source.where}:1: {_field(name)}", problem, fix)
    item = _reader(places, source.task)
    return (row if isinstance(row, BadRow) else item(row) for row in table.rows())


def _voted(item: Item, source: DatasetSource) -> GivenItem:
    votes = item.votes
    if not isinstance(votes, tuple) or not all(isinstance(vote, str) for vote in votes):
        error = wrong("votes", votes, "is not a list of responses", "give a list of strings")
        return BadRow(item.line, error)
    [(most, times)] = Counter(votes).most_common(1) or [("", 0)]
    if 2 * times <= len(votes):
        return Left(item.line, "no majority", str(item.values.get("id", "")))
    if most in source.label_map:
        return item._replace(gold=most)
    return Left(item.line, most, str(item.values.get("id", "")))


def _reader(places: Mapping[str, str | int], task: str) -> Callable[[Row], Item | BadRow]:
    """What makes an example of a row: what a model sees apart from gold, tags and judgements."""
    shown = [name for name in (*get_task(task).fields, "id") if name in places]
    tags = {name: name.removeprefix(TAG) for name in places if name.startswith(TAG)}
    gold, in_words = gold_name(task), get_task(task).answer == "text"

    def item(row: Row) -> Item | BadRow:
        line, cells = row
        try:
            values = {name: cells[place] for name, place in places.items()}
        except KeyError:
            name, place = next((name, place) for name, place in places.items() if place not in cells)
            what = f"the key {show(place)}" if isinstance(place, str) else f"column {place}"
            error = FieldError(name, None, f"missing: the row lacks {what}", "add it or correct columns")
            return BadRow(line, error)
        validated = values.get("validated")
        if "validated" in values and _truth(validated) is None:
            problem = f"{'null ' if validated is None else ''}is not true or false"
            return BadRow(line, wrong("validated", validated, problem, "write true, false, 1 or 0"))
        cluster = "" if values.get(CLUSTER) is None else written(values[CLUSTER])
        if not isinstance(cluster, str):
            return BadRow(line, wrong(CLUSTER, cluster, "is not a name", "write a text or a number"))
        votes = values.get("votes", ())
        answer = values.get(gold)
        return Item(
            line,
            {name: values[name] for name in shown},
            _references(answer) if in_words else answer,
            {tag: written(values[name]) for name, tag in tags.items() if values[name] is not None},
            tuple(map(written, votes)) if isinstance(votes, list) else votes,
            _truth(validated),
            cluster,
        )

    return item


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
        ASKED,
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
