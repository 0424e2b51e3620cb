"""Several predictions and references: which counts; and the errors of Jury 2.3.1, none of them ours."""

from __future__ import annotations

import copy

import numpy as np
import pytest
import sacrebleu

from evaluator.records.errors import UserError
from evaluator.score.metrics import Value, names_for, report
from evaluator.score.metrics.checkpoints import NEURAL

PER_ITEM = (
    "exact-match",
    "f1",
    "precision",
    "recall",
    "token-f1",
    "rouge-1",
    "rouge-2",
    "rouge-l",
    "rouge-lsum",
)


def score(predictions: list, references: list, metric: str, **options: str) -> Value:
    return report(predictions, references, "generation", [metric], **options).scores[metric]


@pytest.mark.parametrize("metric", PER_ITEM)
def test_the_best_pair_counts(metric: str) -> None:
    """Over references and over predictions the best counts, whichever place it has."""
    for predictions in (["cat x", "the dog ran"], ["the dog ran", "cat x"]):
        for references in (["cat sat", "the dog ran", "z"], ["z", "the dog ran"]):
            assert score([predictions], [references], metric).value == 100.0


@pytest.mark.parametrize("metric", ["wer", "cer"])
def test_of_error_rates_the_lowest_counts(metric: str) -> None:
    """For an error rate the best pair is the one with the fewest errors."""
    assert score([["cat x", "the dog ran"]], [["cat sat", "the dog ran"]], metric).value == 0.0
    assert (
        score([["cat x", "the dog ran"]], [["cat sat", "the dog ran"]], metric, over_references="max").value
        > 0
    )


@pytest.mark.parametrize(
    ("over_references", "over_predictions", "expected"),
    [
        ("max", "max", 100.0),
        ("max", "min", 50.0),
        ("max", "mean", 75.0),
        ("min", "max", 0.0),
        ("mean", "max", 50.0),
        ("mean", "mean", 37.5),
        ("min", "min", 0.0),
    ],
)
def test_reductions_are_over_references_first(
    over_references: str, over_predictions: str, expected: float
) -> None:
    """Each prediction's scores are reduced to one, then the predictions' are."""
    # Token precision of "x" is 100 against "x" and 0 against "z"; that of "x y" is 50 and 0.
    found = score(
        [["x", "x y"]],
        [["x", "z"]],
        "precision",
        over_references=over_references,
        over_predictions=over_predictions,
    )
    assert found.value == pytest.approx(expected)


def test_a_mean_rate_is_of_mean_edits_and_lengths() -> None:
    """Averaged over references, the corpus rate divides mean edits by mean lengths."""
    found = score(["a b"], [["a b", "a c d e"]], "wer", over_references="mean")
    assert found.parts == {"edits": 1.5, "length": 3.0}
    assert found.value == 50.0
    assert found.per_item == pytest.approx([37.5])


@pytest.mark.parametrize("metric", ["sacrebleu", "bleu", "chrf", "ter"])
def test_the_best_prediction_of_a_corpus_metric_counts(metric: str) -> None:
    """Of several predictions the one that is best on its own enters the corpus, whichever place it has."""
    good, bad = "the cat sat on the mat", "a dog on a mat ran home"
    references = [["the cat sat on the mat", "a cat"], ["on the old mat the cat sat", "the mat"]]
    alone = score([good, good], references, metric).value
    for several in ([good, bad], [bad, good], [bad, "", good]):
        assert score([several, good], references, metric).value == alone


def test_corpus_metrics_are_of_the_corpus() -> None:
    """They pool counts over items, which is not the mean over items."""
    predictions, references = ["the cat sat on the mat", "dog"], ["the cat sat on a mat", "the dog ran away"]
    assert score(predictions, references, "wer").value == pytest.approx(100 * 4 / 10)
    chrf = score(predictions, references, "chrf")
    assert chrf.per_item is not None
    assert chrf.value != pytest.approx(chrf.per_item.mean())


# Jury 2.3.1 hands sacrebleu the references transposed, so that item 2's references judge item 1.
THREE = (
    ["the cat sat on the mat", "a dog ran home today", "it rained all day long"],
    [
        ["the cat sat on a mat", "the cat was on the mat"],
        ["a dog ran home", "the dog went home today"],
        ["it rained all day", "all day long it rained"],
    ],
)


