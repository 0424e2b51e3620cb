"""What a board shows beside its table: metrics that overlap, numbers from elsewhere, its rounds."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import sqrt
from typing import Any

from evaluator.records.board import Assembled, Boards, CollectedSpec, ComparedResultsSpec, DatasetSpec
from evaluator.records.references import Source
from evaluator.records.result import Result
from evaluator.score.certainty import spearman
from site_src.generator import formats
from site_src.generator.table import ShownColumn, named, number

#: Metrics that correlate more than this are nearly the same.
NEARLY_ONE = 0.99
#: Of fewer models a correlation says nothing.
FEWEST = 4


@dataclass(frozen=True)
class Overlap:
    """Two metrics, and how their values correlate (Pearson's r), each turned so that more is better."""

    one: ShownColumn
    other: ShownColumn
    correlation: float

    def warning(self, board: str) -> str:
        """What to tell whoever keeps the board of that id."""
        return (
            f"board {board}: {self.one.name} and {self.other.name} say nearly the same of its models"
            f" (correlation {self.correlation:.3f}), so what they measure counts twice;"
            " give one of them weight 0"
        )


def overlaps(columns: Sequence[ShownColumn], values: Sequence[Sequence[float | None]]) -> tuple[Overlap, ...]:
    """The pairs of `columns` that say nearly the same.

    `values` has a row for each model, and in it a value for each column.
    Only models that have both values count, and a pair of which fewer than `FEWEST` do is left out.
    """
    return tuple(_pairs(columns, values))


def _pairs(columns: Sequence[ShownColumn], values: Sequence[Sequence[float | None]]) -> Iterator[Overlap]:
    for left, right in combinations(range(len(columns)), 2):
        known = [(row[left], row[right]) for row in values]
        pairs = [(a, b) for a, b in known if a is not None and b is not None]
        turned = columns[left].spec.direction != columns[right].spec.direction
        found = correlation(pairs) if len(pairs) >= FEWEST else 0.0
        if (-found if turned else found) > NEARLY_ONE:
            yield Overlap(columns[left], columns[right], abs(found))


def correlation(pairs: Sequence[tuple[float, float]]) -> float:
    """Pearson's r; 0 where one side does not vary."""
    xs, ys = zip(*pairs, strict=True)
    x, y = _centred(xs), _centred(ys)
    spread = sqrt(sum(a * a for a in x) * sum(b * b for b in y))
    return sum(a * b for a, b in zip(x, y, strict=True)) / spread if spread else 0.0


def _centred(values: Sequence[float]) -> list[float]:
    # Divided by the largest first, so that no square is too large or too small for a number.
    largest = max(map(abs, values)) or 1.0
    scaled = [value / largest for value in values]
    mean = sum(scaled) / len(scaled)
    return [value - mean for value in scaled]


#: A model of the ranking, as the scorer gives it.
RankedModel = Mapping[str, Any]


@dataclass(frozen=True)
class ComparedPair:
    """One metric of one model: here, there, and here / there, which is None if there is 0."""

    here: float
    there: float

    @property
    def ratio(self) -> float | None:
        return self.here / self.there if self.there else None


@dataclass(frozen=True)
class ComparedColumn:
    """One metric of the models that both have, None for a model that lacks it here or there."""

    column: ShownColumn
    pairs: tuple[ComparedPair | None, ...]

    @property
    def known(self) -> tuple[ComparedPair, ...]:
        return tuple(pair for pair in self.pairs if pair is not None)

    @property
    def ratio(self) -> float | None:
        """The median of the ratios."""
        ratios = [pair.ratio for pair in self.known if pair.ratio is not None]
        return statistics.median(ratios) if ratios else None

    @property
    def correlation(self) -> float | None:
        """Spearman's rank correlation of the models."""
        return spearman([pair.here for pair in self.known], [pair.there for pair in self.known])


@dataclass(frozen=True)
class ComparedTable:
    """The models that a board and another dataset's results both have, in the order of the board.

    `labels` are their names here and there.
    """

    dataset: DatasetSpec
    provenance: str
    source: Source | None
    labels: tuple[tuple[str, str], ...]
    columns: tuple[ComparedColumn, ...]

    @property
    def rows(self) -> list[tuple[tuple[str, str], tuple[ComparedPair | None, ...]]]:
        """For each model its names, and a pair for each column."""
        pairs = zip(*(column.pairs for column in self.columns), strict=True)
        return list(zip(self.labels, pairs, strict=True))


def compared_tables(
    assembled: Assembled,
    boards: Boards,
    models: Sequence[RankedModel],
    columns: Sequence[ShownColumn],
    results: Iterable[Result],
) -> tuple[ComparedTable, ...]:
    """A table for each dataset that the board is compared with and that has a model and a metric of it.

    `models` are those of the default ranking, and `results` all that are stored.
    """
    specs = assembled.board.compare_with
    wanted = {spec.dataset for spec in specs}
    found = {(r.dataset.id, r.model.id): r for r in results if r.dataset.id in wanted}
    labels = {entry.id: entry.label for entry in assembled.entries.values()}
    tables = (
        _table(boards.dataset(spec.dataset), _both(spec, models, found), columns, labels) for spec in specs
    )
    return tuple(table for table in tables if table is not None)


def _both(
    spec: ComparedResultsSpec, models: Sequence[RankedModel], results: Mapping[tuple[str, str], Result]
) -> list[tuple[RankedModel, Result]]:
    keys = [(model, (spec.dataset, spec.models.get(model["model"], ""))) for model in models]
    return [(model, results[key]) for model, key in keys if key in results]


def _table(
    dataset: DatasetSpec,
    both: Sequence[tuple[RankedModel, Result]],
    columns: Sequence[ShownColumn],
    labels: Mapping[str, str],
) -> ComparedTable | None:
    compared = (ComparedColumn(column, tuple(_pair(column, *one) for one in both)) for column in columns)
    known = tuple(column for column in compared if column.known)
    if not known:
        return None
    _, first = both[0]
    names = tuple((labels[model["model"]], result.model.label) for model, result in both)
    return ComparedTable(dataset, first.provenance, first.source, names, known)


def _pair(column: ShownColumn, model: RankedModel, result: Result) -> ComparedPair | None:
    """A metric of a model, if it has one in the same unit on both sides."""
    here, score = model["values"][column.name], result.scores.get(column.name)
    if here is None or score is None or score.unit != column.spec.unit:
        return None
    return ComparedPair(here, score.value)


#: Pages of longer boards would grow by more than the rounds are worth.
MOST_MODELS = 60

#: A number on each round, None where there is none.
RoundValues = tuple[float | None, ...]


@dataclass(frozen=True)
class RoundMark:
    """A round: its datasets, and whether models reach people on it; None where nobody knows.

    `collected` says how it was collected, a sentence a dataset of which that is known.
    """

    number: int
    label: str
    ranked: bool
    solved: bool | None
    collected: tuple[str, ...] = ()

    @property
    def texts(self) -> list[str]:
        """What is written at its place in the picture, line by line."""
        told = {None: [], True: ["solved"], False: ["open"]}[self.solved]
        standing = ", ".join([*([] if self.ranked else ["shown, not ranked"]), *told])
        return [f"Round {self.number}", formats.shortened(self.label, 24), *([standing] if standing else [])]


@dataclass(frozen=True)
class RoundLine:
    """A model, or people, with its number on each round, and the interval of an estimate."""

    label: str
    people: bool
    best: bool
    numbers: RoundValues
    intervals: tuple[tuple[float, float] | None, ...]


@dataclass(frozen=True)
class Rounds:
    """The rounds of a task and what the last of them says; people's lines come last."""

    column: ShownColumn
    finding: str
    rounds: tuple[RoundMark, ...]
    lines: tuple[RoundLine, ...]


def rounds_of(
    assembled: Assembled, specs: Sequence[DatasetSpec], models: Sequence[str], base: ShownColumn
) -> Rounds | None:
    """The base metric of `models` over the rounds among `specs`; None without rounds."""
    by_number: dict[int, list[DatasetSpec]] = {}
    for spec in specs:
        if spec.round is not None and spec.role != "training":
            by_number.setdefault(spec.round, []).append(spec)
    by_number = dict(sorted(by_number.items()))
    if not by_number or not models or len(models) > MOST_MODELS:
        return None
    at = {model: place for place, model in enumerate(assembled.data["models"])}
    values = assembled.data["values"]
    found = {
        model: tuple(_over(values[one.id][base.name][at[model]] for one in r) for r in by_number.values())
        for model in models
    }
    people = {
        person.id: tuple(
            _over(number(assembled, person, one.id, base.name) for one in r) for r in by_number.values()
        )
        for person in assembled.people.values()
    }
    people = {name: numbers for name, numbers in people.items() if any(n is not None for n in numbers)}
    everybody = {**found, **people}
    if all(value is None for numbers in everybody.values() for value in numbers):
        return None
    rounds = tuple(_rounds(assembled, by_number))
    labels = {name: entry.label for name, entry in (*assembled.entries.items(), *assembled.people.items())}
    best = _best(found, base)
    return Rounds(
        column=base,
        finding=_finding(rounds, found, people, labels, base),
        rounds=rounds,
        lines=tuple(
            RoundLine(
                label=labels[name],
                people=name in people,
                best=name == best,
                numbers=numbers,
                intervals=tuple(
                    _interval(assembled, name, several, base.name, value)
                    for several, value in zip(by_number.values(), numbers, strict=True)
                ),
            )
            for name, numbers in everybody.items()
        ),
    )


def _interval(
    assembled: Assembled, name: str, several: Sequence[DatasetSpec], metric: str, value: float | None
) -> tuple[float, float] | None:
    """The interval of people's number on a round of one dataset."""
    person = assembled.people.get(name)
    if person is None or value is None or len(several) > 1:
        return None
    return person.results[several[0].id].scores[metric].interval


def _rounds(assembled: Assembled, by_number: Mapping[int, Sequence[DatasetSpec]]) -> Iterator[RoundMark]:
    for count, several in by_number.items():
        solved = [bool(assembled.solved[one.id]) for one in several if one.id in assembled.solved]
        yield RoundMark(
            number=count,
            label=formats.listed([one.label for one in several[:1]], len(several) - 1),
            ranked=any(one.role == "scoring" for one in several),
            solved=all(solved) if len(solved) == len(several) else None,
            collected=tuple(_collected(one.collected) for one in several if one.collected),
        )


def _over(values: Iterable[float | None]) -> float | None:
    """The mean over the datasets of a round, missing as soon as one of them lacks it."""
    known = list(values)
    return None if None in known else math.fsum(value for value in known if value is not None) / len(known)


def _collected(how: CollectedSpec) -> str:
    """How a round was collected, with the model error rate and the validated one (vMER)."""
    tries = "1 try" if how.tries == 1 else f"{formats.count(how.tries)} tries"
    writers, validators = formats.counted(how.writers, "writer"), formats.counted(how.validators, "validator")
    fooled, validated = formats.percent(how.fooled / how.tries), formats.percent(how.validated / how.tries)
    return (
        f"{tries} of {writers}: {fooled} fooled a model in the loop, {validated} did so and were confirmed by"
        f" others (vMER; {validators})."
    )


def _best(found: Mapping[str, RoundValues], base: ShownColumn) -> str | None:
    """The best model of the last round."""
    sign = 1 if base.spec.direction == "higher" else -1
    last = {name: sign * numbers[-1] for name, numbers in found.items() if numbers[-1] is not None}
    return max(last, key=lambda name: last[name], default=None)


def _finding(
    rounds: Sequence[RoundMark],
    found: Mapping[str, RoundValues],
    people: Mapping[str, RoundValues],
    labels: Mapping[str, str],
    base: ShownColumn,
) -> str:
    """What the last of the rounds says, in a sentence."""
    unit = f" {base.spec.unit}" if base.spec.unit else ""
    reached = [(labels[name], numbers[-1]) for name, numbers in people.items() if numbers[-1] is not None]
    start = f"On round {rounds[-1].number}, {'the last' if len(rounds) > 1 else 'the only one'}, "
    best = _best(found, base)
    value = found[best][-1] if best is not None else None
    if best is None or value is None:
        return f"{start}no model has a number yet."
    model = f"{formats.isolated(formats.shortened(labels[best], 80))} is best with {base.text(value)}{unit}"
    beside = f"; {named(reached[-1][0])} reach {base.text(reached[-1][1])}{unit}" if reached else ""
    return f"{start}{model}{beside}."
