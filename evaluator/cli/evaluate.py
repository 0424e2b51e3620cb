"""``steelyard evaluate``: measure the board's models on its datasets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from evaluator.cli.options import Project, check_known, completes, project_options
from evaluator.cli.printing import (
    BAD,
    DOUBT,
    TerminalProgress,
    detail,
    duration,
    in_colour,
    is_quiet,
    is_verbose,
    note,
    print_json,
    report,
    summarise,
    timing_lines,
)
from evaluator.rank.formats import counted
from evaluator.records.errors import UserError, printable

#: What a timing that is not sound is shown in.
VERDICTS = {"suspect": DOUBT, "invalid": BAD}

if TYPE_CHECKING:
    from evaluator.measure.run import Outcome, Unit
    from evaluator.measure.run.evaluate import Forecast
    from evaluator.measure.run.unit import Remeasure
    from evaluator.records.board import Boards, OutdatedResult
    from evaluator.records.board.cells import DoubtfulTiming
    from evaluator.records.result import Result
    from evaluator.records.store import Store
    from evaluator.score.conditions import Condition


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
@click.option(
    "--skip-malformed", is_flag=True, help="Leave malformed rows out, counted, instead of stopping."
)
@click.option(
    "--remeasure",
    is_flag=True,
    help="Time again what blocks tell too little of, or of another machine; with --model and --dataset, any.",
)
@click.option(
    "--trials",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Ask each example so many times, of models that do not always answer the same.",
)
@click.option("--dry-run", is_flag=True, help="Say what would run and about how long; run nothing.")
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
    help="Ask models on a Dask cluster: local:4, tcp://HOST:8786 or slurm:JOBS.",
)
@click.option(
    "--share",
    metavar="K/N",
    help="Only the K-th of N shares of the models and datasets; import brings the results together.",
)
@click.option("--commit", is_flag=True, help="Commit the result files, and nothing else, to git.")
@project_options("data", "board", "results", "work", "json")
def command(
    project: Project,
    models: tuple[str, ...],
    datasets: tuple[str, ...],
    skip_malformed: bool,
    remeasure: bool,
    trials: int,
    dry_run: bool,
    fail_on: tuple[str, ...],
    cluster: str | None,
    share: str | None,
    commit: bool,
) -> int:
    """Measure models and store the results; what is up to date is not repeated.

    Metrics that stored results lack, imported ones included, are computed from their predictions; no model is
    asked for that. Stop it at any moment and run it again: it continues where it stopped. --remeasure keeps a
    timing that is known better than the new one. --trials asks a sample twice: a model that answers it the
    same is asked once, any other once more for each further trial, untimed. Exits 1 if a model failed, or a
    condition of --fail-on is met or cannot be judged: METRIC drops by N, METRIC rises by N (in its unit, or
    with a % in per cent of what it was), METRIC below N, METRIC above N.

    \b
    Examples:
      steelyard evaluate
      steelyard evaluate --model tfidf --dataset sst-2 --data ../data --commit
      steelyard evaluate --dry-run
      steelyard evaluate --share 3/8
      steelyard evaluate --cluster tcp://10.0.0.5:8786
      steelyard evaluate --fail-on "accuracy drops by 1" --fail-on "throughput drops by 20 %"
    """
    from evaluator.cluster.connecting import ClusterAddress
    from evaluator.cluster.driving import Fleet
    from evaluator.measure.run import evaluate, plan, rescore_stored
    from evaluator.measure.run.evaluate import forecast
    from evaluator.measure.run.share import Share
    from evaluator.publish.commit import check_repository, commit_results
    from evaluator.score.checking import known_metrics
    from evaluator.score.conditions import Condition
    from evaluator.score.inputs import GivenInputs, outdated_results
    from evaluator.score.renaming import move_results, moves_to_make

    boards, store = project.scoring_boards, project.store
    for name in models:
        check_known("--model", name, [one.id for one in boards.models], "the board file has no such model")
    for name in datasets:
        known = [one.id for one in boards.datasets]
        check_known("--dataset", name, known, "the board file has no such dataset")
    try:
        address = ClusterAddress.parse(cluster) if cluster else None
        part = Share.parse(share) if share else None
    except UserError as error:
        raise click.UsageError(str(error)) from None
    if commit:
        check_repository(store.root)
    if skip_malformed:
        boards = boards.skipping_malformed({one.id for one in boards.datasets})
    again: Remeasure = "none"
    if remeasure:
        again = "all" if models and datasets else "worst"
    of_all = plan(boards, project.root, project.data, models, datasets)
    units = part.units(of_all) if part else of_all
    if not of_all and not any(
        result.predictions is not None
        and (not models or result.model.id in models)
        and (not datasets or result.dataset.id in datasets)
        for result in store.results()
    ):
        nothing = "nothing to evaluate: no model of the board file fits a dataset with texts"
        raise UserError(project.board_file, nothing, "add one, or import predictions")
    stored = {name for result in store.results() for name in result.scores} if fail_on else set()
    known_names = known_metrics(boards, {unit.dataset.id for unit in units}, stored) if fail_on else set()
    try:
        conditions = [Condition.parse(text, known_names) for text in fail_on]
    except UserError as error:
        raise click.UsageError(str(error)) from None
    renamed = moves_to_make(boards, store)
    if not project.as_json:
        for move in renamed:
            summarise(move.words)
    if dry_run and fail_on:
        raise click.UsageError("--fail-on judges what was measured, and --dry-run measures nothing: give one")
    if dry_run:
        forecasts = forecast(units, boards, store, project.work, again)
        moving = {(move.old.dataset.id, move.model.id) for move in renamed}
        forecasts = [one for one in forecasts if (one.unit.dataset.id, one.unit.model.id) not in moving]
        _say_what_is_missing([one.unit for one in forecasts if not one.up_to_date])
        outdated = [
            one
            for one in outdated_results(store.results(), GivenInputs(boards, project.root, project.data))
            if (not models or one.model in models) and (not datasets or one.dataset in datasets)
        ]
        print_forecasts(forecasts, outdated, project.as_json)
        if trials > 1 and not project.as_json:
            note(f"then models that do not always answer the same would be asked {trials} times")
        return 0
    move_results(renamed, store)
    _say_what_is_missing(units)
    before = {_key(result): result for result in store.results()} if conditions else {}
    progress, outcomes = EvaluationProgress(), list["Outcome"]()
    try:
        if units:
            with ExitStack() as stack:
                fleet = stack.enter_context(closing(Fleet(address, boards, progress))) if address else None
                outcomes += evaluate(units, boards, store, project.work, progress, again, fleet, trials)
        progress.all_units()
        for outcome in rescore_stored(of_all, boards, project.data, store, models, datasets):
            progress.outcome(outcome)
            outcomes.append(outcome)
    finally:
        progress.close()
        progress.say_alike()
    if not is_quiet():
        for line in timing_lines(_doubtful([outcome.result for outcome in outcomes])):
            click.echo(f"{in_colour('note:', DOUBT)} {line}", err=True)
        for line in _what_time_would_buy(outcomes, boards.measure.seconds):
            click.echo(f"{in_colour('note:', DOUBT)} {line}", err=True)
    moved = [result for move in renamed for result in (move.old, move.new)]
    committed = commit_results(store.root, [one.result for one in outcomes], moved) if commit else None
    if not project.as_json:
        _say_what_looks_wrong(outcomes, units, store)
        _say_what_repeats(datasets, store)
    worse = list(_worse(conditions, boards, before, outcomes))
    report(
        project.as_json,
        {
            "renamed": [move.words for move in renamed],
            "outcomes": list(map(_plain, outcomes)),
            "commit": committed,
            "worse": worse,
        },
        [*_summary(outcomes), *([committed] if committed else [])],
    )
    for line in () if project.as_json else worse:
        click.echo(line)
    failed = any(outcome.status in ("failed", "not run") or outcome.incomplete for outcome in outcomes)
    return 1 if failed or worse else 0


def _worse(
    conditions: Sequence[Condition],
    boards: Boards,
    before: Mapping[tuple[str, str], Result],
    outcomes: Sequence[Outcome],
) -> Iterator[str]:
    """A line for each result that meets a condition, or of which that cannot be judged."""
    for condition in conditions:
        judged = [
            (outcome.result, condition.failed_by(old, outcome.result))
            for outcome in outcomes
            if condition.applies_to(old := before.get(_key(outcome.result)), outcome.result, boards)
        ]
        if not judged:
            yield f"no result of this run should have {condition.metric} (--fail-on: {condition.text})"
        for result, how in judged:
            if how:
                yield f"{_name(result)}: {how} (--fail-on: {condition.text})"


def _say_what_looks_wrong(outcomes: Sequence[Outcome], units: Sequence[Unit], store: Store) -> None:
    """A note for each new result with texts in which the tokeniser of a metric finds no words, or with labels
    that are not the most probable class."""
    from evaluator.score.predictions import unlikely_labels, unlikely_words
    from evaluator.score.scores import word_notes

    datasets = {unit.dataset.id: unit.dataset for unit in units}
    for result in (one.result for one in outcomes if one.status in ("measured", "updated")):
        dataset = datasets.get(result.dataset.id)
        if dataset is not None and result.predictions is not None:
            predictions = store.predictions(result)
            said = [*word_notes(dataset, predictions, result.scores)]
            for line in [*said, *unlikely_words(*unlikely_labels(dataset, predictions))]:
                note(f"{_name(result)}: {line}")


def _say_what_repeats(datasets: Sequence[str], store: Store) -> None:
    """A note for each of the datasets, all if none is named, in which rows have the text of others."""
    from evaluator.score.examples import repeat_notes

    about = [one for one in store.results() if not datasets or one.dataset.id in datasets]
    for line in repeat_notes(((one.task, one.dataset.id, one.dataset.revision) for one in about), store):
        note(line)


def _key(result: Result) -> tuple[str, str]:
    return result.dataset.id, result.model.id


def _name(result: Result) -> str:
    return f"{result.model.id} on {result.dataset.id}"


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
    """One line a unit, with its outcome; with --quiet only what failed.

    What was said of a failure before is not said again, unless --verbose asks for it.
    """

    def __init__(self) -> None:
        super().__init__()
        #: The units of each failure that was said, the first of them with it.
        self.failed: dict[str, list[str]] = {}

    def unit(self, number: int, total: int, unit: Unit) -> None:
        self.title = f"[{number}/{total}] {unit.model.id} on {unit.dataset.id}"

    def say_alike(self) -> None:
        """A line for each failure that several units had."""
        for said, units in self.failed.items():
            if len(units) > 1:
                self.say(in_colour(f"{said} ({len(units)} units, the first: {units[0]})", BAD))

    def all_units(self) -> None:
        """What follows is of all units at once."""
        self.title = ""

    def outcome(self, outcome: Outcome) -> None:
        failed, said = outcome.status in ("failed", "not run"), describe(outcome)
        alike = self.failed.setdefault(said, []) if failed else []
        if alike and not is_verbose():
            said = f"{outcome.status}, as {alike[0]}"
        if not is_quiet() or (failed and not alike):
            line = f"{self.title or _name(outcome.result)}: {said}"
            self.say(in_colour(line, BAD if failed else _colour(outcome.result)))
        alike.append(_name(outcome.result))
        for path in outcome.written:
            detail(f"  {path}")


def print_forecasts(forecasts: Sequence[Forecast], outdated: Sequence[OutdatedResult], as_json: bool) -> None:
    """What would run, a line a unit, about how long, and which results are of other inputs."""
    from evaluator.score.inputs import outdated_lines

    why = {(one.model, one.dataset): one for one in outdated}
    if as_json:
        units = [_plain_forecast(one, why.get(_unit(one))) for one in forecasts]
        print_json({"units": units, "stale": list(map(asdict, outdated))})
        return
    todo = [one for one in forecasts if not one.up_to_date]
    for one in todo:
        how_long = (
            "about " + duration(one.seconds) if one.seconds is not None else "how long is not known yet"
        )
        stale = f"; stale: {why[_unit(one)].why}" if _unit(one) in why else ""
        click.echo(
            f"{one.unit.model.id} on {one.unit.dataset.id}: {'; '.join(_steps(one))} ({how_long}){stale}"
        )
    asked = set(map(_unit, todo))
    for line in outdated_lines(one for one in outdated if (one.model, one.dataset) not in asked):
        click.echo(printable(line))
    total = sum(one.seconds or 0 for one in todo)
    unknown = sum(one.seconds is None for one in todo)
    beside = f", beside {counted(unknown, 'unit')} of which nothing is known" if unknown else ""
    time = f", about {duration(total)}{beside}" if total else ""
    summarise(f"{len(todo)} of {counted(len(forecasts), 'unit')} would run{time}")


def _steps(one: Forecast) -> list[str]:
    asking = "time" if one.timed else "ask" if one.asked else ""
    trying = f"try {', '.join(one.suites)}" if one.suites else ""
    return [step for step in ("" if one.prepared else "prepare", asking, trying) if step]


def _unit(one: Forecast) -> tuple[str, str]:
    return one.unit.model.id, one.unit.dataset.id


def _plain_forecast(one: Forecast, outdated: OutdatedResult | None) -> dict[str, Any]:
    return {
        "model": one.unit.model.id,
        "dataset": one.unit.dataset.id,
        "steps": [] if one.up_to_date else _steps(one),
        "seconds": one.seconds,
        "reasons": outdated.reasons if outdated else [],
    }


def _colour(result: Result) -> str | None:
    return VERDICTS.get(result.measurement.noise.verdict) if result.measurement else None


def describe(outcome: Outcome) -> str:
    """One line about a unit: its scores and noise verdict, or what went wrong."""
    from evaluator.score.scores import scores_line, timing_words

    result = outcome.result
    if outcome.status in ("failed", "not run"):
        return f"{outcome.status}: {result.failures[0].full_message}"
    wrong = sum(failure.count for failure in result.failures)
    return (
        f"{outcome.status}: {scores_line(result)}{timing_words(result)}"
        + (f"; {counted(wrong, 'request')} went wrong" if wrong else "")
        + (f"; {outcome.remark}" if outcome.remark else "")
    )


def _doubtful(results: Iterable[Result]) -> list[tuple[str, str, DoubtfulTiming]]:
    """The suspect and invalid timings, with the id of the model, which is also what it is called here."""
    from evaluator.records.base import TIMING
    from evaluator.records.board.cells import doubtful_timings

    return [
        (result.model.id, result.model.id, timing)
        for result in results
        for timing in doubtful_timings(result, sorted(TIMING))
    ]


def _what_time_would_buy(outcomes: Sequence[Outcome], seconds: float) -> Iterator[str]:
    """A line where a throughput of this run is not known well enough: how well, and what it would take."""
    from evaluator.records.measurement import AIM, percent_off

    timed = {
        _name(one.result): one.result.measurement
        for one in outcomes
        if one.status == "measured" and one.result.measurement
    }
    spreads = {name: one.spread() or 0.0 for name, one in timed.items()}
    wide = [name for name, spread in spreads.items() if spread > AIM]
    if wide:
        worst = max(wide, key=spreads.__getitem__)
        needed = seconds * (spreads[worst] / AIM) ** 2
        yield (
            f"more time would tell the throughput of {len(wide)} of {len(timed)} better,"
            f" {percent_off(timed[worst].known_within)} at worst ({worst});"
            f" about {duration(needed)} a model would do: [measure] seconds, then --remeasure"
        )


def _plain(outcome: Outcome) -> dict[str, Any]:
    written = [str(path) for path in outcome.written]
    remark = {"remark": outcome.remark} if outcome.remark else {}
    return {"status": outcome.status, **remark, "written": written, "result": outcome.result.plain()}


def _summary(outcomes: Sequence[Outcome]) -> Iterator[str]:
    counts = dict.fromkeys(("measured", "updated", "unchanged", "failed", "not run"), 0)
    for outcome in outcomes:
        counts[outcome.status] += 1
    counted_ones = ", ".join(f"{count} {status}" for status, count in counts.items() if count)
    yield counted_ones or "everything is up to date"
    new = [outcome.result.dataset for outcome in outcomes if outcome.status != "unchanged"]
    for dataset in {dataset.id: dataset for dataset in new}.values():
        if dataset.left_out:
            yield f"{dataset.id}: left out: {dataset.left_out}"
