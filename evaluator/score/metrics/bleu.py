"""BLEU (Papineni et al. 2002) in per cent, equal to sacrebleu 2; n-gram counts are ours, in numpy.

`bleu`: whitespace-separated words as they are written, no smoothing (sacrebleu with ``tokenize="none"``,
``smooth_method="none"``). `sacrebleu`: sacrebleu's defaults, which are 13a tokens, "exp" smoothing,
cased. Counts are summed over the corpus, with several references clipped natively and the closest
reference's length; of several predictions of an item the one with the best sentence BLEU (exp smoothing,
effective order) is taken. No per-item scores: BLEU is a corpus metric.
"""

from __future__ import annotations

import math
import re

import numpy as np

from evaluator.score.metrics.base import Floats, Integers, Scored, influence_of_sums
from evaluator.score.metrics.overlap import matches
from evaluator.score.metrics.texts import Texts
from evaluator.score.metrics.words import Tokens

ORDERS = 4

_ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))
_SYMBOLS = str.maketrans({symbol: f" {symbol} " for symbol in '!"#$%&()*+/:;<=>?@[\\]^_`{|}~'})
_AFTER_NO_DIGIT = re.compile(r"([^0-9])([.,])")
_BEFORE_NO_DIGIT = re.compile(r"([.,])([^0-9])")
_DASH_AFTER_DIGIT = re.compile("([0-9])-")


def bleu(items: Texts) -> Scored:
    """BLEU of whitespace-separated words, unsmoothed."""
    return _corpus(items, items.words(), smooth=False)


def sacrebleu(items: Texts) -> Scored:
    """BLEU as sacrebleu reports it."""
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
