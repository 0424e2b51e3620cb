"""OCR: in some words one letter, or a pair of them, becomes what optical recognition takes it for."""

from __future__ import annotations

from evaluator.data.suites.base import Transformation
from evaluator.data.suites.robustness.words import Alteration, Draw, Severity, altering

NAME = "OCR"
SOURCE = "confusions proofreaders meet: Project Gutenberg FAQ S.16; MobileRead wiki, OCR villains"

CONFUSIONS: dict[str, tuple[str, ...]] = {
    "a": ("o",),
    "b": ("h", "6"),
    "c": ("e", "o"),
    "d": ("cl",),
    "e": ("c", "o"),
    "f": ("t",),
    "g": ("9", "q"),
    "h": ("b", "li"),
    "i": ("l", "1", "j"),
    "j": ("i",),
    "l": ("1", "I", "i"),
    "m": ("rn", "in"),
    "n": ("u", "ri"),
    "o": ("0", "c"),
    "q": ("g", "9"),
    "r": ("f",),
    "s": ("5",),
    "t": ("f", "l"),
    "u": ("n", "ii"),
    "v": ("y",),
    "w": ("vv",),
    "y": ("v",),
    "z": ("2",),
    "B": ("8", "R"),
    "C": ("G",),
    "D": ("O", "0"),
    "F": ("P",),
    "G": ("6", "C"),
    "I": ("l", "1"),
    "J": ("]",),
    "O": ("0", "Q"),
    "P": ("F",),
    "Q": ("O",),
    "R": ("B",),
    "S": ("5",),
    "T": ("I",),
    "U": ("ll",),
    "W": ("VV",),
    "Z": ("2",),
    "cl": ("d",),
    "ii": ("u",),
    "li": ("h",),
    "ri": ("n",),
    "rn": ("m",),
    "vv": ("w",),
}


def transformation(share: float = 0.2, least: int = 1, most: int = 10, letters: int = 1) -> Transformation:
    """One letter of some words is misread: "modern" as "modem", "clear" as "dear", "I" as "l".

    The severity is TextFlint's: a fifth of the words, 1 to 10 of them, of any length. Raises SuiteError on
    options that are no such numbers.
    """
    return altering(NAME, 1, _can_be_misread, _misread, Severity(share, least, most, letters), source=SOURCE)


def _can_be_misread(word: str) -> bool:
    return not CONFUSIONS.keys().isdisjoint(word)


def _misread(word: str, draw: Draw) -> Alteration:
    """Read on from a place by chance to the first letters that are taken for others, pairs before letters."""
    place = int(draw() * len(word))
    while True:
        for letters in (word[place : place + 2], word[place]):
            if others := CONFUSIONS.get(letters):
                return place, place + len(letters), others[int(draw() * len(others))]
        place = (place + 1) % len(word)
