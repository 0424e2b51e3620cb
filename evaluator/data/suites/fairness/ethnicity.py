"""First names of one group for those of another, or of the same: nothing else of a text changes."""

from __future__ import annotations

import random

from evaluator.data.suites.base import Edits, FieldTexts, Protected
from evaluator.data.suites.entities import Recogniser
from evaluator.data.suites.fairness.names import SHARED, NameKind, Names
from evaluator.data.suites.fairness.people import known_people, mentions, renamed, stays
from evaluator.data.suites.fairness.words import read


class Rename:
    """The edits that give first names of other groups a name of the `target` group and the same gender.

    Names typical of no group stay. With no target, every name becomes another of its own group: a placebo.
    """

    def __init__(self, names: Names, recogniser: Recogniser, target: str | None = None) -> None:
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
