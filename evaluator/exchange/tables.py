"""A board to export: its cells, its ranking at its own weights, how sure that is; and the board as a table.

`board_csv` (RFC 4180) has a row a model, for people with a spreadsheet and for pandas; `board_parquet` a row
a number. Every export gives a document or files and what of the board is not in them.
"""

from __future__ import annotations

import csv
import datetime
import hashlib
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluator.rank.dynascore import Board, Question, Ranking
from evaluator.rank.formats import not_formula
from evaluator.rank.rank_sets import Certainty
from evaluator.rank.significance import CONFIDENCE
from evaluator.records.board import Assembled, Boards, BoardSpec, MetricSpec
from evaluator.records.board.score import SCORE, MainMetric
from evaluator.records.errors import UserError
from evaluator.records.result import Result
from evaluator.records.scratch import write_atomic
from evaluator.records.store import Store
from evaluator.score.certainty import (
    BoardRankSets,
    assemble_board,
    board_rank_sets,
    board_results,
    sampled,
    target_of,
)
from evaluator.score.inputs import GivenInputs, outdated_results


@dataclass(frozen=True)
class RankedBoard:
    """A board of a board file with its stored results, ranked."""

    boards: Boards
    assembled: Assembled
    ranking: Ranking
    rank_sets: BoardRankSets
    store: Store

    @property
    def spec(self) -> BoardSpec:
        """Its table in the board file."""
        return self.assembled.board

    @property
    def title(self) -> str:
        """The site's and the board's: ``Steelyard: SST-2``."""
        return f"{self.boards.title}: {self.spec.title}"

    @property
    def ranked(self) -> int:
        """How many of its models have a rank."""
        return sum(row.rank is not None for row in self.ranking.rows)

    def stale_words(self, model: str) -> str:
        """Which of its results are of other inputs than those of now, and why; empty where none is."""
        return "; ".join(map(str, self.assembled.entries[model].outdated))

    def metrics_on(self, dataset: str) -> dict[str, MetricSpec]:
        """The metrics that a dataset has on the board, with the one that a score is made of in its place."""
        main = self.assembled.mains.get(dataset)
        found: dict[str, MetricSpec] = {}
        for metric in self.spec.metrics:
            if main is not None and metric.name == SCORE != main.name:
                metric = self.boards.metric_of(dataset, main.name) or self._spec_of(main)
            found.setdefault(metric.name, metric)
        return found

    def _spec_of(self, main: MainMetric) -> MetricSpec:
        """The column of a metric that no board has one of."""
        results = [entry.results.get(main.dataset) for entry in self.assembled.entries.values()]
        units = [one.scores[main.name].unit for one in results if one and main.name in one.scores]
        lower: dict[str, Any] = {"direction": "lower", "cap": "max"} if main.factor < 0 else {}
        return MetricSpec(name=main.name, label=main.name, unit=next(iter(units), ""), **lower)

    def words(self, model: str) -> str:
        """Its rank, and which of its results are stale."""
        return "; ".join(filter(None, [self.rank_words(model), self.stale_words(model)]))

    def set_from(self, model: str) -> str:
        """What a model's rank set is from; empty where it has none."""
        if self.rank_sets.sets[model] is None:
            return ""
        source = self.rank_sets.source(model)
        return (
            source
            if model in self.rank_sets.published
            else ", ".join(["from examples", *filter(None, [source])])
        )

    def rank_words(self, model: str) -> str:
        """``rank 2 (95 % set 1-3) of 6 on Steelyard: SST-2``; empty for a model without a rank."""
        rank = next((row.rank for row in self.ranking.rows if row.model == model), None)
        if rank is None:
            return ""
        found = self.rank_sets.sets[model]
        known = (
            f"{100 * self.rank_sets.confidence:.4g} % set {found[0]}-{found[1]}" if found else "set unknown"
        )
        known += f" {source}" if (source := self.rank_sets.source(model)) else ""
        return f"rank {rank} ({known}) of {self.ranked} on {self.title}"


def ranked_board(
    spec: BoardSpec, boards: Boards, store: Store, given: GivenInputs | None = None
) -> RankedBoard:
    """The board at its own weights, its results marked that are of other inputs than `given`.

    Raises `UserError` without results, and at a bad one.
    """
    found = board_results(spec, boards, store)
    outdated = outdated_results(found, given) if given else ()
    assembled = assemble_board(spec, boards, store, found, outdated)
    if not assembled.entries:
        raise UserError(f"board {spec.id} has no results in {store.root}; run: steelyard evaluate")
    board = Board.from_dict(assembled.data)
    question = Question(assembled.metric_weights, assembled.dataset_weights)
    certainty = Certainty.from_dict(board, sampled(assembled, store))
    rank_sets = board_rank_sets(certainty, question, board.columns(question), CONFIDENCE)
    return RankedBoard(boards, assembled, board.ranking(question), rank_sets, store)


@dataclass(frozen=True)
class Exported:
    """A document in plain data, and which numbers of the model are not in it and why."""

    document: Any
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True)
class ExportedFiles:
    """The bytes of files by their paths in a folder, and what is not in them and why."""

    files: Mapping[str, bytes]
    left_out: tuple[str, ...] = ()

    def write(self, folder: Path) -> list[Path]:
        """Write all of them under `folder`, which is made if need be; each appears whole or not at all."""
        paths = [folder / name for name in self.files]
        for path, content in zip(paths, self.files.values(), strict=True):
            write_atomic(path, content)
        return paths


