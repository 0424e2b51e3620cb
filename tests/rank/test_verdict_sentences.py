"""The verdict above a table: who leads or ties, what would end that, and how often it leads."""

from __future__ import annotations

from typing import Any

import pytest
from shown_boards import read, shown_board, view_of
from test_rank_sets import answers, one_metric

from evaluator.rank.certainty_sentences import first_place
from evaluator.rank.dynascore import Question
from evaluator.rank.score_sentences import Shown
from evaluator.rank.significance import lead_words
from evaluator.rank.verdict_sentences import chosen_lead, copied, verdict, verdict_sentence

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
MORE = {"metric": "memory", "weight": 2.7, "leader": 1, "until": 2.7, "beyond": True}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (MORE, "SVM leads if Memory counts 2.7 or more (now 1)."),
        ({**MORE, "beyond": False}, "SVM leads if Memory counts 2.7 (now 1)."),
        ({**MORE, "beyond": False, "until": 31.0}, "SVM leads if Memory counts 2.7 to 31 (now 1)."),
        (
            {**MORE, "beyond": False, "metric": "acc", "weight": 0.5, "until": 0.2},
            "SVM leads if Accuracy counts 0.2 to 0.5 (now 4).",
        ),
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


@pytest.mark.parametrize(
    ("label", "words"),
    [
        ("Gender swaps", "Gender swaps count 2.7 or more"),
        ("Gender and first-name swaps", "Gender and first-name swaps count 2.7 or more"),
        ("Errors per thousand words", "Errors per thousand words count 2.7 or more"),
        ("Share of right answers", "Share of right answers counts 2.7 or more"),
        ("Robustness", "Robustness counts 2.7 or more"),
        ("Tokens/s", "Tokens/s counts 2.7 or more"),
        ("latency_ms", "latency_ms counts 2.7 or more"),
    ],
)
def test_a_label_of_many_things_counts_as_many(label: str, words: str) -> None:
    shown = shown_board(labels=("Accuracy", label))
    said = verdict(shown, None, {**FOUND, "change": MORE})
    assert read(said["change"]) == f"SVM leads if {words} (now 1)."


def test_nobody_is_said_to_lead_by_a_number_that_says_nothing_of_it() -> None:
    """A model that answers the same to everything is perfectly robust, and that is no reason to weigh it more."""
    shown = shown_board()
    shown.metrics = [shown.metrics[0], {**shown.metrics[1], "one_answer": [1]}]
    said = verdict(shown, None, {**FOUND, "change": MORE})
    assert (said["change"], said["set"]) == ([], None)
    of_others = verdict(shown, None, {**FOUND, "change": {**MORE, "leader": 2}})
    assert read(of_others["change"]).startswith("Rules leads if")
    asked = first_place(shown, {**FOUND, "leads": False, "change": MORE})
    words = "Only Memory, which says nothing of it: it answers the same to everything."
    assert (read(asked["change"]), asked["set"]) == (words, None)


def test_of_chosen_models_their_pairs_tell_who_leads() -> None:
    """Those of whom nothing is known make no tie, and one alone leads nobody."""
    certainty = one_metric(answers(1, 3, 4000))
    board = certainty.board
    name = next(iter(board.metrics))
    shown = Shown(board, Question(), {"metrics": [{"name": name, "label": name}]})
    first, second, third = shown.ranked
    question = Question()
    for others in ([second], [third], [second, third]):
        models = [board.models[model] for model in (first, *others)]
        compared = [certainty.compare(models[0], other, question).interval for other in models[1:]]
        told = all(interval is not None and interval[0] > 0 for interval in compared)
        # Whoever was chosen first.
        said = read(chosen_lead(shown, certainty, [*others, first]))
        start = board.model_label(models[0]) if told else "Tie of "
        assert said.startswith(start)
        assert said.endswith("by more than chance.") == told
    unknown = chosen_lead(shown_board(), None, [2, 1])
    assert read(unknown) == "SVM leads these two at these weights."
    assert chosen_lead(shown_board(), None, [1]) == []


def test_a_tie_of_all_chosen_models_says_of_whom_it_is() -> None:
    """Of all models of the board more may tie, as stands there."""
    ranks = [(1.0, "BERT"), (2.0, "SVM")]
    said = lead_words(ranks, [[1, 2], [1, 2]], "at these weights", "these two")
    assert read(said) == "Tie of these two at these weights: BERT and SVM."


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
