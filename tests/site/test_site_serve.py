"""The preview server: what is outside the site stays outside, whatever address is asked for."""

from __future__ import annotations

import http.client
from collections.abc import Iterator
from pathlib import Path

import pytest
from site_server import served


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A site with a page, a secret beside it, and links to both."""
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "index.html").write_text("secret")
    folder = tmp_path / "site"
    (folder / "page").mkdir(parents=True)
    (folder / "page" / "index.html").write_text("page")
    (folder / "404.html").write_text("not here")
    (folder / "inside").symlink_to("page")
    (folder / "out").symlink_to("../secret")
    (folder / "out.html").symlink_to("../secret/index.html")
    (folder / "loop").symlink_to("loop")
    (folder / "hidden").mkdir()
    (folder / "hidden" / "index.html").symlink_to("../../secret/index.html")
    return folder


@pytest.fixture
def address(site: Path) -> Iterator[str]:
    with served(site) as root:
        yield root


def answer(address: str, path: str) -> tuple[int, str]:
    connection = http.client.HTTPConnection(address.split("/")[2], timeout=30)
    connection.request("GET", f"/steelyard/{path}")
    reply = connection.getresponse()
    return reply.status, reply.read().decode()


@pytest.mark.parametrize("path", ["page/", "page/index.html", "inside/", "inside/index.html"])
def test_pages_are_served(address: str, path: str) -> None:
    """What lies in the site is found, also by a link within it."""
    assert answer(address, path) == (200, "page")


@pytest.mark.parametrize(
    "path",
    [
        "out/",
        "out/index.html",
        "out.html",
        "hidden/",
        "hidden/index.html",
        "loop",
        "%00",
        "page/%00/",
        "%ed%a0%80",
        "x" * 5000,
    ],
)
def test_nothing_else_is_found(address: str, path: str, capfd: pytest.CaptureFixture[str]) -> None:
    """Links out of the site, and what is no path at all, are answered with the page for missing addresses."""
    assert answer(address, path) == (404, "not here")
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("folder", ["assets", "runtime", "scorer"])
def test_files_under_a_hash_are_kept_and_others_are_asked_for_again(
    site: Path, address: str, folder: str
) -> None:
    """Another build gives what changed another address; what is missing is kept by nobody."""
    named = site / folder / "0123456789ab" / "a.js"
    named.parent.mkdir(parents=True)
    named.write_text("1")
    (site / folder / "a.js").write_text("1")
    kept = {"a.js": False, "0123456789ab/a.js": True, "0123456789ab/b.js": False}
    for name, forever in kept.items():
        connection = http.client.HTTPConnection(address.split("/")[2], timeout=30)
        connection.request("GET", f"/steelyard/{folder}/{name}")
        said = connection.getresponse().getheader("Cache-Control")
        assert said == ("max-age=31536000, immutable" if forever else "no-cache")
