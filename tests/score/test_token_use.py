"""Costs at other prices, from stored tokens: the same as of a board whose models were asked at these prices."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from priced_board import DAY, priced_board

from evaluator.rank.dynascore import Board, Question
from evaluator.rank.prices import open_priced, open_priced_certainty, priced_cells, prices_words
from evaluator.rank.rank_sets import Certainty
from evaluator.records.board import Assembled, Boards
from evaluator.records.datasets import Covariances
from evaluator.records.store import Store
from evaluator.score.certainty import assemble_board, sampled
from evaluator.score.covariances import differences
from site_src.generator.prices import price_view

#: Another price for two of the models: one tokens written, the other all.
PRICES = {"a": [None, None, 1.0], "c": [20.0, 4.0, 8.0]}
WHOLE = {**DAY, "a": (2.0, 0.5, 1.0), "c": (20.0, 4.0, 8.0)}
WAYS = [Question(), Question({"cost": 1.0}), Question(by="trades", trades={"cost": 0.0001, "quality": 0.1})]


def assembled_of(boards: Boards, store: Store) -> Assembled:
    return assemble_board(boards.boards[0], boards, store, list(store.results()))


def priced_of(boards: Boards, store: Store, prices: Any) -> tuple[Board, Certainty]:
    """The board and how its values vary, as a page opens them at other prices."""
    assembled = assembled_of(boards, store)
    view = price_view(assembled, store)
    assert view is not None
    priced = {**view.island, "prices": prices}
    board = open_priced(json.dumps({"board": assembled.data, "priced": priced}))
    asked = {"varies": sampled(assembled, store), "tokens": json.loads(view.content), "priced": priced}
    return board, open_priced_certainty(board, json.dumps(asked))


def whole_of(boards: Boards, store: Store) -> tuple[Board, Certainty]:
    assembled = assembled_of(boards, store)
    board = Board.from_dict(assembled.data)
    return board, Certainty.from_dict(board, sampled(assembled, store))


@pytest.mark.parametrize(
    "world",
    [{}, {"trials": 3}, {"clusters": 12}, {"unpriced": ["c"]}, {"datasets": ["tasks", "more"]}],
    ids=["plain", "trials", "clusters", "new", "datasets"],
)
@pytest.mark.parametrize("question", WAYS, ids=["weights", "alone", "trades"])
def test_ranks_and_rank_sets_are_those_of_a_board_with_these_prices(
    tmp_path: Path, world: dict[str, Any], question: Question
) -> None:
    """Scores, sets, and by how much two models differ with its interval; also of a model without a price."""
    for name in ("before", "after"):
        (tmp_path / name).mkdir()
    # Where the range is declared, the guard for few examples is the same too.
    world = {"range_": ", range = [0, 0.02]", **world}
    board, certainty = priced_of(*priced_board(tmp_path / "before", **world), PRICES)
    wanted_world = {name: value for name, value in world.items() if name != "unpriced"}
    wanted, wanted_certainty = whole_of(*priced_board(tmp_path / "after", WHOLE, **wanted_world))
    rows, wanted_rows = board.ranking(question).rows, wanted.ranking(question).rows
    assert [row.model for row in rows] == [row.model for row in wanted_rows]
    for row, other in zip(rows, wanted_rows, strict=True):
        assert row.dynascore == pytest.approx(other.dynascore, rel=1e-9, abs=1e-9)
    found, due = certainty.sets(question), wanted_certainty.sets(question)
    assert found.sets == due.sets
    assert found.reasons == due.reasons
    for first, second in (("a", "b"), ("a", "c"), ("b", "c"), ("b", "d")):
        one, other = (each.compare(first, second, question) for each in (certainty, wanted_certainty))
        # How much whole runs differ is a mean over all models, which follows no single price.
        assert one.interval == pytest.approx(other.interval, rel=0.25 if "trials" in world else 2e-3)


def test_without_a_range_rank_sets_are_no_narrower(tmp_path: Path) -> None:
    """What one example can move a cost by is then the most that an answer can cost, of which the least is not
    taken off."""
    for name in ("before", "after"):
        (tmp_path / name).mkdir()
    _, certainty = priced_of(*priced_board(tmp_path / "before"), PRICES)
    _, due = whole_of(*priced_board(tmp_path / "after", WHOLE))
    for first, second in (("a", "b"), ("a", "c"), ("b", "d")):
        one, other = (
            each.compare(first, second, Question({"cost": 1.0})).interval for each in (certainty, due)
        )
        assert one is not None
        assert other is not None
        width, due_width = one[1] - one[0], other[1] - other[0]
        assert due_width * (1 - 1e-3) <= width <= 1.5 * due_width


def test_the_prices_of_the_day_give_the_board_as_it_is(tmp_path: Path) -> None:
    boards, store = priced_board(tmp_path)
    board, certainty = priced_of(boards, store, {model: list(price) for model, price in DAY.items()})
    same, same_certainty = whole_of(boards, store)
    costs, stored = (one.values["tasks"]["cost"] for one in (board, same))
    assert costs == pytest.approx(stored, rel=1e-9)
    assert certainty.sets(Question()).sets == same_certainty.sets(Question()).sets


def test_a_model_whose_price_is_not_whole_keeps_its_cost(tmp_path: Path) -> None:
    """Of one without a price of the day both must be given: a missing price is a missing number, never 0."""
    boards, store = priced_board(tmp_path, unpriced=["c"])
    board, _ = priced_of(boards, store, {"c": [1.0, None, None]})
    assert board.values["tasks"]["cost"][2] is None
    board, _ = priced_of(boards, store, {"c": [1.0, None, 2.0]})
    cost = board.values["tasks"]["cost"][2]
    assert cost is not None
    assert cost > 0


def test_on_a_dataset_whose_tokens_are_not_known_the_cost_is_missing(tmp_path: Path) -> None:
    """Else one dataset would be at the price given, and the other at that of the day."""
    boards, store = priced_board(tmp_path)
    assembled = assembled_of(boards, store)
    view = price_view(assembled, store)
    assert view is not None
    more = {**assembled.data["values"], "other": assembled.data["values"]["tasks"]}
    cells = {**assembled.data, "values": more}
    values = priced_cells(cells, {**view.island, "prices": PRICES})["values"]
    assert [value is None for value in values["other"]["cost"]] == [True, False, True, False]
    assert None not in values["tasks"]["cost"]


@pytest.mark.parametrize(("prices", "said"), [({"x": [1, 1, 1]}, "x"), ({"a": [-1, 1, 1]}, "at least 0")])
def test_what_is_no_price_is_refused(tmp_path: Path, prices: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        priced_of(*priced_board(tmp_path), prices)


def test_prices_are_said_in_words() -> None:
    words = prices_words({"a": [None, None, 1.0], "b": [0.25, 0.1, 2.0]}, str.upper, "USD")
    said = "A 1 written; B 0.25 sent, 0.1 cached, 2 written; USD of a million tokens, others of the day"
    assert words == said


def test_a_page_says_what_answers_took_and_where_prices_are_from(tmp_path: Path) -> None:
    boards, store = priced_board(tmp_path, unpriced=["c"])
    view = price_view(assembled_of(boards, store), store)
    assert view is not None
    first, _, third, _ = view.models
    assert first.boxes == [("sent", "2"), ("cached", "0.5"), ("written", "10")]
    assert "prices of 2026-11-01 to 2026-11-02 by board.toml" in first.words
    assert "tokens sent and" in first.words
    assert (third.rates, "no price in USD is known" in third.words) == (None, True)


RATED = {"price": {"currency": "USD", "source": "list", "input": 1.0, "cached": 1.0, "output": 2.0}}
DEARER = {"price": {**RATED["price"], "output": 3.0}}
TIERED = {"price": {"currency": "USD", "source": "list"}}
IN_EUROS = {"price": {**RATED["price"], "currency": "EUR"}}


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ((RATED, DEARER), "its prices changed while it was asked"),
        ((TIERED, TIERED), "its price is not one rate for each kind of token"),
        ((RATED, {}), "a price in USD is known of some of its answers only"),
        ((IN_EUROS, {}), "no price in USD is known"),
    ],
)
def test_a_page_says_why_a_model_has_no_price_of_the_day(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked: Any, said: str
) -> None:
    of = dict(zip(("tasks", "more"), asked, strict=True))
    boards, store = priced_board(tmp_path, datasets=tuple(of))
    monkeypatch.setattr("site_src.generator.prices.asked_of", lambda result: of[result.dataset.id])
    view = price_view(assembled_of(boards, store), store)
    assert view is not None
    assert view.models[0].rates is None
    assert view.models[0].words.endswith(f"; {said}")


def test_what_is_kept_of_tokens_is_checked(tmp_path: Path) -> None:
    """Other numbers than the predictions give are named; those of another machine's rounding are not."""
    _, store = priced_board(tmp_path)
    [kept] = (one for one in [store.covariances("scored", "tasks", revision(store))] if one)
    assert kept.tokens is not None
    assert differences(kept, kept) == ([], [])
    mean = {**kept.tokens.mean, "fresh": tuple((n or 0) + 1 for n in kept.tokens.mean["fresh"])}
    assert differences(changed(kept, mean=mean), kept)[0] == ["tokens: are not what the predictions give"]
    pair = kept.tokens.crossed[0]
    parts = tuple(part + 1 for part in pair.parts)
    rounded = pair.model_copy(update={"parts": parts})
    assert differences(changed(kept, crossed=(rounded, *kept.tokens.crossed[1:])), kept) == ([], [])
    other = pair.model_copy(update={"step": pair.step * 2})
    assert differences(changed(kept, crossed=(other, *kept.tokens.crossed[1:])), kept)[0]
    assert differences(kept.model_copy(update={"tokens": None}), kept)[0]


def revision(store: Store) -> str:
    return next(iter(store.results())).dataset.revision or ""


def changed(kept: Covariances, **changes: Any) -> Covariances:
    assert kept.tokens is not None
    return kept.model_copy(update={"tokens": kept.tokens.model_copy(update=changes)})


def test_a_board_without_costs_prices_nothing(tmp_path: Path) -> None:
    boards, store = priced_board(tmp_path)
    board = boards.boards[0]
    others = tuple(metric for metric in board.metrics if metric.name != "cost")
    boards = boards.model_copy(update={"boards": (board.model_copy(update={"metrics": others}),)})
    assert price_view(assemble_board(boards.boards[0], boards, store, list(store.results())), store) is None
