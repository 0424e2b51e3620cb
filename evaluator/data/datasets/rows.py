"""Files cut into rows, each with the physical line it starts on; nothing is interpreted yet.

A row that cannot be cut is a `BadRow`, so that a caller can count it and go on. Blank lines at the
end of a file are no rows; anywhere else they are bad ones. Bytes that are not UTF-8 reach here as lone
surrogates (the ``surrogateescape`` handler of PEP 383), which valid UTF-8 never decodes to.
"""

from __future__ import annotations

import csv
import itertools
import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from pydantic_core import from_json

from evaluator.data.plain_text import FileText
from evaluator.data.tasks import FieldError, show

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


@dataclass(frozen=True)
class PlainRows:
    """Neighbouring rows that could be cut: the line each starts on, and its cells as `FileRow` has them."""

    lines: Sequence[int]
    cells: Sequence[Any]

    def __iter__(self) -> Iterator[FileRow]:
        return map(FileRow, self.lines, self.cells)

    def __len__(self) -> int:
        return len(self.lines)

    def __getitem__(self, part: slice) -> Self:
        return replace(self, lines=self.lines[part], cells=self.cells[part])


Block = PlainRows | list[FileRow | BadRow]
#: Called with how many more rows have been read.
Watch = Callable[[int], None]
#: How many rows are cut at a time.
BLOCK = 2_000


def cut(text: FileText, form: str) -> Iterator[FileRow | BadRow]:
    """The rows of a file; `form` is ``tsv``, ``csv``, ``jsonl`` or ``lines``, of one string each."""
    return itertools.chain.from_iterable(cut_blocks(text, form))


def cut_blocks(text: FileText, form: str) -> Iterator[Block]:
    """The same rows, many at a time: a block is looked at row by row only if anything in it is unusual."""
    by_line = {"tsv": _TSV, "jsonl": _JSONL, "lines": _LINES}
    blocks = _csv(text) if form == "csv" else _by_line(text, by_line[form])
    blank: list[FileRow | BadRow] = []
    for block in blocks:
        end = _end(block)
        if blank and end:
            yield blank
            blank = []
        blank += block[end:]
        if end:
            yield block[:end]


def _end(block: Block) -> int:
    """The number of rows before the blank ones at the end."""
    end = len(block)
    while end and isinstance(block, list) and _is_blank(block[end - 1]):
        end -= 1
    return end


BLANK = "is blank"


def _is_blank(row: FileRow | BadRow) -> bool:
    return isinstance(row, BadRow) and row.problem == BLANK


def _blank(line: int) -> BadRow:
    return BadRow(line, "", BLANK, "delete the line")


#: What bytes that are not UTF-8 are decoded to.
_ESCAPED = re.compile("[\udc80-\udcff]")


def _not_utf8(text: str) -> bool:
    return not text.isascii() and _ESCAPED.search(text) is not None


def _bad_bytes(line: int, text: str) -> BadRow:
    return BadRow(line, text, "has bytes that are not UTF-8", "save the file as UTF-8")


@dataclass(frozen=True)
class _Form:
    """How a line becomes a row: what is in many lines, None if they take a closer look, and in one."""

    cells: Callable[[list[str]], Sequence[Any] | None]
    row: Callable[[int, str], FileRow | BadRow]


def _by_line(text: FileText, form: _Form) -> Iterator[Block]:
    """Lines end at a newline only: U+2028, form feed and the like are data."""
    start, lines = 1, text.lines()
    while block := [line.removesuffix("\n").removesuffix("\r") for line in itertools.islice(lines, BLOCK)]:
        numbers = range(start, start + len(block))
        cells = form.cells(block) if all(block) and not _not_utf8("".join(block)) else None
        if cells is None:
            yield [_line_row(number, line, form) for number, line in zip(numbers, block, strict=True)]
        else:
            yield PlainRows(numbers, cells)
        start += len(block)


def _line_row(number: int, line: str, form: _Form) -> FileRow | BadRow:
    if not line:
        return _blank(number)
    return _bad_bytes(number, line) if _not_utf8(line) else form.row(number, line)


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


