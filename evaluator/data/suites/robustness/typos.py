"""Typos: in some words one character is swapped, put in, left out or replaced."""

from __future__ import annotations

from string import ascii_lowercase, ascii_uppercase

from evaluator.data.suites.base import Transformation
from evaluator.data.suites.errors import SuiteError
from evaluator.data.suites.robustness.words import Alteration, Draw, Severity, altering

NAME = "Typos"
SHORTEST = 4
# The other letters of the same case.
OTHERS = {
    letter: alphabet.replace(letter, "")
    for alphabet in (ascii_lowercase, ascii_uppercase)
    for letter in alphabet
}


def transformation(
    share: float = 0.3, least: int = 1, most: int = 10, letters: int = SHORTEST
) -> Transformation:
    """One slip inside some words: two letters swapped, one put in, left out or replaced, each as likely.

    The first and last letters stay, as in TextFlint, whose severity this is: three tenths of the words,
    1 to 10 of them. Words under 4 letters stay: too little is left inside them to swap. Raises SuiteError
    on options that are no such numbers, or for words too short.
    """
    if letters in range(1, SHORTEST):
        raise SuiteError(
            f"letters: words of {letters} are too short to swap two inside; use {SHORTEST} or more"
        )
    return altering(NAME, 1, bool, _slip, Severity(share, least, most, letters))


def _slip(word: str, draw: Draw) -> Alteration:
    kind = int(draw() * 4)
    place = 1 + int(draw() * (len(word) - (3 if kind == 0 else 2)))
    letter = word[place]
    if kind == 0 and word[place + 1] != letter:
        return place, place + 2, word[place + 1] + letter
    if kind <= 1:  # swapping two of the same letter would show nothing, so one of them is left out
        return place, place + 1, ""
    others = OTHERS[letter]
    return place, place + kind - 2, others[int(draw() * len(others))]
