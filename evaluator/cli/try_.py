"""``steelyard try``: talk to a model."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
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
)
from evaluator.cli.options import board_option, completes, data_option, json_option, work_option
from evaluator.cli.printing import BAD, in_colour, is_quiet, print_json, printable
from evaluator.rank.formats import counted

if TYPE_CHECKING:
    from evaluator.data.tasks import Task
    from evaluator.measure.worker import Worker


@click.command("try")
@click.argument("model", shell_complete=completes("models"))
@click.argument("text", nargs=-1)
@task_option
@labels_option
@adapter_option
@adapter_options_option
@board_option
@data_option
@work_option
@json_option
def command(model: str, text: tuple[str, ...], as_json: bool, **given: Any) -> int:
    """Ask MODEL, a folder or the id of a model of the board file, about TEXT, or about each line of standard
    input.

    A task with several input fields takes one TEXT for each, in the task's order, or on standard input
    lines with a tab between them. A model with a recipe is prepared first, unless it has been already.

    \b
    Examples:
      steelyard try examples/my-model "a fine film"
      steelyard try my-nli-model --task nli "It rained all day." "The day was dry."
      steelyard try tfidf-logreg --data ../data "a fine film"
      steelyard try my-bert --adapter transformers --option max_length=64 "a fine film"
    """
    from evaluator.measure.worker import WorkerError

    asked = asked_model(Choice(model, **given))
    replies: list[dict[str, Any]] = []
    with asked.worker() as worker:
        try:
            worker.start()
        except WorkerError as error:
            raise ValueError(f"{model}: {error.message}") from None
        for example in _examples(text, asked.task):
            replies.append(_reply(worker, example, asked))
            if not as_json:
                _print(replies[-1])
    if as_json:
        print_json(replies)
    return 1 if any("error" in reply for reply in replies) else 0


def _reply(worker: Worker, example: dict[str, Any], asked: AskedModel) -> dict[str, Any]:
    """What the model answered to an example: the label or text, milliseconds, its own words; or the error."""
    from evaluator.measure.worker import WorkerError

    try:
        reply = worker.predict(example)
        answer = asked.task.check_output(reply.output, asked.labels)
    except (ValueError, WorkerError) as error:
        return {"input": example, "error": str(error)}
    meant = asked.labels[answer.label] if answer.text is None else answer.text
    return {"input": example, "answer": meant, "ms": reply.elapsed_ns / 1e6, "output": reply.output}


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
