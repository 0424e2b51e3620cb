"""SpellingError: some words are misspelt as people misspell them.

A page has the list of misspellings as a file beside this module; elsewhere it is made of what packages bring.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from evaluator.data.suites.base import Transformation
from evaluator.data.suites.robustness.misspelling_list import SOURCE, list_text, source_lines
from evaluator.data.suites.robustness.words import Alteration, Draw, Severity, altering

NAME = "SpellingError"
#: Where a page puts the list.
LIST = Path(__file__).with_name("misspellings.txt")
#: What a source says of itself.
FIELDS = ("package", "version", "licence", "sha256")

SpellingTable = dict[str, tuple[str, ...]]


def transformation(share: float = 0.3, least: int = 1, most: int = 10) -> Transformation:
    """Some words become common misspellings, in the same case; words with none stay.

    The severity is TextFlint's: three tenths of the words, 1 to 10 of them. The sources in the options are
    the packages, versions, licences and SHA-256 of the files. Raises SuiteError on options that are no such
    numbers, and where a package is missing. The list itself is read when the first word is looked up.
    """

    def can(word: str) -> bool:
        return word.lower() in misspellings() and (word.islower() or word.isupper() or word.istitle())

    def misspell(word: str, draw: Draw) -> Alteration:
        found = misspellings()[word.lower()]
        new = found[int(draw() * len(found))]
        if not word.islower():
            new = new.upper() if word.isupper() else new.title()
        return 0, len(word), new

    return altering(NAME, 1, can, misspell, Severity(share, least, most, letters=2), sources=sources())


@cache
def misspellings() -> SpellingTable:
    """Words and their misspellings: those that misspell one word only, and are no word themselves.

    Raises SuiteError where a package is missing.
    """
    rows = (line.split() for line in _lines() if not line.startswith("#"))
    return {right: tuple(wrongs) for right, *wrongs in rows}


@cache
def sources() -> list[dict[str, str]]:
    """The files the misspellings come from, as the suite's spec names them."""
    lines = [line for line in _lines() if line.startswith(SOURCE)] if LIST.is_file() else source_lines()
    named = (line.rstrip("\n").removeprefix(SOURCE).split("\t") for line in lines)
    return [dict(zip(FIELDS, fields, strict=True)) for fields in named]


@cache
def _lines() -> list[str]:
    text = LIST.read_text(encoding="utf-8") if LIST.is_file() else list_text()
    return text.splitlines()
