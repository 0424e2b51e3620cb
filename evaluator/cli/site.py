"""``steelyard build``, ``serve`` and ``publish``: the site made, previewed, and pushed to a branch."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from evaluator import __version__
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
def build_command(
    output: Path, board_file: Path, results: Path | None, work: Path | None, as_json: bool
) -> None:
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
@click.option(
    "--build",
    "folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=Path("build"),
    show_default=True,
    help="The site, as `steelyard build` made it.",
)
@click.option("--branch", default="gh-pages", show_default=True, help="The branch that Pages shows.")
@click.option("--remote", default="origin", show_default=True, help="A remote's name or address.")
@click.option("--squash", is_flag=True, help="Keep no history: one commit takes the branch's place.")
@json_option
def publish_command(folder: Path, branch: str, remote: str, squash: bool, as_json: bool) -> None:
    """Commit the built site to a branch and push it.

    The working tree, the index, HEAD and local branches stay as they are, also with changes that are not
    committed. If the remote has moved on, the new commit follows what is there; nothing is forced, unless
    --squash is given, and then only over the commit that was looked at. Published snapshots never change:
    a build that lacks one, or has other bytes for it, is refused.

    \b
    Examples:
      steelyard build && steelyard publish
      steelyard publish --branch gh-pages --squash
    """
    from evaluator.publish.branch import Target, publish
    from evaluator.records.git import Repository
    from site_src.generator.output import MARKER

    target = Target(remote, branch)
    message = f"Publish the site\n\nBuilt by steelyard {__version__}."
    done = publish(Repository(Path()), folder, MARKER, target, message, squash)
    if as_json:
        print_json({"target": str(target), **asdict(done)})
        return
    files = counted(done.files, "file")
    if done.commit is None:
        summarise(f"nothing to publish: {target} is this site already ({files})")
        return
    what = f"{done.added} new, {done.changed} changed, {done.removed} removed"
    summarise(f"{target}: published {files} ({what}) as {done.commit[:12]}")
