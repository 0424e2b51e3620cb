"""``steelyard export``: a board as other tools read it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from evaluator.cli.import_results import pairs
from evaluator.cli.options import (
    board_of,
    board_option,
    check_known,
    checked_link,
    completes,
    results_directory,
    results_option,
)

if TYPE_CHECKING:
    from evaluator.board import Assembled, Boards, BoardSpec
    from evaluator.interchange.hub import Exported, HubDataset


@click.command("export")
@click.argument("board_id", metavar="[BOARD]", required=False, shell_complete=completes("boards"))
@click.option(
    "--format", "form", type=click.Choice(["csv", "eval-results", "model-index"]), required=True,
    help="A table of all models, or one model's numbers for its repository on the Hugging Face Hub.",
)  # fmt: skip
@click.option(
    "--model", shell_complete=completes("models"), help="The id of the model, for all formats but csv."
)
@click.option(
    "--metric", "metrics", multiple=True,
    help="One for eval-results.  [default: the base metric; for model-index all but timing]",
)  # fmt: skip
@click.option(
    "--hub", multiple=True, callback=pairs, metavar="DATASET=ORG/NAME[#TASK]",
    help="Which dataset on the Hub one of the board is, and which task of its eval.yaml.",
)  # fmt: skip
@click.option(
    "--page",
    callback=checked_link,
    help="The address of a page to name as the source; default: what a result cites.",
)
@click.option(
    "--output", type=click.Path(dir_okay=False, path_type=Path), help="A file to write; default: print."
)
@board_option
@results_option
def command(
    board_id: str | None,
    form: str,
    model: str | None,
    metrics: tuple[str, ...],
    hub: dict[str, str],
    page: str | None,
    output: Path | None,
    board_file: Path,
    results: Path | None,
) -> None:
    """Write BOARD (the only one, if there is one) for spreadsheets and pandas, or for the Hugging Face Hub.

    csv has all models with ranks and scores at the board's own weights. eval-results is a file for the folder
    .eval_results of a model's repository, model-index goes into the front matter of its README.md.

    \b
    Examples:
      steelyard export sst-2 --format csv --output sst-2.csv
      steelyard export sst-2 --format model-index --model vader
      steelyard export sst-2 --format eval-results --model vader --hub sst-2=stanfordnlp/sst2#sst2
    """
    from evaluator.board import load_boards
    from evaluator.scoring.floor import assemble_floored
    from evaluator.scratch import write_atomic
    from evaluator.store import Store

    _check_options(form, model, metrics, hub, page)
    boards = load_boards(board_file)
    board = _board(boards, board_id)
    store = Store(results_directory(board_file, boards, results))
    found = [result for dataset in board.datasets for result in store.results_on(board.task, dataset)]
    assembled = assemble_floored(board, boards, store, found)
    if not assembled.entries:
        raise ValueError(f"board {board.id} has no results in {store.root}; run: steelyard evaluate")
    if form == "csv":
        text = _csv(assembled)
    else:
        text = _metadata(assembled, boards, form, model or "", metrics, hub, page)
    if output is None:
        click.echo(text.encode("utf-8"), nl=False)
    else:
        write_atomic(output, text.encode("utf-8"))


def _check_options(
    form: str, model: str | None, metrics: tuple[str, ...], hub: Mapping[str, str], page: str | None
) -> None:
    if form == "csv" and (model or metrics or hub or page):
        raise click.UsageError(
            "--model, --metric, --hub and --page: are not for csv, which has all of a board"
        )
    if form != "csv" and not model:
        raise click.UsageError(f"--model: missing; {form} is of one model")
    if form == "eval-results" and len(metrics) > 1:
        raise click.UsageError("--metric: eval-results has one number a dataset; give one metric")
    if page is not None and not page.startswith(("https://", "http://")):
        raise click.UsageError(f"--page: {page!r} is no address; write it with https://")


def _board(boards: Boards, board_id: str | None) -> BoardSpec:
    if board_id is not None:
        return board_of(boards, board_id)
    if len(boards.boards) > 1:
        raise click.UsageError(f"BOARD: missing; it is one of {', '.join(one.id for one in boards.boards)}")
    return boards.boards[0]


def _csv(assembled: Assembled) -> str:
    from evaluator.dynascore import Board
    from evaluator.interchange.table import board_csv

    ranking = Board.from_dict(assembled.data).rank(assembled.metric_weights, assembled.dataset_weights)
    return board_csv(assembled, ranking)


def _metadata(
    assembled: Assembled,
    boards: Boards,
    form: str,
    model: str,
    metrics: tuple[str, ...],
    hub: Mapping[str, str],
    page: str | None,
) -> str:
    """YAML of one model; stderr says what is left out."""
    from evaluator.interchange.hub import Link, as_yaml, eval_results, model_index

    board, entries = assembled.board, assembled.entries
    check_known("--model", model, entries, f"it is not on {board.id}")
    places, link = _places(board, hub), Link(page, f"{boards.title}: {board.title}") if page else None
    exported: Exported
    if form == "eval-results":
        metric = metrics[0] if metrics else board.base
        exported = eval_results(entries[model], board, boards, places, metric, link)
    else:
        exported = model_index(entries[model], board, boards, places, metrics, link)
    for line in exported.left_out:
        click.echo(f"left out: {line}", err=True)
    return as_yaml(exported.document)


def _places(board: BoardSpec, hub: Mapping[str, str]) -> dict[str, HubDataset]:
    from evaluator.interchange.hub import hub_dataset

    for dataset in hub:
        check_known("--hub", dataset, board.datasets, f"it is no dataset of {board.id}")
    return {dataset: hub_dataset(text) for dataset, text in hub.items()}
