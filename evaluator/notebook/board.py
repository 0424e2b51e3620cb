"""One open board: its numbers, its rankings under any weights, and its models' predictions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from typing import Any, Literal, Protocol

import pandas as pd

from evaluator.notebook import markup
from evaluator.notebook.predictions import ModelPredictions
from evaluator.notebook.ranking import BoardRanking
from evaluator.rank.dynascore import Board, Question
from evaluator.rank.rank_sets import Certainty
from evaluator.rank.significance import CONFIDENCE
from evaluator.records.board import MetricSpec
from evaluator.records.datasets import Examples
from evaluator.records.errors import UserError, or_one_of
from evaluator.records.references import PredictionSet
from evaluator.score.certainty import Doubts, board_rank_sets

#: Least and most that a metric may have, None for no bound.
MetricLimits = Mapping[str, Sequence[float | None]]


def not_there(where: str, what: str, name: object, known: Iterable[str]) -> UserError:
    """The error for a board, dataset or model that is not there; it says what there is."""
    return UserError(f"{where}: {what}", f"{name!r} is not there{or_one_of(str(name), known)}")


@dataclass(frozen=True)
class OneResult:
    """What a model scored on a dataset, and where the numbers come from; `values` are by metric."""

    model: str
    provenance: str
    revision: str | None
    source: str | None
    values: Mapping[str, float]


class BoardSource(Protocol):
    """Where boards are read: a board file, or a site. Both raise `UserError` for what is not there."""

    def results(self, board: str, dataset: str) -> Iterator[OneResult]:
        """The results of a board's models on one of its datasets, people left out."""

    def predictions(self, board: str, model: str, dataset: str) -> tuple[PredictionSet, Examples | None]:
        """What a model answered, and the examples as far as they are kept."""


