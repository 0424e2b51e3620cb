"""``steelyard check``: a repository, a change of it, a model, a round of data, copies for the browser."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from evaluator.cli.models import (
    asked_model,
    check_browser_copies,
    labels_option,
    task_option,
)
from evaluator.cli.options import (
    Project,
    board_of,
    completes,
    dataset_of,
    project_options,
    refuse_options_of_others,
)
from evaluator.cli.printing import (
    BAD,
    DOUBT,
    GOOD,
    by_file,
    grouped,
    in_colour,
    note,
    print_json,
    summarise,
)
from evaluator.rank.formats import counted
from evaluator.records.errors import printable

if TYPE_CHECKING:
    from evaluator.publish.quality import Assessment
    from evaluator.records.board import BoardSpec
    from evaluator.score.checking import Round

#: What is checked, and the options that are for that alone.
KINDS = {
    "a repository": ("against", "comment", "gate"),
    "a model": ("task", "labels", "work"),
    "a round": ("at_chance",),
    "copies for the browser": ("work", "browser"),
    "quality": ("quality",),
}
#: Colours of verdicts.
COLOURS = {"proven": GOOD, "stated": DOUBT, "not met": BAD}
#: Points that a label's share of a round may be from an equal one.
TOLERANCE = 5.0


@click.command("check")
@click.argument(
    "names", nargs=-1, metavar="[MODEL|DATASET]...", shell_complete=completes("models", "datasets")
)
@click.option("--against", metavar="REVISION", help="A revision that stored results are compared with.")
@click.option(
    "--comment",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write what was found, and what changes in the ranks, as Markdown.",
)
@click.option(
    "--gate",
    "gate",
    multiple=True,
    metavar="MODEL",
    shell_complete=completes("models"),
    help="A model that --against must not make worse; may be given several times.",
)
@click.option(
    "--quality", metavar="[BOARD]", is_flag=False, flag_value="", shell_complete=completes("boards"),
    help="Print how each board, or this one, meets the criteria of BetterBench, and nothing else.",
)  # fmt: skip
@click.option(
    "--browser", is_flag=True, help="Copy MODELs for the browser, and compare the copies with them."
)
@click.option(
    "--at-chance",
    multiple=True,
    metavar="MODEL",
    shell_complete=completes("models"),
    help="A model that must be at chance on DATASET; may be given several times.",
)
@task_option
@labels_option
@project_options("data", "board", "results", "work", "json")
def command(
    project: Project,
    names: tuple[str, ...],
    against: str | None,
    comment: Path | None,
    gate: tuple[str, ...],
    quality: str | None,
    browser: bool,
    at_chance: tuple[str, ...],
    task: str | None,
    labels: str | None,
) -> int:
    """Check the board file and the stored results; or a change, a MODEL, a DATASET, copies for the browser.

    Without a name: that all that the board file names is there, that files and scores are what they should
    be, as far as the right answers are here (--data), and that nothing is published which is kept back.
    Exits 1 if anything is wrong, with a message for each. Nothing of the repository is run.

    With --against, also that since REVISION no result was removed, no snapshot changed, no number changed
    that was not measured again, and that new numbers compare with the others; and how ranks change. With
    --gate it is wrong too if a model is not ranked any more, or its Dynascore fell by more than chance, or a
    result of it is stale: its files, settings, training data, dataset, suites or metrics are others now; or
    cannot be judged, since the change took its table or its data away. A model that was renamed (`was`) is
    compared with what it was; one that was `removed` with a reason passes. Of models that nothing guards,
    stale results are named.

    MODEL, a folder with a handler.py or the id of a model of the board file, is run over difficult inputs.
    DATASET is checked as a round: it is wrong if the classes are out of balance, or if the 95 % interval of
    the accuracy of a model named with --at-chance does not hold that of guessing.

    With --browser, MODELs (or [site] browser_models) are copied for pages, and the copies asked about stored
    examples. Exits 1 if one cannot run in a page, or agrees on less than 99 %.

    With --quality, print the criteria of BetterBench (Reuel et al. 2024): each is proven by the files,
    stated in the board file under [quality], or not met. Exits 0.

    \b
    Examples:
      steelyard check --data ../data
      steelyard check --against origin/main --comment comment.md --gate tfidf-logreg
      steelyard check examples/my-model
      steelyard check dynasent-r1 --at-chance model-0
      steelyard check --browser vader
      steelyard check --quality sst-2
    """
    kind = _kind(project, names, quality, browser)
    refuse_options_of_others(KINDS, [kind], f"this checks {kind}")
    if kind == "quality":
        return _check_quality(project, quality or "")
    if kind == "copies for the browser":
        return check_browser_copies(project, names)
    if kind == "a repository":
        for option, value in (("--comment", comment), ("--gate", gate)):
            if value and against is None:
                raise click.UsageError(f"{option}: is about changes; say since when with --against")
        return _check_results(project, against, comment, gate)
    if len(names) > 1:
        raise click.UsageError(f"{names[1]!r}: one at a time; only --browser takes several")
    if kind == "a round":
        return _check_round(project, names[0], at_chance)
    return _check_model(project, names[0], task, labels)


def _kind(project: Project, names: tuple[str, ...], quality: str | None, browser: bool) -> str:
    """What is to be checked, one of `KINDS`."""
    if quality is not None:
        if names:
            raise click.UsageError(
                f"--quality and {names[0]}: give one of them; --quality is about a whole board"
            )
        return "quality"
    if browser:
        return "copies for the browser"
    if not names:
        return "a repository"
    if Path(names[0]).is_dir() or not project.board_file.exists():
        return "a model"
    known = {model.id for model in project.boards.models}
    datasets = {dataset.id for dataset in project.boards.datasets}
    return "a round" if names[0] in datasets - known else "a model"


def _check_results(project: Project, against: str | None, comment: Path | None, gate: tuple[str, ...]) -> int:
    from evaluator.measure.run.plan import model_problems
    from evaluator.publish.checking import check
    from evaluator.publish.comment import counts, markdown, moves

    found = check(
        project.board_file, project.given_results, model_problems, against, project.given_data, gate
    )
    if comment is not None:
        comment.write_text(markdown(found), encoding="utf-8")
    if project.as_json:
        print_json(asdict(found))
    else:
        for line in by_file(found.problems):
            click.echo(printable(line))
        for line in by_file(found.notes):
            note(printable(line))
        for line in moves(found):
            summarise(line)
        checked = counts(found) if against else counted(found.results, "result")
        count = in_colour(counted(len(found.problems), "problem"), BAD if found.problems else GOOD)
        summarise(f"{project.board_file}: {count} in {checked}")
    return 1 if found.problems else 0


def _check_model(project: Project, name: str, task: str | None, labels: str | None) -> int:
    asked = asked_model(project, name, task, labels)
    problems, answered, inputs = asked.check()
    if project.as_json:
        print_json({"asked": inputs, "answered": answered, "problems": problems})
    else:
        found = [(problem["input"], f"{problem['kind']}: {problem['message']}") for problem in problems]
        for line in grouped(found, "input"):
            click.echo(printable(line))
        text = f"{name}: {answered} of {inputs} inputs answered as {asked.task.name} asks"
        summarise(in_colour(text, BAD if problems else GOOD))
    return 1 if problems else 0


def _check_round(project: Project, dataset: str, suspects: tuple[str, ...]) -> int:
    from evaluator.data.tasks import get_task
    from evaluator.score.checking import look_at

    task = get_task(dataset_of(project.scoring_boards, dataset).task)
    if task.answer == "text":
        raise click.UsageError(f"DATASET {dataset}: its answers are texts, which have no classes to balance")
    found = look_at(project.dataset(dataset), task.metric, project.store, TOLERANCE)
    problems = []
    if not found.balance.even:
        far = f"a share is more than {TOLERANCE:g} points from equal"
        problems.append(f"the classes are out of balance: {far}")
    chances = {standing.model: standing.chance for standing in found.standings}
    for model in suspects:
        if model not in chances:
            problems.append(f"{model}: has no result on this revision of {dataset}; evaluate or import it")
        elif chances[model] != "at":
            problems.append(f"{model}: is {chances[model]} chance")
    if project.as_json:
        document = {
            "dataset": dataset,
            "revision": found.dataset.revision,
            "examples": len(found.dataset.gold),
            "dropped": dict(found.dataset.dropped),
            "balance": asdict(found.balance),
            "guessing": found.guessing,
            "metric": found.metric,
            "people": found.people.plain() if found.people else None,
            "models": [asdict(standing) for standing in found.standings],
            "problems": problems,
        }
        print_json(document)
    else:
        click.echo("\n".join([*_round_lines(found), *(f"problem: {problem}" for problem in problems)]))
    return 1 if problems else 0


def _round_lines(found: Round) -> Iterator[str]:
    from evaluator.score.scores import dataset_ref, scores_line

    examples = len(found.dataset.gold)
    scored = counted(examples, "example")
    left_out = dataset_ref(found.dataset).left_out
    yield f"{found.dataset.id}: {scored} scored" + (f"; left out: {left_out}" if left_out else "")
    for label, count in found.balance.counts.items():
        yield f"  {label}: {count} ({count / examples:.1%})"
    yield f"guessing: {found.guessing:.1%} accuracy"
    people = scores_line(found.people) if found.people else "no estimate: the responses are not kept"
    yield f"people: {people}"
    for one in found.standings:
        accuracy = f"accuracy {one.accuracy:.1%} ({one.low:.1%} to {one.high:.1%}), {one.chance} chance"
        solved = {True: "; reaches people: solved", False: "; below people", None: ""}[one.solved]
        yield f"{one.model}: {accuracy}; {found.metric} {one.score:.2f}{solved}"


def _check_quality(project: Project, chosen: str) -> int:
    """Print the criteria of a board, or of all boards if `chosen` is empty."""
    from evaluator.publish.quality import counts

    boards = project.boards
    specs = [board_of(boards, chosen, "--quality")] if chosen else boards.boards
    found = {spec.id: _assessed(project, spec) for spec in specs}
    if project.as_json:
        document = {}
        for id_, rows in found.items():
            criteria = [asdict(row) for row in rows]
            document[id_] = {
                "counts": counts(rows),
                "criteria": [{**row.pop("criterion"), **row} for row in criteria],
            }
        print_json({"boards": document})
        return 0
    for id_, rows in found.items():
        summarise(f"{id_}: {', '.join(f'{number} {verdict}' for verdict, number in counts(rows).items())}")
        for row in rows:
            click.echo(_criterion(row))
    return 0


def _assessed(project: Project, spec: BoardSpec) -> tuple[Assessment, ...]:
    from evaluator.exchange.tables import ranked_board
    from evaluator.publish.quality import assess, facts_of
    from evaluator.publish.snapshots.repository import folder_of, listed
    from evaluator.score.certainty import assemble_board, board_results

    boards, store = project.boards, project.store
    results = board_results(spec, boards, store)
    frozen = sum(one.board == spec.id for one in listed(folder_of(store.root)))
    assembled = assemble_board(spec, boards, store, results)
    if not assembled.entries:
        return assess(facts_of(boards, assembled, {}, frozen))
    board = ranked_board(spec, boards, store)
    ranked = (row.model for row in board.ranking.rows if row.rank is not None)
    return assess(
        facts_of(boards, assembled, {model: board.rank_sets.sets[model] for model in ranked}, frozen)
    )


def _criterion(row: Assessment) -> str:
    """Number, verdict, what is asked, and what there is of it; what is not met says what to do."""
    shown = [row.evidence.text] if row.evidence else []
    shown += [row.statement] if row.statement else []
    if row.verdict == "not met":
        stated = f"say how it is met under [quality] {row.criterion.id}"
        shown.append(f"{row.evidence.fix}, or {stated}" if row.evidence and row.evidence.fix else stated)
    verdict = in_colour(f"{row.verdict:>7}", COLOURS[row.verdict])
    return f"{row.number:>3} {verdict}  {row.criterion.asks} {printable('; '.join(shown))}"
