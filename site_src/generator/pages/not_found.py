"""The page that a host shows in place of a missing one, at any depth.

A host sends it as it is for every address, so that no relative address in it is right. Style and scripts
are inline, allowed by their hashes. Its links are full addresses where the board file says where the site
is published; else a script finds out which of the folders above is the site's (`assets/base/not-found.js`),
and until then they are no links.
"""

from __future__ import annotations

import base64
import hashlib

import jinja2
from markupsafe import Markup

from evaluator.records.board import RESERVED, Boards
from site_src.generator.scripts import SOURCE
from site_src.generator.urls import Shared, Urls

BASE = SOURCE / "base"
#: How a link begins on a page at the site's root, and what is there until the root is known.
RELATIVE, UNKNOWN = ' href="./', ' data-path="'


def page(environment: jinja2.Environment, boards: Boards, shared: Shared) -> str:
    """``404.html`` of a site."""
    url = boards.site.url
    urls = Urls(0, shared, site=url)
    urls.root = url or urls.root
    style, early, script = (_text(name) for name in ("style.css", "early.js", "not-found.js"))
    scripts = [early] if url else [early, script]
    icon = base64.b64encode((BASE / "favicon.svg").read_bytes()).decode()
    shown = environment.get_template("404.html").render(
        site=boards,
        urls=urls,
        style=style,
        scripts=scripts,
        # What the policy lets run and apply: hashes of the inline style and scripts.
        allowed=Markup(" ").join(map(_hash, scripts)),
        applied=_hash(style),
        icon=f"data:image/svg+xml;base64,{icon}",
        # The folders at the site's root, and a file that only this site has.
        names=(*RESERVED, *(board.id for board in boards.boards)),
        file=f"{shared.assets}/base/favicon.svg",
    )
    return shown if url else shown.replace(RELATIVE, UNKNOWN)


def _text(name: str) -> Markup:
    """A file of this program, to be put into the page as it is."""
    return Markup((BASE / name).read_text(encoding="utf-8"))


def _hash(text: str) -> Markup:
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return Markup(f"'sha256-{digest}'")
