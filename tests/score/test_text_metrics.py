"""Metrics over texts: several predictions and references, answers that are missing, SQuAD's rules, what does not fit."""

from __future__ import annotations

import copy
import warnings
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.records.errors import UserError
from evaluator.score.metrics import Value, names_for, report, words
from evaluator.score.metrics.neural import NEURAL
from evaluator.score.metrics.squad_pair import token_f1
from evaluator.score.metrics.words import characters, matches

ROUGES = ("rouge-1", "rouge-2", "rouge-l", "rouge-lsum")
PER_ITEM = ("exact-match", "f1", "precision", "recall", "token-f1", *ROUGES)
ERRORS = ("wer", "cer", "ter")


def score(predictions: list, references: list, metric: str, kind: str = "generation", **more: Any) -> Value:
    return report(predictions, references, kind, [metric], **more).scores[metric]


@pytest.mark.parametrize("metric", [*PER_ITEM, "wer", "cer"])
def test_the_best_pair_counts(metric: str) -> None:
    """Over references and over predictions the best counts, whichever place it has; of error rates the lowest."""
    best = 0.0 if metric in ERRORS else 100.0
    for predictions in (["cat x", "the dog ran"], ["the dog ran", "cat x"]):
        for references in (["cat sat", "the dog ran", "z"], ["z", "the dog ran"]):
            assert score([predictions], [references], metric).value == best


@pytest.mark.parametrize(
    ("over_references", "over_predictions", "expected"),
    [("max", "max", 100.0), ("max", "min", 50.0), ("max", "mean", 75.0), ("min", "max", 0.0), ("mean", "max", 50.0),
     ("mean", "mean", 37.5), ("min", "min", 0.0)],
)  # fmt: skip
def test_reductions_are_over_references_first(
    over_references: str, over_predictions: str, expected: float
) -> None:
    """Each prediction's scores are reduced to one, then the predictions' are."""
    # Token precision of "x" is 100 against "x" and 0 against "z"; that of "x y" is 50 and 0.
    how = {"over_references": over_references, "over_predictions": over_predictions}
    assert score([["x", "x y"]], [["x", "z"]], "precision", **how).value == pytest.approx(expected)


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


@pytest.mark.parametrize("metric", [*PER_ITEM, *ERRORS, "bleu", "sacrebleu", "chrf"])
def test_a_missing_answer_is_wrong_and_keeps_its_place(metric: str) -> None:
    """ "", None and [] are all errors, and lower the corpus."""
    right, worst = "the cat sat on the mat", 100.0 if metric in ERRORS else 0.0
    assert score([right], [right], metric).value == pytest.approx(100.0 - worst)
    for nothing in ("", None, []):
        found = score([right, nothing, right], [right, "a bird", right], metric)
        assert abs(found.value - worst) < 95
        if found.per_item is not None:
            assert found.per_item == pytest.approx([100.0 - worst, worst, 100.0 - worst])


def test_an_empty_reference_has_a_finite_error_rate() -> None:
    """A word where there should be none is an error of one word in one, not of one in none; nothing warns."""
    for metric in ("wer", "cer"):
        found = score(["", "x", "x"], ["", "", "x"], metric)
        assert found.per_item == pytest.approx([0.0, 100.0, 0.0])
        assert found.value == 100.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for metric in (*PER_ITEM, *ERRORS, "bleu", "sacrebleu", "chrf"):
            score([""], [""], metric)


def test_unigram_accuracy_is_jurys() -> None:
    """Tokens in common over those of the longer text, the best reference counting, as Jury's example says."""
    said = ["the cat is on the mat", "Look! a wonderful day.", ""]
    known = [
        ["the cat is playing on the mat.", "The cat plays on the mat."],
        ["Today is a wonderful day"],
        ["x"],
    ]
    assert score(said, known, "unigram-accuracy").per_item == pytest.approx([80.0, 50.0, 0.0])


def test_metrics_share_what_they_read_and_change_nothing() -> None:
    """A report of all metrics has the numbers of single reports, and leaves lists, arrays and what is in them alone."""
    texts = {"predictions": [["a b", "b"], None, "a\nc"], "references": ["a b", ["b", "c"], ["a", "c d"]]}
    labels = {
        "predictions": np.array([0, -1, 1]),
        "references": np.array([0, 1, 1]),
        "labels": ["x", "y"],
        "probabilities": np.array([[0.5, 0.5], [np.nan, np.nan], [0.1, 0.9]]),
        "distributions": np.array([[0.4, 0.6], [1.0, 0.0], [np.nan, np.nan]]),
        "validated": np.array([True, False, True]),
    }
    for kind, given_ in (
        ("generation", texts),
        ("qa", {**texts, "references": ["a b", ["b", "c"], [""]], "no_answer": [0.5, 0.0, 1.0]}),
        ("sequence-labelling", {"predictions": [["B-A", "O"], []], "references": [["B-A", "O"], ["O"]]}),
        ("classification", labels),
        ("multi-label", {"predictions": [["x", "y"], None, {"y"}], "references": [["x"], [], ["x", "y"]]}),
    ):
        names = [name for name in names_for(kind) if name not in ("meteor", *NEURAL)]
        before = copy.deepcopy(given_)
        together = report(task=kind, metrics=names, **given_).scores  # type: ignore[arg-type]
        np.testing.assert_equal(given_, before)
        for name in names:
            alone = report(task=kind, metrics=[name], **given_).scores[name]  # type: ignore[arg-type]
            assert (together[name].value, together[name].parts) == (alone.value, alone.parts)


