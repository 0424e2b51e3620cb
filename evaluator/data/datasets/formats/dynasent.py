"""DynaSent v1.1 (Potts et al. 2021): sentences with five people's responses each, rounds 1 and 2.

The gold label is the response chosen by at least three of the five. Examples for which that is "mixed",
or there is none, are no part of the ternary task: they are left out and counted.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from evaluator.data.datasets.formats.base import Format, Item, Left, no_columns
from evaluator.data.datasets.formats.nodes import GivenItem, Node, Wrong, each
from evaluator.data.datasets.rows import cut
from evaluator.data.datasets.source import DatasetSource
from evaluator.data.plain_text import FileText
from evaluator.data.tasks import FieldError, show

TERNARY = ("negative", "neutral", "positive")
RESPONSES = (*TERNARY, "mixed")
ANNOTATORS, MAJORITY = 5, 3
ROUNDS = (1, 2)


def _check(source: DatasetSource) -> None:
    no_columns(source)
    number = source.options.get("round")
    if number is not None and (type(number) is not int or number not in ROUNDS):
        raise FieldError("options.round", number, f"{show(number)} is not a round", "use 1 or 2")


def _read(text: FileText, source: DatasetSource) -> Iterator[GivenItem]:
    number = source.options.get("round")
    return each(cut(text, "jsonl"), lambda line, row: [_example(line, row, number)])


def _example(line: int, row: Node, number: int | None) -> Item | Left:
    values = {"id": row.name("text_id"), "statement": row.text("sentence")}
    if number is not None and not str(values["id"]).startswith(f"r{number}-"):
        raise Wrong("text_id", values["id"], f"is not of round {number}", "read it as the round it is of")
    votes = _responses(row.child("label_distribution"))
    gold = next((response for response in RESPONSES if votes.count(response) >= MAJORITY), None)
    _check_stated(row.at("gold_label"), gold)
    if gold is None or gold == "mixed":
        return Left(line, gold or "no majority")
    return Item(line, values, gold, {"round": str(number)} if number else {}, votes, validated=True)


def _responses(distribution: Node) -> tuple[str, ...]:
    """The five responses, from the list of workers under each; `Wrong` unless five people gave one each."""
    workers = {name: distribution.texts(name) for name in RESPONSES if distribution.has(name)}
    for name, value in distribution.value.items():
        if name not in RESPONSES:
            fix = f"use {', '.join(RESPONSES)}"
            raise Wrong(distribution.place, value, f"is under {show(name)}, which is no response", fix)
    everyone = [worker for given in workers.values() for worker in given]
    if not len(everyone) == len(set(everyone)) == ANNOTATORS:
        problem = f"has {len(everyone)} responses of {len(set(everyone))} workers"
        raise Wrong(distribution.place, distribution.value, problem, "give one each of five workers")
    return tuple(name for name, given in workers.items() for _ in given)


def _check_stated(stated: Any, gold: str | None) -> None:
    if stated != gold:
        chosen = "who do not agree" if gold is None else f"which is {show(gold)}"
        problem = f"{'null ' if stated is None else ''}is not what most of the workers chose, {chosen}"
        raise Wrong("gold_label", stated, problem, "correct one or the other")


DYNASENT = Format(
    "dynasent",
    ("sentiment",),
    _read,
    labels=TERNARY,
    label_map={label: label for label in TERNARY},
    options=("round",),
    check=_check,
    about="DynaSent 1.1, rounds 1 and 2: JSON lines; gold is what three of five people chose",
    columns={
        "text_id": "id",
        "sentence": "statement",
        "gold_label": "checked against the responses",
        "label_distribution": "the responses of five people, which decide the label",
    },
)
