"""How a snapshot's record is laid out on disk."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from snapshot_world import made

from evaluator.records.store import COMPACT, dump

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=40) | st.dictionaries(st.text(max_size=20), inner, max_size=5),
    max_leaves=60,
)


@given(JSON)
def test_what_is_laid_out_is_the_same_json_without_white_space(document: object) -> None:
    """It reads back as it was, is laid out alike again, and holds no byte more than ends of lines."""
    content = dump(document, COMPACT)
    assert json.loads(content) == document
    assert dump(json.loads(content), COMPACT) == content
    dense = json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    assert content.decode().replace("\n", "") == dense


def test_a_model_is_a_line_and_so_is_a_column() -> None:
    """A change of one model or one column is a change of few lines."""
    snapshot = made({f"model-{at}": [90 - at / 7, at / 3] for at in range(50)})
    lines = dump(snapshot.plain(), COMPACT).decode().splitlines()
    assert sum(line.startswith('{"id":"model-') for line in lines) == 50
    [scores] = [line for line in lines if line.startswith('"scores":')]
    assert len(scores) > COMPACT.line
    assert json.loads(scores.removeprefix('"scores":').removesuffix(",")) == list(snapshot.ranking.scores)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_what_json_cannot_say_is_refused(value: float) -> None:
    """Numbers that are none have no layout."""
    with pytest.raises(ValueError, match="Out of range"):
        dump({"a": [{"b": value}]}, COMPACT)
