"""The verdict above a table: who leads or ties, what would end that, and how often it leads."""

from __future__ import annotations

from typing import Any

import pytest
from shown_boards import read, shown_board, view_of

from evaluator.rank.score_sentences import Shown
from evaluator.rank.verdict_sentences import copied, verdict, verdict_sentence

ALONE = [[1, 1], [2, 3], [2, 3]]
TWO = [[1, 2], [1, 3], [2, 3]]
ALL = [[1, 3]] * 3


@pytest.mark.parametrize(
    ("sets", "words"),
    [
        (None, "BERT leads at these weights."),
        (ALONE, "BERT leads at these weights, by more than chance."),
        (TWO, "Tie of two at these weights: BERT and SVM."),
        (ALL, "Tie of all three at these weights: BERT, SVM and Rules."),
        ([None] * 3, "BERT leads at these weights; how certain that is, is unknown."),
        ([[1, 2], [1, 3], None], "Tie of at least two at these weights: BERT and SVM."),
        # That all others are significantly below is known of the leader alone.
        ([[1, 1], None, None], "BERT leads at these weights, by more than chance."),
        # The second may be first or not, pair by pair; then nothing more is said.
        ([[1, 2], [2, 3], [2, 3]], "BERT leads at these weights."),
        ([[1, 2], None, [3, 3]], "BERT leads at these weights; how certain that is, is unknown."),
    ],
)
def test_a_leader_is_certain_ties_or_only_leads(sets: Any, words: str) -> None:
    """Nothing is claimed that the rank sets do not say; unknown ones make a tie of at least so many."""
    assert read(verdict(shown_board(), sets, None)["lead"]) == words


def test_of_many_that_tie_a_few_are_named() -> None:
    """By rank, the leader first."""
    names = [f"M{at}" for at in range(12)]
    values = [[90.0 - at for at in range(12)], [1.0] * 12]
    shown = shown_board(names, values)
    sets = [[1, 11]] * 11 + [[12, 12]]
    said = read(verdict(shown, sets, None)["lead"])
    assert said == "Tie of 11 at these weights: M0, M1, M2 and 8 more."


def test_a_long_verdict_is_copied_whole() -> None:
    """However many weights it names: a sentence that ends in the middle says something else."""
    where = "at metric weights " + ", ".join(f"Metric {at} (1)" for at in range(40))
    assert (
        verdict_sentence(shown_board(), ALL, None, where) == f"Tie of all three {where}: BERT, SVM and Rules."
    )


@pytest.mark.parametrize(
    ("shown", "words"),
    [
        (shown_board(metrics={"acc": 0.0}), "No model is ranked at these weights."),
        (shown_board(["A"], [[80.0], [1.0]]), "A is the only model that is ranked at these weights."),
        (
            shown_board(values=((80.0, 80.0, 60.0), (1.0, 1.0, 0.5))),
            "BERT and SVM share the first rank at these weights.",
        ),
        (shown_board(by="trades", trades={"memory": "10 %"}), "BERT leads by these trade-offs."),
    ],
)
def test_without_one_leader_by_weights(shown: Shown, words: str) -> None:
    """Nobody, one alone, several of the same score, and a ranking without weights."""
    assert read(verdict(shown, None, None)["lead"]) == words


FOUND = {"leads": True, "floored": False, "change": None, "weighed": 2, "share": 0.43, "level": 0.0}
MORE = {"metric": "memory", "weight": 2.7, "leader": 1, "beyond": True}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (MORE, "SVM leads if Memory counts 2.7 or more (now 1)."),
        ({**MORE, "beyond": False}, "SVM leads if Memory counts 2.7 (now 1)."),
        ({**MORE, "metric": "acc", "weight": 0.5}, "SVM leads if Accuracy counts 0.5 or less (now 4)."),
        ({**MORE, "weight": 0.0}, "SVM leads if Memory does not count."),
        (None, "No weight of one metric alone ends this lead."),
    ],
)
def test_what_would_end_a_lead(change: dict[str, Any] | None, words: str) -> None:
    """The smallest change of one weight, which a button makes, and whether more of it does so too."""
    said = verdict(shown_board(), None, {**FOUND, "change": change})
    assert read(said["change"]) == words
    assert said["set"] == (change and [change["metric"], change["weight"]])
    assert read(said["shares"]) == "BERT leads in 43 % of all weightings."


def test_weightings_are_of_the_metrics_that_count() -> None:
    """Those without weight have none in any of them, which is said."""
    shown = shown_board()
    shown.metrics = [*shown.metrics, shown.metrics[0]]
    said = verdict(shown, None, FOUND)["shares"]
    assert read(said) == "BERT leads in 43 % of all weightings of the 2 metrics that count."


@pytest.mark.parametrize(
    ("amount", "words"),
    [
        (0.5, "SVM leads if 1 point of Accuracy is worth 0.5 GB of Memory (now 10 %)."),
        (None, "SVM leads if Memory does not count."),
    ],
)
def test_what_would_end_a_lead_by_trade_offs(amount: float | None, words: str) -> None:
    """It is a trade-off, and no share of weightings."""
    shown = shown_board(by="trades", trades={"memory": "10 %"})
    change = {"metric": "memory", "before": "10 %", "amount": amount, "leader": 1}
    said = verdict(shown, None, {**FOUND, "weighed": 0, "share": None, "change": change})
    assert (read(said["change"]), said["shares"]) == (words, [])
    assert said["set"] == ["memory", amount]


def test_who_shares_a_lead_is_told_nothing_of_its_end() -> None:
    """Any change may end it."""
    said = verdict(shown_board(), None, {**FOUND, "leads": False, "change": MORE})
    assert (said["change"], said["shares"], said["set"]) == ([], [], None)


def test_what_is_copied_names_its_weights_its_board_the_time_and_the_address() -> None:
    """Elsewhere nobody sees which weights these are; names stay on one line."""
    shown = shown_board(["BE\nRT", "SVM", "Rules"])
    text = copied(shown, TWO, {**FOUND, "change": MORE}, view_of(shown), view_of(shown), "https://x.org/#v1")
    assert text == (
        "Tie of two on SST-2 at metric weights Accuracy (4) and Memory (1): BE RT and SVM. SVM leads if Memory"
        " counts 2.7 or more (now 1). BE RT leads in 43 % of all weightings. (Sentiment, results of 2026-11-21)"
        " https://x.org/#v1"
    )
    assert verdict_sentence(shown, TWO, None, "at the default weights") == (
        "Tie of two at the default weights: BE RT and SVM."
    )
