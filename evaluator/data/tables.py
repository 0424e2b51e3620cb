"""The one reader of tables: any file that comes in becomes a pandas frame of cells, as the file has them.

CSV, TSV, JSON, JSON lines and Parquet; all but the last may be compressed by gzip, and in UTF-8 or UTF-16.
The cells of CSV and TSV are texts, and no type is guessed; JSON and Parquet have types of their own, so 1,
"1", true and null stay what they are. The csv module cuts CSV in pandas' place, since pandas takes rows with
too few cells, forgives quotes in the wrong place, and does not say on which line a row is.

A row that cannot be cut is no error of the file: readers count such rows, or refuse the file with all of
them. A compressed file may say much more than it holds, so what may be unpacked is limited.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import heapq
import io
import json
import math
import sys
import zlib
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from evaluator.data.nodes import wrong
from evaluator.data.tasks import FieldError, show
from evaluator.data.tasks.answers import SURROGATE
from evaluator.records.errors import UserError, nearest_file

if TYPE_CHECKING:
    import pandas as pd

#: The forms that `read_table` knows, which are also how the names of such files end.
FORMS = ("csv", "tsv", "jsonl", "json", "parquet")
#: What a file may always have unpacked, in bytes, and above that how many times its packed size: texts reach
#: about ten times, very regular tables thirty. No file may have more than the last.
ALWAYS = 64 * 10**6
TIMES = 100
NEVER = 4 * 10**9
#: How many cells a table may have: 200,000 rows of 150 columns. A file in which every row has keys of its own
#: would have the square of its rows.
CELLS = 30_000_000

_GZIP = b"\x1f\x8b"


class Row(NamedTuple):
    """A row: its cells by column, without those that it lacks; `line` is where it starts, from 1.

    Columns have the names of the header or the keys of JSON; without a header, their places from 0.
    In one JSON document and in Parquet, which have no lines, `line` is the number of the row.
    """

    line: int
    cells: dict[Hashable, Any]


class BadRow(NamedTuple):
    """A row that cannot be used, and what is wrong with it, still without its file and line.

    A blank line is no row at the end of a file, and a bad one anywhere else.
    """

    line: int
    error: FieldError
    blank: bool = False


@dataclass(frozen=True)
class Table:
    """Rows as a frame, whose index has the line of each; `bad` has those that could not be cut, by line.

    Cells are objects: a text, what JSON says, None for its null, and `pandas.NA` where a row lacks the
    column. `where` is what messages call the file.
    """

    where: str
    frame: pd.DataFrame
    bad: tuple[BadRow, ...] = ()

    def rows(self) -> Iterator[Row | BadRow]:
        """All rows, the bad ones among them, in the order of their lines."""
        if not self.bad:
            return self._good()
        return heapq.merge(self._good(), self.bad, key=attrgetter("line"))

    def _good(self) -> Iterator[Row]:
        import pandas as pd

        frame, names = self.frame, list(self.frame.columns)
        columns = [frame[name].tolist() for name in names]
        has_all = not any(cell is pd.NA for column in columns for cell in column)
        each = zip(*columns, strict=True) if columns else iter([()] * len(frame))
        for line, cells in zip(frame.index.tolist(), each, strict=True):
            found = dict(zip(names, cells, strict=True))
            if not has_all:
                found = {name: cell for name, cell in found.items() if cell is not pd.NA}
            yield Row(line, found)

    def refuse_bad(self) -> None:
        """Raise `UserError` for the first row that could not be cut, blank lines aside."""
        for row in self.bad:
            if not row.blank:
                error = row.error
                raise UserError(f"{self.where}:{row.line}: {error.field}", error.problem, error.fix)


def form_of(name: str) -> str:
    """What a file is by its name: the ending, without that of a compressed file."""
    return name.lower().removesuffix(".gz").rpartition(".")[2]


def read_table(
    source: Path | bytes,
    form: str | None = None,
    where: str | None = None,
    *,
    header: bool = True,
    delimiter: str = ",",
) -> Table:
    """The table in a file, or in its bytes; `where` is what messages call it, else its path.

    `form` is one of `FORMS`, or ``lines`` for one column of whole lines; None: by the file's name. A table of
    JSON is one object a line, in one document a list of objects. `header` says whether CSV and TSV name their
    columns in the first row; without one they have as many columns as most rows. `delimiter` is for CSV.
    TSV has no quotes: a quotation mark is data. Raises `UserError` for a file that cannot be read, is none of
    that form, is empty, names a column twice, or has more cells than `CELLS`.
    """
    where = str(source) if where is None else where
    if form is None:
        form = form_of(where)
    if form not in (*FORMS, "lines"):
        raise UserError(f"{where}: format", f"{show(form)} is none of {', '.join(FORMS)}", "name one")
    data = content(source, where)
    if form == "parquet":
        return table_of(where, _parquet_rows(data, where))
    text = decoded(data, where)
    if form == "json":
        return table_of(where, _objects(_document(text, where), where))
    if form == "csv":
        cut = _csv_rows(text, delimiter)
    elif form == "jsonl":
        cut = _line_rows(text, _json_row)
    else:
        cut = _line_rows(text, _tab_row if form == "tsv" else _whole_row)
    rows = _without_blank_end(list(cut))
    if not rows:
        raise UserError(where, "is empty", "give it at least one row")
    good = [row for row in rows if isinstance(row, tuple) and not isinstance(row, BadRow)]
    bad = [row for row in rows if isinstance(row, BadRow)]
    if form == "jsonl":
        return table_of(where, [cells for _, cells in good], [line for line, _ in good], bad)
    names: Sequence[Hashable]
    if header and form != "lines":
        names, fix = _header(rows[0], where), "give every row the columns of the header"
        good = good[1:]
    else:
        widths = Counter(len(cells) for _, cells in good).most_common(1)
        names, fix = range(widths[0][0] if widths else 0), "give every row the same columns"
    uneven = [
        BadRow(line, wrong("row", cells, f"has {len(cells)} columns, not {len(names)}", fix))
        for line, cells in good
        if len(cells) != len(names)
    ]
    if uneven:
        good = [row for row in good if len(row[1]) == len(names)]
        bad = sorted(bad + uneven, key=attrgetter("line"))
    columns = list(zip(*[cells for _, cells in good], strict=True)) or [()] * len(names)
    return _table(where, dict(zip(names, map(list, columns), strict=True)), [line for line, _ in good], bad)


def table_of(
    where: str,
    rows: Sequence[dict[str, Any]],
    lines: Sequence[int] | None = None,
    bad: Sequence[BadRow] = (),
) -> Table:
    """Objects as a table; `lines` are those of the rows, else their numbers from 1. Raises `UserError`."""
    import pandas as pd

    names = dict.fromkeys(name for row in rows for name in row)
    if len(names) * len(rows) > CELLS:
        problem = f"has {len(names):,} different keys in {len(rows):,} rows"
        raise UserError(where, problem, "give every row the same keys")
    columns = {name: [row.get(name, pd.NA) for row in rows] for name in names}
    return _table(where, columns, range(1, len(rows) + 1) if lines is None else lines, bad)


def _table(where: str, columns: dict[Any, list[Any]], lines: Sequence[int], bad: Sequence[BadRow]) -> Table:
    import pandas as pd

    if len(columns) * len(lines) > CELLS:
        raise UserError(
            where, f"has {len(columns) * len(lines):,} cells, and at most {CELLS:,} are read", "split it"
        )
    series = (pd.Series(cells, index=lines, dtype=object) for cells in columns.values())
    frame = pd.DataFrame(dict(enumerate(series)), index=pd.Index(lines))
    # A name that cannot be written as UTF-8 fits in an index of objects only.
    frame.columns = pd.Index(list(columns), dtype=object)
    return Table(where, frame, tuple(bad))


def _header(row: tuple[int, list[str]] | BadRow, where: str) -> list[str]:
    """The names in the first row, which must differ. Raises `UserError`."""
    if isinstance(row, BadRow):
        raise UserError(f"{where}:{row.line}: header", row.error.problem, row.error.fix)
    line, names = row
    if repeated := [name for name, times in Counter(names).items() if times > 1]:
        fix = "give every column a name of its own"
        raise UserError(f"{where}:{line}: header", f"has {show(repeated[0])} twice", fix)
    return names


def _without_blank_end(rows: list[Any]) -> list[Any]:
    while rows and isinstance(rows[-1], BadRow) and rows[-1].blank:
        rows.pop()
    return rows


def _line_rows(text: str, cells_of: Any) -> Iterator[tuple[int, Any] | BadRow]:
    """Lines end at a newline only: U+2028, form feeds and the like are data."""
    broken = SURROGATE.search(text) is not None
    for number, line in enumerate(text.split("\n"), start=1):
        line = line.removesuffix("\r")
        if not line:
            yield _blank(number)
        elif broken and SURROGATE.search(line):
            yield _not_text(number, line)
        else:
            yield cells_of(number, line)


def _blank(line: int) -> BadRow:
    return BadRow(line, wrong("row", "", "is blank", "delete the line"), blank=True)


def _not_text(line: int, value: str) -> BadRow:
    return BadRow(line, wrong("row", value, "has bytes that are not UTF-8", "save the file as UTF-8"))


def _tab_row(number: int, line: str) -> tuple[int, list[str]]:
    return number, line.split("\t")


def _whole_row(number: int, line: str) -> tuple[int, list[str]]:
    return number, [line]


def _json_row(number: int, line: str) -> tuple[int, dict[str, Any]] | BadRow:
    fix = "write one JSON object a line, with each key once"
    try:
        cells = parse_json(line)
    except ValueError as error:
        return BadRow(number, wrong("row", line, str(error), fix))
    if not isinstance(cells, dict):
        return BadRow(number, wrong("row", line, "is not a JSON object", fix))
    return number, cells


def _csv_rows(text: str, delimiter: str) -> Iterator[tuple[int, list[str]] | BadRow]:
    """Rows as the csv module reads them; strict, so that an open quote is an error.

    Cells may be of any length: the csv module has one limit for the whole process.
    """
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    broken = SURROGATE.search(text) is not None
    before = csv.field_size_limit(sys.maxsize)
    try:
        while True:
            line = reader.line_num + 1
            try:
                cells = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                fix = "quote the field and double the quotes in it"
                yield BadRow(line, wrong("row", "", f"is not CSV ({error})", fix))
                continue
            if not cells:
                yield _blank(line)
            elif broken and SURROGATE.search("".join(cells)):
                yield _not_text(line, delimiter.join(cells))
            else:
                yield line, cells
    finally:
        csv.field_size_limit(before)


def _parquet_rows(data: bytes, where: str) -> list[dict[str, Any]]:
    """The rows of a Parquet file; NaN, which pandas writes for a missing number, is None."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        problem = f"is Parquet, and pyarrow cannot be imported ({error})"
        raise UserError(where, problem, "run: pip install 'steelyard[parquet]'") from error
    try:
        rows: list[dict[str, Any]] = parquet.read_table(io.BytesIO(data)).to_pylist()
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        raise UserError(
            where, f"is no whole Parquet file ({error})", "fetch or write the file again"
        ) from None
    return [{name: None if cell != cell else cell for name, cell in row.items()} for row in rows]


