"""Numbers and data as people read them. `assets/base/formats.js` says the same in the browser."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Context, Decimal

from markupsafe import Markup

from evaluator.records.canonical import digest

MINUS = "\u2212"
MISSING = "\u2014"
NARROW_SPACE = "\u202f"
GROUPED = 10_000
#: More digits than any float has before and after its decimal point.
_EXACT = Context(prec=2000)
#: Rounds as the browser's `toExponential` does, on the exact value.
_WEIGHT = Context(prec=6, rounding=ROUND_HALF_UP)
#: Characters that fit in any box that scrolls when its text does not fit.
LONG = 300
#: Characters of a snapshot's id as lists show it, which is as much as the oldest ids have.
SHORT_ID = len("20261121T233557Z-12f2aab1")


def number(value: float | None, decimals: int = 2) -> str:
    """A number with fixed decimals, halves rounded away from zero; a dash where it is missing.

    From 10,000 on a narrow space parts the thousands.
    """
    if value is None:
        return MISSING
    # Zero has no sign, even if it was rounded from a negative number.
    exact = Decimal(value or 0).quantize(_step(decimals), ROUND_HALF_UP, _EXACT)
    text = f"{exact:,f}" if abs(exact) >= GROUPED else f"{exact:f}"
    return text.replace(",", NARROW_SPACE).replace("-", MINUS)


@functools.cache
def _step(decimals: int) -> Decimal:
    return Decimal(1).scaleb(-decimals)


def signed(value: float, decimals: int = 2) -> str:
    """A number with its sign in front, plus included."""
    text = number(value, decimals)
    return text if text.startswith(MINUS) else f"+{text}"


def significant(value: float | None) -> str:
    """A number with about three significant digits, for rates whose size nobody knows beforehand."""
    if value is None:
        return MISSING
    if value == 0:
        return "0"
    decimals = next((d for bound, d in ((100, 1), (0.1, 3), (0.01, 4)) if abs(value) >= bound), 5)
    return number(value, decimals)


def percent(share: float, decimals: int = 1) -> str:
    """A share in [0, 1] in per cent."""
    return f"{number(share * 100, decimals)} %"


def weight(value: float) -> str:
    """A weight to six significant digits, in plain decimals without needless zeros."""
    text = f"{_WEIGHT.create_decimal(value or 0):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def duration(nanoseconds: float) -> str:
    """A duration in the unit that keeps it between 1 and 1,000."""
    for unit, size in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if nanoseconds >= size:
            count = nanoseconds / size
            # The alternative form keeps the zeros of 2.40, and a point behind 240 that says nothing.
            text = f"{count:#.3g}".rstrip(".") if count < 1000 else number(count, 0)
            return f"{text} {unit}"
    return f"{nanoseconds:.0f} ns"


def count(value: int) -> str:
    """A whole number."""
    return number(value, 0)


def counted(value: int, one: str) -> str:
    """A number of things: ``1 example``, ``720 examples``."""
    return f"{count(value)} {one}{'' if value == 1 else 's'}"


def listed(names: Sequence[str], more: int = 0) -> str:
    """Names in a sentence, and how many are not among them: ``a, b and 3 more``."""
    items = [*names, f"{count(more)} more"] if more > 0 else list(names)
    return " and ".join([", ".join(items[:-1]), items[-1]] if len(items) > 1 else items)


def shortened(text: str, limit: int = 100) -> str:
    """The first words of a text that is too long for its place; a lone long word is cut."""
    if len(text) <= limit:
        return text
    start = text[: limit - 1]
    return (start[: start.rfind(" ")] if " " in start[limit // 2 :] else start).rstrip(" ") + "…"


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


def isolated(name: str) -> str:
    """A name within a sentence, which keeps its own direction whichever way the name is written."""
    return f"\u2068{name}\u2069"


def island(document: object) -> Markup:
    """JSON that is safe inside a script element, whatever names it holds."""
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)
