"""What was sent to an endpoint and what it cost, kept so that no budget is exceeded."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.measure.endpoint.ledger import Budget, Ledger, OverBudget
from evaluator.records.errors import UserError


def test_what_is_not_settled_counts_in_full_also_after_a_kill(tmp_path: Path) -> None:
    file = tmp_path / "local.jsonl"
    with Ledger(file, Budget("endpoints: local")) as ledger:
        ledger.settle(ledger.reserve(0.5), 0.1)
        ledger.reserve(0.5)
    file.write_bytes(file.read_bytes() + b"[2, 0.")  # killed while it wrote the next
    with Ledger(file, Budget("endpoints: local")) as again:
        assert (again.requests, again.usd) == (2, pytest.approx(0.6))
        again.reserve(None)
    with Ledger(file, Budget("endpoints: local")) as after:
        assert after.requests == 3


@given(
    st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), max_size=30),
    st.floats(0.1, 5),
    st.integers(1, 20),
)
def test_no_budget_is_ever_exceeded(
    tmp_path_factory: pytest.TempPathFactory, requests: list[tuple[float, float]], usd: float, most: int
) -> None:
    """Whatever requests cost in the end, as long as none costs more than was reserved for it."""
    file = tmp_path_factory.mktemp("ledger") / "local.jsonl"
    with Ledger(file, Budget("endpoints: local", most, usd)) as ledger:
        for reserved, share in requests:
            try:
                number = ledger.reserve(reserved)
            except OverBudget:
                continue
            ledger.settle(number, reserved * share)
            assert ledger.usd <= usd
        assert ledger.requests <= most


def test_without_a_price_nothing_is_sent_where_dollars_are_bounded(tmp_path: Path) -> None:
    with Ledger(tmp_path / "l.jsonl", Budget("endpoints: local", max_usd=1.0)) as ledger:
        with pytest.raises(OverBudget, match=r"max_usd: no price of the model is known; give its price"):
            ledger.reserve(None)
        assert ledger.requests == 0


def test_a_file_that_is_no_ledger_is_refused(tmp_path: Path) -> None:
    (tmp_path / "l.jsonl").write_text("[0, 1.0]\nnonsense\n")
    with pytest.raises(UserError, match="byte 9: is no line of requests"):
        Ledger(tmp_path / "l.jsonl", Budget("endpoints: local"))
