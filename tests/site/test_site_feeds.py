"""The Atom feed of snapshots, read with a feed reader's own parser."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import feedparser
import pytest
from site_publish import URL, write_published, write_snapshots

from site_src.generator import feeds
from site_src.generator.build import build

ATOM = "{http://www.w3.org/2005/Atom}"


def feed_of(folder: Path, url: str | None, days: int) -> bytes:
    boards, results = write_published(folder, url)
    write_snapshots(boards, results, days)
    build(boards, results, folder / "build")
    return (folder / "build/snapshots/feed.xml").read_bytes()


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A built site with three snapshots."""
    folder = tmp_path_factory.mktemp("published")
    feed_of(folder, URL, 3)
    return folder


def test_a_reader_takes_the_feed(published: Path) -> None:
    """Newest first, each with a title, a time, a full address and what it says."""
    content = (published / "build/snapshots/feed.xml").read_bytes()
    parsed = feedparser.parse(content, response_headers={"content-type": "application/atom+xml"})
    assert not parsed.bozo
    assert parsed.version == "atom10"
    assert [entry.updated for entry in parsed.entries] == [f"2026-12-0{day}T09:30:00Z" for day in (3, 2, 1)]
    assert parsed.feed.updated == "2026-12-03T09:30:00Z"
    newest = parsed.entries[0]
    assert newest.title == "Sentiment analysis, 2026-12-03 09:30 UTC"
    assert newest.link.startswith(f"{URL}snapshots/20261203T093000Z-")
    assert "First: DeBERTa, RoBERTa and T5. 7 models ranked, weights Macro-F1" in newest.summary


def test_the_feed_has_all_that_the_standard_asks_for(published: Path) -> None:
    """RFC 4287: ids, titles, times, an author, and links to itself and to the pages."""
    feed = ET.parse(published / "build/snapshots/feed.xml").getroot()
    for element in (feed, *feed.iter(f"{ATOM}entry")):
        for name in ("id", "title", "updated"):
            assert len(element.findall(f"{ATOM}{name}")) == 1
        assert [link.get("rel") for link in element.iter(f"{ATOM}link")].count("alternate") >= 1
    assert feed.findtext(f"{ATOM}author/{ATOM}name") == "Steelyard"
    assert feed.find(f"{ATOM}link[@rel='self']").get("href") == f"{URL}snapshots/feed.xml"  # type: ignore[union-attr]
    ids = [element.text for element in feed.iter(f"{ATOM}id")]
    assert len({*ids}) == len(ids) == 4


def test_a_note_stays_text(published: Path) -> None:
    """Markup and marks that turn text around come to nothing."""
    feed = ET.parse(published / "build/snapshots/feed.xml").getroot()
    summary = feed.findtext(f"{ATOM}entry/{ATOM}summary") or ""
    assert summary.endswith("After </summary><script>alert(1)</script> & the revision")


def test_ids_stay_whatever_address_the_site_has_and_whatever_comes(published: Path, tmp_path: Path) -> None:
    """A reader shows no entry twice when the site moves or a snapshot is added."""
    before = [e.text for e in ET.parse(published / "build/snapshots/feed.xml").getroot().iter(f"{ATOM}id")]
    after = [e.text for e in ET.fromstring(feed_of(tmp_path, None, 4)).iter(f"{ATOM}id")]
    assert after[0] == before[0]
    assert after[2:] == before[1:]


def test_without_an_address_links_are_relative_to_the_feed(tmp_path: Path) -> None:
    """They lead to the snapshots' folders beside the feed."""
    feed = ET.fromstring(feed_of(tmp_path, None, 1))
    [entry] = feed.iter(f"{ATOM}entry")
    links = {link.get("rel"): link.get("href") or "" for link in entry.iter(f"{ATOM}link")}
    assert links["alternate"].startswith("20261201T093000Z-")
    assert links["related"] == f"{links['alternate']}snapshot.json"


def test_only_the_newest_are_in_the_feed(published: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A feed of ten years stays short."""
    from evaluator.records.board import load_boards

    monkeypatch.setattr(feeds, "NEWEST", 2)
    feed = feeds.snapshot_feed(load_boards(published / "board.toml"), published / "results")
    assert feed is not None
    assert [entry.updated[:10] for entry in feed.entries] == ["2026-12-03", "2026-12-02"]


def test_pages_link_to_the_feed_once_there_is_one(published: Path, site_folder: Path) -> None:
    """A site without snapshots has no feed and does not speak of one."""
    link = 'type="application/atom+xml" title="Snapshots" href="../../../snapshots/feed.xml"'
    page = "sentiment/models/t5/index.html"
    assert link in (published / "build" / page).read_text(encoding="utf-8")
    assert "atom+xml" not in (site_folder / page).read_text(encoding="utf-8")
    assert not (site_folder / "snapshots/feed.xml").exists()
