"""Everybody changes gender, or nobody has one: nouns, pronouns and titles, in all fields of an example.

Where the gender changes, first names change too; in gender-neutral texts they stay. There "he" and "she"
become "they", whose verb is a plural. An example is left as it is where the form of that verb is unclear or
another verb of the sentence may depend on the pronoun, where a word has no neutral counterpart ("aunt",
"female"), and where two words would become the same ("men and women").
"""

from __future__ import annotations

import random
from collections.abc import Container, Sequence

from evaluator.data.suites.base import Edit, Edits, FieldTexts, Protected, Span, UndecidedError
from evaluator.data.suites.entities import Gazetteer
from evaluator.data.suites.fairness.names import (
    ARTICLES,
    FIRST_NAME_TITLES,
    OPENERS,
    NameKind,
    Names,
    known_people,
    mentions,
    renamed,
    stays,
    within,
)
from evaluator.data.suites.fairness.pronouns import role
from evaluator.data.suites.fairness.words import Field, data, grammar, read, written_like

#: What pronouns become: those that can be one thing only, and the others by what they are.
_ONE_ROLE = {
    "he": "she",
    "she": "he",
    "him": "her",
    "hers": "his",
    "himself": "herself",
    "herself": "himself",
}
_BY_ROLE = {
    ("her", "object"): "him",
    ("her", "possessive"): "his",
    ("his", "possessive"): "her",
    ("his", "pronoun"): "hers",
}
_TITLES = {"mr": "ms", "mrs": "mr", "ms": "mr"}
#: Titles that are one only before a name.
_BEFORE_NAMES = {"miss": "Mr.", "sir": "dame", "dame": "sir"}
_PRONOUNS = grammar("gendered_pronouns")
#: Before a hyphen and a word for kin, these leave it what it is: ex-wife, half-brother.
_KIN_PREFIXES = grammar("kin_prefixes")


#: After a word for kin, these show that no relative is meant.
_FIGURATIVE = grammar("figurative")
#: Words for people that are often said of things, unless what follows "of" begins as people and places do.
_OFTEN_FIGURATIVE = frozenset({"father", "mother", "king", "queen", "prince", "princess", "lord", "master"})
_NUMBERS = frozenset(["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"])
_DETERMINERS = grammar("determiners") | grammar("possessives") | _NUMBERS


class Swap:
    """The edits of the gender transformation."""

    def __init__(self, names: Names, recogniser: Gazetteer) -> None:
        self._names = names
        self._recogniser = recogniser
        words = data().swapped.keys() | _PRONOUNS | _TITLES.keys() | _BEFORE_NAMES.keys()
        self._gendered = words
        self._vocabulary = words | names.kinds.keys()

    def __call__(self, texts: FieldTexts, rng: random.Random, protected: Protected) -> Edits:
        """The edits of each field. Raises `UndecidedError` where the other form of a word is unclear."""
        fields = read(texts, self._vocabulary)
        if not fields:
            return {}
        kept = stays(fields, protected, self._recogniser)
        edits = {key: self._words(field, kept[key]) for key, field in fields.items()}
        found = mentions(fields, self._names, kept, known_people(fields, self._recogniser), self._names.kinds)
        for key, new in renamed(found, fields, rng, self._other).items():
            edits[key] += new
        return edits if any(edits.values()) else {}

    def _other(self, kind: NameKind, rng: random.Random, taken: set[str]) -> str | None:
        other = NameKind(kind.group, "male" if kind.gender == "female" else "female")
        return self._names.draw(other, rng, taken)

    def _words(self, field: Field, kept: Sequence[Span]) -> list[Edit]:
        edits: list[Edit] = []
        for place in [place for place, lower in enumerate(field.lower) if lower in self._gendered]:
            if kept and within(field, place, kept):
                continue
            new = self._other_form(field, place)
            if new:
                edits.append(field.edit(place, written_like(field.words[place], new)))
        return edits

    def _other_form(self, field: Field, place: int) -> str | None:
        """What a gendered word becomes, None if it stays. Raises `UndecidedError`."""
        lower = field.lower[place]
        if lower in _PRONOUNS:
            return self._pronoun(field, place)
        if lower in _TITLES:
            return _TITLES[lower] if is_title(field, place) else None
        if lower in _BEFORE_NAMES and (lower != "sir" or _name_follows(field, place)):
            return _BEFORE_NAMES[lower] if _name_follows(field, place) else None
        alone = field.plain(place) or _hyphen_only_adds(field, place)
        if not alone or part_of_a_name(field, place, self._names.kinds):
            return None
        new = data().swapped[lower]
        if not field.keeps_possessive(place, new):
            raise UndecidedError
        return new

    def _pronoun(self, field: Field, place: int) -> str:
        """The other pronoun. Raises `UndecidedError`, also for one in a compound: "he/she", "she-wolf"."""
        lower = field.lower[place]
        if not field.plain(place):
            raise UndecidedError
        if lower in _ONE_ROLE:
            return _ONE_ROLE[lower]
        found = role(field, place, tag_of(field, place, self._recogniser))
        if found is None:
            raise UndecidedError
        return _BY_ROLE[lower, found]


