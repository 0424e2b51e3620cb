"""The text metrics equal the libraries that define them, on corpora and on every item."""

from __future__ import annotations

import math
import re
import sys
import warnings

import jiwer
import numpy as np
import pytest
import sacrebleu
from hypothesis import example, given, settings
from hypothesis import strategies as st
from nltk.translate.bleu_score import corpus_bleu
from nltk.translate.gleu_score import corpus_gleu, sentence_gleu
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

from evaluator.score.metrics import Value, report
from evaluator.score.metrics.bleu import tokenise_13a

WORDS = ["the", "a", "cat", "Cat", "sat", "on", "mat", "mat.", "It's", "3,000", "\"quoted\"", "naïve", "—", "(dog)",
         "extraordinarily", "internationalisation", "e\u0301", "x"]  # fmt: skip
SPACES = [" ", " ", " ", "  ", "\t", "\n", "\u00a0", "\u3000"]
Item = tuple[str, list[str]]


def texts(most: int = 12, spaces: list[str] = SPACES) -> st.SearchStrategy[str]:
    """Texts of a few words, so that much is shared, with all sorts of spaces between them."""
    words = st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(spaces)), max_size=most)
    return words.map(lambda pairs: "".join(word + space for word, space in pairs))


def corpora(references: int = 3, spaces: list[str] = SPACES) -> st.SearchStrategy[list[Item]]:
    """A few items with as many references each."""
    some = st.integers(1, references)
    return some.flatmap(
        lambda n: st.lists(
            st.tuples(texts(spaces=spaces), st.lists(texts(spaces=spaces), min_size=n, max_size=n)),
            min_size=1,
            max_size=5,
        )
    )


def score(items: list[Item], metric: str) -> Value:
    predictions, references = map(list, zip(*items, strict=True))
    return report(predictions, references, "generation", [metric]).scores[metric]


def streams(items: list[Item]) -> tuple[list[str], list[list[str]]]:
    """As sacrebleu takes them: one list for each place among the references."""
    return [text for text, _ in items], [list(column) for column in zip(*(r for _, r in items), strict=True)]


@settings(deadline=None)
@given(corpora())
def test_sacrebleu_is_sacrebleus(items: list[Item]) -> None:
    """SacreBLEU equals sacrebleu's corpus BLEU by default settings, with any number of references."""
    expected = sacrebleu.BLEU(force=True).corpus_score(*streams(items))
    found = score(items, "sacrebleu")
    assert found.value == pytest.approx(expected.score, abs=1e-9)
    assert found.parts == {"length": expected.sys_len, "reference_length": expected.ref_len}
    assert found.per_item is None


@settings(deadline=None)
@given(corpora())
def test_google_bleu_is_nltks(items: list[Item]) -> None:
    """Google-BLEU equals nltk's GLEU of 13a tokens, over the corpus and of every item."""
    split = [(tokenise_13a(text).split(), [tokenise_13a(r).split() for r in known]) for text, known in items]
    found = score(items, "google-bleu")
    expected = corpus_gleu([known for _, known in split], [text for text, _ in split])
    assert found.value == pytest.approx(100 * expected, abs=1e-9)
    each = [100 * sentence_gleu(known, text) for text, known in split]
    assert found.per_item == pytest.approx(each, abs=1e-9)


def test_unigram_accuracy_is_jurys() -> None:
    """Tokens in common over those of the longer text, the best reference counting, as Jury's example says."""
    said = ["the cat is on the mat", "Look! a wonderful day.", ""]
    known = [
        ["the cat is playing on the mat.", "The cat plays on the mat."],
        ["Today is a wonderful day"],
        ["x"],
    ]
    found = report(said, known, "generation", ["unigram-accuracy"]).scores["unigram-accuracy"]
    assert found.per_item == pytest.approx([80.0, 50.0, 0.0])


@settings(deadline=None)
@given(corpora())
def test_bleu_is_sacrebleus_without_tokenising_and_smoothing(items: list[Item]) -> None:
    """BLEU equals sacrebleu's over whitespace-separated words, unsmoothed."""
    expected = sacrebleu.BLEU(tokenize="none", smooth_method="none", force=True).corpus_score(*streams(items))
    assert score(items, "bleu").value == pytest.approx(expected.score, abs=1e-9)


