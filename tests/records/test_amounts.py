"""Amounts of trade-offs as people write them, in the unit of the metric."""

from __future__ import annotations

import re

import pytest

from evaluator.records.amounts import amount
from evaluator.records.board import BoardSpec

BOARD = {
    "id": "b",
    "title": "B",
    "task": "sentiment",
    "datasets": ["d"],
    "base": "accuracy",
    "metrics": [
        {"name": "accuracy", "label": "Accuracy", "unit": "%"},
        {"name": "throughput", "label": "Throughput", "unit": "examples/s"},
        {"name": "memory", "label": "Memory", "unit": "GB", "direction": "lower", "cap": 8.0},
    ],
}


@pytest.mark.parametrize(
    ("given", "unit", "found"),
    [
        (0.1, "GB", 0.1),
        (3, "", 3.0),
        ("0.1", "GB", 0.1),
        ("100 MB", "GB", 0.1),
        ("100mb", "GB", 0.1),
        ("1 GiB", "MB", 1073.741824),
        ("1.5 s", "ms", 1500.0),
        ("1e-3 min", "s", 0.06),
        ("0.05 USD", "USD", 0.05),
        ("5 examples/s", "examples/s", 5.0),
        ("2 points", "%", 2.0),
        ("10 %", "%", "10 %"),
        ("12.5%", "GB", "12.5 %"),
        ("7", None, 7.0),
        ("1e99 TB", "B", 1e111),
    ],
)
def test_an_amount_is_read_in_the_metrics_unit(given: float | str, unit: str | None, found: object) -> None:
    assert amount(given, unit) == found


@pytest.mark.parametrize(
    ("given", "unit", "said"),
    [
        ("5 s", "GB", "'5 s' is in 's', the metric in GB; write it as \"0.5 GB\" or in another of B, kB, MB"),
        ("1 EUR", "USD", "'1 EUR' is in 'EUR', the metric in USD; write it as \"0.5 USD\", or as \"10 %\""),
        ("0,5 GB", "GB", "'0,5 GB' is no amount; write it as"),
        ("1,000 MB", "GB", "'1,000 MB' is no amount; write it as"),
        ("much", "%", '\'much\' is no amount; write it as "2 points", or as "10 %" of its value'),
        ("2 points", "GB", "'2 points' is in 'points', the metric in GB"),
        ("3 GB", "", "'3 GB' is in 'GB', the metric in no unit"),
        ("1 MB", None, "'1 MB' is in 'MB', the metric in no unit"),
        (0.0, "GB", "0.0 is not above 0; give how much one unit of the base metric is worth"),
        (-1.0, "GB", "-1.0 is not above 0"),
        ("0 %", "GB", "'0 %' is not above 0"),
        (float("nan"), "GB", "is not above 0"),
    ],
)
def test_what_is_no_amount_is_said_with_what_would_do(
    given: float | str, unit: str | None, said: str
) -> None:
    with pytest.raises(ValueError, match=re.escape(said)):
        amount(given, unit)


def test_a_boards_trade_offs_are_ranked_in_the_units_of_its_metrics() -> None:
    trades = {"throughput": "10 %", "memory": "100 MB"}
    spec = BoardSpec.model_validate({**BOARD, "by": "trades", "trades": trades})
    assert spec.declared_trades == {"throughput": "10 %", "memory": 0.1}
    assert spec.plain()["trades"] == trades


@pytest.mark.parametrize(
    ("terms", "said"),
    [
        ({"trades": {"memory": "10 s"}}, "trades.memory: '10 s' is in 's', the metric in GB"),
        ({"trades": {"memry": 1}}, "trades: 'memry' is none of accuracy, throughput, memory; did you mean"),
        ({"trades": {"accuracy": 1}}, "trades.accuracy: is the base metric, of which one unit is what"),
        ({"trades": {"memory": True}}, 'must be a number or a text such as "100 MB" or "10 %"'),
        ({"trades": {"memory": [1]}}, 'must be a number or a text such as "100 MB" or "10 %"'),
        ({"by": "trades"}, 'trades: by = "trades" takes some, such as trades = { memory = "100 MB" }'),
    ],
)
def test_trade_offs_that_do_not_fit_the_board_are_refused(terms: dict[str, object], said: str) -> None:
    with pytest.raises(ValueError, match=re.escape(said)):
        BoardSpec.model_validate({**BOARD, **terms})
