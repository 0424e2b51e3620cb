"""HTML for notebooks. Names in results are anybody's, so every text is escaped here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

import pandas as pd

from evaluator.rank.formats import visible


def table(caption: str, header: Sequence[str], rows: Iterable[Sequence[str]], notes: Sequence[str]) -> str:
    """A table of texts, the first cell of each row its heading, and a list of notes; all are escaped."""
    texts = [[visible(text) for text in row] for row in rows]
    frame = pd.DataFrame(
        [row[1:] for row in texts],
        index=pd.Index([row[0] for row in texts], name=header[0]),
        columns=[visible(name) for name in header[1:]],
    )
    with pd.option_context("display.max_colwidth", None):
        html: str = frame.to_html(border=0)
    lines = "".join(f"<li>{escape(visible(note))}</li>" for note in notes)
    named = html.replace("<thead>", f"<caption>{escape(visible(caption))}</caption><thead>", 1)
    return named + (f"<ul>{lines}</ul>" if lines else "")


def figure(value: float | None, decimals: int = 2) -> str:
    """A number for people; a dash where there is none."""
    return "–" if value is None else f"{value:.{decimals}f}"


def with_unit(name: str, unit: str) -> str:
    """The name of a column of numbers: ``memory (GB)``."""
    return f"{name} ({unit})" if unit else name
