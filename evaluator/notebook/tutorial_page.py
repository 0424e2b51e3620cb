"""The tutorial notebook, run, as a page of the documentation; ``make notebook`` calls this module.

The notebook is kept without outputs. The page, and the pictures beside it, are written here and committed, so
that building a site runs no notebook; a test runs it again and compares. It takes the extra ``dev``.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
NOTEBOOK = ROOT / "site_src" / "docs" / "python-tutorial.ipynb"
#: How Markdown writes that a column is aligned right; the page gets a class in its place.
RIGHT = ' style="text-align: right;"'
#: A number, a range of whole ones, or what stands for none.
NUMBER = r"-?[\d.]+(?:-\d+)?|NaN|&lt;NA&gt;|–"
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


def plain_tables(html: str) -> str:
    """The tables and lists of a notebook's HTML, as the documentation's own look like: without styles."""
    parts = re.findall(r"<table.*?</table>|<ul>.*?</ul>", html, re.DOTALL)
    return "\n\n".join(_plain_table(one) if one.startswith("<table") else _plain_list(one) for one in parts)


def _plain_list(html: str) -> str:
    return html.replace("<li>", "\n<li>").replace("</ul>", "\n</ul>")


def _plain_table(html: str) -> str:
    """A table a row a line; columns of numbers are aligned right. Texts are escaped already."""
    lines = re.findall(r"<tr.*?</tr>", html, re.DOTALL)
    rows = [re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", line, re.DOTALL) for line in lines]
    heads = html.partition("<tbody>")[0].count("<tr")
    # A frame names its index in a second row, under the name of its columns.
    names = [next(filter(None, reversed(column)), "") for column in zip(*rows[:heads], strict=True)]
    columns = enumerate(zip(*rows[heads:], strict=True))
    sides = [
        RIGHT if at and all(re.fullmatch(NUMBER, one) for one in column) else "" for at, column in columns
    ]
    # Where a column is headed, the documentation says so of every heading itself.
    head = [
        f"<th{side}>{name}</th>" if name else "<td></td>" for name, side in zip(names, sides, strict=True)
    ]
    body = []
    for first, *texts in rows[heads:]:
        cells = [f"<td{side}>{text}</td>" for text, side in zip(texts, sides[1:], strict=True)]
        body.append(f'<tr><th scope="row">{first}</th>{"".join(cells)}</tr>\n')
    found = re.search(r"<caption[^>]*>(.*?)</caption>", html)
    caption = f"<caption>{found[1]}</caption>\n" if found else ""
    return (
        f"<table>\n{caption}<thead>\n<tr>{''.join(head)}</tr>\n</thead>\n"
        f"<tbody>\n{''.join(body)}</tbody>\n</table>"
    )


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
