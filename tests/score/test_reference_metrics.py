"""Metrics over labels and texts equal the libraries that define them, on nasty inputs and on random ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sacrebleu
from agreement_classes import CLASSES
from agreement_kinds import Comparison, agree
from agreement_texts import TEXTS, Corpus, draw
from hypothesis import example, given
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a
from sklearn import metrics as sklearn

from evaluator.score.metrics import Value, report
from evaluator.score.metrics.bleu import tokenise_13a

COMPARISONS = (*CLASSES, *TEXTS)
LABELS = ("a", "b", "c", "d", "e")
#: seqeval itself is published as a source archive that not every pip can install any more.
SEQEVAL = json.loads((Path(__file__).parents[1] / "golden" / "entities-seqeval.json").read_bytes())["cases"]
pairs = st.lists(st.tuples(st.integers(0, 4), st.integers(-1, 4)), min_size=1, max_size=60)
averages = st.sampled_from(["micro", "macro", "weighted"])
measures = st.sampled_from(["precision", "recall", "f1"])


def score(items: Corpus, metric: str) -> Value:
    predictions, references = map(list, zip(*items, strict=True))
    return report(predictions, references, "generation", [metric]).scores[metric]


@pytest.mark.parametrize("comparison", COMPARISONS, ids=[one.name for one in COMPARISONS])
def test_values_are_the_librarys(comparison: Comparison) -> None:
    """Over the whole corpus."""
    assert agree(comparison, 20, seed=7).difference <= 1e-9


@given(pairs, averages, measures)
def test_averages_over_labels_are_scikit_learns(
    rows: list[tuple[int, int]], average: str, measure: str
) -> None:
    """Micro, macro and weighted precision, recall and F1, and each label's own; an invalid answer is wrong."""
    gold, predicted = map(list, zip(*rows, strict=True))
    name = f"{average}-{measure}"
    value = report(predicted, gold, "classification", [name], labels=LABELS).scores[name]
    of = getattr(sklearn, f"{measure}_score")
    labels = sorted({*gold, *predicted} - {-1})
    expected = of(gold, predicted, labels=labels, average=average, zero_division=0)
    assert value.value / 100 == pytest.approx(expected, abs=1e-12, rel=0)
    each = of(gold, predicted, labels=range(5), average=None, zero_division=0)
    assert np.array(list(value.parts.values())) / 100 == pytest.approx(each, abs=1e-12, rel=0)
    assert tuple(value.parts) == LABELS


sets = st.sets(st.integers(0, 4))


@given(st.lists(st.tuples(sets, sets), min_size=1, max_size=30), averages | st.just("samples"), measures)
def test_averages_over_sets_of_labels_are_scikit_learns(
    rows: list[tuple[set[int], set[int]]], average: str, measure: str
) -> None:
    """Over labels that occur, over all of them together, and over items."""
    predicted, gold = (list(column) for column in zip(*rows, strict=True))
    occurring = [label for label in range(5) if any(label in one for one in (*predicted, *gold))]
    flags = [
        np.array([[int(label in row) for label in range(5)] for row in rows]) for rows in (gold, predicted)
    ]
    of = getattr(sklearn, f"{measure}_score")
    expected = of(*flags, labels=occurring, average=average, zero_division=0) if occurring else 0.0
    name = f"{average}-{measure}"
    found = report(predicted, gold, "multi-label", [name], labels=LABELS).scores[name]
    assert found.value / 100 == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("case", SEQEVAL, ids=range(len(SEQEVAL)))
def test_entities_are_seqevals(case: dict[str, Any]) -> None:
    """Micro, macro and weighted precision, recall and F1 of entities equal what seqeval gave for them."""
    columns = ([tags.split() for tags in case[name]] for name in ("predictions", "references"))
    found = report(*columns, "sequence-labelling", list(case["expected"])).scores
    values = {name: value.value / 100 for name, value in found.items()}
    assert values == pytest.approx(case["expected"], abs=1e-9)


@given(st.text(st.sampled_from("ab1 .,-'\"&()[]\\^_`{}~@/:;<>!%$\n\t\u00a0é’€")) | st.text())
@example("a-\nb <skipped>c &quot;d&amp;lt; 1,000.50 -5 3-4 .5 5.")
def test_tokens_are_sacrebleus(text: str) -> None:
    """The tokens of 13a are sacrebleu's."""
    assert tokenise_13a(text) == Tokenizer13a()(text.rstrip())


@pytest.mark.parametrize(("metric", "theirs"), [("chrf", sacrebleu.CHRF()), ("ter", sacrebleu.TER())])
@given(chance=st.randoms(use_true_random=False))
def test_scores_of_items_are_sacrebleus(metric: str, theirs: Any, chance: Any) -> None:
    """Each item has its sentence score."""
    items = draw(chance)
    expected = [theirs.sentence_score(*item).score for item in items]
    assert score(items, metric).per_item == pytest.approx(expected, abs=1e-9)


@given(st.randoms(use_true_random=False), st.integers(5, 45), st.integers(0, 4), st.floats(0, 0.6))
def test_ter_is_sacrebleus_on_long_shuffled_texts(
    random: Any, length: int, blocks: int, noise: float
) -> None:
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


ROUGES = {"rouge-1": "rouge1", "rouge-2": "rouge2", "rouge-l": "rougeL", "rouge-lsum": "rougeLsum"}


@given(st.randoms(use_true_random=False), st.sampled_from([" ", "\n", ". "]))
def test_rouge_of_items_is_rouge_scores(chance: Any, space: str) -> None:
    """The best reference of every item, sentences ending at newlines; precision and recall of the first."""
    items = [(text.replace(" ", space), [r.replace(" ", space) for r in refs]) for text, refs in draw(chance)]
    scorer = RougeScorer(list(ROUGES.values()))
    expected = [scorer.score_multi(references, text) for text, references in items]
    single = scorer.score(items[0][1][0], items[0][0])
    for ours, theirs in ROUGES.items():
        assert score(items, ours).per_item == pytest.approx([100 * one[theirs].fmeasure for one in expected])
        parts = score([(items[0][0], items[0][1][:1])], ours).parts
        assert parts["precision"] == pytest.approx(100 * single[theirs].precision)
        assert parts["recall"] == pytest.approx(100 * single[theirs].recall)
