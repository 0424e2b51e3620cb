"""``steelyard build``, ``serve`` and ``publish``: the site made, previewed, and pushed to a branch."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from evaluator import __version__
from evaluator.cli.options import (
    ExistingPath,
    Project,
    board_of,
    completes,
    json_option,
    project_options,
    refuse_options_of_others,
)
from evaluator.cli.printing import note, print_json, report, summarise
from evaluator.rank.formats import counted
from evaluator.records.errors import printable

if TYPE_CHECKING:
    from evaluator.records.board import BoardSpec


@click.command("build")
@click.argument("board_id", metavar="[BOARD]", required=False, shell_complete=completes("boards"))
@click.option(
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("build"),
    show_default=True,
    help="Where the site goes.",
)
@click.option(
    "--single",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write BOARD as one HTML file instead, which ranks anew when it is opened from disk.",
)
@project_options("data", "board", "results", "work", "json")
def build_command(project: Project, board_id: str | None, output: Path, single: Path | None) -> None:
    """Build the static site from the board file and the stored results.

    Results of other inputs than the board file, its folders and its data (--data) give now are marked as
    stale.

    \b
    Examples:
      steelyard build --output build
      steelyard build sst-2 --single report.html
    """
    from site_src.generator.build import build, build_single

    results = project.store.root
    if single is not None:
        refuse_options_of_others({"a site": ("output", "work")}, (), "--single makes one file")
        board = _single_board(project, board_id)
        built = build_single(project.board_file, board, results, single, data=project.data)
        made = f"{printable(board.title)}, {counted(built.models, 'model')}"
    elif board_id is not None:
        raise click.UsageError(
            f"BOARD {board_id!r}: a site has all boards; leave it out, or add --single FILE"
        )
    else:
        built = build(
            project.board_file,
            results,
            output,
            work=project.work,
            data=project.data,
            with_method=True,
        )
        made = f"{counted(built.boards, 'board')}, {counted(built.models, 'model page')}"
        made += f"; {counted(built.files, 'file')}"
    if project.as_json:
        print_json({**asdict(built), "output": str(built.output)})
        return
    summarise(f"{built.output}: {made}, {built.size / 1e6:.1f} MB")
    if project.boards.site.url is None:
        without = "links to other pages" if single else "sitemap, full addresses nor pictures for links"
        note(f"{project.board_file} has no [site] url; no {without}")
    for warning in built.warnings:
        note(warning)
    if not built.reduced_runtime:
        where = "file" if single else "site"
        note(
            f"node is not installed, which makes Python's library smaller: all of it is in the {where},"
            " and the scorer starts later"
        )


def _single_board(project: Project, board_id: str | None) -> BoardSpec:
    """The board of that id, or the only one there is. Raises `click.UsageError`."""
    boards = project.boards
    if board_id is not None:
        return board_of(boards, board_id)
    if len(boards.boards) > 1:
        ids = ", ".join(board.id for board in boards.boards)
        raise click.UsageError(f"which board? One file holds one; name it before --single: {ids}")
    return boards.boards[0]


@click.command("serve")
@click.argument("directory", type=click.Path(file_okay=False, path_type=Path), default=Path("build"))
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="0: any free port."
)
def serve_command(directory: Path, port: int) -> None:
    """Serve a built site (default: build) on this machine only; stop with Ctrl-C.

    \b
    Example:
      steelyard serve --port 8000
    """
    from site_src.generator.serve import serve

    if not (directory / "index.html").is_file():
        raise click.UsageError(f"{directory} holds no built site; run: steelyard build --output {directory}")
    try:
        serve(directory, port, "/steelyard/")
    except OSError as error:
        raise click.UsageError(f"--port {port}: {error.strerror}; --port 0 takes a free one") from None


@click.command("publish")
@click.argument("directory", type=ExistingPath(file_okay=False), default=Path("build"))
@click.option("--branch", default="gh-pages", show_default=True, help="The branch that Pages shows.")
@click.option("--remote", default="origin", show_default=True, help="A remote's name or address.")
@json_option
def publish_command(directory: Path, branch: str, remote: str, as_json: bool) -> None:
    """Commit a built site (default: build) to a branch and push it.

    The working tree, the index, HEAD and local branches stay as they are, also with changes that are not
    committed. If the remote has moved on, the new commit follows what is there; nothing is forced. Published
    snapshots never change: a build that lacks one, or has other bytes for it, is refused.

    \b
    Examples:
      steelyard build && steelyard publish
      steelyard publish site --branch pages --remote upstream
    """
    from evaluator.publish.branch import Target, publish
    from evaluator.records.git import Repository
    from site_src.generator.output import MARKER

    target = Target(remote, branch)
    message = f"Publish the site\n\nBuilt by steelyard {__version__}."
    done = publish(Repository(Path()), directory, MARKER, target, message)
    files = counted(done.files, "file")
    line = f"nothing to publish: {target} is this site already ({files})"
    if done.commit is not None:
        what = f"{done.added} new, {done.changed} changed, {done.removed} removed"
        line = f"{target}: published {files} ({what}) as {done.commit[:12]}"
    report(as_json, {"target": str(target), **asdict(done)}, [line])