def _objects(document: Any, where: str) -> list[dict[str, Any]]:
    if not isinstance(document, list) or not all(isinstance(row, dict) for row in document):
        raise UserError(
            where, "is no list of JSON objects", "write [{...}, ...], or one object a line in a .jsonl"
        )
    return document


def read_json(source: Path | bytes, where: str | None = None) -> Any:
    """The value of the one JSON document in a file, or in its bytes; `where` is what messages call the file.

    Raises `UserError` for text that is not JSON, and what `parse_json` refuses.
    """
    where = str(source) if where is None else where
    return _document(decoded(content(source, where), where), where)


def _document(text: str, where: str) -> Any:
    if broken := SURROGATE.search(text):
        line, column = _place(text, broken.start())
        problem = f"column {column} has bytes that are not UTF-8"
        raise UserError(f"{where}:{line}: document", problem, "save the file as UTF-8")
    try:
        return _decode(text)
    except json.JSONDecodeError as error:
        problem = f"column {error.colno} is not JSON ({error.msg})"
        raise UserError(
            f"{where}:{error.lineno}: document", problem, "give one whole JSON document"
        ) from None
    except (ValueError, RecursionError) as error:
        problem = str(error) if isinstance(error, _RefusedError) else f"cannot be read ({error})"
        raise UserError(f"{where}:1: document", problem, "write each key once, and finite numbers") from None


