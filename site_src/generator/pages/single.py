"""A board as one HTML file, which ranks anew where it lies: on a disk, or among the artefacts of a CI job.

A page that was opened as a file may load nothing, so all of it is in the page. Styles are inline, modules are
addresses of ``data:`` in an import map, and Python lies, deflated, in script elements that are never run; see
``site_src/single``. The page's policy lets nothing be fetched. Its links lead to the published site where the
board file says where that is; else names stay, as texts, and links that say more than a name are left out.
"""

from __future__ import annotations

import base64
import hashlib
import re
import zlib
from collections.abc import Callable
from typing import TYPE_CHECKING

from markupsafe import Markup

from evaluator.rank import FILES as RANK_FILES
from site_src.generator.pages.board import POLICIES, BoardView
from site_src.generator.pages.snapshot import newest_citation
from site_src.generator.runtime import RANK, lean_runtime, runtime_files
from site_src.generator.scripts import SOURCE, readdressed, with_imports
from site_src.generator.urls import Shared, Urls

if TYPE_CHECKING:
    from site_src.generator.site import Site

SCRIPTS = SOURCE.parent
#: What the page runs, in this order: the worker is hired first, as Python takes longest.
MODULES = ("single/start.js", "assets/base/every-page.js", "assets/pages/board.js")
WORKER = "single/worker.js"

#: How addresses begin of what is put into the page, and of other pages of a site that has no address.
ASSET, NOWHERE = "asset:", "nowhere:"
_STYLE = re.compile(rf'<link rel="stylesheet" href="{ASSET}([^"]+)">')
_PICTURE = re.compile(r'url\("([\w-]+\.svg)"\)')
_LINK = re.compile(
    rf'<a (?P<before>[^>]*?)href="{NOWHERE}[^"]*"(?P<after>[^>]*)>(?P<text>.*?)</a>', re.DOTALL
)
#: What stays of such a link: a name, which as data has a direction of its own, and what a script looks for.
KEPT = ('dir="auto"', ' id="')


class SingleUrls(Urls):
    """Addresses as seen from a file that lies nowhere in particular."""

    def __init__(self, site: str | None) -> None:
        super().__init__(0, Shared("", "", ""), site=site)
        self.root = site or NOWHERE

    def asset(self, name: str) -> str:
        return f"{ASSET}{name}"


def single_page(site: Site, view: BoardView) -> str:
    """The board's page with all that it loads. The same inputs make the same bytes."""
    published = site.boards.site.url
    latest = site.newest.get(view.spec.id) if published else None
    newest = None
    if latest:
        address = f"{published}snapshots/{latest.id}/"
        newest = newest_citation(site.store.root, latest, view, site.boards.title, address)
    context = {
        "site": site.boards,
        "urls": SingleUrls(published),
        "view": view,
        "policies": POLICIES,
        "latest": latest,
        # The numbers of another one would have to be fetched.
        "newest": newest if newest and newest.whole else None,
        "icon": _data_address("image/svg+xml", (SOURCE / "base/favicon.svg").read_bytes()),
        "early": Markup((SOURCE / "base/early.js").read_text(encoding="utf-8")),
        "started": MODULES,
        "addresses": {
            name: _script_address(name, script) for name, script in with_imports(SCRIPTS, MODULES).items()
        },
        "worker": _nested(WORKER),
        "files": {name: _packed(content) for name, content in _files(site, view).items()},
    }
    template = site.environment.get_template("single.html")

    def render(nonce: str) -> str:
        return _without_dead_links(_with_styles(template.render(**context, nonce=nonce), nonce))

    # What was written into the page by a name cannot know the hash of the page, and so runs nothing.
    return render(hashlib.sha256(render("").encode()).hexdigest()[:32])


def _files(site: Site, view: BoardView) -> dict[str, bytes]:
    """What the worker loads, by name."""
    python = lean_runtime(site.cache) or runtime_files(site.cache)
    files = {name: path.read_bytes() for name, path in python.items()}
    files.update((name, (RANK / name).read_bytes()) for name in RANK_FILES)
    if view.certainty.file and view.certainty.content:
        files[view.certainty.file] = view.certainty.content
    if view.prices:
        files[view.prices.file] = view.prices.content
    return files


def _packed(content: bytes) -> str:
    return base64.b64encode(zlib.compress(content, 9)).decode()


def _data_address(kind: str, content: bytes) -> str:
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"


def _script_address(name: str, script: bytes, address: Callable[[str], str] = lambda name: name) -> str:
    return _data_address("text/javascript", readdressed(name, script, address))


def _nested(name: str) -> str:
    """The address of a script that holds those of its imports: a worker has no import map."""
    return _script_address(name, (SCRIPTS / name).read_bytes(), _nested)


def _with_styles(page: str, nonce: str) -> str:
    """The page with its styles in it, and the pictures that these name."""

    def inline(found: re.Match[str]) -> str:
        path = SOURCE / found[1]

        def picture(named: re.Match[str]) -> str:
            return f'url("{_data_address("image/svg+xml", (path.parent / named[1]).read_bytes())}")'

        style = _PICTURE.sub(picture, path.read_text(encoding="utf-8"))
        return f'<style nonce="{nonce}">\n{style}</style>'

    return _STYLE.sub(inline, page)


def _without_dead_links(page: str) -> str:
    """The page without links to where nothing is, and without those that say no name."""

    def kept(link: re.Match[str]) -> str:
        if not any(mark in link[0] for mark in KEPT):
            return ""
        return f"<a {link['before']}{link['after'].strip()}>{link['text']}</a>"

    return _LINK.sub(kept, page)
