"""A table of models and numbers, from a file or from standard input: commas, tabs or semicolons between."""

from __future__ import annotations

import csv
import io
import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from evaluator.score.recomputed import counted

#: What stands for standard input, and what messages call it.
STDIN, STDIN_NAME = "-", "standard input"
#: What may be between cells; the one that is most frequent in the header is.
DELIMITERS = ",\t;"
#: What a cell without a number may say in place of nothing.
MISSING = ("", "-", "–", "—")


@dataclass(frozen=True)
class NumberTable:
    """Models, and for each metric a column of their numbers, None where a cell is empty.

    `where` is what messages call the table, and `lines` has the line on which each model is.
    """

    where: str
    models: list[str]
    columns: dict[str, list[float | None]]
    lines: list[int]


def read_table(source: str) -> NumberTable:
    """The table in a file, or in standard input for ``-``. Raises ValueError naming file, line and column."""
    where, text = _text(source)
    header, rows, lines = _cells(where, text)
    _check_header(where, header)
    models = _models(where, [row[0] for row in rows], lines)
    number = _comma_number if _delimiter(text) == ";" else float
    columns = {
        name: _numbers([row[place] for row in rows], number, lines, where, name)
        for place, name in enumerate(header[1:], start=1)
    }
    return NumberTable(where, models, columns, lines)


def _text(source: str) -> tuple[str, str]:
    from evaluator.data.plain_text import is_text, text_of

    where = STDIN_NAME if source == STDIN else source
    try:
        data = sys.stdin.buffer.read() if source == STDIN else Path(source).read_bytes()
    except OSError as error:
        raise ValueError(f"{where}: cannot be read: {error.strerror}; correct the name") from None
    text = text_of(data, where)
    if not is_text(text):
        raise ValueError(f"{where}: has bytes that are not UTF-8; save the file as UTF-8")
    return where, text


def _delimiter(text: str) -> str:
    header = text.partition("\n")[0]
    return max(DELIMITERS, key=header.count)


def _cells(where: str, text: str) -> tuple[list[str], list[list[str]], list[int]]:
    """The header, the rows that are not empty, each as long as the header, and the line of each."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(text))
    rows, lines = [], []
    try:
        header = next(reader, [])
        for row in reader:
            if row:
                rows.append(row)
                lines.append(reader.line_num)
    except csv.Error as error:
        raise ValueError(f"{where}:{reader.line_num}: {error}; correct the line") from None
    for row, line in zip(rows, lines, strict=True):
        if len(row) != len(header):
            counts = f"{counted(len(row), 'cell')} for {counted(len(header), 'column')}"
            raise ValueError(f"{where}:{line}: {counts}; correct the row")
    return [name.strip() for name in header], rows, lines


def _check_header(where: str, header: Sequence[str]) -> None:
    if len(header) < 2 or header[0].lower() != "model":
        found = ", ".join(map(repr, header)) or "nothing"
        raise ValueError(f'{where}:1: the header must be "model" and at least one metric, not {found}')
    for name in header:
        if not name:
            raise ValueError(f"{where}:1: a column has no name; give every column one")
        if header.count(name) > 1:
            raise ValueError(f"{where}:1: column {name!r} occurs more than once; give each a name of its own")


def _models(where: str, models: list[str], lines: Sequence[int]) -> list[str]:
    if not models:
        raise ValueError(f"{where}: no models; give it at least one row under the header")
    first: dict[str, int] = {}
    for model, line in zip(models, lines, strict=True):
        if not model.strip():
            raise ValueError(f"{where}:{line}: model: missing; give every row a name")
        if first.setdefault(model, line) != line:
            raise ValueError(
                f"{where}:{line}: model: {model!r} is on line {first[model]} too; keep one of them"
            )
    return models


def _numbers(
    cells: list[str], number: Callable[[str], float], lines: Sequence[int], where: str, name: str
) -> list[float | None]:
    """A column as numbers, all at once where each cell has a good one, else cell by cell for the message."""
    from evaluator.rank.dynascore import LARGEST

    try:
        found = list(map(number, cells))
        if max(found) <= LARGEST and min(found) >= -LARGEST and not any(map(math.isnan, found)):
            return list(found)
    except ValueError:
        pass
    return [_number(cell, number, f"{where}:{line}: {name}") for cell, line in zip(cells, lines, strict=True)]


def _number(cell: str, number: Callable[[str], float], where: str) -> float | None:
    from evaluator.rank.dynascore import LARGEST

    if cell.strip() in MISSING:
        return None
    try:
        value = number(cell)
    except ValueError:
        raise ValueError(f"{where}: {cell!r} is not a number; leave a missing value empty") from None
    if not abs(value) <= LARGEST:
        raise ValueError(
            f"{where}: {cell!r} is not a finite number up to {LARGEST:g}; correct it or leave it empty"
        )
    return value


def _comma_number(cell: str) -> float:
    """A number of a table with semicolons, which has a comma for the decimal point in much of the world."""
    return float(cell.replace(",", "."))
