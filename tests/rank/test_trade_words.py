"""A ranking by trade-offs in words: why a model has its score, what is traded, in citations and exports."""

from __future__ import annotations

import json
from typing import Any

import pytest
from shown_boards import read, shown_board, view_of

from evaluator.rank.certainty_sentences import first_place
from evaluator.rank.chart_sentences import bars_caption, winners_found
from evaluator.rank.citations import claim_words
from evaluator.rank.exports import WRITERS, Export
from evaluator.rank.rate_factor import factor_words
from evaluator.rank.score_sentences import (
    Shown,
    amount_words,
    found_sentences,
    rates_explained,
    score_explained,
    terms,
    trades_words,
)


def traded(trades: dict[str, float | str] | None = None, **more: Any) -> Shown:
    return shown_board(by="trades", trades={"memory": 0.1} if trades is None else trades, **more)


@pytest.mark.parametrize(
    ("trades", "said"),
    [
        ({"memory": 0.1}, "1 point of Accuracy is worth 0.1 GB of Memory"),
        ({"memory": 1}, "1 point of Accuracy is worth 1 GB of Memory"),
        ({"memory": "12.5 %"}, "1 point of Accuracy is worth 12.5 % of Memory"),
        ({}, "only Accuracy counts"),
    ],
)
def test_trade_offs_are_a_sentence(trades: dict[str, float | str], said: str) -> None:
    assert trades_words(traded(trades)) == said


def test_a_score_is_explained_as_a_sum_without_weights() -> None:
    found = score_explained(traded(), 0)
    assert read(found["formula"]) == "Trade-off score of BERT = 80.00 − 20.00 = 60.00 %"
    assert {name: (row["rate"], row["converted"], row["share"]) for name, row in found["rows"].items()} == {
        "acc": ("1.000", "80.00", ""),
        "memory": ("0.100", "−20.00", ""),
    }
    # A cost stands for itself: it is not taken from a cap.
    assert read(found["rows"]["memory"]["value"]) == "2.00"
    per_cent = score_explained(traded({"memory": "10 %"}), 2)
    assert read(per_cent["formula"]).startswith("Trade-off score of Rules = 60.00 + 7.27 = 67.27")
    assert per_cent["rows"]["memory"]["rate"] == "10 %"
    alone = score_explained(traded({}), 0)["rows"]["memory"]
    assert (alone["idle"], alone["rate"], alone["contribution"]) == (True, "none", "0.00")


def test_it_is_said_why_a_model_has_no_score() -> None:
    shown = traded({"memory": "10 %"}, values=((80.0, 70.0, 60.0), (0.0, None, 0.5)))
    assert read(score_explained(shown, 0)["formula"]) == (
        "BERT is not ranked: a trade-off in per cent takes a value above 0 of Memory."
    )
    assert read(score_explained(shown, 1)["formula"]) == "SVM is not ranked: it has no value for Memory."


def test_the_panel_of_rates_has_what_is_declared() -> None:
    found = rates_explained(traded())
    assert found["about"].replace("\u2068", "").replace("\u2069", "") == (
        "How much of each metric 1 point of Accuracy is declared to be worth."
    )
    memory = found["rows"]["memory"]
    assert (memory["rate"], memory["unit"], memory["worth"]) == ("0.100", "GB", "each worth 10.000 points")
    assert (memory["drives"], memory["flagged"]) == ("", False)
    assert found["worth"] == (
        "1 point of Accuracy is worth 0.1 GB of Memory. No score depends on the other models."
    )
    per_cent = rates_explained(traded({"memory": "10 %"}))["rows"]["memory"]
    assert (per_cent["rate"], per_cent["unit"], per_cent["worth"]) == ("10 %", "of its value", "")
    none = rates_explained(traded({}))["rows"]["memory"]
    assert (none["rate"], none["unit"], none["worth"]) == ("none", "it does not count", "")
    assert " by these trade-offs" in found["count"]


