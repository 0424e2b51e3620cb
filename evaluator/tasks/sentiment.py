"""Sentiment: is a statement negative, (neutral) or positive?"""

from __future__ import annotations

import random
from typing import Any

from evaluator.tasks.base import Task

LABEL_SETS = (("negative", "positive"), ("negative", "neutral", "positive"))

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


def mock_examples(seed: int) -> list[dict[str, Any]]:
    """Valid examples no model may choke on: a fixed nasty list and ten drawn from `seed`, shuffled."""
    rng = random.Random(seed)
    texts = [*NASTY, *(_random_text(rng) for _ in range(10))]
    rng.shuffle(texts)
    return [{"statement": text} for text in texts]


def _random_text(rng: random.Random) -> str:
    """Up to 200 characters from anywhere in Unicode, surrogates left out: they are not text."""
    points = (rng.randrange(0x110000) for _ in range(rng.randrange(200)))
    return "".join(chr(point) for point in points if not 0xD800 <= point <= 0xDFFF)


TASK = Task("sentiment", ("statement",), LABEL_SETS, mock_examples)
