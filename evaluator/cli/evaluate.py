"""``steelyard evaluate``: measure the board's models on its datasets."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evaluator.cli.options import (
    board_option,
    completes,
    data_option,
    json_option,
    results_directory,
    results_option,
)
from evaluator.cli.printing import BAD, DOUBT, detail, in_colour, is_quiet, print_json, summarise
from evaluator.cli.progress import TerminalProgress
from evaluator.scoring.recomputed import counted

#: What a timing that is not sound is shown in.
VERDICTS = {"suspect": DOUBT, "invalid": BAD}

if TYPE_CHECKING:
    from evaluator.records import Noise, Result
    from evaluator.run import Outcome, Unit


@click.command("evaluate")
@click.option(
    "--model",
    "models",
    multiple=True,
    shell_complete=completes("models"),
    help="Only this model; may be repeated.",
)
@click.option(
    "--dataset",
    "datasets",
    multiple=True,
    shell_complete=completes("datasets"),
    help="Only this dataset; may be repeated.",
)
@data_option
@click.option(
    "--work",
    type=click.Path(file_okay=False, path_type=Path),
    help="Prepared models and interrupted runs; default: .steelyard beside the board file.",
)
@click.option(
    "--skip-malformed", is_flag=True, help="Leave malformed rows out, counted, instead of stopping."
)
@click.option("--remeasure", is_flag=True, help="Time models again whose predictions are up to date.")
@click.option("--commit", is_flag=True, help="Commit the result files, and nothing else, to git.")
@board_option
@results_option
@json_option
def command(
    models: tuple[str, ...],
    datasets: tuple[str, ...],
    data: Path | None,
    work: Path | None,
    skip_malformed: bool,
    remeasure: bool,
    commit: bool,
    board_file: Path,
    results: Path | None,
    as_json: bool,
) -> int:
    """Measure models and store the results; what is up to date is not repeated.

    Stop it at any moment and run it again: it continues where it stopped. Exits 1 if a model failed.

    \b
    Examples:
      steelyard evaluate
      steelyard evaluate --model tfidf --dataset sst-2 --data ../data --commit
    """
    from evaluator.run import evaluate, plan
    from evaluator.run.commit import check_repository, commit_results
    from evaluator.run.plan import UnknownNameError
    from evaluator.scoring.reading import read_boards
    from evaluator.store import Store

    boards = read_boards(board_file)
    root = board_file.parent
    store = Store(results_directory(board_file, boards, results))
    if commit:
        check_repository(store.root)
    try:
        units = plan(boards, root, data or root / boards.data, models, datasets, skip_malformed)
    except UnknownNameError as error:
        raise click.UsageError(f"--{error.field} {error.value}: {error.problem}; {error.fix}") from None
    outcomes = evaluate(units, boards, store, work or root / ".steelyard", EvaluationProgress(), remeasure)
    committed = commit_results(store.root, outcomes) if commit else None
    if as_json:
        print_json({"outcomes": list(map(_plain, outcomes)), "commit": committed})
    else:
        _summarise(outcomes)
        if committed:
            summarise(committed)
    return 1 if any(outcome.status in ("failed", "not run") for outcome in outcomes) else 0


class EvaluationProgress(TerminalProgress):
    """One line a unit, with its outcome; with --quiet only what failed."""

    def unit(self, number: int, total: int, unit: Unit) -> None:
        self.title = f"[{number}/{total}] {unit.model.id} on {unit.dataset.id}"

    def outcome(self, outcome: Outcome) -> None:
        self.close()
        failed = outcome.status in ("failed", "not run")
        if failed or not is_quiet():
            line = f"{self.title}: {describe(outcome)}"
            click.echo(in_colour(line, BAD if failed else _colour(outcome.result)), err=True)
        for path in outcome.written:
            detail(f"  {path}")


def _colour(result: Result) -> str | None:
    return VERDICTS.get(result.measurement.noise.verdict) if result.measurement else None


def describe(outcome: Outcome) -> str:
    """One line about a unit: its scores and noise verdict, or what went wrong."""
    from evaluator.scoring.report import scores_line

    result = outcome.result
    if outcome.status in ("failed", "not run"):
        return f"{outcome.status}: {result.failures[0].full_message}"
    noise = f"; timing {_verdict(result.measurement.noise)}" if result.measurement else ""
    wrong = sum(failure.count for failure in result.failures)
    return f"{outcome.status}: {scores_line(result)}{noise}" + (
        f"; {counted(wrong, 'request')} went wrong" if wrong else ""
    )


def _verdict(noise: Noise) -> str:
    return f"{noise.verdict} ({'; '.join(noise.reasons)})" if noise.reasons else noise.verdict


def _plain(outcome: Outcome) -> dict[str, Any]:
    written = [str(path) for path in outcome.written]
    return {"status": outcome.status, "written": written, "result": outcome.result.plain()}


def _summarise(outcomes: Sequence[Outcome]) -> None:
    counts = dict.fromkeys(("measured", "updated", "unchanged", "failed", "not run"), 0)
    for outcome in outcomes:
        counts[outcome.status] += 1
    summarise(", ".join(f"{count} {status}" for status, count in counts.items() if count))
    for outcome in outcomes:
        if outcome.result.dataset.skipped:
            left = counted(outcome.result.dataset.skipped, "malformed row")
            summarise(f"{outcome.unit.dataset.id}: {left} left out")
            break
