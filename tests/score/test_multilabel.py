"""Items with several labels: equal to scikit-learn's, and what is no answer is wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as sklearn

from evaluator.records.errors import UserError
from evaluator.score.metrics import Value, names_for, report

LABELS = ("a", "b", "c", "d")
sets = st.sets(st.integers(0, 3))
rows = st.lists(st.tuples(sets, sets), min_size=1, max_size=30)


def score(name: str, predictions: Any, references: Any, labels: Any = LABELS) -> Value:
    return report(predictions, references, "multi-label", [name], labels=labels).scores[name]


def flags(column: list[set[int]]) -> np.ndarray:
    return np.array([[label in row for label in range(4)] for row in column]).astype(int)


@settings(deadline=None)
@given(
    rows,
    st.sampled_from(["micro", "macro", "weighted", "samples"]),
    st.sampled_from(["precision", "recall", "f1"]),
)
def test_averages_are_scikit_learns(found: list[tuple[set, set]], average: str, measure: str) -> None:
    """Over labels that occur, over all of them together, and over items."""
    predicted, gold = (list(column) for column in zip(*found, strict=True))
    occurring = [label for label in range(4) if any(label in one for one in (*predicted, *gold))]
    of = getattr(sklearn, f"{measure}_score")
    columns = (flags(gold), flags(predicted))
    expected = of(*columns, labels=occurring, average=average, zero_division=0) if occurring else 0.0
    scored = score(f"{average}-{measure}", predicted, gold)
    assert scored.value / 100 == pytest.approx(expected, abs=1e-12)


@settings(deadline=None)
@given(rows)
def test_accuracy_is_of_whole_sets(found: list[tuple[set, set]]) -> None:
    """Accuracy equals scikit-learn's of sets of labels, and each item has its own."""
    predicted, gold = (list(column) for column in zip(*found, strict=True))
    scored = score("accuracy", predicted, gold)
    assert scored.value / 100 == pytest.approx(
        sklearn.accuracy_score(flags(gold), flags(predicted)), abs=1e-12
    )
    assert scored.per_item is not None
    assert (scored.per_item == [100.0 * (a == b) for a, b in found]).all()


def test_plain_measures_are_macro_averages() -> None:
    """As over single labels."""
    predicted, gold = [["a", "b"], ["c"], []], [["a"], ["c", "b"], ["b"]]
    for measure in ("precision", "recall", "f1"):
        assert score(measure, predicted, gold).value == score(f"macro-{measure}", predicted, gold).value


def test_labels_are_words_or_numbers_and_each_counts_once() -> None:
    """Words, indices, arrays and sets say the same; labels not given are those of the data, in order."""
    words, gold = [["b", "a", "b"], ["c"]], [["a", "b"], ["a"]]
    expected = score("micro-f1", words, gold).value
    assert score("micro-f1", [[1, 0], np.array([2])], [{0, 1}, (0,)]).value == expected
    assert score("micro-f1", words, gold, labels=None).parts == {
        "a": pytest.approx(200 / 3),
        "b": 100.0,
        "c": 0.0,
    }
    assert score("micro-f1", [[1], [2]], [[1], []], labels=None).parts == {"0": 0.0, "1": 100.0, "2": 0.0}


@pytest.mark.parametrize("name", names_for("multi-label"))
def test_nobody_gains_by_what_is_no_answer(name: str) -> None:
    """Nothing in place of a right set, and something that is no label, are wrong; precision alone stays."""
    gold = [["a", "b"], ["c"], ["a"]]
    whole = score(name, gold, gold).value
    assert whole == 100.0
    least = whole if "precision" in name and name != "samples-precision" else whole - 1e-9
    assert score(name, [None, ["c"], ["a"]], gold).value <= least
    assert score(name, [["a", "b"], ["c"], ["dunno"]], gold).value <= least


def test_what_has_something_that_is_no_label_is_no_right_set() -> None:
    """Nor is no answer the empty set."""
    assert score("accuracy", [["a", "dunno"], None, []], [["a"], [], []]).per_item == pytest.approx(
        [0, 0, 100]
    )


@pytest.mark.parametrize(
    ("predictions", "references", "labels", "message"),
    [
        (["a"], [["a"]], LABELS, r"predictions\[0\]: 'a' is no list of labels"),
        ([["a"]], [None], LABELS, r"references\[0\]: None is no list of labels"),
        ([["a"]], [["z"]], LABELS, r"references\[0\]: 'z' is none of a, b, c, d"),
        ([["a"]], [], LABELS, "1 predictions for 0 references"),
        ([], [], LABELS, "no examples to score"),
        ([["a"]], [["a"]], ("a", "a"), r"labels: \['a', 'a'\] names a label twice"),
        ([["a", 1]], [["a"]], None, "some labels are strings, others numbers; give labels"),
        ([[1.5]], [["a"]], LABELS, r"predictions\[0\]: \[1.5\] has something that is neither"),
    ],
)
def test_what_does_not_fit_says_why(predictions: Any, references: Any, labels: Any, message: str) -> None:
    """No lists, unknown gold labels, and lengths that differ."""
    with pytest.raises(UserError, match=message):
        score("accuracy", predictions, references, labels)
