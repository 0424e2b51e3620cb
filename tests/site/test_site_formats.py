"""Numbers and texts as people read them; tests/javascript compares them with those of the scripts."""

from __future__ import annotations

import pytest

from site_src.generator.views import formats


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
    ("nanoseconds", "text"),
    [(2.4e6, "2.40 ms"), (240e6, "240 ms"), (61e3, "61.0 µs"), (1.5e12, "1500 s"), (7, "7 ns")],
)
def test_durations_keep_three_digits(nanoseconds: float, text: str) -> None:
    """A duration has three significant digits in a unit that fits."""
    assert formats.duration(nanoseconds) == text


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
    ("text", "link"),
    [
        ("https://example.org/a", True),
        ("http://example.org/", False),
        ("javascript:alert(1)", False),
        ("HTTPS://example.org", False),
        ("https://example.org/ and more", False),
    ],
)
def test_only_https_addresses_are_links(text: str, link: bool) -> None:
    """Anything else in place of a link is shown as plain text."""
    assert formats.is_link(text) is link