#: A colon that does not follow its key at once.
_APART = re.compile(r'"[ \t\r\n]+:')


def plain_json(texts: Sequence[str]) -> list[Any] | None:
    """The values of JSON texts, if each has one and nothing else; None if that takes a closer look.

    No object among them may have a key twice, of which only one would be left. Every key is followed by a
    colon. So if there are no more colons behind quotes than keys, of the objects and of those in them, none
    was lost.
    """
    try:
        values = list(map(from_json, texts))
    except ValueError:
        return None
    whole = "\n".join(texts)
    keys = _keys(values)
    if whole.count(":") == keys or (whole.count('":') == keys and not _APART.search(whole)):
        return values
    return None


def _keys(values: Sequence[Any]) -> int:
    """How many keys the objects among the values have, and those in them."""
    objects = [value for value in values if type(value) is dict]
    inner = [value for found in objects for value in found.values() if type(value) is dict]
    return sum(map(len, objects)) + sum(map(len, inner))


def _plain_objects(lines: Sequence[str]) -> list[Any] | None:
    values = plain_json(lines)
    return values if values is not None and set(map(type, values)) <= {dict} else None


def _json_row(number: int, line: str) -> FileRow | BadRow:
    try:
        cells = parse_json(line)
    except ValueError as error:
        return BadRow(number, line, str(error), "write one JSON object a line, with each key once")
    if not isinstance(cells, dict):
        return BadRow(number, line, "is not a JSON object", "write one JSON object a line")
    return FileRow(number, cells)


#: Tab-separated values have no quoting: a quote character is data.
_TSV = _Form(
    lambda lines: [line.split("\t") for line in lines], lambda number, line: FileRow(number, line.split("\t"))
)
_JSONL = _Form(_plain_objects, _json_row)
_LINES = _Form(lambda lines: lines, FileRow)


#: What ends a line inside a quoted cell.
_BREAK = re.compile("\r\n|\r|\n")


def _csv(text: FileText) -> Iterator[Block]:
    """Comma-separated values as the csv module reads them; strict, so an open quote is an error."""
    reader = csv.reader(text.lines(newline=""), strict=True)
    while True:
        before = reader.line_num
        rows, error = _csv_block(reader)
        is_a_line_each = error is None and reader.line_num - before == len(rows)
        lines = range(before + 1, before + len(rows) + 2) if is_a_line_each else _starts(rows, before + 1)
        if rows:
            yield _csv_rows(rows, lines[:-1])
        if error is not None:
            yield [_not_csv(lines[-1], error)]
        elif not rows:
            return


def _csv_block(reader: Reader) -> tuple[list[list[str]], csv.Error | None]:
    """The next rows, up to one that is none: why.

    Cells may be of any length: the csv module has one limit for the whole process.
    """
    rows: list[list[str]] = []
    before = csv.field_size_limit(sys.maxsize)
    try:
        for cells in itertools.islice(reader, BLOCK):
            rows.append(cells)
    except csv.Error as error:
        return rows, error
    finally:
        csv.field_size_limit(before)
    return rows, None


def _starts(rows: Sequence[list[str]], start: int) -> Sequence[int]:
    """The line on which each row starts, the first on `start`, and the line after the last."""
    return list(itertools.accumulate(map(_span, rows), initial=start))


def _span(cells: list[str]) -> int:
    """How many lines a row has."""
    return 1 + sum(len(_BREAK.findall(cell)) for cell in cells)


def _csv_rows(rows: list[list[str]], lines: Sequence[int]) -> Block:
    if all(rows) and not _not_utf8("".join(itertools.chain.from_iterable(rows))):
        return PlainRows(lines, rows)
    return list(map(_csv_row, lines, rows))


def _not_csv(line: int, error: csv.Error) -> BadRow:
    return BadRow(line, "", f"is not CSV ({error})", "quote the field and double the quotes in it")


def _csv_row(line: int, cells: list[str]) -> FileRow | BadRow:
    if not cells:
        return _blank(line)
    if _not_utf8("".join(cells)):
        return _bad_bytes(line, ",".join(cells))
    return FileRow(line, cells)
