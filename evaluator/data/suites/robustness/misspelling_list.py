"""The list of misspellings that SpellingError draws from, made of what two packages bring.

The misspellings are those of the dictionary that the package codespell brings (its words: CC BY-SA 3.0,
derived from English Wikipedia); none of the package's code, which is under the GPL, is run. Which of them are
words themselves is looked up in the frequency dictionary that the package symspellpy brings (MIT). Another
version of either makes other suites, with other hashes.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from functools import cache
from importlib import metadata, util
from pathlib import Path

from evaluator.data.suites.errors import SuiteError, SuitePackageError
from evaluator.data.suites.robustness.words import NEGATIONS

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

    Misspellings are those of one word only, and are no word themselves. Raises SuiteError where a package, or
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
    real = set(NEGATIONS) | _frequent()
    for path in _dictionaries():
        text = _text(path)
        real.update(_RIGHT.findall(text))
        if path.name != MAIN:
            real.update(_WRONG.findall(text))
    return real


def source_lines() -> list[str]:
    """A line for each source, as in the list. Raises SuiteError as `list_text` does."""
    return [
        _source("codespell", "CC BY-SA 3.0", _dictionaries()),
        _source("symspellpy", "MIT", [_frequencies()]),
    ]


def _source(package: str, licence: str, paths: Sequence[Path]) -> str:
    sha256 = hashlib.sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()
    return f"{SOURCE}{package}\t{metadata.version(package)}\t{licence}\t{sha256}\n"


def _frequent() -> set[str]:
    return set(_FREQUENT.findall(_text(_frequencies())))


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
        raise SuitePackageError(
            f"the package {package} is not installed; run pip install 'steelyard[suites]'"
        )
    path = Path(spec.submodule_search_locations[0], name)
    if not path.is_file():
        raise SuiteError(
            f"{package} {metadata.version(package)} has no {name}; install another version of it"
        )
    return path