def _place(text: str, at: int) -> tuple[int, int]:
    return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)


def parse_json(text: str) -> Any:
    """The value of a JSON text, numbers of any size as they are.

    Raises ValueError, whose message says what it is not, also for NaN, Infinity and numbers that are too
    large for a float, and for an object that has a key twice, since it is unknown which of them is meant.
    """
    try:
        return _decode(text)
    except _RefusedError:
        raise
    except (ValueError, RecursionError) as error:
        raise ValueError(f"is not JSON ({error})") from None


class _RefusedError(ValueError):
    """JSON that some programs read, and that says nothing certain."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        [(repeated, _)] = Counter(name for name, _ in pairs).most_common(1)
        raise _RefusedError(f"has the key {show(repeated)} twice in one object")
    return found


def _no_number(name: str) -> float:
    raise _RefusedError(f"is not JSON ({name} is no number)")


def _finite(digits: str) -> float:
    number = float(digits)
    return number if math.isfinite(number) else _no_number(digits)


_decode = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_no_number, parse_float=_finite).decode


def content(source: Path | bytes, where: str) -> bytes:
    """The bytes of a file, unpacked where they are compressed by gzip or their name says so.

    Raises `UserError`.
    """
    try:
        data = source if isinstance(source, bytes) else source.read_bytes()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        gone = isinstance(source, Path) and isinstance(error, FileNotFoundError)
        near = nearest_file(Path(where)) if gone else ""
        raise UserError(where, f"cannot be read ({reason})", f"correct the path{near}") from None
    return unpacked(data, where) if data.startswith(_GZIP) or where.endswith(".gz") else data


def unpacked(data: bytes, where: str) -> bytes:
    """What a gzip file holds. Raises `UserError` if it is broken, or holds more than is read."""
    limit = min(max(ALWAYS, TIMES * len(data)), NEVER)
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            found = file.read(limit + 1)
    except (OSError, EOFError, zlib.error) as error:
        fix = "fetch the file again, or drop .gz from its name if it is not compressed"
        raise UserError(where, f"is not a whole gzip file ({error})", fix) from error
    if len(found) > limit:
        problem = f"its {len(data):,} bytes unpack to more than {limit:,}, the most that is read"
        raise UserError(where, problem, "if it is really so regular, unpack it and name the unpacked file")
    return found


def decoded(data: bytes, where: str) -> str:
    """The text of a file, in UTF-8, or in UTF-16 as spreadsheets and PowerShell write it, with line ends as
    they are.

    Bytes that are not UTF-8 become lone surrogates, which are refused row by row. Raises `UserError` for
    UTF-16 that ends within a character.
    """
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        coding = "utf-16"
    elif len(data) > 3 and data[1] == data[3] == 0 != data[0]:
        coding = "utf-16-le"
    elif len(data) > 3 and data[0] == data[2] == 0 != data[1]:
        coding = "utf-16-be"
    else:
        return data.decode("utf-8-sig", "surrogateescape")
    try:
        return data.decode(coding, "surrogatepass")
    except UnicodeDecodeError as error:
        raise UserError(where, f"is not whole UTF-16 ({error.reason})", "save the file as UTF-8") from None
