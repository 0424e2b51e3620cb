"""Fairness suites: the same text about somebody else, and a placebo that shows what any such change does.

Three kinds of suite, never mixed in one number:

- fairness: `gender` (nouns, pronouns, titles and names of the other gender) and, for every group of the name
  lists, `ethnicity-GROUP` (first names of other groups become names of that one, of the same gender);
- placebo: first names become others of the same gender and group, so that only names change, not people;
- neutral: words with a gender become ones without. Beyond Ma et al. 2021, and optional.

Words within a named entity stay (`evaluator.data.suites.entities`), and so does what a task protects.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from evaluator.data.suites.base import Edits, FieldTexts, Protected, SuiteKind, Transformation
from evaluator.data.suites.entities import Gazetteer, recogniser
from evaluator.data.suites.fairness.gender import Neutralise, Swap
from evaluator.data.suites.fairness.names import (
    SHARED,
    NameKind,
    Names,
    known_people,
    mentions,
    read_names,
    renamed,
    stays,
)
from evaluator.data.suites.fairness.words import read, version
from evaluator.records.errors import UserError

#: Changes whenever the same lists and texts would give other edits.
VERSION = 3

EditTexts = Callable[[FieldTexts, Any, Protected], Edits]


def edits_of(kind: SuiteKind, names: Names, known: Gazetteer) -> dict[str, EditTexts]:
    """What the transformations of a kind do, by name; standard library only, as pages perturb texts too."""
    if kind == "placebo":
        return {"same-group-names": Rename(names, known)}
    if kind == "neutral":
        return {"gender-neutral": Neutralise(names, known)}
    groups = {f"ethnicity-{group}": Rename(names, known, group) for group in names.groups}
    return {"gender": Swap(names, known), **groups}


def made(kind: SuiteKind, options: Mapping[str, Any]) -> tuple[Transformation, ...]:
    """The transformations of a kind.

    Options: ``names``, the path of other name lists (`names.read_names` has the format), and ``recogniser``,
    "gazetteer" or a spaCy pipeline (`entities.recogniser` says which is used if none is named). Raises
    `UserError` for other options and for what cannot be read.
    """
    names, known = _sources(options)
    sources = {"names": names.version, "words": version(), "entities": known.spec()}
    found = edits_of(kind, names, known)
    return tuple(Transformation(name, VERSION, edit, sources) for name, edit in found.items())


fairness, placebo, neutral = (partial(made, kind) for kind in ("fairness", "placebo", "neutral"))


def _sources(options: Mapping[str, Any]) -> tuple[Names, Gazetteer]:
    for key, value in options.items():
        if key not in ("names", "recogniser"):
            raise UserError("options", f"{key!r} is not one of names, recogniser", "leave it out")
        if not isinstance(value, str | None | Path):
            raise UserError(f"options: {key}", f"{value!r} is not text", "name a file or a recogniser")
    path = options.get("names")
    return read_names(Path(path) if path else None), recogniser(options.get("recogniser"))


class Rename:
    """The edits that give first names of other groups a name of the `target` group and the same gender.

    Names typical of no group stay. With no target, every name becomes another of its own group: a placebo.
    """

    def __init__(self, names: Names, recogniser: Gazetteer, target: str | None = None) -> None:
        self._names = names
        self._recogniser = recogniser
        self._target = target
        stay = () if target is None else (SHARED, target)
        self._vocabulary = {name for name, kind in names.kinds.items() if kind.group not in stay}

    def __call__(self, texts: FieldTexts, rng: random.Random, protected: Protected) -> Edits:
        """The edits of each field. Raises `UndecidedError` where nothing shows whether a word is a name."""
        fields = read(texts, self._vocabulary)
        if not fields:
            return {}
        kept = stays(fields, protected, self._recogniser)
        people = known_people(fields, self._recogniser)
        found = mentions(fields, self._names, kept, people, self._vocabulary)
        return renamed([one for one in found if one.name in self._vocabulary], fields, rng, self._draw)

    def _draw(self, kind: NameKind, rng: random.Random, taken: set[str]) -> str | None:
        return self._names.draw(NameKind(self._target or kind.group, kind.gender), rng, taken)
