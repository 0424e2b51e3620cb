"""``steelyard build``: the static site."""

from __future__ import annotations

from pathlib import Path

import click

from evaluator.cli.options import board_option, results_directory, results_option


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
def command(output: Path, board_file: Path, results: Path | None) -> None:
    """Build the static site from the board file and the stored results.

    \b
    Example:
      steelyard build --output build
    """
    from evaluator.board import load_boards
    from site_src.generator.build import build

    boards = load_boards(board_file)
    report = build(board_file, results_directory(board_file, boards, results), output)
    if report.unchanged:
        click.echo(f"{output}: up to date, nothing has changed")
    else:
        size = f"{report.files} files, {report.size / 1e6:.1f} MB"
        click.echo(f"{output}: {report.boards} boards, {report.models} model pages; {size}")
    if boards.site.url is None and not report.unchanged:
        click.echo(f"note: {board_file} has no [site] url; no sitemap, full addresses nor pictures for links")
    if not report.reduced_runtime:
        click.echo(
            "note: the whole of Python's library is shipped, as there is no node that makes the reduced one;"
            " the scorer starts later"
        )
