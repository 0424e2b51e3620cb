"""``steelyard try``, and the model that it and `check` ask: a folder with a handler, or one of the board.

`check` asks it difficult inputs, and compares copies for the browser with their models.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evaluator.cli.options import Project, check_known, completes, project_options
from evaluator.cli.printing import BAD, in_colour, is_quiet, note, print_json, summarise
from evaluator.rank.formats import counted
from evaluator.records.errors import printable

if TYPE_CHECKING:
    from evaluator.data.tasks import Task
    from evaluator.measure.asked import AskedModel
    from evaluator.records.browser import BrowserCheck


task_option = click.option(
    "--task", help="What it is asked to do.  [default: as the board file says, else sentiment]"
)
labels_option = click.option(
    "--labels",
    help="The labels it must choose from, with commas; default: its first dataset's, else the task's first.",
)


def asked_model(project: Project, name: str, task: str | None, labels: str | None) -> AskedModel:
    """The model of a folder with a handler.py if there is one of that name, else of the board file.

    Raises `click.UsageError` if there is neither, and what preparing a model does.
    """
    from evaluator.data.tasks import TASKS, get_task
    from evaluator.measure.asked import AskedModel
    from evaluator.measure.run.plan import board_model, worker_limits
    from evaluator.measure.worker import Limits, ModelToLoad

    if Path(name).is_dir():
        check_known("--task", task or "sentiment", TASKS, "no such task")
        asked = TASKS[task or "sentiment"]
        chosen = _labels(asked, labels)
        return AskedModel(asked, ModelToLoad("handler", Path(name), {}, asked.name, chosen), Limits())
    if not project.board_file.exists():
        raise click.UsageError(
            f"MODEL {name!r}: no such folder, and no {project.board_file} that has models;"
            " correct the name or say --board"
        )
    boards = project.boards
    known = {model.id: model for model in boards.models}
    check_known("MODEL", name, known, "no such folder, and the board file has no such model")
    model = known[name]
    if task not in (None, model.task):
        raise click.UsageError(f"--task {task}: {model.id} is a model of {model.task}; leave it out")
    asked = get_task(model.task)
    chosen = _labels(asked, labels) if labels else ()
    to_load = board_model(model, boards, project.root, project.data, project.work, chosen)
    return AskedModel(asked, to_load, worker_limits(boards.limits))


def _labels(task: Task, given: str | None) -> tuple[str, ...]:
    """The labels as given, with commas between them, else the task's first set; checked by the task."""
    from evaluator.data.tasks import FieldError

    labels = task.in_labels(given.split(",")) if given else (task.label_sets or ((),))[0]
    try:
        task.check_labels(labels)
    except FieldError as error:
        raise click.UsageError(f"--{error}") from None
    return labels


def check_browser_copies(project: Project, models: tuple[str, ...]) -> int:
    """Copy models for the browser, those of browser_models where none is named, and print how far the copies
    agree; 1 if one cannot be offered."""
    from evaluator.records.errors import UserError
    from evaluator.tryit.checking import check_model

    boards = project.scoring_boards
    for name in models:
        check_known("MODEL", name, [model.id for model in boards.models], "the board file has no such model")
    chosen = models or boards.site.browser_models
    if not chosen:
        raise click.UsageError(
            f"MODEL: none is given, and [site] browser_models in {project.board_file} is empty; name some"
        )
    store, root, data, work = project.writable_store(), project.root, project.data, project.work
    checks: list[BrowserCheck] = []
    problems = 0
    for model in (model for model in boards.models if model.id in chosen):
        try:
            for check in check_model(model, boards, store, root, data, work, None):
                checks.append(check)
                if not project.as_json:
                    summarise(_agreement(check))
        except UserError as error:
            problems += 1
            note(f"{model.id}: {error}")
    if project.as_json:
        print_json([check.plain() for check in checks])
    return 1 if problems or not all(check.offered for check in checks) else 0


def _agreement(check: BrowserCheck) -> str:
    worst = check.largest_difference
    apart = "" if worst is None else f"; probabilities differ by at most {worst:.1g}"
    left = "" if check.offered else "; under 99 %, so the site does not offer it"
    counts = f"agrees on {check.agreed} of {check.asked}"
    return f"{check.model} on {check.dataset}: {counts}, {check.size / 1e6:.1f} MB{apart}{left}"


@click.command("try")
@click.argument("model", shell_complete=completes("models"))
@click.argument("text", nargs=-1)
@task_option
@labels_option
@project_options("data", "board", "work", "json")
def try_command(
    project: Project, model: str, text: tuple[str, ...], task: str | None, labels: str | None
) -> int:
    """Ask MODEL, a folder with a handler.py or the id of a model of the board file, about TEXT, or about each
    line of standard input.

    A task with several input fields takes one TEXT for each, in the task's order, or on standard input
    lines with a tab between them. A model with a recipe is prepared first, unless it has been already.

    \b
    Examples:
      steelyard try examples/my-model "a fine film"
      steelyard try my-nli-model --task nli "It rained all day." "The day was dry."
      steelyard try tfidf-logreg --data ../data "a fine film"
    """
    from evaluator.measure.worker import WorkerError

    asked = asked_model(project, model, task, labels)
    replies: list[dict[str, Any]] = []
    with asked.worker() as worker:
        try:
            worker.start()
        except WorkerError as error:
            raise ValueError(f"{model}: {error.message}") from None
        for example in _examples(text, asked.task):
            replies.append(asked.reply(worker, example))
            if not project.as_json:
                _print(replies[-1])
    if project.as_json:
        print_json(replies)
    return 1 if any("error" in reply for reply in replies) else 0


def _print(reply: dict[str, Any]) -> None:
    if "error" in reply:
        click.echo(f"{in_colour('error:', BAD)} {reply['error']}", err=True)
        return
    if is_quiet():
        click.echo(printable(reply["answer"]))
        return
    shown = json.dumps(reply["output"], ensure_ascii=False)
    click.echo(printable(f"{reply['answer']}  ({reply['ms']:.2f} ms)  {shown}"))


def _examples(text: tuple[str, ...], task: Task) -> Iterator[dict[str, Any]]:
    """One example for as many texts as the task has fields."""
    width = len(task.fields)
    fields = ", ".join(task.fields)
    if len(text) % width:
        raise click.UsageError(
            f"TEXT: {counted(len(text), 'text')}; {task.name} takes {width} for each question: {fields}"
        )
    for start in range(0, len(text), width):
        yield dict(zip(task.fields, text[start : start + width], strict=True))
    for number, line in enumerate([] if text else sys.stdin, start=1):
        parts = [line.rstrip("\n")] if width == 1 else line.rstrip("\n").split("\t")
        if len(parts) != width:
            raise click.UsageError(f"line {number}: write {fields} with a tab between them")
        yield dict(zip(task.fields, parts, strict=True))
