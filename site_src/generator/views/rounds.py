"""A board's rounds: every model's number from one round to the next, people's beside them.

These numbers do not depend on weights; a script draws them as lines.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from evaluator.records.board import Assembled, CollectedSpec, DatasetSpec
from site_src.generator.views import formats
from site_src.generator.views.columns import ShownColumn
from site_src.generator.views.people import named, number

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
