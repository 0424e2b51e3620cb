"""SQuAD's normalisation and token F1 of one pair of texts. Standard library only: a page runs it, too.

Texts are lower-cased, ASCII punctuation is deleted, the articles a, an and the become spaces, and what
whitespace separates is a token.
"""

from __future__ import annotations

import re
import string
from collections import Counter

_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLE = re.compile(r"\b(?:a|an|the)\b")


def normalised(text: str) -> str:
    """The text as it is compared: tokens with one space between them."""
    return " ".join(_ARTICLE.sub(" ", text.lower().translate(_NO_PUNCTUATION)).split())


def token_f1(answer: str, right: str) -> float:
    """Token F1 of an answer and the right one, 0 to 1 (Rajpurkar et al. 2016), as `squad` has it for many.

    A right answer without letters says that there is none, which an answer without tokens agrees with.
    """
    given, wanted = normalised(answer).split(), normalised(right).split()
    if not given and not right.strip():
        return 1.0
    shared = (Counter(given) & Counter(wanted)).total()
    # In per cent first, so that the last bits are those of the metric.
    return 100.0 * 2.0 * shared / max(len(given) + len(wanted), 1) / 100
