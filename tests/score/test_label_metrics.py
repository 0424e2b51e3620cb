"""Metrics over labels, sets of labels, tags and probabilities: what no library decides, and what does not fit."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from evaluator.records.errors import UserError
from evaluator.score.metrics import Value, names_for, report

#: A model's shares of two labels: certain of one, of the other, and none given.
FIRST, SECOND, NONE = [1.0, 0.0], [0.0, 1.0], [math.nan, math.nan]


def value(metric: str, predictions: Any, references: Any, kind: str = "classification", **more: Any) -> Value:
    return report(predictions, references, kind, [metric], **more).scores[metric]


def test_plain_names_are_averages() -> None:
    """Precision, recall and F1 are macro averages over labels and sets of them, and micro averages over entities."""
    labels = ([0, 1, 2, 2], [0, 0, 2, 1])
    sets = ([["a", "b"], ["c"], []], [["a"], ["c", "b"], ["b"]])
    tags = ([["B-A", "O", "B-B"]], [["B-A", "I-A", "B-B"]])
    for measure in ("precision", "recall", "f1"):
        assert value(measure, *labels).value == value(f"macro-{measure}", *labels).value
        macro, plain = (value(name, *sets, "multi-label").value for name in (f"macro-{measure}", measure))
        assert plain == macro
        micro, plain = (
            value(name, *tags, "sequence-labelling").value for name in (f"micro-{measure}", measure)
        )
        assert plain == micro == 50.0


def test_labels_are_strings_or_indices_and_what_is_none_is_wrong() -> None:
    """In lists and in arrays; None and a string that is no label are invalid answers."""
    names = ["accuracy", "macro-f1", "mcc"]
    given = (
        (["b", None, "a"], ["b", "a", "b"]),
        (["b", "maybe", "a"], ["b", "a", "b"]),
        ([1, None, 0], [1, 0, 1]),
        (np.array([1, -1, 0]), np.array([1, 0, 1])),
    )
    found = [report(*columns, "classification", names, labels="ab").scores for columns in given]
    assert len({tuple(one.value for one in scores.values()) for scores in found}) == 1
    assert found[0]["accuracy"].per_item == pytest.approx([100.0, 0.0, 0.0])
    assert found[0]["macro-f1"].parts == pytest.approx({"a": 0.0, "b": 200 / 3})


def test_vmer_counts_validated_errors_over_all_examples() -> None:
    """Errors that nobody confirmed are not counted; examples that nobody validated are divided by."""
    flags = {"validated": [True, True, False, True], "unvalidated": 6}
    found = value("vmer", ["a", "b", "b", "b"], ["a", "a", "a", "b"], labels="ab", **flags)
    assert found.value == 10.0
    assert found.parts == {"errors": 1.0, "examples": 10.0}


def test_sets_of_labels_are_words_or_numbers_and_each_counts_once() -> None:
    """Words, indices, arrays and sets say the same; labels not given are those of the data, in order."""
    words, gold = [["b", "a", "b"], ["c"]], [["a", "b"], ["a"]]
    expected = value("micro-f1", words, gold, "multi-label", labels="abc").value
    numbers = ([[1, 0], np.array([2])], [{0, 1}, (0,)])
    assert value("micro-f1", *numbers, "multi-label", labels="abc").value == expected
    parts = value("micro-f1", words, gold, "multi-label").parts
    assert parts == {"a": pytest.approx(200 / 3), "b": 100.0, "c": 0.0}
    assert list(value("micro-f1", [[1], [2]], [[1], []], "multi-label").parts) == ["0", "1", "2"]


@pytest.mark.parametrize("name", names_for("multi-label"))
def test_nobody_gains_by_what_is_no_set(name: str) -> None:
    """Nothing in place of a right set, and something that is no label, are wrong; precision alone stays."""
    gold = [["a", "b"], ["c"], ["a"]]
    whole = value(name, gold, gold, "multi-label", labels="abc").value
    assert whole == 100.0
    least = whole if "precision" in name and name != "samples-precision" else whole - 1e-9
    for answers in ([None, ["c"], ["a"]], [["a", "b"], ["c"], ["dunno"]]):
        assert value(name, answers, gold, "multi-label", labels="abc").value <= least


@pytest.mark.parametrize(
    ("predicted", "gold", "f1"),
    [
        ("B-A I-A O", "B-A I-A O", 100.0),
        ("B-A I-A O", "B-A O O", 0.0),
        ("B-A B-A O", "B-A I-A O", 0.0),
        ("I-A I-A O", "B-A I-A O", 100.0),
        ("B-A I-B O", "B-A B-B O", 100.0),
        ("B-A O B-B", "B-A O B-A", 50.0),
        ("O O O", "O O O", 0.0),
    ],
)
def test_entities_by_hand(predicted: str, gold: str, f1: float) -> None:
    """An entity is right where its type, beginning and end are; an I tag may begin one."""
    assert value("entity-f1", [predicted.split()], [gold.split()], "sequence-labelling").value == f1


@pytest.mark.parametrize("nothing", [None, []])
def test_a_sequence_without_an_answer_is_wrong(nothing: object) -> None:
    """All its tokens and entities are missed, and stay in the denominators."""
    columns = ([nothing, ["B-A", "O"]], [["B-A", "O"]] * 2)
    accuracy = value("accuracy", *columns, "sequence-labelling")
    assert accuracy.per_item == pytest.approx([0.0, 100.0])
    assert accuracy.value == value("token-accuracy", *columns, "sequence-labelling").value == 50.0
    for name in ("entity-f1", "token-f1"):
        assert value(name, *columns, "sequence-labelling").value == pytest.approx(200 / 3)


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
    more = {"labels": "ab", "probabilities": [FIRST, NONE], "distributions": [FIRST, FIRST]}
    found = value(metric, [0, 0], [0, 0], **more)
    assert found.value == pytest.approx(worst / 2, abs=1e-6)
    assert found.parts["without"] == 1.0


def test_distances_are_from_what_annotators_say() -> None:
    """Cross-entropy is in nats, and a zero counts as half a millionth; items that nobody judged are counted."""
    more = {"labels": "ab", "probabilities": [FIRST, [0.5, 0.5]], "distributions": [FIRST, NONE]}
    unjudged = value("js-divergence", [0, 1], [0, 1], **more)
    assert (unjudged.value, unjudged.parts["unjudged"]) == (0.0, 1.0)
    judged = [[0.2, 0.8], SECOND]
    found = value(
        "cross-entropy", [0, 1], [0, 1], labels="ab", probabilities=[[0.5, 0.5], FIRST], distributions=judged
    )
    assert found.per_item == pytest.approx([math.log(2), -math.log(0.5e-6)])
    assert found.parts["entropy"] == pytest.approx(-(0.2 * math.log(0.2) + 0.8 * math.log(0.8)) / 2)


@pytest.mark.parametrize(
    ("kind", "metric", "predictions", "references", "more", "message"),
    [
        ("classification", "blue", [0], [0], {}, "metric: 'blue' is none of accuracy, "),
        ("classification", "accuracy", [0, 1], [0], {}, "2 predictions for 1 references"),
        ("classification", "accuracy", [], [], {}, "no examples to score"),
        ("classification", "vmer", [0], [0], {}, "vmer: needs validated"),
        ("classification", "cross-entropy", [0], [0], {}, "cross-entropy: needs probabilities and distributions"),
        ("classification", "accuracy", ["a"], ["c"], {"labels": "ab"}, r"references\[0\]: 'c' is none of a, b"),
        ("classification", "accuracy", np.array([0, -2]), np.array([0, 1]), {"labels": "ab"}, r"predictions\[1\]: .*-2"),
        ("classification", "accuracy", ["a"], ["a"], {"labels": "aa"}, "names a label twice"),
        ("classification", "accuracy", ["a"], ["a"], {"validated": [True, False]}, "validated: 2 flags for 1 items"),
        ("classification", "accuracy", ["a"], ["a"], {"unvalidated": -1}, "unvalidated: -1"),
        ("classification", "accuracy", [["a"]], ["a"], {"labels": "ab"}, "not all are labels"),
        ("classification", "accuracy", [1, "x"], [1, 2], {}, "some are strings, others numbers; give one kind"),
        ("classification", "auroc", [0, 0], [0, 0], {"labels": "ab", "probabilities": [FIRST] * 2}, "every gold label is"),
        ("classification", "brier", [0], [0], {"labels": "ab", "probabilities": [[0.5, 0.6]]}, r"probabilities\[0\]: .* are not"),
        ("classification", "brier", [0], [0], {"labels": "ab", "probabilities": [[-0.5, 1.5]]}, r"probabilities\[0\]"),
        ("classification", "brier", [0, 0], [0, 0], {"labels": "ab", "probabilities": [FIRST]}, r"shape \(1, 2\) where 2"),
        ("classification", "brier", [0, 0], [0, 0], {"labels": "ab", "probabilities": [[1.0], FIRST]}, "probabilities: not 2"),
        ("classification", "brier", [0], [0], {"labels": "ab", "probabilities": [NONE]}, "no item has any"),
        ("multi-label", "accuracy", ["a"], [["a"]], {}, r"predictions\[0\]: 'a' is no list of labels"),
        ("multi-label", "accuracy", [["a"]], [["z"]], {"labels": "ab"}, r"references\[0\]: 'z' is none of a, b"),
        ("multi-label", "accuracy", [["a"]], [], {}, "1 predictions for 0 references"),
        ("multi-label", "accuracy", [["a", 1]], [["a"]], {}, "some are strings, others numbers; give one kind"),
        ("multi-label", "accuracy", [[1.5]], [["a"]], {"labels": "ab"}, r"\[1.5\] has something that is neither"),
        ("sequence-labelling", "accuracy", [["O", "O"]], [["O"]], {}, r"predictions\[0\]: 2 tags for 1 tokens"),
        ("sequence-labelling", "accuracy", [["O"]], [["S-PER"]], {}, r"references\[0\]: 'S-PER' is not a BIO tag"),
        ("sequence-labelling", "accuracy", ["O"], [["O"]], {}, r"predictions\[0\]: 'O' is not a list of tags"),
        ("sequence-labelling", "accuracy", [[]], [[]], {}, "no tags to score"),
    ],
)  # fmt: skip
def test_what_cannot_be_scored_says_why(
    kind: str, metric: str, predictions: Any, references: Any, more: dict[str, Any], message: str
) -> None:
    """Unknown metrics, labels that are none, columns of different lengths and what a metric lacks are errors."""
    with pytest.raises(UserError, match=message):
        value(metric, predictions, references, kind, **more)
