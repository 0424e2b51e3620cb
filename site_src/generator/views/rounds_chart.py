"""The chart of a board's rounds: every model from one round to the next, people beside them.

Drawn here and complete without script; its numbers do not depend on weights.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from evaluator.records.board import Assembled, CollectedSpec, DatasetSpec
from site_src.generator.views import formats
from site_src.generator.views.columns import ShownColumn
from site_src.generator.views.people import named, number
from site_src.generator.views.static_chart import GAP_UP, Axis, Tick

#: Size of the picture in its own coordinates, and where its ground begins and ends; names are right of it.
WIDTH, HEIGHT = 664, 340
LEFT, TOP, RIGHT, BOTTOM = 64, 32, 456, 284
#: Where the first and the last round are.
FIRST, LAST = LEFT + 64, RIGHT - 24
#: Pages of longer boards would grow by more than a picture is worth; only so many lines have names.
MOST_MODELS, MOST_NAMED = 60, 12
#: Smallest distance of two names, and letters that they are cut to.
LEADING, LETTERS = 15, 24

#: A number on each round, None where there is none.
RoundValues = tuple[float | None, ...]


@dataclass(frozen=True)
class RoundMark:
    """A round: its datasets, its place, and whether models reach people on it; None where nobody knows.

    `collected` says how it was collected, a sentence a dataset of which that is known.
    """

    number: int
    label: str
    x: float
    ranked: bool
    solved: bool | None
    collected: tuple[str, ...] = ()


@dataclass(frozen=True)
class Line:
    """A model, or people: its numbers as text, its points, and the height of its name, if it has one."""

    label: str
    people: bool
    texts: tuple[str | None, ...]
    pieces: tuple[tuple[tuple[float, float], ...], ...]
    best: bool
    name: float | None

    @property
    def paths(self) -> str:
        """The line, broken where a number is missing."""
        return "".join("M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in piece) for piece in self.pieces)


@dataclass(frozen=True)
class EstimateMark:
    """How sure an estimate of people is: a vertical line."""

    x: float
    top: float
    bottom: float


@dataclass(frozen=True)
class RoundsChart:
    """The picture and its finding; people's lines come last."""

    column: ShownColumn
    finding: str
    rounds: tuple[RoundMark, ...]
    ticks: tuple[Tick, ...]
    lines: tuple[Line, ...]
    bars: tuple[EstimateMark, ...]


def draw(
    assembled: Assembled, specs: Sequence[DatasetSpec], models: Sequence[str], base: ShownColumn
) -> RoundsChart | None:
    """The base metric of `models` over the rounds among `specs`; None without rounds."""
    by_number = _by_number(specs)
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
    known = [n for numbers in (*found.values(), *people.values()) for n in numbers if n is not None]
    if not known:
        return None
    ends = list(_intervals(assembled, by_number, base.name))
    up = Axis([*known, *(end for _, *pair in ends for end in pair)], BOTTOM, TOP, GAP_UP)
    rounds = tuple(_rounds(assembled, by_number))
    labels = {name: entry.label for name, entry in (*assembled.entries.items(), *assembled.people.items())}
    return RoundsChart(
        column=base,
        finding=_finding(rounds, found, people, labels, base),
        rounds=rounds,
        ticks=up.ticks(),
        lines=_lines(rounds, found, people, labels, base, up),
        bars=tuple(EstimateMark(rounds[place].x, up.at(high), up.at(low)) for place, low, high in ends),
    )


def _by_number(specs: Sequence[DatasetSpec]) -> dict[int, list[DatasetSpec]]:
    """The datasets of each round, in the order of the rounds."""
    found: dict[int, list[DatasetSpec]] = {}
    for spec in specs:
        if spec.round is not None and spec.role != "training":
            found.setdefault(spec.round, []).append(spec)
    return dict(sorted(found.items()))


