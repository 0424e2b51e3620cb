"""A value of JSON and where it is: keys that must be there, values that must be of a kind.

The readers of published datasets and of other tools' logs walk their documents with it. Its errors name the
place (``data[0].paragraphs[3].qas[1].question``).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from evaluator.data.tasks import FieldError, is_text, show


def wrong(field: str, value: Any, problem: str, fix: str, where: str = "") -> FieldError:
    """The error for a value, which is shown unless it is None."""
    shown = "" if value is None else f"{show(value)} "
    return FieldError(field, value, f"{shown}{problem}", fix, where)


def finite(field: str, value: Any, where: str = "") -> float:
    """A finite number, which no bool is. Raises `FieldError`."""
    fix = "run the evaluation again, or leave this metric or task out"
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise _not_a(field, value, "a number", fix, where)
    try:
        found = float(value)
    except OverflowError:
        found = math.inf
    if not math.isfinite(found):
        raise wrong(field, value, "is not a finite number", fix, where)
    return found


@dataclass(frozen=True)
class Node:
    """A value that should be a JSON object or list, or a TSV row by the names of its header.

    `place` says where in the row or document it is; it is empty for the whole of it. `where` is the file, for
    messages. The methods raise `FieldError`.
    """

    value: Any
    place: str = ""
    where: str = ""

    def path(self, key: str) -> str:
        """The place of the value under `key`."""
        return f"{self.place}.{key}" if self.place else key

    def wrong(self, key: str, problem: str, fix: str) -> FieldError:
        """The error for the value under `key`."""
        return wrong(self.path(key), self.get(key), problem, fix, self.where)

    def get(self, key: str) -> Any:
        """The value under `key`, None where there is none."""
        if not isinstance(self.value, dict):
            raise _not_a(self.place or "row", self.value, "an object", "give an object, in { }", self.where)
        return self.value.get(key)

    def has(self, key: str) -> bool:
        """Whether the value under `key` is there and not null."""
        return self.get(key) is not None

    def at(self, key: str) -> Any:
        """The value under `key`, which must be there."""
        if self.get(key) is None and key not in self.value:
            fix = "add it, or choose the format that the file is in"
            problem = f"missing: the row lacks the key {show(key)}"
            raise FieldError(self.path(key), None, problem, fix, self.where)
        return self.value[key]

    def text(self, key: str) -> str:
        """The string under `key`; it may be empty."""
        return self.child(key).as_text()

    def name(self, key: str) -> str | int:
        """The id under `key`: a string that is not empty, or a whole number."""
        value = self.at(key)
        if isinstance(value, bool) or not isinstance(value, (str, int)) or value == "":
            raise _not_a(self.path(key), value, "an id", "give a string or a whole number", self.where)
        return value if isinstance(value, int) else self.text(key)

    def flag(self, key: str) -> bool:
        """The true or false under `key`; false where there is no such key."""
        value = self.at(key) if self.has(key) else False
        if not isinstance(value, bool):
            fix = "give true or false without quotes"
            raise _not_a(self.path(key), value, "true or false", fix, self.where)
        return value

    def number(self, key: str) -> float:
        """The finite number under `key`."""
        return finite(self.path(key), self.at(key), self.where)

    def count(self, key: str) -> int:
        """The whole number under `key`, which is not negative."""
        value = self.at(key)
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**53:
            raise _not_a(self.path(key), value, "a count", "give a whole number from 0", self.where)
        return value

    def child(self, key: str) -> Node:
        """The value under `key`, which must be there."""
        return Node(self.at(key), self.path(key), self.where)

    def part(self, key: str) -> Node:
        """The object under `key`, an empty one where there is none."""
        found = Node({} if self.get(key) is None else self.value[key], self.path(key), self.where)
        found.get("")
        return found

    def entries(self, key: str) -> list[Node]:
        """The entries of the list under `key`."""
        return self.child(key).items()

    def texts(self, key: str) -> tuple[str, ...]:
        """The strings of the list under `key`."""
        return tuple(entry.as_text() for entry in self.entries(key))

    def tags(self, *keys: str) -> dict[str, str]:
        """Tags by the names of those `keys` that hold a text; an absent one or null is no tag."""
        return {key: self.text(key) for key in keys if self.has(key)}

    def items(self) -> list[Node]:
        """The entries of a value that is a list itself."""
        if not isinstance(self.value, list):
            raise _not_a(self.place or "document", self.value, "a list", "give a list, in [ ]", self.where)
        return [Node(entry, f"{self.place}[{number}]", self.where) for number, entry in enumerate(self.value)]

    def as_text(self) -> str:
        """The value itself as a string."""
        if not isinstance(self.value, str):
            raise _not_a(self.place, self.value, "a string", "give the text as a string", self.where)
        if not is_text(self.value):
            problem = "has half a surrogate pair, which is not text"
            raise wrong(self.place, self.value, problem, "give valid Unicode", self.where)
        return self.value


def _not_a(field: str, value: Any, expected: str, fix: str, where: str) -> FieldError:
    subject = "null " if value is None else ""
    return wrong(field, value, f"{subject}is not {expected}", fix, where)
