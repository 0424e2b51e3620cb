"""Numbers in objects within objects: which level of keys are datasets, and which are metrics."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from evaluator.exchange.results.words import (
    BENCHMARKS,
    COUNTS_OF_EXAMPLES,
    DEVIATIONS,
    HIGHS,
    INTERVALS,
    LOWS,
    STANDARD_ERRORS,
    VALUES,
    direction_in,
    ends_as,
    is_called,
    unit_in,
    words,
)

#: Keys of the part of a model's file that has its results; what is beside it is something else.
ROOTS = ("results", "scores", "metrics", "evaluation", "evaluations", "performance", "benchmarks", "tasks")


@dataclass(frozen=True)
class Patterns:
    """Columns with * in place of the dataset, none where there is no such level; and what is left out."""

    stars: tuple[str, ...]
    left_out: Mapping[str, str]


def patterns_of(frame: pd.DataFrame) -> Patterns:
    """The levels of columns such as ``results.airline.pass_1``, found by which keys repeat."""
    numeric = [name for name in frame.columns if "." in name and _has_numbers(frame[name])]
    roots = {name.partition(".")[0] for name in numeric}
    kept = [root for root in ROOTS if root in {one.lower() for one in roots}]
    left_out: dict[str, str] = {}
    if kept:
        for root in roots:
            if root.lower() != kept[0]:
                mine = [name for name in numeric if name.startswith(f"{root}.")]
                left_out |= dict.fromkeys(mine, f"beside {kept[0]!r}")
    numeric = [name for name in numeric if name not in left_out]
    prefix = _level(numeric)
    if prefix is None:
        return Patterns((), left_out)
    head = f"{prefix}." if prefix else ""
    pairs = [name.removeprefix(head).split(".", 1) for name in numeric if name.startswith(head)]
    pairs = [pair for pair in pairs if len(pair) == 2]
    upper = dict.fromkeys(first for first, _ in pairs)
    lower = dict.fromkeys(second for _, second in pairs)
    if all(is_called(name, VALUES) or _is_beside(name) for name in lower):
        # Below a metric stand its number and what is beside it: no level is one of datasets.
        return Patterns((), left_out)
    if _as_metrics(upper) > _as_metrics(lower):
        stars = tuple(f"{head}{first}.*" for first in upper)
    else:
        stars = tuple(f"{head}*.{second}" for second in lower)
    texts = [name for name in frame.columns if name.startswith(head) and "." in name.removeprefix(head)]
    left_out |= {name: "a text beside the numbers" for name in texts if name not in numeric}
    return Patterns(stars, left_out)


def _has_numbers(cells: pd.Series[Any]) -> bool:
    known = [cell for cell in cells if cell is not None]
    return bool(known) and all(isinstance(cell, int | float) and not isinstance(cell, bool) for cell in known)


def _level(columns: Sequence[str]) -> str | None:
    """The keys before the level of which two or more have the same keys below; None where there is none."""
    below: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for name in columns:
        parts = name.split(".")
        for at in range(len(parts) - 1):
            below[".".join(parts[:at])][parts[at]].add(".".join(parts[at + 1 :]))
    for prefix in sorted(below, key=lambda one: (one.count(".") + bool(one), one)):
        children = list(below[prefix].values())
        if len(children) > 1 and sum(map(len, children)) > len(set.union(*children)):
            return prefix
    return None


def _is_beside(name: str) -> bool:
    return is_called(name, COUNTS_OF_EXAMPLES) or any(
        ends_as(name, usual) is not None for usual in (STANDARD_ERRORS, DEVIATIONS, LOWS, HIGHS, INTERVALS)
    )


def _as_metrics(names: Sequence[str] | Mapping[str, Any]) -> float:
    """The share of names that are those of metrics."""
    known = [
        name
        for name in names
        if (direction_in(name, unit_in(name)) and not BENCHMARKS & set(words(name))) or _is_beside(name)
    ]
    return len(known) / len(names) if names else 0.0
