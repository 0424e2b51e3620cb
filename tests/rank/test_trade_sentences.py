"""What the board's exchange rates make of trade-offs, to begin with."""

from __future__ import annotations

from dataclasses import replace

from shown_boards import shown_board

from evaluator.rank.dynascore import Question
from evaluator.rank.score_sentences import Shown
from evaluator.rank.trade_sentences import trades_offered


def test_an_offer_is_the_exchange_rate_in_units_and_in_per_cent_of_the_median_model() -> None:
    """Of 80, 70, 60 points and 2, 1, 0.5 GB: slopes 0.1 and 0.05, so 0.075 GB, of a median of 1 GB."""
    shown = shown_board()
    [(name, offer)] = trades_offered(shown).items()
    assert name == "memory"
    assert offer == {"units": 0.075, "percent": 7.5, "percent_first": False}


def test_an_offer_has_two_digits() -> None:
    """0.0767 GB a point is offered as 0.077."""
    shown = shown_board(values=((80.0, 70.0, 50.0), (2.034, 1.0, 0.5)))
    assert trades_offered(shown)["memory"]["units"] == 0.064


def test_a_speed_is_offered_in_per_cent() -> None:
    """What is per second."""
    shown = shown_board()
    speed = {**shown.metrics[1], "unit": "examples/s"}
    about = {**shown.about, "metrics": [shown.metrics[0], speed]}
    assert trades_offered(Shown(shown.board, shown.question, about))["memory"]["percent_first"] is True


def test_without_a_rate_nothing_is_offered() -> None:
    """All models have the same memory, or no model has any, or that of the median model is zero."""
    same = shown_board(values=((80.0, 70.0, 60.0), (1.0, 1.0, 1.0)))
    assert trades_offered(same)["memory"] == {"units": None, "percent": None, "percent_first": False}
    none = shown_board(values=((80.0, 70.0, 60.0), (None, None, None)))
    assert trades_offered(none)["memory"]["units"] is None
    zero = shown_board(values=((80.0, 70.0, 60.0), (1.0, 0.0, 0.0)))
    assert trades_offered(zero)["memory"]["percent"] is None


def test_an_offer_does_not_depend_on_what_is_ranked_by() -> None:
    """By other trade-offs, or by another base metric, the rates are those of the models."""
    shown = shown_board()
    by_trades = shown_board(by="trades", trades={"memory": 3.0})
    assert trades_offered(by_trades) == trades_offered(shown)
    other = Shown(shown.board, replace(shown.question, base="memory"), shown.about)
    assert list(trades_offered(other)) == ["acc"]
    assert isinstance(other.question, Question)
    # Slopes 10 and 20 points a GB.
    assert trades_offered(other)["acc"]["units"] == 15.0
