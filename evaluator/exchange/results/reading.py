"""Files of results as tables of cells: a row a line of CSV, an object of JSON, or a JSON file of a model.

Keys within keys become columns with dots between (``results.airline.pass_1``). Files of one kind in a folder
are one table; the place of each row, ``file:line``, is its name in the frame's index.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pandas as pd

from evaluator.data.tables import Row, Table, content, decoded, form_of, read_json, read_table, table_of
from evaluator.exchange.logs import KNOWN
from evaluator.exchange.results.numbers import MISSING, Style, style_of
from evaluator.exchange.results.words import BENCHMARKS, direction_in, unit_in, words
from evaluator.rank.formats import counted
from evaluator.records.errors import UserError, nearest_file

#: Endings of files that are tables or documents of results.
FORMS = ("csv", "tsv", "json", "jsonl", "ndjson", "parquet", "xlsx")
#: More bytes than these are no file of results, but of data or weights.
MOST_BYTES = 500 * 10**6
#: How many rows are looked at for whether the header has one or two.
HEAD_ROWS = 30
#: What may be between cells of CSV.
DELIMITERS = ",\t;|"
#: The first column, where it has no name.
FIRST = ""
#: The column that says which file a row is from, where each file is a model's.
FILE = "(file)"
#: The column of the number of the run that a file's name ends in.
RUN = "(run)"
#: The column of the names under which one document has several models.
KEY = "(key)"
#: Keys of an object of models by name.
MODELS = ("models", "leaderboard", "systems", "submissions", "agents")
#: Keys of an object in a list that say what its numbers are.
NAMES = ("name", "metric", "dataset", "task", "benchmark", "id")
#: Keys of a document that hold its rows.
ROWS = ("results", "models", "leaderboard", "entries", "rows", "data", "submissions", "scores", "examples")
_RUN = re.compile(r"(.+?)[-_. ]*(?:run|seed|trial|rep|repeat|epoch|attempt)[-_]?(\d+)", re.IGNORECASE)


@dataclass(frozen=True)
class CellTable:
    """A table of cells: `frame` has texts, numbers, true, false and None, and in its index where each row is.

    `where` is what messages call it, `files` what it was read from; `objects` says that every file was one
    object, so that a row is a file.
    """

    where: str
    files: tuple[Path, ...]
    frame: pd.DataFrame
    style: Style = field(default_factory=Style)
    objects: bool = False


def read_results(paths: Sequence[Path]) -> list[CellTable]:
    """The tables in files and folders, those with the same columns together. Raises `UserError`."""
    tables: list[CellTable] = []
    for path in paths:
        files = _files(path)
        alone = len(paths) == len(files) == 1
        tables += _joined([_read(file, alone) for file in files], path)
    if len(tables) > 1:
        tables = _joined(tables, paths[0].parent)
    return [_with_files(table) for table in tables]


def _with_files(table: CellTable) -> CellTable:
    """The table with the name of each row's file; where all end in a number of a run, that is apart."""
    frame = table.frame
    if FILE not in frame.columns:
        frame = frame.assign(**{FILE: _stem(table.files[0])})
    names = {name: _RUN.fullmatch(name) for name in frame[FILE].unique()}
    if len(names) > 1 and all(names.values()):
        found = [match for name in frame[FILE] if (match := names[name])]
        frame = frame.assign(**{RUN: [one[2] for one in found], FILE: [one[1] for one in found]})
    return replace(table, frame=frame)


def _files(path: Path) -> list[Path]:
    """The file itself, or all files of results in a folder."""
    if not path.exists():
        raise UserError(path, "no such file", f"correct the path{nearest_file(path)}")
    if not path.is_dir():
        return [path]
    found = sorted(
        one
        for one in path.rglob("*")
        if one.is_file()
        and form_of(one.name) in FORMS
        and not any(part.startswith(".") for part in one.relative_to(path).parts)
    )
    if not found:
        problem = f"has no log of a tool that is known, and no file that ends in {', '.join(FORMS)}"
        raise UserError(path, problem, f"name the files, or {KNOWN}")
    return found


