"""A ranking in words."""

from __future__ import annotations

from typing import Any

import pytest
from shown_boards import read, shown_board

from evaluator.rank.score_sentences import (
    found_sentences,
    leaders,
    orders_compared,
    pair_rule,
    rates_explained,
    score_explained,
)

MOST = {"metric": "memory", "bound": "most", "value": 1.0}
LEAST = {"metric": "acc", "bound": "least", "value": 70.0}


def test_a_score_is_the_sum_of_what_its_metrics_are_worth() -> None:
    """A cost enters as the largest on the board less its value; the formula has the table's numbers."""
    found = score_explained(shown_board(), 1)
    memory = found["rows"]["memory"]
    assert (memory["share"], read(memory["value"])) == ("20.0 %", "2.00 − 1.00 = 1.00")
    parts = f"80.0 % × 70.00 + 20.0 % × {memory['converted']}"
    assert read(found["formula"]) == f"Dynascore of SVM = {parts} = {found['score']} %"
    assert read(found["question"]) == "What would put SVM first?"


def test_without_a_choice_the_leader_is_explained() -> None:
    """What would put it first is no question."""
    found = score_explained(shown_board(), None)
    assert (found["model"], found["name"]) == (0, "BERT")
    assert found["question"] == []


def test_a_metric_without_weight_is_idle() -> None:
    """It adds nothing and is not in the formula."""
    found = score_explained(shown_board(metrics={"acc": 1.0}), 0)
    assert (found["rows"]["memory"]["idle"], found["rows"]["memory"]["contribution"]) == (True, "0.00")
    assert read(found["formula"]) == "Dynascore of BERT = 100.0 % × 80.00 = 80.00 %"


def test_a_model_without_a_rank_lacks_a_value() -> None:
    """The formula's place says which; nothing has weight where all weights are zero."""
    values = (80.0, 70.0, 60.0), (2.0, 1.0, None)
    found = score_explained(shown_board(values=values), 2)
    assert read(found["formula"]) == "Rules is not ranked: it has no value for Memory."
    assert read(found["rows"]["memory"]["value"]) == "missing"
    nothing = score_explained(shown_board(metrics={"acc": 0.0}), 0)
    assert read(nothing["formula"]) == "BERT is not ranked: nothing has weight."


def test_rates_say_what_a_unit_is_worth_and_which_pair_drives_them() -> None:
    """The base metric's own rate is the base; a cost has a sentence."""
    found = rates_explained(shown_board(), 0)
    accuracy, memory = found["rows"]["acc"], found["rows"]["memory"]
    assert (accuracy["unit"], accuracy["worth"], memory["unit"]) == ("base", "", "GB")
    assert memory["worth"].startswith("each worth ")
    assert (
        found["worth"]
        == f"At these weights 1 GB of Memory is {memory['worth'].removeprefix('each ')} of Accuracy."
    )
    assert read([memory["drives"]]).split(" % from ")[1] in (
        "BERT and SVM",
        "SVM and Rules",
        "BERT and Rules",
    )
    spread = "Memory of 3 models: 0.50 to 2.00, median 1.00, BERT 2.00"
    assert read([memory["spread"]]) == spread


def test_a_rate_without_a_pair_says_why_there_is_none() -> None:
    """Two models that are level in the base metric trade nothing."""
    found = rates_explained(shown_board(("A", "B"), ((80.0, 80.0), (2.0, 1.0))))
    row = found["rows"]["memory"]
    assert (row["rate"], row["fragile"], row["flagged"]) == ("—", False, True)
    assert row["drives"]
    assert (
        found["count"]
        == f" · {len(found['notes'])} note{'s' if len(found['notes']) > 1 else ''} at these weights"
    )


def test_leaders_are_named_with_the_ranks_they_may_hold() -> None:
    """Where these are known."""
    shown = shown_board()
    assert read([leaders(shown)]) == "Top three: 1 BERT, 2 SVM, 3 Rules"
    sets = [[1, 2], [1, 1], None]
    assert read([leaders(shown, sets)]) == "Top three: 1 BERT, may be 1 to 2, 2 SVM, may be 1, 3 Rules"