def test_citations_name_the_trade_offs_in_place_of_weights() -> None:
    shown = traded()
    view = view_of(shown, trades={"memory": 0.1})
    assert claim_words(shown, view, view) == (
        "BERT and SVM rank first of 3 models by trade-off score on SST-2 where 1 point of Accuracy is worth 0.1"
        " GB of Memory"
    )
    assert terms(shown, view) == [
        ("Ranked by", "trade-off score"),
        ("Trade-offs", "1 point of Accuracy is worth 0.1 GB of Memory"),
        ("Weights of datasets", "SST-2 1"),
    ]


@pytest.mark.parametrize("written", sorted(WRITERS))
def test_exports_say_the_trade_offs_and_warn_of_no_dynascore(written: str) -> None:
    shown = traded()
    certainty = {"sets": [None] * 3, "words": "", "given": {}, "gap": None}
    table = Export(shown, view_of(shown), [2, 0, 1], certainty, ["measured"] * 3, "https://example.org/")
    text = WRITERS[written](table)
    assert "A score by trade-offs depends on no other model" in text
    assert "Dynascore is relative" not in text
    if written != "json":
        assert "1 point of Accuracy is worth 0.1 GB of Memory" in text
        assert "Trade-off score" in text
        assert "Weights of metrics" not in text
        return
    record = json.loads(text)
    assert (record["trades"], record["weights"]) == ({"memory": 0.1}, {"datasets": {"sst": 1.0}})
    assert [row["dynascore"] for row in record["models"]] == [55.0, 60.0, 60.0]


def test_what_would_put_a_model_first_is_said_of_a_trade_off() -> None:
    shown, nothing = traded(), {"share": None, "level": None, "weighed": 0, "floored": False}
    change = {"metric": "memory", "before": 0.1, "amount": "8 %", "leader": 2}
    found = first_place(shown, {**nothing, "change": change})
    assert read(found["change"]) == "1 point of Accuracy worth 8 % of Memory, instead of 0.1 GB. "
    assert (found["shares"], found["set"]) == ("", ["memory", "8 %"])
    change |= {"amount": None, "before": "10 %"}
    without = first_place(shown, {**nothing, "change": change})
    assert read(without["change"]) == "Memory not counting. "
    assert without["set"] == ["memory", None]
    none = first_place(shown, {**nothing, "change": None})
    assert read(none["change"]) == "No trade-off of one metric alone does."


def test_charts_speak_of_trade_offs() -> None:
    shown = traded()
    words, _ = winners_found(shown, [(0, 0.75), (2, 0.25)], 0.5)
    assert words.replace("\u2068", "").replace("\u2069", "") == (
        "BERT wins 75 % of the map; 2 models win somewhere in it. In 50 % of it these data cannot tell who"
        " leads. By your trade-offs BERT leads."
    )
    assert winners_found(shown, [], None)[0] == "No model is ranked anywhere in this map."
    assert "what each metric is worth in points of" in bars_caption(shown, None, "")


def test_amounts_are_written_with_their_units() -> None:
    memory = traded().metric("memory")
    assert [amount_words(amount, memory) for amount in (0.25, 1.0, "7 %")] == ["0.25 GB", "1 GB", "7 %"]


def test_the_line_under_the_ranking_calls_rates_what_they_are() -> None:
    shown = traded({"memory": 1.0})
    said = factor_words(shown.board, shown.question, shown.columns, thin=True)
    assert said == (
        "The leader stays first while the trade-offs are right within a factor of 10. Thin lines are ranks with"
        " every trade-off off by up to a factor of 2."
    )


def test_ranks_alone_are_among_the_models_that_are_left() -> None:
    assert found_sentences(traded(), [], "all", 3, 3) == "3 of 3 models. Ranks are among all 3."
    assert found_sentences(traded(), [], "left", 3, 3) == "3 of 3 models. Ranks are among these 3 alone."
