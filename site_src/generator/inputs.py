"""What a site's bytes depend on, as one hash; no record is read for it."""

from __future__ import annotations

import hashlib
import importlib.resources
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from evaluator.data.suites.robustness.misspelling_list import PACKAGES
from evaluator.publish.snapshots import VERSIONS, folder_of
from evaluator.records.board import Boards, BoardSpec
from evaluator.records.store import SIBLINGS, SNAPSHOTS
from site_src.generator.assets import SOURCE
from site_src.generator.runtime import EVALUATOR, HERE

#: The method pages' Markdown.
DOCS = HERE.parent / "docs"
#: Packages whose version decides what a page or a picture looks like.
RENDERERS = ("Jinja2", "Markdown", "mkdocs", "pymupdf-fonts", "resvg_py")


@dataclass(frozen=True)
class SiteInputs:
    """What a site's bytes depend on: `common` to all pages, as one hash, and `records`, a line by file.

    Common are the boards, the program that makes pages of them, the packages that it renders with, the files
    of the browser's runtime, and the list of snapshots, which has the hashes of all manifests. Of predictions
    only names and sizes count: the result beside them has the hash of what they hold.
    """

    common: str
    records: Mapping[str, str]

    @property
    def all(self) -> str:
        """The hash of everything."""
        return hashed(self.common, *self.records.values())

    def of_board(self, board: BoardSpec) -> str:
        """The hash of what the pages of one board depend on."""
        return hashed(self.common, *(line for path, line in self.records.items() if belongs(path, board)))


def belongs(path: str, board: BoardSpec) -> bool:
    """Whether a board's pages may depend on the record at a path: it is of the board's task, or beside it."""
    task, dataset, *_ = path.split("/")
    return task == board.task or dataset in {spec.dataset for spec in board.beside}


def inputs_of(
    boards: Boards, results: Path, runtime: Iterable[Path], offered: Iterable[str] = ()
) -> SiteInputs:
    """What the site of `boards` depends on, with the records under `results` and the browser's `runtime`.

    `offered` has a line of each model that visitors may try, and of each collection that they may write for.
    """
    lines = [*program_lines(), *(f"{path.name} {_sha256(path)}" for path in runtime), *offered]
    versions = folder_of(results) / VERSIONS
    snapshots = _sha256(versions) if versions.is_file() else "no snapshots"
    return SiteInputs(hashed(boards.model_dump_json(), snapshots, *lines), dict(_record_lines(results)))


def hashed(*lines: str) -> str:
    """The SHA-256 of lines of text, in hexadecimal."""
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def program_lines() -> list[str]:
    """A line for every file of this program that makes a site of results, and for every renderer and every
    package of misspellings.

    A file is known by its package and its path in it: two packages may have modules of one name.
    """
    files = [f"{name} {_sha256(path)}" for name, path in program_files().items()]
    return [*files, *(f"{package} {_version(package)}" for package in (*RENDERERS, *PACKAGES))]


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "none"


def program_files() -> dict[str, Path]:
    """The files of this program that make a site of results, by package and path in it."""
    code = [("evaluator", EVALUATOR, "**/*.py"), ("generator", HERE, "**/*.py")]
    # The lists that pages load with the suites.
    code.append(("evaluator", EVALUATOR, "suites/*/data/*"))
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


def _record_lines(results: Path) -> Iterable[tuple[str, str]]:
    """The path of every file of a record, with a line of it and its content, sorted."""
    for path in sorted(_records(results)):
        content = str(path.stat().st_size) if path.name.endswith(SIBLINGS) else _sha256(path)
        name = path.relative_to(results).as_posix()
        yield name, f"{name} {content}"


def _records(results: Path) -> Iterable[Path]:
    """Every JSON file but those of snapshots, of which there may be thousands."""
    folders = (path for path in results.glob("*") if path.name != SNAPSHOTS)
    return (path for folder in folders for path in folder.rglob("*.json") if path.is_file())


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