def _over(values: Iterable[float | None]) -> float | None:
    """The mean over the datasets of a round, missing as soon as one of them lacks it."""
    known = list(values)
    return None if None in known else math.fsum(value for value in known if value is not None) / len(known)


def _intervals(
    assembled: Assembled, by_number: Mapping[int, Sequence[DatasetSpec]], metric: str
) -> Iterator[tuple[int, float, float]]:
    """Of rounds of one dataset: the place of the round and the interval of people's number."""
    for place, several in enumerate(by_number.values()):
        for person in assembled.people.values():
            if len(several) == 1 and number(assembled, person, several[0].id, metric) is not None:
                interval = person.results[several[0].id].scores[metric].interval
                if interval:
                    yield place, *interval


def _rounds(assembled: Assembled, by_number: Mapping[int, Sequence[DatasetSpec]]) -> Iterator[RoundMark]:
    # A single round stands in the middle.
    step = (LAST - FIRST) / (max(len(by_number), 2) - 1)
    first = FIRST if len(by_number) > 1 else (FIRST + LAST) / 2
    for place, (count, several) in enumerate(by_number.items()):
        solved = [bool(assembled.solved[one.id]) for one in several if one.id in assembled.solved]
        yield RoundMark(
            number=count,
            label=formats.listed([one.label for one in several[:1]], len(several) - 1),
            x=first + step * place,
            ranked=any(one.role == "scoring" for one in several),
            solved=all(solved) if len(solved) == len(several) else None,
            collected=tuple(_collected(one.collected) for one in several if one.collected),
        )


def _collected(how: CollectedSpec) -> str:
    """How a round was collected, with the model error rate and the validated one (vMER)."""
    tries = "1 try" if how.tries == 1 else f"{formats.count(how.tries)} tries"
    writers, validators = formats.counted(how.writers, "writer"), formats.counted(how.validators, "validator")
    fooled, validated = formats.percent(how.fooled / how.tries), formats.percent(how.validated / how.tries)
    return (
        f"{tries} of {writers}: {fooled} fooled a model in the loop, {validated} did so and were confirmed by"
        f" others (vMER; {validators})."
    )


def _lines(
    rounds: Sequence[RoundMark],
    found: Mapping[str, RoundValues],
    people: Mapping[str, RoundValues],
    labels: Mapping[str, str],
    base: ShownColumn,
    up: Axis,
) -> tuple[Line, ...]:
    everybody = {**found, **people}
    pieces = {name: _pieces(rounds, numbers, up) for name, numbers in everybody.items()}
    best = _best(found, base)
    named = [*people, *(name for name in found if name not in people)][:MOST_NAMED]
    heights = _heights({name: pieces[name][-1][-1][1] for name in named if pieces[name]})
    return tuple(
        Line(
            label=labels[name],
            people=name in people,
            texts=tuple(None if n is None else base.text(n) for n in numbers),
            pieces=pieces[name],
            best=name == best,
            name=heights.get(name),
        )
        for name, numbers in everybody.items()
    )


def _pieces(
    rounds: Sequence[RoundMark], numbers: RoundValues, up: Axis
) -> tuple[tuple[tuple[float, float], ...], ...]:
    """The points of a line, apart where a number is missing."""
    pieces: list[list[tuple[float, float]]] = [[]]
    for one, value in zip(rounds, numbers, strict=True):
        if value is None:
            pieces.append([])
        else:
            pieces[-1].append((one.x, up.at(value)))
    return tuple(tuple(piece) for piece in pieces if piece)


def _heights(wanted: Mapping[str, float]) -> dict[str, float]:
    """Heights of names as near as can be to those wanted, apart and in their order."""
    found: dict[str, float] = {}
    lowest = TOP - LEADING
    for name, height in sorted(wanted.items(), key=lambda item: item[1]):
        lowest = max(int(height), lowest + LEADING)
        found[name] = lowest
    over = max(0, max(found.values(), default=0) - BOTTOM)
    return {name: height - over for name, height in found.items()}


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
