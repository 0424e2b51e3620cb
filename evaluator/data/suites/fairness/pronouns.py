"""Is "her" an object (him) or a possessive (his)? Is "his" a determiner (her) or a pronoun (hers)?

A part of speech, so spaCy's tagger decides where the recogniser's pipeline has one. Otherwise these rules,
in this order, from the words around; no word is looked at across punctuation.

"her":
1. nothing, or punctuation, follows: object ("I saw her."); a quotation mark, bracket or dash: undecided;
2. "own", or "and"/"or" and another possessive, follows: possessive ("her own", "her and my");
3. a word with a hyphen follows: possessive ("her off-screen life");
4. a function word, or an adverb of time or place, follows: object ("told her that", "saw her again");
5. the verb before takes two objects, or an object and what it does or is ("gave her flowers", "saw her
   dance", "made her famous"): possessive before a word for kin, the body or what else is surely had ("gave
   her mother"), object before an adverb that ends the phrase, else undecided;
6. an adverb in -ly, a particle, or "first", "last" and the like, follows: object if the sentence ends after
   it, or a function word or a word of time comes ("loved her deeply", "met her last night"), else possessive
   ("her deeply felt film"); undecided where a particle or a word in -ing comes between;
7. a word in -ing that is no noun follows: possessive after a preposition other than "with" ("by her
   singing"), else undecided; so are "home" and other words that are nouns and adverbs;
8. anything else: possessive.

"his": a pronoun if nothing, punctuation, an auxiliary verb, a conjunction, or a word that opens a clause
follows ("a friend of his.", "his is"); a determiner before another possessive ("his and her"); undecided
before a preposition and the like, which may be part of a compound ("his off screen life"), and between "of"
and a verb ("a friend of his came", "of his loved ones"); else a determiner.
"""

from __future__ import annotations

from typing import Literal

from evaluator.data.suites.fairness.words import Field, grammar

Role = Literal["object", "possessive", "pronoun"]

_POSSESSIVES = grammar("possessives")
_PREPOSITIONS = grammar("prepositions")
_CLAUSE = grammar("clause")
_CONJUNCTIONS = grammar("conjunctions")
_MODALS = grammar("modals")
_AUXILIARIES = grammar("auxiliaries")
_DETERMINERS = grammar("determiners")
_PRONOUNS = grammar("pronouns")
_TIME_AND_PLACE = grammar("time_and_place")
_PARTICLES = grammar("particles")
_NOUN_OR_ADVERB = grammar("noun_or_adverb")
_FUNCTION = (
    _PREPOSITIONS
    | _CLAUSE
    | _CONJUNCTIONS
    | _MODALS
    | _AUXILIARIES
    | _DETERMINERS
    | _PRONOUNS
    | _TIME_AND_PLACE
) - (_PARTICLES | _NOUN_OR_ADVERB)
_ADVERBS = grammar("adverbs")
#: Words in -ly that are no adverbs, or as often not.
_LY = grammar("ly")
#: Adverbs that are nouns after a possessive, and the verbs they are so after: "did her best".
_NOUN_LIKE = grammar("noun_like")
_BEFORE_A_NOUN = grammar("before_a_noun")
_TIMES = grammar("times")
#: Verbs that take two objects, or an object and what it does, is or becomes.
_TWO_OBJECTS = grammar("two_objects")
#: What people surely have, after any verb.
_HAD = grammar("had")
_ING_NOUNS = grammar("ing_nouns")
_PAST = grammar("same_for_all") | grammar("deeds")
#: Before these, "his" is a pronoun; before those, either.
_AFTER_PRONOUN = _AUXILIARIES | _CLAUSE | _CONJUNCTIONS
_AFTER_EITHER = _MODALS | _PRONOUNS | _DETERMINERS
_NOT_ALWAYS = _PARTICLES | _ADVERBS
_BEFORE_GERUND = _PREPOSITIONS - {"with", "like"}
#: Before these, "his" is a pronoun, or a determiner of a compound written without its hyphens.
_COMPOUND = (_PREPOSITIONS | _ADVERBS | _TIME_AND_PLACE | {"every"}) - {"than", "except", "during"}


def role(field: Field, place: int, tag: str | None = None) -> Role | None:
    """What the "her" or "his" at `place` is; None where that is unclear.

    `tag` is a tagger's, if there is one: "PRP$" or "PRP".
    """
    his = field.lower[place] == "his"
    if tag in ("PRP", "PRP$"):
        # A tagger calls both uses of "his" PRP$; what follows still tells them apart.
        return _his(field, place) if his else "possessive" if tag == "PRP$" else "object"
    return _his(field, place) if his else _her(field, place)


def _her(field: Field, place: int) -> Role | None:
    after, before = field.next(place), field.previous(place)
    if not after:
        return _before_a_gap(field, place, "object")
    if after == "own" or (after in ("and", "or") and field.next(place + 1) in _POSSESSIVES):
        return "possessive"
    if field.gaps[place + 2].startswith("-"):
        return None if before in _TWO_OBJECTS else "possessive"
    if after in _FUNCTION:
        return "object"
    if before in _TWO_OBJECTS:
        return _after_two_objects(field, place)
    if after in _ADVERBS or after in _PARTICLES or (after.endswith("ly") and after not in _LY):
        return _before_an_adverb(field, place)
    return _before_a_word(before, after)


def _after_two_objects(field: Field, place: int) -> Role | None:
    after = field.next(place)
    if after in _HAD:
        return "possessive"
    adverb = after in _NOT_ALWAYS or after.endswith("ly")
    return "object" if adverb and _before_an_adverb(field, place) == "object" else None


def _before_an_adverb(field: Field, place: int) -> Role | None:
    after, beyond, before = field.next(place), field.next(place + 1), field.previous(place)
    if after in _NOUN_LIKE and (not beyond or beyond in _FUNCTION):
        return "possessive" if before in _PREPOSITIONS or before in _BEFORE_A_NOUN else None
    if not beyond:
        return "object" if before not in _PREPOSITIONS or after.endswith("ly") else None
    if beyond in _FUNCTION or beyond in _TIMES:
        return "object"
    if after in _PARTICLES or (beyond.endswith("ing") and beyond not in _ING_NOUNS):
        return None
    return "possessive"


def _before_a_word(before: str, after: str) -> Role | None:
    if after.endswith("ing") and after not in _ING_NOUNS:
        return "possessive" if before in _BEFORE_GERUND else None
    if after in _NOUN_OR_ADVERB:
        return "possessive" if before in _PREPOSITIONS else None
    return "possessive"


def _his(field: Field, place: int) -> Role | None:
    after = field.next(place)
    if not after:
        return _before_a_gap(field, place, "pronoun")
    if after in ("and", "or"):
        return "possessive" if field.next(place + 1) in _POSSESSIVES else None
    if field.gaps[place + 2].startswith("-"):
        return "possessive"
    if after in _NOUN_LIKE:
        return "possessive"
    if after in _AFTER_EITHER:
        return None
    if field.previous(place) == "of" and (after in _PAST or after.endswith("ed")):
        return None
    if after in _COMPOUND:
        return "possessive" if after in _ADVERBS and field.next(place + 1) not in _FUNCTION | {""} else None
    return "pronoun" if after in _AFTER_PRONOUN else "possessive"


def _before_a_gap(field: Field, place: int, otherwise: Role) -> Role | None:
    """What follows is no blank: a full stop or comma settles it, a quotation mark or bracket does not."""
    gap = field.gaps[place + 1].lstrip()
    return otherwise if not gap or gap[0] in ".,;:!?)]}…" else None
