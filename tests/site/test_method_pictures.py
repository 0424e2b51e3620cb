"""The pictures of the page on rank sets: what they draw follows from a board, and the page holds them."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from evaluator.rank.dynascore import Board, Question, RankedMetric
from evaluator.rank.rank_sets import Certainty, Sampled
from evaluator.rank.rate_factor import lead_of

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "release"))
from method_pictures import Ranked, factor_picture, rank_set_picture, spaced  # noqa: E402


def ranked(gap: float) -> Ranked:
    """Three models of 1,000 examples, the first two of which are so many points apart; the best is slowest."""
    metrics = [RankedMetric("accuracy"), RankedMetric("speed")]
    values = {"accuracy": [80.0, 80.0 - gap, 50.0], "speed": [10.0, 12.0, 40.0]}
    board = Board(["a", "b", "c & d"], metrics, {"d": values}, "accuracy")
    varies = {("accuracy", "accuracy"): [1.0, 1.0, 1.0]}
    sampled = Sampled(1000, 1000, {"accuracy": 100.0}, varies, {"speed": [0.0] * 3}, {}, {}, {})
    question = Question({"accuracy": 9.0, "speed": 1.0})
    return Ranked(board, question, board.columns(question), Certainty(board, {"d": sampled}))


def test_a_rival_is_dark_where_it_is_told_apart_and_the_set_is_said() -> None:
    """Of two rivals of the first, one within chance and one far below it."""
    picture = rank_set_picture(ranked(0.5), 0)
    assert re.findall(r'<circle class="(\w+)"', picture) == ["level", "apart"]
    assert "told apart, 0 above and 1 below." in picture
    assert "Ranks 1 + 0 to 3 − 1: the set is 1 to 2." in picture
    assert "c &amp; d" in picture


def test_the_lead_ends_where_the_line_of_the_rival_crosses_zero() -> None:
    of = ranked(6.0)
    lead = lead_of(of.board, of.question, of.columns)
    assert lead is not None
    assert lead.rival is not None
    picture = factor_picture(of)
    [at] = map(float, re.findall(r'<line class="break"[^>]* x1="([\d.]+)"', picture))
    [zero] = map(float, re.findall(r'<line class="zero"[^>]* y1="([\d.]+)"', picture))
    [points] = re.findall(r'<polyline class="apart"[^>]* points="([^"]+)"', picture)
    line = [tuple(map(float, pair.split(","))) for pair in points.split()]
    before = max(y for x, y in line if x <= at)
    after = min(y for x, y in line if x > at)
    assert before <= zero + 0.1
    assert after >= zero - 0.1


def test_names_at_the_ends_of_lines_stay_readable() -> None:
    assert spaced([(50.0, "b"), (48.0, "a"), (100.0, "c")]) == [(48.0, "a"), (64.0, "b"), (100.0, "c")]


@pytest.mark.parametrize("name", ["rank-set", "rate-factor"])
def test_the_page_has_the_pictures_with_words_for_those_who_do_not_see_them(name: str) -> None:
    docs = ROOT / "site_src" / "docs"
    assert re.search(
        rf"^!\[.{{40,}}\]\({name}\.svg\)$", (docs / "rank-sets.md").read_text("utf-8"), re.MULTILINE
    )
    drawn = (docs / f"{name}.svg").read_text("utf-8")
    assert drawn.startswith("<svg ")
    assert "style" not in drawn
