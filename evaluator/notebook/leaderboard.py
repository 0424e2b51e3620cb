"""Where to start: a board file or a published site, its boards, their rankings and predictions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from evaluator.data.datasets import Dataset
from evaluator.notebook import markup
from evaluator.notebook.board_files import BoardFileReader
from evaluator.notebook.content import BoardContent, BoardsReader, NotThereError, OneResult
from evaluator.notebook.packages import required
from evaluator.notebook.predictions import ModelPredictions
from evaluator.notebook.ranking import SureRanking, ranked
from evaluator.notebook.site import SiteReader
from evaluator.rank.dynascore import Board, Question
from evaluator.rank.rank_sets import Certainty
from evaluator.rank.significance import CONFIDENCE
from evaluator.records.board import MetricSpec

if TYPE_CHECKING:
    from pandas import DataFrame

#: Least and most that a metric may have, None for no bound.
MetricLimits = Mapping[str, Sequence[float | None]]


class Leaderboard:
    """All boards of a board file or of a published site; `open` makes one."""

    def __init__(self, reader: BoardsReader) -> None:
        self._reader = reader

    @classmethod
    def open(
        cls, source: str | Path, *, results: str | Path | None = None, data: str | Path | None = None
    ) -> Leaderboard:
        """Open a board file, a folder's ``board.toml``, or the site at an https:// or http:// address.

        `results` and `data` are folders in place of those that the board file names. Raises
        `records.board.UserError` for a file that cannot be read, `SiteError` for an address without a
        site, and ValueError for folders beside an address.
        """
        if isinstance(source, str) and source.startswith(("https://", "http://")):
            if results is not None or data is not None:
                raise ValueError(f"{source}: results and data are folders of a board file; leave them out")
            return cls(SiteReader(source))
        folders = (None if folder is None else Path(folder) for folder in (results, data))
        path = Path(source)
        return cls(BoardFileReader(path / "board.toml" if path.is_dir() else path, *folders))

    @property
    def boards(self) -> dict[str, str]:
        """The boards' titles by id, in the order of the front page."""
        return self._reader.titles()

    def board(self, board: str) -> OpenBoard:
        """The board of that id. Raises `NotThereError`, and `UserError` where it has no results."""
        return OpenBoard(self._reader, self._reader.content(board))

    def dataset(self, dataset: str) -> Dataset:
        """A dataset of the board file with its texts and right answers, as `evaluate` takes it.

        Raises `NotThereError`, `evaluator.data.datasets.DatasetError` where its file is missing or wrong, and
        `SiteError` for a site, which has no texts.
        """
        return self._reader.dataset(dataset)

    def __repr__(self) -> str:
        return f"<Leaderboard {self._reader.where}: {', '.join(self.boards)}>"

    def _repr_html_(self) -> str:
        return markup.table(self._reader.where, ["board", "title"], list(self.boards.items()), [])


