"""What several commands print: JSON, tables, numbers, and text that is not ours."""

from __future__ import annotations

import json
from typing import Any

import click


def printable(text: str) -> str:
    """Text from elsewhere with everything unprintable escaped, so that no terminal takes it for a command."""
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)


def decimal(value: float | None, decimals: int = 2) -> str:
    """A number with that many decimals; "-" for None."""
    return "-" if value is None else f"{value:.{decimals}f}"


def print_json(document: Any) -> None:
    """Print plain data as JSON; NaN and infinities are errors."""
    click.echo(json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False))


def print_table(rows: list[list[str]], left: set[int]) -> None:
    """Print rows of equal length as a table; the columns whose numbers are in `left` are aligned left."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [
            cell.ljust(width) if at in left else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        click.echo("  ".join(cells).rstrip())
