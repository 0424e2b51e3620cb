"""What a board holds, and boards read from a board file and the results that it names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from evaluator.data.datasets import Dataset, read_dataset
from evaluator.records.board import BoardSpec, MetricSpec, load_boards
from evaluator.records.datasets import Examples
from evaluator.records.errors import UserError, or_one_of
from evaluator.records.references import PredictionSet
from evaluator.records.result import Result
from evaluator.records.store import Store
from evaluator.score.certainty import Doubts, assemble_board, sampled
from evaluator.score.examples import dataset_source
from evaluator.score.metrics import use_checkpoints


def not_there(where: str, what: str, name: object, known: Iterable[str]) -> UserError:
    """The error for a board, dataset or model that is not there; it says what there is."""
    return UserError(f"{where}: {what}", f"{name!r} is not there{or_one_of(str(name), known)}")


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


class BoardFileReader:
    """The boards of a board file; `results` and `data` take the place of the folders that it names.

    Raises `UserError` for a file that cannot be read, and in every method for a name that it does not know.
    """

    def __init__(self, path: Path, results: Path | None, data: Path | None) -> None:
        self.path, self.boards = path, load_boards(path)
        self.store = Store(results or path.parent / self.boards.results)
        self.data = data or path.parent / self.boards.data

    @property
    def where(self) -> str:
        """What messages call it."""
        return str(self.path)

    def titles(self) -> dict[str, str]:
        """The boards' titles by id, in order."""
        return {board.id: board.title for board in self.boards.boards}

    @cached_property
    def _results(self) -> list[Result]:
        """All results, read once: the boards of a file share them. Raises `UserError` at a bad one."""
        return list(self.store.results())

    def _spec(self, board: str) -> BoardSpec:
        known = {spec.id: spec for spec in self.boards.boards}
        if board not in known:
            raise not_there(self.where, "board", board, known)
        return known[board]

    def content(self, board: str) -> BoardContent:
        """A board with everything that ranks it."""
        spec = self._spec(board)
        assembled = assemble_board(spec, self.boards, self.store, self._results)
        if not assembled.entries:
            raise UserError(
                f"board {board}",
                f"has no results in {self.store.root}",
                "run: steelyard evaluate, or name another folder with results=",
            )
        return BoardContent(
            where=f"{self.where}, board {spec.id}",
            id=spec.id,
            title=spec.title,
            task=spec.task,
            metrics=spec.metrics,
            datasets={dataset: self.boards.dataset(dataset).label for dataset in spec.datasets},
            data=assembled.data,
            values=assembled.data["values"],
            varied=sampled(assembled, self.store),
            metric_weights=assembled.metric_weights,
            dataset_weights=assembled.dataset_weights,
            presets={preset.name: dict(preset.weights) for preset in spec.presets},
            doubts={model: Doubts.of(entry) for model, entry in assembled.entries.items()},
            updated=assembled.timestamp,
        )

    def results(self, board: str, dataset: str) -> Iterator[OneResult]:
        """The results of a board's models on one of its datasets, people left out."""
        for result in self._of(board, dataset).values():
            source = result.source.citation if result.source else None
            values = {name: score.value for name, score in result.scores.items()}
            yield OneResult(result.model.id, result.provenance, result.dataset.revision, source, values)

    def _of(self, board: str, dataset: str) -> Mapping[str, Result]:
        """The results on a dataset of a board, by model."""
        spec = self._spec(board)
        if dataset not in spec.datasets:
            raise not_there(f"{self.where}, board {board}", "dataset", dataset, spec.datasets)
        return {
            result.model.id: result
            for result in self._results
            if (result.task, result.dataset.id) == (spec.task, dataset) and result.provenance != "human"
        }

    def predictions(self, board: str, model: str, dataset: str) -> tuple[PredictionSet, Examples | None]:
        """What a model answered, and the examples as far as they are kept."""
        found = self._of(board, dataset)
        if model not in found:
            raise not_there(f"{self.where}, board {board}, dataset {dataset}", "model", model, found)
        predictions = self.store.predictions(found[model])
        return predictions, self.store.examples(
            predictions.task, predictions.dataset, predictions.dataset_revision
        )

    def dataset(self, dataset: str) -> Dataset:
        """A dataset with its texts and right answers."""
        known = {spec.id: spec for spec in self.boards.datasets if spec.readable}
        if dataset not in known:
            raise not_there(self.where, "dataset", dataset, known)
        # From now on metrics that ask a network read the weights that this file names.
        use_checkpoints(self.boards.checkpoints, self.path.parent)
        return read_dataset(dataset_source(known[dataset], self.data))
