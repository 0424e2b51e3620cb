"""The rows of a file sorted: kept as examples, skipped as malformed, or dropped as the format says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from evaluator.data.datasets.formats import Format, GivenItem, Item, Left
from evaluator.data.datasets.source import DatasetSource
from evaluator.data.tables import BadRow
from evaluator.data.tasks import FieldError, Task, get_task, is_text, show

#: The references of a question that has no answer.
UNANSWERABLE = ("",)


@dataclass(frozen=True)
class RowError:
    """A row that was left out; `line` is the physical line it starts on, counted from 1."""

    line: int
    field: str
    value: str
    fix: str
    message: str


@dataclass
class SortedRows:
    """What became of the rows; of those that are kept a column for each part."""

    examples: list[dict[str, Any]] = field(default_factory=list)
    gold: list[str | tuple[str, ...]] = field(default_factory=list)
    tags: list[dict[str, str]] = field(default_factory=list)
    votes: list[tuple[str, ...]] = field(default_factory=list)
    validated: list[bool | None] = field(default_factory=list)
    clusters: list[str] = field(default_factory=list)
    skipped: list[RowError] = field(default_factory=list)
    dropped: Counter[str] = field(default_factory=Counter)


def gold_labels_of(labels: tuple[str, ...], merge: Mapping[str, str]) -> tuple[str, ...]:
    """The labels that gold is made of, in order: `labels`, or what they are merged to."""
    return tuple(dict.fromkeys(merge.values())) or labels


def sort_rows(rows: Iterable[GivenItem], form: Format, source: DatasetSource) -> SortedRows:
    """Every row is kept, skipped (malformed) or dropped (not to be scored)."""
    task, found = get_task(source.task), SortedRows()
    gold_labels = frozenset(gold_labels_of(source.labels, form.merge))
    lines: dict[str, int] = {}
    for number, row in enumerate(rows):
        try:
            if isinstance(row, BadRow):
                raise row.error
            if isinstance(row, Left):
                found.dropped[row.reason] += 1
            else:
                _keep(row, number, task, form, source, gold_labels, lines, found)
        except FieldError as error:
            found.skipped.append(RowError(row.line, error.field, error.value, error.fix, str(error)))
    return found


def _keep(
    item: Item,
    number: int,
    task: Task,
    form: Format,
    source: DatasetSource,
    gold_labels: frozenset[str],
    lines: dict[str, int],
    found: SortedRows,
) -> None:
    """Add the example in the row of this number. Raises `FieldError` unless every value is right.

    `lines` has the line of each id so far.
    """
    fields = task.fields if form.texts else ()
    if fields:
        task.check_example(item.values, "")
    id_ = _id(item.values["id"]) if "id" in item.values else str(number)
    in_words = task.answer == "text"
    gold = _references(item.gold, task.name) if in_words else _label(item.gold, source)
    tags, votes = _tags(item.tags, source.tags), _votes(item.votes, source.label_map)
    if not in_words and gold not in gold_labels:
        found.dropped[str(gold)] += 1
        return
    if id_ in lines:
        problem = f"{show(id_)} is already the id of the row on line {lines[id_]}"
        raise FieldError("id", id_, problem, "give every row an id of its own")
    lines[id_] = item.line
    found.examples.append({"id": id_, **{name: item.values[name] for name in fields}})
    found.gold.append(gold)
    found.tags.append(tags)
    found.votes.append(votes)
    found.validated.append(item.validated)
    found.clusters.append(item.cluster)


def _id(value: Any) -> str:
    if isinstance(value, str) and value and is_text(value):
        return value
    if isinstance(value, bool) or not isinstance(value, (str, int)) or value == "" or not is_text(str(value)):
        raise FieldError("id", value, f"{show(value)} is not an id", "give a string or a whole number")
    return str(value)


def _label(value: Any, source: DatasetSource) -> str:
    if isinstance(value, str) and value in source.label_map:
        return source.label_map[value]
    raw = str(value).lower() if isinstance(value, bool) else str(value)
    if not isinstance(value, (str, int, float)) or raw not in source.label_map:
        more = get_task(source.task).words
        known = ", ".join(show(key) for key in source.label_map if key not in more or more[key] == key)
        fix = f"correct the row or add it to label_map, which knows {known}"
        raise FieldError("label", value, f"{show(value)} is not in label_map", fix)
    return source.label_map[raw]


def _references(value: Any, task: str) -> tuple[str, ...]:
    """The answers; "" stands for a question that has none, whose list is empty."""
    if value == () and task == "qa":
        return UNANSWERABLE
    if not isinstance(value, tuple) or not value:
        fix = "give one answer or a list of answers"
        raise FieldError("answers", value, f"{show(value)} is not one or more texts", fix)
    for text in value:
        if not isinstance(text, str) or not text or not is_text(text):
            raise FieldError("answers", text, f"{show(text)} is not a text", "give every answer as a string")
    return value


def check_tags(tags: Mapping[str, str]) -> None:
    for name, value in tags.items():
        if not isinstance(value, str) or not is_text(value):
            raise FieldError(f"tags.{name}", value, f"{show(value)} is not a text", "give tags as strings")


#: The tags of an example that has none.
_NO_TAGS: dict[str, str] = {}


def _tags(own: Mapping[str, str], constant: Mapping[str, str]) -> dict[str, str]:
    """The tags of one example; an empty one is none. A tag of all examples must fit each."""
    if not own and not constant:
        return _NO_TAGS
    check_tags(own)
    for name, value in constant.items():
        if own.get(name, value) != value:
            problem = f"{show(own[name])} where all examples are said to have {show(value)}"
            raise FieldError(f"tags.{name}", own[name], problem, "correct the tags of the dataset or the row")
    return {name: value for name, value in {**own, **constant}.items() if value}


def _votes(votes: Any, label_map: Mapping[str, str]) -> tuple[str, ...]:
    if votes == ():
        return ()
    if not isinstance(votes, tuple) or not all(isinstance(vote, str) and is_text(vote) for vote in votes):
        raise FieldError(
            "votes", votes, f"{show(votes)} is not a list of responses", "give a list of strings"
        )
    return tuple(label_map.get(vote, vote) for vote in votes)
