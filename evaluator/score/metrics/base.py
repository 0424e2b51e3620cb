"""What a metric is and what it answers: a value, its items, and by how much each item moves the value."""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from evaluator.records.errors import UserError

MetricKind = Literal["classification", "multi-label", "sequence-labelling", "generation", "qa"]
KINDS: tuple[MetricKind, ...] = get_args(MetricKind)

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Scored:
    """What a metric computes: `value` over all items, `per_item` (n,) where items have a score of their own.

    `parts` are further numbers by name: per class, precision and recall, counts. `influence`, called,
    gives by how much each item moves the value (n,); needed where `value` is not the mean of `per_item`.
    `bias`, called with the independent unit that each item is of (n,), gives by how much `value` may be too
    high on average. `sides` are sets of items (n,), each of which `value` says nothing without.
    """

    value: float
    per_item: Floats | None = None
    parts: dict[str, float] = field(default_factory=dict)
    influence: Callable[[], Floats] | None = None
    bias: Callable[[Integers], float] | None = None
    sides: tuple[Flags, ...] = ()

    @property
    def influences(self) -> Callable[[], Floats] | None:
        """`influence`, or that of a mean; None where neither is there."""
        if self.influence is not None or self.per_item is None:
            return self.influence
        of_mean, mean = influence_of_mean(self.per_item), float(np.nanmean(self.per_item))
        return of_mean if math.isclose(mean, self.value, rel_tol=1e-9, abs_tol=1e-9) else None


@dataclass(frozen=True)
class Metric:
    """A metric by name.

    `compute` holds, for each kind of task the metric fits, the function that scores it: from
    `Labelled` (classification), `MultiLabelled` (multi-label), `Tagged` (sequence-labelling) or `Texts`
    (generation, qa). `version` changes whenever its numbers would. `needs` names the inputs of `report`
    that must be given besides predictions and references. `description` says in a sentence what the
    number is. Two machines' numbers may differ by `tolerance`, relative to the number or absolute. `width` is
    how far apart two values of one item can be: 100 for per cent if not given, and infinite where nothing
    bounds them.
    """

    name: str
    label: str
    version: str
    compute: Mapping[MetricKind, Callable[[Any], Scored]]
    unit: str = "%"
    better: Literal["higher", "lower"] = "higher"
    needs: tuple[str, ...] = ()
    description: str = ""
    tolerance: float = 1e-9
    width: float | None = None

    @property
    def tasks(self) -> tuple[MetricKind, ...]:
        """The kinds of task it fits."""
        return tuple(self.compute)

    @property
    def bound(self) -> float:
        """How far apart two values of one item can be, infinite where nothing is known to bound them."""
        return self.width or (100.0 if self.unit == "%" else math.inf)


@dataclass(frozen=True, eq=False)
class Value:
    """A metric's number in `unit`, by `version` of its definition, with its `per_item` (n,) and `parts`.

    Where `value` is a mean over items it is the mean of `per_item`; corpus metrics either have no
    scores of single items (None) or keep them beside a value computed over the whole corpus.

    `influence`, called, gives the influence values (n,) in `unit`: they sum to zero, and the sum of their
    squares over n (n - 1) is the variance of `value` (the infinitesimal jackknife, Efron 1982, chapter 6).
    None where the metric has none. `bias` and `sides` are those of `Scored`.
    """

    value: float
    unit: str
    version: str
    per_item: Floats | None
    parts: dict[str, float]
    influence: Callable[[], Floats] | None = None
    bias: Callable[[Integers], float] | None = None
    sides: tuple[Flags, ...] = ()


@dataclass(frozen=True, eq=False)
class Report:
    """The values of one report by metric name, in the order asked for; `notes` say what to know of them."""

    task: MetricKind
    scores: dict[str, Value]
    notes: tuple[str, ...] = ()


def mean_of(per_item: Floats, **parts: float) -> Scored:
    """A score that is the mean over items."""
    return Scored(float(np.mean(per_item)), per_item, parts)


def percentage(sums: Floats) -> float:
    """The first of two sums in per cent of the second, which counts as at least 1."""
    return 100.0 * float(sums[0]) / max(1.0, float(sums[1]))


def influence_of_mean(per_item: Floats) -> Callable[[], Floats]:
    """The influence values of a mean over the items that have a score; the others, NaN, move nothing."""

    def influence() -> Floats:
        known = ~np.isnan(per_item)
        moved = (per_item - np.nanmean(per_item)) * len(per_item) / known.sum()
        return np.where(known, moved, 0.0)

    return influence


def influence_of_sums(rows: Any, value_of: Callable[[Floats], float]) -> Callable[[], Floats]:
    """The influence values of a function of the sum of statistics `rows` (n, s): each left out in turn.

    `rows` may be what makes them, where they would take much memory that is seldom needed. Items with the
    same statistics are left out once.
    """

    def influence() -> Floats:
        table = np.asarray(rows() if callable(rows) else rows, dtype=np.float64)
        total, n = table.sum(axis=0), len(table)
        kinds, place = _different_rows(table)
        without = np.array([value_of(total - kind) for kind in kinds])[place]
        moved: Floats = (n - 1) * (without.mean() - without)
        return moved

    return influence


def _different_rows(table: Floats) -> tuple[Floats, npt.NDArray[np.intp]]:
    """The different rows of a table (n, s), and which of them each row is (n,).

    `np.unique` of whole rows compares them byte by byte, which takes ten times as long.
    """
    order = np.lexsort(table.T)
    rows = table[order]
    is_new = np.ones(len(rows), dtype=np.bool_)
    is_new[1:] = (rows[1:] != rows[:-1]).any(axis=1)
    place = np.empty(len(rows), dtype=np.intp)
    place[order] = np.cumsum(is_new) - 1
    return rows[is_new], place


def package(name: str, metric: str, extra: str = "metrics") -> ModuleType:
    """The module called `name`. Raises `UserError` naming the extra to install where it is missing."""
    try:
        return importlib.import_module(name)
    except ImportError:
        needed = f"needs {name.partition('.')[0]}, which is not installed"
        raise UserError(metric, needed, f"pip install 'steelyard[{extra}]'") from None


def check_pairs(predictions: Any, references: Any) -> None:
    """Raise `UserError` unless there is a prediction for each reference, and one at least."""
    if len(predictions) != len(references):
        raise UserError("predictions", f"{len(predictions)} predictions for {len(references)} references")
    if not len(predictions):
        raise UserError("predictions", "no examples to score")


def for_texts(compute: Callable[[Any], Scored]) -> dict[MetricKind, Callable[[Any], Scored]]:
    """What `Metric.compute` has of a function that scores texts, whether generated or answers."""
    return {"generation": compute, "qa": compute}
