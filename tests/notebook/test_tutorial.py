"""The tutorial notebook runs, its page shows what it prints, and what the Python page says works."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from PIL import Image

from evaluator.notebook.tutorial_page import (
    NOTEBOOK,
    NotebookError,
    NotebookPage,
    page_of,
    plain_tables,
    run,
)

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "site_src" / "docs"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> NotebookPage:
    """The page of the notebook, run in a kernel of its own, which writes nothing at home."""
    folders = {"IPYTHONDIR", "JUPYTER_RUNTIME_DIR", "MPLCONFIGDIR"}
    with pytest.MonkeyPatch.context() as patch:
        for name in folders:
            patch.setenv(name, str(tmp_path_factory.mktemp("k")))
        return page_of(run(NOTEBOOK, ROOT), NOTEBOOK.stem)


@pytest.mark.slow
def test_the_committed_page_is_what_the_notebook_prints(page: NotebookPage) -> None:
    """Every word and number; `make notebook` writes it again."""
    assert NOTEBOOK.with_suffix(".md").read_text(encoding="utf-8") == page.markdown


@pytest.mark.slow
def test_the_pictures_are_there_and_as_large_as_those_of_a_run(page: NotebookPage, tmp_path: Path) -> None:
    """A version of matplotlib may draw a letter otherwise, but not another picture."""
    kept = sorted(path.name for path in DOCS.glob(f"{NOTEBOOK.stem}-*.png"))
    assert kept == sorted(page.pictures)
    for name, content in page.pictures.items():
        (tmp_path / name).write_bytes(content)
        sizes = [Image.open(folder / name).size for folder in (DOCS, tmp_path)]
        assert all(abs(one - other) <= 8 for one, other in zip(*sizes, strict=True))


def test_the_notebook_is_kept_without_outputs() -> None:
    """So a diff shows what somebody wrote, and its cells have ids."""
    notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    cells = notebook["cells"]
    assert all(
        not cell["outputs"] and cell["execution_count"] is None
        for cell in cells
        if cell["cell_type"] == "code"
    )
    assert len({cell["id"] for cell in cells}) == len(cells)
    assert set(notebook["metadata"]) == {"kernelspec", "language_info"}


@pytest.mark.slow
def test_what_the_python_page_shows_works() -> None:
    """Its blocks run one after the other, from the top folder, and their assertions hold."""
    blocks = re.findall(
        r"^```python\n(.*?)^```$", (DOCS / "python-api.md").read_text(encoding="utf-8"), re.M | re.S
    )
    assert len(blocks) == 3
    subprocess.run([sys.executable, "-c", "\n".join(blocks)], cwd=ROOT, check=True, env={**os.environ})


def test_the_python_page_names_what_there_is() -> None:
    """Each method of its tables is one of the API, and each name of the package is on the page."""
    import evaluator

    text = (DOCS / "python-api.md").read_text(encoding="utf-8")
    known = {name for one in evaluator.__all__ for name in dir(getattr(evaluator, one))}
    known |= {"scores"} | {"scores_to_pandas"}
    named = {
        name for row in re.findall(r"^\| `(.*?)` \|", text, re.M) for name in re.findall(r"\.(\w+)", row)
    }
    assert named - {"toml"} <= known
    for name in ("Leaderboard", "evaluate", "results_frame"):
        assert f"`{name}" in text


def cell(outputs: list[dict[str, object]], **metadata: str) -> SimpleNamespace:
    """A cell that has been run."""
    return SimpleNamespace(cell_type="code", id="one", source="1", outputs=outputs, metadata=metadata)


def test_output_that_a_page_cannot_show_is_an_error() -> None:
    """A warning, and a picture that nobody describes."""
    warning = {"output_type": "stream", "name": "stderr", "text": "DeprecationWarning"}
    picture = {"output_type": "display_data", "data": {"image/png": "aGk="}}
    with pytest.raises(NotebookError, match="page: cell one: prints 'DeprecationWarning'; correct the cell"):
        page_of([cell([warning])], "page")
    with pytest.raises(
        NotebookError, match="page: cell one: metadata: alt: missing; say what its picture shows"
    ):
        page_of([cell([picture])], "page")
    assert page_of([cell([picture], alt="Hi")], "page").pictures == {"page-1.png": b"hi"}


def test_tables_lose_their_styles_and_keep_their_words() -> None:
    """pandas puts styles into its HTML, which the site's policy refuses; texts stay escaped."""
    html = (
        '<div><style scoped>th { color: red }</style><table border="1" class="dataframe"><thead>'
        '<tr style="text-align: right;"><th></th><th>a</th><th>b</th></tr>'
        "<tr><th>name</th><th></th><th></th></tr></thead><tbody>"
        "<tr><th>x</th><td>1.5</td><td>-2</td></tr>"
        "<tr><th>&lt;b&gt;</th><td>&lt;script&gt;</td><td>NaN</td></tr></tbody></table></div>"
    )
    assert plain_tables(html) == (
        '<table>\n<thead>\n<tr><th>name</th><th>a</th><th style="text-align: right;">b</th></tr>\n</thead>\n<tbody>\n'
        '<tr><th scope="row">x</th><td>1.5</td><td style="text-align: right;">-2</td></tr>\n'
        '<tr><th scope="row">&lt;b&gt;</th><td>&lt;script&gt;</td><td style="text-align: right;">NaN</td></tr>\n'
        "</tbody>\n</table>"
    )
