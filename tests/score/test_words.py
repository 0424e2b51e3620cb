"""Texts as numbers: the same word the same number, another word another."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluator.score.metrics import words as module
from evaluator.score.metrics import words as overlap
from evaluator.score.metrics.words import Tokens, characters, matches, words

any_text = st.text(st.characters(), max_size=40)
near_texts = st.lists(st.text("ab \n\0\xff\x85é", max_size=30), max_size=6)


def spelled(tokens: Tokens, texts: list[list[str]]) -> dict[str, set[int]]:
    """Every word's numbers."""
    found: dict[str, set[int]] = {}
    for number, text in enumerate(texts):
        ids = tokens.ids[tokens.starts[number] : tokens.starts[number + 1]].tolist()
        for word, identity in zip(text, ids, strict=True):
            found.setdefault(word, set()).add(identity)
    return found


@settings(deadline=None)
@pytest.mark.parametrize("portion", [module.PORTION, 2])
@given(texts=st.lists(any_text, max_size=5) | near_texts)
def test_words_are_what_split_gives(portion: int, texts: list[str]) -> None:
    """Each text has as many numbers as words, and numbers are equal exactly where words are."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "PORTION", portion)
        tokens = words(texts)
    assert tokens.lengths.tolist() == [len(text.split()) for text in texts]
    numbers = spelled(tokens, [text.split() for text in texts])
    assert all(len(each) == 1 for each in numbers.values())
    assert len(set.union(set(), *numbers.values())) == len(numbers)


def test_many_words_keep_apart() -> None:
    """Twenty thousand words, short and long, have numbers of their own."""
    vocabulary = [f"{number:x}" for number in range(10_000)] + [
        f"word-{number:08}" for number in range(10_000)
    ]
    assert len(set(words([" ".join(vocabulary)]).ids.tolist())) == 20_000


@settings(deadline=None)
@given(st.lists(any_text, max_size=5))
def test_strings_spell_tokens_as_characters(texts: list[str]) -> None:
    """Equal strings are equal sequences of words; as characters they are the texts themselves."""
    as_words = [text.split() for text in texts]
    strings = words(texts).strings
    assert [len(string) for string in strings] == list(map(len, as_words))
    assert [a == b for a in strings for b in strings] == [a == b for a in as_words for b in as_words]
    assert list(characters(texts).strings) == texts


def test_more_words_than_characters_become_lists() -> None:
    """Beyond Unicode's last character, a text is a list of numbers."""
    tokens = Tokens(np.arange(0x110001), np.array([0, 0x110001]))
    assert isinstance(tokens.strings[0], list)
    assert tokens.strings[0][-1] == 0x110000


def counted(text: str, order: int) -> Counter[tuple[str, ...]]:
    tokens = text.split()
    return Counter(tuple(tokens[i : i + order]) for i in range(len(tokens) - order + 1))


few = st.text("ab ", max_size=20)


@settings(deadline=None)
@pytest.mark.parametrize("chunk", [overlap.CHUNK, 8])
@given(items=st.lists(st.tuples(few, st.lists(few, min_size=1, max_size=3)), min_size=1, max_size=8))
def test_matches_are_clipped_counts(chunk: int, items: list[tuple[str, list[str]]]) -> None:
    """Matches equal the definition's by plain counting, in whatever portions they are computed."""
    everything = [text for text, others in items for text in (text, *others)]
    sizes = [1 + len(others) for _, others in items]
    first = np.cumsum([0, *sizes[:-1]])
    others = np.setdiff1d(np.arange(len(everything)), first)
    unit = np.repeat(np.arange(len(items)), np.array(sizes) - 1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(overlap, "CHUNK", chunk)
        found = matches(words(everything), first, others, unit, 3)
    for row, (text, references) in zip(found.tolist(), items, strict=True):
        for order, number in enumerate(row, start=1):
            most = Counter[tuple[str, ...]]()
            for reference in references:
                most |= counted(reference, order)
            assert number == sum((counted(text, order) & most).values())
