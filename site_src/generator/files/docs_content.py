"""What MkDocs makes of the Markdown of the method pages."""

from __future__ import annotations

import itertools
import re
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mkdocs.commands.build import build
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import MkDocsException
from mkdocs.plugins import BasePlugin
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from mkdocs.utils.templates import TemplateContext

from site_src.generator.files.docs import NAVIGATION, Docs, DocsError, DocsHeading, DocsPage

_FRAME = '<div class="table-frame" tabindex="0" role="region" aria-label="Table {}">'
#: A cell as Python-Markdown writes it.
_CELL = re.compile(r'<(?P<tag>th|td)(?: style="text-align: (?P<side>\w+);")?>')


def content_of(source: Path, generated: Mapping[str, str]) -> Docs:
    """The pages of the Markdown in `source`, and of what is `generated`, by file name.

    Raises `DocsError`, for example where a link between pages leads nowhere.
    """
    with tempfile.TemporaryDirectory() as scratch:
        theme, output = Path(scratch) / "theme", Path(scratch) / "site"
        theme.mkdir()
        # Pages are taken before they are written.
        (theme / "main.html").touch()
        config = _config(source, output, theme)
        taken = _Taken(generated)
        config.plugins["steelyard"] = taken
        try:
            build(config)
        except MkDocsException as error:
            raise DocsError(f"mkdocs: {error}") from error
        search = (output / "search" / "search_index.json").read_text(encoding="utf-8")
    names = [name for group in NAVIGATION for pages in group.values() for name in pages]
    return Docs(tuple(taken.pages[name] for name in names), search)


def _config(source: Path, folder: Path, theme: Path) -> MkDocsConfig:
    config = MkDocsConfig()
    config.load_dict(
        {
            "site_name": "Method",
            "docs_dir": str(source),
            "site_dir": str(folder),
            "theme": {"name": None, "custom_dir": str(theme), "search_index_only": True},
            "nav": NAVIGATION,
            "plugins": ["search"],
            "strict": True,
            "validation": {
                "omitted_files": "warn",
                "absolute_links": "warn",
                "unrecognized_links": "warn",
                "anchors": "warn",
            },
        }
    )
    failed, warnings = config.validate()
    if failed or warnings:
        raise DocsError("; ".join(f"mkdocs, {key}: {problem}" for key, problem in [*failed, *warnings]))
    # What MkDocs adds to every theme is a sitemap: the day of the build, and addresses nobody knows yet.
    config.theme.dirs, config.theme.static_templates = [str(theme)], set()
    return config


class _Taken(BasePlugin):  # type: ignore[type-arg,no-untyped-call]
    """Gives MkDocs the `generated` Markdown, and takes the pages, by file name."""

    def __init__(self, generated: Mapping[str, str]) -> None:
        self.generated = generated
        self.pages: dict[str, DocsPage] = {}

    def on_files(self, files: Files, /, *, config: MkDocsConfig) -> Files:
        for name, content in self.generated.items():
            files.append(File.generated(config, name, content=content))
        return files

    def on_page_content(self, html: str, **_: Any) -> str:
        return _framed(html)

    def on_page_context(self, context: TemplateContext, /, *, page: Page, **_: Any) -> TemplateContext:
        headings = [DocsHeading(part.title, part.url) for whole in page.toc for part in whole.children]
        self.pages[page.file.src_uri] = DocsPage(
            page.url, str(page.title), str(page.content), tuple(headings)
        )
        return context


def _framed(html: str) -> str:
    """Tables in frames that scroll, without the inline styles that the page's policy refuses.

    Everything that scrolls must be in reach of the keyboard, blocks of code too.
    """
    numbers = itertools.count(1)
    html = html.replace("<pre>", '<pre tabindex="0">').replace("</table>", "</table></div>")
    html = re.sub("<table>", lambda _: _FRAME.format(next(numbers)) + '<table class="plain">', html)
    return _CELL.sub(_cell, html)


def _cell(found: re.Match[str]) -> str:
    scope = ' scope="col"' if found["tag"] == "th" else ""
    side = ' class="right num"' if found["side"] == "right" else ""
    return f"<{found['tag']}{scope}{side}>"
