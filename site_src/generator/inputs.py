"""What a site's bytes depend on, as one hash; no record is read for it."""

from __future__ import annotations

import hashlib
import importlib.resources
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path

from evaluator.board import Boards
from evaluator.snapshots.repository import VERSIONS, folder_of
from evaluator.store import SIBLINGS, SNAPSHOTS
from site_src.generator.assets import SOURCE
from site_src.generator.runtime import EVALUATOR, HERE

#: The method pages' Markdown.
DOCS = HERE.parent / "docs"
#: Packages whose version decides what a page or a picture looks like.
RENDERERS = ("Jinja2", "Markdown", "mkdocs", "pymupdf-fonts", "resvg_py")


def inputs_of(boards: Boards, results: Path, runtime: Iterable[Path]) -> str:
    """Hash of the boards, of the files under `results`, of the program that makes pages of them, of the
    packages that it renders with, and of the files of the browser's `runtime`.

    Of predictions only names and sizes count: the result beside them has the hash of what they hold. Of
    snapshots only their list counts, which has the hashes of all manifests.
    """
    state = hashlib.sha256(boards.model_dump_json().encode())
    lines = [*_result_lines(results), *program_lines(), *(f"{path.name} {_sha256(path)}" for path in runtime)]
    state.update("\n".join(lines).encode())
    return state.hexdigest()


def program_lines() -> list[str]:
    """A line for every file of this program that makes a site of results, and for every renderer.

    A file is known by its package and its path in it: two packages may have modules of one name.
    """
    files = [f"{name} {_sha256(path)}" for name, path in program_files().items()]
    return [*files, *(f"{package} {version(package)}" for package in RENDERERS)]


def program_files() -> dict[str, Path]:
    """The files of this program that make a site of results, by package and path in it."""
    code = [("evaluator", EVALUATOR, "**/*.py"), ("generator", HERE, "**/*.py")]
    texts = [("assets", SOURCE, "**/*"), ("docs", DOCS, "**/*"), ("templates", templates_folder(), "**/*")]
    return {
        f"{package}/{path.relative_to(folder).as_posix()}": path
        for package, folder, pattern in (*code, *texts)
        for path in sorted(folder.glob(pattern))
        if path.is_file()
    }


def templates_folder() -> Path:
    """``templates/``: beside `site_src` in the repository, inside it in an installed wheel."""
    installed = Path(str(importlib.resources.files("site_src"))) / "templates"
    return installed if installed.is_dir() else HERE.parent.parent / "templates"


def _result_lines(results: Path) -> Iterable[str]:
    """A line for every file of a record, sorted by path."""
    for path in sorted([*_records(results), folder_of(results) / VERSIONS]):
        if path.is_file():
            content = str(path.stat().st_size) if path.name.endswith(SIBLINGS) else _sha256(path)
            yield f"{path.relative_to(results).as_posix()} {content}"


def _records(results: Path) -> Iterable[Path]:
    """Every JSON file but those of snapshots, of which there may be thousands."""
    folders = (path for path in results.glob("*") if path.name != SNAPSHOTS)
    return (path for folder in folders for path in folder.rglob("*.json"))


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
