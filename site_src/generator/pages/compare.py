"""The page on which models are compared."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evaluator.data.tasks.known import SCORED
from evaluator.records.board import MetricSpec
from evaluator.records.datasets import Examples
from evaluator.records.result import Result
from evaluator.records.store import Store
from site_src.generator.datasets import DatasetView
from site_src.generator.pages.board import BoardView
from site_src.generator.pages.dataset import examples_of
from site_src.generator.pages.examples import main_of, right_and_wrong
from site_src.generator.table import RowView
from site_src.generator.urls import answers_file, dataset_file, hashed

if TYPE_CHECKING:
    from site_src.generator.site import Site


@dataclass(frozen=True)
class KeptExamples:
    """The examples of one dataset, as the store keeps them; `name` is their file's under ``predictions/``."""

    dataset: DatasetView
    examples: Examples
    path: Path
    name: str


def write_comparison(site: Site, view: BoardView) -> None:
    """Write the page on which models are compared, and what it fetches for the chosen ones only.

    These files are the store's own, byte for byte, under names with a hash; one more for every model lists
    its files and its scores by tag.
    """
    kept = site.examples(view)
    files: dict[str, Path | bytes] = {found.name: found.path for found in kept.values()}
    details = {}
    for row in view.rows:
        results = row.entry.results.values()
        answers = _published_answers(view, results, kept, site.store)
        tags = {
            result.dataset.id: {
                tag: {value: [scored.examples, scored.scores] for value, scored in values.items()}
                for tag, values in result.tags.items()
            }
            for result in results
            if result.tags and _is_current(view, result)
        }
        if tags or answers:
            known = {"tags": tags, "predictions": {dataset: name for dataset, (name, _) in answers.items()}}
            content = json.dumps(known, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
            details[row.entry.id] = name = hashed(row.entry.id, content)
            files |= {**dict(answers.values()), name: content}
    ranking, values = view.assembled.data["datasets"], view.assembled.data["values"]
    island = {
        "columns": [{"colour": column.colour, "unit": column.spec.unit} for column in view.columns],
        "datasets": [
            {
                "id": dataset.spec.id,
                "label": dataset.spec.label,
                "ranks": dataset.spec.id in ranking,
                **({"examples": found.name, "ids": found.examples.ids_sha256} if found else {}),
                **_shown_values(dataset, main_of(site.boards, view, dataset), view),
            }
            for dataset in view.datasets
            for found in [kept.get(dataset.spec.id)]
        ],
        "shown": {name: columns for name, columns in values.items() if name not in ranking},
        "details": details,
    }
    site.write(f"{view.spec.id}/compare/index.html", "compare.html", 2, view=view, island=island)
    site.put_predictions(view, files)


#: By what examples are compared that some model answered several times: the share of its right answers.
RIGHT_ANSWERS = {"name": "right", "label": "Right answers", "unit": "%", "decimals": 0}


def _shown_values(dataset: DatasetView, main: MetricSpec, view: BoardView) -> dict[str, Any]:
    """By which metric values in place of answers are compared, and which of them are right and wrong."""
    if dataset.spec.task != SCORED.name:
        results = (row.entry.results.get(dataset.spec.id) for row in view.rows)
        has_runs = any(one and one.model.made_from.get("runs", 1) > 1 for one in results)
        known = has_runs and dataset.spec.show_gold
        return {"values": {"metric": RIGHT_ANSWERS, "right": None, "wrong": None}} if known else {}
    right, wrong = right_and_wrong(main) or (None, None)
    judged = any((one.dataset, one.metric.name) == (dataset.spec.id, main.name) for one in view.judges)
    label = f"{main.label} (verdicts of the judge)" if judged else main.label
    metric = {"name": main.name, "label": label, "unit": main.unit, "decimals": main.decimals}
    return {"values": {"metric": metric, "right": right, "wrong": wrong}}


def kept_examples(board: BoardView, store: Store) -> dict[str, KeptExamples]:
    """By dataset, a board's examples where they are kept. Raises `UserError` at a bad file."""
    found = {}
    for dataset in board.datasets:
        examples = examples_of(dataset, store)
        if examples is not None:
            path = store.record_path(examples)
            name = dataset_file(examples.dataset, "examples", path)
            found[dataset.spec.id] = KeptExamples(dataset, examples, path, name)
    return found


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
        and (path := store.predictions_file(result))
    }


def _is_current(board: BoardView, result: Result) -> bool:
    """Whether a result is about the examples that the board's are."""
    revisions = {dataset.spec.id: dataset.revision for dataset in board.datasets}
    return result.provenance == "reported" or result.dataset.revision == revisions[result.dataset.id]
