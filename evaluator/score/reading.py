"""From a board file to what reads its datasets and its metrics' weights."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from evaluator.data.datasets import DatasetSource
from evaluator.records.board import Boards, CheckpointSpec, DatasetSpec, ModelSpec
from evaluator.records.errors import UserError
from evaluator.score.metrics import Checkpoint, use_checkpoints


def dataset_source(spec: DatasetSpec, data: Path) -> DatasetSource:
    """How to read a dataset of the board file. Raises `UserError` if it does not say."""
    if spec.format is None:
        raise UserError(f"dataset {spec.id}: has no format; give path and format in board.toml")
    return DatasetSource(
        id=spec.id,
        task=spec.task,
        path=None if spec.path is None else data / spec.path,
        format=spec.format,
        columns=spec.columns,
        label_map=spec.label_map,
        labels=spec.labels,
        sha256=spec.sha256,
        options=spec.options,
        tags=spec.all_tags,
        cluster=spec.cluster,
    )


def training_source(boards: Boards, model: ModelSpec, data: Path) -> DatasetSource | None:
    """How to read what a model is trained on, all of it together; None if it is not. Raises `UserError`."""
    sources = [dataset_source(boards.dataset(name), data) for name in model.train]
    return replace(sources[0], also=tuple(sources[1:])) if sources else None


def use_weights(checkpoints: Iterable[CheckpointSpec], root: Path) -> None:
    """Metrics read these weights, whose paths start at `root`, and no others. Raises `UserError`."""
    use_checkpoints(
        Checkpoint(one.metric, root / one.path if one.path else None, one.model, one.revision, one.options)
        for one in checkpoints
    )
