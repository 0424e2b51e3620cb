"""What others show of a site: sitemap, feed, pictures, tables to embed, badges."""

from __future__ import annotations

import json
import re
import struct
import xml.etree.ElementTree as ET
from pathlib import Path

import feedparser
import pytest
from click.testing import CliRunner
from playwright.sync_api import Browser, Page, expect
from site_sample import write_crowd
from site_snapshots import NOTE, SITE, Frozen

from evaluator.cli.site import build_command
from evaluator.records.board import SiteSpec, load_boards
from evaluator.records.errors import UserError
from site_src.generator import embed
from site_src.generator.build import build

LOC = "{http://www.sitemaps.org/schemas/sitemap/0.9}loc"


ATOM = "{http://www.w3.org/2005/Atom}"


DRAWING = '<svg xmlns="http://www.w3.org/2000/svg" width="300" height="80"><text x="9" y="50" font-family="FiraGO" font-size="30">{}</text></svg>'


@pytest.fixture
def published(frozen: Frozen) -> Path:
    """A built site with snapshots, which knows its address."""
    return frozen.site


def canonical(path: Path) -> list[str]:
    return re.findall(r'<link rel="canonical" href="([^"]*)">', path.read_text(encoding="utf-8"))


def test_the_sitemap_has_every_page_by_its_full_address(published: Path, site_folder: Path) -> None:
    """Pages of the method included, tables to embed left out; robots are told of it. A site without an address has
    none."""
    found = [one.text or "" for one in ET.parse(published / "sitemap.xml").getroot().iter(LOC)]
    assert len(found) == len({*found})
    for address in found:
        assert address.startswith(SITE)
        page = published / address.removeprefix(SITE) / "index.html"
        # The page of a snapshot was there before anybody knew its address.
        assert canonical(page) == ([] if (page.parent / "snapshot.json").exists() else [address])
    pages = [path for path in published.rglob("index.html") if path.parent.name != "embed"]
    assert len(found) == len(pages) > 60
    assert f"{SITE}method/metrics/" in found
    assert (
        published / "robots.txt"
    ).read_text() == f"User-agent: *\nAllow: /\n\nSitemap: {SITE}sitemap.xml\n"
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
def test_an_address_that_is_none_is_refused(frozen: Frozen, tmp_path: Path, url: str) -> None:
    """The message names the file and the field."""
    file = tmp_path / "board.toml"
    file.write_text(frozen.boards.read_text().replace(SITE, url.replace('"', '\\"')))
    with pytest.raises(UserError, match=r"board\.toml: site: url: "):
        load_boards(file)


def test_an_address_ends_in_a_slash() -> None:
    """Whether or not the file has it."""
    assert SiteSpec(url="https://e.org/x").url == SiteSpec(url="https://e.org/x/").url == "https://e.org/x/"


def test_links_of_the_page_for_missing_addresses_are_written_out(published: Path) -> None:
    """They are full addresses, which need no script."""
    html = (published / "404.html").read_text(encoding="utf-8")
    links = re.findall(r'<a [^>]*href="([^"#]+)"', html)
    assert len(links) > 8
    for link in links:
        assert (published / link.removeprefix(SITE) / "index.html").is_file()
    assert "data-path" not in html
    assert 'type="module"' not in html


def test_a_reader_takes_the_feed(published: Path) -> None:
    """Newest first, each with a title, a time, a full address and what it says; markup in a note stays text."""
    content = (published / "snapshots/feed.xml").read_bytes()
    parsed = feedparser.parse(content, response_headers={"content-type": "application/atom+xml"})
    assert not parsed.bozo
    assert parsed.version == "atom10"
    assert [entry.updated[:10] for entry in parsed.entries] == [
        "2027-01-17",
        *["2027-01-16"] * 3,
        "2027-01-15",
    ]
    newest, oldest = parsed.entries[0], parsed.entries[-1]
    assert parsed.feed.updated == newest.updated == "2027-01-17T08:00:00Z"
    assert oldest.title == "Sentiment analysis, 2027-01-15 08:00 UTC"
    assert oldest.link.startswith(f"{SITE}snapshots/20270115T080000Z-")
    assert "First: DeBERTa, RoBERTa and T5. 7 models ranked, weights Macro-F1" in oldest.summary
    summaries = [
        entry.findtext(f"{ATOM}summary") or "" for entry in ET.fromstring(content).iter(f"{ATOM}entry")
    ]
    assert summaries[-1].endswith(NOTE)


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
        assert told["og:image"] == f"{SITE}sentiment/social.png"
        assert told["og:url"] == f"{SITE}{page.removesuffix('index.html')}"
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


RANKED = ["DeBERTa", "RoBERTa", "T5", "ALBERT", "BERT", "Majority Baseline", "FastText"]


@pytest.mark.slow
@pytest.mark.parametrize("width", [300, 400])
def test_the_table_fits_into_a_narrow_frame(page: Page, site_url: str, width: int) -> None:
    """Rank, model, score and the base metric, without scrolling sideways; nothing to navigate by."""
    page.set_content(f'<iframe src="{site_url}sentiment/embed/" width="{width}" height="480"></iframe>')
    frame = page.frame_locator("iframe")
    expect(frame.locator("tbody th")).to_have_text(RANKED)
    expect(frame.locator("tbody tr").first.locator("td:visible, th:visible")).to_have_text(
        ["1", "DeBERTa", "71.26", "76.07"]
    )
    assert frame.locator("html").evaluate("page => page.scrollWidth <= page.clientWidth")
    expect(frame.locator("nav, header, script, form")).to_have_count(0)


