"""``steelyard round``: is a round of a dynamic benchmark balanced, and hard for its model?"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from evaluator.cli.options import completes, dataset_of, project_options, results_directory
from evaluator.cli.printing import print_json
from evaluator.rank.formats import counted

if TYPE_CHECKING:
    from evaluator.score.rounds import Round, Standing


@click.command("round")
@click.argument("dataset", shell_complete=completes("datasets"))
@click.option(
    "--at-chance",
    "suspects",
    multiple=True,
    metavar="MODEL",
    shell_complete=completes("models"),
    help="Must be at chance; may be repeated.",
)
@click.option(
    "--tolerance",
    type=click.FloatRange(min=0),
    default=5.0,
    show_default=True,
    help="Points that a label's share may be from an equal one.",
)
@project_options
def command(
    dataset: str,
    suspects: tuple[str, ...],
    tolerance: float,
    data: Path | None,
    board_file: Path,
    results: Path | None,
    as_json: bool,
) -> int:
    """Check DATASET as a round: its class balance, people's estimate, and every model with a result.

    Exits 1 if the classes are out of balance or a model named with --at-chance is not at chance: the
    95 % interval of its accuracy does not hold the accuracy of guessing.

    \b
    Example:
      steelyard round dynasent-r1 --at-chance model-0
    """
    from evaluator.data.datasets import read_dataset
    from evaluator.data.tasks import get_task
    from evaluator.records.store import Store
    from evaluator.score.reading import dataset_source, read_boards
    from evaluator.score.rounds import look_at

    boards = read_boards(board_file)
    spec = dataset_of(boards, dataset)
    if get_task(spec.task).answer == "text":
        raise click.UsageError(f"DATASET {dataset}: its answers are texts, which have no classes to balance")
    read = read_dataset(dataset_source(spec, data or board_file.parent / boards.data))
    store = Store(results_directory(board_file, boards, results))
    found = look_at(read, get_task(spec.task).metric, store, tolerance)
    problems = _problems(found, suspects, tolerance)
    print_json(_document(found, problems)) if as_json else _print(found, problems)
    return 1 if problems else 0


def _problems(found: Round, suspects: tuple[str, ...], tolerance: float) -> list[str]:
    standings = {standing.model: standing for standing in found.standings}
    problems = []
    if not found.balance.even:
        problems.append(
            f"the classes are out of balance: a share is more than {tolerance:g} points from equal"
        )
    for model in suspects:
        if model not in standings:
            problems.append(
                f"{model}: has no result on this revision of {found.dataset.id}; evaluate or import it"
            )
        elif standings[model].chance != "at":
            problems.append(f"{model}: is {standings[model].chance} chance")
    return problems


def _document(found: Round, problems: list[str]) -> dict[str, object]:
    return {
        "dataset": found.dataset.id,
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


def _print(found: Round, problems: list[str]) -> None:
    from evaluator.score.scores import scores_line

    examples = len(found.dataset.gold)
    scored = counted(examples, "example")
    dropped = ", ".join(f"{count} {reason}" for reason, count in found.dataset.dropped.items())
    click.echo(f"{found.dataset.id}: {scored} scored" + (f"; left out: {dropped}" if dropped else ""))
    for label, count in found.balance.counts.items():
        click.echo(f"  {label}: {count} ({count / examples:.1%})")
    click.echo(f"guessing: {found.guessing:.1%} accuracy")
    click.echo(
        f"people: {scores_line(found.people) if found.people else 'no estimate: the responses are not kept'}"
    )
    for standing in found.standings:
        click.echo(f"{standing.model}: {_line(standing, found.metric)}")
    for problem in problems:
        click.echo(f"problem: {problem}")


def _line(standing: Standing, metric: str) -> str:
    interval = f"{standing.low:.1%} to {standing.high:.1%}"
    people = {True: "; reaches people: solved", False: "; below people", None: ""}[standing.solved]
    return (
        f"accuracy {standing.accuracy:.1%} ({interval}), {standing.chance} chance;"
        f" {metric} {standing.score:.2f}{people}"
    )
