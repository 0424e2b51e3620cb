"""Numbers as people write them: 85.3 %, 1,234.5, 0,85, 12 ms, 71.2 ± 0.4, n/a, yes.

Whether a comma is a decimal point or stands between thousands is decided once for a whole table: one file is
written by one program in one country. What could be either is reported, never guessed from sizes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from evaluator.rank.dynascore import LARGEST

#: What a cell may say in place of a number, in any case.
MISSING = frozenset(
    (
        *(
            "",
            "-",
            "–",
            "—",
            "--",
            "n/a",
            "na",
            "n.a.",
            "nan",
            "<na>",
            "none",
            "null",
            "nil",
            "?",
            "tbd",
            ".",
        ),
        *("tbd", "tba", "missing", "not run", "not available", "not reported", "unknown", "#n/a"),
    )
)
#: Words for right and wrong.
RIGHT = frozenset(["true", "yes", "y", "correct", "right", "pass", "passed", "success", "resolved", "✓", "✔"])
WRONG = frozenset(["false", "no", "n", "incorrect", "wrong", "fail", "failed", "failure", "unresolved", "✗"])
#: Units that may stand behind a number.
UNITS = {
    "%",
    "ms",
    "s",
    "sec",
    "min",
    "h",
    "us",
    "µs",
    "usd",
    "eur",
    "$",
    "€",
    "kb",
    "mb",
    "gb",
    "gib",
    "mib",
}
UNITS |= {"tok/s", "tokens/s", "tokens", "x"}

_PLAIN = r"[-+]?(?:\d[\d.,'’ \u00a0\u202f_]*|[.,]\d+)(?:[eE][-+]?\d+)?"
_NUMBER = re.compile(rf"([$€£]?)\s*({_PLAIN})\s*([^\s\d.,()±][^\d()±]*)?")
_SPREAD = re.compile(r"(.+?)\s*(?:±|\+/-|\+-|\\pm)\s*(.+)|(.+?)\s*\(\s*±?\s*([-+.,\d]+)\s*%?\s*\)")
_THOUSANDS = {
    ",": re.compile(r"[-+]?\d{1,3}(?:,\d{3})+(?:\.\d+)?"),
    ".": re.compile(r"[-+]?\d{1,3}(?:\.\d{3})+(?:,\d+)?"),
}

Decimal = Literal[".", ","]


@dataclass(frozen=True)
class Style:
    """Which mark is the decimal point of a table; `unsure` is a cell that could be read in either way."""

    decimal: Decimal = "."
    unsure: tuple[str, str, str] | None = None


@dataclass(frozen=True)
class Numbers:
    """A column as numbers, NaN where one is missing or `bad` says that the cell is none.

    `unit` is what stands behind every number, "" for nothing. `spread` are the numbers after ±, if there are
    some; `words` says that the column has words for right and wrong.
    """

    values: NDArray[np.float64]
    bad: NDArray[np.bool_]
    unit: str = ""
    spread: NDArray[np.float64] | None = None
    words: bool = False

    @property
    def known(self) -> NDArray[np.float64]:
        """The numbers that are there."""
        return self.values[~np.isnan(self.values)]


def style_of(frame: pd.DataFrame, delimiter: str) -> Style:
    """How the table's numbers are written. ValueError, with both cells, where two ways are mixed."""
    comma = point = either = None
    cells = {name: frame[name].tolist() for name in frame.columns}
    if not any("," in cell for column in cells.values() for cell in column if isinstance(cell, str)):
        return Style(".")
    for name, column in cells.items():
        for place, cell in zip(frame.index, column, strict=True):
            if not isinstance(cell, str) or ("," not in cell and "." not in cell):
                continue
            text = cell.strip().rstrip("%").strip().replace("−", "-")
            if not re.fullmatch(r"[-+]?[\d.,]+(?:[eE][-+]?\d+)?", text):
                continue
            seen = (str(place), str(name), cell)
            if _THOUSANDS[","].fullmatch(text):
                if "." in text:
                    point = point or seen
                elif text.lstrip("-+").startswith("0,"):
                    comma = comma or seen
                else:
                    either = either or seen
            elif (_THOUSANDS["."].fullmatch(text) and "," in text) or re.fullmatch(r"[-+]?\d*,\d+", text):
                comma = comma or seen
            elif re.fullmatch(r"[-+]?\d*\.\d+(?:[eE][-+]?\d+)?", text):
                is_thousands = delimiter == ";" and _THOUSANDS["."].fullmatch(text)
                point = point if is_thousands else point or seen
    if comma and point:
        first, second = sorted([comma, point])
        raise ValueError(
            f"{first[0]}: {first[1]}: {first[2]!r} and {second[0]}: {second[1]}: {second[2]!r} have different"
            " decimal points; write all numbers in one way"
        )
    if comma or (delimiter == ";" and either and not point):
        return Style(",", either if not comma else None)
    return Style(".")


