"""Options that several commands share."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from evaluator.board import Boards

board_option = click.option(
    "--board",
    "board_file",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("board.toml"),
    show_default=True,
    help="The file that describes the boards.",
)
results_option = click.option(
    "--results",
    type=click.Path(file_okay=False, path_type=Path),
    help="Where results lie; default: what the board file says.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def results_directory(board_file: Path, boards: Boards, given: Path | None) -> Path:
    """The results directory: as given, else as board.toml says, relative to it."""
    return given if given is not None else board_file.parent / boards.results


def print_json(document: Any) -> None:
    """Print plain data as JSON; NaN and infinities are errors."""
    click.echo(json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False))
