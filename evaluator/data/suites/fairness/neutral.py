"""Gender-neutral texts: nouns and pronouns with a gender become ones without. First names stay.

"He" and "she" become "they", whose verb is a plural. An example is left as it is where the form of that verb
is unclear or another verb of the sentence may depend on the pronoun, where a word has no neutral
counterpart ("aunt", "female"), and where two words would become the same ("men and women").
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from evaluator.data.suites.base import Edits, FieldTexts, Protected, UndecidedError
from evaluator.data.suites.edits import Edit, Span
from evaluator.data.suites.entities import Recogniser
from evaluator.data.suites.fairness.gender import is_title, part_of_a_name, tag_of
from evaluator.data.suites.fairness.names import Names
from evaluator.data.suites.fairness.people import stays, within
from evaluator.data.suites.fairness.pronouns import role
from evaluator.data.suites.fairness.words import Field, data, grammar, read, written_like

_PRONOUNS = grammar("gendered_pronouns")
_OTHERS = {"him": "them", "hers": "theirs", "himself": "themselves", "herself": "themselves"}
_BY_ROLE = {"object": "them", "possessive": "their", "pronoun": "theirs"}
_TITLES = frozenset({"mr", "mrs", "ms"})
#: Masculine words that are also what the feminine ones become here.
_NEUTRAL = frozenset(data().neutral.values())

#: Verbs that agree with "he", and what they are after "they"; those of `_NEGATED` are followed by 't.
_NEGATED = {"isn": "aren", "wasn": "weren", "hasn": "haven", "doesn": "don"}
_AGREE = {
    "is": "are",
    "was": "were",
    "has": "have",
    "does": "do",
    "goes": "go",
    **{verb + "s": verb for verb in grammar("verbs_in_s")},
    **{verb + "es": verb for verb in grammar("verbs_in_es")},
    **{verb + "ies": verb + "y" for verb in ("tr", "carr", "marr", "cr")},
    **_NEGATED,
}
#: Verbs of one form for all persons.
_SAME = grammar("same_for_all")
_BETWEEN = grammar("between")
_JOINS = grammar("joins")
_PAST = frozenset({"was", "wasn"})
_ARTICLES = frozenset({"a", "an", "the"})
_ENDS = frozenset(".!?;:\n")
_BREAKS = frozenset(",-–—(")


class Neutralise:
    """The edits of the gender-neutral transformation."""

    def __init__(self, names: Names, recogniser: Recogniser) -> None:
        self._names = names
        self._recogniser = recogniser
        words = data()
        self._gendered = words.neutral.keys() | words.swapped.keys() - _NEUTRAL | _PRONOUNS | _TITLES

    def __call__(self, texts: FieldTexts, rng: random.Random, protected: Protected) -> Edits:
        """The edits of each field. Raises `UndecidedError` where one may leave a sentence ungrammatical."""
        fields = read(texts, self._gendered)
        if not fields:
            return {}
        kept = stays(fields, protected, self._recogniser)
        edits = {key: self._edits(field, kept[key]) for key, field in fields.items()}
        return edits if any(edits.values()) else {}

    def _edits(self, field: Field, kept: Sequence[Span]) -> list[Edit]:
        edits: dict[int, Edit] = {}
        for place in [place for place, lower in enumerate(field.lower) if lower in self._gendered]:
            if kept and within(field, place, kept):
                continue
            for at, new in self._changes(field, place):
                if within(field, at, kept):
                    raise UndecidedError
                edits[at] = field.edit(at, written_like(field.words[at], new))
        return [edits[at] for at in sorted(edits)]

    def _changes(self, field: Field, place: int) -> list[tuple[int, str]]:
        """The words that change with the one at `place`, and what they become. Raises `UndecidedError`."""
        lower = field.lower[place]
        if lower in ("he", "she"):
            return [(place, "they"), *_verb(field, place)]
        if lower in _PRONOUNS:
            return [(place, _pronoun(field, place, self._recogniser))]
        if lower in _TITLES:
            return [(place, "mx")] if is_title(field, place) else []
        if not field.plain(place) or part_of_a_name(field, place, self._names.kinds):
            return []
        return [(place, _noun(field, place))]


def _noun(field: Field, place: int) -> str:
    """The neutral noun. Raises `UndecidedError` if there is none, or none that fits."""
    new = data().neutral.get(field.lower[place])
    if new is None or _repeats_noun(field, place, new) or not field.keeps_possessive(place, new):
        raise UndecidedError
    article = field.previous(place)
    silent = new == "heir"
    if article in ("a", "an") and (article == "an") != (silent or new[0] in "aeiou"):
        raise UndecidedError
    return new


def _repeats_noun(field: Field, place: int, new: str) -> bool:
    """Whether the phrase before, joined by "and" or "or", becomes the same word: "a man and a woman"."""
    nouns = [lower for lower in field.lower[max(place - 4, 0) : place] if lower not in _ARTICLES]
    return len(nouns) > 1 and nouns[-1] in ("and", "or") and data().neutral.get(nouns[-2]) == new


def _pronoun(field: Field, place: int, recogniser: Recogniser) -> str:
    lower = field.lower[place]
    if not field.plain(place):
        raise UndecidedError
    if lower in _OTHERS:
        return _OTHERS[lower]
    found = role(field, place, tag_of(field, place, recogniser))
    if found is None:
        raise UndecidedError
    return _BY_ROLE[found]


def _verb(field: Field, place: int) -> list[tuple[int, str]]:
    """What becomes of the verb of "he" or "she". Raises `UndecidedError` where that is unclear."""
    before = field.previous(place)
    if not field.plain(place) or before in _AGREE or before in _JOINS or before in ("than", "as"):
        raise UndecidedError
    at = place + 1
    while field.next(at - 1) in _BETWEEN or field.next(at - 1).endswith("ly"):
        at += 1
    verb = field.next(at - 1)
    if (verb not in _SAME and verb not in _AGREE) or _another_verb(field, at):
        raise UndecidedError
    if verb in _SAME:
        return []
    if verb in _NEGATED and field.text[field.end(at) :][:2] not in ("'t", "’t"):
        raise UndecidedError
    return [(at, _AGREE[verb])]


def _another_verb(field: Field, place: int) -> bool:
    """Whether a word after "and" or a comma in the same sentence may be one more verb of the pronoun."""
    joined, present = False, field.lower[place] not in _SAME | _PAST
    for at in range(place + 1, len(field.words)):
        gap = field.gaps[at]
        if not _ENDS.isdisjoint(gap):
            return False
        joined = joined or not _BREAKS.isdisjoint(gap) or field.lower[at] in _JOINS
        if joined and (field.lower[at] in _AGREE or (present and field.lower[at].endswith("s"))):
            return True
    return False
