"""Synonyms from a WordNet database on this machine; nothing is fetched.

The files are Princeton's (``index.noun``, ``data.noun``, ``noun.exc`` and their sisters). Debian's
package `wordnet-base` installs them; nltk's `wordnet` corpus, unpacked or as the zip it comes in, is
the same database. nltk's own reader needs two further files that Debian leaves out, so we read them.
"""

from __future__ import annotations

import os
import re
import zipfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from evaluator.score.metrics.base import MetricError

VARIABLE = "WNSEARCHDIR"  # the variable that WordNet's own programs read
DEBIAN = Path("/usr/share/wordnet")
LARGEST = 50 * 10**6  # bytes; data.noun, the largest, has 15 million
RELEASE = "3.0"  # METEOR's numbers are those of this release, in nltk as in Debian

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
    """The database in `directory`. Raises `MetricError` if it is not WordNet 3.0 or a file is missing."""

    def __init__(self, directory: Any) -> None:
        try:
            self._data = {pos: _content(directory / f"data.{pos}") for pos in _ENDINGS}
            self._index = {pos: _by_first(_content(directory / f"index.{pos}")) for pos in _ENDINGS}
            self._irregular = {pos: _by_first(_content(directory / f"{pos}.exc")) for pos in _ENDINGS}
        except (OSError, KeyError) as error:
            raise MetricError(f"WordNet: {directory}: {error}") from None
        release = re.search(rb"WordNet (\d\.\d)", self._data["noun"][:2000])
        if not release or release[1].decode() != RELEASE:
            found = release[1].decode() if release else "of no stated release"
            raise MetricError(f"WordNet: {directory} is {found}; METEOR uses {RELEASE}. {_MEND}")
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


_MEND = (
    "Install Debian's package wordnet-base, or nltk's corpus 'wordnet', "
    f"or set {VARIABLE} to the folder that holds data.noun"
)


def _content(file: Any) -> bytes:
    """A file of the database, maybe in a zip. Raises `MetricError` if it is larger than any of these."""
    with file.open("rb") as opened:
        content: bytes = opened.read(LARGEST + 1)
    if len(content) > LARGEST:
        fix = "more than any file of WordNet has; put the database there again"
        raise MetricError(f"WordNet: {file}: has more than {LARGEST:,} bytes, {fix}")
    return content


def wordnet() -> WordNet:
    """The database of this machine, read once a process. Raises `MetricError` saying how to get one."""
    for place in _places():
        if (place / "data.noun").exists():
            return _opened(place)
    raise MetricError(f"meteor: no WordNet database here. {_MEND}")


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
