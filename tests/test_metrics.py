"""The metrics equal scikit-learn's, and an invalid answer is wrong."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, f1_score

from evaluator.metrics import MetricError, compute

pairs = st.lists(st.tuples(st.integers(0, 4), st.integers(-1, 4)), min_size=1, max_size=60)


@settings(deadline=None)
@given(pairs)
def test_accuracy_is_scikit_learns(rows: list[tuple[int, int]]) -> None:
    """Accuracy equals scikit-learn's to 1e-12."""
    gold, predicted = map(list, zip(*rows, strict=True))
    assert compute("accuracy", gold, predicted) / 100 == pytest.approx(
        accuracy_score(gold, predicted), abs=1e-12, rel=0
    )


@settings(deadline=None)
@given(pairs)
def test_macro_f1_is_scikit_learns(rows: list[tuple[int, int]]) -> None:
    """Macro-F1 equals scikit-learn's over the labels that occur, to 1e-12."""
    gold, predicted = map(list, zip(*rows, strict=True))
    labels = sorted({*gold, *predicted} - {-1})
    expected = f1_score(gold, predicted, labels=labels, average="macro", zero_division=0)
    assert compute("macro-f1", gold, predicted) / 100 == pytest.approx(expected, abs=1e-12, rel=0)


def test_an_invalid_answer_is_wrong() -> None:
    """An answer that was not valid counts against the model instead of dropping out."""
    assert compute("accuracy", [0, 1], [0, -1]) == 50.0
    assert compute("macro-f1", [0, 1], [0, -1]) == 50.0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("blue", [0], [0]), "metric: 'blue' is none of accuracy, macro-f1"),
        (("accuracy", [0, 1], [0]), "1 predictions for 2 gold labels"),
        (("accuracy", [], []), "no examples to score"),
    ],
)
def test_what_cannot_be_scored_says_why(arguments: tuple, message: str) -> None:
    """Unknown metrics and columns of different lengths are errors."""
    with pytest.raises(MetricError, match=message):
        compute(*arguments)