@settings(deadline=None, max_examples=300)
@given(st.text(st.sampled_from("ab1 .,-'\"&()[]\\^_`{}~@/:;<>!%$\n\t\u00a0é’€")) | st.text())
@example("a-\nb <skipped>c &quot;d&amp;lt; 1,000.50 -5 3-4 .5 5.")
def test_tokens_are_sacrebleus(text: str) -> None:
    """The tokens of 13a are sacrebleu's."""
    assert tokenise_13a(text) == Tokenizer13a()(text.rstrip())


def test_bleu_is_nltks() -> None:
    """Where every order has a match, BLEU equals nltk's, which is written independently."""
    items = [
        ("the cat sat on the old mat", ["the cat sat on a mat today", "the cat sat on the mat"]),
        ("a dog ran home", ["a dog ran away from the cat", "one dog ran home"]),
    ]
    expected = corpus_bleu(
        [[r.split() for r in refs] for _, refs in items], [text.split() for text, _ in items]
    )
    assert score(items, "bleu").value == pytest.approx(100 * expected)


@settings(deadline=None)
@given(corpora())
def test_chrf_is_sacrebleus(items: list[Item]) -> None:
    """chrF equals sacrebleu's over the corpus, and its sentence chrF on every item."""
    chrf, found = sacrebleu.CHRF(), score(items, "chrf")
    assert found.value == pytest.approx(chrf.corpus_score(*streams(items)).score, abs=1e-9)
    assert found.per_item == pytest.approx([chrf.sentence_score(*item).score for item in items], abs=1e-9)


@settings(deadline=None)
@given(corpora())
@example([("x", ["a b"]), ("", [""]), ("a", [""])])
def test_ter_is_sacrebleus(items: list[Item]) -> None:
    """TER equals sacrebleu's over the corpus and on every item."""
    ter, found = sacrebleu.TER(), score(items, "ter")
    assert found.value == pytest.approx(ter.corpus_score(*streams(items)).score, abs=1e-9)
    assert found.per_item == pytest.approx([ter.sentence_score(*item).score for item in items], abs=1e-9)


@settings(deadline=None, max_examples=60)
@given(st.randoms(use_true_random=False), st.integers(5, 70), st.integers(0, 4), st.floats(0, 0.6))
def test_ter_is_sacrebleus_on_long_shuffled_texts(random, length: int, blocks: int, noise: float) -> None:
    """With blocks moved and words replaced, inside the beam and beyond it, the edits are sacrebleu's."""
    words = [random.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(length)]
    moved = [random.choice("abc") if random.random() < noise else word for word in words]
    for _ in range(blocks):
        start, place = random.randrange(length), random.randrange(length)
        block = moved[start : start + 3]
        del moved[start : start + 3]
        moved[place:place] = block
    found = score([(" ".join(moved), [" ".join(words)])], "ter")
    expected = sacrebleu.TER().sentence_score(" ".join(moved), [" ".join(words)])
    assert found.parts == {"edits": expected.num_edits, "length": length}


