"""chrF (Popovic 2015) in per cent, equal to sacrebleu 2's default chrF2; ours, in numpy.

Character n-grams of orders 1 to 6 without whitespace, cased, beta 2, no word n-grams, effective order.
sacrebleu's own counting needs about 0.3 ms a sentence pair, ours a tenth of it. Corpus-level: counts are
summed over items; of several references, and of several predictions, the pair with the best sentence
chrF counts. `per_item` is that sentence chrF.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from evaluator.score.metrics.base import Floats, Integers, Scored, influence_of_sums
from evaluator.score.metrics.texts import Texts

ORDERS = 6
BETA = 2


def without_spaces(text: str) -> str:
    """The text without any whitespace."""
    return "".join(text.split())


def chrf(items: Texts) -> Scored:
    """chrF2 of the corpus."""
    tokens = items.characters(without_spaces)
    found = items.pair_matches(tokens, ORDERS)
    left, right = (np.maximum(n[:, None] - np.arange(ORDERS), 0) for n in items.pair_lengths(tokens))
    # An order that the reference has no n-gram of does not count for the prediction.
    left = np.where(right > 0, left, 0)
    scores = _f_scores(left, right, found)
    best = _best_pairs(items, scores)
    rows = np.hstack([column[best] for column in (left, right, found)])

    def value_of(sums: Floats) -> float:
        return float(_f_scores(*sums.reshape(3, 1, ORDERS))[0])

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
