"""Keyboard: in some words one letter becomes its neighbour on a QWERTY keyboard."""

from __future__ import annotations

from evaluator.data.suites.base import Transformation
from evaluator.data.suites.robustness.words import Alteration, Draw, Severity, altering

NAME = "Keyboard"
ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")


def _neighbours() -> dict[str, str]:
    """The letters on keys that touch each letter's; every row is half a key to the right of the one above."""
    places = {
        key: (column + row / 2, row) for row, keys in enumerate(ROWS) for column, key in enumerate(keys)
    }
    found = {
        letter: "".join(
            other
            for other, (x, y) in places.items()
            if other != letter and abs(y - row) <= 1 and abs(x - column) <= 1 - abs(y - row) / 2
        )
        for letter, (column, row) in places.items()
    }
    return found | {letter.upper(): others.upper() for letter, others in found.items()}


NEIGHBOURS = _neighbours()


def transformation(share: float = 0.2, least: int = 1, most: int = 10, letters: int = 4) -> Transformation:
    """One letter of some words slips to a neighbouring key, its case kept; any letter of the word may.

    The severity is TextFlint's: a fifth of the words, 1 to 10 of them, words of at least 4 letters.
    Raises SuiteError on options that are no such numbers.
    """
    return altering(NAME, 1, bool, _slip, Severity(share, least, most, letters), layout="qwerty")


def _slip(word: str, draw: Draw) -> Alteration:
    place = int(draw() * len(word))
    others = NEIGHBOURS[word[place]]
    return place, place + 1, others[int(draw() * len(others))]
