"""``steelyard build``: the static site."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from evaluator.cli.options import board_option, json_option, results_directory, results_option
from evaluator.cli.printing import note, print_json, summarise
from evaluator.rank.formats import counted

if TYPE_CHECKING:
    from site_src.generator.build import BuildReport


@click.command("build")
@click.option(
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("build"),
    show_default=True,
    help="Where the site goes.",
)
@board_option
@results_option
@click.option(
    "--work",
    type=click.Path(file_okay=False, path_type=Path),
    help="Where check --browser left copies of models; default: .steelyard beside the board file.",
)
@json_option
def command(output: Path, board_file: Path, results: Path | None, work: Path | None, as_json: bool) -> None:
    """Build the static site from the board file and the stored results.

    \b
    Example:
      steelyard build --output build
    """
    from evaluator.cli import reference
    from evaluator.records.board import load_boards
    from site_src.generator.build import build

    boards = load_boards(board_file)
    found = results_directory(board_file, boards, results)
    report = build(board_file, found, output, work=work, reference=reference.pages())
    if as_json:
        print_json({"output": str(output), **asdict(report)})
    else:
        _print(report, output, board_file, addressed=boards.site.url is not None)


def _print(report: BuildReport, output: Path, board_file: Path, addressed: bool) -> None:
    made = f"{counted(report.boards, 'board')}, {counted(report.models, 'model page')}"
    summarise(f"{output}: {made}; {counted(report.files, 'file')}, {report.size / 1e6:.1f} MB")
    if not addressed:
        note(f"{board_file} has no [site] url; no sitemap, full addresses nor pictures for links")
    for warning in report.warnings:
        note(warning)
    if not report.reduced_runtime:
        note(
            "node is not installed, which makes Python's library smaller: all of it is in the site,"
            " and the scorer starts later"
        )
