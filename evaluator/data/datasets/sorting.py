"""The rows of a file sorted: kept as examples, skipped as malformed, or dropped as the format says."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from evaluator.data.datasets.example_columns import ExampleColumns
from evaluator.data.datasets.formats import Format, Item, Left, PlainItems
from evaluator.data.datasets.rows import BadRow, Watch
from evaluator.data.datasets.source import DatasetSource
from evaluator.data.tasks import FieldError, Task, get_task, is_text, show

#: After how many rows whoever watches is told.
WATCHED = 10_000
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


class _Kept(NamedTuple):
    id: str
    inputs: Mapping[str, str]
    gold: str | tuple[str, ...]
    tags: dict[str, str]
    votes: tuple[str, ...]
    validated: bool | None
    cluster: str


class _PlainKept(NamedTuple):
    """Neighbouring rows that are all kept, column by column; their tags are the same."""

    lines: Sequence[int]
    ids: Sequence[str]
    inputs: Mapping[str, Sequence[str]]
    gold: Sequence[str]
    tags: dict[str, str]


class SortedRows:
    """What became of the rows; of those that are kept a column for each part."""

    def __init__(self, fields: Sequence[str]) -> None:
        self.examples = ExampleColumns(fields)
        self.gold: list[str | tuple[str, ...]] = []
        self.tags: list[dict[str, str]] = []
        self.votes: list[tuple[str, ...]] = []
        self.validated: list[bool | None] = []
        self.clusters: list[str] = []
        self.skipped: list[RowError] = []
        self.dropped: Counter[str] = Counter()
        self._known: set[str] = set()
        self._lines = array("Q")

    def keep(self, row: _Kept, line: int) -> None:
        """Add the example of the row on a line. Raises `FieldError` where its id is not new."""
        id_, inputs, gold, tags, votes, validated, cluster = row
        if id_ in self._known:
            earlier = self._lines[self.examples.ids.index(id_)]
            problem = f"{show(id_)} is already the id of the row on line {earlier}"
            raise FieldError("id", id_, problem, "give every row an id of its own")
        self._known.add(id_)
        self._lines.append(line)
        self.examples.append(id_, inputs)
        self.gold.append(gold)
        self.tags.append(tags)
        self.votes.append(votes)
        self.validated.append(validated)
        self.clusters.append(cluster)

    def keep_plain(self, rows: _PlainKept) -> bool:
        """Add the examples of many rows, if each has an id that is new; whether that is so."""
        lines, ids, inputs, gold, tags = rows
        new = set(ids)
        if len(new) < len(ids) or not self._known.isdisjoint(new):
            return False
        self._known |= new
        self._lines.extend(lines)
        self.examples.extend(ids, inputs)
        self.gold += gold
        self.tags += [tags] * len(ids)
        self.votes += [()] * len(ids)
        self.validated += [None] * len(ids)
        self.clusters += [""] * len(ids)
        return True


def gold_labels_of(labels: tuple[str, ...], merge: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(merge.values())) or labels


def sort_rows(
    rows: Iterable[Item | PlainItems | BadRow | Left],
    form: Format,
    source: DatasetSource,
    watch: Watch | None = None,
) -> SortedRows:
    """Every row is kept, skipped (malformed) or dropped (not to be scored); `watch` is called as they are."""
    check = _Check.of(form, source)
    found = SortedRows(check.fields)
    number = told = 0
    for row in rows:
        if isinstance(row, PlainItems):
            _sort_plain(row, number, check, found)
        else:
            _sort(row, number, check, found)
        number += len(row) if isinstance(row, PlainItems) else 1
        if watch is not None and number - told >= WATCHED:
            watch(number - told)
            told = number
    return found


def _sort_plain(rows: PlainItems, number: int, check: _Check, found: SortedRows) -> None:
    """Sort many rows, the first of which has this `number`: at once if all are as they should be."""
    kept = check.plain(rows, number)
    if kept is None or not found.keep_plain(kept):
        for place, row in enumerate(rows, start=number):
            _sort(row, place, check, found)


def _sort(row: Item | BadRow | Left, number: int, check: _Check, found: SortedRows) -> None:
    try:
        if isinstance(row, BadRow):
            raise row.error
        kept = row if isinstance(row, Left) else check.item(row, number)
        if isinstance(kept, Left):
            found.dropped[kept.reason] += 1
        else:
            found.keep(kept, row.line)
    except FieldError as error:
        found.skipped.append(RowError(row.line, error.field, error.value, error.fix, str(error)))


@dataclass(frozen=True)
class _Check:
    """Checks the items of a source; `fields` are those of the task that its format has texts of.

    `in_words` is whether the task's answers are texts.
    """

    source: DatasetSource
    task: Task
    fields: tuple[str, ...]
    in_words: bool
    gold_labels: frozenset[str]

    @classmethod
    def of(cls, form: Format, source: DatasetSource) -> _Check:
        task = get_task(source.task)
        gold_labels = frozenset(gold_labels_of(source.labels, form.merge))
        fields = task.fields if form.texts else ()
        return cls(source, task, fields, task.answer == "text", gold_labels)

    def item(self, item: Item, number: int) -> _Kept | Left:
        """An item whose every value is right; `FieldError` if one is not. `number` is that of the row."""
        source = self.source
        line, values, gold, tags, votes, validated, cluster = item
        if self.fields:
            self.task.check_example(values, "")
        id_ = _id(values["id"] if "id" in values else str(number))
        gold = _references(gold, self.task.name) if self.in_words else _label(gold, source)
        tags, votes = _tags(tags, source.tags), _votes(votes, source.label_map)
        if not self.in_words and gold not in self.gold_labels:
            return Left(line, str(gold))
        return _Kept(id_, values, gold, tags, votes, validated, cluster)

    def plain(self, rows: PlainItems, number: int) -> _PlainKept | None:
        """Many items if every value is right and none is left out; None where they must be looked at.

        `number` is that of the first.
        """
        values, label_map = rows.values, self.source.label_map
        ids = values["id"] if "id" in values else list(map(str, range(number, number + len(rows))))
        columns = [ids, *(values[field] for field in self.fields), rows.gold]
        if self.in_words or not all(ids) or not all(map(_are_texts, columns)):
            return None
        gold = [label_map.get(label, "") for label in rows.gold]
        if not self.gold_labels.issuperset(gold):
            return None
        return _PlainKept(rows.lines, ids, values, gold, _tags({}, self.source.tags))


def _are_texts(column: Sequence[Any]) -> bool:
    return set(map(type, column)) == {str} and is_text("".join(column))


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