def numbers(cells: pd.Series[Any], style: Style, missing: Iterable[str] = ()) -> Numbers:
    """A column's cells as numbers; `missing` are further texts that say that there is none."""
    gone = MISSING | {one.strip().lower() for one in missing}
    codes, different = pd.factorize(_texts(cells), use_na_sentinel=True)
    marks = {mark for one in missing if (mark := _plain(one, style.decimal)) is not None}
    read = [_number(text, style.decimal, gone) for text in different]
    # -1 as a mark of a missing number is so as -1.0 too.
    read = [_Cell(None) if one.value in marks else one for one in read]
    read.append(_Cell(None))
    is_word = {text.strip().lower() in RIGHT | WRONG for text in different if not _is_gone(text, gone)}
    if is_word == {True}:
        read = [_Cell(_truth(text, gone)) for text in different] + [_Cell(None)]
    values = np.array([np.nan if one.value is None else one.value for one in read])[codes]
    bad = np.array([one.bad for one in read])[codes]
    units = {one.unit for one in read if one.value is not None}
    if len(units) > 1:
        # 12 ms and 3 s are not one column of numbers, unless a % is left out now and then.
        odd = np.array([one.unit not in ("", "%") for one in read])[codes]
        bad = bad | odd
    unit = units.pop() if len(units) == 1 else ("%" if units == {"", "%"} else "")
    spreads = np.array([np.nan if one.spread is None else one.spread for one in read])[codes]
    spread = None if np.isnan(spreads).all() else spreads
    return Numbers(values, bad, unit, spread, is_word == {True})


@dataclass(frozen=True)
class _Cell:
    value: float | None
    unit: str = ""
    spread: float | None = None
    bad: bool = False


def _texts(cells: pd.Series[Any]) -> pd.Series[Any]:
    """The cells as texts; what is no cell, or null, is None."""
    kinds: Mapping[bool, str] = {True: "true", False: "false"}

    def text(cell: Any) -> str | None:
        if isinstance(cell, str):
            return cell
        if cell is None or cell is pd.NA or cell != cell:
            return None
        return kinds[bool(cell)] if isinstance(cell, bool | np.bool_) else str(cell)

    return pd.Series([text(cell) for cell in cells.tolist()], index=cells.index, dtype=object)


def _is_gone(text: str, gone: Iterable[str]) -> bool:
    return text.strip().strip("*_` ").lower() in gone or text.strip().lower() in gone


def _truth(text: str, gone: Iterable[str]) -> float | None:
    return None if _is_gone(text, gone) else float(text.strip().lower() in RIGHT)


def _number(text: str, decimal: Decimal, gone: Iterable[str]) -> _Cell:
    if _is_gone(text, gone):
        return _Cell(None)
    bare = text.strip().strip("*_` ").replace("−", "-")
    spread = None
    if pair := _SPREAD.fullmatch(bare):
        bare = pair[1] or pair[3]
        spread = _plain((pair[2] or pair[4]).strip().rstrip("% "), decimal)
        if spread is None:
            return _Cell(None, bad=True)
    found = _NUMBER.fullmatch(bare.strip())
    value = _plain(found[2], decimal) if found else None
    unit = ((found[3] or found[1] or "").strip() if found else "") or ""
    if value is None or (unit and unit.lower() not in UNITS):
        return _Cell(None, bad=True)
    return _Cell(value, unit, spread)


def _plain(text: str, decimal: Decimal) -> float | None:
    """A number without unit; None for what is none, or is not finite."""
    text = text.strip()
    other = "," if decimal == "." else "."
    if other in text:
        if not _THOUSANDS[other].fullmatch(text):
            return None
        text = text.replace(other, "")
    text = re.sub(r"(?<=\d)['’ \u00a0\u202f](?=\d{3}(?:\D|$))", "", text).replace(decimal, ".")
    try:
        value = float(text) if "_" not in text else None
    except ValueError:
        return None
    return value if value is not None and abs(value) <= LARGEST else None
