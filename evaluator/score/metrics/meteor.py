"""METEOR (Lavie and Agarwal 2007) in per cent, equal to nltk's `meteor_score`; ours, each word's stem
and synonyms looked up once.

Tokens are those of sacrebleu's 13a, lower-cased. Words are aligned in three stages (equal; equal stems by
nltk's Porter stemmer; WordNet 3.0 synonyms of the stems, as nltk does), each from the end of the
prediction, with the last free reference word that fits. Alpha 0.9, beta 3, gamma 0.5. The best of
several references counts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import cache
from itertools import pairwise

import numpy as np

from evaluator.score.metrics.base import Scored, mean_of, package
from evaluator.score.metrics.bleu import tokenise_13a
from evaluator.score.metrics.texts import Texts
from evaluator.score.metrics.wordnet import wordnet

ALPHA, BETA, GAMMA = 0.9, 3.0, 0.5

Stem = Callable[[str], str]
Synonyms = Callable[[str], Iterable[str]]
Placed = list[tuple[int, str]]


def meteor(items: Texts) -> Scored:
    """Mean METEOR."""
    stem = cache(package("nltk.stem.porter", "meteor").PorterStemmer().stem)
    synonyms = wordnet().synonyms
    tokens = [text.lower().split() for text in items.form(tokenise_13a)]
    pairs = zip(*items.pair_sequences(tokens), strict=True)
    scores = [100.0 * _score(words, reference, stem, synonyms) for words, reference in pairs]
    return mean_of(items.reduced(np.array(scores))[0])


def _score(words: list[str], reference: list[str], stem: Stem, synonyms: Synonyms) -> float:
    matched = _aligned(words, reference, stem, synonyms)
    if not matched:
        return 0.0
    precision, recall = len(matched) / len(words), len(matched) / len(reference)
    mean = precision * recall / (ALPHA * precision + (1 - ALPHA) * recall)
    penalty: float = GAMMA * (_chunks(matched) / len(matched)) ** BETA
    return (1 - penalty) * mean


def _aligned(words: list[str], reference: list[str], stem: Stem, synonyms: Synonyms) -> list[tuple[int, int]]:
    """(place in the words, place in the reference) of matched words, in the words' order."""
    found: list[tuple[int, int]] = []
    here, there = list(enumerate(words)), list(enumerate(reference))
    here, there = _matched(here, there, lambda word: (word,), found)
    if here and there:
        here, there = ([(place, stem(word)) for place, word in left] for left in (here, there))
        here, there = _matched(here, there, lambda word: (word,), found)
    if here and there:
        _matched(here, there, synonyms, found)
    return sorted(found)


def _matched(
    here: Placed, there: Placed, fits: Synonyms, found: list[tuple[int, int]]
) -> tuple[Placed, Placed]:
    """The words of both left unmatched after each word, from the last, takes the last free one that fits."""
    free: defaultdict[str, list[int]] = defaultdict(list)
    for place, word in there:
        free[word].append(place)
    left, taken = [], set()
    for place, word in reversed(here):
        last = max((free[other] for other in fits(word) if free.get(other)), key=_last, default=None)
        if last is None:
            left.append((place, word))
        else:
            taken.add(last[-1])
            found.append((place, last.pop()))
    return left[::-1], [one for one in there if one[0] not in taken]


def _last(places: list[int]) -> int:
    return places[-1]


def _chunks(matched: list[tuple[int, int]]) -> int:
    """Runs of matches that are neighbours in both texts."""
    return 1 + sum((here + 1, there + 1) != following for (here, there), following in pairwise(matched))
