"""A whole board as one Parquet table: every number with its unit and where it comes from. Needs pyarrow."""

from __future__ import annotations

import datetime
import io
import json
from collections.abc import Iterator
from typing import Any

from evaluator.exchange.errors import InterchangeError
from evaluator.exchange.ranked_board import RankedBoard
from evaluator.rank.dynascore import RankingRow
from evaluator.records.board import BoardEntry, MetricSpec
from evaluator.records.result import Result
from evaluator.score.sure import TARGET

#: The columns: name, type by its name in pyarrow, and what it is, which the file keeps beside the column.
COLUMNS = (
    ("model", "string", "id of the model"),
    ("label", "string", "name of the model for people"),
    ("rank", "int32", "at the board's own weights; null: not ranked"),
    ("best_rank", "int32", "the best rank that the model may hold, see confidence; null: unknown"),
    ("worst_rank", "int32", "the worst rank that the model may hold; null: unknown"),
    ("rank_set_unknown", "string", "why best and worst rank are unknown"),
    ("dynascore", "double", "in units of the board's base metric"),
    ("dataset", "string", "id of the dataset; null: the weighted mean over the scoring datasets"),
    ("role", "string", "scoring: in the ranking; evaluation: shown, not ranked; null for the mean"),
    ("metric", "string", "name of the metric"),
    ("value", "double", "the number, in unit; null: missing"),
    ("unit", "string", "of value"),
    ("direction", "string", "higher or lower is better"),
    ("contribution", "double", "what the mean adds to dynascore; null for single datasets"),
    ("compares", "bool", "whether the number is ranked with the others of its column; null for the mean"),
    ("definition", "string", "version of the metric's definition"),
    ("provenance", "string", "measured here, predictions scored here, or reported by a source"),
    ("citation", "string", "where numbers or predictions were published"),
    ("link", "string", "of the citation"),
    ("revision", "string", "hash of the dataset's file and of how it was read"),
    ("examples", "int64", "examples that were scored"),
    ("protocol", "string", "how it was timed; null where it was not"),
    ("machine", "string", "hash of the machine and its software; timings of different ones do not compare"),
    ("noise", "string", "whether the timing can be believed: ok, suspect or invalid"),
    ("tool", "string", "name and version of what wrote the result"),
    ("created", "timestamp", "when the result was made, in UTC"),
)  # fmt: skip


def board_parquet(board: RankedBoard) -> bytes:
    """One row for each model, dataset and metric of a board, and one for the mean over its datasets.

    What holds for the whole table is in the file's metadata under ``steelyard``, as JSON: board, weights,
    exchange rates, and what rank sets are about. Raises `InterchangeError` where pyarrow is missing.
    """
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        fix = "pip install 'steelyard[parquet]'"
        raise InterchangeError(f"--format parquet: pyarrow cannot be imported ({error}); {fix}") from error
    types = {"timestamp": pyarrow.timestamp("s", tz="UTC")}
    fields = [
        pyarrow.field(name, types.get(kind) or pyarrow.type_for_alias(kind), metadata={"description": about})
        for name, kind, about in COLUMNS
    ]
    schema = pyarrow.schema(fields, metadata={"steelyard": json.dumps(_about(board))})
    content = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(list(_rows(board)), schema), content)
    return content.getvalue()


def _about(board: RankedBoard) -> dict[str, Any]:
    assembled, spec = board.assembled, board.spec
    return {
        "board": spec.id,
        "title": board.title,
        "task": spec.task,
        "results_of": assembled.timestamp,
        "base": spec.base,
        "metric_weights": assembled.metric_weights,
        "dataset_weights": assembled.dataset_weights,
        "exchange_rates": {name: rate.rate for name, rate in board.ranking.exchange_rates.items()},
        "confidence": board.sure.confidence,
        "rank_sets_about": TARGET,
        "licence": board.boards.site.licence,
        "datasets": {
            id_: board.boards.dataset(id_).model_dump(
                mode="json", include={"label", "licence", "citation", "link"}
            )
            for id_ in spec.datasets
        },
    }


def _rows(board: RankedBoard) -> Iterator[dict[str, Any]]:
    for row in board.ranking.rows:
        entry = board.assembled.entries[row.model]
        for metric in board.spec.metrics:
            about = _model(board, row, entry) | {
                "metric": metric.name, "unit": metric.unit, "direction": metric.direction,
            }  # fmt: skip
            yield about | {
                "value": row.values.get(metric.name),
                "contribution": row.contributions.get(metric.name),
            }
            for dataset, result in entry.results.items():
                if metric.name in result.scores:
                    yield about | _number(board, metric, dataset, result)


def _model(board: RankedBoard, row: RankingRow, entry: BoardEntry) -> dict[str, Any]:
    best, worst = board.sure.sets[row.model] or (None, None)
    return {
        "model": row.model,
        "label": entry.label,
        "rank": row.rank,
        "best_rank": best,
        "worst_rank": worst,
        "rank_set_unknown": board.sure.reasons.get(row.model),
        "dynascore": row.dynascore,
    }


def _number(board: RankedBoard, metric: MetricSpec, dataset: str, result: Result) -> dict[str, Any]:
    data, measurement, score = board.assembled.data, result.measurement, result.scores[metric.name]
    cell = data["values"][dataset][metric.name][data["models"].index(result.model.id)]
    return {
        "dataset": dataset,
        "role": board.boards.dataset(dataset).role,
        "value": score.value,
        "unit": score.unit,
        "compares": cell is not None,
        "definition": score.version,
        "provenance": result.provenance,
        "citation": result.source.citation if result.source else None,
        "link": result.source.link if result.source else None,
        "revision": result.dataset.revision,
        "examples": result.dataset.examples,
        "protocol": measurement.protocol if measurement else None,
        "machine": measurement.fingerprint.key if measurement else None,
        "noise": measurement.noise.verdict if measurement else None,
        "tool": result.tool,
        "created": datetime.datetime.fromisoformat(result.created),
    }
