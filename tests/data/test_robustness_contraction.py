"""Contraction changes the form of a text, never its meaning."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.data.suites.edits import apply
from evaluator.data.suites.robustness.contraction import transformation

CONTRACTION = transformation()


def after(text: str, protected: tuple[tuple[int, int], ...] = ()) -> str:
    return apply(text, CONTRACTION.edit({"text": text}, random.Random(0), {"text": protected})["text"])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It isn't good.", "It is not good."),
        ("He said he won't", "He said he will not"),
        ("He said he won't.", "He said he will not."),
        ("WON'T you? I WON'T.", "WON'T you? I WILL NOT."),
        ("I can't, and they couldn't.", "I cannot, and they could not."),
        ("Don't go.", "Do not go."),
        ("It does n't work , it is n't fun and I ca n't say it wo n't hurt", "It does not work , it is not fun and I cannot say it will not hurt"),
        ("It doesn’t work.", "It does not work."),
        ("They do not know; it is not bad.", "They don't know; it isn't bad."),
        ("Will not do. I cannot go. They can not go.", "Won't do. I can't go. They can't go."),
        ("DO NOT GO", "DON'T GO"),
        ("I am not sure", "I'm not sure"),
    ],
)  # fmt: skip
def test_negation_stays_negation(text: str, expected: str) -> None:
    """Negations are written out and contracted, at the end of a text and in tokenised ones too."""
    assert after(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It's a film that's fun", "It is a film that is fun"),
        ("it's been long; he's never been late", "it has been long; he has never been late"),
        ("She's really good, she's not been well", "She is really good, she has not been well"),
        ("He'd like it; she'd never seen it", "He would like it; she had never seen it"),
        ("I'd better go", "I had better go"),
        ("They'd been told we'd love it", "They had been told we would love it"),
        ("it 's a mess and there 's nothing in it", "it is a mess and there is nothing in it"),
        ("IT'S BAD", "IT IS BAD"),
        ("Let's see what you'll do, I'm sure they've seen you're late", "Let us see what you will do, I am sure they have seen you are late"),
        ("You could've, they should've", "You could have, they should have"),
    ],
)  # fmt: skip
def test_what_follows_decides_what_is_written_out(text: str, expected: str) -> None:
    """'s is read as "is" or "has" and 'd as "would" or "had" by the words behind it."""
    assert after(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It is late and he is tired, so they are here", "It's late and he's tired, so they're here"),
        ("I have seen it; he has gone", "I've seen it; he's gone"),
        ("If you would ask, I will say", "If you'd ask, I'll say"),
        ("A man who is tall", "A man who's tall"),
        ("IT IS BAD", "IT'S BAD"),
        ("It Is Late", "It Is Late"),
        ("It’s what I say: it is late", "It is what I say: it’s late"),
    ],
)
def test_phrases_are_contracted(text: str, expected: str) -> None:
    """What has a short form gets it, with the apostrophe and the case of the text."""
    assert after(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "John's dog and the film's end are everyone's",
        "Its plot, the children's parts, the '90s and rock'n'roll",
        "he'd put it there; she'd come",  # had or would
        "it's called art; he's gone; it's done",  # is or has
        "a film at war with it's plot",  # a possessive by mistake
        "It's in fact been good",
        "I know what it is now, she is too, and so am I",
        "Yes, I am.  Yes I will. He is and was.",
        "Isn't it? Don't you? Why don't the people go? Isn't the film good?",
        "It is, however, late. I have a dog. They had nothing.",
        "I DO not, you IS wrong",
        "not only that: it can not only sing, I cannot but laugh",
        "shouldn't've, y'all, ma'am, o'clock, ain't",
        "this island, thesis not, whither are",
        "it  is late, they\nare here",
        "",
    ],
)
def test_what_is_unsure_stays(text: str) -> None:
    """Possessives, questions, ambiguous forms and what may not be short stay as they are."""
    assert after(text) == text


def test_answers_are_protected() -> None:
    """An answer within a contraction, or within what could be one, stays; the rest still changes."""
    text = "It is the band It is not, and it isn't here."
    start = text.index("It is not")
    protected = (start, start + len("It is not"))
    changed = after(text, (protected,))
    assert changed == "It's the band It is not, and it is not here."


CLAUSES = [
    "It isn't good", "He won't", "I can't go", "they did not stay", "we cannot say", "It is not that bad", "never", "no one's here",
    "nobody's home", "I'd not like it", "he's not been", "it's not", "not", "don't", "do not", "ca n't", "I am not",
]  # fmt: skip


@given(st.lists(st.sampled_from(CLAUSES), min_size=1, max_size=6).map(", ".join))
def test_every_negation_is_still_there(text: str) -> None:
    """However clauses are put together, each negates as often as before."""
    negations = re.compile(r"n't\b|\bnot\b|cannot|\bnever|\bno(?:body)?\b")
    assert len(negations.findall(after(text))) == len(negations.findall(text))


PIECES = [*CLAUSES, "it is", "it's", "who is", "that 's", "he would", "she'd", "'s", "n't", "be", "been"]


@given(st.lists(st.sampled_from(PIECES), max_size=9).map(" ".join))
def test_edits_of_phrases_in_a_row_do_not_meet(text: str) -> None:
    """In any text, no edit overlaps another (`apply` would refuse) or makes the text much longer."""
    assert len(after(text).split()) <= 2 * len(text.split())
