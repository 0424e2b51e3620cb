"""What may lead to a person: e-mail addresses and telephone numbers in a text."""

from __future__ import annotations

import re
from collections.abc import Iterator

#: The common core of addresses (RFC 5322 allows more, which nobody types).
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)*\.[^\W\d_]{2,}")
#: Digits with the signs that people group them by.
_DIGITS = re.compile(r"(?<![\w.])\+?\(?\d[\d\s()/.-]{5,}\d(?!\w)")
_DATE = re.compile(r"\d{4}[-./]\d\d?[-./]\d\d?|\d\d?[-./]\d\d?[-./]\d{4}")
_YEARS = re.compile(r"\d{4}\s?-\s?\d{4}")
#: How many digits a number has that can be dialled: a local one to the longest of E.164.
FEWEST, MOST = 7, 15


def personal(text: str) -> Iterator[tuple[str, str]]:
    """What was found: ``e-mail address`` or ``telephone number``, and the letters that are one."""
    for match in _EMAIL.finditer(text):
        yield "e-mail address", match.group()
    for match in _DIGITS.finditer(text):
        found = match.group().strip()
        digits = sum(char.isdigit() for char in found)
        is_time = _DATE.fullmatch(found) or _YEARS.fullmatch(found)
        if FEWEST <= digits <= MOST and not is_time:
            yield "telephone number", found
