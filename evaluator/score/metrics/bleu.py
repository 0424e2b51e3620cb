"""Metrics that count n-grams in common: BLEU, Google-BLEU and chrF, in per cent; counts are ours, in numpy.

All are of the whole corpus: counts are summed over items, then compared.
"""

from __future__ import annotations

import math
import re
from dataclasses import replace

import numpy as np

from evaluator.score.metrics.base import (
    Floats,
    Integers,
    Metric,
    Scored,
    for_texts,
    influence_of_sums,
    percentage,
)
from evaluator.score.metrics.texts import Texts
from evaluator.score.metrics.words import Tokens, matches

#: Orders of n-grams of words, and of characters.
ORDERS, CHARACTER_ORDERS = 4, 6
#: How much more recall counts than precision in chrF.
BETA = 2

_ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))
_SYMBOLS = str.maketrans({symbol: f" {symbol} " for symbol in '!"#$%&()*+/:;<=>?@[\\]^_`{|}~'})
_AFTER_NO_DIGIT = re.compile(r"([^0-9])([.,])")
_BEFORE_NO_DIGIT = re.compile(r"([.,])([^0-9])")
_DASH_AFTER_DIGIT = re.compile("([0-9])-")


def bleu(items: Texts) -> Scored:
    """BLEU (Papineni et al. 2002) of whitespace-separated words as they are written, without smoothing.

    As sacrebleu 2 with ``tokenize="none"``, ``smooth_method="none"``. With several references, matches are
    clipped by all of them and the closest one's length counts; of several predictions of an item the one with
    the best sentence BLEU (exp smoothing, effective order) is taken. BLEU has no scores of single items.
    """
    return _corpus(items, items.words(), smooth=False)


def sacrebleu(items: Texts) -> Scored:
    """BLEU with sacrebleu 2's defaults: 13a tokens, "exp" smoothing, cased. Otherwise as `bleu`."""
    return _corpus(items, items.words(tokenise_13a), smooth=True)


def tokenise_13a(text: str) -> str:
    """The text's tokens by the rules of mteval-v13a, one space between them, as sacrebleu's "13a".

    Symbols stand alone; a period or comma does unless it is between digits, a dash after a digit.
    """
    text = text.rstrip().replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    if "&" in text:
        for entity, symbol in _ENTITIES:
            text = text.replace(entity, symbol)
    text = f" {text.translate(_SYMBOLS)} "
    if "." in text or "," in text:
        text = _AFTER_NO_DIGIT.sub(r"\1 \2 ", text)
        text = _BEFORE_NO_DIGIT.sub(r" \1 \2", text)
    if "-" in text:
        text = _DASH_AFTER_DIGIT.sub(r"\1 - ", text)
    return " ".join(text.split())


def _corpus(items: Texts, tokens: Tokens, smooth: bool) -> Scored:
    statistics = _statistics(items, tokens)
    if len(items.predictions) > len(items.prediction_starts) - 1:
        sentence = np.array([_bleu(row, smooth=True, effective=True) for row in statistics.tolist()])
        statistics = statistics[items.best_prediction(sentence)]

    def value_of(sums: Floats) -> float:
        return _bleu(np.rint(sums).astype(np.int64).tolist(), smooth, effective=False)

    whole = statistics.sum(axis=0)
    parts = {"length": float(whole[0]), "reference_length": float(whole[1])}
    return Scored(value_of(whole), None, parts, influence_of_sums(statistics, value_of))


def _statistics(items: Texts, tokens: Tokens) -> Integers:
    """For each prediction: its length, the closest reference's, matches of orders 1 to 4, and n-grams."""
    own = np.arange(len(items.predictions))
    found = matches(tokens, own, items.right + len(own), items.left, ORDERS)
    lengths = tokens.lengths[: len(own)]
    total = np.maximum(lengths[:, None] - np.arange(ORDERS), 0)
    return np.column_stack([lengths, _closest(items, tokens), found, total])


def _closest(items: Texts, tokens: Tokens) -> Integers:
    """The reference length nearest to each prediction's, the shorter of two as near."""
    left, right = items.pair_lengths(tokens)
    order = np.lexsort((right, np.abs(left - right), items.left))
    first = np.cumsum(items.pair_counts) - items.pair_counts
    closest: Integers = right[order[first]]
    return closest


