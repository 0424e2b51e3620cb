"""Where to start: a board file or a published site, and all numbers of a folder of results as one frame."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from evaluator.data.datasets import Dataset, read_dataset
from evaluator.notebook import markup
from evaluator.notebook.board import OpenBoard, ResultNumbers, check_there
from evaluator.notebook.site import Site
from evaluator.records.board import BoardSpec, load_boards
from evaluator.records.board.score import SCORE, main_metrics, with_score
from evaluator.records.datasets import Examples
from evaluator.records.errors import UserError
from evaluator.records.references import PredictionSet
from evaluator.records.result import Result, Score
from evaluator.records.store import Store
from evaluator.score.certainty import Doubts, assemble_board, sampled
from evaluator.score.examples import dataset_source
from evaluator.score.inputs import GivenInputs, outdated_results
from evaluator.score.metrics import use_checkpoints


class Leaderboard:
    """All boards of a board file or of a published site; `open` makes one."""

    def __init__(self, source: BoardFile | Site) -> None:
        self._source = source

    @classmethod
    def open(
        cls, source: str | Path, *, results: str | Path | None = None, data: str | Path | None = None
    ) -> Leaderboard:
        """Open a board file, a folder's ``board.toml``, or the site at an https:// or http:// address.

        `results` and `data` are folders in place of those that the board file names. Raises `UserError` for a
        file that cannot be read and an address without a site, and ValueError for folders beside an address.
        """
        if isinstance(source, str) and source.startswith(("https://", "http://")):
            if results is not None or data is not None:
                raise ValueError(f"{source}: results and data are folders of a board file; leave them out")
            return cls(Site(source))
        folders = (None if folder is None else Path(folder) for folder in (results, data))
        path = Path(source)
        return cls(BoardFile(path / "board.toml" if path.is_dir() else path, *folders))

    @property
    def boards(self) -> dict[str, str]:
        """The boards' titles by id, in the order of the front page."""
        return dict(self._source.titles)

    def board(self, board: str) -> OpenBoard:
        """The board of that id. Raises `UserError` where it is not there, or has no results."""
        return self._source.board(board)

    def dataset(self, dataset: str) -> Dataset:
        """A dataset of the board file with its texts and right answers, as `evaluate` takes it.

        Raises `UserError`, for a site too, which has no texts, and `evaluator.data.datasets.DatasetError`
        where its file is missing or wrong.
        """
        return self._source.dataset(dataset)

    def __repr__(self) -> str:
        return f"<Leaderboard {self._source.where}: {', '.join(self.boards)}>"

    def _repr_html_(self) -> str:
        return markup.table(self._source.where, ["board", "title"], list(self.boards.items()), [])


