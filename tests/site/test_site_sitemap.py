"""Where a site's pages are to be found: sitemap, robots.txt, full addresses."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from click.testing import CliRunner
from site_publish import URL, write_published

from evaluator.cli import reference
from evaluator.cli.site import build_command
from evaluator.records.board import SiteSpec, load_boards
from evaluator.records.errors import UserError
from site_src.generator.build import build

LOC = "{http://www.sitemaps.org/schemas/sitemap/0.9}loc"


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site that knows its address."""
    folder = tmp_path_factory.mktemp("published")
    boards, results = write_published(folder)
    build(boards, results, folder / "build", reference=reference.pages())
    return folder / "build"


def addresses(path: Path) -> list[str]:
    return [element.text or "" for element in ET.parse(path).getroot().iter(LOC)]


def canonical(path: Path) -> list[str]:
    return re.findall(r'<link rel="canonical" href="([^"]*)">', path.read_text(encoding="utf-8"))


def test_the_sitemap_has_every_page_by_its_full_address(published: Path) -> None:
    """Pages of the method included; the tables to embed and the page for what is not there left out."""
    found = addresses(published / "sitemap.xml")
    assert len(found) == len({*found})
    for address in found:
        assert address.startswith(URL)
        assert canonical(published / address.removeprefix(URL) / "index.html") == [address]
    pages = [path for path in published.rglob("index.html") if path.parent.name != "embed"]
    assert len(found) == len(pages) > 60
    assert f"{URL}method/metrics/" in found


def test_a_table_to_embed_names_its_board_as_the_page_to_be_found(published: Path) -> None:
    """So that no search leads to it."""
    assert canonical(published / "sentiment/embed/index.html") == [f"{URL}sentiment/"]


def test_the_page_for_what_is_not_there_has_no_address(published: Path) -> None:
    """It is served at every address that leads nowhere."""
    assert canonical(published / "404.html") == []


def test_robots_are_welcome_and_told_of_the_sitemap(published: Path, site_folder: Path) -> None:
    """If the site has no address, there is no sitemap to refer to."""
    assert (published / "robots.txt").read_text() == f"User-agent: *\nAllow: /\n\nSitemap: {URL}sitemap.xml\n"
    assert (site_folder / "robots.txt").read_text() == "User-agent: *\nAllow: /\n"
    assert not list(site_folder.glob("sitemap*"))
    assert canonical(site_folder / "index.html") == []


def test_build_says_what_it_leaves_out_without_an_address(tmp_path: Path) -> None:
    """In one line, that names the file and the key."""
    for url, told in ((None, 1), (URL, 0)):
        boards, results = write_published(tmp_path / str(told), url)
        options = [
            "--board",
            str(boards),
            "--results",
            str(results),
            "--output",
            str(tmp_path / str(told) / "build"),
        ]
        done = CliRunner().invoke(build_command, options)
        assert done.exit_code == 0, done.output
        assert (
            sum("board.toml has no [site] url; no sitemap" in line for line in done.output.splitlines())
            == told
        )


@pytest.mark.parametrize(
    "url", ["boards.example.org", "ftp://example.org/", "https://example.org/?q=1", 'https://e.org/"x']
)
def test_an_address_that_is_none_is_refused(tmp_path: Path, url: str) -> None:
    """The message names the file and the field."""
    boards, _ = write_published(tmp_path, url.replace('"', '\\"'))
    with pytest.raises(UserError, match=r"board\.toml: site: url: "):
        load_boards(boards)


def test_an_address_ends_in_a_slash() -> None:
    """Whether or not the file has it."""
    assert SiteSpec(url="https://e.org/x").url == SiteSpec(url="https://e.org/x/").url == "https://e.org/x/"