def test_two_orders_are_compared() -> None:
    """Models with another rank by z-scores are listed with both."""
    assert orders_compared(shown_board())["rows"] == []
    shown = shown_board(values=((80.0, 79.9, 60.0), (9.0, 0.1, 0.5)), metrics={"acc": 3.0, "memory": 1.0})
    found = orders_compared(shown)
    moved = [(label, by_score, by_z) for label, by_score, by_z, _ in found["rows"]]
    assert all(by_score != by_z for _, by_score, by_z in moved)
    same = "Both put the 3 ranked models in the same order."
    assert found["summary"] == (
        f"{3 - len(moved)} of 3 models have the same rank by both." if moved else same
    )


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (([], "all", 2, 3), "2 of 3 models. Ranks and exchange rates are among all 3."),
        (([], "left", 2, 2), "2 of 3 models. Ranks, scores and exchange rates are among these 2 alone."),
        (([], "left", 0, 0), "0 of 3 models. No model is left to be ranked."),
        (
            ([MOST], "all", 2, 2),
            "2 of 3 models use at most 1 GB (Memory). The first of these is \u2068SVM\u2069, at rank 2."
            " Limits change nobody’s score: ranks and exchange rates are among all 3.",
        ),
        (
            ([MOST, LEAST], "left", 0, 1),
            "1 of 3 models use at most 1 GB (Memory) and have at least 70 % (Accuracy), 0 of which are shown."
            " Ranks, scores and exchange rates are among this one alone.",
        ),
    ],
)
def test_what_is_left_is_counted(asked: tuple[Any, ...], words: str) -> None:
    """By search, filters and limits, and among whom ranks are."""
    assert found_sentences(shown_board(), *asked) == words


def test_models_without_a_number_are_counted_beside_a_limit() -> None:
    """They are left out, and nobody loses them."""
    shown = shown_board(values=((80.0, 70.0, 60.0), (2.0, None, 0.5)))
    assert "1 of the others has no number for what is limited" in found_sentences(shown, [MOST], "all", 1, 1)


@pytest.mark.parametrize(
    ("limits", "filtered", "words"),
    [
        (
            [("memory", "most", 0.9)],
            None,
            "Just outside, within 10 % of your limit: BERT (0.904 GB), kNN (0.93 GB) and HMM (0.93 GB). ",
        ),
        (
            [("memory", "most", 0.85)],
            None,
            "Just outside, within 10 % of your limit: SVM (0.87 GB), BERT (0.90 GB), kNN (0.93 GB) and 1 more. ",
        ),
        ([("memory", "most", 0.85)], [0, 2], "Just outside, within 10 % of your limit: BERT (0.90 GB). "),
        # One limit that is far is enough, and nothing is near nothing.
        ([("memory", "most", 0.9), ("acc", "least", 99.0)], None, None),
        (
            [("memory", "most", 0.9), ("acc", "least", 81.0)],
            None,
            "Just outside, within 10 % of your limits: BERT (0.904 GB, 80.00 %). ",
        ),
        ([("memory", "most", 0.0)], None, None),
        ([("acc", "most", -1.0)], None, None),
    ],
)
def test_models_just_outside_limits_are_named_with_their_values(
    limits: list[tuple[str, str, float]], filtered: list[int] | None, words: str | None
) -> None:
    """The closest ones, of those that filters leave, with the decimals that say that they are outside."""
    models = ("BERT", "SVM", "Rules", "kNN", "HMM", "CRF")
    values = (80.0, 50.0, 40.0, 30.0, 20.0, None), (0.904, 0.87, 2.0, 0.93, 0.934, None)
    asked = [dict(zip(("metric", "bound", "value"), limit, strict=True)) for limit in limits]
    said = read([found_sentences(shown_board(models, values), asked, "all", 0, 0, filtered)])
    assert words in said if words else "Just outside" not in said


@pytest.mark.parametrize(
    ("threshold", "words"),
    [
        (
            {"kind": "relative", "epsilon": 0.0001},
            "Accuracy differs by more than 0.0001 times the largest value",
        ),
        ({"kind": "absolute", "epsilon": 0.5}, "Accuracy differs by more than 0.5 %"),
    ],
)
def test_the_rule_for_pairs_is_said_in_the_base_metric(threshold: dict[str, Any], words: str) -> None:
    """With its unit, or as a part of its largest value."""
    assert pair_rule(shown_board(), threshold) == words
