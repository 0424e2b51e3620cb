"""A published file and the name of its format in, examples and their gold labels out.

The gold labels are kept apart from the examples, so that passing the examples on cannot pass them on
too. A malformed row is an error that names file, line and field; a caller may ask to skip such rows
instead, and then each is counted, as are those a format says not to score.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from evaluator.data.datasets.formats import FORMATS
from evaluator.data.datasets.formats.base import (
    NO_LABEL,
    DatasetError,
    DatasetSource,
    Format,
    GivenItem,
    Item,
    Left,
)
from evaluator.data.tables import BadRow
from evaluator.data.tasks import FieldError, get_task, is_text, show
from evaluator.records.base import digest
from evaluator.records.errors import UserError, nearest_file

#: The references of a question that has no answer.
UNANSWERABLE = ("",)
#: What the Hugging Face hub has for no label where labels are numbers from 0.
NO_CLASS = "-1"


@dataclass(frozen=True)
class Dataset:
    """Examples (``id`` and the input fields) in file order and, apart from them, all that is known of each.

    `labels` are what a model may answer, () where it answers with a text. `gold` has one of `gold_labels`
    an example or, where the answer is a text, a tuple of one or more reference texts. `tags` has
    ``{name: value}`` an example, `votes` the annotators' responses (as labels where the label map knows
    them, else in the file's words), and `validated` whether people have confirmed it, or is () where the
    format does not say. `merge` maps labels to gold labels where these are coarser. `dropped` counts,
    by reason, the examples that the format says not to score. `label_map` says what the file's words for
    labels mean. `clusters` has a number an example, the same for those that share a source, or is () where
    none do; `same_text` is whether these are the rows of one text, which nobody declared. `left_out` are the
    ids of rows that were skipped or dropped, as far as they are known. Of several datasets together `parts`
    has the revision of each by its id; else it is empty.
    """

    id: str
    task: str
    labels: tuple[str, ...]
    examples: Sequence[dict[str, Any]]
    gold: tuple[Any, ...]
    revision: str
    skipped: tuple[BadRow, ...] = ()
    tags: tuple[dict[str, str], ...] = ()
    merge: Mapping[str, str] = field(default_factory=dict)
    votes: tuple[tuple[str, ...], ...] = ()
    validated: tuple[bool, ...] = ()
    dropped: Mapping[str, int] = field(default_factory=dict)
    label_map: Mapping[str, str] = field(default_factory=dict)
    clusters: tuple[int, ...] = ()
    same_text: bool = False
    parts: Mapping[str, str] = field(default_factory=dict)
    left_out: frozenset[str] = frozenset()

    @property
    def ids(self) -> list[str]:
        """The ids of the examples, in their order."""
        return [example["id"] for example in self.examples]

    @property
    def has_inputs(self) -> bool:
        """Whether the examples hold what a model needs to see, and not only ids."""
        return len(self.examples[0]) > 1

    @property
    def has_votes(self) -> bool:
        """Whether every example keeps its annotators' responses, and they are of the gold labels at all."""
        labels = set(self.gold_labels)
        return all(self.votes) and any(labels.intersection(votes) for votes in self.votes)

    @property
    def both_kinds(self) -> bool:
        """Whether some questions have an answer and some have none."""
        return len({gold == UNANSWERABLE for gold in self.gold}) > 1

    @property
    def gold_labels(self) -> tuple[str, ...]:
        """The labels that `gold` is made of, in order: `labels`, or what they are merged to."""
        return _gold_labels(self.labels, self.merge)


def check_source(source: DatasetSource) -> None:
    """Raise `DatasetError` if a dataset cannot be read as it is declared, whatever its file holds."""
    _resolved(source)