def test_ter_uses_what_sacrebleu_promises(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pair that leaves the beam is counted by sacrebleu's public class, though its inner module is gone."""
    moved, words = [*"abcdefghij" * 4, *"xyz" * 10], [*"klmnopqrst" * 4, *"XYZ" * 10]
    expected = sacrebleu.TER().sentence_score(" ".join(moved), [" ".join(words)])
    monkeypatch.setitem(sys.modules, "sacrebleu.metrics.lib_ter", None)
    assert score([(" ".join(moved), [" ".join(words)])], "ter").parts["edits"] == expected.num_edits


ROUGES = {"rouge-1": "rouge1", "rouge-2": "rouge2", "rouge-l": "rougeL", "rouge-lsum": "rougeLsum"}


@settings(deadline=None)
@given(corpora(spaces=[" ", " ", "\n", ". "]))
def test_rouge_is_rouge_scores(items: list[Item]) -> None:
    """ROUGE-1, -2, -L and -Lsum equal rouge-score's best reference on every item; precision and recall too."""
    scorer = RougeScorer(list(ROUGES.values()))
    expected = [scorer.score_multi(references, text) for text, references in items]
    predictions, references = map(list, zip(*items, strict=True))
    found = report(predictions, references, "generation", list(ROUGES)).scores
    for ours, theirs in ROUGES.items():
        assert found[ours].per_item == pytest.approx([100 * one[theirs].fmeasure for one in expected])
        assert found[ours].value == pytest.approx(100 * np.mean([one[theirs].fmeasure for one in expected]))
        assert found[ours].parts == pytest.approx(
            {
                "precision": 100 * np.mean([one[theirs].precision for one in expected]),
                "recall": 100 * np.mean([one[theirs].recall for one in expected]),
            }
        )


@settings(deadline=None)
@given(corpora(references=1, spaces=[" "]))
def test_error_rates_are_jiwers(items: list[Item]) -> None:
    """WER and CER equal jiwer's over the corpus and on every item, where the reference is not empty."""
    items = [*((text, refs) for text, refs in items if refs[0].strip()), ("a mat", ["the mat"])]
    predictions, references = [text for text, _ in items], [refs[0] for _, refs in items]
    for metric, rate in (("wer", jiwer.wer), ("cer", jiwer.cer)):
        found = score(items, metric)
        assert found.value == pytest.approx(100 * rate(references, predictions))
        each = [100 * rate(r, p) for p, r in zip(predictions, references, strict=True)]
        assert found.per_item == pytest.approx(each)


@settings(deadline=None)
@given(corpora(references=1, spaces=[" ", "\t", "\u00a0", "\n", " \t "]))
def test_words_end_at_any_white_space_where_jiwers_end_at_spaces(items: list[Item]) -> None:
    """The one difference: with every white space made a space, jiwer counts the same words."""
    items = [*((text, refs) for text, refs in items if refs[0].strip()), ("a\tmat", ["the\u00a0mat"])]
    said, known = [text for text, _ in items], [refs[0] for _, refs in items]
    predictions, references = ([re.sub(r"\s", " ", text) for text in texts] for texts in (said, known))
    assert score(items, "wer").value == pytest.approx(100 * jiwer.wer(references, predictions))
    assert score([("a\tb", ["a b"])], "wer").value == 0.0
    assert jiwer.wer("a b", "a\tb") == 1.0
    assert score(items, "cer").value == pytest.approx(100 * jiwer.cer(known, said))


def test_an_empty_reference_has_a_finite_error_rate() -> None:
    """A word where there should be none is an error of one word in one, not of one in none."""
    for metric in ("wer", "cer"):
        found = score([("", [""]), ("x", [""]), ("x", ["x"])], metric)
        assert found.per_item is not None
        assert found.per_item.tolist() == [0.0, 100.0, 0.0]
        assert found.value == 100.0


@pytest.mark.parametrize(
    "metric", ["bleu", "sacrebleu", "chrf", "rouge-1", "rouge-2", "rouge-l", "rouge-lsum"]
)
def test_an_empty_prediction_is_wrong(metric: str) -> None:
    """It has score 0 beside a right one and lowers the corpus; None is the same."""
    right = "the cat sat on the mat"
    alone = report([right], [right], "generation", [metric]).scores[metric]
    assert alone.value == pytest.approx(100.0)
    for nothing in ("", None, []):
        found = report([right, nothing], [right, right], "generation", [metric]).scores[metric]
        assert found.value < 80.0
        if found.per_item is not None:
            assert found.per_item == pytest.approx([100.0, 0.0])


@pytest.mark.parametrize("metric", ["wer", "cer", "ter"])
def test_an_empty_prediction_is_all_errors(metric: str) -> None:
    """Every word or character of its reference counts as dropped."""
    found = score([("", ["the cat"])], metric)
    assert found.value == 100.0


def test_metrics_of_one_report_are_those_of_single_reports() -> None:
    """What a report shares between metrics changes none of them."""
    items = [
        ("The cat's mat\nis red.", ["the cat sat", "A cat's mat is\nred"]),
        ("", ["x"]),
        ("x y", ["y x"]),
    ]
    names = [
        "bleu",
        "sacrebleu",
        "chrf",
        "ter",
        *ROUGES,
        "wer",
        "cer",
        "exact-match",
        "f1",
        "precision",
        "recall",
    ]
    predictions, references = map(list, zip(*items, strict=True))
    together = report(predictions, references, "qa", names).scores
    for name in names:
        alone = report(predictions, references, "qa", [name]).scores[name]
        assert (together[name].value, together[name].parts) == (alone.value, alone.parts)
        assert math.isfinite(alone.value)


def test_no_warning_is_given() -> None:
    """Empty texts divide nothing by zero."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for metric in ("bleu", "sacrebleu", "chrf", "ter", *ROUGES, "wer", "cer", "exact-match", "f1"):
            score([("", [""])], metric)
