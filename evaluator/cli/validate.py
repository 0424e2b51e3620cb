"""``steelyard validate``: a local page on which people validate what others wrote, blind."""

from __future__ import annotations

from pathlib import Path

import click

from evaluator.cli.options import board_option, completes, data_option
from evaluator.cli.page import named_collection, port_option, serve_page


@click.command("validate")
@click.argument("name", metavar="COLLECTION", shell_complete=completes("collect"))
@port_option
@data_option
@board_option
def command(name: str, port: int, data: Path | None, board_file: Path) -> None:
    """Open a page on this machine on which people validate the tries of COLLECTION.

    Each sees the texts alone, in an order of their own, and answers, marks or flags them. Their responses
    are in collect/COLLECTION/responses beside the board file, one file each.

    \b
    Example:
      steelyard validate film-notes
    """
    from evaluator.rounds.validating import Bench

    bench = Bench(named_collection(name, board_file, data))
    try:
        serve_page("validate", port, bench.describe(), bench.routes())
    finally:
        bench.close()
