"""SQuAD v1.1's exact match and F1, written by us after the published script's definition.

Texts are lower-cased, ASCII punctuation is deleted, the articles a, an and the become spaces, and what
whitespace separates is a token. F1 is that of the bags of tokens. For `generation` and `qa` alike.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable
from typing import Literal

import numpy as np

from evaluator.metrics.base import Floats, Scored, mean_of
from evaluator.metrics.texts import Texts

_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLE = re.compile(r"\b(?:a|an|the)\b")


def normalised(text: str) -> str:
    """The text as it is compared: tokens with one space between them."""
    return " ".join(_ARTICLE.sub(" ", text.lower().translate(_NO_PUNCTUATION)).split())


def exact_match(items: Texts) -> Scored:
    """Share of items whose normalised prediction is a normalised reference, in per cent.

    An empty prediction is wrong, even where a reference has nothing left after normalisation.
    """
    left, right = items.pair_sequences(items.form(normalised))
    answered = np.array([bool(text.strip()) for text in items.predictions])[items.left]
    same = np.fromiter(map(str.__eq__, left, right), dtype=np.bool_, count=len(left))
    return mean_of(items.reduced(100.0 * (same & answered))[0])


def _token_scores(items: Texts) -> tuple[Floats, Floats, Floats]:
    """Precision, recall and F1 of the tokens of each pair, in per cent; 0 where nothing is shared."""
    tokens = items.words(normalised)
    shared = items.pair_matches(tokens, 1)[:, 0]
    left, right = items.pair_lengths(tokens)
    precision = 100.0 * shared / np.maximum(left, 1)
    recall = 100.0 * shared / np.maximum(right, 1)
    f1 = 100.0 * 2.0 * shared / np.maximum(left + right, 1)
    return precision, recall, f1


def token_measure(which: Literal["precision", "recall", "f1"]) -> Callable[[Texts], Scored]:
    """A metric's function: precision, recall or F1 of tokens, the best over references, in per cent."""
    place = ("precision", "recall", "f1").index(which)
    return lambda items: mean_of(items.reduced(_token_scores(items)[place])[0])


def unigram_accuracy(items: Texts) -> Scored:
    """Tokens in common, of those of the longer text, the best over references, in per cent.

    The package Jury calls this the accuracy of texts.
    """
    tokens = items.words(normalised)
    longer = np.maximum(*items.pair_lengths(tokens))
    shared = 100.0 * items.pair_matches(tokens, 1)[:, 0] / np.maximum(longer, 1)
    return mean_of(items.reduced(shared)[0])
