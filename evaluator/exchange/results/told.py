"""What a person said about files of results, and guesses that nobody confirmed yet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from evaluator.records.board import MetricSpec
from evaluator.records.references import Source


@dataclass(frozen=True)
class Told:
    """What a person said in place of guesses: columns, metrics and values by name; `known` are metrics that
    boards have already."""

    columns: Mapping[str, str] = field(default_factory=dict)
    metrics: Mapping[str, tuple[str, float | None]] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    lower: frozenset[str] = frozenset()
    higher: frozenset[str] = frozenset()
    leave_out: frozenset[str] = frozenset()
    missing: tuple[str, ...] = ()
    dataset: str | None = None
    datasets: Mapping[str, str] = field(default_factory=dict)
    source: Source | None = None
    accept_differences: bool = False
    known: Mapping[str, MetricSpec] = field(default_factory=dict)


@dataclass(frozen=True)
class Unsure:
    """A guess that could be wrong: what it is about, what is taken, and the options that settle it."""

    about: str
    taken: str
    options: tuple[str, ...]
