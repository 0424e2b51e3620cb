"""What stays of a board's ranking where its exchange rates are off, by the ids of its models."""

from __future__ import annotations

import pytest

from evaluator.cli.rank import Table, print_ranking
from evaluator.rank.dynascore import Board, Question, RankedMetric
from evaluator.rank.rank_sets import Certainty
from evaluator.score.certainty import board_rank_sets, ranking_document
from evaluator.score.rates_off import rates_off

WEIGHTS = {"accuracy": 4.0, "speed": 1.0}
#: Of 2,000 examples and passes that hardly differ, so that all are told apart at the rates shown.
VARIED = {
    "examples": 2000,
    "clusters": 2000,
    "unit": {"accuracy": 100.0},
    "covariances": [],
    "right": {"accuracy": [1800, 1600, 1400]},
    "apart": {"accuracy": [200, 400, 200]},
    "relative": {"speed": [1e-6, 1e-6, 1e-6]},
    "unknown": {},
}


@pytest.fixture
def board() -> Board:
    """At a rate of 5, the mean of 80 for 10 points and 20 for 10."""
    values = {"accuracy": [90.0, 80.0, 70.0], "speed": [100.0, 180.0, 200.0]}
    return Board(
        ["a", "b", "c"], [RankedMetric("accuracy"), RankedMetric("speed")], {"d": values}, "accuracy"
    )


def test_sets_and_the_lead_have_the_names_of_models(board: Board) -> None:
    """A is 8 points before B by accuracy and 3.2 behind by speed at a rate of 5: 2.5 times that is level."""
    question, certainty = Question(WEIGHTS), Certainty.from_dict(board, {"d": VARIED})
    columns = board.columns(question)
    found = rates_off(board, question, columns, certainty)
    assert found
    assert found.plain() == {
        "factor": 2.0,
        "break_factor": pytest.approx(2.5),
        "rival": "b",
        "about": "The leader stays first while the exchange rates are right within a factor of 2.5.",
    }
    assert found.ranks == dict(zip("abc", certainty.sets(question, columns, factor=2.0).sets, strict=True))
    rows = ranking_document(board, board.ranking(question), None, {}, found)["models"]
    assert [row["ranks_within_factor"] for row in rows] == [found.ranks[row["model"]] for row in rows]


def test_where_no_rate_decides_nothing_is_said(board: Board) -> None:
    """One metric alone, or the z-scores of both, have no rates; two models level have no leader."""
    for question in (Question({"accuracy": 1}), Question(WEIGHTS, by="z_score")):
        assert rates_off(board, question, board.columns(question), None) is None
    twins = Board(
        ["a", "b", "c"],
        list(board.metrics.values()),
        {"d": {"accuracy": [90, 90, 70], "speed": [8, 8, 9]}},
        "accuracy",
    )
    question = Question(WEIGHTS)
    found = rates_off(twins, question, twins.columns(question), None)
    assert found
    assert (found.words, found.plain()["about"]) == ("", "the first place is shared")


def test_the_table_has_a_column_where_sets_are_wider(
    board: Board, capsys: pytest.CaptureFixture[str]
) -> None:
    """With a note on what it is; at weights at which no set is, there is none."""
    certainty = Certainty.from_dict(board, {"d": VARIED})
    table = Table(board, WEIGHTS, {"d": 1.0}, {"accuracy": 1, "speed": 0}, certainty=certainty)

    def printed(weights: dict[str, float]) -> list[str]:
        question = Question(weights)
        columns = board.columns(question)
        sets = board_rank_sets(certainty, question, columns, 0.95)
        off = rates_off(board, question, columns, certainty)
        print_ranking(table, columns, sets, weights, off)
        return capsys.readouterr().out.splitlines()

    lines = printed({"accuracy": 3.0, "speed": 1.0})
    assert lines[0].split()[:6] == ["rank", "95", "%", "set", "factor", "2"]
    assert lines[1].split()[:4] == ["1", "1", "1-2", "a"]
    assert "note: factor 2: the set with every exchange rate off by up to that factor" in lines
    assert "factor 2" not in printed({"accuracy": 100.0, "speed": 1.0})[0]
