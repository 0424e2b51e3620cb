"""The page that a host shows in place of a missing one, at any depth.

A host sends it as it is for every address, so that no relative address in it is right. Style and scripts
are inline, allowed by their hashes. Its links are full addresses where the board file says where the site
is published; else a script finds out which of the folders above is the site's (`assets/base/not-found.js`),
and until then they are no links.
"""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from pathlib import Path

import jinja2
from markupsafe import Markup

from evaluator.records.board import RESERVED, Boards
from site_src.generator.runtime import SOURCE
from site_src.generator.urls import AbsoluteUrls, Shared, Urls

BASE = SOURCE / "base"
#: How a link begins on a page at the site's root, and what is there until the root is known.
RELATIVE, UNKNOWN = ' href="./', ' data-path="'


@dataclass(frozen=True)
class Policy:
    """What the page's content security policy lets run and apply: hashes of its inline style and scripts."""

    scripts: Markup
    styles: Markup


@dataclass(frozen=True)
class NotFound:
    """What the page contains. `script` is empty where links are full addresses.

    `names` are the folders at the site's root; `file` is one that only this site has, from the root.
    """

    style: Markup
    early: Markup
    script: Markup
    icon: str
    names: tuple[str, ...]
    file: str

    @property
    def policy(self) -> Policy:
        scripts = [text for text in (self.early, self.script) if text]
        return Policy(Markup(" ").join(map(_hash, scripts)), _hash(self.style))


def page(environment: jinja2.Environment, boards: Boards, shared: Shared) -> str:
    """``404.html`` of a site."""
    url = boards.site.url
    urls = AbsoluteUrls(shared, url) if url else Urls(0, shared)
    shown = environment.get_template("404.html").render(site=boards, urls=urls, page=_parts(boards, urls))
    return shown if url else shown.replace(RELATIVE, UNKNOWN)


def _parts(boards: Boards, urls: Urls) -> NotFound:
    icon = base64.b64encode((BASE / "favicon.svg").read_bytes()).decode()
    return NotFound(
        style=_text(BASE / "style.css"),
        early=_text(BASE / "early.js"),
        script=Markup() if urls.site else _text(BASE / "not-found.js"),
        icon=f"data:image/svg+xml;base64,{icon}",
        names=(*RESERVED, *(board.id for board in boards.boards)),
        file=f"{urls.shared.assets}/base/favicon.svg",
    )


def _text(path: Path) -> Markup:
    """A file of this program, to be put into the page as it is."""
    return Markup(path.read_text(encoding="utf-8"))


def _hash(text: str) -> Markup:
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return Markup(f"'sha256-{digest}'")
