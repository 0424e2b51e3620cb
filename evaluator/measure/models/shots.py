"""Examples for a prompt: drawn from a training set, or written in the board file; never from the test set.

This runs where gold labels may be seen. A worker gets the drawn examples as the option ``examples``, and
nothing of the dataset that its model is asked about.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from evaluator.data.datasets import Dataset
from evaluator.data.tasks import get_task
from evaluator.measure.models.pretrained import whole_number
from evaluator.records.errors import UserError

#: The adapters whose prompts have examples, and how many examples there may be.
PROMPTED = ("transformers-causal",)
MOST = 1000


def with_examples(
    options: Mapping[str, Any], seed: int, train: Dataset | None, asked: Dataset | None
) -> dict[str, Any]:
    """The options with `shots`, a number, replaced by `examples`, drawn from `train`.

    `asked` is the dataset that the model will answer: none of its examples is shown. Raises `UserError`
    if there is nothing to draw from, too little, or an example written by hand is one of `asked`.
    """
    count = whole_number(options, "shots", 0, MOST, 0)
    if count and "examples" in options:
        raise UserError("options.examples", f"options.shots is {count} too", "leave one of them out")
    if count and train is None:
        raise UserError(
            "train", "missing", f"name the training set that the {count} options.shots are drawn from"
        )
    if train is not None and not count:
        raise UserError(
            "train", f"{train.id} is given, but options.shots says to draw none", "give a number or drop it"
        )
    rest = {name: value for name, value in options.items() if name != "shots"}
    if not count or train is None:
        _check_written(rest, asked)
        return rest
    return {**rest, "examples": draw(train, count, seed, asked, bool(options.get("unanswerable")))}


def draw(
    train: Dataset, count: int, seed: int, asked: Dataset | None = None, silence: bool = False
) -> list[dict[str, str]]:
    """`count` examples of a training set: input fields with ``label``, or ``answer`` for a task of texts.

    Each example has a place in a lottery, the SHA-256 of the seed and of its texts, so that equal data and
    seed draw the same whatever the order of the file. Labels take turns, so that no two of them differ by
    more than one example where there are enough. Left out: what `asked` holds too, and questions without
    an answer unless there are words for that (`silence`). Raises `UserError` if fewer are left.
    """
    _check_labels(train, asked)
    fields = get_task(train.task).fields
    taken = {_key(example, fields) for example in asked.examples} if asked else set()
    queues: dict[str, dict[str, dict[str, str]]] = defaultdict(dict)
    for example, gold in zip(train.examples, train.gold, strict=True):
        shown = {name: str(example[name]) for name in fields} | _answer(gold)
        if _key(example, fields) not in taken and (silence or shown.get("answer") != ""):
            queues[shown.get("label", "")][_lot(seed, shown)] = shown
    lots = _by_turns([sorted(queue.items()) for _, queue in sorted(queues.items())], count)
    if len(lots) < count:
        raise UserError(
            "options.shots",
            f"{count} is more than the {len(lots)} examples of {train.id} that may be shown",
            "give a smaller number",
        )
    # In the order of the lottery again: labels in turn would be a pattern to repeat.
    return [shown for _, shown in sorted(lots, key=lambda lot: lot[0])]


def _by_turns(
    queues: Sequence[list[tuple[str, dict[str, str]]]], count: int
) -> list[tuple[str, dict[str, str]]]:
    """The first `count`, one from each queue in turn; which label begins is a matter of the lottery, too."""
    order = sorted((queue for queue in queues if queue), key=lambda queue: queue[0][0])
    rounds = range(max(map(len, order), default=0))
    return [queue[turn] for turn in rounds for queue in order if turn < len(queue)][:count]


def _lot(seed: int, shown: Mapping[str, str]) -> str:
    text = "\0".join([str(seed), *(f"{name}\0{value}" for name, value in sorted(shown.items()))])
    return hashlib.sha256(text.encode()).hexdigest()


def _answer(gold: Any) -> dict[str, str]:
    return {"label": gold} if isinstance(gold, str) else {"answer": str(gold[0])}


def _key(example: Mapping[str, Any], fields: Iterable[str]) -> tuple[str, ...]:
    """The same for texts that differ in case and white space only."""
    return tuple(" ".join(str(example[name]).casefold().split()) for name in fields)


def _check_labels(train: Dataset, asked: Dataset | None) -> None:
    """Raise `UserError` unless training examples have the labels that the model may answer with."""
    if get_task(train.task).answer == "text":
        return
    wanted = asked.labels if asked else train.labels
    if set(train.gold_labels) != set(wanted):
        raise UserError(
            "train",
            f"{train.id} has the labels {', '.join(train.gold_labels)}, not {', '.join(wanted)}",
            "name a training set with the labels of the dataset that is answered",
        )


def _check_written(options: Mapping[str, Any], asked: Dataset | None) -> None:
    """Raise `UserError` if an example written in the board file is one of the dataset that is answered."""
    given = options.get("examples", [])
    if asked is None or not isinstance(given, list):
        return
    fields = get_task(asked.task).fields
    taken = {_key(example, fields) for example in asked.examples}
    for place, example in enumerate(given):
        # What is not even a table with the fields is refused when the prompt is read.
        whole = isinstance(example, Mapping) and all(name in example for name in fields)
        if whole and _key(example, fields) in taken:
            raise UserError(
                f"options.examples[{place}]",
                f"it is an example of {asked.id}, on which the model is tested",
                "use others",
            )
