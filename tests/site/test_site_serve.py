"""The preview server, and the page for missing addresses as any host sends it."""

from __future__ import annotations

import base64
import gzip
import hashlib
import http.client
import json
import re
import subprocess
import threading
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from site_server import served

from site_src.generator.serve import preview_server


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


def test_files_are_sent_compressed_to_those_who_take_it(site: Path, address: str) -> None:
    """As hosts send them; what is in a zip, or small, as it is. What has not changed is not sent again."""
    content = b"export const a = 1;\n" * 500
    for name in ("a.js", "a.zip", "a.wasm"):
        (site / name).write_bytes(content)
    sizes = {}
    for name in ("a.js", "a.zip", "a.wasm", "page/"):
        connection = http.client.HTTPConnection(address.split("/")[2], timeout=30)
        connection.request("GET", f"/steelyard/{name}", headers={"Accept-Encoding": "gzip, br"})
        reply = connection.getresponse()
        body = reply.read()
        sizes[name] = len(body)
        if reply.getheader("Content-Encoding") == "gzip":
            assert gzip.decompress(body) == content
            assert reply.getheader("Vary") == "Accept-Encoding"
        known = {"Accept-Encoding": "gzip", "If-Modified-Since": reply.getheader("Last-Modified") or ""}
        connection.request("GET", f"/steelyard/{name}", headers=known)
        assert connection.getresponse().status == 304
    assert sizes["a.js"] == sizes["a.wasm"] < 200
    assert (sizes["a.zip"], sizes["page/"]) == (len(content), 4)
    assert answer(address, "a.js") == (200, content.decode())


def test_a_file_that_was_written_anew_is_sent_anew(site: Path, address: str) -> None:
    """The page of the newest build, not the one that was compressed before."""
    for text in ("first", "second"):
        (site / "a.html").write_text(text * 1000)
        connection = http.client.HTTPConnection(address.split("/")[2], timeout=30)
        connection.request("GET", "/steelyard/a.html", headers={"Accept-Encoding": "gzip"})
        assert gzip.decompress(connection.getresponse().read()).decode() == text * 1000


SCRIPT = Path(__file__).parents[2] / "site_src" / "assets" / "base" / "not-found.js"


BELOW = ["x", "sentiment/modles/bert/", "a/b/c/d/e.html"]


@pytest.fixture(params=["/steelyard/", "/", "/lab/boards/"])
def root(site_folder: Path, request: pytest.FixtureRequest) -> Iterator[str]:
    """Address of the site's root, under sub-paths of different lengths; ends in a slash."""
    server = preview_server(site_folder, 0, request.param)
    threading.Thread(target=server.serve_forever, args=[0.05], daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}{request.param}"
    server.shutdown()
    server.server_close()


def links_on(page: Page) -> list[str]:
    links: list[str] = page.eval_on_selector_all("a:not(.skip)", "all => all.map((a) => a.href)")
    return links


def status(address: str) -> int:
    with urllib.request.urlopen(address) as answer:
        return int(answer.status)


@pytest.mark.slow
def test_every_link_leads_to_a_page_at_any_depth(page: Page, root: str) -> None:
    """The style is applied, nothing is refused, each link answers 200, and only the page itself is answered with 404."""
    complaints: list[str] = []
    failed: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("response", lambda answer: failed.append(answer.url) if answer.status >= 400 else None)
    page.on("requestfailed", lambda request: failed.append(request.url))
    for below in BELOW:
        page.goto(root + below)
        expect(page.locator("a.brand")).to_have_attribute("href", re.compile("."))
        assert page.evaluate("getComputedStyle(document.querySelector('.lead')).fontSize") == "16px"
        links = links_on(page)
        assert len(links) > 8
        assert root in links
        assert {status(link) for link in set(links)} == {200}
    # Elsewhere the page has to try which folder is the site's.
    assert failed == [root + below for below in BELOW] or not root.endswith("/steelyard/")
    assert [text for text in complaints if "Content Security Policy" in text] == []


def test_without_javascript_no_link_leads_astray(browser: Browser, site_url: str) -> None:
    """The page has its style and says what to do; links that nobody knows are none."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{site_url}a/b/c")
    expect(page.locator("noscript > p")).to_be_visible()
    assert "shorten the address" in page.locator("noscript").inner_html()
    expect(page.locator("a[href]:not(.skip)")).to_have_count(0)
    assert "data:image/svg+xml" in page.content()
    context.close()


def test_only_what_stands_in_the_page_may_run(site_folder: Path) -> None:
    """The policy has the hash of each script and style, and no other source of them."""
    html = (site_folder / "404.html").read_text(encoding="utf-8")
    [policy] = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', html)
    scripts = re.findall(r"<script[^>]*>(.*?)</script>", html, re.DOTALL)
    styles = re.findall(r"<style>(.*?)</style>", html, re.DOTALL)
    assert (len(scripts), len(styles)) == (2, 1)
    assert f"script-src {' '.join(map(hashed, scripts))};" in policy
    assert f"style-src {hashed(styles[0])};" in policy
    assert "default-src 'none'" in policy
    assert not re.search(r"<[^>]+\s(style|on\w+|src)=", re.sub(r'"[^"]*"', '""', html))


def hashed(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


@pytest.mark.parametrize(
    ("path", "folders"),
    [
        ("/x", ["/"]),
        ("/site/x", ["/site/", "/"]),
        ("/site/x/", ["/site/", "/", "/site/x/"]),
        ("/lab/site/board/x/y", ["/lab/site/", "/lab/", "/", "/lab/site/board/", "/lab/site/board/x/"]),
        ("/board/board/x", ["/board/", "/", "/board/board/"]),
    ],
)
def test_likely_folders_come_first(path: str, folders: list[str]) -> None:
    """What holds a folder of the site's own, then a project's folder, then the host's root, then the rest."""
    code = "const { folders } = await import(process.argv[1]); console.log(JSON.stringify(folders(process.argv[2], ['board'])));"
    done = subprocess.run(
        ["node", "--input-type=module", "--eval", code, SCRIPT.as_uri(), path],
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout) == folders
