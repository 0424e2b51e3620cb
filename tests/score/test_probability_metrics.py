"""The metrics over probabilities equal scikit-learn's and scipy's, and no item drops out."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import jensenshannon
from sklearn import metrics as sklearn

from evaluator.records.errors import UserError
from evaluator.score.metrics import Value, report

LABELS = ("a", "b", "c")


def shares(labels: int) -> st.SearchStrategy[list[float]]:
    """Shares of hundredths that sum to one, with ties and zeros."""
    cuts = st.lists(st.integers(0, 10), min_size=labels - 1, max_size=labels - 1)
    return cuts.map(lambda c: (np.diff([0, *sorted(c), 10]) / 10).tolist())


def rows(labels: int) -> st.SearchStrategy[list[tuple[int, list[float]]]]:
    return st.lists(st.tuples(st.integers(0, labels - 1), shares(labels)), min_size=2, max_size=30)


def score(metric: str, gold: list[int], given: object, **options: object) -> Value:
    labels = LABELS[: np.shape(given)[1]]
    found = report(gold, gold, "classification", [metric], labels=labels, probabilities=given, **options)  # type: ignore[arg-type]
    return found.scores[metric]


@settings(deadline=None)
@given(rows(2))
def test_auroc_of_two_labels_is_scikit_learns(items: list[tuple[int, list[float]]]) -> None:
    """The area of the second label equals scikit-learn's, ties included."""
    gold, given = map(list, zip(*items, strict=True))
    assume(len(set(gold)) == 2)
    expected = sklearn.roc_auc_score(gold, np.array(given)[:, 1])
    assert score("auroc", gold, given).value / 100 == pytest.approx(expected, abs=1e-12)


@settings(deadline=None)
@given(rows(3))
def test_auroc_of_three_labels_is_scikit_learns(items: list[tuple[int, list[float]]]) -> None:
    """The mean area of one label against the others equals scikit-learn's."""
    gold, given = map(list, zip(*items, strict=True))
    assume(len(set(gold)) == 3)
    expected = sklearn.roc_auc_score(gold, given, multi_class="ovr", average="macro")
    assert score("auroc", gold, given).value / 100 == pytest.approx(expected, abs=1e-12)


@settings(deadline=None)
@given(rows(3))
def test_brier_is_scikit_learns(items: list[tuple[int, list[float]]]) -> None:
    """Brier's score equals scikit-learn's sum over labels, and is the mean of its items'."""
    gold, given = map(list, zip(*items, strict=True))
    found = score("brier", gold, given)
    expected = sklearn.brier_score_loss(gold, given, labels=[0, 1, 2], scale_by_half=False)
    assert found.value == pytest.approx(expected, abs=1e-12)
    assert found.per_item is not None
    assert found.per_item.mean() == pytest.approx(found.value)


@settings(deadline=None)
@given(rows(3))
def test_calibration_error_is_its_definition(items: list[tuple[int, list[float]]]) -> None:
    """The error equals a plain loop over fifteen bins that are closed above."""
    gold, given = map(list, zip(*items, strict=True))
    total, edges = 0.0, np.linspace(0, 1, 16)
    for low, high in pairwise(edges):
        inside = [(g == int(np.argmax(p)), max(p)) for g, p in items if low < max(p) <= high]
        total += abs(sum(right - sure for right, sure in inside)) / len(items)
    assert score("calibration-error", gold, given).value / 100 == pytest.approx(total, abs=1e-12)


@settings(deadline=None)
@given(st.lists(st.tuples(shares(3), shares(3)), min_size=1, max_size=20))
def test_js_divergence_is_scipys(items: list[tuple[list[float], list[float]]]) -> None:
    """The divergence equals the square of scipy's distance in bits."""
    given, judged = map(list, zip(*items, strict=True))
    found = score("js-divergence", [0] * len(items), given, distributions=judged)
    expected = [jensenshannon(p, q, base=2) ** 2 for p, q in items]
    assert found.per_item == pytest.approx(np.nan_to_num(expected), abs=1e-9)
    assert found.value == pytest.approx(np.nan_to_num(expected).mean(), abs=1e-9)


def test_cross_entropy_is_bounded_by_the_stored_precision() -> None:
    """It is in nats against the annotators' shares; a zero counts as half a millionth."""
    found = score(
        "cross-entropy", [0, 1], [[0.5, 0.5, 0], [1, 0, 0]], distributions=[[0.2, 0.8, 0], [0, 1, 0]]
    )
    assert found.per_item == pytest.approx([math.log(2), -math.log(0.5e-6)])
    assert found.parts["entropy"] == pytest.approx(-(0.2 * math.log(0.2) + 0.8 * math.log(0.8)) / 2)


@pytest.mark.parametrize(
    ("metric", "worst"),
    [
        ("brier", 2.0),
        ("js-divergence", 1.0),
        ("cross-entropy", -math.log(0.5e-6)),
        ("calibration-error", 100.0),
    ],
)
def test_an_item_without_probabilities_counts_as_the_worst(metric: str, worst: float) -> None:
    """A row of NaN is neither dropped nor forgiven, and is counted."""
    sure, nothing = [1.0, 0.0], [math.nan, math.nan]
    found = score(metric, [0, 0], [sure, nothing], distributions=[sure, sure])
    assert found.value == pytest.approx(worst / 2, abs=1e-6)
    assert found.parts["without"] == 1.0


def test_auroc_ranks_an_item_without_probabilities_last() -> None:
    """It loses against every item of another label."""
    found = score("auroc", [0, 1, 1, 0], [[0.9, 0.1], [0.2, 0.8], [math.nan] * 2, [0.8, 0.2]])
    assert found.value == 50.0
    assert found.parts == {"a": 50.0, "b": 50.0, "without": 1.0}


def test_items_that_nobody_judged_are_counted_apart() -> None:
    """There is nothing to score them against; the report says how many there are."""
    judged = [[1.0, 0.0], [math.nan, math.nan]]
    found = score("js-divergence", [0, 1], [[1.0, 0.0], [0.5, 0.5]], distributions=judged)
    assert found.value == 0.0
    assert found.parts["unjudged"] == 1.0


@pytest.mark.parametrize(
    ("metric", "gold", "given", "message"),
    [
        ("brier", [0], [[0.5, 0.6]], r"probabilities\[0\]: \[0.5, 0.6\] are not shares"),
        ("brier", [0], [[-0.5, 1.5]], r"probabilities\[0\]"),
        ("brier", [0], [[math.nan, 1.0]], r"probabilities\[0\]"),
        (
            "brier",
            [0, 0],
            [[0.5, 0.5]],
            r"probabilities: shape \(1, 2\) where 2 items and 2 labels need \(2, 2\)",
        ),
        ("brier", [0], [[math.nan, math.nan]], "no item has any"),
        ("auroc", [0, 0], [[0.5, 0.5], [0.5, 0.5]], "auroc: every gold label is 'a'"),
    ],
)
def test_probabilities_that_do_not_fit_say_why(metric: str, gold: list, given: list, message: str) -> None:
    """Shares that are none, other shapes and one gold label alone are errors."""
    with pytest.raises(UserError, match=message):
        score(metric, gold, given)