@dataclass(frozen=True, eq=False, repr=False)
class OpenBoard:
    """One board. `where` is what messages call it; `metrics` have name, label, unit and direction.

    `datasets` has names for people by id, in order. `data` is what `dynascore.Board.from_dict` takes, and
    `varied` what `rank_sets.Certainty.from_dict` takes; `defaults` are the weights of metrics and of
    datasets, `named` those of presets. `doubts` are by model.
    """

    source: BoardSource
    where: str
    id: str
    title: str
    metrics: tuple[MetricSpec, ...]
    datasets: Mapping[str, str]
    data: Mapping[str, Any]
    varied: Mapping[str, Any]
    defaults: tuple[Mapping[str, float], Mapping[str, float]]
    named: Mapping[str, Mapping[str, float]]
    doubts: Mapping[str, Doubts]

    @cached_property
    def cells(self) -> Board:
        """What is ranked."""
        return Board.from_dict(self.data)

    @cached_property
    def certainty(self) -> Certainty:
        """How the cells vary."""
        return Certainty.from_dict(self.cells, self.varied)

    @property
    def models(self) -> dict[str, str]:
        """The models' names for people by id, sorted by id."""
        labels = self.data["labels"].get("models", {})
        return {model: str(labels.get(model, model)) for model in self.data["models"]}

    @property
    def weights(self) -> dict[str, float]:
        """The default weight of each metric."""
        return dict(self.defaults[0])

    @property
    def dataset_weights(self) -> dict[str, float]:
        """The default weight of each dataset that counts for ranking."""
        return dict(self.defaults[1])

    @property
    def presets(self) -> dict[str, dict[str, float]]:
        """Weights with a name, for `rank`."""
        return {name: dict(weights) for name, weights in self.named.items()}

    def rank(
        self,
        weights: Mapping[str, float] | None = None,
        limits: MetricLimits | None = None,
        *,
        dataset_weights: Mapping[str, float] | None = None,
        by: Literal["dynascore", "z_score"] = "dynascore",
        base: str | None = None,
        rate: Literal["mean", "ratio"] | None = None,
        confidence: float = CONFIDENCE,
    ) -> BoardRanking:
        """Rank the models: by the board's own weights, or by these, where a name left out weighs nothing.

        `limits` are [least, most] by metric, None for no bound: only models within them are ranked, the same
        as on a board of these models alone, exchange rates included. `base` is the metric that the others are
        converted to, `rate` how exchange rates are estimated, `confidence` (0.5 to under 1) that of rank
        sets. Raises `UserError` for a metric or dataset that the board does not have, and ValueError that
        names every number that is none.
        """
        self._check(
            "metric", [*(weights or ()), *(limits or ()), *([base] if base else [])], self.cells.metrics
        )
        self._check("dataset", dataset_weights or (), self.cells.values)
        question = Question(
            self.weights if weights is None else dict(weights),
            self.dataset_weights if dataset_weights is None else dict(dataset_weights),
            base=base,
            by=by,
            rate=rate,
            limits=None if limits is None else _checked(limits),
        )
        columns = self.cells.columns(question, z_scores=True)
        rank_sets = board_rank_sets(self.certainty, question, columns, confidence)
        return BoardRanking(self, question, self.cells.ranking(question), rank_sets)

    def _check(self, what: str, names: Iterable[str], known: Iterable[str]) -> None:
        for name in names:
            if name not in known:
                raise not_there(self.where, what, name, known)

    def to_pandas(self, layout: Literal["long", "wide"] = "long") -> pd.DataFrame:
        """Every number of the board's metrics.

        long: a row for each model, dataset and metric. ``value`` is in ``unit`` and missing where there is
        none; ``better`` says whether more or less of it is; ``ranked`` whether it is a cell that rankings are
        made of; ``provenance``, ``source`` and ``revision`` (of the dataset) say where it comes from. wide: a
        row for each model, with columns ``DATASET/METRIC (UNIT)`` and ``DATASET/provenance``. Raises
        ValueError for another layout.
        """
        if layout not in ("long", "wide"):
            raise ValueError(f"layout: {layout!r} is neither 'long' nor 'wide'; give one of them")
        rows = []
        for dataset in self.datasets:
            found = {result.model: result for result in self.source.results(self.id, dataset)}
            cells = self.data["values"].get(dataset, {}) if dataset in self.data["datasets"] else {}
            for place, (model, label) in enumerate(self.models.items()):
                result = found.get(model)
                for metric in self.metrics:
                    rows.append(
                        {
                            "board": self.id,
                            "dataset": dataset,
                            "model": model,
                            "label": label,
                            "metric": metric.name,
                            "value": result.values.get(metric.name) if result else None,
                            "unit": metric.unit,
                            "better": metric.direction,
                            "ranked": bool(cells) and cells[metric.name][place] is not None,
                            "provenance": result.provenance if result else None,
                            "source": result.source if result else None,
                            "revision": result.revision if result else None,
                        }
                    )
        frame = pd.DataFrame(rows).astype({"value": "float64"})
        if layout == "long":
            return frame
        columns: dict[str, Any] = {"label": self.models}
        for (dataset, name, unit), part in frame.groupby(["dataset", "metric", "unit"], sort=False):
            by_model = part.set_index("model")
            columns[f"{dataset}/{markup.with_unit(name, unit)}"] = by_model["value"]
            columns.setdefault(f"{dataset}/provenance", by_model["provenance"])
        return pd.DataFrame(columns).rename_axis("model")

    def predictions(self, model: str, dataset: str) -> ModelPredictions:
        """What a model answered to a dataset's examples.

        Raises `UserError` for a name, where no predictions are kept, and where a file is not what its hash
        says.
        """
        self._check("model", [model], self.models)
        self._check("dataset", [dataset], self.datasets)
        return ModelPredictions(*self.source.predictions(self.id, model, dataset))

    def __repr__(self) -> str:
        count = len(self.models)
        return f"<OpenBoard {self.id}: {self.title}, {count} model{'' if count == 1 else 's'}>"

    def _repr_html_(self) -> str:
        return self.rank()._repr_html_()


def _checked(limits: MetricLimits) -> dict[str, tuple[float | None, float | None]]:
    """Limits whose every entry is a pair of numbers or None. Raises ValueError."""

    def is_bound(bound: object) -> bool:
        # NumPy's numbers are Real too; NaN differs from itself.
        return bound is None or (isinstance(bound, Real) and not isinstance(bound, bool) and bound == bound)

    found = {}
    for name, pair in limits.items():
        if not isinstance(pair, list | tuple) or len(pair) != 2 or not all(map(is_bound, pair)):
            fix = "give (least, most), and None for no bound"
            raise ValueError(f"limits: {name}: {pair!r} is no pair of numbers; {fix}")
        found[name] = (pair[0], pair[1])
    return found
