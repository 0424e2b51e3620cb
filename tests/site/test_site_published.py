"""A site that knows its address: sitemap, robots.txt, the feed of snapshots, and the pictures that others show."""

from __future__ import annotations

import re
import struct
import xml.etree.ElementTree as ET
from pathlib import Path

import feedparser
import pytest
from click.testing import CliRunner
from site_publish import URL, write_published, write_snapshots
from site_sample import write_crowd

from evaluator.cli import reference
from evaluator.cli.site import build_command
from evaluator.records.board import SiteSpec, load_boards
from evaluator.records.errors import UserError
from site_src.generator import embed, feeds
from site_src.generator.build import build

LOC = "{http://www.sitemaps.org/schemas/sitemap/0.9}loc"
ATOM = "{http://www.w3.org/2005/Atom}"
DRAWING = '<svg xmlns="http://www.w3.org/2000/svg" width="300" height="80"><text x="9" y="50" font-family="FiraGO" font-size="30">{}</text></svg>'


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A built site with three snapshots."""
    folder = tmp_path_factory.mktemp("published")
    boards, results = write_published(folder)
    write_snapshots(boards, results, 3)
    build(boards, results, folder / "build", reference=reference.pages())
    return folder / "build"


def canonical(path: Path) -> list[str]:
    return re.findall(r'<link rel="canonical" href="([^"]*)">', path.read_text(encoding="utf-8"))


def test_the_sitemap_has_every_page_by_its_full_address(published: Path, site_folder: Path) -> None:
    """Pages of the method included, tables to embed left out; robots are told of it. A site without an address has
    none."""
    found = [one.text or "" for one in ET.parse(published / "sitemap.xml").getroot().iter(LOC)]
    assert len(found) == len({*found})
    for address in found:
        assert address.startswith(URL)
        assert canonical(published / address.removeprefix(URL) / "index.html") == [address]
    pages = [path for path in published.rglob("index.html") if path.parent.name != "embed"]
    assert len(found) == len(pages) > 60
    assert f"{URL}method/metrics/" in found
    assert (published / "robots.txt").read_text() == f"User-agent: *\nAllow: /\n\nSitemap: {URL}sitemap.xml\n"
    assert (site_folder / "robots.txt").read_text() == "User-agent: *\nAllow: /\n"
    assert not list(site_folder.glob("sitemap*"))
    assert canonical(site_folder / "index.html") == []


def test_build_says_what_it_leaves_out_without_an_address(tmp_path: Path) -> None:
    """In one line, that names the file and the key."""
    boards, results = write_crowd(tmp_path, 3)
    options = ["--board", str(boards), "--results", str(results), "--output", str(tmp_path / "build")]
    done = CliRunner().invoke(build_command, options)
    assert done.exit_code == 0, done.output
    assert done.output.count("board.toml has no [site] url; no sitemap") == 1


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


def test_links_of_the_page_for_missing_addresses_are_written_out(published: Path) -> None:
    """They are full addresses, which need no script."""
    html = (published / "404.html").read_text(encoding="utf-8")
    links = re.findall(r'<a [^>]*href="([^"#]+)"', html)
    assert len(links) > 8
    for link in links:
        assert (published / link.removeprefix(URL) / "index.html").is_file()
    assert "data-path" not in html
    assert 'type="module"' not in html


def test_a_reader_takes_the_feed(published: Path) -> None:
    """Newest first, each with a title, a time, a full address and what it says; markup in a note stays text."""
    content = (published / "snapshots/feed.xml").read_bytes()
    parsed = feedparser.parse(content, response_headers={"content-type": "application/atom+xml"})
    assert not parsed.bozo
    assert parsed.version == "atom10"
    assert [entry.updated for entry in parsed.entries] == [f"2026-12-0{day}T09:30:00Z" for day in (3, 2, 1)]
    assert parsed.feed.updated == "2026-12-03T09:30:00Z"
    newest = parsed.entries[0]
    assert newest.title == "Sentiment analysis, 2026-12-03 09:30 UTC"
    assert newest.link.startswith(f"{URL}snapshots/20261203T093000Z-")
    assert "First: DeBERTa, RoBERTa and T5. 7 models ranked, weights Macro-F1" in newest.summary
    summary = ET.fromstring(content).findtext(f"{ATOM}entry/{ATOM}summary") or ""
    assert summary.endswith("After </summary><script>alert(1)</script> & the revision")


def test_the_feed_has_all_that_the_standard_asks_for(published: Path) -> None:
    """RFC 4287: ids, titles, times, an author, and links to itself and to the pages."""
    feed = ET.parse(published / "snapshots/feed.xml").getroot()
    for element in (feed, *feed.iter(f"{ATOM}entry")):
        for name in ("id", "title", "updated"):
            assert len(element.findall(f"{ATOM}{name}")) == 1
        assert [link.get("rel") for link in element.iter(f"{ATOM}link")].count("alternate") >= 1
    assert feed.findtext(f"{ATOM}author/{ATOM}name") == "Steelyard"
    [own] = feed.findall(f"{ATOM}link[@rel='self']")
    assert own.get("href") == f"{URL}snapshots/feed.xml"
    ids = [element.text for element in feed.iter(f"{ATOM}id")]
    assert len({*ids}) == len(ids) == 4


def test_only_the_newest_are_in_the_feed(published: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A feed of ten years stays short."""
    monkeypatch.setattr(feeds, "NEWEST", 2)
    folder = published.parent
    feed = feeds.snapshot_feed(load_boards(folder / "board.toml"), folder / "results")
    assert feed is not None
    assert [entry.updated[:10] for entry in feed.entries] == ["2026-12-03", "2026-12-02"]


