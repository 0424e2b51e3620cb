"""What `collect` and `validate` share: the collection that was named, and the page on this machine."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from evaluator.rounds.collection import Collection
    from evaluator.rounds.server import Routes

port_option = click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="The port of the page.  [default: a free one]"
)


def named_collection(name: str, board_file: Path, data: Path | None) -> Collection:
    """The collection of that name. Raises `UserError` that suggests one, and `UserError`."""
    from evaluator.rounds.collection import open_collection
    from evaluator.score.reading import read_boards

    boards = read_boards(board_file)
    root = board_file.parent
    return open_collection(boards, name, root, data or root / boards.data)


def serve_page(page: str, port: int, state: Mapping[str, Any], routes: Routes) -> None:
    """Serve a local page, print its address, and go on until interrupted.

    Raises `click.UsageError` if the port is taken.
    """
    import site_src
    from evaluator.rounds.server import PageServer, page_files

    files = page_files(Path(site_src.__path__[0]), page)
    try:
        opened = PageServer(port, files, state, routes)
    except OSError as error:
        raise click.UsageError(f"--port {port}: {error.strerror}; --port 0 takes a free one") from None
    with opened as server, suppress(KeyboardInterrupt):
        click.echo(f"Open {server.address} (stop with Ctrl-C)")
        server.serve_forever()
