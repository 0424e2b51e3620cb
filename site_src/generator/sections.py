"""What a board shows beside its table: metrics that overlap, numbers from elsewhere, its rounds."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from evaluator.records.board import Assembled, Boards, CollectedSpec, DatasetSpec
from evaluator.records.references import Source
from evaluator.records.result import Result
from site_src.generator import formats
from site_src.generator.table import ShownColumn, named, number

#: Metrics that correlate more than this are nearly the same.
NEARLY_ONE = 0.99
#: Of fewer models a correlation says little: the 95 % interval of one of 0.99 (Fisher's z) begins at 0.94
#: with eight models, and at 0.60 with four.
FEWEST = 8
#: A correlation above this is that of one quantity in two units, apart from rounding.
SAME = 1 - 1e-9


@dataclass(frozen=True)
class Overlap:
    """Two metrics, and how their values correlate (Pearson's r), each turned so that more is better."""

    one: ShownColumn
    other: ShownColumn
    correlation: float

    @property
    def same(self) -> bool:
        """Whether the two are one quantity by two names, which a reader of the table sees."""
        return self.correlation > SAME

    def warning(self, board: str) -> str:
        """What to tell whoever keeps the board of that id."""
        how = "the same" if self.same else f"nearly the same (correlation {self.correlation:.3f})"
        return (
            f"board {board}: {self.one.name} and {self.other.name} say {how} of its models, so what they"
            " measure counts twice; give one of them weight 0"
        )


def overlaps(columns: Sequence[ShownColumn], values: Sequence[Sequence[float | None]]) -> tuple[Overlap, ...]:
    """The pairs of `columns` that say nearly the same.

    `values` has a row for each model, and in it a value for each column.
    Only models that have both values count, and a pair of which fewer than `FEWEST` do is left out.
    """
    found = []
    for left, right in combinations(range(len(columns)), 2):
        pairs = [(row[left], row[right]) for row in values]
        known = [(a, b) for a, b in pairs if a is not None and b is not None]
        turned = -1 if columns[left].spec.direction != columns[right].spec.direction else 1
        same = turned * correlation(known) if len(known) >= FEWEST else 0.0
        if same > NEARLY_ONE:
            found.append(Overlap(columns[left], columns[right], same))
    return tuple(found)


def on_one_dataset(data: Mapping[str, Any], one: str, other: str) -> bool:
    """Whether some model has numbers of both metrics on the same ranked dataset of a board's cells."""
    return any(
        first is not None and second is not None
        for dataset in data["datasets"]
        for first, second in zip(*(data["values"][dataset][name] for name in (one, other)), strict=True)
    )


def correlation(pairs: Sequence[tuple[float, float]]) -> float:
    """Pearson's r; 0 where one side does not vary."""
    xs, ys = zip(*pairs, strict=True)
    try:
        return statistics.correlation(xs, ys)
    except statistics.StatisticsError:
        return 0.0


@dataclass(frozen=True)
class ComparedColumn:
    """One metric of the models that both have: here and there, None for a model that lacks it on one side."""

    column: ShownColumn
    pairs: tuple[tuple[float, float] | None, ...]

    @property
    def known(self) -> tuple[tuple[float, float], ...]:
        return tuple(pair for pair in self.pairs if pair is not None)

    @property
    def ratio(self) -> float | None:
        """The median of what is here divided by what is there."""
        ratios = [here / there for here, there in self.known if there]
        return statistics.median(ratios) if ratios else None

    @property
    def correlation(self) -> float | None:
        """Spearman's rank correlation of the models."""
        return spearman([here for here, _ in self.known], [there for _, there in self.known])


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
    def rows(self) -> list[tuple[tuple[str, str], tuple[tuple[float, float] | None, ...]]]:
        """For each model its names, and a pair for each column."""
        pairs = zip(*(column.pairs for column in self.columns), strict=True)
        return list(zip(self.labels, pairs, strict=True))


def compared_tables(
    assembled: Assembled,
    boards: Boards,
    models: Sequence[Mapping[str, Any]],
    columns: Sequence[ShownColumn],
    results: Iterable[Result],
) -> tuple[ComparedTable, ...]:
    """A table for each dataset that the board is compared with and that has a model and a metric of it.

    `models` are those of the default ranking, as the scorer gives them, and `results` all that are stored.
    """
    found = {(result.dataset.id, result.model.id): result for result in results}
    tables = []
    for spec in assembled.board.compare_with:
        keys = [(model, (spec.dataset, spec.models.get(model["model"], ""))) for model in models]
        both = [(model, found[key]) for model, key in keys if key in found]
        compared = (ComparedColumn(column, tuple(_pair(column, *one) for one in both)) for column in columns)
        known = tuple(column for column in compared if column.known)
        if known:
            first = both[0][1]
            labels = ((assembled.entries[model["model"]].label, result.model.label) for model, result in both)
            dataset = boards.dataset(spec.dataset)
            tables.append(ComparedTable(dataset, first.provenance, first.source, tuple(labels), known))
    return tuple(tables)


def _pair(column: ShownColumn, model: Mapping[str, Any], result: Result) -> tuple[float, float] | None:
    """A metric of a model here and there, if it has one in the same unit on both sides."""
    here, score = model["values"][column.name], result.scores.get(column.name)
    if here is None or score is None or score.unit != column.spec.unit:
        return None
    return here, score.value


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
    rounds: dict[int, list[DatasetSpec]] = {}
    for spec in sorted((s for s in specs if s.round is not None), key=lambda s: s.round or 0):
        if spec.role != "training":
            rounds.setdefault(spec.round or 0, []).append(spec)
    if not rounds or not models or len(models) > MOST_MODELS:
        return None
    at = {model: place for place, model in enumerate(assembled.data["models"])}
    values, each = assembled.data["values"], rounds.values()
    found = {
        model: tuple(_over(values[one.id][base.name][at[model]] for one in several) for several in each)
        for model in models
    }
    people = {
        person.id: tuple(
            _over(number(assembled, person, one.id, base.name) for one in several) for several in each
        )
        for person in assembled.people.values()
    }
    people = {name: numbers for name, numbers in people.items() if any(n is not None for n in numbers)}
    if not people and all(value is None for numbers in found.values() for value in numbers):
        return None
    marks = tuple(_mark(assembled, count, several) for count, several in rounds.items())
    best = _best(found, base)

    def line(name: str, numbers: RoundValues) -> RoundLine:
        """The interval is that of people's number on a round of one dataset."""
        person = assembled.people.get(name) if name in people else None
        intervals = tuple(
            person.results[several[0].id].scores[base.name].interval
            if person and value is not None and len(several) == 1
            else None
            for several, value in zip(each, numbers, strict=True)
        )
        label = person.label if person else assembled.entries[name].label
        return RoundLine(label, person is not None, name == best, numbers, intervals)

    lines = tuple(line(*one) for one in {**found, **people}.items())
    return Rounds(base, _finding(marks, lines, base), marks, lines)


def _mark(assembled: Assembled, count: int, several: Sequence[DatasetSpec]) -> RoundMark:
    solved = [bool(assembled.solved[one.id]) for one in several if one.id in assembled.solved]
    return RoundMark(
        number=count,
        label=formats.listed([several[0].label], len(several) - 1),
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


def _finding(rounds: Sequence[RoundMark], lines: Sequence[RoundLine], base: ShownColumn) -> str:
    """What the last of the rounds says, in a sentence."""
    unit = f" {base.spec.unit}" if base.spec.unit else ""
    start = f"On round {rounds[-1].number}, {'the last' if len(rounds) > 1 else 'the only one'}, "
    reached = [line for line in lines if line.people and line.numbers[-1] is not None]
    best = next((line for line in lines if line.best), None)
    if best is None:
        return f"{start}no model has a number yet."
    label = formats.isolated(formats.shortened(best.label, 80))
    sentence = f"{start}{label} is best with {base.text(best.numbers[-1])}{unit}"
    if reached:
        sentence += f"; {named(reached[-1].label)} reach {base.text(reached[-1].numbers[-1])}{unit}"
    return f"{sentence}."


def spearman(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Spearman's rank correlation of pairs, from -1 to 1; equal numbers share the mean of their ranks.

    None where it is not defined: for fewer than two pairs, or if all numbers of a side are equal. Raises
    ValueError for sides of different lengths (Spearman 1904; the mean ranks after Kendall 1945).
    """
    # How many values are smaller than each, less how many are larger: twice its rank from the middle.
    ranks = [[sum((b < a) - (b > a) for b in values) for a in values] for values in (first, second)]
    pairs = list(zip(*ranks, strict=True))
    spread = math.fsum(x * x for x, _ in pairs) * math.fsum(y * y for _, y in pairs)
    return math.fsum(x * y for x, y in pairs) / math.sqrt(spread) if spread else None
