"""The parts of a dataset by the values of a tag, such as a repository or a month, weighed as datasets are.

A board that names a tag under `split` ranks by these parts: each has its own means, and its own record of how
these vary with its examples, so that rank sets hold at any weights. At the default weights, the numbers of
examples, a mean over the parts is the mean over the dataset.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from evaluator.data.datasets import Dataset
from evaluator.rank.rank_sets import FEW
from evaluator.records.base import digest
from evaluator.records.board import Assembled, Boards, WeighedPart
from evaluator.records.board.score import SCORE
from evaluator.records.datasets import TagPart, TagParts
from evaluator.records.errors import UserError
from evaluator.records.result import Result
from evaluator.records.store import Store
from evaluator.score.covariances import (
    InfluenceColumns,
    MetricColumn,
    covariances_of,
    shown_metrics,
)
from evaluator.score.examples import answered
from evaluator.score.groups import Groups
from evaluator.score.means import by_example, by_trial, exact_mean
from evaluator.score.passes import chances, is_of_trials, right_trials
from evaluator.score.scores import Influence, values_by_example
from evaluator.score.suites import RemadeSuites

#: A part has at least so many examples; smaller ones are taken together, for fewer say too little of how
#: their mean varies (`rank.rank_sets.FEW`).
LEAST = FEW
#: A dataset has at most so many parts.
MOST = 60
#: Weights on a page are at most this; numbers of examples above are divided by a power of ten.
LARGEST = 1000.0
#: What a day is written as; parts by a date are months, or several of them.
_DAY = re.compile(r"\d{4}-\d\d(-\d\d([T ].*)?)?")
#: Of a mean and its examples, which may have been added in another order.
TOLERANCE = 1e-9

Rows = npt.NDArray[np.int64]


def rows_of_parts(values: Sequence[str]) -> dict[tuple[str, ...], Rows]:
    """The rows of each part of examples whose tags have these values, by the values that it has.

    Days are taken together to months, and months that follow one another until they have enough examples.
    Of other values those with too few examples are the last part together; "" is an example without the tag.
    """
    if are_days(values):
        return _months([value[:7] for value in values])
    rows = _rows(values)
    named = sorted(rows, key=lambda value: (-len(rows[value]), value))
    own = [value for value in named if value and len(rows[value]) >= LEAST][: MOST - 1]
    rest = [value for value in named if value not in own]
    found: dict[tuple[str, ...], Rows] = {(value,): np.array(rows[value]) for value in own}
    if rest:
        found[tuple(rest)] = np.array(sorted(row for value in rest for row in rows[value]))
    return found


def are_days(values: Sequence[str]) -> bool:
    """Whether all values are days or months, so that they have an order."""
    return all(_DAY.fullmatch(value) for value in values)


def _months(months: Sequence[str]) -> dict[tuple[str, ...], Rows]:
    rows, least = _rows(months), max(LEAST, -(-len(months) // MOST))
    found: dict[tuple[str, ...], list[int]] = {}
    open_: list[str] = []
    for month in sorted(rows):
        open_.append(month)
        together = sorted(row for one in open_ for row in rows[one])
        if len(together) >= least:
            found[tuple(open_)], open_ = together, []
    if open_ and found:  # too few are left at the end: they go with those before
        last, before = found.popitem()
        open_, together = [*last, *open_], sorted([*before, *(row for one in open_ for row in rows[one])])
    if open_:
        found[tuple(open_)] = together
    return {values: np.array(each) for values, each in found.items()}


def _rows(values: Iterable[str]) -> dict[str, list[int]]:
    rows: dict[str, list[int]] = {}
    for row, value in enumerate(values):
        rows.setdefault(value, []).append(row)
    return rows


def derive_parts(dataset: Dataset, tag: str, boards: Boards, store: Store) -> TagParts | None:
    """The parts of a dataset by a tag, with the means of all results that keep predictions or values.

    None where fewer than two results do, as nothing can be compared. Raises `UserError` where no example has
    the tag.
    """
    results = answered(dataset, store)
    if len(results) < 2:
        return None
    tags = [own.get(tag, "") for own in dataset.tags]
    if not any(tags):
        known = sorted({name for own in dataset.tags for name in own})
        problem = f"no example of {dataset.id} has this tag"
        raise UserError(
            f"split {tag!r}", problem, f"name one of {', '.join(known)}" if known else "leave it out"
        )
    values = _Values(dataset, boards, store, results)
    parts = []
    for named, rows in rows_of_parts(tags).items():
        means = {name: tuple(values.mean(result, name, rows) for result in results) for name in values.names}
        columns = [values.column(name, rows) for name in values.names]
        varies = covariances_of(dataset, results, columns, _groups(dataset, rows))
        parts.append(TagPart(values=named, means=means, varies=varies))
    return TagParts(
        task=dataset.task, dataset=dataset.id, revision=dataset.revision, tag=tag, parts=tuple(parts)
    )


def same_means(one: TagPart, other: TagPart) -> bool:
    """Whether two parts have the same means, up to the order in which they were added."""
    if one.means.keys() != other.means.keys():
        return False
    pairs = (pair for name in one.means for pair in zip(one.means[name], other.means[name], strict=True))
    return all(
        a is b is None or (a is not None and b is not None and math.isclose(a, b, rel_tol=TOLERANCE))
        for a, b in pairs
    )


def _groups(dataset: Dataset, rows: Rows) -> Groups:
    """The independent units among some examples."""
    if not dataset.clusters:
        return Groups(len(rows), len(rows), ())
    numbers: dict[int, int] = {}
    own = tuple(numbers.setdefault(dataset.clusters[row], len(numbers)) for row in rows.tolist())
    return Groups(len(rows), len(numbers), own if len(numbers) < len(own) else ())


class _Values:
    """The values of results on each example, of the metrics that are means of such values."""

    def __init__(self, dataset: Dataset, boards: Boards, store: Store, results: Sequence[Result]) -> None:
        self.dataset, self.boards, self.store, self.results = dataset, boards, store, results
        columns = InfluenceColumns(dataset, boards, store, RemadeSuites(boards, trusted=True))
        whole = columns.of(results, shown_metrics(boards, dataset, results))
        each = {(r.model.id, c.name): self._each(r, c) for c in whole for r in results}
        self.whole = {c.name: c for c in whole if any(each[r.model.id, c.name] is not None for r in results)}
        self.each = {key: one for key, one in each.items() if key[1] in self.whole}
        self.names = list(self.whole)

    def _each(self, result: Result, column: MetricColumn) -> npt.NDArray[np.float64] | None:
        """(examples,), NaN where missing; None where they are not known, or the metric is no mean of them."""
        if isinstance(column.by_model[result.model.id], str):
            return None
        predictions = self.store.predictions(result)
        spec = self.boards.metric_of(self.dataset.id, column.name)
        if is_of_trials(column.version) and spec and spec.trials:
            right = right_trials(self.dataset, predictions, spec.trials.of, self.boards)
            return None if right is None else chances(right, spec.trials)
        if column.name in (predictions.values or {}):
            return by_example(by_trial(predictions, column.name))
        found = values_by_example(self.dataset, predictions, [column.name]).get(column.name)
        value = result.scores[column.name].value
        is_mean = found is not None and abs(float(found.mean()) - value) <= TOLERANCE * max(1.0, abs(value))
        return found if is_mean else None

    def mean(self, result: Result, name: str, rows: Rows) -> float | None:
        """Over some examples; None where one of them has no value, or too few have labels that correct it."""
        each = self.each[result.model.id, name]
        if each is None or np.isnan(each[rows]).any():
            return None
        judged = self.whole[name].judged
        return judged.part(rows).value(result.model.id) if judged else exact_mean(each[rows])

    def column(self, name: str, rows: Rows) -> MetricColumn:
        """How the mean over some examples varies with them."""
        whole = self.whole[name]
        if whole.judged:
            part = whole.judged.part(rows)
            means = {result.model.id: self.mean(result, name, rows) for result in self.results}
            known = {m: "no value" if mean is None else part.influence(m) for m, mean in means.items()}
            return MetricColumn(name, whole.version, part.unit(), known, part)
        by_model = {result.model.id: self._influence(result.model.id, name, rows) for result in self.results}
        return MetricColumn(name, whole.version, whole.unit, by_model)

    def _influence(self, model: str, name: str, rows: Rows) -> Influence | str:
        known, each = self.whole[name].by_model[model], self.each[model, name]
        if isinstance(known, str):
            return known
        if each is None or np.isnan(each[rows]).any():
            return "no value"
        right = None if known.right is None else known.right[rows]
        # A run shifts the parts of a dataset together: by what it shifts the whole.
        return Influence(each[rows] - exact_mean(each[rows]), right, runs=known.runs)


def label_of(values: Sequence[str]) -> str:
    """A part in a few words: ``django``, ``2023-05 to 2023-07`` or ``8 more``."""
    if len(values) == 1:
        return values[0] or "without"
    if are_days(values):
        return f"{values[0]} to {values[-1]}"
    return f"{len(values)} more"


def with_parts(assembled: Assembled, store: Store) -> Assembled:
    """The board with the parts of its datasets among the datasets it ranks by, if it is split by a tag.

    The dataset as a whole stays among the values that are shown. A dataset whose parts are not kept, or are
    of other results, is not split.
    """
    tag, data = assembled.board.split, assembled.data
    if tag is None:
        return assembled
    found: dict[str, WeighedPart] = {}
    values, labels = dict(data["values"]), dict(data["labels"]["datasets"])
    datasets: list[str] = []
    weights: dict[str, float] = {}
    for dataset in data["datasets"]:
        weight = assembled.dataset_weights.get(dataset, 0.0)
        parts = _kept(assembled, dataset, tag, store)
        taken: set[str] = set()
        for part in parts:
            label = label_of(part.values)
            name = _name(dataset, label, taken)
            found[name], labels[name] = WeighedPart(dataset, label, labels[dataset], part), label
            values[name] = _cells(assembled, dataset, part)
            weights[name] = weight * part.varies.examples
            datasets.append(name)
        if parts:
            del labels[dataset]
        else:
            weights[dataset] = weight
            datasets.append(dataset)
    largest = max(weights.values(), default=0.0)
    while largest > LARGEST:
        largest, weights = largest / 10.0, {name: weight / 10.0 for name, weight in weights.items()}
    data = {**data, "datasets": datasets, "values": values, "labels": {**data["labels"], "datasets": labels}}
    return replace(assembled, data=data, dataset_weights=weights, parts=found)


def _kept(assembled: Assembled, dataset: str, tag: str, store: Store) -> tuple[TagPart, ...]:
    """The parts of the revision that most results on a dataset are of."""
    results = [entry.results[dataset] for entry in assembled.entries.values() if dataset in entry.results]
    about = [(r.task, r.dataset.revision) for r in results if r.predictions and r.dataset.revision]
    if not about:
        return ()
    task, revision = max(about, key=lambda one: (about.count(one), one))
    kept = next((one for one in store.parts(task, dataset, revision or "") if one.tag == tag), None)
    return kept.parts if kept else ()


def _name(dataset: str, label: str, taken: set[str]) -> str:
    """An id for a part, which stands in addresses."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", label).strip("-") or digest(label)[7:15]
    name, number = f"{dataset}.{plain}", 2
    while name in taken:
        name, number = f"{dataset}.{plain}.{number}", number + 1
    taken.add(name)
    return name


def _cells(assembled: Assembled, dataset: str, part: TagPart) -> dict[str, list[float | None]]:
    """The means of the board's models on a part; None where the number on the whole dataset is not ranked."""
    places = {model: place for place, model in enumerate(part.varies.models)}
    cells: dict[str, list[float | None]] = {}
    for metric, column in assembled.data["values"][dataset].items():
        main = assembled.mains.get(dataset) if metric == SCORE else None
        means = part.means.get(main.name if main else metric)
        cells[metric] = []
        for model, whole in zip(assembled.data["models"], column, strict=True):
            known = None if whole is None or means is None or model not in places else means[places[model]]
            cells[metric].append(main.scored(known) if main and known is not None else known)
    return cells
