"""``steelyard collect``: people write what fools models; then it is checked, merged and frozen as a round."""

from __future__ import annotations

from pathlib import Path

import click

from evaluator.cli.options import board_option, completes, data_option
from evaluator.cli.page import asked_collection, port_option, serve_page

work_option = click.option(
    "--work",
    type=click.Path(file_okay=False, path_type=Path),
    help="Where prepared models are; default: .steelyard beside the board file.",
)


class _Opening(click.Group):
    """A group that opens the page of what is none of its commands."""

    def resolve_command(
        self, context: click.Context, arguments: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if arguments and arguments[0] in self.commands:
            return super().resolve_command(context, arguments)
        return "open", self.commands["open"], arguments


@click.group("collect", cls=_Opening)
def command() -> None:
    """Let people write what fools models, with a page on this machine; then make a round of it.

    steelyard collect COLLECTION opens the page, as steelyard collect open COLLECTION does. What they write
    is in collect/COLLECTION/tries beside the board file, one file for each writer.

    \b
    Example:
      steelyard collect film-notes
      steelyard collect check film-notes && steelyard validate film-notes
      steelyard collect merge film-notes && steelyard collect freeze film-notes --round 1
    """


@command.command("open")
@click.argument("name", metavar="COLLECTION", shell_complete=completes("collect"))
@port_option
@work_option
@data_option
@board_option
def open_(name: str, port: int, work: Path | None, data: Path | None, board_file: Path) -> None:
    """Open the page on which people write for COLLECTION, and its models answer.

    \b
    Example:
      steelyard collect open film-notes --port 8000
    """
    from evaluator.collect.loop import Loop
    from evaluator.collect.writing import Desk
    from evaluator.worker import WorkerError

    collection = asked_collection(name, board_file, data)
    try:
        loop = Loop(collection, work or board_file.parent / ".steelyard")
    except WorkerError as error:
        raise ValueError(f"collect: {name}: a model does not load: {error.message}") from None
    with loop:
        desk = Desk(collection, loop)
        try:
            serve_page("collect", port, desk.describe(), desk.routes())
        finally:
            desk.close()