@pytest.mark.parametrize(
    ("predictions", "references", "more", "message"),
    [
        (["a"], [], {}, "1 predictions for 0 references"),
        ([], [], {}, "no examples to score"),
        (["a"], [[]], {}, r"references\[0\]: \[\] is neither a text nor a list"),
        (["a"], [None], {}, r"references\[0\]: None is neither"),
        ([["a", 3]], ["a"], {}, r"predictions\[0\]: \['a', 3\] is neither"),
        (["a"], ["a"], {"over_references": "best"}, "over_references: 'best' is none of max, min, mean"),
        (["a"], ["a"], {"over_predictions": "sum"}, "over_predictions: 'sum' is none of"),
    ],
)
def test_texts_that_do_not_fit_say_why(predictions: list, references: list, more: dict, message: str) -> None:
    """Different lengths, no texts and unknown reductions are errors."""
    with pytest.raises(UserError, match=message):
        score(predictions, references, "f1", **more)


# SQuAD; the whole of its definition, with and without thresholds, is among the references.


@pytest.mark.parametrize(
    ("prediction", "references", "exact", "f1"),
    [
        ("The  Cat!", ["cat"], 100, 100),
        ("cat", ["the cat", "dog"], 100, 100),
        ("cat cat", ["cat"], 0, 200 / 3),
        ("U.S.", ["US"], 100, 100),
        ("the", ["a"], 100, 0),
        (None, ["the"], 0, 0),
        ("", [""], 100, 100),
        (None, [""], 0, 0),
    ],
)
def test_answers_by_hand(prediction: str | None, references: list[str], exact: float, f1: float) -> None:
    """Case, punctuation, articles and spaces do not count; of v1.1, nothing is right where nothing is left, and of v2
    where there is no answer. A prediction that is not there is wrong, and a page says the same of a pair."""
    assert score([prediction], [references], "exact-match", "qa").value == exact
    names = [("f1", "qa"), ("token-f1", "qa"), ("f1", "generation"), ("token-f1", "generation")]
    assert [score([prediction], [references], *name).value for name in names] == [pytest.approx(f1)] * 4
    if prediction is not None:
        best = max(token_f1(prediction, right) for right in references)
        assert best == score([prediction], [references], "f1", "qa").value / 100


def test_an_answer_that_is_missing_is_wrong_under_any_threshold() -> None:
    """Whoever leaves out a question without an answer does not gain by it; white space is an answer without words."""
    for missing in (None, [None], []):
        found = score([missing, "cat"], ["", "cat"], "best-f1", "qa", no_answer=[0.9, 0.1])
        assert (found.value, found.parts["threshold"]) == (50.0, 0.1)
    blank = score(["", "cat"], [" ", "dog"], "best-f1", "qa", no_answer=[0.5, 0.9])
    assert (blank.value, blank.parts["threshold"]) == (50.0, 0.5)


def test_a_kind_of_question_that_is_not_there_cannot_be_scored() -> None:
    """Where all questions have an answer, or none has one; and numbers that are missing or are none."""
    with pytest.raises(UserError, match="no-ans-f1: needs unanswerable"):
        score(["cat"], ["cat"], "no-ans-f1", "qa")
    with pytest.raises(UserError, match="no question has an answer"):
        score([""], [""], "has-ans-f1", "qa")
    for numbers in ([0.1], [0.1, float("nan")], ["x", 0.1], None):
        with pytest.raises(UserError, match="no_answer"):
            score(["x", "y"], ["x", ""], "best-f1", "qa", no_answer=numbers)


# Texts as numbers

any_text = st.text(st.characters(), max_size=40)
near_texts = st.lists(st.text("ab \n\0\xff\x85é", max_size=30), max_size=6)


@pytest.mark.parametrize("portion", [words.PORTION, 2])
@given(texts=st.lists(any_text, max_size=5) | near_texts)
def test_words_are_what_split_gives(portion: int, texts: list[str]) -> None:
    """Each text has as many numbers as words, equal exactly where words are; strings spell them as characters."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(words, "PORTION", portion)
        tokens = words.words(texts)
    split = [text.split() for text in texts]
    assert tokens.lengths.tolist() == list(map(len, split))
    flat = [word for text in split for word in text]
    assert len({*zip(flat, tokens.ids.tolist(), strict=True)}) == len({*flat}) == len({*tokens.ids.tolist()})
    strings = tokens.strings
    assert [a == b for a in strings for b in strings] == [a == b for a in split for b in split]
    assert list(characters(texts).strings) == texts


def counted(text: str, order: int) -> Counter[tuple[str, ...]]:
    tokens = text.split()
    return Counter(tuple(tokens[i : i + order]) for i in range(len(tokens) - order + 1))


few = st.text("ab ", max_size=20)


@pytest.mark.parametrize("chunk", [words.CHUNK, 8])
@given(items=st.lists(st.tuples(few, st.lists(few, min_size=1, max_size=3)), min_size=1, max_size=8))
def test_matches_are_clipped_counts(chunk: int, items: list[tuple[str, list[str]]]) -> None:
    """Matches equal the definition's by plain counting, in whatever portions they are computed."""
    everything = [text for text, others in items for text in (text, *others)]
    sizes = [1 + len(others) for _, others in items]
    first = np.cumsum([0, *sizes[:-1]])
    others = np.setdiff1d(np.arange(len(everything)), first)
    unit = np.repeat(np.arange(len(items)), np.array(sizes) - 1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(words, "CHUNK", chunk)
        found = matches(words.words(everything), first, others, unit, 3)
    for row, (text, references) in zip(found.tolist(), items, strict=True):
        for order, number in enumerate(row, start=1):
            most = Counter[tuple[str, ...]]()
            for reference in references:
                most |= counted(reference, order)
            assert number == sum((counted(text, order) & most).values())
