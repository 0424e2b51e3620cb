"""What writers write about: prompts or contexts, with what is asked of the text; and who gets which next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from pydantic import TypeAdapter, model_validator

from evaluator.data.tasks import Task
from evaluator.records.base import Record, Slug
from evaluator.rounds.errors import CollectError
from evaluator.rounds.lines import read_lines


class WritingPrompt(Record):
    """Something to write about.

    `text` is shown to the writer. `inputs` are fields of the task that are given, such as a context; the
    writer fills in the others. `label` is the right answer that the text should have. `tags` go to its tries.
    """

    id: Slug
    text: str = ""
    inputs: dict[str, str] = {}
    label: str | None = None
    tags: dict[str, str] = {}

    @model_validator(mode="after")
    def _not_by_hand(self) -> WritingPrompt:
        if any(name.startswith("collect-") for name in self.tags):
            raise ValueError("tags: names that begin with collect- are taken; choose others")
        return self


PROMPT: TypeAdapter[WritingPrompt] = TypeAdapter(WritingPrompt)


def read_prompts(path: Path, task: Task, labels: Sequence[str]) -> dict[str, WritingPrompt]:
    """The prompts of a file of JSON lines, by id, in its order. Raises `CollectError`."""
    if not path.is_file():
        raise CollectError(f"{path}: no such file; put the prompts there, or correct prompts in board.toml")
    found: dict[str, WritingPrompt] = {}
    for number, prompt in read_lines(path, PROMPT):
        if isinstance(prompt, str):
            raise CollectError(prompt)
        _check(prompt, f"{path}:{number}", task, labels)
        if prompt.id in found:
            raise CollectError(f"{path}:{number}: id: {prompt.id!r} is used twice; give each its own")
        found[prompt.id] = prompt
    if not found:
        raise CollectError(f"{path}: has no prompts; write one JSON object a line")
    return found


def _check(prompt: WritingPrompt, where: str, task: Task, labels: Sequence[str]) -> None:
    for name in prompt.inputs:
        if name not in task.fields:
            raise CollectError(f"{where}: inputs: {name!r} is no field; use {', '.join(task.fields)}")
    if len(prompt.inputs) == len(task.fields):
        raise CollectError(f"{where}: inputs: nothing is left to write; leave one field out")
    if prompt.label is not None and labels and prompt.label not in labels:
        raise CollectError(f"{where}: label: {prompt.label!r} is no label; use one of {', '.join(labels)}")


def next_prompt(
    prompts: Sequence[WritingPrompt],
    mine: Mapping[str, int],
    others: Counter[str],
    most: int,
    skip: Collection[str],
) -> WritingPrompt | None:
    """The prompt that a writer gets: one begun, else the one that fewest others wrote for, in file order.

    `mine` and `others` count tries by prompt. So writers share prompts only where there are fewer prompts
    than writers, and a frozen round can be split by both. None when all are done.
    """
    left = [prompt for prompt in prompts if mine.get(prompt.id, 0) < most and prompt.id not in skip]
    begun = [prompt for prompt in left if mine.get(prompt.id, 0)]
    return next(iter(begun), None) or min(left, key=lambda prompt: others[prompt.id], default=None)
