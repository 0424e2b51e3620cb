"""``steelyard check``: a model against its task's specification, or stored results against each other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from evaluator.cli.options import (
    adapter_option,
    board_option,
    chosen_labels,
    json_option,
    labels_option,
    print_json,
    results_directory,
    results_option,
    task_option,
)


@click.command("check")
@click.argument("directory", required=False, type=click.Path(exists=True, file_okay=False, path_type=Path))
@task_option
@labels_option
@adapter_option
@click.option("--seed", type=int, default=0, show_default=True, help="Which difficult inputs to make.")
@board_option
@results_option
@json_option
def command(
    directory: Path | None,
    task: str,
    labels: str | None,
    adapter: str,
    seed: int,
    board_file: Path,
    results: Path | None,
    as_json: bool,
) -> int:
    """Run the model in DIRECTORY over seeded, difficult inputs, in a worker process as `evaluate` does.

    Without DIRECTORY, check the stored results: that every file can be read and is what its result says,
    that predictions fit the examples they are about, and that nothing is published which the board file
    keeps back. Exits 1 if anything is wrong, with a message for each.

    \b
    Examples:
      steelyard check examples/my-model
      steelyard check --results results
    """
    if directory is None:
        return _check_results(board_file, results, as_json)
    if results is not None:
        raise click.UsageError("--results: says which results to check; leave it out to check a model")
    problems, asked = _check(directory, task, labels, adapter, seed)
    if as_json:
        print_json({"asked": asked, "problems": problems})
    else:
        for problem in problems:
            click.echo(f"{problem['kind']}: {problem['message']}\n  input: {problem['input']}")
        click.echo(f"{directory}: {asked - len(problems)} of {asked} inputs answered as {task} asks")
    return 1 if problems else 0


def _check_results(board_file: Path, results: Path | None, as_json: bool) -> int:
    from evaluator.board import load_boards
    from evaluator.run.checking import stored_problems
    from evaluator.store import Store

    boards = load_boards(board_file)
    store = Store(results_directory(board_file, boards, results))
    problems = list(stored_problems(store, boards))
    checked = len(store.paths())
    if as_json:
        print_json({"results": checked, "problems": problems})
    else:
        for problem in problems:
            click.echo(problem)
        click.echo(f"{store.root}: {len(problems)} problems in {checked} results")
    return 1 if problems else 0


def _check(
    directory: Path, task_name: str, given: str | None, adapter: str, seed: int
) -> tuple[list[dict[str, Any]], int]:
    from evaluator.tasks import FieldError, get_task
    from evaluator.worker import Limits, ModelSpec, Placement, Worker, WorkerError

    task = get_task(task_name)
    labels = chosen_labels(task, given)
    examples = task.mock_examples(seed)
    problems: list[dict[str, Any]] = []
    with Worker(ModelSpec(adapter, directory, {}, task_name, labels), Limits(), Placement()) as worker:
        try:
            worker.start()
            for example in examples:
                shown = ascii(task.inputs(example))[:80]
                try:
                    task.check_output(worker.predict(task.inputs(example)).output, labels)
                except FieldError as error:
                    problems.append({"kind": "invalid-answer", "message": str(error), "input": shown})
                except WorkerError as error:
                    problems.append({"kind": error.kind, "message": error.message, "input": shown})
                    if error.fatal:
                        break
        except WorkerError as error:
            problems.append({"kind": error.kind, "message": error.message, "input": "(loading)"})
    return problems, len(examples)
