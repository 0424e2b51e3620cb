"""``steelyard import-results``: what other evaluation tools wrote, checked against the examples they kept."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from evaluator.cli.options import Assignment, OneOf, checked_link, completes, project_options, writable_store
from evaluator.cli.printing import print_json, printable, summarise

if TYPE_CHECKING:
    from evaluator.exchange.importing import ImportedLog


def pairs(context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    """``THEIRS=OURS`` options as a dict; the last ``=`` separates, since ids of ours hold none."""
    found: dict[str, str] = {}
    for value in values:
        theirs, sign, ours = value.rpartition("=")
        if not sign:
            raise click.BadParameter(f"{value!r}: write it as THEIRS=OURS")
        if theirs in found:
            raise click.BadParameter(f"{value!r}: {theirs!r} is given twice; give it once")
        found[theirs] = ours
    return found


@click.command("import-results")
@click.argument("file", type=click.Path(exists=True, path_type=Path))
@click.option(
    "--model",
    required=True,
    shell_complete=completes("models"),
    help="The id of the model, with which it appears on boards.",
)
@click.option("--label", help="Its name for people; default: what the board file says, else the id.")
@click.option(
    "--task", "tasks", multiple=True, callback=pairs, metavar="TASK=DATASET",
    help="The dataset of the board file that a task of the tool is.  [default: the one of that name]",
)  # fmt: skip
@click.option(
    "--metric", "metrics", multiple=True, callback=pairs, metavar="METRIC[,FILTER]=OURS",
    help="The metric of the board that a metric of the tool is.  [default: the one of that name]",
)  # fmt: skip
@click.option(
    "--scale", "scales", type=Assignment(), multiple=True, metavar="OURS=FACTOR",
    help="What the tool's numbers are multiplied by.  [default: 100 from a share to per cent, else 1]",
)  # fmt: skip
@click.option(
    "--examples", type=OneOf(["answers", "verdicts", "none"]), default="answers", show_default=True,
    help="What is stored of each example: the model's answer, whether the tool found it right, or nothing.",
)  # fmt: skip
@click.option(
    "--accept-differences", is_flag=True,
    help="Accept numbers that differ from what the examples imply; the result says so.",
)  # fmt: skip
@click.option(
    "--write-data", is_flag=True, help="Write a dataset's missing data file, from the examples in FILE."
)
@click.option("--citation", help="The source, in place of the tool, the task and the metrics.")
@click.option("--link", callback=checked_link, help="Where FILE is published.")
@project_options
def command(
    file: Path,
    model: str,
    label: str | None,
    tasks: dict[str, str],
    metrics: dict[str, str],
    scales: tuple[tuple[str, float], ...],
    examples: Literal["answers", "verdicts", "none"],
    accept_differences: bool,
    write_data: bool,
    citation: str | None,
    link: str | None,
    data: Path | None,
    board_file: Path,
    results: Path | None,
    as_json: bool,
) -> None:
    """Import what another evaluation tool wrote in FILE, and check it; the file shows which tool it was.

    FILE is a results_*.json of lm-evaluation-harness 0.4 or of lighteval, a .json or .eval log of Inspect,
    the folder of a run of HELM, or a task's JSON of MTEB. Where the tool kept its examples and the board
    has the data, the answers are stored and scored here, and must give the numbers that the tool published.
    Other numbers are reported, with their standard errors, and ranked only with numbers of the same tool,
    task version, shots and metric. Folders and hosts among the model's arguments are left out. All tasks
    that are asked for are stored, or none.

    \b
    Examples:
      steelyard import-results results_2026-01-15T10-30-00.json --model mine --task sst2=sst-2
      steelyard import-results results.json --model mine --metric acc_norm,none=accuracy
    """
    from evaluator.exchange.importing import import_log
    from evaluator.exchange.matching import ImportRequest
    from evaluator.score.reading import read_boards
    from evaluator.score.scores import now

    boards = read_boards(board_file)
    request = ImportRequest(
        model, label, tasks, metrics, dict(scales), citation, link, examples, accept_differences, write_data
    )
    store = writable_store(board_file, boards, results)
    folder = data or board_file.parent / boards.data
    _print(import_log(file, request, boards, store, folder, now()), as_json)


def _print(imported: ImportedLog, as_json: bool) -> None:
    from evaluator.score.scores import failure_line, lost_line

    if as_json:
        print_json({"results": _plain(imported), "left_out": list(imported.left_out)})
        return
    for done in imported.tasks:
        result = done.result
        parts = (f"{name} {score.value:g} {score.unit}" for name, score in result.scores.items())
        scores = ", ".join(map(str.rstrip, parts))
        summarise(f"{result.model.id} on {result.dataset.id}: {done.status}: {scores}")
        for pair in done.compared:
            summarise(f"  {pair.words}{'' if pair.is_same else ' (accepted, and marked)'}")
        if result.source:
            summarise(f"  source: {result.source.citation}")
        for suite in done.lost:
            summarise(lost_line(suite))
        for failure in result.failures:
            summarise(printable(failure_line(failure)))
    for line in imported.left_out:
        summarise(f"left out: {line}")


def _plain(imported: ImportedLog) -> list[dict[str, object]]:
    return [
        {
            "status": done.status,
            "result": done.result.plain(),
            "lost_suites": list(done.lost),
            "compared": [
                {
                    "metric": pair.metric,
                    "implied": pair.implied,
                    "published": pair.published,
                    "same": pair.is_same,
                }
                for pair in done.compared
            ],
        }
        for done in imported.tasks
    ]
