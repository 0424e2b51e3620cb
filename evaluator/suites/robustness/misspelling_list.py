"""The list of misspellings that SpellingError draws from, made of what two packages bring.

The misspellings are those of the dictionary that the package codespell brings (its words: CC BY-SA 3.0,
derived from English Wikipedia); none of the package's code, which is under the GPL, is run. Which of them are
words themselves is looked up in the frequency dictionary that the package symspellpy brings (MIT). Another
version of either makes other suites, with other hashes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cache
from importlib import metadata, util
from pathlib import Path

from evaluator.suites.errors import SuiteError, SuitePackageError
from evaluator.suites.robustness.words import NEGATIONS

MAIN = "dictionary.txt"
PACKAGES = ("codespell", "symspellpy")
#: What begins the lines that name a source; its fields follow, with tabs between them.
SOURCE = "# source\t"
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
    main, real = _codespell() / MAIN, _real_words()
    for wrong, rights in _rows(main):
        if len(rights) == 1 and wrong not in real and _is_word(wrong) and _is_word(rights[0]):
            found.setdefault(rights[0], []).append(wrong)
    lines = (f"{' '.join((right, *sorted(wrongs)))}\n" for right, wrongs in sorted(found.items()))
    return "".join([HEADER, *_sources(), *lines])


def _real_words() -> set[str]:
    """What misspells nothing: all dictionaries but the main one correct words that are rare or British."""
    real = set(NEGATIONS) | _frequent()
    for path in _dictionaries():
        rows = _rows(path)
        real |= {right for _, rights in rows for right in rights}
        real |= {wrong for wrong, _ in rows if path.name != MAIN}
    return real


def _sources() -> list[str]:
    return [
        _source("codespell", "CC BY-SA 3.0", _dictionaries()),
        _source("symspellpy", "MIT", [_frequencies()]),
    ]


def _source(package: str, licence: str, paths: Sequence[Path]) -> str:
    sha256 = hashlib.sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()
    return f"{SOURCE}{package}\t{metadata.version(package)}\t{licence}\t{sha256}\n"


def _rows(path: Path) -> list[tuple[str, list[str]]]:
    """The lines ``wrong->right`` or ``wrong->right, right,`` of one of codespell's dictionaries."""
    pairs = (line.partition("->") for line in path.read_text(encoding="utf-8").splitlines())
    return [
        (wrong, [right.strip() for right in rights.split(",") if right.strip()]) for wrong, _, rights in pairs
    ]


def _frequent() -> set[str]:
    lines = _frequencies().read_text(encoding="utf-8-sig").splitlines()
    return {line.split()[0] for line in lines if line}


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


def _is_word(word: str) -> bool:
    return len(word) > 1 and word.isascii() and word.isalpha() and word.islower()
