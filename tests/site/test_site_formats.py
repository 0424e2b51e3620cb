"""Numbers and texts as people read them; tests/javascript compares them with those of the scripts."""

from __future__ import annotations

import pytest

from site_src.generator import formats


@pytest.mark.parametrize(
    ("nanoseconds", "text"),
    [(2.4e6, "2.40 ms"), (240e6, "240 ms"), (61e3, "61.0 µs"), (1.5e12, "1500 s"), (7, "7 ns")],
)
def test_durations_keep_three_digits(nanoseconds: float, text: str) -> None:
    """A duration has three significant digits in a unit that fits."""
    assert formats.duration(nanoseconds) == text


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