class BoardFile:
    """The boards of a board file; `results` and `data` take the place of the folders that it names.

    Raises `UserError` for a file that cannot be read, and in every method for a name that it does not know.
    """

    def __init__(self, path: Path, results: Path | None, data: Path | None) -> None:
        self.path, self.where, boards = path, str(path), load_boards(path)
        self.titles = {board.id: board.title for board in boards.boards}
        self.store = Store(results or path.parent / boards.results)
        self.boards = boards.skipping_malformed(self.store.skipped)
        self.data = data or path.parent / self.boards.data

    @cached_property
    def _results(self) -> list[Result]:
        """All results, read once: the boards of a file share them. Raises `UserError` at a bad one."""
        return list(self.store.results())

    def _spec(self, board: str) -> BoardSpec:
        check_there(self.where, "board", [board], self.titles)
        return next(spec for spec in self.boards.boards if spec.id == board)

    def board(self, board: str) -> OpenBoard:
        """A board with everything that ranks it."""
        spec = self._spec(board)
        own = [one for one in self._results if self.boards.holds(spec, one)]
        outdated = outdated_results(own, GivenInputs(self.boards, self.path.parent, self.data))
        assembled = assemble_board(spec, self.boards, self.store, self._results, outdated)
        if not assembled.entries:
            fix = "run: steelyard evaluate, or name another folder with results="
            raise UserError(f"board {board}", f"has no results in {self.store.root}", fix)
        return OpenBoard(
            source=self,
            where=f"{self.where}, board {spec.id}",
            id=spec.id,
            title=spec.title,
            metrics=spec.metrics,
            datasets={dataset: self.boards.dataset(dataset).label for dataset in spec.datasets},
            data=assembled.data,
            varied=sampled(assembled, self.store),
            weights=dict(assembled.metric_weights),
            dataset_weights=dict(assembled.dataset_weights),
            presets={preset.name: dict(preset.weights) for preset in spec.presets},
            doubts={model: Doubts.of(entry) for model, entry in assembled.entries.items()},
        )

    def results(self, board: str, dataset: str) -> dict[str, ResultNumbers]:
        """What a board's models scored on one of its datasets, people left out."""
        return {
            model: (
                {name: score.value for name, score in result.scores.items()},
                {
                    "provenance": result.provenance,
                    "source": result.source.citation if result.source else None,
                    "revision": result.dataset.revision,
                },
            )
            for model, result in self._of(board, dataset).items()
        }

    def _of(self, board: str, dataset: str) -> Mapping[str, Result]:
        """The results of a board's models on a dataset, a score among the numbers where the board has one."""
        spec = self._spec(board)
        own = [one for one in self._results if self.boards.holds(spec, one)]
        has_score = any(metric.name == SCORE for metric in spec.metrics)
        mains = main_metrics(list(map(self.boards.dataset, spec.datasets)), own) if has_score else {}
        return {
            one.model.id: with_score(one, mains.get(dataset))
            for one in own
            if one.dataset.id == dataset and one.provenance != "human"
        }

    def predictions(self, board: str, model: str, dataset: str) -> tuple[PredictionSet, Examples | None]:
        """What a model answered, and the examples as far as they are kept."""
        found = self._of(board, dataset)
        check_there(f"{self.where}, board {board}, dataset {dataset}", "model", [model], found)
        own = self.store.predictions(found[model])
        return own, self.store.examples(own.task, own.dataset, own.dataset_revision)

    def dataset(self, dataset: str) -> Dataset:
        """A dataset with its texts and right answers."""
        known = {spec.id: spec for spec in self.boards.datasets if spec.readable}
        check_there(self.where, "dataset", [dataset], known)
        # From now on metrics that ask a network read the weights that this file names.
        use_checkpoints(self.boards.checkpoints, self.path.parent)
        return read_dataset(dataset_source(known[dataset], self.data))


def results_frame(path: str | Path) -> pd.DataFrame:
    """Every number under a folder of results: one row for each result and metric, all metrics included.

    ``value`` is in ``unit``, by ``version`` of the metric; ``standard_error`` is that of a reported number,
    ``interval_low`` and ``interval_high`` those of an estimate of people. Timings of different ``machine`` do
    not compare. A result without numbers has one row whose ``metric`` is missing. Raises `UserError` for a
    folder without results, and for the first file that is none.
    """
    store = Store(Path(path))
    paths = store.paths()
    if not paths:
        fix = "give the folder that board.toml names in results"
        raise UserError(path, "has no results (TASK/DATASET/MODEL.json)", fix)
    frame = pd.DataFrame([row for file in paths for row in _rows(file, store.load(file))])
    frame["created"] = pd.to_datetime(frame["created"], utc=True)
    numbers = ("value", "standard_error", "interval_low", "interval_high")
    return frame.astype({**dict.fromkeys(numbers, "float64"), "examples": "Int64"})


def _rows(file: Path, result: Result) -> Iterator[dict[str, Any]]:
    measurement = result.measurement
    scores: list[tuple[str | None, Score | None]] = [*result.scores.items()]
    for metric, score in scores or [(None, None)]:
        low, high = (score.interval if score else None) or (None, None)
        yield {
            "task": result.task,
            "dataset": result.dataset.id,
            "model": result.model.id,
            "label": result.model.label,
            "status": result.status,
            "metric": metric,
            "value": score.value if score else None,
            "unit": score.unit if score else None,
            "version": score.version if score else None,
            "standard_error": score.standard_error if score else None,
            "interval_low": low,
            "interval_high": high,
            "provenance": result.provenance,
            "source": result.source.citation if result.source else None,
            "revision": result.dataset.revision,
            "examples": result.dataset.examples,
            "machine": measurement.fingerprint.key if measurement else None,
            "noise": measurement.noise.verdict if measurement else None,
            "created": result.created,
            "file": str(file),
        }
