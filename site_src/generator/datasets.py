"""A board's datasets: what each is, what was left out of it, and whether the models have solved it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from evaluator.records.board import Assembled, DatasetSpec, comparability
from evaluator.records.datasets import SuiteCard
from evaluator.records.references import DatasetRef
from evaluator.records.result import Result
from site_src.generator import formats
from site_src.generator.breakdowns import order
from site_src.generator.table import ShownColumn, named, number

ROLES = {
    "scoring": "ranks the models",
    "evaluation": "shown, not ranked",
    "training": "for training only, not ranked",
}
#: Models that a sentence names before it counts the rest.
NAMED = 3


@dataclass(frozen=True)
class DatasetView:
    """One dataset as the board's page lists it; counts come from the results on it."""

    spec: DatasetSpec
    role: str
    examples: int | None
    skipped: int
    dropped: tuple[tuple[str, int], ...]
    revision: str | None
    solved: bool | None
    standing: str | None
    suites: tuple[SuiteCard, ...]

    @property
    def short_revision(self) -> str | None:
        return formats.short_hash(self.revision) if self.revision else None


@dataclass(frozen=True)
class ShownRow:
    """One model, or people, in the table of datasets that do not rank."""

    id: str | None
    label: str
    values: tuple[str | None, ...]


@dataclass(frozen=True)
class ShownTable:
    """The base metric on every evaluation-only dataset."""

    datasets: tuple[DatasetSpec, ...]
    rows: tuple[ShownRow, ...]


def dataset_views(
    assembled: Assembled, specs: Iterable[DatasetSpec], base: ShownColumn, cards: Iterable[SuiteCard]
) -> tuple[DatasetView, ...]:
    """Every dataset of the board, in its order, with the suites among `cards` that are made of it."""
    by_kind = sorted(cards, key=lambda card: order(card.suite_kind, card.name))
    return tuple(_view(assembled, spec, base, by_kind) for spec in specs)


def _view(
    assembled: Assembled, spec: DatasetSpec, base: ShownColumn, cards: Sequence[SuiteCard]
) -> DatasetView:
    found = _reference(assembled, spec.id)
    dropped = sorted(found.dropped.items()) if found else []
    return DatasetView(
        spec=spec,
        role=ROLES[spec.role],
        examples=found.examples if found else None,
        skipped=found.skipped if found else 0,
        dropped=tuple((formats.shortened(reason), count) for reason, count in dropped),
        revision=found.revision if found else None,
        solved=bool(assembled.solved[spec.id]) if spec.id in assembled.solved else None,
        standing=_standing(assembled, spec.id, base),
        suites=tuple(c for c in cards if (c.task, c.dataset.id) == (spec.task, spec.id)),
    )


def _reference(assembled: Assembled, dataset: str) -> DatasetRef | None:
    """What the results say of their dataset: the revision that most share, the newest on a tie."""
    everyone = [*assembled.entries.values(), *assembled.people.values()]
    results = [entry.results[dataset] for entry in everyone if dataset in entry.results]
    counts = Counter(result.dataset.revision for result in results)
    best = max(results, key=lambda r: (counts[r.dataset.revision], r.created, r.model.id), default=None)
    return best.dataset if best else None


def _standing(assembled: Assembled, dataset: str, base: ShownColumn) -> str | None:
    """Whether models reach people on a dataset; None where nobody knows how well people do."""
    person = _person(assembled, dataset, base.name)
    if person is None:
        return None
    people = f"{named(person.model.label)} {base.text(person.scores[base.name].value)}"
    reached = [formats.isolated(assembled.entries[id_].label) for id_ in assembled.solved[dataset]]
    if reached:
        return f"Solved: reached by {formats.listed(reached[:NAMED], len(reached) - NAMED)} ({people})"
    best = _best(assembled, person, base)
    if best is None:
        return f"Not solved: {people}, no model on the same data yet"
    label = formats.isolated(best.model.label)
    return f"Not solved: {people}, best model {base.text(best.scores[base.name].value)} ({label})"


def _person(assembled: Assembled, dataset: str, metric: str) -> Result | None:
    if dataset not in assembled.solved:
        return None
    results = [person.results[dataset] for person in assembled.people.values() if dataset in person.results]
    return next((result for result in reversed(results) if metric in result.scores), None)


def _best(assembled: Assembled, person: Result, base: ShownColumn) -> Result | None:
    """The best result of a model that may be compared with people's."""
    key = comparability(person, base.name)
    results = [entry.results.get(person.dataset.id) for entry in assembled.entries.values()]
    found = [r for r in results if r and base.name in r.scores and comparability(r, base.name) == key]
    sign = 1 if base.spec.direction == "higher" else -1
    return max(found, key=lambda r: sign * r.scores[base.name].value, default=None)


def shown_table(
    assembled: Assembled, specs: Iterable[DatasetSpec], models: Sequence[str], base: ShownColumn
) -> ShownTable | None:
    """Numbers on the evaluation-only datasets, `models` in the order given; None without such datasets."""
    datasets = tuple(spec for spec in specs if spec.role == "evaluation")
    if not datasets or not models:
        return None
    at = {model: index for index, model in enumerate(assembled.data["models"])}
    columns = [assembled.data["values"][dataset.id][base.name] for dataset in datasets]

    def texts(values: Iterable[float | None]) -> tuple[str | None, ...]:
        return tuple(None if value is None else base.text(value) for value in values)

    rows = [
        ShownRow(model, assembled.entries[model].label, texts(column[at[model]] for column in columns))
        for model in models
    ]
    people = [
        ShownRow(None, one.label, texts(number(assembled, one, d.id, base.name) for d in datasets))
        for one in assembled.people.values()
    ]
    return ShownTable(datasets, (*rows, *(row for row in people if any(row.values))))
