"""What a column of numbers is as a metric: its name, its unit, and which way is better."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from evaluator.exchange.results.arranging import shown
from evaluator.exchange.results.beside import judged_name
from evaluator.exchange.results.numbers import Numbers
from evaluator.exchange.results.reading import CellTable
from evaluator.exchange.results.told import Told, Unsure
from evaluator.exchange.results.words import (
    COUNTED,
    UNITS,
    bare,
    direction_in,
    is_rate,
    last_part,
    unit_in,
    words,
)
from evaluator.records.base import slug
from evaluator.records.board import MetricSpec
from evaluator.records.board.imports import MetricColumn
from evaluator.records.errors import UserError

#: Of a column whose numbers are nearly all in a range, the others are mistakes.
NEARLY_ALL = 0.8


@dataclass(frozen=True)
class JudgedColumn:
    """A column that is a metric: how it is read, what it is, why, and how many numbers it has."""

    column: MetricColumn
    metric: MetricSpec
    why: str
    numbers: int
    least: float
    most: float


@dataclass
class Judge:
    """Says what columns of a table are as metrics.

    After that `unsure` has what is not certain, and `weightless` the metrics of which it is not known which
    way is better.
    """

    table: CellTable
    told: Told
    is_examples: bool
    unsure: list[Unsure]
    weightless: set[str]

    def judged(self, name: str, id_: str, found: Numbers, beside: Mapping[str, str]) -> JudgedColumn:
        """The column as the metric `id_`. Raises `UserError` for shares among per cent."""
        unit, scale, why = self._unit(name, id_, found)
        known = found.known * scale
        direction = self._direction(name, id_, unit)
        metric = self._known(name, id_, unit) or MetricSpec(
            name=id_,
            label=label_of(id_ if name in self.told.metrics or judged_name(name) else name),
            unit=unit,
            decimals=_decimals(known, unit),
            direction=direction or "higher",
            cap="max" if direction == "lower" else None,
            range=next((self.told.ranges[one] for one in (id_, name) if one in self.told.ranges), None),
        )
        ends = (beside["low"], beside["high"]) if {"low", "high"} <= set(beside) else None
        error = beside.get("error") or (None if ends else beside.get("half"))
        column = MetricColumn(
            column=name,
            scale=scale,
            standard_error=error,
            interval=None if error else ends,
            half_width=bool(error and error == beside.get("half")),
            human=beside.get("human"),
        )
        return JudgedColumn(column, metric, why, len(known), float(known.min()), float(known.max()))

    def _known(self, name: str, id_: str, unit: str) -> MetricSpec | None:
        """What a board knows of the metric already. Raises `UserError` for another unit."""
        known = self.told.known.get(id_)
        if known is not None and known.unit != unit:
            problem = f"is in {unit or 'no unit'}, and {id_} on the board in {known.unit or 'no unit'}"
            fix = f"say --unit {shown(f'{id_}={known.unit}')} if it is that, or give the column a name of its"
            fix += f" own: --metric {shown(name)}=NAME"
            raise UserError(f"{self.table.where}: {name}", problem, fix)
        return known

    def _unit(self, name: str, id_: str, found: Numbers) -> tuple[str, float, str]:
        """The unit, what numbers are multiplied by, and why. Raises `UserError` for shares among per cent."""
        factor = self.told.metrics.get(name, ("", None))[1]
        told = next((self.told.units[one] for one in (id_, name) if one in self.told.units), None)
        if told is not None:
            return told, factor or 1.0, "unit as told"
        if found.words or (self.is_examples and set(found.known) <= {0.0, 1.0}):
            return "%", factor or 100.0, "right or wrong: the share of examples"
        named = found.unit or unit_in(name)
        unit = UNITS.get(named.lower(), named)
        if unit not in ("", "%") or not (unit or is_rate(name)):
            return unit, factor or 1.0, f"{unit} by its name" if unit and not found.unit else ""
        if factor is not None:
            return "%", factor, "as told"
        return self._share(name, id_, found, bool(unit))

    def _share(self, name: str, id_: str, found: Numbers, is_named: bool) -> tuple[str, float, str]:
        """Whether a column of shares has them of 1 or of 100; `is_named` says that it is called per cent."""
        known = found.known
        inside = known[(known >= 0) & (known <= 100)]
        if not len(inside) or len(inside) < NEARLY_ALL * len(known):
            return "%" if is_named else "", 1.0, "per cent by its name" if is_named else ""
        if (inside > 1).any():
            # In per cent, 1 may be a number like any other; on single examples it is one.
            most = 1 if is_named or self.is_examples else np.nextafter(1, 2)
            if ((inside > 0) & (inside < most)).any():
                self._mixed(
                    name, id_, found, float(inside[(inside > 0) & (inside < most)][0]), float(inside.max())
                )
            if not is_named and not self.is_examples and COUNTED & set(words(name)):
                self._maybe_count(name, id_, known)
            return "%", 1.0, "per cent" if is_named else "per cent by its name, as numbers are over 1"
        if is_named:
            options = (f"--metric {shown(f'{name}={id_}*100')}", f"--unit {shown(f'{id_}=%')}")
            about = f"{name}: is called per cent, and no number is over 1"
            self.unsure.append(Unsure(about, "that they are per cent", options))
            return "%", 1.0, "per cent by its name"
        return "%", 100.0, "shares of 1 by its name"

    def _maybe_count(self, name: str, id_: str, known: NDArray[np.float64]) -> None:
        """Whole numbers of what was solved may be per cent, or count it."""
        if bool((known == np.round(known)).all()):
            options = (f"--unit {shown(f'{id_}=%')}", f"--unit {id_}=examples", f"--leave-out {shown(name)}")
            self.unsure.append(Unsure(f"{name}: per cent or a count", "per cent", options))

    def _mixed(self, name: str, id_: str, found: Numbers, share: float, percent: float) -> None:
        index = self.table.frame.index
        place, other = (index[int(np.argmax(found.values == value))] for value in (share, percent))
        problem = f"{share:g} is a share of 1 where {percent:g} in {other} is per cent"
        fix = f"write all in one way, or say --unit {shown(f'{id_}=%')} if all are per cent"
        raise UserError(f"{place}: {name}", problem, fix)

    def _direction(self, name: str, id_: str, unit: str) -> Literal["higher", "lower"] | None:
        if {name, id_} & self.told.lower:
            return "lower"
        if {name, id_} & self.told.higher:
            return "higher"
        if id_ in self.told.known:
            return self.told.known[id_].direction
        direction = direction_in(id_ if name in self.told.metrics else name, unit)
        if direction is None:
            self.weightless.add(id_)
            options = (f"--higher-is-better {id_}", f"--lower-is-better {id_}", f"--leave-out {shown(name)}")
            self.unsure.append(Unsure(f"{name}: which way is better", "higher, with no weight,", options))
        return direction


def ids_of(names: Sequence[str], told: Told, where: str) -> dict[str, str]:
    """The id of each metric: the column's name, without its unit where they stay apart. `UserError`."""
    given = {name: _id(judged) for name in names if (judged := judged_name(name))}
    given |= {name: told.metrics[name][0] for name in names if name in told.metrics}
    for choice in (lambda name: bare(last_part(name)), lambda name: bare(name), lambda name: name):
        ids = {name: _id(choice(name)) for name in names} | given
        if len(set(ids.values())) == len(ids):
            return ids
    [first, second, *_] = [name for name in names if list(ids.values()).count(ids[name]) > 1]
    fix = f"give one another name with --metric {shown(second)}=NAME"
    raise UserError(where, f"columns {first!r} and {second!r} have one name, {ids[first]}", fix)


def _id(name: str) -> str:
    return slug("-".join(words(name)) or name).lower().replace("_", "-")


def label_of(name: str) -> str:
    """A column's name for people: ``Latency`` for ``latency_ms``."""
    text = bare(re.sub("[↑⬆↓⬇\ufe0f]", "", last_part(name)).strip())
    shown_words = (
        words(text) if re.fullmatch(r"[a-z]+([A-Z][a-z0-9]*)+", text) else re.split(r"[_\s-]+", text)
    )
    said = " ".join(shown_words).strip()
    return said[:1].upper() + said[1:] or name


def _decimals(known: Any, unit: str) -> int:
    """How many decimals show what differs."""
    if unit == "%":
        return 2
    if bool((known == np.round(known)).all()):
        return 0
    most = float(np.abs(known).max())
    return 1 if most >= 100 else 2 if most >= 10 else 3 if most >= 0.1 else 5
