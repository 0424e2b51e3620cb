"""Answers kept as places in a text."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evaluator.data.tasks.quoting import SHORTEST, QuotationError, QuotePieces, quote, unquote

TEXT = "The bridge was opened in 1932 by the mayor, and closed again in 1951."
letters = st.text(alphabet="ab 😀é")


@given(letters, letters)
@example("", "")
@example("abababab", "abab")
def test_quoting_loses_nothing(answer: str, text: str) -> None:
    """Whatever the answer and the text, reading the pieces back gives the answer."""
    assert unquote(quote(answer, text), text) == answer


@given(st.data())
def test_an_answer_from_the_text_is_one_quotation(data: st.DataObject) -> None:
    """An answer that is part of the text is stored as one pair of numbers, without any word."""
    start = data.draw(st.integers(0, len(TEXT) - 1))
    end = data.draw(st.integers(start + 1, len(TEXT)))
    pieces = quote(TEXT[start:end], TEXT)
    assert len(pieces) == 2
    assert all(isinstance(piece, int) for piece in pieces)


@pytest.mark.parametrize(("answer", "case"), [("the bridge was", "lower"), ("BY THE MAYOR", "upper")])
def test_another_case_is_still_a_quotation(answer: str, case: str) -> None:
    """A model that answers in lower or upper case quotes all the same, and no word of it is kept."""
    [(start, end, kept)] = quote(answer, TEXT)  # type: ignore[misc]
    assert (TEXT[start:end].lower(), kept) == (answer.lower(), case)
    assert unquote(quote(answer, TEXT), TEXT) == answer


def test_own_words_stay_words() -> None:
    """What the text does not contain is kept as it is, between the quotations."""
    pieces = quote("opened in 1932 and shut in 1951", TEXT)
    assert pieces == (15, 30, 44, 48, "shut", 60, 68)


@given(letters, letters)
def test_what_is_kept_as_words_quotes_nothing_long(answer: str, text: str) -> None:
    """No stretch of `SHORTEST` characters of the text is left among an answer's own words."""
    for piece in quote(answer, text):
        if isinstance(piece, str) and len(piece) >= SHORTEST:
            assert not any(
                piece[place : place + SHORTEST] in text for place in range(len(piece) - SHORTEST + 1)
            )


@pytest.mark.parametrize("pieces", [(3,), (5, 3), (0, 1000), (-1, 2), (1, "a"), ((0, 99, "lower"),)])
def test_pieces_that_do_not_fit_are_refused(pieces: QuotePieces) -> None:
    """Numbers that mark no stretch of the text are an error, not another answer."""
    with pytest.raises(QuotationError):
        unquote(pieces, TEXT)