def tag_of(field: Field, place: int, recogniser: Gazetteer) -> str | None:
    """The tag of a word, where the recogniser has a tagger that sees a word there."""
    tags = recogniser.tags(field.text)
    return tags.get(field.start(place)) if tags else None


def is_title(field: Field, place: int) -> bool:
    """Mr, Mrs and Ms as people write them, and before a name: "MS" is also an illness."""
    gap = field.gaps[place + 1]
    before_a_name = bool(gap) and gap.replace(".", "", 1).isspace() and place + 1 < len(field.words)
    if not (field.plain(place) and before_a_name):
        return False
    return field.case != "mixed" or (field.words[place][1:].islower() and field.capital(place + 1))


def _name_follows(field: Field, place: int) -> bool:
    """Only capitals tell "Miss Marple" from "miss her"."""
    named = field.capital(place) and field.capital(place + 1) and bool(field.next(place))
    return field.case == "mixed" and named and field.plain(place)


def _hyphen_only_adds(field: Field, place: int) -> bool:
    """Whether hyphens only add to a word for a relative, as in "step-mother" and "mother-in-law"."""
    text, start, end = field.text, field.start(place), field.end(place)
    before, after = text[start - 1 : start], text[end : end + 1]
    if before == "-":
        return after != "-" and place > 0 and field.lower[place - 1] in _KIN_PREFIXES
    return after == "-" and text[end : end + 7].lower() == "-in-law" and not before.isalnum()


def _of_something(field: Field, place: int) -> bool:
    """Whether "of" and a bare noun follow, as in "king of comedy" and "father of geometry"."""
    if field.lower[place] not in _OFTEN_FIGURATIVE or field.next(place) != "of":
        return False
    after = field.next(place + 1)
    named = field.case == "mixed" and field.capital(place + 2)
    return bool(after) and not named and after not in _DETERMINERS


def _names_nobody(field: Field, place: int) -> bool:
    """A verb, an exclamation or a saying: "to man the pumps", "boy, was that long", "an old wives' tale"."""
    lower, before = field.lower[place], field.previous(place)
    opens = field.opens_sentence(place) or before == "oh"
    exclaimed = opens and lower in ("boy", "man") and field.gaps[place + 1].strip()[:1] in (",", "!")
    return exclaimed or (before, lower) in (("to", "man"), ("old", "wives"))


def part_of_a_name(field: Field, place: int, names: Container[str]) -> bool:
    """Whether a noun is part of a longer name or of a figure of speech: "Stephen King", "sister city".

    A title before a first name is not: "Uncle Robert" has an aunt for a counterpart.
    """
    if field.next(place) in _FIGURATIVE or _of_something(field, place) or _names_nobody(field, place):
        return True
    if field.case != "mixed" or not field.capital(place) or field.words[place].isupper():
        return False
    if field.previous(place) and field.capital(place - 1):
        return not (field.opens_sentence(place - 1) and field.previous(place) in OPENERS)
    follows = bool(field.next(place)) and field.capital(place + 1)
    return follows and not (field.lower[place] in FIRST_NAME_TITLES and field.next(place) in names)


