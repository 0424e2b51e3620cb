"""``steelyard try``: talk to a model."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evaluator.cli.options import adapter_option, chosen_labels, labels_option, task_option

if TYPE_CHECKING:
    from evaluator.tasks import Task


@click.command("try")
@click.argument("directory", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("text", nargs=-1)
@task_option
@labels_option
@adapter_option
def command(directory: Path, text: tuple[str, ...], task: str, labels: str | None, adapter: str) -> int:
    """Ask the model in DIRECTORY about TEXT, or about each line of standard input.

    A task with several input fields takes one TEXT for each, in the task's order, or on standard input
    lines with a tab between them.

    \b
    Examples:
      steelyard try examples/my-model "a fine film"
      steelyard try my-nli-model --task nli "It rained all day." "The day was dry."
    """
    from evaluator.tasks import get_task
    from evaluator.worker import Limits, ModelToLoad, Placement, Worker, WorkerError

    spec = get_task(task)
    chosen = chosen_labels(spec, labels)
    wrong = 0
    with Worker(ModelToLoad(adapter, directory, {}, task, chosen), Limits(), Placement()) as worker:
        try:
            worker.start()
        except WorkerError as error:
            raise ValueError(f"{directory}: {error.message}") from None
        for example in _examples(text, spec):
            try:
                reply = worker.predict(example)
                answer = spec.check_output(reply.output, chosen)
                text_or_label = chosen[answer.label] if answer.text is None else answer.text
                shown = json.dumps(reply.output, ensure_ascii=False)
                click.echo(f"{text_or_label}  ({reply.elapsed_ns / 1e6:.2f} ms)  {shown}")
            except (ValueError, WorkerError) as error:
                wrong += 1
                click.echo(f"error: {error}", err=True)
    return 1 if wrong else 0


def _examples(text: tuple[str, ...], task: Task) -> Iterator[dict[str, Any]]:
    """One example for as many texts as the task has fields."""
    width = len(task.fields)
    fields = ", ".join(task.fields)
    if len(text) % width:
        raise click.UsageError(
            f"TEXT: {len(text)} texts; {task.name} takes {width} for each question: {fields}"
        )
    for start in range(0, len(text), width):
        yield dict(zip(task.fields, text[start : start + width], strict=True))
    for number, line in enumerate([] if text else sys.stdin, start=1):
        parts = [line.rstrip("\n")] if width == 1 else line.rstrip("\n").split("\t")
        if len(parts) != width:
            raise click.UsageError(f"line {number}: write {fields} with a tab between them")
        yield dict(zip(task.fields, parts, strict=True))
