"""The method pages: what MkDocs makes of the Markdown in `site_src/docs`."""

from __future__ import annotations

import itertools
import re
import tempfile
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mkdocs.commands.build import build
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import MkDocsException
from mkdocs.plugins import BasePlugin
from mkdocs.structure.pages import Page
from mkdocs.utils.templates import TemplateContext

from evaluator.records.errors import UserError

if TYPE_CHECKING:
    from site_src.generator.site import Site

SOURCE = Path(__file__).parents[2] / "docs"
#: The pages in reading order: a path for each kind of reader, then what is looked up. Each page of a path
#: ends with its next one. A page that is missing here, or that is not there, stops the build.
NAVIGATION = {
    "Read a board": [
        *("index.md", "pages.md", "dynascore.md", "rank-sets.md", "measurement.md", "suites.md"),
        "difficulty.md",
    ],
    "Cite a board, use its numbers": ["cite.md", "export.md", "python-tutorial.md"],
    "Submit a model": ["add-a-model.md", "import.md", "metrics.md"],
    "Keep a board": [
        *("tutorial.md", "table.md", "answers.md", "local.md", "logs.md", "data.md", "publish.md"),
        *("try.md", "collect.md", "cluster.md"),
    ],
    "Work on Steelyard": ["architecture.md", "agreement.md", "budgets.md", "threats.md"],
    "Reference": [
        *("reference/commands.md", "reference/board-toml.md", "reference/records.md"),
        *("reference/every-metric.md", "reference/formats.md"),
    ],
}
#: The one file of MkDocs' search that ours needs: the others write results as raw markup.
LUNR = files("mkdocs") / "contrib" / "search" / "templates" / "search" / "lunr.js"
_FRAME = '<div class="table-frame" tabindex="0" role="region" aria-label="Table {}">'
#: A picture that the site colours; a page of the folder has its address.
_PICTURE = re.compile(r'<img alt="(?P<words>[^"]*)" src="(?:\.\./)*(?P<name>[\w-]+\.svg)" />')
#: A cell as Python-Markdown writes it.
_CELL = re.compile(r'<(?P<tag>th|td)(?: style="text-align: (?P<side>\w+);")?>')
#: What a page says of the one after it, where it is read in the repository; on the site links below it do.
_NEXT = re.compile(r"\n<p>Next: .*</p>\s*\Z")


@dataclass(frozen=True)
class DocsPage:
    """A page: its address from that of the first one, and what MkDocs makes of its Markdown.

    `headings` are those of the second level: text as HTML, and address on the page.
    """

    url: str
    title: str
    content: str
    headings: tuple[tuple[str, str], ...]


def write_docs(site: Site, updated: str) -> None:
    """Write all method pages; `updated` is when the newest result was made.

    Raises `UserError`, for example where a link between pages leads nowhere.
    """
    with tempfile.TemporaryDirectory() as scratch:
        made = _made(Path(scratch))
        site.put("method/search/search_index.json", Path(scratch, "search/search_index.json").read_bytes())
    groups = {title: [made[name] for name in names] for title, names in NAVIGATION.items()}
    for pages in groups.values():
        for before, page, after in zip([None, *pages], pages, [*pages[1:], None], strict=False):
            site.write(
                f"method/{page.url}index.html",
                "docs.html",
                1 + page.url.count("/"),
                groups=groups,
                page=page,
                before=before,
                after=after,
                updated=updated,
            )
    for path in sorted(SOURCE.rglob("*")):
        if path.is_file() and path.suffix != ".md":
            site.put(f"method/{path.relative_to(SOURCE).as_posix()}", path.read_bytes())
    site.put("method/search/lunr.js", LUNR.read_bytes())


def _made(folder: Path) -> dict[str, DocsPage]:
    """The pages by file name, made in `folder`, where the index for the search stays."""
    with tempfile.TemporaryDirectory() as theme:
        # Pages are taken before they are written.
        Path(theme, "main.html").touch()
        config, taken = MkDocsConfig(), _Taken()
        config.load_dict(
            {
                "site_name": "Method",
                "docs_dir": str(SOURCE),
                "site_dir": str(folder),
                "theme": {"name": None, "custom_dir": theme, "search_index_only": True},
                "nav": [{title: names} for title, names in NAVIGATION.items()],
                "plugins": ["search"],
                "strict": True,
                "validation": dict.fromkeys(
                    ("omitted_files", "absolute_links", "unrecognized_links", "anchors"), "warn"
                ),
            }
        )
        failed, warnings = config.validate()
        if failed or warnings:
            raise UserError("mkdocs", "; ".join(f"{key}: {problem}" for key, problem in [*failed, *warnings]))
        # What MkDocs adds to every theme is a sitemap: the day of the build, and addresses nobody knows yet.
        config.theme.dirs, config.theme.static_templates = [theme], set()
        config.plugins["steelyard"] = taken
        try:
            build(config)
        except MkDocsException as error:
            raise UserError("mkdocs", str(error)) from error
    return taken.pages


class _Taken(BasePlugin):  # type: ignore[type-arg,no-untyped-call]
    """Takes the pages, by file name."""

    def __init__(self) -> None:
        self.pages: dict[str, DocsPage] = {}

    def on_page_content(self, html: str, **_: Any) -> str:
        """Tables in frames that scroll, without the inline styles that the page's policy refuses.

        Everything that scrolls must be in reach of the keyboard, blocks of code too.
        """
        numbers = itertools.count(1)
        html = html.replace("<pre>", '<pre tabindex="0">').replace("</table>", "</table></div>")
        html = re.sub("<table>", lambda _: _FRAME.format(next(numbers)) + '<table class="plain">', html)
        return _NEXT.sub("", _CELL.sub(_cell, _PICTURE.sub(_drawn, html)))

    def on_page_context(self, context: TemplateContext, /, *, page: Page, **_: Any) -> TemplateContext:
        headings = tuple((part.title, part.url) for whole in page.toc for part in whole.children)
        self.pages[page.file.src_uri] = DocsPage(page.url, str(page.title), str(page.content), headings)
        return context


def _drawn(found: re.Match[str]) -> str:
    """The picture itself in the page, so that it has the colours of the theme."""
    picture = (SOURCE / found["name"]).read_text("utf-8")
    return picture.replace("<svg ", f'<svg role="img" aria-label="{found["words"]}" ', 1)


def _cell(found: re.Match[str]) -> str:
    scope = ' scope="col"' if found["tag"] == "th" else ""
    side = ' class="right num"' if found["side"] == "right" else ""
    return f"<{found['tag']}{scope}{side}>"
