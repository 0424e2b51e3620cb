"""First names of one group for those of another, or of the same: which words are names, and what they become."""

from __future__ import annotations

import pytest
from fairness_texts import changed

from evaluator.data.suites.fairness.names import read_names

GROUPS = ("asian-pacific-islander", "black", "hispanic", "white")


@pytest.mark.parametrize("group", GROUPS)
def test_names_of_other_groups_become_names_of_the_group(group: str) -> None:
    """Same gender, the target's group; names of the target and names typical of none stay."""
    names = read_names()
    for kind, listed in names.lists.items():
        for name in listed[:5]:
            after = changed(f"ethnicity-{group}", f"Then we met {name} there.")
            if kind.group in (group, "shared"):
                assert after is None, name
            else:
                assert after is not None, name
                assert names.kinds[after.split()[3].lower()] == (group, kind.gender), name


def test_a_placebo_stays_in_the_group() -> None:
    """Another name of the same group and gender, names typical of no group included."""
    names = read_names()
    for kind, listed in names.lists.items():
        after = changed("same-group-names", f"Then we met {listed[0]} there.")
        assert after is not None
        new = after.split()[3]
        assert new != listed[0]
        assert names.kinds[new.lower()] == kind


NAMES = {
    "Adam's wife": "X's wife",
    "ADAM SAID SO": "X SAID SO",
    "He said Adam Jones had left.": "He said X Jones had left.",
    "Yesterday, Dr. Adam Jones left.": "Yesterday, Dr. X Jones left.",
    "When Adam came, he sat.": "When X came, he sat.",
    "Uncle Adam": "Uncle X",
    "We like Mark.": "We like X.",
    "Mark Jones said so.": "X Jones said so.",
    "Mark says so.": "X says so.",
    "i left , but adam asked to stay": "i left , but x asked to stay",
    "(Adam)": "(X)",
}


@pytest.mark.parametrize(("text", "expected"), NAMES.items(), ids=list(NAMES))
def test_names(text: str, expected: str) -> None:
    """First names are found where they are written as such, and keep case and what is around them."""
    names = read_names()
    after = changed("ethnicity-black", text)
    assert after is not None
    before, after_words = text.split(), after.split()
    [place] = [at for at, word in enumerate(before) if word != after_words[at]]
    bare = "".join(character for character in after_words[place].split("'")[0] if character.isalpha())
    assert names.kinds[bare.lower()].group == "black"
    new = "X" if bare[0].isupper() else "x"
    assert after.replace(bare, new) == expected


STAY = {
    "Ridley Scott made it.": "a surname after an unknown first name",
    "They saw Bill Murray.": "a surname after a first name",
    "Mr. Scott left.": "a surname after a title",
    "J. Scott left.": "a surname after an initial",
    "St. Matthew": "a saint",
    "Adam and Eve": "an entity",
    "Samuel Adams, MARTIN LUTHER KING, Good Will Hunting": "entities, in capitals too",
    "martin luther king at red robin": "entities in a text without capitals",
    "Mark my words.": "a word that opens a sentence",
    "Hope is fading. Will you come?": "words that open sentences",
    "Mary-Kate and @adam, #Adam, adam.smith@x.org, D'Adam": "compounds and addresses",
    "James' wife": "a possessive that only names in -s have",
    "an Adam of our times": "a name with an article",
    "the red mark": "an ordinary word",
    "a grace note by scott": "ordinary words and surnames in a text without capitals",
    "Adam\u0301": "a longer letter",
    "Bill Murray, and Murray again": "a name that is a surname elsewhere in the example",
}


@pytest.mark.parametrize("text", STAY, ids=list(STAY.values()))
def test_what_is_no_first_name_stays(text: str) -> None:
    """Surnames, entities, ordinary words and parts of other things are not renamed."""
    assert changed("same-group-names", text) is None