def about_file(path: Path) -> dict[str, Any]:
    """A file that was written: its path, bytes and SHA-256, as plain data."""
    content = path.read_bytes()
    return {"path": str(path), "bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}


def board_csv(ranked: RankedBoard) -> str:
    """The models of a board in the order of their ranks; people, who are never ranked, are left out.

    Columns: rank, the best and the worst rank that a model may hold at 95 %, why these are unknown or what
    they are from, model,
    label, provenance, dynascore; for each metric its name (the mean over the scoring datasets) and
    ``contribution/<metric>``; ``<dataset>/<metric>`` for all datasets, also those that do not count for
    ranking; sources, and reasons for empty cells and stale numbers; then what is the same in every row.
    Numbers are in the board's units and full precision, a missing one is an empty cell. A text that a
    spreadsheet would take for a formula has an apostrophe before it.
    """
    assembled, rank_sets = ranked.assembled, ranked.rank_sets
    board, data = assembled.board, assembled.data
    names = [metric.name for metric in board.metrics]
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    ranks = [
        "rank",
        "best_rank",
        "worst_rank",
        "rank_set_unknown",
        "rank_set_from",
        "model",
        "label",
        "provenance",
        "dynascore",
    ]
    means = [column for name in names for column in (name, f"contribution/{name}")]
    cells = [f"{dataset}/{name}" for dataset in board.datasets for name in names]
    ends = ["sources", "reasons", "board", "results_of", "metric_weights", "dataset_weights"]
    trades = ranked.ranking.trades
    ends += [] if trades is None else ["trades"]
    writer.writerow([*ranks, *means, *cells, *ends])
    weights = [
        not_formula(" ".join(f"{name}={weight!r}" for name, weight in given.items()))
        for given in (assembled.metric_weights, assembled.dataset_weights)
    ]
    if trades is not None:
        weights.append(not_formula("; ".join(f"{name}={amount}" for name, amount in trades.items())))
    for row in ranked.ranking.rows:
        entry, place = assembled.entries[row.model], data["models"].index(row.model)
        cited = [result.source for result in entry.results.values() if result.source]
        writer.writerow(
            [
                row.rank,
                *(rank_sets.sets[row.model] or ("", "")),
                not_formula(rank_sets.reasons.get(row.model, "")),
                ranked.set_from(row.model),
                not_formula(entry.id),
                not_formula(entry.label),
                _joined(result.provenance for result in entry.results.values()),
                row.dynascore,
                *(value for name in names for value in (row.values.get(name), row.contributions.get(name))),
                *(data["values"][dataset][name][place] for dataset in board.datasets for name in names),
                _joined(" ".join(filter(None, [source.citation, source.link])) for source in cited),
                not_formula("; ".join([*entry.failures, *entry.kept_apart, *map(str, entry.outdated)])),
                not_formula(board.id),
                assembled.timestamp or "",
                *weights,
            ]
        )
    return text.getvalue()


def _joined(texts: Iterable[str]) -> str:
    return not_formula("; ".join(dict.fromkeys(texts)))


#: The columns: name, type by its name in pyarrow, and what it is, which the file keeps beside the column.
COLUMNS = (
    ("model", "string", "id of the model"),
    ("label", "string", "name of the model for people"),
    ("rank", "int32", "at the board's own weights; null: not ranked"),
    ("best_rank", "int32", "the best rank that the model may hold, see confidence; null: unknown"),
    ("worst_rank", "int32", "the worst rank that the model may hold; null: unknown"),
    ("rank_set_unknown", "string", "why best and worst rank are unknown"),
    (
        "rank_set_from",
        "string",
        "what they are from: examples, or published numbers, and given which numbers; null: unknown",
    ),
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
    ("stale", "string", "why the result is of other inputs than those of now; null: it is not known to be"),
    ("tool", "string", "name and version of what wrote the result"),
    ("created", "timestamp", "when the result was made, in UTC"),
)  # fmt: skip


def board_parquet(board: RankedBoard) -> bytes:
    """One row for each model, dataset and metric of a board, and one for the mean over its datasets.

    What holds for the whole table is in the file's metadata under ``steelyard``, as JSON: board, weights,
    exchange rates, and what rank sets are about. Raises `UserError` where pyarrow is missing.
    """
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        fix = "pip install 'steelyard[parquet]'"
        raise UserError(f"--format parquet: pyarrow cannot be imported ({error}); {fix}") from error
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
        **({} if board.ranking.trades is None else {"trades": board.ranking.trades}),
        "exchange_rates": {name: rate.rate for name, rate in board.ranking.exchange_rates.items()},
        "confidence": board.rank_sets.confidence,
        "rank_sets_about": target_of(board.ranking.by),
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
        best, worst = board.rank_sets.sets[row.model] or (None, None)
        model = {
            "model": row.model,
            "label": entry.label,
            "rank": row.rank,
            "best_rank": best,
            "worst_rank": worst,
            "rank_set_unknown": board.rank_sets.reasons.get(row.model),
            "rank_set_from": board.set_from(row.model) or None,
            "dynascore": row.dynascore,
        }
        for metric in board.spec.metrics:
            name = metric.name
            about = {**model, "metric": name, "unit": metric.unit, "direction": metric.direction}
            yield {**about, "value": row.values.get(name), "contribution": row.contributions.get(name)}
            for dataset, result in entry.results.items():
                if name in result.scores:
                    yield about | _number(board, metric, dataset, result)


def _number(board: RankedBoard, metric: MetricSpec, dataset: str, result: Result) -> dict[str, Any]:
    data, measurement, score = board.assembled.data, result.measurement, result.scores[metric.name]
    cell = data["values"][dataset][metric.name][data["models"].index(result.model.id)]
    outdated = board.assembled.entries[result.model.id].outdated
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
        "stale": next((one.why for one in outdated if one.dataset == dataset), None),
        "tool": result.tool,
        "created": datetime.datetime.fromisoformat(result.created),
    }
