"""``steelyard publish``: the built site to a branch, for GitHub Pages without Actions."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from evaluator import __version__
from evaluator.cli.options import json_option
from evaluator.cli.printing import print_json, summarise
from evaluator.rank.formats import counted


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
def command(folder: Path, branch: str, remote: str, squash: bool, as_json: bool) -> None:
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
