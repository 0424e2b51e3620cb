"""What a metric is, what it answers, and the errors that say why something cannot be scored."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

Kind = Literal["classification", "sequence-labelling", "generation", "qa"]
KINDS: tuple[Kind, ...] = get_args(Kind)

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


class MetricError(ValueError):
    """A metric that does not exist or does not fit, or inputs that do not belong together."""


@dataclass(frozen=True, eq=False)
class Scored:
    """What a metric computes: `value` over all items, `per_item` (n,) where items have a score of their own.

    `parts` are further numbers by name: per class, precision and recall, counts.
    """

    value: float
    per_item: Floats | None = None
    parts: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Metric:
    """A metric by name.

    `compute` holds, for each kind of task the metric fits, the function that scores it: from
    `Labelled` (classification), `Tagged` (sequence-labelling) or `Texts` (generation, qa).
    `version` changes whenever its numbers would. `needs` names the inputs of `report` that must be
    given besides predictions and references. `description` says in a sentence what the number is.
    """

    name: str
    label: str
    version: str
    compute: Mapping[Kind, Callable[[Any], Scored]]
    unit: str = "%"
    better: Literal["higher", "lower"] = "higher"
    needs: tuple[str, ...] = ()
    description: str = ""

    @property
    def tasks(self) -> tuple[Kind, ...]:
        """The kinds of task it fits."""
        return tuple(self.compute)


@dataclass(frozen=True, eq=False)
class Value:
    """A metric's number in `unit`, by `version` of its definition, with its `per_item` (n,) and `parts`.

    Where `value` is a mean over items it is the mean of `per_item`; corpus metrics either have no
    scores of single items (None) or keep them beside a value computed over the whole corpus.
    """

    value: float
    unit: str
    version: str
    per_item: Floats | None
    parts: dict[str, float]


@dataclass(frozen=True, eq=False)
class Report:
    """The values of one report by metric name, in the order asked for."""

    task: Kind
    scores: dict[str, Value]


def mean_of(per_item: Floats, **parts: float) -> Scored:
    """A score that is the mean over items."""
    return Scored(float(np.mean(per_item)), per_item, parts)


def package(name: str, metric: str) -> ModuleType:
    """The module called `name`. Raises `MetricError` naming the extra if it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        raise MetricError(
            f"{metric}: needs {name.partition('.')[0]}, which is not installed; "
            "pip install 'steelyard[metrics]'"
        ) from None