def _read(path: Path, alone: bool) -> CellTable:
    """One file; `alone` says that there is no other, so that what it has is no model's name."""
    size = path.stat().st_size
    if size > MOST_BYTES:
        problem = f"has {size / 1e9:.1f} GB, and results are read up to {MOST_BYTES / 1e9:g} GB"
        raise UserError(path, problem, "give a file with the numbers alone, or one for each model")
    if not size:
        raise UserError(path, "is empty", "give it a header and at least one row")
    form = form_of(path.name)
    if form == "json":
        return _document(path, alone)
    if form == "xlsx":
        return _grid(path, _sheet(path), ",", range(1, 10**9))
    if form in ("jsonl", "ndjson"):
        return _table(path, read_table(path, "jsonl", str(path)))
    if form == "parquet":
        return _table(path, read_table(path, form, str(path)))
    if form in ("csv", "tsv", "txt", "md", ""):
        return _delimited(path)
    raise UserError(path, f"ends in none of {', '.join(FORMS)}", "save it as CSV or JSON")


def _table(path: Path, table: Table) -> CellTable:
    table.refuse_bad()
    rows = [_flat(dict(row.cells)) for row in table.rows() if isinstance(row, Row)]  # type: ignore[arg-type]
    flat = table_of(str(path), rows, table.frame.index.tolist())
    return _checked(path, flat.frame, ",")


def _delimited(path: Path) -> CellTable:
    """CSV by whichever mark is between its cells, read without taking the first line for the header."""
    text = decoded(content(path, str(path)), str(path))
    first = next((line for line in text.splitlines() if line.strip()), "")
    delimiter = max(DELIMITERS, key=first.count)
    if delimiter == "|":
        text = "\n".join(map(_unframed, text.split("\n")))
    # The text is unpacked already.
    data, where = text.encode("utf-8", "surrogateescape"), str(path).removesuffix(".gz")
    table = read_table(data, "csv", where, header=False, delimiter=delimiter)
    table.refuse_bad()
    rows = table.frame.to_numpy(dtype=object).tolist()
    return _grid(path, rows, delimiter, table.frame.index.tolist())


def _unframed(line: str) -> str:
    """A line of a table in Markdown without the marks at its ends; nothing for the one under its header."""
    return "" if re.fullmatch(r"[\s|:-]*-[\s|:-]*", line) else line.strip().strip("|")


def _sheet(path: Path) -> list[list[Any]]:
    """The first sheet of a workbook."""
    try:
        frame = pd.read_excel(path, header=None, dtype=object)
    except ImportError as error:
        problem = f"is a workbook, and openpyxl cannot be imported ({error})"
        fix = "run: pip install 'steelyard[excel]', or save the sheet as CSV"
        raise UserError(path, problem, fix) from None
    except (ValueError, OSError, KeyError) as error:
        raise UserError(path, f"is no workbook ({error})", "save the sheet as CSV") from None
    return [
        [None if cell is pd.NA or cell != cell else cell for cell in row] for row in frame.values.tolist()
    ]


def _grid(path: Path, rows: list[list[Any]], delimiter: str, lines: Sequence[int]) -> CellTable:
    """Rows of cells as a table: the first row, or the first two, are the header."""
    kept = [at for at, row in enumerate(rows) if not all(map(_is_blank, row))]
    lines, rows = [lines[at] for at in kept], [rows[at] for at in kept]
    start = next((at for at, row in enumerate(rows) if sum(not _is_blank(cell) for cell in row) > 1), 0)
    heads = 2 if _has_two_headers(rows[start:]) else 1
    names = _names(rows[start : start + heads])
    body = rows[start + heads :]
    if not body:
        raise UserError(path, "has a header and no row", "give it at least one row")
    if repeated := [name for name, times in Counter(names).items() if times > 1]:
        problem, fix = f"has the column {repeated[0]!r} twice", "give every column a name of its own"
        raise UserError(f"{path}:{lines[start]}", problem, fix)
    frame = pd.DataFrame(dict(zip(names, map(list, zip(*body, strict=True)), strict=True)), dtype=object)
    frame.index = pd.Index(lines[start + heads :])
    return _checked(path, frame, delimiter)


def _is_blank(cell: Any) -> bool:
    return cell is None or (isinstance(cell, str) and not cell.strip())


