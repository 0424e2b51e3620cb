"""What "her" and "his" are, decided by the words around or by a tagger."""

from __future__ import annotations

import pytest

from evaluator.data.suites.fairness.pronouns import role
from evaluator.data.suites.fairness.words import Field, read

OBJECT = """
I saw her.
Did you see her?
We told her that it was late.
They gave her the book.
She asked me to call her again tomorrow.
He loved her deeply.
He loved her deeply and for years.
I met her last night.
Nobody knew her before the war.
They left her in the rain.
He walked with her to the door.
We looked at her with surprise.
He said to her, quietly, that it was over.
I believe her because she was there.
They asked her what she wanted.
It took her a year to write it.
The dog followed her everywhere.
He picked her up.
They sent her away.
Everybody likes her, and so do I.
He thanked her for the gift.
The film lets her be funny.
I told her yesterday.
He helped her when she fell.
They watched her as she danced.
"""

POSSESSIVE = """
She lost her keys.
Her brother lives in Rome.
It is her best film.
She sold her old car.
He read her letter twice.
We met at her house.
She did it on her own.
He admired her and my work.
The actress and her director argued.
It was her deeply felt performance that I liked.
She closed her eyes.
He gave her mother a lift.
They made her life easier.
I saw her face.
The weight of her loss shows.
In her first film she is superb.
She is at home in her element.
She raised her two sons.
The critics praised her off-screen life.
By her singing she won us over.
She was proud of her acting.
With her friends around, she was happy.
Her only wish was to leave.
She wore her grandmother's ring.
She did her best.
She tried her best to win.
It was her first.
She is at her best.
"""

UNDECIDED = """
I gave her flowers.
We saw her dance.
They made her famous.
She found her dead.
He drove her home.
They called her "the best".
He heard her singing.
I met her first.
"""

HIS_DETERMINER = """
He lost his keys.
His sister lives in Rome.
It was his and her idea.
He did it on his own.
They liked his very long speech.
We saw his off-screen life.
The man told his wife.
He did his best.
He closed his eyes.
"""

HIS_PRONOUN = """
The choice is his.
A friend of his who paints came.
Mine is old, but his is new.
Her car and his were stolen.
The idea was his, not mine.
"""

HIS_UNDECIDED = """
We know his off screen life.
The choice was his in the end.
A friend of his came.
"""

CASES = [
    (sentence, word, expected)
    for sentences, word, expected in (
        (OBJECT, "her", "object"),
        (POSSESSIVE, "her", "possessive"),
        (UNDECIDED, "her", None),
        (HIS_DETERMINER, "his", "possessive"),
        (HIS_PRONOUN, "his", "pronoun"),
        (HIS_UNDECIDED, "his", None),
    )
    for sentence in sentences.strip().splitlines()
]


def field_of(sentence: str) -> Field:
    return read({"text": sentence}, {"her", "his"})["text"]


def test_there_are_enough_sentences() -> None:
    """The rules are held to at least sixty sentences of our own."""
    assert len(CASES) >= 60


@pytest.mark.parametrize(("sentence", "word", "expected"), CASES, ids=[case[0] for case in CASES])
def test_rules(sentence: str, word: str, expected: str | None) -> None:
    """The words around decide what a pronoun is, or leave it undecided."""
    field = field_of(sentence)
    assert role(field, field.lower.index(word)) == expected


@pytest.mark.parametrize(("tag", "expected"), [("PRP", "object"), ("PRP$", "possessive")])
def test_a_tagger_decides_where_there_is_one(tag: str, expected: str) -> None:
    """A tag settles what the rules leave undecided."""
    field = field_of("I gave her flowers.")
    assert role(field, 2, tag) == expected


def test_a_tagger_does_not_tell_the_two_uses_of_his_apart() -> None:
    """Both are PRP$ to a tagger, so the words around still decide."""
    field = field_of("The choice is his.")
    assert role(field, 3, "PRP$") == "pronoun"
