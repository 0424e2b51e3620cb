"""HTML for notebooks. Names in results are anybody's, so every text is escaped here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from evaluator.rank.formats import visible


def safe(text: object) -> str:
    """`text` as HTML that shows its characters, whatever they are, on one line."""
    return escape(visible(str(text)))


def table(caption: str, header: Sequence[str], rows: Iterable[Sequence[str]], notes: Sequence[str]) -> str:
    """A table of texts, the first cell of each row its heading, and a list of notes; all are escaped.

    Columns but the first are aligned right, as numbers are.
    """
    head = "".join(_cell(place, name, "col") for place, name in enumerate(header))
    body = "".join(f"<tr>{_cells(row)}</tr>" for row in rows)
    lines = "".join(f"<li>{safe(note)}</li>" for note in notes)
    return (
        f'<table><caption style="text-align: left">{safe(caption)}</caption><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table>" + (f"<ul>{lines}</ul>" if lines else "")
    )


def _cells(row: Sequence[str]) -> str:
    return "".join(_cell(place, text, "" if place else "row") for place, text in enumerate(row))


def _cell(place: int, text: str, scope: str) -> str:
    """A cell of the column at `place`; the heading of a row or column where there is a `scope`."""
    side = "right" if place else "left"
    tag, of = ("th", f' scope="{scope}"') if scope else ("td", "")
    return f'<{tag}{of} style="text-align: {side}">{safe(text)}</{tag}>'


def figure(value: float | None, decimals: int = 2) -> str:
    """A number for people; a dash where there is none."""
    return "–" if value is None else f"{value:.{decimals}f}"


def with_unit(name: str, unit: str) -> str:
    """The name of a column of numbers: ``memory (GB)``."""
    return f"{name} ({unit})" if unit else name
