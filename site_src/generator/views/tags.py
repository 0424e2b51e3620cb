"""Scores of the examples that share a tag, worst first."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from evaluator.records.result import Result, TagScores
from site_src.generator.views import formats
from site_src.generator.views.columns import ShownColumn, label_of
from site_src.generator.views.formats import anchor

#: With fewer examples than this, a few answers more or less move a score by many points.
FEW = 30
#: A table with more values than this is folded away, behind a line that says what is in it.
SHORT = 8
#: Width of a bar's own coordinates.
BAR = 64


@dataclass(frozen=True)
class TagMetric:
    """A metric that some of the examples are scored by; `colour` is its column's, if it has one."""

    name: str
    label: str
    unit: str
    decimals: int
    less_is_better: bool
    colour: int | None

    def text(self, value: float | None) -> str:
        return formats.number(value, self.decimals)


@dataclass(frozen=True)
class TagRow:
    """One value of a tag. `bar` is as long as the first score, None where that is missing.

    `anchor` is the place of the value on another page, None where no page has it.
    """

    value: str
    examples: int
    few: bool
    scores: tuple[str, ...]
    bar: float | None
    anchor: str | None = None


@dataclass(frozen=True)
class TagTable:
    """One tag: a row for each value, worst first; `whole` is all examples, whose bar is a mark."""

    tag: str
    metrics: tuple[TagMetric, ...]
    rows: tuple[TagRow, ...]
    whole: TagRow | None

    @property
    def folded(self) -> bool:
        return len(self.rows) > SHORT

    @property
    def span(self) -> str:
        """From which score of the first metric to which, and whose they are."""
        scored = [row for row in self.rows if row.scores and row.scores[0] != formats.MISSING]
        if not scored:
            return "none of them with a score"
        ends = [f"{row.scores[0]} ({formats.isolated(row.value)})" for row in (scored[0], scored[-1])]
        return f"{self.metrics[0].label} from {ends[0]} to {ends[1]}"

    @property
    def few(self) -> bool:
        """Whether any value has few examples."""
        return any(row.few for row in self.rows)


#: Tags and their values.
TagValues = frozenset[tuple[str, str]]


def tag_tables(
    result: Result, columns: Mapping[str, ShownColumn], linked: TagValues = frozenset()
) -> tuple[TagTable, ...]:
    """A table for every tag of a result; `columns` are the board's, by metric.

    `linked` are the tags' values that another page has a place for.
    """
    return tuple(_table(tag, values, result, columns, linked) for tag, values in result.tags.items())


def _table(
    tag: str,
    values: Mapping[str, TagScores],
    result: Result,
    columns: Mapping[str, ShownColumn],
    linked: TagValues,
) -> TagTable:
    names = list(dict.fromkeys(name for scored in values.values() for name in scored.scores))
    metrics = tuple(metric_of(name, result, columns) for name in names)
    full = _full_scale(metrics, values, result)
    ordered = sorted(values.items(), key=lambda item: (_badness(item[1], metrics), item[0]))
    whole = TagScores(
        examples=result.dataset.examples or 1,
        scores={name: result.scores[name].value for name in names if name in result.scores},
    )
    return TagTable(
        tag=tag,
        metrics=metrics,
        rows=tuple(
            _row(value, scored, metrics, full, anchor(tag, value) if (tag, value) in linked else None)
            for value, scored in ordered
        ),
        whole=_row("", whole, metrics, full) if result.dataset.examples and whole.scores else None,
    )


def metric_of(name: str, result: Result, columns: Mapping[str, ShownColumn]) -> TagMetric:
    """A metric as its column shows it, or by its name and unit where the board has none for it."""
    column, score = columns.get(name), result.scores.get(name)
    if column:
        spec = column.spec
        return TagMetric(name, spec.label, spec.unit, spec.decimals, spec.direction == "lower", column.colour)
    unit = score.unit if score else ""
    return TagMetric(name, label_of(name), unit, formats.decimals(unit), False, None)


def _badness(scored: TagScores, metrics: tuple[TagMetric, ...]) -> float:
    """Smallest for the worst; a value without a score comes last."""
    if not metrics or metrics[0].name not in scored.scores:
        return math.inf
    value = scored.scores[metrics[0].name]
    return -value if metrics[0].less_is_better else value


def _full_scale(metrics: tuple[TagMetric, ...], values: Mapping[str, TagScores], result: Result) -> float:
    """What a whole bar stands for: 100 per cent, or the largest score there is."""
    if not metrics:
        return 0.0
    name = metrics[0].name
    known = [scored.scores[name] for scored in values.values() if name in scored.scores]
    if name in result.scores:
        known.append(result.scores[name].value)
    return 100.0 if metrics[0].unit == "%" else max(known, default=0.0)


def _row(
    value: str, scored: TagScores, metrics: tuple[TagMetric, ...], full: float, place: str | None = None
) -> TagRow:
    first = scored.scores.get(metrics[0].name) if metrics else None
    bar = None if first is None or full <= 0 else BAR * min(max(first / full, 0.0), 1.0)
    texts = tuple(metric.text(scored.scores.get(metric.name)) for metric in metrics)
    return TagRow(value, scored.examples, scored.examples < FEW, texts, bar, place)
