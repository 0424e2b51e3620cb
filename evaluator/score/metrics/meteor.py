"""METEOR (Lavie and Agarwal 2007) in per cent, equal to nltk's `meteor_score`; ours, each word's stem
and synonyms looked up once.

Tokens are those of sacrebleu's 13a, lower-cased. Words are aligned in three stages (equal; equal stems by
nltk's Porter stemmer; WordNet 3.0 synonyms of the stems, as nltk does), each from the end of the
prediction, with the last free reference word that fits. Alpha 0.9, beta 3, gamma 0.5. The best of
several references counts.

Synonyms are those of a WordNet database on this machine; nothing is fetched. The files are Princeton's
(``index.noun``, ``data.noun``, ``noun.exc`` and their sisters). Debian's package `wordnet-base` installs
them; nltk's `wordnet` corpus, unpacked or as the zip it comes in, is the same database. nltk's own reader
needs two further files that Debian leaves out, so we read them.
"""

from __future__ import annotations

import os
import re
import zipfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from evaluator.records.errors import UserError
from evaluator.score.metrics.base import Metric, Scored, for_texts, mean_of, package
from evaluator.score.metrics.bleu import tokenise_13a
from evaluator.score.metrics.texts import Texts

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


VARIABLE = "WNSEARCHDIR"  # the variable that WordNet's own programs read
DEBIAN = Path("/usr/share/wordnet")
LARGEST = 50 * 10**6  # bytes; data.noun, the largest, has 15 million
RELEASE = "3.0"  # METEOR's numbers are those of this release, in nltk as in Debian
MEND = (
    "install Debian's package wordnet-base, or nltk's corpus 'wordnet', "
    f"or set {VARIABLE} to the folder that holds data.noun"
)

# Endings taken off, and what is put in their place, to find a form's base (WordNet's "morphy").
_ENDINGS: dict[str, tuple[tuple[str, str], ...]] = {
    "noun": (
        ("s", ""),
        ("ses", "s"),
        ("ves", "f"),
        ("xes", "x"),
        ("zes", "z"),
        ("ches", "ch"),
        ("shes", "sh"),
        ("men", "man"),
        ("ies", "y"),
    ),
    "verb": (
        ("s", ""),
        ("ies", "y"),
        ("es", "e"),
        ("es", ""),
        ("ed", "e"),
        ("ed", ""),
        ("ing", "e"),
        ("ing", ""),
    ),
    "adj": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    "adv": (),
}


class WordNet:
    """The database in `directory`. Raises `UserError` if it is not WordNet 3.0 or a file is missing."""

    def __init__(self, directory: Any) -> None:
        try:
            self._data = {pos: _content(directory / f"data.{pos}") for pos in _ENDINGS}
            self._index = {pos: _by_first(_content(directory / f"index.{pos}")) for pos in _ENDINGS}
            self._irregular = {pos: _by_first(_content(directory / f"{pos}.exc")) for pos in _ENDINGS}
        except (OSError, KeyError) as error:
            raise UserError("WordNet", f"{directory}: {error}", MEND) from None
        release = re.search(rb"WordNet (\d\.\d)", self._data["noun"][:2000])
        if not release or release[1].decode() != RELEASE:
            found = release[1].decode() if release else "of no stated release"
            raise UserError("WordNet", f"{directory} is {found}, METEOR uses {RELEASE}", MEND)
        self._known: dict[str, frozenset[str]] = {}

    def synonyms(self, word: str) -> frozenset[str]:
        """Single words that share a meaning with `word` or a base form of it, and `word` itself.

        As nltk's ``wordnet.synsets``: all parts of speech, names with their capitals.
        """
        if word not in self._known:
            senses = (name for pos in _ENDINGS for name in self._same_sense(word.lower(), pos))
            self._known[word] = frozenset(senses) | {word}
        return self._known[word]

    def _same_sense(self, word: str, pos: str) -> Iterator[str]:
        for form in self._bases(word, pos):
            entry = self._index[pos].get(form.encode())
            if entry is None:
                continue
            fields = entry.split()
            for offset in fields[-int(fields[2]) :]:
                yield from self._members(pos, int(offset))

    def _bases(self, word: str, pos: str) -> set[str]:
        irregular = self._irregular[pos].get(word.encode("utf-8", "surrogatepass"))
        if irregular is not None:
            return {word, *irregular.decode().split()[1:]}
        return {word} | {word[: -len(old)] + new for old, new in _ENDINGS[pos] if word.endswith(old)}

    def _members(self, pos: str, offset: int) -> Iterator[str]:
        """The words of the synset at a byte of the data file, without those of several parts."""
        data = self._data[pos]
        fields = data[offset : data.index(b"|", offset)].split()
        for name in fields[4 : 4 + 2 * int(fields[3], 16) : 2]:
            if b"_" not in name:
                yield name.partition(b"(")[0].decode()


def _by_first(content: bytes) -> dict[bytes, bytes]:
    """Lines by their first word, without the licence, whose lines begin with a space."""
    return {line[: line.find(b" ")]: line for line in content.splitlines() if not line.startswith(b" ")}


def _content(file: Any) -> bytes:
    """A file of the database, maybe in a zip. Raises `UserError` if it is larger than any of these."""
    with file.open("rb") as opened:
        content: bytes = opened.read(LARGEST + 1)
    if len(content) > LARGEST:
        found = f"has more than {LARGEST:,} bytes, more than any file of WordNet has"
        raise UserError(f"WordNet: {file}", found, "put the database there again")
    return content


def wordnet() -> WordNet:
    """The database of this machine, read once a process. Raises `UserError` saying how to get one."""
    for place in _places():
        if (place / "data.noun").exists():
            return _opened(place)
    raise UserError("meteor", "no WordNet database here", MEND)


@cache
def _opened(place: Any) -> WordNet:
    return WordNet(place)


def _places() -> Iterator[Any]:
    """Where a database may be: the folder named by the variable if it is set, else the usual ones."""
    if named := os.environ.get(VARIABLE):
        yield Path(named)
        return
    yield DEBIAN
    from nltk import data  # here, since importing nltk takes long

    for folder in map(Path, data.path):
        yield folder / "corpora" / "wordnet"
        packed = folder / "corpora" / "wordnet.zip"
        if packed.exists():
            yield zipfile.Path(packed, "wordnet/")


METRICS = (
    Metric(
        "meteor",
        "METEOR",
        "meteor-1",
        for_texts(meteor),
        description="words aligned as they are, by stem or as synonyms, less a penalty for scatter",
    ),
)
