"""SpellingError: some words are misspelt as people misspell them.

The misspellings are read at run time from the dictionary that the package codespell brings (its own words:
CC BY-SA 3.0, derived from English Wikipedia); none of the package's code, which is under the GPL, is run.
Which misspellings are words themselves is looked up in the frequency dictionary that the package symspellpy
brings (MIT).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cache
from importlib import metadata, util
from pathlib import Path

from evaluator.suites.base import Transformation
from evaluator.suites.errors import SuiteError, SuitePackageError
from evaluator.suites.robustness.words import NEGATIONS, Alteration, Draw, Severity, altering

NAME = "SpellingError"

Table = dict[str, tuple[str, ...]]


def transformation(share: float = 0.3, least: int = 1, most: int = 10) -> Transformation:
    """Some words become common misspellings, in the same case; words with none stay.

    The severity is TextFlint's: three tenths of the words, 1 to 10 of them. The sources in the options are
    the packages, versions, licences and SHA-256 of the files. Raises SuiteError on options that are no such
    numbers, and where a package is missing.
    """
    table = misspellings()

    def can(word: str) -> bool:
        return word.lower() in table and (word.islower() or word.isupper() or word.istitle())

    def misspell(word: str, draw: Draw) -> Alteration:
        found = table[word.lower()]
        new = found[int(draw() * len(found))]
        if not word.islower():
            new = new.upper() if word.isupper() else new.title()
        return 0, len(word), new

    return altering(NAME, 1, can, misspell, Severity(share, least, most, letters=2), sources=sources())


@cache
def misspellings() -> Table:
    """Words and their misspellings: those that misspell one word only, and are no word themselves.

    Raises SuiteError where a package is missing.
    """
    rows = _rows("dictionary.txt")
    real = (
        NEGATIONS
        | _words()
        | {word for name in _dictionaries() for _, rights in _rows(name) for word in rights}
    )
    real |= {left for name in _dictionaries() if name != "dictionary.txt" for left, _ in _rows(name)}
    found: dict[str, list[str]] = {}
    for wrong, rights in rows:
        if len(rights) == 1 and wrong not in real and _is_word(wrong) and _is_word(rights[0]):
            found.setdefault(rights[0], []).append(wrong)
    return {right: tuple(sorted(wrongs)) for right, wrongs in found.items()}


@cache
def sources() -> list[dict[str, str]]:
    """The files the misspellings come from, as the suite's spec names them."""
    dictionaries = [_codespell() / name for name in _dictionaries()]
    return [
        _source("codespell", "CC BY-SA 3.0", dictionaries),
        _source("symspellpy", "MIT", [_frequencies()]),
    ]


def _source(package: str, licence: str, paths: Sequence[Path]) -> dict[str, str]:
    content = b"".join(path.read_bytes() for path in paths)
    version, sha256 = metadata.version(package), hashlib.sha256(content).hexdigest()
    return {"package": package, "version": version, "licence": licence, "sha256": sha256}


@cache
def _rows(name: str) -> list[tuple[str, list[str]]]:
    """The lines ``wrong->right`` or ``wrong->right, right,`` of one of codespell's dictionaries."""
    lines = (_codespell() / name).read_text(encoding="utf-8").splitlines()
    pairs = (line.partition("->") for line in lines)
    return [
        (wrong, [right.strip() for right in rights.split(",") if right.strip()]) for wrong, _, rights in pairs
    ]


@cache
def _dictionaries() -> list[str]:
    """The dictionaries there are. All but the first correct words that are real, if rare or British."""
    return sorted(path.name for path in _codespell().glob("dictionary*.txt"))


@cache
def _words() -> frozenset[str]:
    lines = _frequencies().read_text(encoding="utf-8-sig").splitlines()
    return frozenset(line.split()[0] for line in lines if line)


def _codespell() -> Path:
    return _file("codespell", "codespell_lib", "data/dictionary.txt").parent


def _frequencies() -> Path:
    return _file("symspellpy", "symspellpy", "frequency_dictionary_en_82_765.txt")


def _file(package: str, module: str, name: str) -> Path:
    """A data file of an installed package, found without importing it."""
    spec = util.find_spec(module)
    if spec is None or not spec.submodule_search_locations:
        raise SuitePackageError(
            f"the package {package} is not installed; run pip install 'steelyard[suites]'"
        )
    path = Path(spec.submodule_search_locations[0], name)
    if not path.is_file():
        raise SuiteError(
            f"{package} {metadata.version(package)} has no {name}; install another version of it"
        )
    return path


def _is_word(word: str) -> bool:
    return len(word) > 1 and word.isascii() and word.isalpha() and word.islower()
