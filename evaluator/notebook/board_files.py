"""Boards read from a board file and the results that it names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path

from evaluator.data.datasets import Dataset, read_dataset
from evaluator.notebook.content import BoardContent, NotThereError, OneResult
from evaluator.records.board import Assembled, BoardSpec, DatasetSpec, load_boards
from evaluator.records.datasets import Examples
from evaluator.records.errors import UserError
from evaluator.records.predictions import PredictionSet
from evaluator.records.result import Result
from evaluator.records.store import Store
from evaluator.score.certainty import Doubts, assemble_floored, sampled
from evaluator.score.reading import dataset_source, use_weights


class BoardFileReader:
    """The boards of a board file; `results` and `data` take the place of the folders that it names.

    Raises `evaluator.records.board.UserError` for a file that cannot be read.
    """

    def __init__(self, path: Path, results: Path | None, data: Path | None) -> None:
        self.path, self.boards = path, load_boards(path)
        self.store = Store(results or path.parent / self.boards.results)
        self.data = data or path.parent / self.boards.data

    @property
    def where(self) -> str:
        return str(self.path)

    def titles(self) -> dict[str, str]:
        return {board.id: board.title for board in self.boards.boards}

    @cached_property
    def _results(self) -> list[Result]:
        """All results, read once: the boards of a file share them. Raises `UserError` at a bad one."""
        return list(self.store.results())

    def _spec(self, board: str) -> BoardSpec:
        known = {spec.id: spec for spec in self.boards.boards}
        if board not in known:
            raise NotThereError(self.where, "board", board, known)
        return known[board]

    def content(self, board: str) -> BoardContent:
        spec = self._spec(board)
        assembled = assemble_floored(spec, self.boards, self.store, self._results)
        if not assembled.entries:
            raise UserError(
                f"board {board}: has no results in {self.store.root}; run: steelyard evaluate, or name"
                " another folder with results="
            )
        return self._content(spec, assembled)

    def _content(self, spec: BoardSpec, assembled: Assembled) -> BoardContent:
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
        for result in self._of(board, dataset).values():
            source = result.source.citation if result.source else None
            values = {name: score.value for name, score in result.scores.items()}
            yield OneResult(result.model.id, result.provenance, result.dataset.revision, source, values)

    def _of(self, board: str, dataset: str) -> Mapping[str, Result]:
        """The results on a dataset of a board, by model."""
        spec = self._spec(board)
        if dataset not in spec.datasets:
            raise NotThereError(f"{self.where}, board {board}", "dataset", dataset, spec.datasets)
        return {
            result.model.id: result
            for result in self._results
            if (result.task, result.dataset.id) == (spec.task, dataset) and result.provenance != "human"
        }

    def predictions(self, board: str, model: str, dataset: str) -> tuple[PredictionSet, Examples | None]:
        found = self._of(board, dataset)
        if model not in found:
            raise NotThereError(f"{self.where}, board {board}, dataset {dataset}", "model", model, found)
        predictions = self.store.predictions(found[model])
        return predictions, self.store.examples(
            predictions.task, predictions.dataset, predictions.dataset_revision
        )

    def dataset(self, dataset: str) -> Dataset:
        known = {spec.id: spec for spec in self.boards.datasets if spec.readable}
        if dataset not in known:
            raise NotThereError(self.where, "dataset", dataset, known)
        return self._read(known[dataset])

    def _read(self, spec: DatasetSpec) -> Dataset:
        # From now on metrics that ask a network read the weights that this file names.
        use_weights(self.boards.checkpoints, self.path.parent)
        return read_dataset(dataset_source(spec, self.data))
