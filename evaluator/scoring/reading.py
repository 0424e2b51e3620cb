"""From a dataset of the board file to what a reader needs."""

from __future__ import annotations

from pathlib import Path

from evaluator.board import DatasetSpec
from evaluator.datasets import DatasetSource
from evaluator.scoring.errors import PlanError


def dataset_source(spec: DatasetSpec, data: Path) -> DatasetSource:
    """How to read a dataset of the board file. Raises `PlanError` if it does not say."""
    if spec.format is None:
        raise PlanError(f"dataset {spec.id}: has no format; give path and format in board.toml")
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