def _looks_number(cell: Any) -> bool:
    return isinstance(cell, int | float) or bool(
        isinstance(cell, str) and re.fullmatch(r"[-+(]?[$€£]?[\d.,]+\D{0,4}.*", cell.strip())
    )


def _has_two_headers(rows: Sequence[Sequence[Any]]) -> bool:
    """Whether the second row has no number although those below it have: groups over names, or units."""
    rows = rows[:HEAD_ROWS]
    if len(rows) < 3:
        return False
    below = [
        at
        for at in range(len(rows[0]))
        if all(_looks_number(row[at]) or _is_blank(row[at]) for row in rows[2:])
    ]
    below = [at for at in below if not _is_blank(rows[2][at])]
    second = [rows[1][at] for at in below]
    texts = [cell for cell in second if not _is_blank(cell) and str(cell).strip().lower() not in MISSING]
    return bool(texts) and not any(_looks_number(cell) for cell in second) and len(texts) * 2 >= len(below)


def _names(heads: Sequence[Sequence[Any]]) -> list[str]:
    """The names of columns; of two rows the upper one goes on to the right, as merged cells do."""
    rows = [[("" if _is_blank(cell) else str(cell).strip()) for cell in row] for row in heads]
    if len(rows) == 1:
        return [name or _unnamed(at) for at, name in enumerate(rows[0])]
    upper, names = "", []
    for at, (above, name) in enumerate(zip(*rows, strict=True)):
        upper = above or (upper if name else "")
        names.append(f"{upper} {name}".strip() or _unnamed(at))
    return names


def _unnamed(at: int) -> str:
    return f"(column {at + 1})" if at else FIRST


def _document(path: Path, alone: bool) -> CellTable:
    """A JSON document: a list of objects, an object that has one, columns, models by name, or one model."""
    document = read_json(path)
    if isinstance(document, list):
        if not document or not all(isinstance(row, dict) for row in document):
            raise UserError(
                path, "is no list of objects", "write [{...}, ...], an object a model or a number"
            )
        return _rows(path, [_flat(row) for row in document])
    if not isinstance(document, dict) or not document:
        raise UserError(path, "is no object of JSON and no list of them", "write [{...}, ...]")
    lists = {
        key: value
        for key, value in document.items()
        if isinstance(value, list) and value and all(isinstance(row, dict) for row in value)
    }
    key = next((name for name in ROWS if name in lists), next(iter(lists)) if len(lists) == 1 else None)
    if key is not None and not _has_numbers_within(document):
        outer = {name: value for name, value in _flat(document).items() if isinstance(value, str)}
        return _rows(path, [{**outer, **_flat(row)} for row in lists[key]])
    columns = list(document.values())
    if all(isinstance(column, list) for column in columns) and len({len(column) for column in columns}) == 1:
        return _rows(path, [dict(zip(document, cells, strict=True)) for cells in zip(*columns, strict=True)])
    if alone and (models := _by_model(document)):
        return _rows(path, [{KEY: key, **_flat(one)} for key, one in models.items()])
    return replace(_rows(path, [_flat(document)]), objects=True)


