"""Every internal address on every page leads to a file of the site, and every #id to an element."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

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


def test_every_address_leads_to_a_page_of_the_site_and_its_element(site_folder: Path) -> None:
    """Links, styles and scripts resolve, from every page, to files inside the site, and #id to the one such element."""
    site, checked = site_folder.resolve(), 0
    pages = pages_of(site)
    for path, page in pages.items():
        assert sorted(page.ids) == sorted(set(page.ids)), path
        for address in page.addresses if path.name != ANYWHERE else ():
            parts = urlsplit(address)
            if parts.scheme:
                continue
            assert not address.startswith("/"), (path, address)
            target = target_of(path, address)
            folder = address.endswith(FOLDERS) and target.parent.is_dir()
            assert folder or target.is_file(), (path, address)
            assert target.is_relative_to(site), (path, address)
            if parts.fragment and not parts.fragment.startswith("v1;"):
                assert unquote(parts.fragment) in pages[target].ids, (path, address)
            checked += 1
    assert checked > 1000
