"""What is certain of a ranking, in words."""

from __future__ import annotations

from typing import Any

import pytest
from shown_boards import read, shown_board
from test_rank_sets import answers, one_metric

from evaluator.rank.certainty_sentences import (
    alone_sentence,
    difference_sentence,
    first_place,
    leaving_lines,
    pairs_compared,
    rank_set_words,
)
from evaluator.rank.dynascore import Question
from evaluator.rank.rank_sets import Comparison
from evaluator.rank.score_sentences import Shown


@pytest.mark.parametrize(("found", "words"), [(None, "unknown"), ((2, 2), "2"), ((1, 4), "1–4")])
def test_a_rank_set(found: tuple[int, int] | None, words: str) -> None:
    """One rank, several, or unknown."""
    assert rank_set_words(found) == words


def test_two_models_of_which_nothing_is_known_cannot_be_told() -> None:
    """The question is about the one that is ranked higher, whoever was chosen first."""
    found = pairs_compared(shown_board(), None, [1, 0])
    assert read(found["title"]) == "Is BERT really above SVM?"
    nothing = "BERT and SVM: unknown, as nothing tells how their scores vary at these weights."
    assert [read(text) for text in found["paragraphs"]] == [nothing]


def test_two_models_are_told_apart_by_their_examples() -> None:
    """With the interval of the difference, and the examples that one of them alone got right."""
    certainty = one_metric(answers(1, 3, 400))
    board = certainty.board
    name = next(iter(board.metrics))
    metric = {"name": name, "label": name, "unit": "%", "amounts": "points", "one": "1 point"}
    about = {"metrics": [{**metric, "decimals": 2, "colour": 0, "cost": False, "cap": None}], "datasets": {}}
    found = pairs_compared(Shown(board, Question(), about), certainty, [0, 1, 2])
    assert read(found["title"]) == "Which of these are really above others?"
    for text in found["paragraphs"]:
        words = read(text)
        assert words.startswith("Difference ")
        assert "95 % interval" in words
        assert "these data cannot tell" in words or "is really above" in words


@pytest.mark.parametrize(
    ("difference", "interval", "words"),
    [
        (1.5, None, "Its score is 1.50 above this rival's; how much of that is chance is unknown."),
        (0.0, None, "Its score is that of this rival; how much of that is chance is unknown."),
        (
            -1.5,
            (-2.0, -1.0),
            "Its score is 1.50 below this rival's, 95 % interval −2.00 to −1.00: more than chance.",
        ),
        (
            1.0,
            (-0.5, 2.5),
            "Its score is 1.00 above this rival's, 95 % interval −0.50 to +2.50: these data cannot tell which is"
            " better.",
        ),
    ],
)
def test_a_rival(difference: float, interval: tuple[float, float] | None, words: str) -> None:
    """Above, below or level, and whether that can be told."""
    found = Comparison(difference, interval, {}, {})
    assert difference_sentence(difference, found) == words


@pytest.mark.parametrize(
    ("p_value", "end"),
    [
        (None, "The examples share sources, so they are no independent tests."),
        (0.2, "which may be chance (exact McNemar test, p = 0.200)."),
        (0.0001, "which is more than chance (exact McNemar test, p < 0.001)."),
    ],
)
def test_examples_that_one_model_alone_gets_right(p_value: float | None, end: str) -> None:
    """With the exact test, where their examples are independent."""
    words = alone_sentence("Accuracy", 1, 2, p_value)
    assert words.startswith("Accuracy: only this model gets 1 example right, only the other 2")
    assert words.endswith(end)


LEADS = {"metric": "acc", "weight": 9.5, "leader": 1}
OF_ALL = "Of all ways to weigh these 2 metrics, it "


@pytest.mark.parametrize(
    ("floored", "change", "share", "level", "words", "shares"),
    [
        (False, LEADS, 0.25, 0.0, "Accuracy at 9.5 instead of 4. ",
         OF_ALL + "leads in 25 %, and never ties with another leader."),
        (False, LEADS, 0.999, None, "Accuracy at 9.5 instead of 4. ",
         OF_ALL + "leads in over 99 %; how often it ties with the leader is unknown."),
        (False, None, 0.0, 0.001, "No weight of one metric alone does.",
         OF_ALL + "never leads, and ties with the leader in under 1 %."),
        (True, None, None, None,
         "No weight: it is no better than a constant answer, so it is ranked last.", ""),
    ],
)  # fmt: skip
def test_what_would_put_a_model_first(
    floored: bool, change: dict[str, Any] | None, share: float | None, level: float | None,
    words: str, shares: str,
) -> None:  # fmt: skip
    """The smallest change of one weight, and the share of all weightings."""
    found = {"leads": False, "floored": floored, "change": change, "share": share, "level": level}
    said = first_place(shown_board(), {"weighed": 2, **found})
    assert (read(said["change"]), said["shares"]) == (words, shares)
    assert said["set"] == (change and [change["metric"], change["weight"]])


def test_who_moves_when_a_model_leaves() -> None:
    """By rank, with a few of the moves."""
    moves = {1: [(0, 1, 2)], 0: [(2, 2, 1)] * 5}
    four = ", ".join(["Rules from 2 to 1"] * 4)
    lines = [read(line) for line in leaving_lines(shown_board(), moves)]
    assert lines == [f"Without BERT: {four} and 1 more.", "Without SVM: BERT from 1 to 2."]
    [nobody] = leaving_lines(shown_board(), {})
    assert read(nobody) == "Whichever model leaves, no other changes place."