class OpenBoard:
    """One board: its numbers, its rankings under any weights, and its models' predictions."""

    def __init__(self, reader: BoardsReader, content: BoardContent) -> None:
        self._reader, self.content = reader, content

    @cached_property
    def _board(self) -> Board:
        return Board.from_dict(self.content.data)

    @cached_property
    def _certainty(self) -> Certainty:
        return Certainty.from_dict(self._board, self.content.varied)

    @property
    def id(self) -> str:
        """Its id, as in addresses and in ``steelyard rank``."""
        return self.content.id

    @property
    def title(self) -> str:
        """Its heading."""
        return self.content.title

    @property
    def models(self) -> dict[str, str]:
        """The models' names for people by id, sorted by id."""
        return {model: self.content.label(model) for model in self.content.models}

    @property
    def datasets(self) -> dict[str, str]:
        """The datasets' names for people by id."""
        return dict(self.content.datasets)

    @property
    def metrics(self) -> tuple[MetricSpec, ...]:
        """The metrics, each with its name, label, unit and direction."""
        return self.content.metrics

    @property
    def weights(self) -> dict[str, float]:
        """The default weight of each metric."""
        return dict(self.content.metric_weights)

    @property
    def dataset_weights(self) -> dict[str, float]:
        """The default weight of each dataset that counts for ranking."""
        return dict(self.content.dataset_weights)

    @property
    def presets(self) -> dict[str, dict[str, float]]:
        """Weights with a name, for `rank`."""
        return {name: dict(weights) for name, weights in self.content.presets.items()}

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
    ) -> SureRanking:
        """Rank the models: by the board's own weights, or by these, where a name left out weighs nothing.

        `limits` are [least, most] by metric, None for no bound: only models within them are ranked, the same
        as on a board of these models alone, exchange rates included. `base` is the metric that the others are
        converted to, `rate` how exchange rates are estimated, `confidence` (0.5 to under 1) that of rank
        sets. Raises `NotThereError` for a metric or dataset that the board does not have, and ValueError that
        names every number that is none.
        """
        metrics, datasets = self._board.metrics, self._board.values
        self._check_known("metric", (*(weights or ()), *(limits or ()), *([base] if base else [])), metrics)
        self._check_known("dataset", dataset_weights or (), datasets)
        question = Question(
            dict(weights) if weights is not None else self.weights,
            dict(dataset_weights) if dataset_weights is not None else self.dataset_weights,
            base=base,
            by=by,
            rate=rate,
            limits=None if limits is None else _checked(limits),
        )
        return ranked(self.content, self._board, self._certainty, question, confidence)

    def _check_known(self, what: str, names: Iterable[str], known: Iterable[str]) -> None:
        for name in names:
            if name not in known:
                raise NotThereError(self.content.where, what, name, known)

    def to_pandas(self, layout: Literal["long", "wide"] = "long") -> DataFrame:
        """Every number of the board's metrics.

        long: a row for each model, dataset and metric. ``value`` is in ``unit`` and missing where there is
        none; ``better`` says whether more or less of it is; ``ranked`` whether it is a cell that rankings are
        made of; ``provenance``, ``source`` and ``revision`` (of the dataset) say where it comes from. wide: a
        row for each model, with columns ``DATASET/METRIC (UNIT)`` and ``DATASET/provenance``. Raises
        ValueError for another layout.
        """
        if layout not in ("long", "wide"):
            raise ValueError(f"layout: {layout!r} is neither 'long' nor 'wide'; give one of them")
        pandas = required("pandas")
        rows = list(self._numbers())
        if layout == "long":
            return pandas.DataFrame(rows).astype({"value": "float64"})
        return pandas.DataFrame(self._wide(rows)).rename_axis("model")

    def _numbers(self) -> Iterator[dict[str, Any]]:
        for dataset in self.content.datasets:
            found = {result.model: result for result in self._reader.results(self.id, dataset)}
            for place, model in enumerate(self.content.models):
                for metric in self.content.metrics:
                    yield self._number(dataset, place, model, metric, found.get(model))

    def _number(
        self, dataset: str, place: int, model: str, metric: MetricSpec, result: OneResult | None
    ) -> dict[str, Any]:
        cell = self.content.values[dataset][metric.name][place]
        return {
            "board": self.id,
            "dataset": dataset,
            "model": model,
            "label": self.content.label(model),
            "metric": metric.name,
            "value": result.values.get(metric.name) if result else None,
            "unit": metric.unit,
            "better": metric.direction,
            "ranked": cell is not None and dataset in self.content.data["datasets"],
            "provenance": result.provenance if result else None,
            "source": result.source if result else None,
            "revision": result.revision if result else None,
        }

    def _wide(self, rows: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
        """Columns by name, each by model."""
        columns: dict[str, dict[str, Any]] = {"label": self.models}
        for row in rows:
            name = f"{row['dataset']}/{markup.with_unit(row['metric'], row['unit'])}"
            columns.setdefault(name, {})[row["model"]] = row["value"]
            columns.setdefault(f"{row['dataset']}/provenance", {})[row["model"]] = row["provenance"]
        return columns

    def predictions(self, model: str, dataset: str) -> ModelPredictions:
        """What a model answered to a dataset's examples.

        Raises `NotThereError` for names, and `UserError` or `SiteError` where no predictions are kept or
        a file is not what its hash says.
        """
        self._check_known("model", [model], self.content.models)
        self._check_known("dataset", [dataset], self.content.datasets)
        return ModelPredictions(*self._reader.predictions(self.id, model, dataset))

    def __repr__(self) -> str:
        count = len(self.content.models)
        return f"<OpenBoard {self.id}: {self.title}, {count} model{'' if count == 1 else 's'}>"

    def _repr_html_(self) -> str:
        return self.rank()._repr_html_()


def _checked(limits: MetricLimits) -> dict[str, tuple[float | None, float | None]]:
    """Limits whose every entry is a pair of numbers or None. Raises ValueError."""
    found = {}
    for name, pair in limits.items():
        bounds = tuple(pair) if isinstance(pair, list | tuple) else ()
        if len(bounds) != 2 or any(not _is_bound(bound) for bound in bounds):
            fix = "give (least, most), and None for no bound"
            raise ValueError(f"limits: {name}: {pair!r} is no pair of numbers; {fix}")
        found[name] = bounds
    return found


def _is_bound(bound: object) -> bool:
    # NumPy's numbers are Real too; NaN differs from itself.
    return bound is None or (isinstance(bound, Real) and not isinstance(bound, bool) and bound == bound)
