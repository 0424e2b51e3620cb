"""Every internal address on every page leads to a file of the site, and every #id to an element."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

pytestmark = pytest.mark.slow

ADDRESSES = {"href", "src", "data-method", "data-models"}
#: A host serves the page for unknown addresses at any depth; `test_site_not_found` follows its links.
ANYWHERE = "404.html"
#: Folders of the site that hold pages but are none: scripts complete their addresses.
FOLDERS = ("/models/",)


class Page(HTMLParser):
    """The ids and addresses of one page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.addresses: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id":
                self.ids.append(value or "")
            elif name in ADDRESSES:
                self.addresses.append(value or "")


def pages_of(site: Path) -> dict[Path, Page]:
    return {path: Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}


def target_of(page: Path, address: str) -> Path:
    """The file that an address on `page` leads to; a folder stands for its own page."""
    path = unquote(urlsplit(address).path)
    target = page if not path else page.parent / path
    return (target / "index.html" if target.is_dir() else target).resolve()


def is_fragment_of_a_view(fragment: str) -> bool:
    return fragment.startswith("v1;")


def test_every_address_leads_to_a_page_of_the_site(site_folder: Path) -> None:
    """Links between pages, styles and scripts resolve, from every page, to files inside the site."""
    site, checked = site_folder.resolve(), 0
    for path, page in pages_of(site).items():
        if path.name == ANYWHERE:
            continue
        for address in page.addresses:
            if urlsplit(address).scheme:
                continue
            assert not address.startswith("/"), (path, address)
            target = target_of(path, address)
            folder = address.endswith(FOLDERS) and target.parent.is_dir()
            assert folder or target.is_file(), (path, address)
            assert target.is_relative_to(site), (path, address)
            checked += 1
    assert checked > 1000


def test_every_fragment_names_an_element(site_folder: Path) -> None:
    """A link to #id finds that id on the page it leads to."""
    pages, checked = pages_of(site_folder.resolve()), 0
    for path, page in pages.items():
        for address in page.addresses:
            parts = urlsplit(address)
            if parts.scheme or not parts.fragment or is_fragment_of_a_view(parts.fragment):
                continue
            assert unquote(parts.fragment) in pages[target_of(path, address)].ids, (path, address)
            checked += 1
    assert checked > 50


def test_no_id_is_used_twice_on_a_page(site_folder: Path) -> None:
    """An id that two elements have would lead to the wrong one."""
    for path, page in pages_of(site_folder).items():
        assert sorted(page.ids) == sorted(set(page.ids)), path
