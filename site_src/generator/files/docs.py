"""The method pages, made into pages of the site's own look by MkDocs.

They are Markdown in `site_src/docs`; those of the reference are generated from the code (`reference`).
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any, cast

import jinja2
from mkdocs.commands.build import build
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import MkDocsException
from mkdocs.plugins import BasePlugin
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from mkdocs.utils.templates import TemplateContext

from site_src.generator.files import reference
from site_src.generator.urls import Shared, Urls

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


_FRAME = '<div class="table-frame" tabindex="0" role="region" aria-label="Table {}">'
#: A cell as Python-Markdown writes it.
_CELL = re.compile(r'<(?P<tag>th|td)(?: style="text-align: (?P<side>\w+);")?>')


class DocsError(RuntimeError):
    """Method pages that MkDocs cannot build; the message is that of MkDocs."""


def publish_docs(
    source: Path,
    output: Path,
    templates: Path,
    environment: jinja2.Environment,
    shared: Shared,
    context: Mapping[str, Any],
) -> None:
    """Write the method pages of `source`, and the index that their search reads, to ``method/`` in `output`.

    The theme is ``docs/main.html`` under `templates`; `environment` renders it, with `context` and what
    MkDocs gives to any theme. Raises `DocsError`, for example where a link between pages leads nowhere.
    """
    folder, theme = output / "method", templates / "docs"
    loader = jinja2.FileSystemLoader([theme, templates])
    config = _config(source, folder, theme)
    config.plugins["steelyard"] = _HouseStyle(environment.overlay(loader=loader), shared, context)
    try:
        build(config)
    except MkDocsException as error:
        raise DocsError(f"mkdocs: {error}") from error
    # Of the search plugin's files our search needs only lunr: the others write results as raw markup.
    lunr = files("mkdocs.contrib.search") / "templates" / "search" / "lunr.js"
    (folder / "search" / "lunr.js").write_bytes(lunr.read_bytes())


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


class _HouseStyle(BasePlugin):  # type: ignore[type-arg,no-untyped-call]
    """Gives MkDocs the site's own templates, which escape what they show."""

    def __init__(self, environment: jinja2.Environment, shared: Shared, context: Mapping[str, Any]) -> None:
        self.environment, self.shared, self.context = environment, shared, context

    def on_env(self, env: jinja2.Environment, **_: Any) -> jinja2.Environment:
        return self.environment

    def on_files(self, files: Files, /, *, config: MkDocsConfig) -> Files:
        for name, content in reference.pages().items():
            files.append(File.generated(config, name, content=content))
        return files

    def on_page_context(self, context: TemplateContext, /, *, page: Page, **_: Any) -> TemplateContext:
        site = self.context["site"].site.url
        urls = Urls(1 + page.url.count("/"), self.shared, f"method/{page.url}", site)
        return cast(TemplateContext, {**context, **self.context, "urls": urls})

    def on_page_content(self, html: str, **_: Any) -> str:
        return _framed(html)


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
