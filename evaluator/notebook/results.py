"""All results of a folder as one frame."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evaluator.notebook.packages import required
from evaluator.records.errors import UserError
from evaluator.records.result import Result, Score
from evaluator.records.store import Store

if TYPE_CHECKING:
    from pandas import DataFrame

#: Of columns that may have no number at all.
KINDS = {
    "value": "float64",
    "standard_error": "float64",
    "interval_low": "float64",
    "interval_high": "float64",
    "examples": "Int64",
}


def results_frame(path: str | Path) -> DataFrame:
    """Every number under a folder of results: one row for each result and metric, all metrics included.

    ``value`` is in ``unit``, by ``version`` of the metric; ``standard_error`` is that of a reported number,
    as its source gives it, and ``interval_low`` and ``interval_high`` are those of an estimate of people.
    ``provenance``, ``source``, ``revision`` (of the dataset), ``machine`` (timings of different ones do not
    compare), ``noise`` (the verdict on the timing), ``created`` and ``file`` say where it comes from. A
    result without numbers, such as a failed one, has one row whose ``metric`` is missing. Raises
    `evaluator.records.store.UserError` for a folder without results, and for the first file that is none.
    """
    store = Store(Path(path))
    paths = store.paths()
    if not paths:
        fix = "give the folder that board.toml names in results"
        raise UserError(f"{path}: has no results (TASK/DATASET/MODEL.json); {fix}")
    rows = [row for file in paths for row in _rows(file, store.load(file))]
    frame = required("pandas").DataFrame(rows)
    frame["created"] = required("pandas").to_datetime(frame["created"], utc=True)
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
