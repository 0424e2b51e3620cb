"""One open board: its numbers, its rankings under any weights, and its models' predictions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, Literal

import pandas as pd
from pydantic import Field, TypeAdapter, ValidationError

from evaluator.notebook import markup
from evaluator.notebook.predictions import ModelPredictions
from evaluator.notebook.ranking import BoardRanking
from evaluator.rank.dynascore import Board, Question
from evaluator.rank.rank_sets import Certainty
from evaluator.rank.significance import CONFIDENCE
from evaluator.records.amounts import amount
from evaluator.records.base import describe_errors
from evaluator.records.board import MetricSpec
from evaluator.records.errors import UserError, or_one_of
from evaluator.score.certainty import Doubts, board_rank_sets

if TYPE_CHECKING:
    from evaluator.notebook.leaderboard import BoardFile
    from evaluator.notebook.site import Site

#: What a model scored on a dataset by metric, and where the numbers come from: provenance, source, revision.
ResultNumbers = tuple[Mapping[str, float], Mapping[str, Any]]
#: Least and most that a metric may have, None for no bound.
MetricLimits = Mapping[str, Sequence[float | None]]
Bound = Annotated[float, Field(allow_inf_nan=False)] | None
LIMITS = TypeAdapter(dict[str, tuple[Bound, Bound]])


def check_there(where: str, what: str, names: Iterable[str], known: Iterable[str]) -> None:
    """Raise `UserError` for a board, dataset, metric or model that is not there; it says what there is."""
    for name in names:
        if name not in known:
            raise UserError(f"{where}: {what}", f"{name!r} is not there{or_one_of(str(name), known)}")


def _check_trades(by: str, weights: object, trades: object) -> None:
    """Raises ValueError where weights and trade-offs are given, of which only one kind plays a part."""
    if by == "trades" and weights is not None:
        raise ValueError(
            "weights: of metrics they play no part by trade-offs; leave them out, or give another by"
        )
    if by != "trades" and trades is not None:
        raise ValueError(f"trades: they play no part by {by!r}; leave them out, or leave by out")


@dataclass(frozen=True, eq=False, repr=False)
class OpenBoard:
    """One board. `where` is what messages call it; `metrics` have name, label, unit and direction.

    `datasets` has names for people by id, in order. `data` is what `dynascore.Board.from_dict` takes, and
    `varied` what `rank_sets.Certainty.from_dict` takes; `weights` and `dataset_weights` are the board's own,
    `presets` those with a name, for `rank`. `doubts` are by model.
    """

    source: BoardFile | Site
    where: str
    id: str
    title: str
    metrics: tuple[MetricSpec, ...]
    datasets: Mapping[str, str]
    data: Mapping[str, Any]
    varied: Mapping[str, Any]
    weights: dict[str, float]
    dataset_weights: dict[str, float]
    presets: dict[str, dict[str, float]]
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

    def rank(
        self,
        weights: Mapping[str, float] | None = None,
        limits: MetricLimits | None = None,
        *,
        dataset_weights: Mapping[str, float] | None = None,
        by: Literal["dynascore", "mean", "z_score", "trades"] | None = None,
        base: str | None = None,
        rate: Literal["mean", "ratio"] | None = None,
        trades: Mapping[str, float | str] | None = None,
        confidence: float = CONFIDENCE,
    ) -> BoardRanking:
        """Rank the models: by the board's own weights, or by these, where a name left out weighs nothing.

        `limits` are [least, most] by metric, None for no bound: only models within them are ranked, the same
        as on a board of these models alone, or at the rates of all where they are too few. `base` is the
        metric that the others are converted to, `rate` how exchange rates are estimated, `confidence` (0.5 to
        under 1) that of rank sets. `trades` ranks by trade-offs: how much of each metric one unit of the base
        metric is worth, a number of its units or a text such as "100 MB" or "10 %"; weights of metrics play
        no part then. Raises `UserError` for a metric or dataset that the board does not have, and ValueError
        that names every number that is none.
        """
        _check_trades("trades" if by is None and trades is not None else by or self.cells.by, weights, trades)
        if by == "trades" and trades is None and not self.cells.trades:
            raise ValueError('by: no trade-offs are declared; give some, such as trades={"memory": "100 MB"}')
        metrics = [*(weights or ()), *(limits or ()), *([base] if base else []), *(trades or ())]
        check_there(self.where, "metric", metrics, self.cells.metrics)
        check_there(self.where, "dataset", dataset_weights or (), self.cells.values)
        try:
            bounds = None if limits is None else LIMITS.validate_python(limits)
        except ValidationError as error:
            fix = "give (least, most), and None for no bound"
            raise ValueError(f"{describe_errors(error, 'limits')}; {fix}") from None
        question = Question(
            self.weights if weights is None else dict(weights),
            self.dataset_weights if dataset_weights is None else dict(dataset_weights),
            base=base,
            by=by if trades is None else "trades",
            rate=rate,
            limits=bounds,
            trades=None if trades is None else self._declared(trades),
        )
        columns = self.cells.columns(question, z_scores=True)
        rank_sets = board_rank_sets(self.certainty, question, columns, confidence)
        return BoardRanking(self, question, self.cells.ranking(question), rank_sets)

    def _declared(self, trades: Mapping[str, float | str]) -> dict[str, float | str]:
        """Trade-offs in the units of the metrics. Raises ValueError."""
        found = {}
        for name, given in trades.items():
            try:
                found[name] = amount(given, self.cells.metrics[name].unit)
            except ValueError as error:
                raise ValueError(f"trades: {name}: {error}") from None
        return found

    def to_pandas(self, layout: Literal["long", "wide"] = "long") -> pd.DataFrame:
        """Every number of the board's metrics, a row for each model, dataset and metric.

        ``value`` is in ``unit`` and missing where there is none; ``ranked`` says whether rankings are made
        of it. wide: a row for each model, with columns ``DATASET/METRIC (UNIT)`` and ``DATASET/provenance``.
        Raises ValueError for another layout.
        """
        if layout not in ("long", "wide"):
            raise ValueError(f"layout: {layout!r} is neither 'long' nor 'wide'; give one of them")
        rows = []
        for dataset in self.datasets:
            found = self.source.results(self.id, dataset)
            cells = self.data["values"].get(dataset, {}) if dataset in self.data["datasets"] else {}
            for place, (model, label) in enumerate(self.models.items()):
                values, origin = found.get(model, ({}, {}))
                for metric in self.metrics:
                    rows.append(
                        {
                            "board": self.id,
                            "dataset": dataset,
                            "model": model,
                            "label": label,
                            "metric": metric.name,
                            "value": values.get(metric.name),
                            "unit": metric.unit,
                            "better": metric.direction,
                            "ranked": bool(cells) and cells[metric.name][place] is not None,
                            **{name: origin.get(name) for name in ("provenance", "source", "revision")},
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
        check_there(self.where, "model", [model], self.models)
        check_there(self.where, "dataset", [dataset], self.datasets)
        return ModelPredictions(*self.source.predictions(self.id, model, dataset))

    def __repr__(self) -> str:
        count = len(self.models)
        return f"<OpenBoard {self.id}: {self.title}, {count} model{'' if count == 1 else 's'}>"

    def _repr_html_(self) -> str:
        return self.rank()._repr_html_()