def _bleu(statistics: list[int], smooth: bool, effective: bool) -> float:
    length, reference, found, total = statistics[0], statistics[1], statistics[2:6], statistics[6:]
    if not any(found):
        return 0.0
    logs, halved = [], 1.0
    for right, of in zip(found, total, strict=True):
        if not of and effective:
            break
        if not right and smooth and of:
            halved *= 2.0
        hits = right or (1.0 / halved if smooth else 0.0)
        if not of or not hits:
            return 0.0
        logs.append(math.log(100.0 * hits / of))
    brevity = math.exp(1 - reference / length) if length < reference else 1.0
    return brevity * math.exp(math.fsum(logs) / len(logs))


def google_bleu(items: Texts) -> Scored:
    """Google-BLEU, or GLEU (Wu et al. 2016, section 4.3), equal to nltk's `corpus_gleu`.

    Matches of n-grams of orders 1 to 4, divided by the n-grams of the longer of answer and reference, with
    each answer's best reference. Words are 13a tokens, cased, as in the package evaluate. Of several
    predictions the one with the best score of its own is taken. `per_item` is each item's own.
    """
    tokens = items.words(tokenise_13a)
    longer = np.maximum(*items.pair_lengths(tokens))
    grams = np.maximum(longer[:, None] - np.arange(ORDERS), 0).sum(axis=1).astype(np.float64)
    shared = items.pair_matches(tokens, ORDERS).sum(axis=1).astype(np.float64)
    each = 100.0 * shared / np.maximum(grams, 1.0)
    # Of two references an empty one says nothing of an empty answer.
    _, each, *columns = items.reduced(np.where(grams > 0, each, -1.0), each, shared, grams)
    rows = np.column_stack(columns)
    return Scored(percentage(rows.sum(axis=0)), each, {}, influence_of_sums(rows, percentage))


def chrf(items: Texts) -> Scored:
    """chrF (Popovic 2015), equal to sacrebleu 2's default chrF2.

    Character n-grams of orders 1 to 6 without whitespace, cased, beta 2, no word n-grams, effective order.
    sacrebleu's own counting needs about 0.3 ms a sentence pair, ours a tenth of it. Of several references,
    and of several predictions, the pair with the best sentence chrF counts; `per_item` is that.
    """
    tokens = items.characters(lambda text: "".join(text.split()))
    found = items.pair_matches(tokens, CHARACTER_ORDERS)
    left, right = (
        np.maximum(n[:, None] - np.arange(CHARACTER_ORDERS), 0) for n in items.pair_lengths(tokens)
    )
    # An order that the reference has no n-gram of does not count for the prediction.
    left = np.where(right > 0, left, 0)
    scores = _f_scores(left, right, found)
    best = _best_pairs(items, scores)
    rows = np.hstack([column[best] for column in (left, right, found)])

    def value_of(sums: Floats) -> float:
        return float(_f_scores(*sums.reshape(3, 1, CHARACTER_ORDERS))[0])

    return Scored(value_of(rows.sum(axis=0)), scores[best], influence=influence_of_sums(rows, value_of))


def _best_pairs(items: Texts, scores: Floats) -> Integers:
    """The pair (n,) of each item that counts: best over references, then over predictions."""
    native = replace(items, over_references=None, over_predictions=None)
    return native.reduced(scores, np.arange(len(scores), dtype=np.float64))[1].astype(np.int64)


def _f_scores(left: Integers, right: Integers, found: Integers) -> Floats:
    """F-score in per cent (p,) from n-grams of each order (p, orders): averages over the orders both have."""
    both = (left > 0) & (right > 0)
    orders = np.maximum(both.sum(axis=1), 1)
    precision = np.where(both, found / np.maximum(left, 1), 0.0).sum(axis=1) / orders
    recall = np.where(both, found / np.maximum(right, 1), 0.0).sum(axis=1) / orders
    below = BETA**2 * precision + recall
    above = (1 + BETA**2) * precision * recall
    share: Floats = np.divide(above, below, out=np.zeros_like(below), where=below > 0)
    return 100.0 * share


METRICS = (
    Metric(
        "bleu",
        "BLEU",
        "bleu-1",
        for_texts(bleu),
        description="BLEU of words as written, up to four, without smoothing",
    ),
    Metric(
        "sacrebleu",
        "SacreBLEU",
        "sacrebleu-1",
        for_texts(sacrebleu),
        description="BLEU with sacrebleu's tokens and smoothing",
    ),
    Metric(
        "google-bleu",
        "Google-BLEU",
        "google-bleu-1",
        for_texts(google_bleu),
        description="n-grams in common with a reference, up to four words, of those of the longer text",
    ),
    Metric(
        "chrf",
        "chrF",
        "chrf-1",
        for_texts(chrf),
        description="F-score of character n-grams up to six, recall counting twice",
    ),
)
