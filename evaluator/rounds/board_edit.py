"""Adds tables to a board file, and leaves every other byte of it as it was, comments included.

tomlkit writes the tables, but would move tables of the same name together, so the file is not its document.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.items import InlineTable

from evaluator.records.board import load_boards
from evaluator.records.board.lines import lines_of
from evaluator.records.scratch import scratch_folder, write_atomic


def add_datasets(path: Path, datasets: Sequence[Mapping[str, Any]], board: str | None, joins: str) -> None:
    """Add tables ``[[datasets]]`` at the end of the board file at `path`, and `joins` to the list of `board`.

    The file is only replaced by one that can be read. Raises `BoardError` where the result could not be.
    """
    text = path.read_bytes().decode()
    if board is not None:
        text = with_dataset(text, board, joins)
    if not text.endswith("\n"):
        text += "\n"
    text += "".join(f"\n{_written(one)}" for one in datasets)
    with scratch_folder(path) as folder:
        trial = folder / path.name
        trial.write_bytes(text.encode())
        load_boards(trial)
    write_atomic(path, text.encode())


def with_dataset(text: str, board: str, dataset: str) -> str:
    """The text of a valid board file with `dataset` at the end of the list of the board of that id."""
    boards = tomllib.loads(text)["boards"]
    number = next(at for at, one in enumerate(boards) if one["id"] == board)
    rows = text.splitlines(keepends=True)
    start, end = _table(text, rows, number)
    table = tomlkit.parse("".join(rows[start:end]))
    table["boards"][0]["datasets"].append(dataset)
    return "".join([*rows[:start], tomlkit.dumps(table), *rows[end:]])


def _written(dataset: Mapping[str, Any]) -> str:
    """A table ``[[datasets]]``; tables within it are on one line, as people write them."""
    table = tomlkit.table()
    for key, value in dataset.items():
        table[key] = _inline(value) if isinstance(value, Mapping) else value
    tables = tomlkit.aot()
    tables.append(table)
    return tomlkit.dumps({"datasets": tables})


def _inline(values: Mapping[str, Any]) -> InlineTable:
    table = tomlkit.inline_table()
    table.update(values)
    return table


def _table(text: str, rows: Sequence[str], number: int) -> tuple[int, int]:
    """The first row of a board's table, and the first after it: of the next table, or the end."""
    lines = lines_of(text)
    start = lines["boards", number] - 1
    heads = (
        line - 1
        for place, line in lines.items()
        if len(place) <= 2 and rows[line - 1].lstrip().startswith("[")
    )
    return start, min((head for head in heads if head > start), default=len(rows))
