"""The tutorial notebook, run, as a page of the documentation; ``make notebook`` calls this module.

The notebook is kept without outputs. The page, and the pictures beside it, are written here and committed, so
that building a site runs no notebook; a test runs it again and compares. It takes the extra ``dev``.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evaluator.records.errors import UserError

ROOT = Path(__file__).parents[2]
NOTEBOOK = ROOT / "site_src" / "docs" / "python-tutorial.ipynb"
#: How Markdown writes that a column is aligned right; the page gets a class in its place.
RIGHT = ' style="text-align: right;"'
#: A number, a range of whole ones, or what stands for none.
NUMBER = r"-?[\d.]+(?:-\d+)?|NaN|&lt;NA&gt;|–"


def run(path: Path, folder: Path) -> list[Any]:
    """The cells of a notebook, all of them run in `folder`. Raises what nbclient does where one fails."""
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    resources = {"metadata": {"path": str(folder)}}
    client = NotebookClient(notebook, timeout=300, kernel_name="python3", resources=resources)
    # Through files rather than ports, which others on the machine could listen on.
    client.create_kernel_manager().transport = "ipc"
    client.execute()
    return list(notebook.cells)


def page_of(cells: Sequence[Any], name: str) -> tuple[str, dict[str, bytes]]:
    """The page of cells that have been run as Markdown, and its pictures, ``NAME-1.png`` and so on.

    Raises `UserError` for a warning, a picture without an alternative text, and output of another kind.
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
    return "\n\n".join(parts) + "\n", pictures


def _shown(cell: Any, output: Any, pictures: dict[str, bytes], name: str) -> str:
    """An output as Markdown: the richest form that it has."""
    data: Mapping[str, str] = output.get("data", {})
    if "image/png" in data:
        if "alt" not in cell.metadata:
            raise UserError(f"{name}: cell {cell.id}: metadata: alt", "missing", "say what its picture shows")
        picture = f"{name}-{len(pictures) + 1}.png"
        pictures[picture] = base64.b64decode(data["image/png"])
        return f"![{cell.metadata['alt']}]({picture})"
    if "text/html" in data:
        return plain_tables(data["text/html"])
    if "text/plain" in data:
        return f"```text\n{data['text/plain']}\n```"
    raise UserError(f"{name}: cell {cell.id}", f"prints {output.get('text', output)!r}", "correct the cell")


def plain_tables(html: str) -> str:
    """The tables and lists of a notebook's HTML, as the documentation's own look like: without styles."""
    parts = re.findall(r"<table.*?</table>|<ul>.*?</ul>", html, re.DOTALL)
    return "\n\n".join(
        _plain_table(one)
        if one.startswith("<table")
        else one.replace("<li>", "\n<li>").replace("</ul>", "\n</ul>")
        for one in parts
    )


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


if __name__ == "__main__":
    markdown, pictures = page_of(run(NOTEBOOK, ROOT), NOTEBOOK.stem)
    for old in NOTEBOOK.parent.glob(f"{NOTEBOOK.stem}-*.png"):
        old.unlink()
    for name, content in pictures.items():
        (NOTEBOOK.parent / name).write_bytes(content)
    NOTEBOOK.with_suffix(".md").write_text(markdown, encoding="utf-8")
