"""What is nearly the same is found, all of it; and so is what leads to a person."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.rounds.checking import NEAR, NearTexts, likeness, personal, stretches

#: Few words, so that texts come near one another.
texts = st.lists(
    st.lists(
        st.sampled_from(["film", "good", "bad", "very", "not", "a", "the", "it", "Ünï", "12"]), max_size=14
    ).map(" ".join),
    max_size=12,
)


@given(known=texts, asked=texts)
def test_every_near_duplicate_is_found_and_nothing_else(known: list[str], asked: list[str]) -> None:
    """The index finds what comparing each with each finds."""
    index = NearTexts(known)
    for text in asked:
        each = [likeness(stretches(text), stretches(other)) for other in known]
        assert list(index.near(text)) == [(at, alike) for at, alike in enumerate(each) if alike >= NEAR]


@pytest.mark.parametrize(
    ("one", "other", "near"),
    [
        ("It was not a bad film at all, I thought.", "it was NOT a bad film at all i thought", True),
        ("It was not a bad film at all, I thought.", "It was not a bad film at all, we thought.", True),
        ("It was not a bad film at all, I thought.", "It was a good film, and that is all I thought.", False),
    ],
)
def test_case_and_punctuation_make_no_difference_and_words_do(one: str, other: str, near: bool) -> None:
    """Two sentences that a reader would call the same are near, two that say something else are not."""
    assert bool(list(NearTexts([one]).near(other))) is near


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("write to ann.lee+film@mail.example.org!", "ann.lee+film@mail.example.org"),
        ("call me on +49 (30) 1234-5678 tonight", "+49 (30) 1234-5678"),
        ("my number is 0301234567", "0301234567"),
        ("seen on 2026-11-23, from 1999-2004, for 12.50", None),
        ("10 of 10, 100 %, a 2,000,000 budget", None),
        ("a@b and @name", None),
    ],
)
def test_addresses_and_numbers_of_people_are_found(text: str, found: str | None) -> None:
    """E-mail addresses and telephone numbers; dates, years and prices are none."""
    assert [match for _, match in personal(text)] == ([found] if found else [])
