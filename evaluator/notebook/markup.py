"""HTML for notebooks. Names in results are anybody's, so every text is escaped here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from evaluator.rank.formats import visible


def table(caption: str, header: Sequence[str], rows: Iterable[Sequence[str]], notes: Sequence[str]) -> str:
    """A table of texts, the first cell of each row its heading, and a list of notes; all are escaped.

    Columns but the first are aligned right, as numbers are.
    """
    head = "".join(_cell("th", ' scope="col"', place, name) for place, name in enumerate(header))
    body = ""
    for first, *others in rows:
        row = [_cell("th", ' scope="row"', 0, first)]
        row += [_cell("td", "", place, text) for place, text in enumerate(others, start=1)]
        body += f"<tr>{''.join(row)}</tr>"
    lines = "".join(f"<li>{_safe(note)}</li>" for note in notes)
    return (
        f'<table><caption style="text-align: left">{_safe(caption)}</caption><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table>" + (f"<ul>{lines}</ul>" if lines else "")
    )


def _cell(tag: str, scope: str, place: int, text: str) -> str:
    side = "right" if place else "left"
    return f'<{tag}{scope} style="text-align: {side}">{_safe(text)}</{tag}>'


def _safe(text: str) -> str:
    """`text` as HTML that shows its characters, whatever they are, on one line."""
    return escape(visible(text))


def figure(value: float | None, decimals: int = 2) -> str:
    """A number for people; a dash where there is none."""
    return "–" if value is None else f"{value:.{decimals}f}"


def with_unit(name: str, unit: str) -> str:
    """The name of a column of numbers: ``memory (GB)``."""
    return f"{name} ({unit})" if unit else name
