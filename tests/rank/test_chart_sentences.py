"""What the charts of a board find, in sentences."""

from __future__ import annotations

import pytest
from shown_boards import shown_board

from evaluator.rank.chart_sentences import (
    Found,
    agreement,
    answers_unknown,
    bars_caption,
    front_found,
    moves_found,
    strengths_found,
    winners_found,
)
from evaluator.rank.score_sentences import rates_explained


def plain(found: Found) -> Found:
    """Without what isolates names."""
    finding, remark = (text.replace("\u2068", "").replace("\u2069", "") for text in found)
    return finding, remark


def test_a_trade_off_is_told_by_its_front() -> None:
    shown = shown_board(values=((80.0, 70.0, None), (2.0, 1.0, 0.5)))
    finding, remark = plain(front_found(shown, "memory", "acc", [0, 1], 2))
    assert finding == "No model beats another on both Accuracy and Memory."
    assert remark == (
        "1 model has no number for one of the two and cannot be drawn."
        " 2 models that your search, filters and limits leave out are drawn as small dots."
    )
    three = shown_board(values=((80.0, 70.0, 60.0), (2.0, 1.0, 1.5)))
    finding, _ = plain(front_found(three, "memory", "acc", [0, 1], 0))
    assert finding == "No model beats these 2 on both Accuracy and Memory: BERT and SVM."
    best = plain(front_found(shown, "memory", "acc", [1], 0))[0]
    assert best.startswith("No trade-off here: SVM is at least as good")
    assert front_found(shown, "memory", "acc", None, 0)[0] == "2 models by Accuracy and Memory."
    assert front_found(shown, "acc", "acc", None, 0)[0].startswith("Every model by its Accuracy.")
    alone = shown_board(("BERT",), ((80.0,), (2.0,)))
    assert plain(front_found(alone, "memory", "acc", [0], 0))[0].startswith("BERT is the only model")


def test_strengths_are_places_not_scores() -> None:
    shown = shown_board()
    assert plain(strengths_found(shown, 0, 0))[0] == (
        "BERT, ranked 1, is strongest in Accuracy (1st of 3) and weakest in Memory (3rd of 3)."
    )
    assert plain(strengths_found(shown, 1, 0))[0] == "SVM, ranked 2, is 2nd in every metric."
    assert strengths_found(shown, None, 0)[0] == "No model is ranked at these weights."
    gap = shown_board(values=((80.0, None, 60.0), (2.0, None, 0.5)))
    finding, remark = plain(strengths_found(gap, 1, 1))
    assert finding == "SVM, not ranked, has no number for any metric."
    assert remark.startswith(
        "Where a number is missing the line has a gap (1 model). 1 model that your search"
    )


def test_numbers_that_say_nothing_of_a_model_are_compared_with_nobodys() -> None:
    """A model that answers the same to everything has a number, which is shown and is no place among others."""
    shown = shown_board(values=((80.0, 70.0, 60.0), (2.0, 1.0, 0.5)))
    shown.metrics = [shown.metrics[0], {**shown.metrics[1], "one_answer": [2]}]
    finding, remark = plain(front_found(shown, "memory", "acc", [0, 1], 0))
    assert finding == "No model beats another on both Accuracy and Memory."
    assert remark == "Rules answers the same to everything and is left out of Memory."
    finding, remark = plain(strengths_found(shown, 1, 0))
    assert finding == "SVM, ranked 2, is strongest in Memory (1st of 2) and weakest in Accuracy (2nd of 3)."
    assert remark == "Rules answers the same to everything and is left out of Memory."
    assert plain(strengths_found(shown, 2, 0))[0] == "Rules, ranked 3, is 3rd in every metric."
    assert rates_explained(shown, 2)["rows"]["memory"]["spread"] == (
        "Memory of 2 models: 1.00 to 2.00, median 1.50"
    )


@pytest.mark.parametrize(
    ("before", "finding"),
    [
        (
            [3, 2, 1],
            "2 of 3 models change rank at your weights: BERT climbs most, by 2; Rules falls most, by 2.",
        ),
        ([1, 2, None], "Ranks at your weights are among 3 models: other models than by default."),
    ],
)
def test_moves_are_told_by_who_goes_furthest(before: list[int | None], finding: str) -> None:
    assert plain(moves_found(shown_board(), before, 3, 0)) == (finding, "")
    assert moves_found(shown_board(), before, 2, 0)[1].startswith("2 of 3 models are drawn")


def test_winners_are_told_by_their_part_of_the_triangle() -> None:
    shown = shown_board()
    assert plain(winners_found(shown, [(0, 0.7), (1, 0.3)], 0.001))[0] == (
        "BERT wins 70 % of the triangle; 2 models win somewhere in it. In < 1 % of it these data cannot tell who"
        " leads. At your weights BERT leads."
    )
    assert plain(winners_found(shown, [(1, 1.0)], None))[0].startswith("SVM wins everywhere")
    assert winners_found(shown, [], None)[0] == "No model is ranked anywhere in this triangle."


def test_bars_say_what_they_are_measured_against() -> None:
    shown = shown_board()
    assert bars_caption(shown, 1, "median") == "against the median, \u2068SVM\u2069"
    assert bars_caption(shown, 1, "picked") == "against \u2068SVM\u2069"
    assert bars_caption(shown, -1, "median") == "against the median, no model"
    assert bars_caption(shown, None, "") == "weight \u00d7 converted value of each metric"
    assert bars_caption(shown_board(by="z_score"), None, "").startswith("with the Dynascore beside it")


def test_agreement_is_told_for_each_two() -> None:
    said = agreement(shown_board(), [(0, 1, 9), (0, 2, 12)], 12)
    assert plain((said[0], said[1])) == (
        "The same answer on 9 of 12 examples (75.0 %): BERT and SVM.",
        "The same answer on 12 of 12 examples (100.0 %): BERT and Rules.",
    )


def test_whose_answers_are_unknown_is_told() -> None:
    shown = shown_board()
    assert plain((answers_unknown(shown, [0, 1], False), ""))[0] == (
        "Left out, since their answers here are not known: BERT and SVM."
    )
    assert plain((answers_unknown(shown, [2], True), ""))[0] == (
        "No two of these models have published answers to the same dataset."
        " The answers of Rules to single examples are not known here, only scores."
    )
    assert answers_unknown(shown, [], True).endswith("to the same dataset.")
