"""Google-BLEU, or GLEU (Wu et al. 2016, section 4.3), in per cent, equal to nltk's `corpus_gleu`.

Matches of n-grams of orders 1 to 4, divided by the n-grams of the longer of answer and reference, summed
over the corpus, with each answer's best reference. Words are 13a tokens, cased, as in the package evaluate.
Of several predictions the one with the best score of its own is taken.
"""

from __future__ import annotations

import numpy as np

from evaluator.score.metrics.base import Scored, influence_of_sums, percentage
from evaluator.score.metrics.bleu import ORDERS, tokenise_13a
from evaluator.score.metrics.texts import Texts


def google_bleu(items: Texts) -> Scored:
    """GLEU over the corpus; `per_item` is each item's own."""
    tokens = items.words(tokenise_13a)
    longer = np.maximum(*items.pair_lengths(tokens))
    grams = np.maximum(longer[:, None] - np.arange(ORDERS), 0).sum(axis=1).astype(np.float64)
    shared = items.pair_matches(tokens, ORDERS).sum(axis=1).astype(np.float64)
    each = 100.0 * shared / np.maximum(grams, 1.0)
    # Of two references an empty one says nothing of an empty answer.
    _, each, *columns = items.reduced(np.where(grams > 0, each, -1.0), each, shared, grams)
    rows = np.column_stack(columns)
    return Scored(percentage(rows.sum(axis=0)), each, {}, influence_of_sums(rows, percentage))
