"""``steelyard check``: a model against its task's specification, or stored results against each other."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evaluator.cli.asked_model import (
    AskedModel,
    Choice,
    adapter_option,
    adapter_options_option,
    asked_model,
    labels_option,
    task_option,
    work_option,
)
from evaluator.cli.options import board_option, completes, data_option, json_option, results_option
from evaluator.cli.printing import (
    BAD,
    GOOD,
    by_file,
    grouped,
    in_colour,
    note,
    print_json,
    printable,
    summarise,
)
from evaluator.rank.formats import counted

if TYPE_CHECKING:
    from evaluator.publish.checking import Checked


@click.command("check")
@click.argument("model", required=False, shell_complete=completes("models"))
@task_option
@labels_option
@adapter_option
@adapter_options_option
@work_option
@click.option("--seed", type=int, default=0, show_default=True, help="Which difficult inputs to make.")
@board_option
@data_option
@results_option
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
    "--max-file", type=float, default=10.0, show_default=True, help="MB that a result file may have."
)
@click.option(
    "--max-total", type=float, default=800.0, show_default=True, help="MB that all of them may have."
)
@click.option(
    "--quality", metavar="[BOARD]", is_flag=False, flag_value="", shell_complete=completes("boards"),
    help="Print how each board, or this one, meets the criteria of BetterBench, and nothing else.",
)  # fmt: skip
@json_option
def command(
    model: str | None,
    seed: int,
    board_file: Path,
    data: Path | None,
    results: Path | None,
    against: str | None,
    comment: Path | None,
    gate: tuple[str, ...],
    max_file: float,
    max_total: float,
    quality: str | None,
    as_json: bool,
    **given: Any,
) -> int:
    """Run MODEL, a folder or the id of a model of the board file, over seeded, difficult inputs, in a worker
    process as `evaluate` does.

    Without MODEL, check the board file and the stored results: that all that the board file names is
    there, that every file can be read and is what its result says, that scores are what the stored
    predictions give, as far as the right answers are here (--data), that nothing is published which the
    board file keeps back, that snapshots have the hashes they should, and that no file is foreign or too
    large. Exits 1 if anything is wrong, with a message for each. Scores that could not be computed again
    are counted.

    With --against, also what has changed since REVISION and HEAD had a commit in common: no result may be
    removed, no published snapshot changed, no number changed that was not measured again, and new numbers
    must be comparable with those beside them (timing apart, which is only noted); the changes of ranks are
    shown, with rank sets. With --gate it is wrong too if a model is not ranked any more, or if its Dynascore
    fell by more than chance. Results are data: nothing that the repository holds or its board file names is
    run, so this is safe on changes of people you do not know.

    With --quality, print the criteria of BetterBench (Reuel et al. 2024), which the page on a board's quality
    shows: each is proven by the files, stated in the board file under [quality], or not met. Exits 0.

    \b
    Examples:
      steelyard check examples/my-model
      steelyard check tfidf-logreg --data ../data
      steelyard check --data ../data
      steelyard check --against origin/main --comment comment.md
      steelyard check --quality sst-2
      steelyard check --against origin/main --gate tfidf-logreg
    """
    if quality is not None:
        _refuse_others(
            given,
            {"MODEL": model, "--against": against, "--comment": comment, "--gate": gate, "--data": data},
        )
        from evaluator.cli.quality import print_quality

        print_quality(board_file, results, quality, as_json)
        return 0
    if model is None:
        _refuse_options(given)
        for option, given_to in (("--comment", comment), ("--gate", gate)):
            if given_to and against is None:
                raise click.UsageError(f"{option}: is about changes; say since when with --against")
        sizes = (max_file, max_total)
        return _check_results(board_file, data, results, against, comment, gate, sizes, as_json)
    stored_only = {"--results": results, "--against": against, "--comment": comment, "--gate": gate}
    for option, value in stored_only.items():
        if value:
            raise click.UsageError(f"{option}: is for stored results; leave it out to check a model")
    asked = asked_model(Choice(model, board_file=board_file, data=data, **given))
    problems, answered, inputs = _check(asked, seed)
    if as_json:
        print_json({"asked": inputs, "answered": answered, "problems": problems})
    else:
        found = [(problem["input"], f"{problem['kind']}: {problem['message']}") for problem in problems]
        for line in grouped(found, "input"):
            click.echo(printable(line))
        text = f"{model}: {answered} of {inputs} inputs answered as {asked.task.name} asks"
        summarise(in_colour(text, BAD if problems else GOOD))
    return 1 if problems else 0


def _refuse_others(given: dict[str, Any], others: dict[str, object]) -> None:
    """Raise `click.UsageError` for what has nothing to do with quality."""
    _refuse_options(given)
    for name, value in others.items():
        if value:
            raise click.UsageError(
                f"--quality and {name}: give one of them; --quality is about a whole board"
            )


def _refuse_options(given: dict[str, Any]) -> None:
    """Raise `click.UsageError` for options that are about a model."""
    for name, value in given.items():
        if value:
            option = name.removesuffix("s") if name == "options" else name
            raise click.UsageError(f"--{option}: is about a model; say which")


def _check_results(
    board_file: Path,
    data: Path | None,
    results: Path | None,
    against: str | None,
    comment: Path | None,
    gate: tuple[str, ...],
    sizes: tuple[float, float],
    as_json: bool,
) -> int:
    from evaluator.measure.declared import model_problems
    from evaluator.publish.checking import check
    from evaluator.publish.comment import counts, markdown
    from evaluator.publish.files import MEGABYTE, Sizes

    limits = Sizes(*(round(size * MEGABYTE) for size in sizes))
    found = check(board_file, results, limits, model_problems, against, data, gate)
    if comment is not None:
        comment.write_text(markdown(found), encoding="utf-8")
    if as_json:
        print_json(asdict(found))
    else:
        _print_found(found)
        checked = counts(found) if against else counted(found.results, "result")
        count = in_colour(counted(len(found.problems), "problem"), BAD if found.problems else GOOD)
        summarise(f"{board_file}: {count} in {checked}")
    return 1 if found.problems else 0


def _print_found(found: Checked) -> None:
    """Problems; unless --quiet was given, notes and moves too."""
    from evaluator.publish.comment import moves

    for line in by_file(found.problems):
        click.echo(printable(line))
    for line in by_file(found.notes):
        note(printable(line))
    for line in moves(found):
        summarise(line)


def _check(asked: AskedModel, seed: int) -> tuple[list[dict[str, Any]], int, int]:
    """What is wrong, how many inputs the model answered as it should, and how many there are."""
    from evaluator.data.tasks import FieldError
    from evaluator.measure.worker import WorkerError

    task = asked.task
    examples = task.mock_examples(seed)
    problems: list[dict[str, Any]] = []
    answered, shown = 0, "(loading)"
    with asked.worker() as worker:
        try:
            worker.start()
            for example in examples:
                shown = ascii(task.inputs(example))[:80]
                try:
                    task.check_output(worker.predict(task.inputs(example)).output, asked.labels)
                    answered += 1
                except FieldError as error:
                    problems.append({"kind": "invalid-answer", "message": str(error), "input": shown})
                except WorkerError as error:
                    if error.fatal:
                        raise
                    problems.append({"kind": error.kind, "message": error.message, "input": shown})
        except WorkerError as error:
            # A model that is gone answers none of the inputs that are left.
            problems.append({"kind": error.kind, "message": error.message, "input": shown})
    return problems, answered, len(examples)
