"""What a board holds, wherever it is read from: its files, or a published site."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from evaluator.data.datasets import Dataset
from evaluator.records.board import MetricSpec
from evaluator.records.datasets import Examples
from evaluator.records.names import or_one_of
from evaluator.records.predictions import PredictionSet
from evaluator.score.certainty import Doubts


class NotThereError(LookupError):
    """A board, dataset or model that is not there; the message says what there is."""

    def __init__(self, where: str, what: str, name: object, known: Iterable[str]) -> None:
        super().__init__(f"{where}: {what}: {name!r} is not there{or_one_of(str(name), known)}")


@dataclass(frozen=True)
class BoardContent:
    """A board's cells, defaults and doubts.

    `where` is what messages call it. `data` is what `dynascore.Board.from_dict` takes, `varied` what
    `rank_sets.Certainty.from_dict` takes, empty where nothing is known of how the numbers vary. `datasets`
    has the label of each dataset, and `values` the cells of all of them, also of those that do not count for
    ranking: a column in the order of ``data["models"]`` by dataset and metric. `presets` are named weights.
    """

    where: str
    id: str
    title: str
    task: str
    metrics: tuple[MetricSpec, ...]
    datasets: Mapping[str, str]
    data: Mapping[str, Any] = field(repr=False)
    values: Mapping[str, Mapping[str, Any]] = field(repr=False)
    varied: Mapping[str, Any] = field(repr=False)
    metric_weights: dict[str, float]
    dataset_weights: dict[str, float]
    presets: dict[str, dict[str, float]]
    doubts: dict[str, Doubts] = field(repr=False)
    updated: str | None

    @property
    def models(self) -> list[str]:
        """The ids of the models, in the order of all columns."""
        return list(self.data["models"])

    def label(self, model: str) -> str:
        """A model's name for people."""
        return str(self.data["labels"].get("models", {}).get(model, model))


@dataclass(frozen=True)
class OneResult:
    """What a model scored on a dataset, and where the numbers come from; `values` are by metric."""

    model: str
    provenance: str
    revision: str | None
    source: str | None
    values: Mapping[str, float]


class BoardsReader(Protocol):
    """Where boards come from. Every method raises `NotThereError` for a name that it does not know."""

    @property
    def where(self) -> str:
        """What messages call it."""

    def titles(self) -> dict[str, str]:
        """The boards' titles by id, in order."""

    def content(self, board: str) -> BoardContent:
        """A board with everything that ranks it."""

    def results(self, board: str, dataset: str) -> Iterator[OneResult]:
        """The results of a board's models on one of its datasets, people left out."""

    def predictions(self, board: str, model: str, dataset: str) -> tuple[PredictionSet, Examples | None]:
        """What a model answered, and the examples as far as they are kept."""

    def dataset(self, dataset: str) -> Dataset:
        """A dataset with its texts and right answers."""
