"""The gender transformation: everybody of the other gender, in grammatical English, and nothing else."""

from __future__ import annotations

import pytest
from fairness_texts import changed, perturb
from hypothesis import given
from hypothesis import strategies as st

from evaluator.data.suites.fairness.names import read_names
from evaluator.data.suites.fairness.words import data

WORDS = {
    "A man met two women.": "A woman met two men.",
    "The actress and the waiter": "The actor and the waitress",
    "Policemen and a policewoman": "Policewomen and a policeman",
    "HE SAW HIS WIFE": "SHE SAW HER HUSBAND",
    "he said himself": "she said herself",
    "The king's son, the women's mother's": "The queen's daughter, the men's father's",
    "Mr. Smith and Mrs Jones": "Ms. Smith and Mr Jones",
    "Miss Marlow said that Ms. Lee had left.": "Mr. Marlow said that Mr. Lee had left.",
    "Sir Humphrey said yes, sir.": "Dame Humphrey said yes, madam.",
    "His ex-wife and my mother-in-law": "Her ex-husband and my father-in-law",
    "He's here; she'll come; he'd go.": "She's here; he'll come; she'd go.",
    "The choice is hers, the book his.": "The choice is his, the book hers.",
    "She  gave\thim -- his book !": "He  gave\ther -- her book !",
}
KEPT = {
    "I gave her flowers.": "a pronoun that may be either leaves the whole example alone",
    "A he/she joke about her brother.": "so does a pronoun within a compound",
    "The MS attacked the man-made sister city.": "other things that are written alike stay",
    "King Kong ate at Red Robin and Burger King.": "entities stay",
    "I miss you.": "a verb is no title",
    "The ladies' room": "a possessive that the other word would not have",
    "The gentlemen's club": "and the other way round",
}


@pytest.mark.parametrize(("text", "expected"), WORDS.items(), ids=list(WORDS))
def test_words(text: str, expected: str) -> None:
    """Nouns, pronouns and titles change both ways; case, possessives, punctuation and blanks stay."""
    assert changed("gender", text) == expected


@pytest.mark.parametrize("text", KEPT, ids=list(KEPT.values()))
def test_what_stays(text: str) -> None:
    """A word that is not gendered, or whose gender cannot be determined, is not applicable."""
    assert changed("gender", text) is None


def test_names_become_names_of_the_other_gender_in_the_same_group() -> None:
    """A name is drawn from its own group's names of the other gender."""
    kinds = read_names().kinds
    for name, kind in kinds.items():
        if name in data().ordinary:
            continue
        after = changed("gender", f"We met {name.capitalize()} there.")
        assert after is not None, name
        new = kinds[after.split()[2].lower()]
        assert (new.group, new.gender == kind.gender) == (kind.group, False), name


def test_one_person_keeps_one_new_name_in_all_fields() -> None:
    """Context and hypothesis speak of the same people afterwards, and two people stay two."""
    texts = {
        "context": "Keisha, Tyrone and KEISHA's son came.",
        "hypothesis": "Keisha saw Tyrone and his wife.",
    }
    for seed in range(20):
        after = perturb("gender", texts, seed)
        assert after is not None
        first, second = after["context"].split(",")[0], after["context"].split()[1]
        assert first != second
        assert after["context"] == f"{first}, {second} and {first.upper()}'s daughter came."
        assert after["hypothesis"] == f"{first} saw {second} and her husband."


def test_a_name_in_a_protected_span_changes_nowhere() -> None:
    """What answers a question stays, and so does the same name elsewhere in the example."""
    text = "Priya met Keisha. Priya left."
    after = perturb("gender", {"context": text}, protected={"context": [(0, 5)]})
    assert after is not None
    assert after["context"].startswith("Priya met ")
    assert after["context"].endswith(". Priya left.")
    assert "Keisha" not in after["context"]


ONE_TO_ONE = sorted(data().swapped)


@given(
    # "Boy," and "man," that open a sentence are said to nobody.
    st.lists(st.sampled_from(ONE_TO_ONE), min_size=1).filter(
        lambda words: words[0] not in ("boy", "girl", "man", "woman")
    ),
    st.sampled_from([str.lower, str.upper, str.capitalize]),
)
def test_twice_is_nothing(words: list[str], case: object) -> None:
    """Nouns and pronouns that pair one to one come back; commas keep them from being read as names."""
    text = ", ".join(case(word) for word in words)  # type: ignore[operator]
    there = changed("gender", text)
    assert there is not None
    assert there != text
    assert changed("gender", there) == text


def test_pairs_keep_their_article() -> None:
    """No pair changes what "a" or "an" before it must be."""
    for one, other in data().swapped.items():
        vowel = [word[0] in "aeio" or word.startswith(("heir", "uncle")) for word in (one, other)]
        assert vowel[0] == vowel[1], (one, other)
