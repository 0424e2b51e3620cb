"""``steelyard init``: a new leaderboard's repository."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import click

from evaluator import __version__
from evaluator.cli.options import json_option
from evaluator.cli.printing import print_json, summarise
from evaluator.publishing.scaffolding import LICENCES, NewLeaderboard, write_repository
from evaluator.scoring.recomputed import counted

CHOICES = tuple(LICENCES)


@click.command("init")
@click.argument("directory", type=click.Path(file_okay=False, path_type=Path))
@click.option("--title", help="What the leaderboard is called.  [default: after the folder]")
@click.option("--author", help="Who keeps it, for LICENSE and CITATION.cff.  [default: git's user.name]")
@click.option(
    "--licence",
    type=click.Choice(CHOICES, case_sensitive=False),
    metavar="|".join(CHOICES),
    help=f"Of the results and pages; asked for on a terminal.  [default: {CHOICES[0]}]",
)
@click.option("--repository", metavar="OWNER/NAME", help="Where it will be on GitHub.")
@click.option(
    "--url",
    help="Where the site will be, for links with previews, feeds and citations; asked for on a terminal."
    "  [default: where GitHub Pages puts --repository]",
)
@click.option(
    "--source",
    help="Where visitors can see the board's files; asked for on a terminal."
    "  [default: --repository on GitHub, or git's remote origin]",
)
@click.option(
    "--requirement", default=f"steelyard=={__version__}", show_default=True, help="What pip installs."
)
@json_option
def command(
    directory: Path,
    title: str | None,
    author: str | None,
    licence: str | None,
    repository: str | None,
    url: str | None,
    source: str | None,
    requirement: str,
    as_json: bool,
) -> None:
    """Make a leaderboard's repository in DIRECTORY: a board with data and two models, and what GitHub needs.

    That is a check of pull requests that runs nothing of them, a comment with the changes of ranks, the
    site on GitHub Pages, a form for submissions, a licence and a citation file. Nothing is written over:
    where a file exists already, it is named and none is made.

    \b
    Examples:
      steelyard init my-leaderboard
      steelyard init my-leaderboard --title "Reviews in Welsh" --licence CC-BY-4.0 --repository me/welsh
    """
    from evaluator.scoring.results import now

    asked = sys.stdin.isatty() and not as_json
    if licence is None and asked:
        question = "Licence of the results and pages"
        licence = click.prompt(question, default=CHOICES[0], type=click.Choice(CHOICES, case_sensitive=False))
    title = title or directory.resolve().name.replace("-", " ").replace("_", " ").capitalize()
    author = author or _git_user() or f"The maintainers of {title}"
    _check({"--title": title, "--author": author, "--requirement": requirement})
    if repository is not None and not re.fullmatch(r"[\w.-]+/[\w.-]+", repository, re.ASCII):
        raise click.UsageError(f"--repository: {repository!r} is not owner/name")
    board = NewLeaderboard(title, author, licence or CHOICES[0], now()[:4], requirement, repository, url)
    if url is None and asked:
        question = "Address of the site (empty: not known yet)"
        url = click.prompt(question, default=board.pages or "", show_default=board.pages is not None) or None
    if source is None:
        source = _remote(directory) or board.shown_source
        question = "Where visitors can see its files (empty: nowhere)"
        if asked:
            source = click.prompt(question, default=source or "", show_default=source is not None) or None
    board = replace(board, url=_checked("url", url), source=_checked("source", source))
    files = write_repository(directory, board)
    if as_json:
        print_json({"directory": str(directory), "files": list(map(str, files)), "licence": board.licence})
        return
    summarise(f"{directory}: {counted(len(files), 'file')}; {board.licence}, by {author}")
    summarise(_next(directory))


def _checked(key: str, address: str | None) -> str | None:
    """An address as the board file takes it under `key` of its table ``site``."""
    from evaluator.board.file import SiteSpec

    if address is None:
        return None
    try:
        return str(getattr(SiteSpec.model_validate({key: address}), key))
    except ValueError:
        raise click.UsageError(
            f"--{key}: {address!r} is no address; give one such as https://me.org/board/"
        ) from None


def _check(given: dict[str, str]) -> None:
    for option, value in given.items():
        if not value.strip() or not value.isprintable():
            raise click.UsageError(f"{option}: {value!r} is not one line of text")


def _git_user() -> str:
    """Who commits on this machine, as far as git knows."""
    return _git("config", "user.name")


def _remote(directory: Path) -> str | None:
    """Where the remote of the folder's own repository is seen in a browser; None without such a place."""
    if not (directory / ".git").exists():
        return None
    address = _git("-C", str(directory), "config", "remote.origin.url").removesuffix(".git")
    shown = re.sub(r"^(?:ssh://)?git@([^:/]+)[:/]", r"https://\1/", address)
    return re.sub(r"//[^/@]*@", "//", shown) if shown.startswith("https://") else None


def _git(*arguments: str) -> str:
    """What git says, "" where it has nothing to say or is not there."""
    try:
        done = subprocess.run(["git", *arguments], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return ""
    return done.stdout.strip()


def _next(directory: Path) -> str:
    return f"""\
Next:
  cd {directory}
  git init --initial-branch main && git add --all && git commit --message "A new leaderboard"
  steelyard evaluate --commit
  steelyard build && steelyard serve build
Then push it to GitHub and choose Settings, Pages, Source: GitHub Actions."""
