"""``steelyard export``: a board as other tools read it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evaluator.cli.options import (
    OneOf,
    Project,
    board_of,
    check_known,
    completes,
    pairs,
    project_options,
    refuse_options_of_others,
)
from evaluator.cli.printing import print_json, summarise

if TYPE_CHECKING:
    from evaluator.exchange.hub import HubDataset
    from evaluator.exchange.tables import Exported, ExportedFiles, RankedBoard
    from evaluator.records.board import Boards, BoardSpec

#: Which options say something to which formats, besides --output; a text is printed without it.
OPTIONS: dict[str, tuple[str, ...]] = {
    "csv": (),
    "parquet": (),
    "eval-results": ("model", "metrics", "hub"),
    "model-index": ("model", "metrics", "hub"),
    "every-eval-ever": ("model", "data"),
    "croissant": ("datasets",),
}
TEXTS = ("csv", "eval-results", "model-index")
OF_ONE_MODEL = ("eval-results", "model-index")
FOLDERS = ("every-eval-ever", "croissant")


@dataclass(frozen=True)
class ExportRequest:
    """What a board is exported as, and how."""

    project: Project
    form: str
    model: str | None
    metrics: tuple[str, ...]
    datasets: tuple[str, ...]
    hub: Mapping[str, str]
    output: Path | None


@click.command("export")
@click.argument("board_id", metavar="[BOARD]", required=False, shell_complete=completes("boards"))
@click.option(
    "--format", "form", type=OneOf(list(OPTIONS)), required=True,
    help="Of the whole board: a table (csv, parquet) or documents (every-eval-ever, croissant). Of one"
    " model: metadata for its repository on the Hugging Face Hub (eval-results, model-index).",
)  # fmt: skip
@click.option(
    "--model", shell_complete=completes("models"),
    help="The id of the model, for the Hub; every-eval-ever has all models without it.",
)  # fmt: skip
@click.option(
    "--metric", "metrics", multiple=True,
    help="One for eval-results.  [default: the base metric; for model-index all but timing]",
)  # fmt: skip
@click.option(
    "--dataset", "datasets", multiple=True, shell_complete=completes("datasets"),
    help="Which datasets croissant is about.  [default: all of the board]",
)  # fmt: skip
@click.option(
    "--hub", multiple=True, callback=pairs, metavar="DATASET=ORG/NAME[#TASK]",
    help="Which dataset on the Hub one of the board is, and which task of its eval.yaml.",
)  # fmt: skip
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    help="A file to write, for every-eval-ever and croissant a folder; default: print, where it is a text.",
)
@project_options("data", "board", "results", "json")
def command(project: Project, board_id: str | None, **given: Any) -> None:
    """Write BOARD (the only one, if there is one) for other programs.

    csv has a row a model, for spreadsheets; parquet a row a number (needs steelyard[parquet]).
    every-eval-ever writes a document a model in the format of that name, version 0.3.0, and what a model
    answered to each example, where the dataset is here (--data) and may be shown. croissant describes the
    datasets' published examples, in the format Croissant 1.0.

    eval-results is a file for the folder .eval_results of a model's repository, model-index goes into the
    front matter of its README.md. Both name the board's page as the source, if the board file has [site] url.

    With --json, print which files were written and what is not in them.

    \b
    Examples:
      steelyard export sst-2 --format csv --output sst-2.csv
      steelyard export sst-2 --format every-eval-ever --data ../data --output exported
      steelyard export anli --format croissant --dataset anli-r1 --output anli-r1
      steelyard export sst-2 --format model-index --model vader
      steelyard export sst-2 --format eval-results --model vader --hub sst-2=stanfordnlp/sst2#sst2
    """
    from evaluator.exchange.tables import ranked_board

    request = ExportRequest(project, **given)
    _check_options(request)
    spec = _board(project.scoring_boards, board_id)
    board = ranked_board(spec, project.boards, project.store)
    _check_names(request, board)
    if request.form in FOLDERS:
        _write_folder(request, _files(request, board), spec)
    else:
        _write(request, board)


def _check_options(request: ExportRequest) -> None:
    refuse_options_of_others(OPTIONS, [request.form], f"--format is {request.form}")
    if request.form in OF_ONE_MODEL and not request.model:
        raise click.UsageError(f"--model: missing; {request.form} is of one model")
    if request.form == "eval-results" and len(request.metrics) > 1:
        raise click.UsageError("--metric: eval-results has one number a dataset; give one metric")
    if request.output is None and (request.form not in TEXTS or request.project.as_json):
        why = (
            "--json says what was written" if request.form in TEXTS else f"{request.form} is no text to print"
        )
        raise click.UsageError(f"--output: missing; {why}")
    output, folder = request.output, request.form in FOLDERS
    if output is not None and output.exists() and output.is_dir() != folder:
        found, wanted = ("file", "folder") if folder else ("folder", "file")
        raise click.UsageError(f"--output: {output} is a {found}; {request.form} is written to a {wanted}")


def _check_names(request: ExportRequest, board: RankedBoard) -> None:
    if request.model:
        check_known("--model", request.model, board.assembled.entries, f"it is not on {board.spec.id}")
    for option, names in (("--dataset", request.datasets), ("--hub", request.hub)):
        for name in names:
            check_known(option, name, board.spec.datasets, f"it is no dataset of {board.spec.id}")


def _board(boards: Boards, board_id: str | None) -> BoardSpec:
    if board_id is not None:
        return board_of(boards, board_id)
    if len(boards.boards) > 1:
        raise click.UsageError(f"BOARD: missing; it is one of {', '.join(one.id for one in boards.boards)}")
    return boards.boards[0]


def _files(request: ExportRequest, board: RankedBoard) -> ExportedFiles:
    if request.form == "croissant":
        from evaluator.exchange.croissant import croissant_files

        return croissant_files(board, request.datasets or board.spec.datasets)
    from evaluator.exchange.every_eval_ever import every_eval_ever

    return every_eval_ever(board, request.project.data, [request.model] if request.model else [])


def _content(request: ExportRequest, board: RankedBoard) -> tuple[bytes, tuple[str, ...]]:
    """The one file of a format, and what is not in it."""
    if request.form == "parquet":
        from evaluator.exchange.tables import board_parquet

        return board_parquet(board), ()
    if request.form == "csv":
        from evaluator.exchange.tables import board_csv

        return board_csv(board).encode(), ()
    from evaluator.exchange.hub import as_yaml, front_matter

    exported = _metadata(request, board)
    if request.form == "model-index":
        return front_matter(exported, board.rank_words(request.model or "")).encode(), exported.left_out
    return as_yaml(exported.document).encode(), exported.left_out


def _metadata(request: ExportRequest, board: RankedBoard) -> Exported:
    """One model for the Hub."""
    from evaluator.exchange.hub import HubLink, eval_results, hub_dataset, model_index

    spec, boards, model = board.spec, board.boards, request.model or ""
    places: dict[str, HubDataset] = {dataset: hub_dataset(text) for dataset, text in request.hub.items()}
    # A number's source is the board's own page; where that has no address, what the result cites.
    link = HubLink(f"{boards.site.url}{spec.id}/", board.title) if boards.site.url else None
    entry = board.assembled.entries[model]
    if request.form == "model-index":
        return model_index(entry, spec, boards, places, request.metrics, link)
    metric = request.metrics[0] if request.metrics else spec.base
    return eval_results(entry, spec, boards, places, metric, link, board.rank_words(model))


def _write_folder(request: ExportRequest, exported: ExportedFiles, spec: BoardSpec) -> None:
    folder = request.output or Path()
    if not exported.files:
        raise ValueError(
            f"board {spec.id}: nothing to export as {request.form}: {'; '.join(exported.left_out)}"
        )
    written = exported.write(folder)
    _report(request, spec, written, exported.left_out)
    if not request.project.as_json:
        summarise(f"{folder}: {len(written)} file{'s' if len(written) > 1 else ''}")


def _write(request: ExportRequest, board: RankedBoard) -> None:
    from evaluator.records.scratch import write_atomic

    content, left_out = _content(request, board)
    if request.output is None:
        click.echo(content, nl=False)
    else:
        write_atomic(request.output, content)
    _report(request, board.spec, [request.output] if request.output else [], left_out)


def _report(
    request: ExportRequest, spec: BoardSpec, written: Iterable[Path], left_out: tuple[str, ...]
) -> None:
    """What is not there, on stderr; or everything as JSON."""
    from evaluator.exchange.tables import about_file

    if request.project.as_json:
        files = [about_file(path) for path in written]
        print_json({"board": spec.id, "format": request.form, "files": files, "left_out": left_out})
        return
    for line in left_out:
        click.echo(f"left out: {line}", err=True)
