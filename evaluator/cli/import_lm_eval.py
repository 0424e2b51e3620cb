"""``steelyard import-lm-eval``: numbers of lm-evaluation-harness, as reported ones."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from evaluator.cli.options import (
    Assignment,
    board_option,
    checked_link,
    json_option,
    results_option,
    writable_store,
)
from evaluator.cli.printing import print_json, summarise

if TYPE_CHECKING:
    from evaluator.interchange.reported import Reported


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


@click.command("import-lm-eval")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--model", required=True, help="The id of the model, with which it appears on boards.")
@click.option("--label", help="Its name for people; default: what the board file says, else the id.")
@click.option(
    "--task", "tasks", multiple=True, callback=pairs, metavar="TASK=DATASET",
    help="Which dataset of the board file a task of the harness is.  [default: the one of that name]",
)  # fmt: skip
@click.option(
    "--metric", "metrics", multiple=True, callback=pairs, metavar="METRIC[,FILTER]=OURS",
    help="Which metric of the board one of the harness is.  [default: those of the same name]",
)  # fmt: skip
@click.option(
    "--scale", "scales", type=Assignment(), multiple=True, metavar="OURS=FACTOR",
    help="What makes the harness's number one of the board.  [default: 100 from a share to per cent, else 1]",
)  # fmt: skip
@click.option("--citation", help="The source, in place of the harness, the task and the metrics.")
@click.option("--link", callback=checked_link, help="Where FILE is published.")
@board_option
@results_option
@json_option
def command(
    file: Path,
    model: str,
    label: str | None,
    tasks: dict[str, str],
    metrics: dict[str, str],
    scales: tuple[tuple[str, float], ...],
    citation: str | None,
    link: str | None,
    board_file: Path,
    results: Path | None,
    as_json: bool,
) -> None:
    """Take the numbers of FILE, a results_*.json of lm-evaluation-harness 0.4, as reported ones.

    They are ranked only with numbers of the same harness, task version, shots and metric. Folders and hosts
    among the model's arguments are left out, and so are standard errors. All of it is stored, or nothing.

    \b
    Examples:
      steelyard import-lm-eval results_2026-01-15T10-30-00.json --model mine --task sst2=sst-2
      steelyard import-lm-eval results.json --model mine --metric acc_norm,none=accuracy
    """
    from evaluator.interchange.reported import ReportRequest, import_report
    from evaluator.scoring.reading import read_boards
    from evaluator.scoring.results import now

    boards = read_boards(board_file)
    request = ReportRequest(model, label, tasks, metrics, dict(scales), citation, link)
    store = writable_store(board_file, boards, results)
    _print_reported(import_report(file, request, boards, store, now()), as_json)


def _print_reported(reported: Reported, as_json: bool) -> None:
    if as_json:
        done = [{"status": status, "result": result.plain()} for result, status in reported.results]
        print_json({"results": done, "left_out": list(reported.left_out)})
        return
    for result, status in reported.results:
        scores = ", ".join(f"{name} {score.value:g} {score.unit}" for name, score in result.scores.items())
        summarise(f"{result.model.id} on {result.dataset.id}: {status}: {scores}")
        if result.source:
            summarise(f"  source: {result.source.citation}")
    for line in reported.left_out:
        summarise(f"left out: {line}")
