"""``steelyard evaluate``: measure the board's models on its datasets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
from evaluator.cli.progress import TerminalProgress, duration
from evaluator.score.recomputed import counted

#: What a timing that is not sound is shown in.
VERDICTS = {"suspect": DOUBT, "invalid": BAD}

if TYPE_CHECKING:
    from evaluator.cluster import Fleet
    from evaluator.measure.run import Outcome, Unit
    from evaluator.measure.run.forecast import Forecast
    from evaluator.measure.run.regressions import Condition
    from evaluator.records.board import Boards
    from evaluator.records.measurement import Noise
    from evaluator.records.result import Result
    from evaluator.records.store import Store


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
@click.option("--dry-run", is_flag=True, help="Say what would run and about how long; run nothing.")
@click.option(
    "--changed-only", is_flag=True, help="Look only at what is not up to date, as for a pull request."
)
@click.option(
    "--fail-on",
    "fail_on",
    multiple=True,
    metavar="CONDITION",
    help='Exit 1 if a score got worse, such as "accuracy drops by 1"; may be repeated.',
)
@click.option(
    "--cluster",
    metavar="ADDRESS",
    help="Ask models on a Dask cluster: local:4, tcp://HOST:8786 or slurm.",
)
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
    dry_run: bool,
    changed_only: bool,
    fail_on: tuple[str, ...],
    cluster: str | None,
    commit: bool,
    board_file: Path,
    results: Path | None,
    as_json: bool,
) -> int:
    """Measure models and store the results; what is up to date is not repeated.

    Stop it at any moment and run it again: it continues where it stopped. Exits 1 if a model failed, or a
    condition of --fail-on is met: METRIC drops by N, METRIC rises by N (in the metric's unit, or with a % in
    per cent of what it was), METRIC below N, METRIC above N.

    \b
    Examples:
      steelyard evaluate
      steelyard evaluate --model tfidf --dataset sst-2 --data ../data --commit
      steelyard evaluate --dry-run
      steelyard evaluate --cluster tcp://10.0.0.5:8786
      steelyard evaluate --changed-only --fail-on "accuracy drops by 1" --fail-on "throughput drops by 20 %"
    """
    from evaluator.measure.run import evaluate, plan
    from evaluator.measure.run.forecast import forecast
    from evaluator.measure.run.plan import UnknownNameError
    from evaluator.measure.run.regressions import Condition, ConditionError
    from evaluator.publish.commit import check_repository, commit_results
    from evaluator.records.store import Store
    from evaluator.score.reading import read_boards

    try:
        conditions = [Condition.parse(text) for text in fail_on]
    except ConditionError as error:
        raise click.UsageError(f"--fail-on: {error}") from None

    boards = read_boards(board_file)
    drive = _fleet(cluster, boards) if cluster else None
    root = board_file.parent
    store = Store(results_directory(board_file, boards, results))
    if commit:
        check_repository(store.root)
    try:
        units = plan(boards, root, data or root / boards.data, models, datasets, skip_malformed)
    except UnknownNameError as error:
        raise click.UsageError(f"--{error.field} {error.value}: {error.problem}; {error.fix}") from None
    _check_conditions(conditions, units, boards, store)
    work = work or root / ".steelyard"
    if dry_run or changed_only:
        forecasts = forecast(units, boards, store, work, remeasure)
        units = [one.unit for one in forecasts if not one.up_to_date]
    _say_what_is_missing(units)
    if dry_run:
        print_forecasts(forecasts, as_json)
        return 0
    before = [store.find(unit.dataset.task, unit.dataset.id, unit.model.id) for unit in units]
    progress = EvaluationProgress()
    try:
        outcomes = evaluate(units, boards, store, work, progress, remeasure, drive)
    finally:
        progress.close()
    committed = commit_results(store.root, [outcome.result for outcome in outcomes]) if commit else None
    worse = list(_worse(conditions, before, outcomes))
    if as_json:
        print_json({"outcomes": list(map(_plain, outcomes)), "commit": committed, "worse": worse})
    else:
        _summarise(outcomes)
        for line in (committed, *worse):
            if line:
                summarise(line)
    failed = any(outcome.status in ("failed", "not run") for outcome in outcomes)
    return 1 if failed or worse else 0


def _fleet(cluster: str, boards: Boards) -> Fleet:
    """The nodes at an address. Raises `click.UsageError` where it is none."""
    from evaluator.cluster import ClusterAddress, ClusterError, Fleet

    try:
        return Fleet(ClusterAddress.parse(cluster), boards)
    except ClusterError as error:
        raise click.UsageError(f"--cluster: {error}") from None


def _check_conditions(
    conditions: Sequence[Condition], units: Sequence[Unit], boards: Boards, store: Store
) -> None:
    """Raise `click.UsageError` for a condition that nothing could meet: no result has its metric."""
    from evaluator.records.names import or_one_of
    from evaluator.score.board_checks import known_metrics

    if not conditions:
        return
    stored = {name for result in store.results() for name in result.scores}
    known = known_metrics(boards, {unit.dataset.id for unit in units}, stored)
    for condition in conditions:
        if condition.metric not in known:
            fix = or_one_of(condition.metric, sorted(known))
            raise click.UsageError(f"--fail-on: {condition.text!r}: nothing computes {condition.metric}{fix}")


def _say_what_is_missing(units: Sequence[Unit]) -> None:
    """Name on stderr the models whose packages are not installed, before the first of them is tried."""
    from evaluator.measure.models.preparing import missing_extras

    needed = {unit.model.id: missing_extras(unit.model.recipe, unit.model.adapter) for unit in units}
    extras = sorted(set().union(*needed.values()))
    if extras and not is_quiet():
        models = ", ".join(model for model, missing in needed.items() if missing)
        what = f"{models}: packages are missing; run: pip install 'steelyard[{','.join(extras)}]'"
        click.echo(f"{in_colour('note:', DOUBT)} {what}", err=True)


class EvaluationProgress(TerminalProgress):
    """One line a unit, with its outcome; with --quiet only what failed."""

    def unit(self, number: int, total: int, unit: Unit) -> None:
        self.title = f"[{number}/{total}] {unit.model.id} on {unit.dataset.id}"

    def all_units(self) -> None:
        """What follows is of all units at once."""
        self.title = ""

    def outcome(self, outcome: Outcome) -> None:
        failed = outcome.status in ("failed", "not run")
        if failed or not is_quiet():
            line = f"{self.title}: {describe(outcome)}"
            self.say(in_colour(line, BAD if failed else _colour(outcome.result)))
        for path in outcome.written:
            detail(f"  {path}")


def print_forecasts(forecasts: Sequence[Forecast], as_json: bool) -> None:
    """What would run, a line a unit, and about how long."""
    if as_json:
        print_json({"units": list(map(_plain_forecast, forecasts))})
        return
    todo = [one for one in forecasts if not one.up_to_date]
    for one in todo:
        how_long = (
            "about " + duration(one.seconds) if one.seconds is not None else "how long is not known yet"
        )
        click.echo(f"{one.unit.model.id} on {one.unit.dataset.id}: {'; '.join(_steps(one))} ({how_long})")
    total = sum(one.seconds or 0 for one in todo)
    unknown = sum(one.seconds is None for one in todo)
    beside = f", beside {counted(unknown, 'unit')} of which nothing is known" if unknown else ""
    time = f", about {duration(total)}{beside}" if total else ""
    summarise(f"{len(todo)} of {counted(len(forecasts), 'unit')} would run{time}")


def _steps(one: Forecast) -> list[str]:
    asking = "time" if one.timed else "ask" if one.asked else ""
    trying = f"try {', '.join(one.suites)}" if one.suites else ""
    return [step for step in ("" if one.prepared else "prepare", asking, trying) if step]


def _plain_forecast(one: Forecast) -> dict[str, Any]:
    return {
        "model": one.unit.model.id,
        "dataset": one.unit.dataset.id,
        "steps": [] if one.up_to_date else _steps(one),
        "seconds": one.seconds,
    }


def _worse(
    conditions: Sequence[Condition], before: Sequence[Result | None], outcomes: Sequence[Outcome]
) -> Iterator[str]:
    """A line for each score that meets a condition."""
    for old, outcome in zip(before, outcomes, strict=True):
        for condition in conditions:
            if how := condition.met_by(old, outcome.result):
                where = f"{outcome.unit.model.id} on {outcome.unit.dataset.id}"
                yield f"{where}: {how} (--fail-on: {condition.text})"


def _colour(result: Result) -> str | None:
    return VERDICTS.get(result.measurement.noise.verdict) if result.measurement else None


def describe(outcome: Outcome) -> str:
    """One line about a unit: its scores and noise verdict, or what went wrong."""
    from evaluator.score.report import scores_line

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
    summarise(
        ", ".join(f"{count} {status}" for status, count in counts.items() if count)
        or "everything is up to date"
    )
    for outcome in outcomes:
        if outcome.result.dataset.skipped:
            left = counted(outcome.result.dataset.skipped, "malformed row")
            summarise(f"{outcome.unit.dataset.id}: {left} left out")
            break
