"""``steelyard init``: a new leaderboard's repository."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evaluator.cli.logs import MadeLogs, are_logs, make_logs_board
from evaluator.cli.options import (
    ExistingPath,
    OneOf,
    json_option,
    pairs,
    refuse_options_of_others,
    source_option,
)
from evaluator.cli.printing import note, print_json, summarise
from evaluator.cli.results import MadeBoard, ResultOptions, make_board, result_options
from evaluator.publish.scaffolding import LICENCES, NewLeaderboard, board_file, write_repository
from evaluator.rank.formats import counted
from evaluator.records.git import over_https

if TYPE_CHECKING:
    from evaluator.publish.own_data import OwnData
    from evaluator.records.references import Source

CHOICES = tuple(LICENCES)
#: Options about columns, of which logs have none.
TABLES = (
    "columns", "metrics", "datasets", "lower_is_better", "higher_is_better", "units", "ranges", "leave_out",
    "missing",
)  # fmt: skip
#: The names of `evaluator.data.tasks`, which would take a while to import for a list of words.
TASK_NAMES = ("sentiment", "nli", "qa", "hate-speech", "classification", "generation")


@click.command("init")
@click.argument("directory", type=click.Path(file_okay=False, path_type=Path))
@click.argument("more", nargs=-1, metavar="", type=ExistingPath())
@click.option("--author", help="Who keeps it, for LICENSE and CITATION.cff.  [default: git's user.name]")
@click.option(
    "--licence",
    type=OneOf(CHOICES, case_sensitive=False),
    metavar="|".join(CHOICES),
    help=f"Of the results and pages; asked for on a terminal.  [default: {CHOICES[0]}]",
)
@click.option(
    "--repository",
    metavar="OWNER/NAME",
    help="Where it will be on GitHub, with its site on GitHub Pages; another address goes into board.toml.",
)
@click.option(
    "--requirement",
    help="What pip installs in its workflows.  [default: this very Steelyard, from where it came]",
)
@click.option(
    "--data",
    type=ExistingPath(dir_okay=False),
    help="Examples to begin with, a .tsv, .csv or .jsonl file; asked for on a terminal."
    "  [default: reviews to practise with]",
)
@click.option(
    "--task",
    type=OneOf(tuple(TASK_NAMES)),
    metavar="|".join(TASK_NAMES),
    help="What --data is for; asked for on a terminal.",
)
@click.option(
    "--column",
    "columns",
    multiple=True,
    metavar="FIELD=NAME",
    help="Which column of --data holds a field, label or answers, or of --results the model, dataset,"
    " example, trial, cluster, metric, value, examples or tag:NAME, where its name does not tell.",
)
@click.option(
    "--results",
    multiple=True,
    type=ExistingPath(),
    metavar="PATH...",
    help="Files or folders of results to begin with: tables of numbers by model or by example, or logs of"
    " evaluation tools.",
)
@click.option(
    "--metric", "metrics", multiple=True, callback=pairs, metavar="COLUMN=METRIC[*FACTOR]",
    help="Of results: a column, the metric that it is, and what its numbers are multiplied by.",
)  # fmt: skip
@click.option(
    "--dataset", "datasets", multiple=True, metavar="[THEIRS=]DATASET",
    help="Of results: what the dataset is called, or one that a column names.",
)  # fmt: skip
@click.option(
    "--accept-differences", is_flag=True,
    help="Of results: accept published numbers that differ from what examples imply, marked.",
)  # fmt: skip
@click.option(
    "--skip-malformed", is_flag=True,
    help="Of results: leave out logs that are broken or unfinished, each of them named.",
)  # fmt: skip
@result_options
@source_option
@json_option
def command(
    directory: Path,
    more: tuple[Path, ...],
    author: str | None,
    licence: str | None,
    repository: str | None,
    requirement: str | None,
    data: Path | None,
    task: str | None,
    columns: tuple[str, ...],
    results: tuple[Path, ...],
    metrics: dict[str, str],
    datasets: tuple[str, ...],
    accept_differences: bool,
    skip_malformed: bool,
    source: Source | None,
    as_json: bool,
    **told: Any,
) -> None:
    """Make a repository for a leaderboard in DIRECTORY: a board with data and models, and what GitHub needs.

    With --data the board is about examples of your own, whose columns and labels are found out; texts are
    not shown on its pages, unless you change that in board.toml. With --results it is about numbers that you
    have: a row a model, a number or an example; what their columns mean is found out and shown first. Without
    both there are reviews to practise with.

    That is a check of pull requests that runs nothing of them, a comment with the changes of ranks, the
    site on GitHub Pages, a form for submissions, a licence and a citation file. Nothing is written over:
    where a file exists already, it is named and none is made.

    \b
    Examples:
      steelyard init my-leaderboard
      steelyard init reviews-in-welsh --licence CC-BY-4.0 --repository me/welsh
      steelyard init my-leaderboard --task nli --data pairs.tsv --column hypothesis=claim
      steelyard init my-leaderboard --results results.csv --lower-is-better latency
    """
    from evaluator.publish.installation import this_installation
    from evaluator.score.scores import now

    asked = sys.stdin.isatty() and not as_json
    of_results = _results((*results, *more), bool(results), data)
    if data is None and asked and not of_results:
        question = "File with your examples (empty: reviews to practise with)"
        data = click.prompt(question, default="", show_default=False, value_proc=_file)
    own = _own(data, task, columns, asked) if not of_results else None
    if licence is None and asked:
        question = "Licence of the results and pages"
        licence = click.prompt(question, default=CHOICES[0], type=OneOf(CHOICES, case_sensitive=False))
    title = directory.resolve().name.replace("-", " ").replace("_", " ").capitalize()
    guessed = [name for name, said in (("--licence", licence), ("--author", author)) if said is None]
    author = author or _git("config", "user.name") or f"The maintainers of {title}"
    lines = {"DIRECTORY": title, "--author": author, "--requirement": requirement or "steelyard"}
    for what, given in lines.items():
        if not given.strip() or not given.isprintable():
            raise click.UsageError(f"{what}: {given!r} is not one line of text")
    if repository is not None and not re.fullmatch(r"[\w.-]+/[\w.-]+", repository, re.ASCII):
        raise click.UsageError(f"--repository: {repository!r} is not owner/name")
    local = False
    if requirement is None:
        installation = this_installation()
        local = installation.local
        extra = "metrics" if own is not None and own.task.name == "generation" else ""
        requirement = installation.requirement(extra)
    made: MadeBoard | MadeLogs | None = None
    if of_results:
        named = dict(_named(columns))
        options = ResultOptions(
            named, metrics, datasets, accept_differences=accept_differences, source=source, **told
        )
        if are_logs(of_results):
            refuse_options_of_others({"tables of results": TABLES}, [], "--results has logs of tools")
            made = make_logs_board(
                of_results, directory, title, source, accept_differences, skip_malformed, as_json
            )
        else:
            made = make_board(of_results, options, directory, title, as_json)
    board = NewLeaderboard(
        title,
        author,
        licence or CHOICES[0],
        now()[:4],
        requirement,
        repository,
        source=_remote(directory),
        own=own,
        tables=made.tables if made else None,
    )
    files = _written(directory, board, made)
    if as_json:
        about: dict[str, Any] = {
            "directory": str(directory),
            "files": list(map(str, files)),
            "licence": board.licence,
            "requirement": board.requirement,
        }
        about |= {} if own is None else {"columns": dict(own.columns), "cluster": own.cluster}
        print_json(about | ({} if made is None else {"results": made.plain}))
        return
    otherwise = f" ({' or '.join(guessed)} says otherwise)" if guessed else ""
    summarise(f"{directory}: {counted(len(files), 'file')}; {board.licence}, by {author}{otherwise}")
    if own is not None:
        summarise(own.words)
    summarise(_next(directory, board))
    if local:
        note(
            f"requirements.txt has {requirement}, which only this machine has:"
            " before you push it, say there where others get Steelyard"
        )


def _results(paths: tuple[Path, ...], is_given: bool, data: Path | None) -> tuple[Path, ...]:
    """The files of results, none where there are none. Raises `click.UsageError`."""
    if paths and not is_given:
        raise click.UsageError(f"{paths[0]}: say what it is: --results, or --data with --task")
    if paths and data is not None:
        raise click.UsageError("--data: is about examples to run models on; leave out it or --results")
    return paths


def _written(directory: Path, board: NewLeaderboard, made: MadeBoard | MadeLogs | None) -> list[str]:
    """Write the repository, and the results that it begins with; all of them, or nothing."""
    if made is None:
        return write_repository(directory, board)
    with tempfile.TemporaryDirectory() as folder:
        done = made.store(board_file(board), Path(folder))
        files = write_repository(directory, board)
        shutil.copytree(folder, directory / "results", dirs_exist_ok=True)
    made.say(done)
    return files


def _file(path: str) -> Path | None:
    """A file that was typed; None for an empty answer."""
    if path and not Path(path).is_file():
        raise click.BadParameter(f"{path} is no file; give another, or nothing")
    return Path(path) if path else None


def _own(data: Path | None, task: str | None, columns: tuple[str, ...], asked: bool) -> OwnData | None:
    """The examples to begin with, None where these are the reviews."""
    from evaluator.data.datasets import DatasetError
    from evaluator.publish.own_data import read_own_data
    from evaluator.records.errors import UserError

    if data is None:
        for option, given in (("--task", task), ("--column", columns)):
            if given:
                raise click.UsageError(f"{option}: is about examples of your own; give them with --data")
        return None
    if task is None and asked:
        task = click.prompt("Task", type=OneOf(TASK_NAMES))
    if task is None:
        raise click.UsageError(f"--data: say what {data} is for with --task {'|'.join(TASK_NAMES)}")
    try:
        return read_own_data(data, task, dict(_named(columns)))
    except DatasetError:
        raise
    except UserError as error:
        raise click.UsageError(str(error)) from None


def _named(columns: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """FIELD=NAME as pairs. Raises `click.UsageError`."""
    for column in columns:
        field, sign, name = column.partition("=")
        if not field or not sign:
            raise click.UsageError(f"--column: {column!r} is not FIELD=NAME")
        yield field, name


def _remote(directory: Path) -> str | None:
    """Where the remote of the folder's own repository is seen in a browser; None without such a place."""
    if not (directory / ".git").exists():
        return None
    address = over_https(_git("-C", str(directory), "config", "remote.origin.url"))
    return None if address is None else address.removesuffix(".git")


def _git(*arguments: str) -> str:
    """What git says, "" where it has nothing to say or is not there."""
    try:
        done = subprocess.run(["git", *arguments], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return ""
    return done.stdout.strip()


def _next(directory: Path, board: NewLeaderboard) -> str:
    measured = "" if board.tables is not None else "\n  steelyard evaluate --commit"
    if board.own is not None:
        measured += "  # or, of answers that you have: steelyard import FILE"
    return f"""\
Next:
  cd {directory}
  git init --initial-branch main && git add --all && git commit --message "A new leaderboard"{measured}
  steelyard rank
  steelyard build && steelyard serve build
Then push it to GitHub and choose Settings, Pages, Source: GitHub Actions."""
