"""Numbers and names as people read them; tests/javascript compares the numbers with those of the scripts."""

from __future__ import annotations

import pytest

from evaluator.rank import formats
from evaluator.rank.formats import visible


@pytest.mark.parametrize(
    "code", [0x00, 0x1B, 0x7F, 0x85, 0xAD, 0x200B, 0x202E, 0x2066, 0x2028, 0x206A, 0xFEFF, 0xFFFE, 0xE0041]
)
def test_what_nobody_sees_becomes_a_space(code: int) -> None:
    """Controls, marks of direction, characters without width and tags part words and are gone at the ends."""
    assert visible(f"{chr(code)}a{chr(code)}{chr(code)}b{chr(code)}") == "a b"


@pytest.mark.parametrize("text", ["می\u200cخواهم", "👩\u200d💻", "naïve café", "❤\ufe0f"])
def test_what_scripts_and_emoji_need_stays(text: str) -> None:
    """Joiners and variation selectors are part of words and pictures."""
    assert visible(text) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (9999.5, "9999.5"),
        (9999.96, "10\u202f000.0"),
        (16485.91, "16\u202f485.9"),
        (1234567.0, "1\u202f234\u202f567.0"),
        (-12345.0, "\u221212\u202f345.0"),
        (None, "\u2014"),
    ],
)
def test_thousands_are_parted_from_ten_thousand_on(value: float | None, text: str) -> None:
    """A narrow space parts the thousands of long numbers; a missing one is a dash."""
    assert formats.number(value, 1) == text


@pytest.mark.parametrize(
    ("text", "limit", "short"),
    [
        ("short enough", 12, "short enough"),
        ("cut between words", 14, "cut between…"),
        ("x" * 30, 10, "x" * 9 + "…"),
    ],
)
def test_a_long_text_keeps_whole_words(text: str, limit: int, short: str) -> None:
    """What is left fits its place, and no word is broken unless there is only one."""
    assert formats.shortened(text, limit) == short
    assert len(short) <= limit


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (4.0, "4"),
        (0.00005, "0.00005"),
        (100000.5, "100001"),
        (0.001953125, "0.00195313"),
        (1234567.0, "1234570"),
        (-2.5, "-2.5"),
        (0.99999999, "1"),
    ],
)
def test_a_weight_has_six_digits_and_no_exponent(value: float, text: str) -> None:
    """Halves are rounded away from zero, and zeros at the end say nothing."""
    assert formats.weight(value) == text


@pytest.mark.parametrize("text", ["=1+1", " -2", "@x", "a;=b", "'+1", "\t=1", "\uff1d1", "|x", "%y"])
def test_no_cell_begins_a_formula(text: str) -> None:
    """A sign with which a spreadsheet would begin to compute has an apostrophe before it."""
    assert "'" in formats.not_formula(text)
