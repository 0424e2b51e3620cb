"""The gender-neutral transformation: the text mentions no gender afterwards, or it is not changed."""

from __future__ import annotations

import pytest
from fairness_texts import TEXTS, changed
from hypothesis import given

from evaluator.data.suites.entities import recogniser
from evaluator.data.suites.fairness.gender import part_of_a_name
from evaluator.data.suites.fairness.names import read_names
from evaluator.data.suites.fairness.people import within
from evaluator.data.suites.fairness.words import data, read

CHANGED = {
    "The policeman told a waitress.": "The police officer told a server.",
    "He is late.": "They are late.",
    "She wasn't there.": "They weren't there.",
    "HE CAN SING": "THEY CAN SING",
    "He never plays chess with his brother.": "They never play chess with their sibling.",
    "Yesterday she lost her keys.": "Yesterday they lost their keys.",
    "The choice was hers.": "The choice was theirs.",
    "I saw him himself.": "I saw them themselves.",
    "Mrs. Smith married the fireman.": "Mx. Smith married the firefighter.",
    "She tries hard.": "They try hard.",
}
SKIPPED = {
    "He is tall and has a dog.": "a second verb of the pronoun",
    "She played well, and was chosen.": "a second verb after a past tense",
    "He strums.": "a verb whose plural is not known",
    "Is he late?": "an inversion",
    "He's a man.": "a short form of two verbs",
    "My aunt saw a woman.": "a word without a neutral counterpart",
    "Men and women, a man and a woman": "two words that would become one",
    "I gave her flowers.": "a pronoun that may be either",
    "The ladies' room": "a possessive that the other word would not have",
    "The policewomen's badges": "and the other way round",
    "He/she is late.": "a pronoun in a compound",
}
SAYS_GENDER = data().swapped.keys() - set(data().neutral.values())


@pytest.mark.parametrize(("text", "expected"), CHANGED.items(), ids=list(CHANGED))
def test_changed(text: str, expected: str) -> None:
    """Nouns, pronouns and their verbs change together."""
    assert changed("gender-neutral", text) == expected


@pytest.mark.parametrize("text", SKIPPED, ids=list(SKIPPED.values()))
def test_skipped(text: str) -> None:
    """If a neutral text would be ungrammatical, the whole example is not changed."""
    assert changed("gender-neutral", text) is None


@given(TEXTS)
def test_a_variant_says_no_gender(text: str) -> None:
    """A variant has no gendered word of its own outside an entity or a name."""
    after = changed("gender-neutral", text)
    if after is None:
        return
    entities = recogniser("gazetteer").spans(after)
    field = read({"text": after}, SAYS_GENDER).get("text")
    for place, lower in enumerate(field.lower if field else ()):
        if field and lower in SAYS_GENDER and field.plain(place) and not within(field, place, entities):
            assert part_of_a_name(field, place, read_names().kinds), (text, after, lower)
