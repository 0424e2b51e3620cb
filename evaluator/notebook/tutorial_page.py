"""The tutorial notebook, run, as a page of the documentation; ``make notebook`` calls this module.

The notebook is kept without outputs. The page, and the pictures beside it, are written here and committed, so
that building a site runs no notebook; a test runs it again and compares. It takes the extra ``dev``.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
NOTEBOOK = ROOT / "site_src" / "docs" / "python-tutorial.ipynb"
#: How Markdown writes that a column is aligned right; the page gets a class in its place.
RIGHT = ' style="text-align: right;"'
#: Seconds that a cell may take on a busy machine.
TIMEOUT = 300


class NotebookError(RuntimeError):
    """A notebook that cannot become a page; the message says which cell, and why."""


@dataclass(frozen=True)
class NotebookPage:
    """A page as Markdown, and the pictures beside it by the names of their files."""

    markdown: str
    pictures: Mapping[str, bytes] = field(repr=False)


def run(path: Path, folder: Path) -> list[Any]:
    """The cells of a notebook, all of them run in `folder`. Raises what nbclient does where one fails."""
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    resources = {"metadata": {"path": str(folder)}}
    client = NotebookClient(notebook, timeout=TIMEOUT, kernel_name="python3", resources=resources)
    # Through files rather than ports, which others on the machine could listen on.
    client.create_kernel_manager().transport = "ipc"
    client.execute()
    return list(notebook.cells)


def page_of(cells: Sequence[Any], name: str) -> NotebookPage:
    """The page of cells that have been run; pictures are called ``NAME-1.png`` and so on.

    Raises `NotebookError` for a warning, a picture without an alternative text, and output of another kind.
    """
    parts: list[str] = []
    pictures: dict[str, bytes] = {}
    for cell in cells:
        if cell.cell_type == "markdown":
            parts.append(cell.source)
            continue
        parts.append(f"```python\n{cell.source}\n```")
        for output in cell.outputs:
            parts.append(_shown(cell, output, pictures, name))
    return NotebookPage("\n\n".join(parts) + "\n", pictures)


def _shown(cell: Any, output: Any, pictures: dict[str, bytes], name: str) -> str:
    """An output as Markdown: the richest form that it has."""
    data: Mapping[str, str] = output.get("data", {})
    if "image/png" in data:
        if "alt" not in cell.metadata:
            raise NotebookError(f"{name}: cell {cell.id}: metadata: alt: missing; say what its picture shows")
        picture = f"{name}-{len(pictures) + 1}.png"
        pictures[picture] = base64.b64decode(data["image/png"])
        return f"![{cell.metadata['alt']}]({picture})"
    if "text/html" in data:
        return plain_tables(data["text/html"])
    if "text/plain" in data:
        return f"```text\n{data['text/plain']}\n```"
    raise NotebookError(f"{name}: cell {cell.id}: prints {output.get('text', output)!r}; correct the cell")


@dataclass
class _Table:
    """A table's caption, the rows of its head, and those of its body."""

    caption: str = ""
    head: list[list[str]] = field(default_factory=list)
    body: list[list[tuple[str, str]]] = field(default_factory=list)


class _Tables(HTMLParser):
    """Reads tables, and lists as lists of texts, without the styles that they have in a notebook."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[_Table | list[str]] = []
        self.table, self.notes = _Table(), list[str]()
        self.section = self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            self.table = _Table()
            self.parts.append(self.table)
        elif tag == "ul":
            self.parts.append(self.notes)
        elif tag in ("thead", "tbody"):
            self.section = tag
        elif tag == "tr":
            (self.table.head if self.section == "thead" else self.table.body).append([])
        self.text = ""

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_endtag(self, tag: str) -> None:
        text = self.text.strip()
        if tag == "caption":
            self.table.caption = text
        elif tag in ("td", "th") and self.section == "thead":
            self.table.head[-1].append(text)
        elif tag in ("td", "th"):
            self.table.body[-1].append((tag, text))
        elif tag == "li":
            self.notes.append(text)


def plain_tables(html: str) -> str:
    """The tables and lists of a notebook's HTML, as the documentation's own look like."""
    tables = _Tables()
    tables.feed(html)
    return "\n\n".join("".join(_markup(part)) for part in tables.parts)


def _markup(part: _Table | list[str]) -> Iterator[str]:
    if isinstance(part, list):
        yield "<ul>\n" + "".join(f"<li>{escape(text)}</li>\n" for text in part) + "</ul>"
        return
    yield "<table>\n"
    if part.caption:
        yield f"<caption>{escape(part.caption)}</caption>\n"
    # A frame names its index in a second row, under the name of its columns.
    names = [next(filter(None, reversed(column)), "") for column in zip(*part.head, strict=True)]
    columns = zip(*([text for _, text in row] for row in part.body), strict=True)
    sides = [RIGHT if place and all(map(_is_number, column)) else "" for place, column in enumerate(columns)]
    yield f"<thead>\n<tr>{''.join(map(_heading, names, sides))}</tr>\n</thead>\n<tbody>\n"
    for row in part.body:
        cells = (_cell(*cell, side) for cell, side in zip(row, sides, strict=True))
        yield f"<tr>{''.join(cells)}</tr>\n"
    yield "</tbody>\n</table>"


def _heading(name: str, side: str) -> str:
    # Where a column is headed, the documentation says so of every heading itself.
    return f"<th{side}>{escape(name)}</th>" if name else "<td></td>"


def _cell(tag: str, text: str, side: str) -> str:
    if tag == "th":
        return f'<th scope="row">{escape(text)}</th>'
    return f"<td{side}>{escape(text)}</td>"


def _is_number(text: str) -> bool:
    """Whether a text is a number, a range of whole ones, or what stands for none."""
    return bool(re.fullmatch(r"-?[\d.]+(-\d+)?|NaN|<NA>|–", text))


def write(notebook: Path = NOTEBOOK) -> None:
    """Run the notebook, and write its page and pictures beside it."""
    page = page_of(run(notebook, ROOT), notebook.stem)
    for old in notebook.parent.glob(f"{notebook.stem}-*.png"):
        old.unlink()
    for name, content in page.pictures.items():
        (notebook.parent / name).write_bytes(content)
    notebook.with_suffix(".md").write_text(page.markdown, encoding="utf-8")


if __name__ == "__main__":
    write()
