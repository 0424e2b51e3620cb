"""Word and character error rates, by rapidfuzz's Levenshtein distance.

An error rate is edits over the length of the references, of the whole corpus; `per_item` is each item's
own. Of several references, and of several predictions, the pair with the lowest rate counts (another
reduction may be chosen). A reference without words or characters counts as one long in its item's
rate, so that no rate is infinite. As jiwer 4 on single references.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from evaluator.score.metrics.base import Floats, Integers, Scored, influence_of_sums, package, percentage
from evaluator.score.metrics.texts import Texts


def wer(items: Texts) -> Scored:
    """Word error rate in per cent, over whitespace-separated words as they are written."""
    tokens = items.words()
    left, right = items.pair_sequences(tokens.strings)
    return _rate(items, distances(left, right, "wer"), items.pair_lengths(tokens)[1])


def cer(items: Texts) -> Scored:
    """Character error rate in per cent, over the characters of the texts without surrounding whitespace."""
    left, right = items.pair_sequences(items.form(str.strip))
    lengths = np.fromiter(map(len, right), dtype=np.int64, count=len(right))
    return _rate(items, distances(left, right, "cer"), lengths)


def distances(left: Sequence[Any], right: Sequence[Any], metric: str) -> Integers:
    """Levenshtein distances (p,) of the pairs, on one core. `metric` is named in errors."""
    scorer = package("rapidfuzz.distance", metric).Levenshtein.distance
    found = package("rapidfuzz.process", metric).cpdist(left, right, scorer=scorer, dtype=np.int64)
    return np.asarray(found)


def _rate(items: Texts, edits: Integers, lengths: Integers) -> Scored:
    rates: Floats = 100.0 * edits / np.maximum(lengths, 1)
    each, edited, long = items.reduced(rates, edits.astype(float), lengths.astype(float), lower=True)
    value = percentage(np.array([edited.sum(), long.sum()]))
    parts = {"edits": float(edited.sum()), "length": float(long.sum())}
    return Scored(value, each, parts, influence_of_sums(np.column_stack([edited, long]), percentage))