def read_dataset(source: DatasetSource) -> Dataset:
    """Read the file of `source`, and those of its `also`.

    A row without an id of its own gets its zero-based number among the rows of the file, which stays
    the same when rows before it are skipped. Raises `DatasetError` if the mapping or the file is
    wrong, if no example is left, or, unless the source skips them, at the first malformed row.
    """
    if source.also:
        each = [replace(source, also=()), *source.also]
        return _together([read_dataset(one) for one in each])
    form, source = _resolved(source)
    try:
        data = form.fetch(source) if form.fetch else _read_bytes(source)
        rows = _Rows(form, source)
        rows.sort(form.read(data, rows.source))
    except DatasetError:
        raise
    except FieldError as error:
        place = f"dataset {source.id}: {error.field}" if error.place == error.field else error.place
        raise DatasetError(place, error.problem, error.fix) from error
    except UserError as error:
        raise DatasetError(error.place, error.value, error.fix) from error
    kept = rows.kept
    if rows.skipped and not source.skip_malformed:
        raise DatasetError(f"{source.where}:{rows.skipped[0].line}: {rows.skipped[0].error}")
    if not kept:
        raise DatasetError(source.where, f"has no examples{rows.why_none}", f"give dataset {source.id} some")
    if all(item.gold == UNANSWERABLE and "answers" not in item.tags for item in kept):
        fix = "a test file published without answers cannot be scored, so take another split"
        raise DatasetError(f"{source.where}: answers", "no question has any", fix)
    sha256 = hashlib.sha256(data).hexdigest()
    gold, validated = tuple(item.gold for item in kept), [item.validated for item in kept]
    clusters, same_text = _clusters([item.cluster for item in kept]), False
    if form.texts and not any(item.cluster for item in kept):
        # Several runs of one question, or copies of one row: what each adds is no independent evidence.
        clusters = _clusters([_text(item.values) for item in kept])
        same_text = bool(clusters)
    return Dataset(
        id=source.id,
        task=source.task,
        labels=source.labels,
        examples=tuple(item.values for item in kept),
        gold=gold,
        revision=_revision(source, form, sha256, UNANSWERABLE in gold),
        skipped=tuple(rows.skipped),
        tags=tuple(dict(item.tags) for item in kept),
        merge=dict(form.merge),
        votes=tuple(item.votes for item in kept),
        validated=() if None in validated else tuple(map(bool, validated)),
        dropped=dict(sorted(rows.dropped.items())),
        label_map=dict(source.label_map),
        clusters=clusters,
        same_text=same_text,
        left_out=rows.left_out,
    )


def revision_of(source: DatasetSource) -> str | None:
    """The revision that `read_dataset` gives, without reading rows where these do not decide it.

    A file that is not here is known by its pin. None for what is fetched, or neither here nor pinned. Raises
    `DatasetError` for what cannot be read.
    """
    if source.also:
        parts = {one.id: revision_of(one) for one in [replace(source, also=()), *source.also]}
        return None if None in parts.values() else digest({"together": parts})
    form, filled = _resolved(source)
    if source.path is None:
        return None
    here = source.path.is_file()
    if get_task(source.task).name == "qa":
        return read_dataset(replace(source, skip_malformed=True)).revision if here else None
    if not here and source.sha256 is None:
        return None
    sha256 = hashlib.sha256(_read_bytes(source)).hexdigest() if here else _pinned(source)
    return _revision(filled, form, sha256, unanswerable=False)


def _together(datasets: Sequence[Dataset]) -> Dataset:
    """Examples and right answers of all; nothing else is known of all of them. Raises `DatasetError`."""
    first = datasets[0]
    for other in datasets[1:]:
        if (other.task, other.labels, other.merge) != (first.task, first.labels, first.merge):
            labels = f"has the labels {', '.join(other.labels)}, and {first.id} {', '.join(first.labels)}"
            fix = "give both the same, in the same order"
            raise DatasetError(f"dataset {other.id}: labels", labels, fix)
    parts = {one.id: one.revision for one in datasets}
    return Dataset(
        "+".join(parts),
        first.task,
        first.labels,
        [{**example, "id": f"{one.id}/{example['id']}"} for one in datasets for example in one.examples],
        tuple(gold for one in datasets for gold in one.gold),
        digest({"together": parts}),
        tuple(error for one in datasets for error in one.skipped),
        merge=first.merge,
        parts=parts,
    )


def _clusters(names: Sequence[str]) -> tuple[int, ...]:
    """The number of each example's cluster, in order of first examples; () if no two share one."""
    if not any(names):
        return ()
    numbers: dict[str | int, int] = {}
    found = tuple(numbers.setdefault(name or row, len(numbers)) for row, name in enumerate(names))
    return found if len(numbers) < len(names) else ()


def _text(values: Mapping[str, Any]) -> str:
    """All that a model sees of an example, as one text."""
    return json.dumps([value for name, value in values.items() if name != "id"])


