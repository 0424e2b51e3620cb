"""The method pages: Markdown in `site_src/docs`, and the pages of the reference, made from the code.

They say nothing of any board, so that all builds of a version share them: the cache keeps them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from evaluator.records.scratch import write_atomic
from site_src.generator.files import reference
from site_src.generator.inputs import hashed

#: The pages in reading order, by group. A page that is missing here, or that is not there, stops the build.
NAVIGATION: list[dict[str, list[str]]] = [
    {
        "How models are ranked": [
            "index.md",
            "dynascore.md",
            "rank-sets.md",
            "tradeoffs.md",
            "difficulty.md",
            "links.md",
        ]
    },
    {"Where numbers come from": ["provenance.md", "measurement.md", "pages.md"]},
    {"What is measured": ["data.md", "metrics.md", "suites.md", "agreement.md"]},
    {"A board of your own": ["tutorial.md", "by-example.md", "try.md", "environment.md"]},
    {"In Python": ["python-api.md", "python-tutorial.md"]},
    {
        "How to": [
            "add-a-model.md",
            "add-a-dataset.md",
            "add-a-metric.md",
            "add-a-task.md",
            "add-a-suite.md",
            "import-predictions.md",
            "collect.md",
            "cluster.md",
            "show-gold.md",
            "export.md",
            "quality.md",
            "publish.md",
            "publish-elsewhere.md",
            "cite.md",
            "upgrade.md",
        ]
    },
    {"Reference": list(reference.PAGES)},
    {"This site": ["budgets.md", "threats.md", "architecture.md", "repository.md", "release.md", "about.md"]},
]


class DocsError(RuntimeError):
    """Method pages that MkDocs cannot build; the message is that of MkDocs."""


@dataclass(frozen=True)
class DocsHeading:
    """A heading of the second level: its text as HTML, and its address on the page."""

    title: str
    url: str


@dataclass(frozen=True)
class DocsPage:
    """A page: its address from that of the first one, and what MkDocs makes of its Markdown."""

    url: str
    title: str
    content: str
    headings: tuple[DocsHeading, ...]


@dataclass(frozen=True)
class Docs:
    """All pages in reading order, and the index that their search reads, as JSON."""

    pages: tuple[DocsPage, ...]
    search: str

    def groups(self) -> Iterator[tuple[str, tuple[DocsPage, ...]]]:
        """The title of each group of pages, and its pages."""
        first = 0
        for group in NAVIGATION:
            for title, names in group.items():
                yield title, self.pages[first : first + len(names)]
                first += len(names)

    def neighbours(self, page: DocsPage) -> tuple[DocsPage | None, DocsPage | None]:
        """The page before and the one after."""
        padded = [None, *self.pages, None]
        at = padded.index(page)
        return padded[at - 1], padded[at + 1]


_DOCS = TypeAdapter(Docs)
#: Of how many versions the cache keeps pages.
KEPT = 8
#: The one file of MkDocs' search that ours needs: the others write results as raw markup.
LUNR = files("mkdocs") / "contrib" / "search" / "templates" / "search" / "lunr.js"


def docs_of(source: Path, cache: Path) -> Docs:
    """The method pages of the Markdown in `source`, from `cache` where they were made before.

    Raises `DocsError`, for example where a link between pages leads nowhere.
    """
    generated = reference.pages()
    kept = cache / "method" / f"{_hash(_texts(source) | generated)}.json"
    with suppress(FileNotFoundError, ValidationError):
        return _DOCS.validate_json(kept.read_bytes())
    # MkDocs takes a while to import.
    from site_src.generator.files.docs_content import content_of

    docs = content_of(source, generated)
    write_atomic(kept, _DOCS.dump_json(docs))
    _forget_old(kept.parent)
    return docs


def _forget_old(folder: Path) -> None:
    """Remove the pages of all but the newest versions. Another build may be doing the same."""
    with suppress(FileNotFoundError):
        made = sorted(folder.glob("*.json"), key=lambda path: path.stat().st_mtime, reverse=True)
        for path in made[KEPT:]:
            path.unlink()


def _texts(source: Path) -> dict[str, str]:
    """The Markdown by file name. Of other files only the names matter, as pages may lead to them."""
    files = sorted(path for path in source.rglob("*") if path.is_file())
    return {
        path.relative_to(source).as_posix(): path.read_text(encoding="utf-8") if path.suffix == ".md" else ""
        for path in files
    }


def _hash(texts: dict[str, str]) -> str:
    """Of all that the pages depend on: texts by name, this code and the packages that it uses."""
    code = [path.read_text(encoding="utf-8") for path in sorted(Path(__file__).parent.glob("docs*.py"))]
    packages = [f"{name} {version(name)}" for name in ("Markdown", "mkdocs")]
    return hashed(*packages, *code, *(f"{name} {text}" for name, text in sorted(texts.items())))


def other_files(source: Path) -> Iterator[tuple[str, bytes]]:
    """What lies beside the pages, by its path there: pictures, and the library of the search."""
    for path in sorted(source.rglob("*")):
        if path.is_file() and path.suffix != ".md":
            yield path.relative_to(source).as_posix(), path.read_bytes()
    yield "search/lunr.js", LUNR.read_bytes()