def test_pages_link_to_the_feed_once_there_is_one(published: Path, site_folder: Path) -> None:
    """A site without snapshots has no feed and does not speak of one."""
    link = 'type="application/atom+xml" title="Snapshots" href="../../../snapshots/feed.xml"'
    page = "sentiment/models/t5/index.html"
    assert link in (published / page).read_text(encoding="utf-8")
    assert "atom+xml" not in (site_folder / page).read_text(encoding="utf-8")
    assert not (site_folder / "snapshots/feed.xml").exists()


def test_every_page_of_a_board_shows_the_boards_picture(published: Path, site_folder: Path) -> None:
    """By its full address, with its size and what it shows. Without an address no page could refer to one."""
    for page in ("sentiment/index.html", "sentiment/models/t5/index.html"):
        html = (published / page).read_text(encoding="utf-8")
        told = dict(re.findall(r'<meta (?:property|name)="((?:og|twitter):[^"]*)" content="([^"]*)">', html))
        assert told["og:image"] == f"{URL}sentiment/social.png"
        assert told["og:url"] == f"{URL}{page.removesuffix('index.html')}"
        assert told["twitter:card"] == "summary_large_image"
        assert told["og:title"].endswith("Sentiment analysis · Steelyard")
        assert told["og:image:alt"]
    pictures = list(published.glob("*/social.png"))
    assert len(pictures) == 7
    for path in pictures:
        size = struct.unpack(">II", path.read_bytes()[16:24])
        assert size == (embed.PICTURE_WIDTH, embed.PICTURE_HEIGHT) == (1200, 630)
    assert not list(site_folder.rglob("social.png"))
    assert "og:" not in (site_folder / "sentiment/index.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("text", ["Ångström", "Ελληνικά", "Русский", "العربية", "עברית", "ไทย", "हिन्दी"])
def test_the_font_that_comes_along_draws_many_scripts(tmp_path: Path, text: str) -> None:
    """The machine's fonts are not used, and no letter is drawn as the box for unknown characters."""
    boxes = "\U000f0000" * len(text)
    assert embed.png(DRAWING.format(text), tmp_path) != embed.png(DRAWING.format(boxes), tmp_path)


def test_a_picture_that_was_made_before_is_not_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An unchanged board costs nothing; the same drawing gives the same bytes in another place."""
    made = embed.png(DRAWING.format("once"), tmp_path / "a")
    assert embed.png(DRAWING.format("once"), tmp_path / "b") == made
    monkeypatch.setattr(embed, "_rendered", lambda *_: 1 / 0)
    assert embed.png(DRAWING.format("once"), tmp_path / "a") == made
    with pytest.raises(ZeroDivisionError):
        embed.png(DRAWING.format("twice"), tmp_path / "a")
