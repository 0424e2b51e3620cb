"""Numbers and data as templates write them; those that words need too are in `evaluator.rank.formats`."""

from __future__ import annotations

import json
import re

from markupsafe import Markup

from evaluator.rank.formats import MISSING as MISSING
from evaluator.rank.formats import count as count
from evaluator.rank.formats import counted as counted
from evaluator.rank.formats import isolated as isolated
from evaluator.rank.formats import listed as listed
from evaluator.rank.formats import number as number
from evaluator.rank.formats import percent as percent
from evaluator.rank.formats import shortened as shortened
from evaluator.rank.formats import signed as signed
from evaluator.rank.formats import significant as significant
from evaluator.rank.formats import weight as weight
from evaluator.records.base import digest

#: Characters that fit in any box that scrolls when its text does not fit.
LONG = 300
#: Characters of a snapshot's id as lists show it, which is as much as the oldest ids have.
SHORT_ID = len("20261121T233557Z-12f2aab1")


def duration(nanoseconds: float) -> str:
    """A duration in the unit that keeps it between 1 and 1,000."""
    for unit, size in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if nanoseconds >= size:
            count = nanoseconds / size
            # The alternative form keeps the zeros of 2.40, and a point behind 240 that says nothing.
            text = f"{count:#.3g}".rstrip(".") if count < 1000 else number(count, 0)
            return f"{text} {unit}"
    return f"{nanoseconds:.0f} ns"


def decimals(unit: str) -> int:
    """Decimals of a number whose board does not say any."""
    return 2 if unit == "%" else 3


def short_hash(digest: str) -> str:
    """The first digits of a hash, enough to tell it from others on a page."""
    return digest.removeprefix("sha256:")[:12]


def short_id(snapshot: str) -> str:
    """The id of a snapshot where space is short: its time and eight digits, with a mark if there are more."""
    return snapshot if len(snapshot) <= SHORT_ID else f"{snapshot[:SHORT_ID]}…"


def is_link(text: str) -> bool:
    """Whether a text is an address that a page may lead to."""
    return text.startswith("https://") and not re.search(r"\s", text)


def is_long(text: str) -> bool:
    """Whether a text may be taller than its place, where it then scrolls and the keyboard must get to it."""
    return len(text) > LONG


def anchor(*names: str) -> str:
    """A place within a page that is about something with these names, whatever characters they hold."""
    return f"of-{short_hash(digest(list(names)))}"


def gigabytes(size: int) -> str:
    """Bytes in GB of 10**9."""
    return f"{number(size / 1e9, 3)} GB"


def moment(timestamp: str | None) -> str:
    """``2026-11-21T15:20:00Z`` as ``2026-11-21 15:20 UTC``."""
    if timestamp is None:
        return "no results yet"
    return f"{timestamp[:10]} {timestamp[11:16]} UTC"


def island(document: object) -> Markup:
    """JSON that is safe inside a script element, whatever names it holds."""
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)
