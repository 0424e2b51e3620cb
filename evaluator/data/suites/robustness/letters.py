"""Keyboard, OCR and Typos: in a share of the words, letters change."""

from __future__ import annotations

from string import ascii_lowercase, ascii_uppercase

from evaluator.data.suites.base import Transformation
from evaluator.data.suites.robustness.words import Alteration, Draw, Severity, altering
from evaluator.records.errors import UserError

# Keyboard

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


def keyboard(share: float = 0.2, least: int = 1, most: int = 10, letters: int = 4) -> Transformation:
    """One letter of some words slips to a neighbouring key, its case kept; any letter of the word may.

    The severity is TextFlint's: a fifth of the words, 1 to 10 of them, words of at least 4 letters.
    Raises UserError on options that are no such numbers.
    """
    return altering(
        "Keyboard", 1, bool, _to_a_neighbour, Severity(share, least, most, letters), layout="qwerty"
    )


def _to_a_neighbour(word: str, draw: Draw) -> Alteration:
    place = int(draw() * len(word))
    others = NEIGHBOURS[word[place]]
    return place, place + 1, others[int(draw() * len(others))]


# OCR

SOURCE = "confusions proofreaders meet: Project Gutenberg FAQ S.16; MobileRead wiki, OCR villains"

#: Letters, and what each is taken for.
_CONFUSED = """
a o, b h 6, c e o, d cl, e c o, f t, g 9 q, h b li, i l 1 j, j i, l 1 I i, m rn in, n u ri,
o 0 c, q g 9, r f, s 5, t f l, u n ii, v y, w vv, y v, z 2, B 8 R, C G, D O 0, F P, G 6 C,
I l 1, J ], O 0 Q, P F, Q O, R B, S 5, T I, U ll, W VV, Z 2, cl d, ii u, li h, ri n, rn m,
vv w
"""
CONFUSIONS: dict[str, tuple[str, ...]] = {
    letters: tuple(others) for letters, *others in (entry.split() for entry in _CONFUSED.split(","))
}


def ocr(share: float = 0.2, least: int = 1, most: int = 10, letters: int = 1) -> Transformation:
    """One letter of some words is misread: "modern" as "modem", "clear" as "dear", "I" as "l".

    The severity is TextFlint's: a fifth of the words, 1 to 10 of them, of any length. Raises UserError on
    options that are no such numbers.
    """
    return altering("OCR", 1, _can_be_misread, _misread, Severity(share, least, most, letters), source=SOURCE)


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


# Typos

SHORTEST = 4
#: The other letters of the same case.
OTHERS = {
    letter: alphabet.replace(letter, "")
    for alphabet in (ascii_lowercase, ascii_uppercase)
    for letter in alphabet
}


def typos(share: float = 0.3, least: int = 1, most: int = 10, letters: int = SHORTEST) -> Transformation:
    """One slip inside some words: two letters swapped, one put in, left out or replaced, each as likely.

    The first and last letters stay, as in TextFlint, whose severity this is: three tenths of the words,
    1 to 10 of them. Words under 4 letters stay: too little is left inside them to swap. Raises UserError
    on options that are no such numbers, or for words too short.
    """
    if letters in range(1, SHORTEST):
        short = f"words of {letters} are too short to swap two inside"
        raise UserError("letters", short, f"use {SHORTEST} or more")
    return altering("Typos", 1, bool, _slip, Severity(share, least, most, letters))


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
