"""``steelyard export``: a board as other tools read it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

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
from evaluator.rank.formats import counted

if TYPE_CHECKING:
    from evaluator.exchange.tables import ExportedFiles, RankedBoard

#: Which options say something to which formats, besides --output; a text is printed without it.
OPTIONS: dict[str, tuple[str, ...]] = {
    "csv": ("data",),
    "parquet": ("data",),
    "eval-results": ("model", "metrics", "hub", "data"),
    "model-index": ("model", "metrics", "hub", "data"),
    "every-eval-ever": ("model", "data"),
    "croissant": ("datasets",),
}
TEXTS = ("csv", "eval-results", "model-index")
OF_ONE_MODEL = ("eval-results", "model-index")
FOLDERS = ("every-eval-ever", "croissant")


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
def command(
    project: Project,
    board_id: str | None,
    form: str,
    model: str | None,
    metrics: tuple[str, ...],
    datasets: tuple[str, ...],
    hub: dict[str, str],
    output: Path | None,
) -> None:
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
    from evaluator.exchange.tables import about_file, ranked_board
    from evaluator.records.scratch import write_atomic
    from evaluator.score.inputs import GivenInputs

    refuse_options_of_others(OPTIONS, [form], f"--format is {form}")
    if form in OF_ONE_MODEL and not model:
        raise click.UsageError(f"--model: missing; {form} is of one model")
    if form == "eval-results" and len(metrics) > 1:
        raise click.UsageError("--metric: eval-results has one number a dataset; give one metric")
    _check_output(form, output, project.as_json)
    boards = project.scoring_boards
    if board_id is None and len(boards.boards) > 1:
        raise click.UsageError(f"BOARD: missing; it is one of {', '.join(one.id for one in boards.boards)}")
    spec = board_of(boards, board_id) if board_id is not None else boards.boards[0]
    board = ranked_board(spec, boards, project.store, GivenInputs(boards, project.root, project.data))
    if model:
        check_known("--model", model, board.assembled.entries, f"it is not on {spec.id}")
    for option, names in (("--dataset", datasets), ("--hub", hub)):
        for name in names:
            check_known(option, name, spec.datasets, f"it is no dataset of {spec.id}")
    written: list[Path] = []
    if form in FOLDERS:
        folder = output or Path()
        exported = _folder(form, board, project.data, datasets or spec.datasets, model)
        if not exported.files:
            why = "; ".join(exported.left_out)
            raise ValueError(f"board {spec.id}: nothing to export as {form}: {why}")
        written, left_out = exported.write(folder), exported.left_out
    else:
        content, left_out = _content(form, board, model or "", metrics, hub)
        if output is None:
            click.echo(content, nl=False)
        else:
            write_atomic(output, content)
            written = [output]
    if project.as_json:
        files = [about_file(path) for path in written]
        print_json({"board": spec.id, "format": form, "files": files, "left_out": left_out})
        return
    for line in left_out:
        click.echo(f"left out: {line}", err=True)
    if form in FOLDERS:
        summarise(f"{folder}: {counted(len(written), 'file')}")


def _check_output(form: str, output: Path | None, as_json: bool) -> None:
    if output is None and (form not in TEXTS or as_json):
        why = "--json says what was written" if form in TEXTS else f"{form} is no text to print"
        raise click.UsageError(f"--output: missing; {why}")
    folder = form in FOLDERS
    if output is not None and output.exists() and output.is_dir() != folder:
        found, wanted = ("file", "folder") if folder else ("folder", "file")
        raise click.UsageError(f"--output: {output} is a {found}; {form} is written to a {wanted}")


def _folder(
    form: str, board: RankedBoard, data: Path, datasets: Sequence[str], model: str | None
) -> ExportedFiles:
    if form == "croissant":
        from evaluator.exchange.croissant import croissant_files

        return croissant_files(board, datasets)
    from evaluator.exchange.every_eval_ever import every_eval_ever

    return every_eval_ever(board, data, [model] if model else [])


def _content(
    form: str, board: RankedBoard, model: str, metrics: Sequence[str], hub: Mapping[str, str]
) -> tuple[bytes, tuple[str, ...]]:
    """The one file of a format, and what is not in it."""
    from evaluator.exchange.hub import as_yaml, eval_results, front_matter, hub_dataset, model_index
    from evaluator.exchange.tables import board_csv, board_parquet

    if form == "parquet":
        return board_parquet(board), ()
    if form == "csv":
        return board_csv(board).encode(), ()
    places = {dataset: hub_dataset(text) for dataset, text in hub.items()}
    if form == "model-index":
        exported = model_index(board, model, places, metrics)
        return front_matter(exported, board.words(model)).encode(), exported.left_out
    exported = eval_results(board, model, places, metrics[0] if metrics else board.spec.base)
    return as_yaml(exported.document).encode(), exported.left_out
