"""The compare page's data: what it shows of all models, and files fetched for the chosen ones only."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evaluator.records.datasets import Examples
from evaluator.records.result import Result
from evaluator.records.store import Store
from site_src.generator.datasets import DatasetView
from site_src.generator.pages.board import BoardView
from site_src.generator.pages.dataset import examples_of
from site_src.generator.pages.examples import predictions_file
from site_src.generator.table import RowView
from site_src.generator.urls import answers_file, dataset_file, hashed

if TYPE_CHECKING:
    from site_src.generator.site import Site


@dataclass(frozen=True)
class ComparePage:
    """`island` is what the page knows from the start, `files` what is under the board's `predictions/`.

    The files are the store's own, byte for byte, under names with a hash; one more for every model
    lists its files and its scores by tag.
    """

    island: dict[str, Any] = field(repr=False)
    files: Mapping[str, Path | bytes] = field(repr=False)


@dataclass(frozen=True)
class KeptExamples:
    """The examples of one dataset, as the store keeps them; `name` is their file's under ``predictions/``."""

    dataset: DatasetView
    examples: Examples
    path: Path
    name: str


def compare_page(board: BoardView, store: Store) -> ComparePage:
    """Lay out what the models of a board are compared by. Raises `UserError` at a bad file of examples."""
    kept = kept_examples(board, store)
    files: dict[str, Path | bytes] = {found.name: found.path for found in kept.values()}
    details = {}
    for row in board.rows:
        known, own = _details(board, row.entry.results.values(), kept, store)
        if any(known.values()):
            content = json.dumps(known, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
            details[row.entry.id] = name = hashed(row.entry.id, content)
            files |= {**own, name: content}
    return ComparePage(_island(board, kept, details), files)


def kept_examples(board: BoardView, store: Store) -> dict[str, KeptExamples]:
    """By dataset, a board's examples where they are kept. Raises `UserError` at a bad file."""
    return {dataset.spec.id: found for dataset in board.datasets if (found := _stored(board, dataset, store))}


def answer_names(
    board: BoardView, row: RowView, kept: Mapping[str, KeptExamples], store: Store
) -> dict[str, str]:
    """By dataset, the name under ``predictions/`` of what a model answered to the `kept` examples."""
    found = _published_answers(board, row.entry.results.values(), kept, store)
    return {dataset: name for dataset, (name, _) in found.items()}


def _published_answers(
    board: BoardView, results: Iterable[Result], kept: Mapping[str, KeptExamples], store: Store
) -> dict[str, tuple[str, Path]]:
    """By dataset, name under ``predictions/`` and place of a model's answers to the `kept` examples."""
    return {
        result.dataset.id: (answers_file(result), path)
        for result in results
        if _is_current(board, result)
        and result.dataset.id in kept
        and result.predictions
        and (path := predictions_file(store, result))
    }


def _is_current(board: BoardView, result: Result) -> bool:
    """Whether a result is about the examples that the board's are."""
    revisions = {dataset.spec.id: dataset.revision for dataset in board.datasets}
    return result.provenance == "reported" or result.dataset.revision == revisions[result.dataset.id]


def _stored(board: BoardView, dataset: DatasetView, store: Store) -> KeptExamples | None:
    examples = examples_of(board, dataset, store)
    if examples is None:
        return None
    path = store.record_path(examples)
    return KeptExamples(dataset, examples, path, dataset_file(examples.dataset, "examples", path))


def _details(
    board: BoardView, results: Iterable[Result], kept: Mapping[str, KeptExamples], store: Store
) -> tuple[dict[str, Any], dict[str, Path | bytes]]:
    """A model's scores by tag and the names of its predictions, and where these predictions are."""
    own = list(results)
    answers = _published_answers(board, own, kept, store)
    tags = {
        result.dataset.id: {tag: _values(result, tag) for tag in result.tags}
        for result in own
        if result.tags and _is_current(board, result)
    }
    names = {dataset: name for dataset, (name, _) in answers.items()}
    return {"tags": tags, "predictions": names}, dict(answers.values())


def _values(result: Result, tag: str) -> dict[str, Any]:
    return {value: [scored.examples, scored.scores] for value, scored in result.tags[tag].items()}


def _island(board: BoardView, kept: Mapping[str, KeptExamples], details: Mapping[str, str]) -> dict[str, Any]:
    data = board.assembled.data
    return {
        "columns": [{"colour": column.colour, "unit": column.spec.unit} for column in board.columns],
        "datasets": [_island_dataset(board, dataset, kept) for dataset in board.datasets],
        "shown": {name: columns for name, columns in data["values"].items() if name not in data["datasets"]},
        "details": details,
    }


def _island_dataset(
    board: BoardView, dataset: DatasetView, kept: Mapping[str, KeptExamples]
) -> dict[str, Any]:
    found = kept.get(dataset.spec.id)
    known = {"examples": found.name, "ids": found.examples.ids_sha256} if found else {}
    ranks = dataset.spec.id in board.assembled.data["datasets"]
    return {"id": dataset.spec.id, "label": dataset.spec.label, "ranks": ranks, **known}


def write_comparison(site: Site, view: BoardView) -> None:
    """Write the page on which models are compared, and their predictions."""
    page = compare_page(view, site.store)
    site.write(f"{view.spec.id}/compare/index.html", "compare.html", 2, view=view, page=page)
    site.put_predictions(view, page.files)
