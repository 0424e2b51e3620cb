"""What tokens cost by the list of prices, and whether other prices may be typed for them."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest

from evaluator.records.board import load_boards
from evaluator.score.prices import Cost, cost

pytestmark = pytest.mark.slow

BOARD = """
title = "Prices"
[[endpoints]]
id = "there"
url = "https://example.org/v1"
provider = "{provider}"
[[datasets]]
id = "reviews"
label = "Reviews"
task = "sentiment"
path = "reviews.csv"
format = "csv"
columns = {{ statement = "text", label = "label" }}
labels = ["negative", "positive"]
[[boards]]
id = "first"
title = "First"
task = "sentiment"
base = "accuracy"
datasets = ["reviews"]
weights = {{ accuracy = 1 }}
metrics = [{{ name = "accuracy", label = "Accuracy", unit = "%" }}]
"""


def asked(folder: Path, provider: str, model: str) -> Cost:
    file = folder / "board.toml"
    file.write_text(BOARD.format(provider=provider), encoding="utf-8")
    tokens = {"input_tokens": 1000, "cached_tokens": 200, "output_tokens": 50}
    found = cost(load_boards(file), "there", model, tokens, datetime.date(2026, 1, 2))
    assert found is not None
    return found


def test_a_cost_is_that_of_its_tokens(tmp_path: Path) -> None:
    """So that it can be found again at other prices."""
    found = asked(tmp_path, "openai", "gpt-4o")
    assert found.rates is not None
    sent, cached, written = found.rates
    assert found.amount == pytest.approx((800 * sent + 200 * cached + 50 * written) / 1e6)


def test_where_each_request_costs_something_too_no_price_of_tokens_says_it_all(tmp_path: Path) -> None:
    """A cost at other prices of tokens would be without what a request costs."""
    found = asked(tmp_path, "perplexity", "sonar-pro")
    assert found.amount > 0.001
    assert found.rates is None
