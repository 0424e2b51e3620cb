"""``steelyard try``: talk to a model."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click


@click.command("try")
@click.argument("directory", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("text", nargs=-1)
@click.option("--task", default="sentiment", show_default=True)
@click.option(
    "--labels", default="negative,positive", show_default=True, help="The labels it must choose from."
)
@click.option("--adapter", default="handler", show_default=True)
def command(directory: Path, text: tuple[str, ...], task: str, labels: str, adapter: str) -> int:
    """Ask the model in DIRECTORY about TEXT, or about each line of standard input.

    \b
    Example:
      steelyard try examples/my-model "a fine film"
    """
    from evaluator.tasks import get_task
    from evaluator.worker import Limits, ModelSpec, Placement, Worker, WorkerError

    chosen = tuple(labels.split(","))
    asked = get_task(task)
    wrong = 0
    with Worker(ModelSpec(adapter, directory, {}, task, chosen), Limits(), Placement()) as worker:
        try:
            worker.start()
        except WorkerError as error:
            raise ValueError(f"{directory}: {error.message}") from None
        for line in text or map(str.rstrip, sys.stdin):
            try:
                reply = worker.predict({asked.fields[0]: line})
                answer = asked.check_output(reply.output, chosen)
                click.echo(
                    f"{chosen[answer.label]}  ({reply.elapsed_ns / 1e6:.2f} ms)  {json.dumps(reply.output)}"
                )
            except (ValueError, WorkerError) as error:
                wrong += 1
                click.echo(f"error: {error}", err=True)
    return 1 if wrong else 0