class _Rows:
    """The rows of a file sorted: kept as examples, skipped as malformed, or dropped as the format says."""

    def __init__(self, form: Format, source: DatasetSource) -> None:
        self.form, self.task = form, get_task(source.task)
        self.gold_labels = frozenset(_gold_labels(source.labels, form.merge))
        # Rows may have other words that the task knows for its labels.
        gold = set(source.label_map.values())
        words = {word: label for word, label in self.task.words.items() if label in gold}
        self.source = replace(source, label_map={**words, **source.label_map})
        self.kept: list[Item] = []
        self.skipped: list[BadRow] = []
        self.dropped: Counter[str] = Counter()
        self._left: set[str] = set()
        self._lines: dict[str, int] = {}

    def sort(self, rows: Iterable[GivenItem]) -> None:
        """Every row is kept, skipped or dropped."""
        for number, row in enumerate(rows):
            if isinstance(row, BadRow):
                self.skipped.append(row)
            elif isinstance(row, Left):
                self.dropped[row.reason] += 1
                self._left.add(row.id or str(number))
            else:
                try:
                    self._keep(row, number)
                except FieldError as error:
                    self.skipped.append(BadRow(row.line, error))
                    self._left.add(str(row.values.get("id", number)))

    @property
    def left_out(self) -> frozenset[str]:
        """The ids of the rows that are no examples, as far as they are known."""
        return frozenset(self._left - self._lines.keys())

    @property
    def why_none(self) -> str:
        """Why no example is left, in words for a message."""
        if self.skipped and not self.dropped:
            line, error, _ = self.skipped[0]
            return f" (all {len(self.skipped)} rows are malformed, first line {line}: {error})"
        counts = [f"{count} {reason}" for reason, count in sorted(self.dropped.items())]
        counts += [f"{len(self.skipped)} malformed"] if self.skipped else []
        return f" to score ({', '.join(counts)})" if counts else ""

    def _keep(self, item: Item, number: int) -> None:
        """Add the example in the row of this number. Raises `FieldError` unless every value is right."""
        fields = self.task.fields if self.form.texts else ()
        if fields:
            self.task.check_example(item.values, "")
        id_ = _id(item.values["id"]) if "id" in item.values else str(number)
        in_words = self.task.answer == "text"
        gold = _references(item.gold, self.task.name) if in_words else self._label(item.gold)
        tags, votes = _tags(item.tags, self.source.tags), self._votes(item.votes)
        if not in_words and gold not in self.gold_labels:
            self.dropped[str(gold) or NO_LABEL] += 1
            self._left.add(id_)
            return
        if id_ in self._lines:
            problem = f"{show(id_)} is already the id of the row on line {self._lines[id_]}"
            raise FieldError("id", id_, problem, "give every row an id of its own")
        self._lines[id_] = item.line
        values = {"id": id_, **{name: item.values[name] for name in fields}}
        self.kept.append(Item(item.line, values, gold, tags, votes, item.validated, item.cluster))

    def _label(self, value: Any) -> str:
        known = self.source.label_map
        # Parquet and JSON have null where other files have an empty cell.
        if str(value) == NO_CLASS and NO_CLASS not in known and ("0" in known or self.form.fetch):
            return ""
        raw = "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
        if not isinstance(value, str | int | float | None) or raw not in known:
            more = self.task.words
            words = ", ".join(show(key) for key in known if key not in more or more[key] == key)
            fix = (
                f"correct the row or add it to label_map, which knows {words};"
                f' {json.dumps(raw, ensure_ascii=False)} = "" there says that it means no label'
            )
            raise FieldError("label", value, f"{show(value)} is not in label_map", fix)
        return known[raw]

    def _votes(self, votes: Any) -> tuple[str, ...]:
        if not isinstance(votes, tuple) or not all(isinstance(vote, str) and is_text(vote) for vote in votes):
            problem = f"{show(votes)} is not a list of responses"
            raise FieldError("votes", votes, problem, "give a list of strings")
        labels = (self.source.label_map.get(vote, vote) for vote in votes)
        return tuple(label for label in labels if label)


def _gold_labels(labels: tuple[str, ...], merge: Mapping[str, str]) -> tuple[str, ...]:
    """The labels that gold is made of, in order: `labels`, or what they are merged to."""
    return tuple(dict.fromkeys(merge.values())) or labels


def _id(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int) or value == "" or not is_text(str(value)):
        raise FieldError("id", value, f"{show(value)} is not an id", "give a string or a whole number")
    return str(value)


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


def _check_tags(tags: Mapping[str, str]) -> None:
    for name, value in tags.items():
        if not isinstance(value, str) or not is_text(value):
            raise FieldError(f"tags.{name}", value, f"{show(value)} is not a text", "give tags as strings")


def _tags(own: Mapping[str, str], constant: Mapping[str, str]) -> dict[str, str]:
    """The tags of one example; an empty one is none. A tag of all examples must fit each."""
    _check_tags(own)
    for name, value in constant.items():
        if own.get(name, value) != value:
            problem = f"{show(own[name])} where all examples are said to have {show(value)}"
            raise FieldError(f"tags.{name}", own[name], problem, "correct the tags of the dataset or the row")
    return {name: value for name, value in {**own, **constant}.items() if value}


