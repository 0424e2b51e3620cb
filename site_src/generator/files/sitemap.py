"""``sitemap.xml`` and ``robots.txt``: the pages that search engines are to find."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from urllib.parse import quote

from markupsafe import escape

#: Addresses that one file may hold, as https://www.sitemaps.org/protocol.html has it.
LARGEST = 50_000
PAGE = "index.html"
NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"


def write_sitemap(folder: Path, url: str | None, kept: Iterable[str] = ()) -> None:
    """Write where the site's pages are, in `folder` or among the `kept` files, if its address `url` is known.

    A sitemap holds full addresses only, so without `url` there is none. Tables in frames of
    other pages are left out: searches should lead to the board.
    """
    robots = "User-agent: *\nAllow: /\n"
    if url is not None:
        _write_maps(folder, url, kept)
        robots += f"\nSitemap: {url}sitemap.xml\n"
    (folder / "robots.txt").write_text(robots, encoding="utf-8")


def _write_maps(folder: Path, url: str, kept: Iterable[str]) -> None:
    """One file, or as many as it takes and one that names them."""
    addresses = [f"{url}{quote(page)}" for page in _pages(folder, kept)]
    parts = [addresses[start : start + LARGEST] for start in range(0, len(addresses), LARGEST)]
    if len(parts) == 1:
        _write(folder / "sitemap.xml", "urlset", "url", addresses)
        return
    names = [f"sitemap-{number}.xml" for number in range(1, len(parts) + 1)]
    for name, part in zip(names, parts, strict=True):
        _write(folder / name, "urlset", "url", part)
    _write(folder / "sitemap.xml", "sitemapindex", "sitemap", [f"{url}{name}" for name in names])


def _pages(folder: Path, kept: Iterable[str]) -> list[str]:
    """Addresses of all pages from the root, in order."""
    written = (path.relative_to(folder).as_posix() for path in folder.rglob(PAGE))
    pages = (path.removesuffix(PAGE) for path in (*written, *kept) if f"/{path}".endswith(f"/{PAGE}"))
    return sorted(page for page in pages if not page.endswith("/embed/"))


def _write(path: Path, root: str, entry: str, addresses: list[str]) -> None:
    lines = [f"<{entry}><loc>{escape(address)}</loc></{entry}>\n" for address in addresses]
    text = [
        '<?xml version="1.0" encoding="UTF-8"?>\n',
        f'<{root} xmlns="{NAMESPACE}">\n',
        *lines,
        f"</{root}>\n",
    ]
    path.write_text("".join(text), encoding="utf-8")
