"""On which line of a TOML file each of its values is, which `tomllib` does not tell.

The file is known to be valid, so only its structure is followed: tables, keys, lists and inline tables.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping

#: Where a value is: keys, and places in lists counted from 0.
FieldPlace = tuple[str | int, ...]

_TOKEN = re.compile(
    r"""(?P<skipped>[ \t\r]+|\#[^\n]*)|(?P<end>\n)|(?P<mark>[][{}=,.])
    |(?P<text>\"{3}(?:\\.|[^\\])*?\"{3,5}|'{3}.*?'{3,5}|"(?:\\.|[^"\\])*"|'[^']*')|(?P<word>[^][{}=,.\s\#"']+)""",
    re.VERBOSE | re.DOTALL,
)


def lines_of(text: str) -> dict[FieldPlace, int]:
    """The line, counted from 1, of every table, key and item of a valid TOML document."""
    return _Scan(text).lines


def line_at(place: FieldPlace, lines: Mapping[FieldPlace, int]) -> str:
    """``:12`` for a place on line 12, or in what is there; "" where neither has a line."""
    for end in range(len(place), 0, -1):
        if place[:end] in lines:
            return f":{lines[place[:end]]}"
    return ""


class _Scan:
    """Goes through the tokens once and writes down where it is."""

    def __init__(self, text: str) -> None:
        self.tokens = list(_tokens(text))
        self.at = 0
        self.lines: dict[FieldPlace, int] = {}
        self.tables = Counter[FieldPlace]()
        table: FieldPlace = ()
        while self.at < len(self.tokens):
            if self._is("\n"):
                self.at += 1
            elif self._is("["):
                table = self._header()
            else:
                self._pair(table)

    def _is(self, token: str) -> bool:
        return self.at < len(self.tokens) and self.tokens[self.at][0] == token

    def _note(self, place: FieldPlace) -> None:
        """Remember the current line for a place, unless it has one; tables may be mentioned again."""
        self.lines.setdefault(place, self.tokens[self.at][1])

    def _header(self) -> FieldPlace:
        """The table that ``[a.b]`` opens, or the item that ``[[a]]`` adds to a list."""
        self.at += 1
        listed = self._is("[")
        self.at += listed
        start, (*above, last) = self.at, self._keys()
        place: FieldPlace = ()
        for key in above:
            place = self._inside((*place, key))
        place = (*place, last)
        if listed:
            self.tables[place] += 1
        after, self.at = self.at + 1 + listed, start
        place = self._inside(place)
        self._note(place)
        self.at = after
        return place

    def _inside(self, place: FieldPlace) -> FieldPlace:
        """The item of a list of tables that keys are about now: its last."""
        return (*place, self.tables[place] - 1) if place in self.tables else place

    def _keys(self) -> list[str]:
        """The parts of a dotted key; the scan stands behind it."""
        keys: list[str] = []
        while not self._is("=") and not self._is("]"):
            token = self.tokens[self.at][0]
            if token != ".":
                keys.append(token[1:-1] if token[0] in "\"'" else token)
            self.at += 1
        return keys

    def _pair(self, table: FieldPlace) -> None:
        start, keys = self.at, self._keys()
        after, self.at = self.at + 1, start
        for end in range(1, len(keys) + 1):
            self._note((*table, *keys[:end]))
        self.at = after
        self._value((*table, *keys))

    def _value(self, place: FieldPlace) -> None:
        if self._is("["):
            self._list(place)
        elif self._is("{"):
            self._inline(place)
        else:
            # A number or a date is several tokens.
            while self.at < len(self.tokens) and self.tokens[self.at][0] not in (",", "]", "}", "\n"):
                self.at += 1

    def _list(self, place: FieldPlace) -> None:
        self.at, item = self.at + 1, 0
        while not self._is("]"):
            if self._is(",") or self._is("\n"):
                self.at += 1
                continue
            self._note((*place, item))
            self._value((*place, item))
            item += 1
        self.at += 1

    def _inline(self, place: FieldPlace) -> None:
        self.at += 1
        while not self._is("}"):
            if self._is(",") or self._is("\n"):
                self.at += 1
                continue
            self._pair(place)
        self.at += 1


def _tokens(text: str) -> Iterator[tuple[str, int]]:
    """What counts, each with its line: marks, ends of lines, words, and texts with their quotes."""
    line = 1
    for match in _TOKEN.finditer(text):
        if match.lastgroup != "skipped":
            yield match[0], line
        line += match[0].count("\n")