def _by_model(document: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The models of a document by name: at its top, under a key such as models, or within metrics."""
    inner = [document[key] for key in MODELS if isinstance(document.get(key), dict)]
    found = inner[0] if inner else document
    if not (inner or len(found) > 1) or not _are_models(list(found.values())):
        return {}
    if any(not isinstance(one, dict) for one in found.values()):
        return {name: {"score": one} for name, one in found.items()}
    below = dict.fromkeys(key for one in found.values() for key in one)
    if all(map(_is_metric, found)) and not any(map(_is_metric, below)):
        return {model: {key: one.get(model) for key, one in found.items()} for model in below}
    return dict(found)


def _is_metric(name: str) -> bool:
    return direction_in(name, unit_in(name)) is not None and not BENCHMARKS & set(words(name))


def _are_models(values: Sequence[Any]) -> bool:
    """Whether what an object has by name are all numbers, or all objects that share keys."""
    if all(isinstance(one, int | float) and not isinstance(one, bool) for one in values):
        return True
    keys = [set(one) for one in values if isinstance(one, dict)]
    return len(keys) == len(values) and bool(set.intersection(*keys))


def _has_numbers_within(document: Mapping[str, Any]) -> bool:
    """Whether an object has numbers in objects of its own, beside lists that then say something else."""
    return any(isinstance(value, dict) and any(_leaves(value)) for value in document.values())


def _leaves(value: Mapping[str, Any]) -> Iterator[float]:
    for one in value.values():
        if isinstance(one, dict):
            yield from _leaves(one)
        elif isinstance(one, int | float) and not isinstance(one, bool):
            yield one


def _flat(value: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    """An object's keys within keys as one level; lists of texts and numbers are texts, others left out."""
    found: dict[str, Any] = {}
    for key, one in value.items():
        # A dot is between levels.
        name = f"{before}{str(key).replace('.', '_')}"
        if isinstance(one, dict):
            found |= _flat(one, f"{name}.")
        elif isinstance(one, list):
            if one and all(isinstance(part, str | int | float) for part in one):
                found[name] = ", ".join(map(str, one))
            elif named := _by_name(one):
                found |= _flat(named, f"{name}.")
        else:
            found[name] = one
    return found


def _by_name(parts: list[Any]) -> dict[str, Any]:
    """A list of objects that have names, as an object of these; nothing for any other list."""
    found: dict[str, Any] = {}
    for part in parts:
        key = next((one for one in NAMES if isinstance(part, dict) and isinstance(part.get(one), str)), None)
        if key is None or part[key] in found:
            return {}
        rest = {name: value for name, value in part.items() if name != key}
        found[part[key]] = next(iter(rest.values())) if len(rest) == 1 else rest
    return found


def _rows(path: Path, rows: Sequence[dict[str, Any]]) -> CellTable:
    return _checked(path, table_of(str(path), rows).frame, ",")


def _checked(path: Path, frame: pd.DataFrame, delimiter: str) -> CellTable:
    frame = frame.rename(columns=lambda name: str(name).strip())
    frame.index = pd.Index([f"{path}:{line}" for line in frame.index], dtype=object)
    frame = frame.astype(object).where(frame.notna(), None)
    try:
        style = style_of(frame, delimiter)
    except ValueError as error:
        raise UserError("", str(error)) from None
    return CellTable(str(path), (path,), frame, style)


def _joined(tables: Sequence[CellTable], folder: Path) -> list[CellTable]:
    """Tables of the same columns as one, and so objects, each of which is a row named by its file."""
    if len(tables) < 2:
        return list(tables)
    groups: dict[Any, list[CellTable]] = {}
    for table in tables:
        key = "objects" if table.objects else frozenset(table.frame.columns) - {FILE}
        groups.setdefault(key, []).append(table)
    return [group[0] if len(group) == 1 else _one(group, folder) for group in groups.values()]


def _one(group: Sequence[CellTable], folder: Path) -> CellTable:
    styles = {table.style.decimal for table in group}
    if len(styles) > 1:
        raise UserError(
            folder, "has files with decimal commas and with decimal points", "write them in one way"
        )
    frames = [
        table.frame if FILE in table.frame else table.frame.assign(**{FILE: _stem(table.files[0])})
        for table in group
    ]
    columns = dict.fromkeys(name for frame in frames for name in frame.columns)
    cells = {name: [cell for frame in frames for cell in _column(frame, name)] for name in columns}
    index = pd.Index([place for frame in frames for place in frame.index], dtype=object)
    frame = pd.DataFrame(cells, index=index, dtype=object)
    files = tuple(file for table in group for file in table.files)
    where = str(folder) if len(files) > 1 else str(files[0])
    style = next((table.style for table in group if table.style.unsure), group[0].style)
    return CellTable(f"{where} ({counted(len(files), 'file')})", files, frame, style, group[0].objects)


def _column(frame: pd.DataFrame, name: str) -> Iterable[Any]:
    return frame[name].tolist() if name in frame.columns else [None] * len(frame)


def _stem(path: Path) -> str:
    """A file's name without its endings."""
    name = path.name.removesuffix(".gz")
    return name.rpartition(".")[0] or name
