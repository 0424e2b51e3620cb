"""The tutorial notebook runs, its page shows what it prints, and what the Python page says works."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from evaluator.notebook.tutorial_page import NOTEBOOK, page_of, run
from evaluator.records.errors import UserError

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "site_src" / "docs"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, dict[str, bytes]]:
    """The page of the notebook, run in a kernel of its own, which writes nothing at home."""
    folders = {"IPYTHONDIR", "JUPYTER_RUNTIME_DIR", "MPLCONFIGDIR"}
    with pytest.MonkeyPatch.context() as patch:
        for name in folders:
            patch.setenv(name, str(tmp_path_factory.mktemp("k")))
        return page_of(run(NOTEBOOK, ROOT), NOTEBOOK.stem)


@pytest.mark.slow
def test_the_committed_page_is_what_the_notebook_prints(page: tuple[str, dict[str, bytes]]) -> None:
    """Every word and number, and a picture for each; `make notebook` writes it again."""
    markdown, pictures = page
    assert NOTEBOOK.with_suffix(".md").read_text(encoding="utf-8") == markdown
    assert {path.name for path in DOCS.glob(f"{NOTEBOOK.stem}-*.png")} == set(pictures)


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


def cell(outputs: list[dict[str, object]], **metadata: str) -> SimpleNamespace:
    """A cell that has been run."""
    return SimpleNamespace(cell_type="code", id="one", source="1", outputs=outputs, metadata=metadata)


def test_output_that_a_page_cannot_show_is_an_error() -> None:
    """A warning, and a picture that nobody describes."""
    warning = {"output_type": "stream", "name": "stderr", "text": "DeprecationWarning"}
    picture = {"output_type": "display_data", "data": {"image/png": "aGk="}}
    with pytest.raises(UserError, match="page: cell one: prints 'DeprecationWarning'; correct the cell"):
        page_of([cell([warning])], "page")
    with pytest.raises(UserError, match="page: cell one: metadata: alt: missing; say what its picture shows"):
        page_of([cell([picture])], "page")
    assert page_of([cell([picture], alt="Hi")], "page")[1] == {"page-1.png": b"hi"}
