"""Texts no model may choke on, and examples made of them."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

NASTY = (
    "",
    " ",
    " \t \u00a0\u3000 ",
    "\n",
    "Two lines,\r\nthe second one bad.",
    "?",
    "...",
    "a",
    "before\x00after",
    "bell \x07 escape \x1b[31m delete \x7f",
    "Das Frühstück war köstlich, ça va très bien, żółć!",
    "この映画は本当に素晴らしかったです。",
    "الخدمة كانت سيئة للغاية",
    "mixed \u202eright to left\u202c and back",
    "cafe\u0301 with a combining accent, zero\u200bwidth space",
    "\ufeffstarts with a byte order mark",
    "loved it 😍👍🏽 the 👩‍👩‍👧 too 🇸🇪",
    "𝖒𝖆𝖙𝖍 letters beyond the basic plane",
    "<b>Great</b> &amp; <script>alert('no')</script>",
    "She said \"never again\", \\ and 'left', 100% sure.",
    "tab\tseparated\tlooking, comma, separated",
    '{"label": "positive"}',
    "null",
    "NaN",
    "-0.0",
    "word" * 5000,
    "not bad at all , " * 2000,
    "!" * 10000,
)


def mock_maker(*fields: str) -> Callable[[int], list[dict[str, Any]]]:
    """A task's `mock_examples`: valid examples with these fields, as many as there are nasty texts and ten.

    The same seed gives the same examples. Every field holds every nasty text once, in an order of its
    own, so that empty meets long and right-to-left meets left-to-right.
    """

    def mock_examples(seed: int) -> list[dict[str, Any]]:
        rng = random.Random(seed)
        columns = [_shuffled(rng) for _ in fields]
        return [dict(zip(fields, texts, strict=True)) for texts in zip(*columns, strict=True)]

    return mock_examples


def _shuffled(rng: random.Random) -> list[str]:
    texts = [*NASTY, *(_random_text(rng) for _ in range(10))]
    rng.shuffle(texts)
    return texts


def _random_text(rng: random.Random) -> str:
    """Up to 200 characters from anywhere in Unicode, surrogates left out: they are not text."""
    points = (rng.randrange(0x110000) for _ in range(rng.randrange(200)))
    return "".join(chr(point) for point in points if not 0xD800 <= point <= 0xDFFF)
