"""Where to start: a board file or a published site, its boards, their rankings and predictions.

And all numbers of a folder of results as one frame.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from numbers import Real
from pathlib import Path
from typing import Any, Literal

import pandas as pd

from evaluator.data.datasets import Dataset
from evaluator.notebook import markup
from evaluator.notebook.predictions import ModelPredictions
from evaluator.notebook.ranking import BoardRanking
from evaluator.notebook.reading import BoardContent, BoardFileReader, not_there
from evaluator.notebook.site import SiteReader
from evaluator.rank.dynascore import Board, Question
from evaluator.rank.rank_sets import Certainty
from evaluator.rank.significance import CONFIDENCE
from evaluator.records.board import MetricSpec
from evaluator.records.errors import UserError
from evaluator.records.result import Result, Score
from evaluator.records.store import Store
from evaluator.score.certainty import board_rank_sets

#: Least and most that a metric may have, None for no bound.
MetricLimits = Mapping[str, Sequence[float | None]]

#: Of columns that may have no number at all.
KINDS = {
    "value": "float64",
    "standard_error": "float64",
    "interval_low": "float64",
    "interval_high": "float64",
    "examples": "Int64",
}


class Leaderboard:
    """All boards of a board file or of a published site; `open` makes one."""

    def __init__(self, reader: BoardFileReader | SiteReader) -> None:
        self._reader = reader

    @classmethod
    def open(
        cls, source: str | Path, *, results: str | Path | None = None, data: str | Path | None = None
    ) -> Leaderboard:
        """Open a board file, a folder's ``board.toml``, or the site at an https:// or http:// address.

        `results` and `data` are folders in place of those that the board file names. Raises
        `records.board.UserError` for a file that cannot be read, `UserError` for an address without a
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
        """The board of that id. Raises `UserError`, and `UserError` where it has no results."""
        return OpenBoard(self._reader, self._reader.content(board))

    def dataset(self, dataset: str) -> Dataset:
        """A dataset of the board file with its texts and right answers, as `evaluate` takes it.

        Raises `UserError`, `evaluator.data.datasets.DatasetError` where its file is missing or wrong, and
        `UserError` for a site, which has no texts.
        """
        return self._reader.dataset(dataset)

    def __repr__(self) -> str:
        return f"<Leaderboard {self._reader.where}: {', '.join(self.boards)}>"

    def _repr_html_(self) -> str:
        return markup.table(self._reader.where, ["board", "title"], list(self.boards.items()), [])


class OpenBoard:
    """One board: its numbers, its rankings under any weights, and its models' predictions."""

    def __init__(self, reader: BoardFileReader | SiteReader, content: BoardContent) -> None:
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
    ) -> BoardRanking:
        """Rank the models: by the board's own weights, or by these, where a name left out weighs nothing.

        `limits` are [least, most] by metric, None for no bound: only models within them are ranked, the same
        as on a board of these models alone, exchange rates included. `base` is the metric that the others are
        converted to, `rate` how exchange rates are estimated, `confidence` (0.5 to under 1) that of rank
        sets. Raises `UserError` for a metric or dataset that the board does not have, and ValueError that
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
        columns = self._board.columns(question, z_scores=True)
        rank_sets = board_rank_sets(self._certainty, question, columns, confidence)
        ranking = self._board.ranking(question)
        return BoardRanking(self.content, question, ranking, rank_sets, self._board, self._certainty)

    def _check_known(self, what: str, names: Iterable[str], known: Iterable[str]) -> None:
        for name in names:
            if name not in known:
                raise not_there(self.content.where, what, name, known)

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
        for dataset in self.content.datasets:
            found = {result.model: result for result in self._reader.results(self.id, dataset)}
            for place, model in enumerate(self.content.models):
                result = found.get(model)
                for metric in self.content.metrics:
                    cell = self.content.values[dataset][metric.name][place]
                    rows.append(
                        {
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

        Raises `UserError` for names, and `UserError` or `UserError` where no predictions are kept or
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


def results_frame(path: str | Path) -> pd.DataFrame:
    """Every number under a folder of results: one row for each result and metric, all metrics included.

    ``value`` is in ``unit``, by ``version`` of the metric; ``standard_error`` is that of a reported number,
    as its source gives it, and ``interval_low`` and ``interval_high`` are those of an estimate of people.
    ``provenance``, ``source``, ``revision`` (of the dataset), ``machine`` (timings of different ones do not
    compare), ``noise`` (the verdict on the timing), ``created`` and ``file`` say where it comes from. A
    result without numbers, such as a failed one, has one row whose ``metric`` is missing. Raises
    `UserError` for a folder without results, and for the first file that is none.
    """
    store = Store(Path(path))
    paths = store.paths()
    if not paths:
        fix = "give the folder that board.toml names in results"
        raise UserError(path, "has no results (TASK/DATASET/MODEL.json)", fix)
    rows = [row for file in paths for row in _rows(file, store.load(file))]
    frame = pd.DataFrame(rows)
    frame["created"] = pd.to_datetime(frame["created"], utc=True)
    return frame.astype(KINDS)


def _rows(file: Path, result: Result) -> Iterator[dict[str, Any]]:
    measurement = result.measurement
    about = {
        "task": result.task,
        "dataset": result.dataset.id,
        "model": result.model.id,
        "label": result.model.label,
        "status": result.status,
    }
    origin = {
        "provenance": result.provenance,
        "source": result.source.citation if result.source else None,
        "revision": result.dataset.revision,
        "examples": result.dataset.examples,
        "machine": measurement.fingerprint.key if measurement else None,
        "noise": measurement.noise.verdict if measurement else None,
        "created": result.created,
        "file": str(file),
    }
    scores: list[tuple[str, Score] | tuple[None, None]] = [*result.scores.items()]
    for metric, score in scores or [(None, None)]:
        yield {**about, **_number(metric, score), **origin}


def _number(metric: str | None, score: Score | None) -> dict[str, Any]:
    low, high = (score.interval if score else None) or (None, None)
    return {
        "metric": metric,
        "value": score.value if score else None,
        "unit": score.unit if score else None,
        "version": score.version if score else None,
        "standard_error": score.standard_error if score else None,
        "interval_low": low,
        "interval_high": high,
    }