@pytest.mark.slow
def test_a_table_to_embed_has_the_marks_of_its_board(own_site: Path) -> None:
    """How each model's numbers came about, what the marks mean, and who is no better than a constant answer."""
    html = (own_site / "build/sst-2/embed/index.html").read_text(encoding="utf-8")
    rows = re.findall(r"<tr.*?</tr>", html[html.index("<tbody") :])
    assert sum("models/majority/" in row for row in rows) == 1
    for row in rows:
        assert ("no better than a constant answer" in row) == ("models/majority/" in row)
        assert 'class="mark mark-measured"' in row
    assert re.search(r'Numbers: <span class="mark mark-measured"[^>]*></span>measured', html)


@pytest.mark.slow
def test_the_code_to_embed_is_in_the_menu(browser: Browser, site_url: str) -> None:
    """What is copied is a frame of this very board, its title marked as an attribute needs it."""
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.goto(site_url + "hostile/")
    page.locator("#export-menu summary").click()
    page.get_by_role("button", name="Copy the HTML that embeds the table").click()
    expect(page.locator("#export-status")).to_have_text("HTML to embed copied")
    copied = page.evaluate("navigator.clipboard.readText()")
    page.set_content(copied)
    frame = page.locator("iframe")
    expect(frame).to_have_attribute("src", f"{site_url}hostile/embed/")
    expect(frame).to_have_attribute("title", "<i onclick=window.hacked=1>Hostile</i>")
    expect(page.locator("body > *")).to_have_count(1)
    context.close()


def test_a_long_board_shows_its_first_models_and_how_many_there_are(tmp_path: Path) -> None:
    """The frame leads to the rest."""
    boards, results = write_crowd(tmp_path, 115)
    build(boards, results, tmp_path / "build")
    html = (tmp_path / "build/sentiment/embed/index.html").read_text(encoding="utf-8")
    assert html.count("<tr>") == 101
    assert "15 more models on the board" in html


def test_every_board_can_be_embedded_and_none_runs_a_script(site_folder: Path) -> None:
    """An empty board, and one whose names are hostile, included."""
    pages = list(site_folder.glob("*/embed/index.html"))
    assert len(pages) == 7
    for path in pages:
        html = path.read_text(encoding="utf-8")
        assert "default-src 'none'; style-src 'self'" in html
        assert "<script" not in html
        assert '<meta name="robots" content="noindex">' in html


SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize(
    ("rank", "text"),
    [
        (1, "1st"),
        (2, "2nd"),
        (3, "3rd"),
        (4, "4th"),
        (11, "11th"),
        (12, "12th"),
        (13, "13th"),
        (21, "21st"),
        (112, "112th"),
        (1002, "1002nd"),
    ],
)
def test_places_are_said_as_people_say_them(rank: int, text: str) -> None:
    """Eleventh to thirteenth are exceptions, in every hundred."""
    assert embed.ordinal(rank) == text


def test_every_model_has_a_badge_that_says_its_place(site_folder: Path) -> None:
    """The picture's title, its two texts and the JSON say the same."""
    pictures = sorted(site_folder.glob("*/badges/*.svg"))
    assert {(p.parts[-3], p.stem) for p in pictures} == {
        (p.parts[-4], p.parts[-2]) for p in site_folder.glob("*/models/*/index.html")
    }
    for path in pictures:
        root = ET.parse(path).getroot()
        label, message = (element.text for element in root.iter(f"{SVG}text"))
        assert root.get("aria-label") == root.findtext(f"{SVG}title")
        document = json.loads(path.with_suffix(".json").read_bytes())
        assert document == {
            "schemaVersion": 1,
            "label": label,
            "message": message,
            "color": document["color"],
        }
    third = ET.parse(site_folder / "sentiment/badges/t5.svg").getroot()
    assert third.findtext(f"{SVG}title") == "3rd of 7 on Sentiment analysis, 2026-11-21"
    broken = json.loads((site_folder / "measured/badges/broken.json").read_bytes())
    assert broken["message"] == "not ranked, 2026-11-21"


def test_a_badge_loads_nothing_and_runs_nothing(site_folder: Path) -> None:
    """A badge is shown in other people's pages: no script, no link, no style, whatever the names contain."""
    for path in site_folder.glob("*/badges/*.svg"):
        tags = {element.tag.removeprefix(SVG) for element in ET.parse(path).getroot().iter()}
        assert tags <= {"svg", "title", "rect", "path", "g", "text"}
        assert not re.search(
            r"href|url\(|\son\w+=", re.sub(r">[^<]*<|\"[^\"]*\"", "", path.read_text(encoding="utf-8"))
        )


@pytest.mark.slow
def test_the_markdown_names_this_site_even_where_its_address_was_not_known(
    page: Page, site_url: str, site_folder: Path
) -> None:
    """The builder leaves a place for the address, and the page fills it in."""
    path = "measured/models/vader/"
    assert embed.UNKNOWN in (site_folder / path / "index.html").read_text(encoding="utf-8")
    page.goto(site_url + path)
    snippet = (
        f"[![4th of 5 on Measured here, 2026-11-21]({site_url}measured/badges/vader.svg)]({site_url}{path})"
    )
    expect(page.get_by_label("For a README, as Markdown.")).to_have_value(snippet)
    assert page.locator("img.badge").evaluate("image => image.naturalHeight") == embed.BADGE_HEIGHT
