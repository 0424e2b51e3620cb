"""Amounts as people write them, "100 MB" or "10 %", in the unit that a metric has."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Annotated

from pydantic import BeforeValidator

from evaluator.rank.dynascore import LARGEST, Trade

#: Units of one kind, each as a number of the smallest. As they are said, whatever the case.
SIZES = {"B": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
SIZES |= {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}
TIMES = {"ns": 1, "us": 10**3, "µs": 10**3, "ms": 10**6, "s": 10**9, "min": 60 * 10**9, "h": 3600 * 10**9}
KINDS: tuple[Mapping[str, int], ...] = (SIZES, TIMES)
#: What a metric in per cent is counted in: "2 %" of it would be two hundredths of its value.
POINTS = ("point", "points")

_AMOUNT = re.compile(r"\s*([0-9.,]+(?:e[+-]?\d{1,2})?)\s*(.*?)\s*", re.IGNORECASE | re.DOTALL)


def amount(given: float | str, unit: str | None) -> float | str:
    """How much of a metric is meant: a number of its units, or per cent of its value as "10 %".

    `unit` is the metric's, None or "" where it has none. Raises ValueError that says what would do.
    """
    if isinstance(given, (int, float)):
        return _above_zero(float(given), given)
    found = _AMOUNT.fullmatch(given)
    number = _number(found[1]) if found else None
    if found is None or number is None:
        raise ValueError(f"{given!r} is no amount; {_wanted(unit)}")
    said = found[2]
    if said == "%":
        return Trade(float(_above_zero(float(number), given)), per_cent=True).plain
    factor = _factor(said, unit or "")
    if factor is None:
        raise ValueError(f"{given!r} is in {said!r}, the metric in {unit or 'no unit'}; {_wanted(unit)}")
    return _above_zero(float(number * factor), given)


def _number(text: str) -> Fraction | None:
    """Of a text with a decimal point; a comma may be one of either kind, so that it is none."""
    try:
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        return None


def _factor(said: str, unit: str) -> Fraction | None:
    """How many of the metric's units a unit is; None where that has no answer."""
    if said in ("", unit) or (unit == "%" and said.lower() in POINTS) or said.lower() == unit.lower():
        return Fraction(1)
    for kind in KINDS:
        sizes = {name.lower(): size for name, size in kind.items()}
        if {said.lower(), unit.lower()} <= sizes.keys():
            return Fraction(sizes[said.lower()], sizes[unit.lower()])
    return None


def _above_zero(number: float, given: float | str) -> float:
    if not 1 / LARGEST <= number <= LARGEST:
        raise ValueError(f"{given!r} is not above 0; give how much one unit of the base metric is worth")
    return number


def _wanted(unit: str | None) -> str:
    """What would do, with an example in the metric's unit."""
    kind = next((kind for kind in KINDS if (unit or "").lower() in map(str.lower, kind)), None)
    example = "2 points" if unit == "%" else f"0.5 {unit or ''}".strip()
    others = f" or in another of {', '.join(kind)}" if kind else ""
    return f'write it as "{example}"{others}, or as "10 %" of its value'


def _number_or_text(value: object) -> object:
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise ValueError('must be a number or a text such as "100 MB" or "10 %"')
    return float(value) if isinstance(value, int) else value


#: How much of a metric, as a file has it: a number of its units, or a text.
Amount = Annotated[float | str, BeforeValidator(_number_or_text)]
