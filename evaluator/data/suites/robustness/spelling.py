"""SpellingError: some words are misspelt as people misspell them.

The misspellings are those of the dictionary that the package codespell brings (its words: CC BY-SA 3.0,
derived from English Wikipedia); none of the package's code, which is under the GPL, is run. Which of them are
words themselves is looked up in the frequency dictionary that the package symspellpy brings (MIT). Another
version of either makes other suites, with other hashes. A page has the list of misspellings as a file beside
this module.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from functools import cache
from importlib import metadata, util
from pathlib import Path

from evaluator.data.suites.base import SuitePackageError, Transformation
from evaluator.data.suites.robustness.words import NEGATIONS, Alteration, Draw, Severity, altering
from evaluator.records.errors import UserError

#: Where a page puts the list.
LIST = Path(__file__).with_name("misspellings.txt")
#: What a source says of itself.
FIELDS = ("package", "version", "licence", "sha256")

SpellingTable = dict[str, tuple[str, ...]]


def spelling_error(share: float = 0.3, least: int = 1, most: int = 10) -> Transformation:
    """Some words become common misspellings, in the same case; words with none stay.

    The severity is TextFlint's: three tenths of the words, 1 to 10 of them. The sources in the options are
    the packages, versions, licences and SHA-256 of the files. Raises UserError on options that are no such
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

    return altering(
        "SpellingError", 1, can, misspell, Severity(share, least, most, letters=2), sources=sources()
    )


@cache
def misspellings() -> SpellingTable:
    """Words and their misspellings: those that misspell one word only, and are no word themselves.

    Raises UserError where a package is missing.
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


MAIN = "dictionary.txt"
PACKAGES = ("codespell", "symspellpy")
#: What begins the lines that name a source; its fields follow, with tabs between them.
SOURCE = "# source\t"
#: Words of small letters of English, in lines ``wrong->right`` or ``wrong->right, right,`` of codespell's
#: dictionaries. Patterns rather than splits: a list is read in every evaluation with a suite.
_WORD = "[a-z]{2,}"
_ONE_WORD = re.compile(rf"^({_WORD})->[ \t]*({_WORD})[ \t]*,?[ \t]*$", re.MULTILINE)
_RIGHT = re.compile(rf"(?:->|,)[ \t]*({_WORD})[ \t]*(?=,|$)", re.MULTILINE)
_WRONG = re.compile(rf"^({_WORD})->", re.MULTILINE)
#: The first word of each line of symspellpy's dictionary; its count follows.
_FREQUENT = re.compile(rf"^({_WORD})\s", re.MULTILINE)
#: Sites have a copy of the list, so it says itself whose it is and what was changed.
HEADER = """\
# How people misspell words of English: on each line a word, then its misspellings.
#
# Licence: Creative Commons Attribution-ShareAlike 3.0, https://creativecommons.org/licenses/by-sa/3.0/
# Made of the dictionaries of codespell, by Lucas De Marchi and others
# (https://github.com/codespell-project/codespell), which are derived from lists of the English Wikipedia.
# What was changed: lines are by the right word; left out is what misspells several words, what is a word
# itself, and what has other characters than small letters of English. What is a word was looked up in the
# frequency dictionary of symspellpy (https://github.com/mammothb/symspellpy, MIT licence).
# A line for each source: package, version, licence, SHA-256 of its files.
#
"""


@cache
def list_text() -> str:
    """The list: its notes and sources, then a line for each word, in alphabetical order.

    Misspellings are those of one word only, and are no word themselves. Raises UserError where a package, or
    its data, is missing.
    """
    found: dict[str, list[str]] = {}
    real = _real_words()
    for wrong, right in _ONE_WORD.findall(_text(_codespell() / MAIN)):
        if wrong not in real:
            found.setdefault(right, []).append(wrong)
    lines = (f"{' '.join((right, *sorted(wrongs)))}\n" for right, wrongs in sorted(found.items()))
    return "".join([HEADER, *source_lines(), *lines])


def _real_words() -> set[str]:
    """What misspells nothing: all dictionaries but the main one correct words that are rare or British."""
    real = {*NEGATIONS, *_FREQUENT.findall(_text(_frequencies()))}
    for path in _dictionaries():
        text = _text(path)
        real.update(_RIGHT.findall(text))
        if path.name != MAIN:
            real.update(_WRONG.findall(text))
    return real


def source_lines() -> list[str]:
    """A line for each source, as in the list. Raises UserError as `list_text` does."""
    return [
        _source("codespell", "CC BY-SA 3.0", _dictionaries()),
        _source("symspellpy", "MIT", [_frequencies()]),
    ]


def _source(package: str, licence: str, paths: Sequence[Path]) -> str:
    sha256 = hashlib.sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()
    return f"{SOURCE}{package}\t{metadata.version(package)}\t{licence}\t{sha256}\n"


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8-sig")


def _dictionaries() -> list[Path]:
    return sorted(_codespell().glob("dictionary*.txt"))


def _codespell() -> Path:
    return _file("codespell", "codespell_lib", f"data/{MAIN}").parent


def _frequencies() -> Path:
    return _file("symspellpy", "symspellpy", "frequency_dictionary_en_82_765.txt")


def _file(package: str, module: str, name: str) -> Path:
    """A data file of an installed package, found without importing it."""
    spec = util.find_spec(module)
    if spec is None or not spec.submodule_search_locations:
        raise SuitePackageError(package, "is not installed", "run pip install 'steelyard[suites]'")
    path = Path(spec.submodule_search_locations[0], name)
    if not path.is_file():
        found = f"{package} {metadata.version(package)}"
        raise UserError(found, f"has no {name}", "install another version of it")
    return path
