"""Files cut into rows, each with the physical line it starts on; nothing is interpreted yet.

A row that cannot be cut is a `BadRow`, so that a caller can count it and go on. Blank lines at the
end of a file are no rows; anywhere else they are bad ones. Bytes that are not UTF-8 reach here as lone
surrogates (the ``surrogateescape`` handler of PEP 383), which valid UTF-8 never decodes to.
"""

from __future__ import annotations

import csv
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from evaluator.plain_text import FileText
from evaluator.tasks import FieldError, show

if TYPE_CHECKING:
    from _csv import Reader


class FileRow(NamedTuple):
    """`cells` is a list of strings, for JSON lines an object, for plain lines a string.

    `line` counts from 1.
    """

    line: int
    cells: Any


@dataclass(frozen=True)
class BadRow:
    """A row that cannot be used: what is there, what is wrong with it, and how to fix it.

    `text` is the value that is wrong, of `field`, or None where there is nothing to show.
    """

    line: int
    text: Any
    problem: str
    fix: str
    field: str = "row"

    @property
    def error(self) -> FieldError:
        """The same as an error that still lacks its file and line."""
        shown = "" if self.text is None else f"{show(self.text)} "
        return FieldError(self.field, self.text, f"{shown}{self.problem}", self.fix)


#: Called with how many more rows have been read.
Watch = Callable[[int], None]
#: After how many rows it is called again.
WATCHED = 10_000
#: How many rows of CSV are read at a time.
BLOCK = 1_000
AnyRow = TypeVar("AnyRow")


def watched(rows: Iterable[AnyRow], watch: Watch | None) -> Iterator[AnyRow]:
    """The rows, and `watch` called as they are taken."""
    for number, row in enumerate(rows, start=1):
        yield row
        if watch is not None and number % WATCHED == 0:
            watch(WATCHED)


def cut(text: FileText, form: str) -> Iterator[FileRow | BadRow]:
    """The rows of a file; `form` is ``tsv``, ``csv``, ``jsonl`` or ``lines``, of one string each."""
    by_line = {"tsv": _tsv_row, "jsonl": _json_row, "lines": FileRow}
    rows = _csv(text) if form == "csv" else _by_line(text, by_line[form])
    blank: list[FileRow | BadRow] = []
    for row in rows:
        if _is_blank(row):
            blank.append(row)
            continue
        if blank:
            yield from blank
            blank.clear()
        yield row


BLANK = "is blank"


def _is_blank(row: FileRow | BadRow) -> bool:
    return isinstance(row, BadRow) and row.problem == BLANK


def _blank(line: int) -> BadRow:
    return BadRow(line, "", BLANK, "delete the line")


def _not_utf8(text: str) -> bool:
    return not text.isascii() and any("\udc80" <= char <= "\udcff" for char in text)


def _bad_bytes(line: int, text: str) -> BadRow:
    return BadRow(line, text, "has bytes that are not UTF-8", "save the file as UTF-8")


def _by_line(text: FileText, row: Callable[[int, str], FileRow | BadRow]) -> Iterator[FileRow | BadRow]:
    """Lines end at a newline only: U+2028, form feed and the like are data."""
    for number, whole in enumerate(text.lines(), start=1):
        line = whole.removesuffix("\n").removesuffix("\r")
        if not line:
            yield _blank(number)
        elif _not_utf8(line):
            yield _bad_bytes(number, line)
        else:
            yield row(number, line)


def _tsv_row(number: int, line: str) -> FileRow:
    """Tab-separated values have no quoting: a quote character is data."""
    return FileRow(number, line.split("\t"))


def parse_json(text: str) -> Any:
    """The value of a JSON text; `ValueError`, whose message says what it is not, if it has none.

    An object that has a key twice is refused: it is unknown which of the two is meant.
    """
    try:
        return _decode(text)
    except _RepeatedKeyError:
        raise
    except (ValueError, RecursionError) as error:
        raise ValueError(f"is not JSON ({error})") from None


class _RepeatedKeyError(ValueError):
    """An object has a key twice."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        [(repeated, _)] = Counter(key for key, _ in pairs).most_common(1)
        raise _RepeatedKeyError(f"has the key {show(repeated)} twice in one object")
    return found


_decode = json.JSONDecoder(object_pairs_hook=_object).decode


_decode_start = json.JSONDecoder().raw_decode


def _plain_object(line: str) -> dict[str, Any] | None:
    """The object of a line that is nothing else, and has no key twice; None if that takes a closer look.

    Every key is followed by a colon. So if there are no more colons than keys, of the object and of those in
    it, no key was lost to another of its name.
    """
    try:
        found, end = _decode_start(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or end < len(line):
        return None
    keys = len(found)
    for value in found.values():
        if isinstance(value, dict):
            keys += len(value)
    return found if line.count(":") == keys else None


def _json_row(number: int, line: str) -> FileRow | BadRow:
    if plain := _plain_object(line):
        return FileRow(number, plain)
    try:
        cells = parse_json(line)
    except ValueError as error:
        return BadRow(number, line, str(error), "write one JSON object a line, with each key once")
    if not isinstance(cells, dict):
        return BadRow(number, line, "is not a JSON object", "write one JSON object a line")
    return FileRow(number, cells)


def _csv(text: FileText) -> Iterator[FileRow | BadRow]:
    """Comma-separated values as the csv module reads them; strict, so an open quote is an error."""
    reader = csv.reader(text.lines(newline=""), strict=True)
    while rows := _csv_block(reader):
        yield from rows


def _csv_block(reader: Reader) -> list[FileRow | BadRow]:
    """The next rows, whose cells may be of any length: the csv module has one limit for the whole process."""
    rows: list[FileRow | BadRow] = []
    before = csv.field_size_limit(sys.maxsize)
    try:
        while len(rows) < BLOCK:
            line = reader.line_num + 1
            try:
                rows.append(_csv_row(line, next(reader)))
            except csv.Error as error:
                fix = "quote the field and double the quotes in it"
                rows.append(BadRow(line, "", f"is not CSV ({error})", fix))
    except StopIteration:
        pass
    finally:
        csv.field_size_limit(before)
    return rows


def _csv_row(line: int, cells: list[str]) -> FileRow | BadRow:
    if not cells:
        return _blank(line)
    if _not_utf8("".join(cells)):
        return _bad_bytes(line, ",".join(cells))
    return FileRow(line, cells)
