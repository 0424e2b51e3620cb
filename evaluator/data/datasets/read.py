"""A published file and the name of its format in, examples and their gold labels out.

The gold labels are kept apart from the examples, so that passing the examples on cannot pass them on
too. A malformed row is an error that names file, line and field; a caller may ask to skip such rows
instead, and then each is counted, as are those a format says not to score.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from evaluator.data.datasets.formats import FORMATS, Format
from evaluator.data.datasets.sorting import (
    UNANSWERABLE,
    RowError,
    SortedRows,
    check_tags,
    gold_labels_of,
    sort_rows,
)
from evaluator.data.datasets.source import DatasetError, DatasetSource
from evaluator.data.tasks import FieldError, get_task, show
from evaluator.records.canonical import digest
from evaluator.records.errors import UserError


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
    none do. Of several datasets together `parts` has the revision of each by its id; else it is empty.
    """

    id: str
    task: str
    labels: tuple[str, ...]
    examples: Sequence[dict[str, Any]]
    gold: tuple[Any, ...]
    revision: str
    skipped: tuple[RowError, ...] = ()
    tags: tuple[dict[str, str], ...] = ()
    merge: Mapping[str, str] = field(default_factory=dict)
    votes: tuple[tuple[str, ...], ...] = ()
    validated: tuple[bool, ...] = ()
    dropped: Mapping[str, int] = field(default_factory=dict)
    label_map: Mapping[str, str] = field(default_factory=dict)
    clusters: tuple[int, ...] = ()
    parts: Mapping[str, str] = field(default_factory=dict)

    @property
    def ids(self) -> list[str]:
        """The ids of the examples, in their order."""
        return [example["id"] for example in self.examples]

    def column(self, field: str) -> Sequence[str]:
        """A field of the examples, in their order."""
        return [example[field] for example in self.examples]

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
        return gold_labels_of(self.labels, self.merge)


def check_source(source: DatasetSource) -> None:
    """Raise `DatasetError` if a dataset cannot be read as it is declared, whatever its file holds."""
    _resolved(source)


def read_dataset(source: DatasetSource, skip_malformed: bool = False) -> Dataset:
    """Read the file of `source`, and those of its `also`.

    A row without an id of its own gets its zero-based number among the rows of the file, which stays
    the same when rows before it are skipped. Raises `DatasetError` if the mapping or the file is
    wrong, if no example is left, or, unless `skip_malformed`, at the first malformed row.
    """
    if source.also:
        each = [replace(source, also=()), *source.also]
        return _together([read_dataset(one, skip_malformed) for one in each])
    form, source = _resolved(source)
    try:
        data = form.fetch(source) if form.fetch else _read_bytes(source)
        reading = _with_words(source)
        rows = sort_rows(form.read(data, reading), form, reading)
    except FieldError as error:
        raise DatasetError(f"dataset {source.id}: {error.field}", error.problem, error.fix) from error
    except DatasetError:
        raise
    except UserError as error:
        raise DatasetError(error.place, error.value, error.fix) from error
    if rows.skipped and not skip_malformed:
        raise DatasetError(f"{source.where}:{rows.skipped[0].line}: {rows.skipped[0].message}")
    if not rows.examples:
        problem = f"has no examples{_why_none(rows)}"
        raise DatasetError(source.where, problem, f"give dataset {source.id} some")
    pairs = zip(rows.gold, rows.tags, strict=True)
    if all(gold == UNANSWERABLE and "answers" not in tags for gold, tags in pairs):
        fix = "a test file published without answers cannot be scored, so take another split"
        raise DatasetError(f"{source.where}: answers", "no question has any", fix)
    sha256 = hashlib.sha256(data).hexdigest()
    return Dataset(
        source.id,
        source.task,
        source.labels,
        tuple(rows.examples),
        tuple(rows.gold),
        _revision(source, form, sha256, UNANSWERABLE in rows.gold),
        tuple(rows.skipped),
        tuple(rows.tags),
        dict(form.merge),
        tuple(rows.votes),
        () if None in rows.validated else tuple(map(bool, rows.validated)),
        dict(sorted(rows.dropped.items())),
        dict(source.label_map),
        _clusters(rows.clusters),
    )


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


def _why_none(rows: SortedRows) -> str:
    skipped = rows.skipped
    if skipped and not rows.dropped:
        return f" (all {len(skipped)} rows are malformed, first line {skipped[0].line}: {skipped[0].message})"
    counts = [f"{count} {reason}" for reason, count in sorted(rows.dropped.items())]
    counts += [f"{len(skipped)} malformed"] if skipped else []
    return f" to score ({', '.join(counts)})" if counts else ""


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


def _with_words(source: DatasetSource) -> DatasetSource:
    """The source as its rows are read, which may have other words that the task knows for its labels."""
    gold = set(source.label_map.values())
    words = {word: label for word, label in get_task(source.task).words.items() if label in gold}
    return replace(source, label_map={**words, **source.label_map})


def _resolved(source: DatasetSource) -> tuple[Format, DatasetSource]:
    """The format of `source`, and `source` with labels and label map filled in, both checked."""
    try:
        form = _format(source)
        task = get_task(source.task)
        labels = task.in_labels(source.labels) or form.labels
        gold = gold_labels_of(labels, form.merge)
        given = {raw: task.label(label, gold) for raw, label in source.label_map.items()}
        label_map = given or dict(form.label_map) or {label: label for label in gold}
        filled = replace(source, labels=labels, label_map=label_map)
        task.check_labels(labels)
        _check_label_map(replace(source, label_map=given), labels, form)
        check_tags(source.tags)
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
    known = gold_labels_of(labels, form.merge)
    if form.merge and set(labels) != set(form.merge):
        fix = f"use {', '.join(form.merge)}"
        raise FieldError("labels", labels, f"{show(labels)} do not fit {form.name}", fix)
    for raw, label in source.label_map.items():
        if label not in known:
            fix = f"map it to one of {', '.join(known)}"
            raise FieldError(f"label_map.{raw}", label, f"{show(label)} is not a label", fix)


def _read_bytes(source: DatasetSource) -> bytes:
    assert source.path is not None
    try:
        data = source.path.read_bytes()
    except FileNotFoundError:
        fix = "put the file there, correct the dataset's path, or name another folder with --data"
        raise DatasetError(source.path, "no such file", f"dataset {source.id} reads it: {fix}") from None
    except (OSError, ValueError) as error:
        fix = f"correct the path of {source.id}"
        raise DatasetError(source.path, f"cannot be read ({error})", fix) from error
    found = hashlib.sha256(data).hexdigest()
    if source.sha256 is not None and found != source.sha256.removeprefix("sha256:").lower():
        problem = f"the file has {found}, the pin says {source.sha256}"
        fix = "restore the file or, if it was meant to change, pin the new hash"
        raise DatasetError(f"{source.path}: sha256", problem, fix)
    return data
