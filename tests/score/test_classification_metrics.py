"""The metrics over labels equal scikit-learn's, and an invalid answer is wrong."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as sklearn

from evaluator.records.errors import UserError
from evaluator.score.metrics import report

LABELS = ("a", "b", "c", "d", "e")
pairs = st.lists(st.tuples(st.integers(0, 4), st.integers(-1, 4)), min_size=1, max_size=60)
Rows = list[tuple[int, int]]


def compute(metric: str, gold: list[int], predicted: list[int]) -> float:
    return report(predicted, gold, "classification", [metric]).scores[metric].value


def columns(rows: Rows) -> tuple[list[int], list[int]]:
    gold, predicted = map(list, zip(*rows, strict=True))
    return gold, predicted


@settings(deadline=None)
@given(pairs)
def test_accuracy_is_scikit_learns(rows: Rows) -> None:
    """Accuracy equals scikit-learn's to 1e-12."""
    gold, predicted = columns(rows)
    expected = sklearn.accuracy_score(gold, predicted)
    assert compute("accuracy", gold, predicted) / 100 == pytest.approx(expected, abs=1e-12, rel=0)


@settings(deadline=None)
@given(pairs, st.sampled_from(["micro", "macro", "weighted"]), st.sampled_from(["precision", "recall", "f1"]))
def test_averages_are_scikit_learns(rows: Rows, average: str, measure: str) -> None:
    """Micro, macro and weighted precision, recall and F1, and each label's own, equal scikit-learn's."""
    gold, predicted = columns(rows)
    labels = sorted({*gold, *predicted} - {-1})
    of = getattr(sklearn, f"{measure}_score")
    scored = report(predicted, gold, "classification", [f"{average}-{measure}"], labels=LABELS)
    value = scored.scores[f"{average}-{measure}"]
    expected = of(gold, predicted, labels=labels, average=average, zero_division=0)
    assert value.value / 100 == pytest.approx(expected, abs=1e-12, rel=0)
    each = of(gold, predicted, labels=range(5), average=None, zero_division=0)
    assert np.array(list(value.parts.values())) / 100 == pytest.approx(each, abs=1e-12, rel=0)
    assert tuple(value.parts) == LABELS


@settings(deadline=None)
@given(pairs)
def test_mcc_is_scikit_learns(rows: Rows) -> None:
    """Matthews' coefficient equals scikit-learn's with the invalid answer as a label of its own."""
    gold, predicted = columns(rows)
    expected = sklearn.matthews_corrcoef(gold, predicted)
    assert compute("mcc", gold, predicted) == pytest.approx(expected, abs=1e-12, rel=0)


@settings(deadline=None)
@given(pairs)
def test_plain_names_mean_macro_averages(rows: Rows) -> None:
    """For labels, precision, recall and F1 are the macro averages."""
    gold, predicted = columns(rows)
    for measure in ("precision", "recall", "f1"):
        assert compute(measure, gold, predicted) == compute(f"macro-{measure}", gold, predicted)


def test_an_invalid_answer_is_wrong() -> None:
    """An answer that was not valid counts against the model instead of dropping out."""
    assert compute("accuracy", [0, 1], [0, -1]) == 50.0
    assert compute("macro-f1", [0, 1], [0, -1]) == 50.0


@pytest.mark.parametrize("wrong", [None, "maybe", ""])
def test_labels_may_be_strings(wrong: str | None) -> None:
    """Strings are labels; None and a string that is no label are invalid, and wrong."""
    scored = report(["yes", wrong, "no", "no"], ["yes", "yes", "no", "yes"], "classification",
                    ["accuracy", "macro-f1"], labels=("no", "yes"))  # fmt: skip
    assert scored.scores["accuracy"].value == 50.0
    assert scored.scores["accuracy"].per_item is not None
    assert scored.scores["accuracy"].per_item.tolist() == [100.0, 0.0, 100.0, 0.0]
    assert scored.scores["macro-f1"].parts == pytest.approx({"no": 200 / 3, "yes": 50.0})


def test_strings_and_indices_score_the_same() -> None:
    """A label and its place among the labels are the same answer, in lists and in arrays."""
    names = ["accuracy", "macro-f1", "mcc"]
    words = report(["b", None, "a"], ["b", "a", "b"], "classification", names, labels="ab")
    for predicted, gold in (([1, None, 0], [1, 0, 1]), (np.array([1, -1, 0]), np.array([1, 0, 1]))):
        numbers = report(predicted, gold, "classification", names, labels="ab")
        assert {n: v.value for n, v in numbers.scores.items()} == {
            n: v.value for n, v in words.scores.items()
        }


def test_vmer_counts_validated_errors_over_all_examples() -> None:
    """Errors that nobody confirmed are not counted; examples that nobody validated are divided by."""
    scored = report(["a", "b", "b", "b"], ["a", "a", "a", "b"], "classification", ["vmer"],
                    labels="ab", validated=[True, True, False, True], unvalidated=6)  # fmt: skip
    assert scored.scores["vmer"].value == 10.0
    assert scored.scores["vmer"].parts == {"errors": 1.0, "examples": 10.0}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("blue", [0], [0]), "metric: 'blue' is none of accuracy, "),
        (("accuracy", [0, 1], [0]), "1 predictions for 2 references"),
        (("accuracy", [], []), "no examples to score"),
        (("vmer", [0], [0]), "vmer: needs validated"),
        (("cross-entropy", [0], [0]), "cross-entropy: needs probabilities and distributions"),
        (("bleu", [0], [0]), "bleu: fits generation and qa, not classification"),
    ],
)
def test_what_cannot_be_scored_says_why(arguments: tuple, message: str) -> None:
    """Unknown metrics, columns of different lengths and what a metric lacks are errors."""
    with pytest.raises(UserError, match=message):
        compute(*arguments)


@pytest.mark.parametrize(
    ("predictions", "references", "options", "message"),
    [
        (["a"], ["c"], {"labels": "ab"}, r"references\[0\]: 'c' is none of a, b"),
        ([0, 2], [0, 1], {"labels": "ab"}, None),
        (np.array([0, 2]), np.array([0, 1]), {"labels": "ab"}, r"predictions\[1\]: .*2.* is none of a, b"),
        (np.array([0, -2]), np.array([0, 1]), {"labels": "ab"}, r"predictions\[1\]: .*-2.* is none of"),
        (["a"], ["a"], {"labels": "aa"}, "names a label twice"),
        (["a"], ["a"], {"labels": "ab", "validated": [True, False]}, "validated: 2 flags for 1 items"),
        (["a"], ["a"], {"labels": "ab", "unvalidated": -1}, "unvalidated: -1"),
        ([["a"]], ["a"], {"labels": "ab"}, "not all are labels"),
    ],
)
def test_inputs_that_do_not_fit_say_why(
    predictions: object, references: object, options: dict, message: str | None
) -> None:
    """A gold label that is none, an index out of range and odd shapes are errors; a wrong answer is not."""
    if message is None:
        assert report(predictions, references, "classification", ["accuracy"], **options).scores
        return
    with pytest.raises(UserError, match=message):
        report(predictions, references, "classification", ["accuracy"], **options)