def _revision(source: DatasetSource, form: Format, sha256: str, unanswerable: bool) -> str:
    """Hash of the hash of the file and of everything that decides how they become examples."""
    content: dict[str, Any] = {
        "file": sha256,
        "task": source.task,
        "format": source.format,
        "columns": dict(source.columns),
        "label_map": dict(source.label_map),
        "labels": list(source.labels),
    }
    # Named only where they are set, so that revisions published before they existed stay the same.
    later = {
        "options": dict(source.options),
        "tags": dict(source.tags),
        "merge": dict(form.merge),
        # Such questions were left out once: results from then are on other examples.
        "unanswerable": unanswerable,
    }
    return digest(content | {name: value for name, value in later.items() if value})


def _resolved(source: DatasetSource) -> tuple[Format, DatasetSource]:
    """The format of `source`, and `source` with labels and label map filled in, both checked."""
    try:
        form = _format(source)
        task = get_task(source.task)
        labels = task.in_labels(source.labels) or form.labels
        gold = _gold_labels(labels, form.merge)
        given = {raw: task.label(label, gold) for raw, label in source.label_map.items()}
        label_map = given
        if not any(given.values()):  # which at most says what means no label
            label_map = {**(form.label_map or {label: label for label in gold}), **given}
        filled = replace(source, labels=labels, label_map=label_map)
        task.check_labels(labels)
        _check_label_map(replace(source, label_map=given), labels, form)
        _check_tags(source.tags)
        form.check(filled)
    except FieldError as error:
        raise DatasetError(f"dataset {source.id}: {error.field}", error.problem, error.fix) from error
    return form, filled


def _format(source: DatasetSource) -> Format:
    """The format of `source`; `FieldError` unless it is known and knows the task and the options."""
    if source.format not in FORMATS:
        problem, fix = f"{show(source.format)} is not a format", f"use one of {', '.join(FORMATS)}"
        raise FieldError("format", source.format, problem, fix)
    form = FORMATS[source.format]
    if get_task(source.task).name not in form.tasks:
        problem = f"{form.name} is no data for {source.task}"
        raise FieldError("task", source.task, problem, f"use {' or '.join(form.tasks)}")
    for name in source.options:
        if name not in form.options:
            known = f"use only {', '.join(form.options)}" if form.options else "leave options out"
            raise FieldError(
                f"options.{name}", source.options[name], f"{form.name} has no such option", known
            )
    if source.cluster is not None and not form.clusters:
        problem = f"{form.name} has no columns to choose clusters from"
        raise FieldError("cluster", source.cluster, problem, "leave cluster out")
    if (source.path is None) != (form.fetch is not None):
        problem, fix = (
            ("missing", "say where the file is")
            if form.fetch is None
            else (f"{form.name} fetches its data by options", "leave path out")
        )
        raise FieldError("path", source.path, problem, fix)
    return form


def _check_label_map(source: DatasetSource, labels: tuple[str, ...], form: Format) -> None:
    known = _gold_labels(labels, form.merge)
    if form.merge and set(labels) != set(form.merge):
        fix = f"use {', '.join(form.merge)}"
        raise FieldError("labels", labels, f"{show(labels)} do not fit {form.name}", fix)
    for raw, label in source.label_map.items():
        if label not in known and (label or not known):
            fix = f'map it to one of {", ".join(known)}, or to "" if it means no label'
            raise FieldError(f"label_map.{raw}", label, f"{show(label)} is not a label", fix)


def _pinned(source: DatasetSource) -> str:
    """The hash that the file of a source should have, 64 hex digits."""
    return (source.sha256 or "").removeprefix("sha256:").lower()


def _read_bytes(source: DatasetSource) -> bytes:
    assert source.path is not None
    try:
        data = source.path.read_bytes()
    except FileNotFoundError:
        fix = "put the file there, correct the dataset's path, or name another folder with --data"
        fix = f"dataset {source.id} reads it: {fix}{nearest_file(source.path)}"
        raise DatasetError(source.path, "no such file", fix) from None
    except (OSError, ValueError) as error:
        fix = f"correct the path of {source.id}"
        raise DatasetError(source.path, f"cannot be read ({error})", fix) from error
    found = hashlib.sha256(data).hexdigest()
    if source.sha256 is not None and found != _pinned(source):
        problem = f"the file has {found}, the pin says {source.sha256}"
        fix = "restore the file or, if it was meant to change, pin the new hash"
        raise DatasetError(f"{source.path}: sha256", problem, fix)
    return data
