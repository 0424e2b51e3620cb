"""What is wrong with a value: its field, the value itself and the fix."""

from __future__ import annotations

import reprlib
from typing import Any

from evaluator.data.plain_text import is_text

_short = reprlib.Repr()
_short.maxstring = _short.maxother = _short.maxlong = 80
_short.maxlevel = 3


class FieldError(ValueError):
    """A value that is not accepted: `field`, `value` as shown to people, `problem` and `fix`."""

    def __init__(self, field: str, value: Any, problem: str, fix: str, where: str = "") -> None:
        self.field, self.value, self.problem, self.fix = field, show(value), problem, fix
        prefix = f"{where}: " if where else ""
        super().__init__(f"{prefix}{field}: {problem}; {fix}")


def show(value: Any) -> str:
    """`value` as Python writes it, cut to about 80 characters."""
    return _short.repr(value)


def wrong_type(field: str, value: Any, expected: str, fix: str, where: str = "") -> FieldError:
    """The error for a value that is not ``expected`` (for example ``a string``)."""
    name = type(value).__name__
    article = "an" if name[0] in "aeiou" else "a"
    return FieldError(field, value, f"{show(value)} is {article} {name}, not {expected}", fix, where)


def check_text(field: str, value: Any, where: str = "", fix: str = "give the text as a string") -> None:
    """Raise `FieldError` unless `value` is a string that can be written as UTF-8."""
    if not isinstance(value, str):
        raise wrong_type(field, value, "a string", fix, where)
    if not is_text(value):
        problem = f"{show(value)} has half a surrogate pair, which is not text"
        raise FieldError(field, value, problem, "give valid Unicode", where)
