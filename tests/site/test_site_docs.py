"""The method pages: complete, in the site's look, readable without script, and searched offline."""

from __future__ import annotations

import re
import shutil
from html import unescape
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from site_sample import write_world

from evaluator.cli import reference
from evaluator.rank.dynascore import Board, RankedMetric
from evaluator.records.board import load_boards
from evaluator.records.errors import UserError
from evaluator.records.store import Store
from site_src.generator import site
from site_src.generator.pages import docs
from site_src.generator.pages.docs import NAVIGATION
from site_src.generator.urls import Shared

#: A board file, and its results.
World = tuple[Path, Path]
ROOT = Path(__file__).parents[2]
PAGES = [name.removesuffix(".md") for names in NAVIGATION.values() for name in names]
ADDRESSES = ["method/" if name == "index" else f"method/{name}/" for name in PAGES]


def html_of(site: Path, address: str) -> str:
    return (site / address / "index.html").read_text(encoding="utf-8")


def publish(output: Path, world: World) -> None:
    """The method pages alone, as a build makes them."""
    boards, results = world
    shared = Shared(assets="assets/a", scorer="scorer/b", runtime="runtime/c")
    made = site.Site(output, load_boards(boards), shared, Store(results), output)
    docs.write_docs(made, "2026-11-21 15:20 UTC")


@pytest.fixture
def world(tmp_path: Path) -> World:
    return write_world(tmp_path)


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The Markdown, in a folder where a test may spoil it."""
    folder = Path(shutil.copytree(docs.SOURCE, tmp_path / "docs"))
    monkeypatch.setattr(docs, "SOURCE", folder)
    return folder


def test_every_page_is_there_in_the_look_of_the_site(site_folder: Path) -> None:
    """Each page has the masthead, the list of pages with itself marked, its contents and its neighbours on its path."""
    written = {path.relative_to(docs.SOURCE).as_posix() for path in docs.SOURCE.rglob("*.md")}
    assert {name.removesuffix(".md") for name in written} == set(PAGES)
    firsts, lasts = zip(*((names[0], names[-1]) for names in NAVIGATION.values()), strict=True)
    for name, address in zip(PAGES, ADDRESSES, strict=True):
        html = html_of(site_folder, address)
        assert '<nav aria-label="Boards">' in html
        assert re.search(r'<a href="[./]*method/[^"]*" aria-current="page">[^<]', html)
        assert len(re.findall("<h1", html)) == 1
        assert ('rel="prev"' in html) is (f"{name}.md" not in firsts)
        assert ('rel="next"' in html) is (f"{name}.md" not in lasts)
        assert "<p>Next: " not in html


def test_the_reference_is_in_the_site(site_folder: Path) -> None:
    """Every command, key and field stands on its pages as in the code."""
    for name, text in reference.pages().items():
        html = html_of(site_folder, f"method/{name.removesuffix('.md')}/")
        shown = set(map(unescape, re.findall(r"<td><code>(.*?)</code></td>", html)))
        rows = set(re.findall(r"^\| `([^`]+)` \|", text, re.MULTILINE))
        assert rows <= shown
        assert len(rows) > 10


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("about.md", "[gone](gone.md)"),
        ("about.md", "[gone](dynascore.md#gone)"),
        ("about.md", "[absolute](/method/)"),
        ("new.md", "# A page that is in no list"),
    ],
)
def test_a_link_to_nowhere_and_a_lost_page_stop_the_build(
    tmp_path: Path, source: Path, world: World, name: str, text: str
) -> None:
    """A page that is not in the navigation, or a broken link, stops the build with an error."""
    with (source / name).open("a", encoding="utf-8") as page:
        page.write(f"\n{text}\n")
    with pytest.raises(UserError, match="mkdocs"):
        publish(tmp_path / "site", world)


def test_the_worked_example_is_what_the_scorer_says(site_folder: Path) -> None:
    """The numbers of the example are those of the module that ranks every board."""
    models, f1, speed = ["Ada", "Bea", "Cyd"], [90.0, 85.0, 80.0], [10.0, 30.0, 20.0]
    board = Board(
        models, [RankedMetric("f1"), RankedMetric("speed")], {"d": {"f1": f1, "speed": speed}}, "f1"
    )
    ranking = board.rank({"f1": 1.0, "speed": 1.0})
    html = html_of(site_folder, "method/dynascore/")
    assert ranking.exchange_rates["speed"].rate == 3.0
    assert "÷ 2 = 3 ex/s for a point of F1" in html
    for row in ranking.rows:
        line = re.search(rf"<td>{row.model}</td>.*?½.*?</tr>", html, re.DOTALL)
        assert line is not None
        assert f'{row.dynascore:.2f}</td>\n<td class="right num">{row.rank}</td>' in line[0]


def test_every_part_of_an_address_is_documented() -> None:
    """The grammars on the page have the keys that the code reads, no more and no fewer."""
    page = (docs.SOURCE / "pages.md").read_text(encoding="utf-8")
    tables = page.split("### What is hard")
    for name, table in zip(("view/fragment.js", "view/difficulty-state.js"), tables, strict=True):
        code = (ROOT / "site_src/assets" / name).read_text(encoding="utf-8")
        read = set(re.findall(r'^  \[\s*"(\w)",\s*"', code, re.MULTILINE))
        told = re.findall(r"^\| (`\w`(?:, `\w`)*) \|", table, re.MULTILINE)
        assert len(read) > 10
        assert read == set(re.findall(r"\w", "".join(told)))


def search(page: Page, words: str) -> None:
    page.get_by_label("Search the method pages").fill(words)


@pytest.mark.slow
def test_a_search_finds_the_section_and_asks_nobody_else(browser: Browser, site_url: str) -> None:
    """The index comes from the site when the box is first used; the policy has nothing to refuse."""
    context = browser.new_context()
    page = context.new_page()
    asked: list[str] = []
    said: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: said.append(message.text))
    page.goto(site_url + "method/metrics/")
    expect(page.get_by_label("Search the method pages")).to_be_visible()
    assert not any("search_index" in url for url in asked)
    search(page, "percentiles of latency")
    first = page.locator("#docs-results li").first
    expect(first.locator("mark").first).to_have_text(re.compile("latency|percentiles", re.IGNORECASE))
    title = first.get_by_role("link").inner_text()
    first.get_by_role("link").click()
    expect(page.locator(":target")).to_contain_text(title)
    assert any("search_index" in url for url in asked)
    assert all(url.startswith(site_url) for url in asked)
    assert said == []
    context.close()


@pytest.mark.slow
def test_without_script_all_pages_can_be_reached_and_read(browser: Browser, site_url: str) -> None:
    """No search box that could do nothing; the list of pages is there, on a phone in a menu."""
    context = browser.new_context(java_script_enabled=False, viewport={"width": 320, "height": 800})
    page = context.new_page()
    page.goto(site_url + "method/")
    expect(page.locator("#docs-search")).to_be_hidden()
    page.locator(".docs-menu summary").click()
    page.locator(".docs-menu").get_by_role("link", name="Metrics", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Metrics")
    context.close()