@pytest.mark.parametrize(
    ("metric", "theirs"),
    [("sacrebleu", sacrebleu.BLEU()), ("chrf", sacrebleu.CHRF()), ("ter", sacrebleu.TER())],
)
def test_references_are_not_transposed(metric: str, theirs: object) -> None:
    """Each prediction is scored against its own references, the number of which need not be that of the items."""
    streams = [list(column) for column in zip(*THREE[1], strict=True)]
    expected = theirs.corpus_score(THREE[0], streams).score  # type: ignore[attr-defined]
    assert score(*THREE, metric).value == pytest.approx(expected)
    ragged = [THREE[1][0], THREE[1][1][:1], THREE[1][2]]
    assert 0 < score(THREE[0], ragged, metric).value < 100


@pytest.mark.parametrize("metric", ["sacrebleu", "chrf", "ter"])
def test_more_than_the_first_prediction_is_scored(metric: str) -> None:
    """All items' predictions enter: an error in the last of them changes the score."""
    predictions, references = THREE
    worse = score([*predictions[:-1], "nothing like it"], references, metric).value
    better = score(predictions, references, metric).value
    assert (worse > better) if metric == "ter" else (worse < better)


@pytest.mark.parametrize("metric", ["wer", "cer"])
def test_error_rates_are_not_the_worst_items(metric: str) -> None:
    """A bad item raises the corpus rate by its share, and with several references the better one counts."""
    found = score(["a b c d", "x y z w"], [["a b c d"], ["a b c d", "x y z v"]], metric)
    assert found.per_item is not None
    assert found.per_item[0] == 0.0
    assert found.value == pytest.approx(100 / 8 if metric == "wer" else 100 / 14)
    assert found.value < found.per_item.max()


@pytest.mark.parametrize("metric", [*PER_ITEM, "wer", "cer", "ter", "chrf"])
def test_empty_pairs_are_not_deleted(metric: str) -> None:
    """An empty prediction, or an empty reference, keeps its place among the items."""
    found = score(["the cat", "", "the dog"], [["the cat"], ["a bird"], ["the dog"]], metric)
    assert found.per_item is not None
    worst = 100.0 if metric in ("wer", "cer", "ter") else 0.0
    assert found.per_item == pytest.approx([100.0 - worst, worst, 100.0 - worst])


def test_inputs_are_never_changed() -> None:
    """Every metric leaves lists, arrays and what is in them as they were."""
    text = {"predictions": [["a b", "b"], None, "a\nc"], "references": ["a b", ["b", "c"], ["a", "c d"]]}
    tags = {"predictions": [["B-A", "O"], []], "references": [["B-A", "O"], ["O"]]}
    labels = {
        "predictions": np.array([0, -1, 1]),
        "references": np.array([0, 1, 1]),
        "labels": ["x", "y"],
        "probabilities": np.array([[0.5, 0.5], [np.nan, np.nan], [0.1, 0.9]]),
        "distributions": np.array([[0.4, 0.6], [1.0, 0.0], [np.nan, np.nan]]),
        "validated": np.array([True, False, True]),
    }
    several = {"predictions": [["x", "y"], None, {"y"}], "references": [["x"], [], ["x", "y"]]}
    for task, given in (
        ("generation", text),
        ("qa", {**text, "references": ["a b", ["b", "c"], [""]], "no_answer": [0.5, 0.0, 1.0]}),
        ("sequence-labelling", tags),
        ("classification", labels),
        ("multi-label", several),
    ):
        names = [name for name in names_for(task) if name not in ("meteor", *NEURAL)]
        assert len(names) > 5
        before = copy.deepcopy(given)
        report(task=task, metrics=names, **given)  # type: ignore[arg-type]
        np.testing.assert_equal(given, before)


@pytest.mark.parametrize(
    ("predictions", "references", "options", "message"),
    [
        (["a"], [], {}, "1 predictions for 0 references"),
        ([], [], {}, "no examples to score"),
        (["a"], [[]], {}, r"references\[0\]: \[\] is neither a text nor a list"),
        (["a"], [None], {}, r"references\[0\]: None is neither"),
        ([3], ["a"], {}, r"predictions\[0\]: 3 is neither"),
        ([["a", 3]], ["a"], {}, r"predictions\[0\]: \['a', 3\] is neither"),
        (["a"], ["a"], {"over_references": "best"}, "over_references: 'best' is none of max, min, mean"),
        (["a"], ["a"], {"over_predictions": "sum"}, "over_predictions: 'sum' is none of"),
    ],
)
def test_texts_that_do_not_fit_say_why(
    predictions: list, references: list, options: dict, message: str
) -> None:
    """Different lengths, no texts and unknown reductions are errors."""
    with pytest.raises(UserError, match=message):
        score(predictions, references, "f1", **options)
