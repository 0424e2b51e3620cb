"""The rules that TextFlint would download: those of our own transformations, in the format that it reads."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from evaluator.data.suites.robustness.keyboard import NEIGHBOURS
from evaluator.data.suites.robustness.spelling import misspellings


def write_resources(folder: Path) -> None:
    """Write the rules of Keyboard and SpellingError into a new folder.

    Raises `SuiteError` if a package that brings misspellings is missing.
    """
    keyboard, spelling = keyboard_rules(NEIGHBOURS), spelling_rules(misspellings())
    folder.mkdir()
    (folder / "keyboard.json").write_text(keyboard, encoding="utf-8")
    (folder / "spelling.txt").write_text(spelling, encoding="utf-8")


def keyboard_rules(neighbours: Mapping[str, str]) -> str:
    """Each small letter with a list of its neighbours; TextFlint adds the capitals itself."""
    rules = {letter: list(others) for letter, others in neighbours.items() if letter.islower()}
    return json.dumps(rules, sort_keys=True) + "\n"


def spelling_rules(misspelt: Mapping[str, Sequence[str]]) -> str:
    """A line for each word: the word and its misspellings, with spaces between."""
    return "".join(f"{' '.join((word, *wrong))}\n" for word, wrong in sorted(misspelt.items()))
