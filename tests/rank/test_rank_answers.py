"""What a page asks of rank sets."""

from __future__ import annotations

import json
import random
from dataclasses import asdict
from typing import Any

import pytest
from test_rank_sets import answers, one_metric, random_board

from evaluator.rank.dynascore import Board, Question
from evaluator.rank.rank_answers import open_sweep, rank_answer
from evaluator.rank.rank_sets import Certainty
from evaluator.rank.significance import tie_words


def as_lists(sets: Any) -> list[list[int] | None]:
    return [None if found is None else list(found) for found in sets]


def test_a_sweep_finds_the_sets_of_certainty() -> None:
    """On 60 random boards a sweep, of all rows and of some, has the sets and the gap of `Certainty`."""
    chance = random.Random(3)
    for _ in range(60):
        board, data, question = random_board(chance)
        floored = [name for name in board.models if chance.random() < 0.2]
        board = Board(board.models, list(board.metrics.values()), board.values, board.base, floored=floored)
        certainty = Certainty.from_dict(board, data)
        expected = as_lists(certainty.sets(question).sets)
        whole = rank_answer(certainty, question)
        assert (whole["sets"], whole["gap"]) == (expected, certainty.smallest_gap(question))
        rows = chance.sample(range(len(board.models)), 2)
        some = rank_answer(certainty, question, rows)["sets"]
        assert some == [found if index in rows else None for index, found in enumerate(expected)]


@pytest.mark.parametrize(
    ("tied", "whole", "who"),
    [
        (3, True, "Tie of three (blue edge)"),
        (12, True, "Tie of 12 (blue edge)"),
        (2, False, "Models with a blue edge tie"),
    ],
)
def test_a_tie_is_told_below_a_table_as_above_it(tied: int, whole: bool, who: str) -> None:
    """By how many tie, as the verdict does; where not all were asked about, nobody knows how many."""
    said = tie_words(tied, whole)
    assert said == f"{who}: other examples of the same kind could put any of them first."


def test_a_page_gets_json() -> None:
    """Sets of a question come as JSON, as a worker hands them on."""
    certainty = one_metric(answers(2, 3, 500), right={"accuracy": [9, 5, 1]}, apart={"accuracy": [6, 8, 6]})
    question = asdict(Question({"accuracy": 1}))
    sweep = open_sweep(certainty, json.dumps({"question": question, "rows": None}))
    assert sweep.step()
    assert json.loads(sweep.json()) == rank_answer(certainty, Question({"accuracy": 1}))


def test_what_is_unknown_is_said_once() -> None:
    """A board of reported numbers has one sentence, one with some such models a sentence a reason."""
    why = "published without examples"
    nobody = one_metric(answers(3, 4, 50), unknown={"accuracy": dict.fromkeys(range(4), why)})
    assert rank_answer(nobody, Question())["words"] == f"How sure these ranks are is unknown: {why}."
    one = one_metric(answers(3, 4, 50), unknown={"accuracy": {2: why}})
    assert rank_answer(one, Question())["words"].endswith(f"Unknown for 1 model: accuracy: {why}.")