_OTHERS = {"him": "them", "hers": "theirs", "himself": "themselves", "herself": "themselves"}
_NEUTRAL_BY_ROLE = {"object": "them", "possessive": "their", "pronoun": "theirs"}
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
_SUBJECTS = frozenset({"he", "she"})
_ENDS = frozenset(".!?;:\n")
_BREAKS = frozenset(",-–—(")


class Neutralise:
    """The edits of the gender-neutral transformation."""

    def __init__(self, names: Names, recogniser: Gazetteer) -> None:
        self._names = names
        self._recogniser = recogniser
        words = data()
        self._gendered = words.neutral.keys() | words.swapped.keys() - _NEUTRAL | _PRONOUNS | _TITLES.keys()

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
        verbs = _FurtherVerbs(field) if not _SUBJECTS.isdisjoint(field.lower) else None
        for place in [place for place, lower in enumerate(field.lower) if lower in self._gendered]:
            if kept and within(field, place, kept):
                continue
            for at, new in self._changes(field, place, verbs):
                if within(field, at, kept):
                    raise UndecidedError
                edits[at] = field.edit(at, written_like(field.words[at], new))
        return [edits[at] for at in sorted(edits)]

    def _changes(self, field: Field, place: int, verbs: _FurtherVerbs | None) -> list[tuple[int, str]]:
        """The words that change with the one at `place`, and what they become. Raises `UndecidedError`."""
        lower = field.lower[place]
        if lower in _SUBJECTS and verbs:
            return [(place, "they"), *_verb(field, place, verbs)]
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
    nouns = [lower for lower in field.lower[max(place - 4, 0) : place] if lower not in ARTICLES]
    return len(nouns) > 1 and nouns[-1] in ("and", "or") and data().neutral.get(nouns[-2]) == new


def _pronoun(field: Field, place: int, recogniser: Gazetteer) -> str:
    lower = field.lower[place]
    if not field.plain(place):
        raise UndecidedError
    if lower in _OTHERS:
        return _OTHERS[lower]
    found = role(field, place, tag_of(field, place, recogniser))
    if found is None:
        raise UndecidedError
    return _NEUTRAL_BY_ROLE[found]


def _verb(field: Field, place: int, verbs: _FurtherVerbs) -> list[tuple[int, str]]:
    """What becomes of the verb of "he" or "she". Raises `UndecidedError` where that is unclear."""
    before = field.previous(place)
    if not field.plain(place) or before in _AGREE or before in _JOINS or before in ("than", "as"):
        raise UndecidedError
    at = place + 1
    while field.next(at - 1) in _BETWEEN or field.next(at - 1).endswith("ly"):
        at += 1
    verb = field.next(at - 1)
    if (verb not in _SAME and verb not in _AGREE) or verbs.after(at, present=verb not in _SAME | _PAST):
        raise UndecidedError
    if verb in _SAME:
        return []
    if verb in _NEGATED and field.after(at) not in ("'t", "’t"):
        raise UndecidedError
    return [(at, _AGREE[verb])]


class _FurtherVerbs:
    """Where sentences of a text end, and which words in them may be one more verb of a pronoun.

    Each list has, for each word, the first one from there on that is such; the text is read once for all.
    """

    def __init__(self, field: Field) -> None:
        size = len(field.words)
        self._new_sentence, self._joined, self._agrees, self._in_s = ([size] * (size + 1) for _ in range(4))
        for at in reversed(range(size)):
            gap, lower = field.gaps[at], field.lower[at]
            ends, joins = not _ENDS.isdisjoint(gap), not _BREAKS.isdisjoint(gap) or lower in _JOINS
            self._new_sentence[at] = at if ends else self._new_sentence[at + 1]
            self._joined[at] = at if joins else self._joined[at + 1]
            self._agrees[at] = at if lower in _AGREE else self._agrees[at + 1]
            self._in_s[at] = at if lower.endswith("s") else self._in_s[at + 1]

    def after(self, verb: int, present: bool) -> bool:
        """Whether a word behind "and" or a comma, in the sentence of the verb at `verb`, may be another one.

        In the `present` any word in -s may be.
        """
        end, joined = self._new_sentence[verb + 1], self._joined[verb + 1]
        return joined < end and (self._agrees[joined] < end or (present and self._in_s[joined] < end))
