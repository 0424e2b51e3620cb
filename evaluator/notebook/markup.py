"""HTML for notebooks. Names in results are anybody's, so every text is escaped here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from evaluator.invisible import visible


def safe(text: object) -> str:
    """`text` as HTML that shows its characters, whatever they are, on one line."""
    return escape(visible(str(text)))


def table(caption: str, header: Sequence[str], rows: Iterable[Sequence[str]], notes: Iterable[str]) -> str:
    """A table of texts, the first cell of each row its heading, and lines under it; all are escaped."""
    head = "".join(f'<th scope="col">{safe(name)}</th>' for name in header)
    body = "".join(f"<tr>{_cells(row)}</tr>" for row in rows)
    lines = "".join(f"<p>{safe(note)}</p>" for note in notes)
    return (
        f"<table><caption>{safe(caption)}</caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table>{lines}"
    )


def _cells(row: Sequence[str]) -> str:
    cells = [f"<td>{safe(cell)}</td>" for cell in row]
    cells[0] = f'<th scope="row">{safe(row[0])}</th>'
    return "".join(cells)


def figure(value: float | None, decimals: int = 2) -> str:
    """A number for people; a dash where there is none."""
    return "–" if value is None else f"{value:.{decimals}f}"


def with_unit(name: str, unit: str) -> str:
    """The name of a column of numbers: ``memory (GB)``."""
    return f"{name} ({unit})" if unit else name
