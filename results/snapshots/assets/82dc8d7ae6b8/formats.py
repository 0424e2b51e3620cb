"""Numbers, names and lists as people read them: the words of pages and of exports are made with these.

Standard library only. `assets/base/formats.js` writes the same numbers, and `assets/base/models.js` shortens
names alike: nothing else of this room is in two languages.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

MINUS = "\u2212"
MISSING = "\u2014"
NARROW_SPACE = "\u202f"
#: From here on a narrow space parts the thousands.
GROUPED = 10_000
#: Significant digits of a weight.
DIGITS = 6

#: Control characters, marks that turn the direction of all text after them, characters without width, line
#: separators, byte-order marks and tags. The joiners U+200C and U+200D stay: scripts and emoji are written
#: with them.
_INVISIBLE = re.compile(
    "[\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u180e\\u200b\\u200e\\u200f\\u2028-\\u202e"
    "\\u2060-\\u206f\\ufeff\\ufff0-\\ufffb\\ufffe\\uffff\\U000e0000-\\U000e007f]"
)
# Where a cell may begin: at the start of a text, and after a semicolon where these part cells. A formula or a
# command would begin there with a sign (a small or full-width one, too), after quotes, separators or spaces,
# which some programs skip.
_SIGNS = r"=+\-@|%\u2212\ufe62\ufe63\ufe66\ufe6a\ufe6b\uff05\uff0b\uff0d\uff1d\uff20\uff5c"
_FORMULA = re.compile(rf"""(?:^|(?<=;))(?=[ "'`,;|]*[{_SIGNS}])""")


def fixed(value: float, decimals: int = 2) -> str:
    """The plain digits of a finite number as other programs read them, halves rounded away from zero."""
    # Exact, as `toFixed` of scripts is.
    above, below = abs(value).as_integer_ratio()
    whole = (2 * above * 10**decimals + below) // (2 * below)
    digits = str(whole).zfill(decimals + 1)
    text = f"{digits[:-decimals]}.{digits[-decimals:]}" if decimals else digits
    return f"-{text}" if value < 0 else text


def number(value: float | None, decimals: int = 2) -> str:
    """A number with fixed decimals, halves rounded away from zero; a dash where it is missing."""
    if value is None:
        return MISSING
    text = fixed(value, decimals)
    sign, (whole, *fraction) = (MINUS if value < 0 else ""), text.removeprefix("-").split(".")
    grouped = f"{int(whole):,}".replace(",", NARROW_SPACE) if int(whole) >= GROUPED else whole
    return sign + ".".join([grouped, *fraction])


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
    return number(value, next((d for bound, d in ((100, 1), (0.1, 3), (0.01, 4)) if abs(value) >= bound), 5))


def percent(share: float, decimals: int = 1) -> str:
    """A share in [0, 1] in per cent."""
    return f"{number(share * 100, decimals)} %"


def weight(value: float) -> str:
    """A weight to six significant digits, in plain decimals without needless zeros."""
    if not value:
        return "0"
    decimals = DIGITS - 1 - int(f"{value:e}".partition("e")[2])
    above, below = abs(value).as_integer_ratio()
    scale = 10 ** abs(decimals)
    above, below = (above * scale, below) if decimals >= 0 else (above, below * scale)
    whole = (2 * above + below) // (2 * below)
    digits = str(whole * 10**-decimals) if decimals < 0 else str(whole).zfill(decimals + 1)
    point = len(digits) - max(decimals, 0)
    text = f"{digits[:point]}.{digits[point:]}".rstrip("0").rstrip(".") if decimals > 0 else digits
    return f"-{text}" if value < 0 else text


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


def isolated(name: str) -> str:
    """A name within a sentence, which keeps its own direction whichever way the name is written."""
    return f"\u2068{name}\u2069"


def top_three(leading: Sequence[str]) -> str:
    """Who leads any ranking, of up to three; nothing without any."""
    return f"Top three: {', '.join(leading)}" if leading else ""


def visible(text: str) -> str:
    """`text` on one line, with one space in place of every run of spaces and invisible characters."""
    return " ".join(_INVISIBLE.sub(" ", text).split())


def escaped_invisible(text: str) -> str:
    """JSON with its invisible characters as escapes; line feeds are part of its layout."""

    def escape(found: re.Match[str]) -> str:
        code = ord(found[0])
        if code > 0xFFFF:
            high, low = divmod(code - 0x10000, 0x400)
            return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"
        return "\n" if code == 10 else f"\\u{code:04x}"

    return _INVISIBLE.sub(escape, text)


def not_formula(text: str) -> str:
    """One line of text that no spreadsheet takes for a formula."""
    return _FORMULA.sub("'", visible(text))
