"""A link shows at once what it says: what is asked for when, what rows are until Python is there, and second visits."""

from __future__ import annotations

import io
import posixpath
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect
from site_pages import Gate, open_board, shows, type_weight
from site_server import served

from site_src.generator.scripts import SOURCE, preloaded, with_imports

#: The default ranking, and the one at the preset "Edge device".
DEFAULT = ["DeBERTa", "RoBERTa", "T5", "ALBERT", "BERT", "Majority Baseline", "FastText"]
#: The rows and what they say, but for the rank sets, which take Python.
SAID = (
    "rows => [...rows.querySelectorAll('.place, .model, .score > .num, .change')].map((e) => e.textContent)"
)
#: The addresses of the files that the site's service worker keeps.
KEPT = """
async () => {
  const name = (await caches.keys()).find((one) => one.includes(" files "));
  return name ? (await (await caches.open(name)).keys()).map(({ url }) => url) : [];
}
"""
#: Whether Python's memory is kept, as it was.
MEMORY = """
async () => {
  const name = (await caches.keys()).find((one) => one.includes(" memory "));
  const [answer] = name ? await (await caches.open(name)).matchAll() : [];
  return Boolean(answer) && !answer.headers.has("spoilt");
}
"""
#: Puts, in the place of the memory that is kept, what a function makes of it.
SPOIL = """
async () => {
  const name = (await caches.keys()).find((one) => one.includes(" memory "));
  const cache = await caches.open(name);
  const [address] = await cache.keys();
  const memory = new Uint8Array(await (await cache.match(address)).arrayBuffer());
  await cache.put(address, new Response((%s)(memory), { headers: { spoilt: "" } }));
}
"""


def test_a_page_asks_at_once_for_all_that_its_scripts_import(site_folder: Path) -> None:
    """Each module that a page of any kind starts with, and nothing that it uses later; the files exist."""
    kinds = set()
    for page in site_folder.rglob("*.html"):
        html = page.read_text(encoding="utf-8")
        at = page.parent.relative_to(site_folder).as_posix()
        scripts = [_asset(at, src) for src in re.findall(r'<script type="module" src="([^"]+)"', html)]
        asked = [_asset(at, src) for src in re.findall(r'<link rel="modulepreload" href="([^"]+)"', html)]
        if "base/every-page.js" not in scripts:
            continue
        kinds.add(tuple(scripts))
        assert {*asked} == {*preloaded(*scripts)}, page
    assert len(kinds) > 6


def _asset(folder: str, address: str) -> str:
    """The name of an asset that a page in a folder of the site names."""
    found = re.fullmatch(r"assets/[0-9a-f]{12}/(.+)", posixpath.normpath(posixpath.join(folder, address)))
    assert found, address
    return found[1]


def test_a_model_page_does_without_what_only_a_re_weighted_one_needs() -> None:
    """The scorer and the view come where the page was opened from such a board; links carry its address on at once."""
    names = preloaded("pages/at-weights.js", "charts/figures.js", "base/every-page.js")
    assert [name for name in names if name.startswith(("scorer/", "view/", "parts/"))] == ["view/links.js"]
    assert "scorer/scorer.js" in with_imports(SOURCE, ["pages/at-weights.js"])


@pytest.mark.slow
def test_a_link_to_a_preset_is_ranked_before_python_is_there(page: Page, site_url: str) -> None:
    """Rows, ranks, scores and changes are those that Python then finds; only what Python says in words is pale."""
    python = Gate(page, "**/pyodide.asm.wasm")
    page.goto(site_url + "sentiment/#v1;m=perf:1,throughput:1,memory:1,fairness:0,robustness:0")
    expect(page.locator("#weights-name")).to_have_text("Edge device")
    expect(page.locator("#rows tr").nth(2)).to_have_attribute("data-model", "fasttext")
    before = page.locator("#rows").evaluate(SAID)
    assert "▲4" in " ".join(before)
    expect(page.locator("#main")).to_have_class(re.compile("words-late"))
    expect(page.locator(".late-line")).to_have_count(0)
    expect(page.locator("#scorer-state")).to_have_text("loading")
    expect(page.locator("#scorer-detail")).not_to_contain_text("default ranking")
    python.open()
    expect(page.locator("#scorer-state")).to_have_text("on")
    expect(page.locator("#main")).not_to_have_class(re.compile("late"))
    assert page.locator("#rows").evaluate(SAID) == before


@pytest.mark.slow
def test_rows_that_are_not_yet_those_of_the_link_say_so(page: Page, site_url: str) -> None:
    """They are pale, and a line says what is awaited and how much of it has come; then both are gone."""
    python = Gate(page, "**/pyodide.asm.wasm")
    page.goto(site_url + "sentiment/#v1;m=perf:0.25")
    expect(page.locator(".late-line")).to_have_text(
        re.compile(r"^Re-ranking at \W*Macro-F1\W* 0\.25: .* of [45]\.\d MB$")
    )
    rows = page.locator("#rows")
    assert float(rows.evaluate("rows => getComputedStyle(rows).opacity")) < 0.5
    shows(page, DEFAULT)
    page.get_by_role("button", name="Edge device").click()
    expect(page.locator(".late-line")).to_have_count(0)
    expect(page.locator("#rows tr").nth(2)).to_have_attribute("data-model", "fasttext")
    page.go_back()
    expect(page.locator(".late-line > span")).to_be_visible()
    python.open()
    expect(page.locator("#rows th > a").first).to_have_text("Majority Baseline")
    expect(page.locator(".late-line")).to_have_count(0)
    assert float(rows.evaluate("rows => getComputedStyle(rows).opacity")) == 1


@pytest.mark.slow
def test_rows_that_never_become_those_of_the_link_say_so(page: Page, site_url: str) -> None:
    """Without Python they stay pale, in the order of other weights, as the line says."""
    page.route("**/pyodide.asm.wasm", lambda route: route.abort())
    page.goto(site_url + "sentiment/#v1;m=perf:0.25")
    expect(page.locator("#problem")).to_contain_text("Live ranking is off", timeout=60_000)
    expect(page.locator(".late-line")).to_have_text(
        "Not re-ranked: the rows are in the order of other weights"
    )
    shows(page, DEFAULT)
    type_weight(page, "#metric-perf", "0.5")
    expect(page.locator("#weights-list")).to_contain_text("0.5")
    expect(page.locator(".late-line")).to_have_text(
        "Not re-ranked: the rows are in the order of other weights"
    )


@pytest.mark.slow
def test_a_page_loads_no_more_of_python_than_ranking_takes(page: Page, site_url: str) -> None:
    """Ranking at other weights, its words, charts and first places come from the lean Python."""
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    open_board(page, site_url + "sentiment/")
    type_weight(page, "#metric-perf", "0.25")
    expect(page.locator("#rows th > a").first).to_have_text("Majority Baseline")
    expect(page.locator("#ranking-frame")).to_have_attribute("aria-busy", "false")
    python = [url for url in asked if "/runtime/" in url]
    assert len(python) >= 4
    assert all("/lean/" in url for url in python)


@pytest.mark.slow
@pytest.mark.parametrize("lacking", ["all", "random.pyc"])
def test_a_page_goes_on_with_all_of_python(
    page: Page, site_url: str, site_folder: Path, lacking: str
) -> None:
    """Where the lean one does not come, and where a part of it is missing once it is used."""
    [path] = site_folder.glob("runtime/*/lean/python_stdlib.zip")
    if lacking == "all":
        page.route("**/lean/python_stdlib.zip", lambda route: route.abort())
    else:
        less = io.BytesIO()
        with zipfile.ZipFile(path) as library, zipfile.ZipFile(less, "w") as smaller:
            for name in library.namelist():
                if name != lacking:
                    smaller.writestr(name, library.read(name))
        page.route(
            "**/lean/python_stdlib.zip",
            lambda route: route.fulfill(body=less.getvalue(), content_type="application/zip"),
        )
    with page.expect_request(re.compile(r"/runtime/\w+/python_stdlib.zip")):
        open_board(page, site_url + "sentiment/")
    type_weight(page, "#metric-perf", "0.25")
    expect(page.locator("#rows th > a").first).to_have_text("Majority Baseline")
    expect(page.locator("#ranking-frame")).to_have_attribute("aria-busy", "false")
    expect(page.locator("#main")).not_to_have_class(re.compile("late"))


@pytest.mark.slow
def test_a_browser_that_saves_data_loads_python_when_it_is_used(browser: Browser, site_url: str) -> None:
    """Reading takes none of it; the first press on a control, or a link to other weights, brings it."""
    context = browser.new_context()
    context.add_init_script("Object.defineProperty(navigator, 'connection', { value: { saveData: true } })")
    asked: list[str] = []
    context.on("request", lambda request: asked.append(request.url))
    page = context.new_page()
    page.goto(site_url + "sentiment/")
    expect(page.locator("#scorer-state")).to_have_text("loads when you use a control")
    page.wait_for_load_state("networkidle")
    assert not [url for url in asked if "/runtime/" in url]
    type_weight(page, "#metric-perf", "0.25")
    expect(page.locator("#rows th > a").first).to_have_text("Majority Baseline")
    page.goto("about:blank")
    page.goto(site_url + "sentiment/#v1;m=perf:0.25")
    expect(page.locator("#rows th > a").first).to_have_text("Majority Baseline")
    context.close()


@pytest.fixture
def keeping(browser: Browser) -> Iterator[BrowserContext]:
    """A visitor whose browser keeps what pages ask it to."""
    context = browser.new_context()
    yield context
    context.close()


@pytest.mark.slow
def test_a_second_visit_needs_no_network(keeping: BrowserContext, site_folder: Path) -> None:
    """With the host gone the page opens, ranks at other weights and says how sure that is; Python goes on from its memory,
    which has what ranks."""
    with served(site_folder) as address:
        page = keeping.new_page()
        open_board(page, address + "sentiment/")
        _kept(page, "pyodide.asm.wasm", "page_words.py", "pages/board.js", "base/style.css")
        _memory(page)
    # Connections that are open might still be answered.
    keeping.set_offline(True)
    assert not _again(page)


@pytest.mark.slow
@pytest.mark.parametrize(
    "spoil", ["() => 'no memory'", "memory => memory.fill(1, 0, 8)", "memory => memory.fill(0, 1000000)"]
)
def test_memory_that_is_broken_gives_way_to_a_start(
    keeping: BrowserContext, site_url: str, spoil: str
) -> None:
    """What is no memory, that of another Python, and one with a hole: Python starts as on a first visit, and what it
    remembers now takes the place of that."""
    page = keeping.new_page()
    open_board(page, site_url + "sentiment/")
    _memory(page)
    page.evaluate(SPOIL % spoil)
    assert _again(page)
    _memory(page)
    assert not _again(page)


@pytest.mark.slow
def test_a_full_disk_costs_no_page(keeping: BrowserContext, site_folder: Path) -> None:
    """Pages that cannot be kept are shown as they are now, also those that nobody has seen before."""
    with served(site_folder) as address:
        page = keeping.new_page()
        open_board(page, address + "sentiment/")
        _kept(page, "page_words.py")
        full = {"origin": address.rstrip("/"), "quotaSize": 1}
        keeping.new_cdp_session(page).send("Storage.overrideQuotaForOrigin", full)
        for path in ("sentiment/", "measured/"):
            page.goto(address + path)
            expect(page.locator("#rows tr").first).to_be_visible()
        assert not page.evaluate("() => caches.match(location.href).then(Boolean)")


@pytest.mark.slow
def test_what_an_earlier_build_left_is_dropped(keeping: BrowserContext, site_folder: Path) -> None:
    """Once a page names another folder of scripts, the old one goes, and the pages that needed it; Python stays."""
    with served(site_folder) as address:
        page = keeping.new_page()
        open_board(page, address + "sentiment/")
        _kept(page, "page_words.py")
        newer = f"{address}assets/{'0' * 12}/pages/board.js"
        page.evaluate(
            "keep => navigator.serviceWorker.ready.then(({ active }) => active.postMessage({ keep }))",
            [newer],
        )
        for _ in range(150):
            left = page.evaluate(KEPT)
            if not any("/assets/" in url for url in left):
                break
            page.wait_for_timeout(200)
        assert left
        assert not any("/assets/" in url for url in left)
        assert any(url.endswith("pyodide.asm.wasm") for url in left)


def _again(page: Page) -> list[str]:
    """Visit a page again, and rank at other weights; what is asked for of the scorer's files that are loaded first."""
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.reload()
    expect(page.locator("#scorer-state")).to_have_text("on")
    type_weight(page, "#metric-perf", "0.25")
    expect(page.locator("#rows th > a").first).to_have_text("Majority Baseline")
    expect(page.locator("#ranking-frame")).to_have_attribute("aria-busy", "false")
    assert any("python_stdlib.zip" in url for url in asked)
    return [url for url in asked if "dynascore.py" in url]


def _memory(page: Page) -> None:
    """Wait until Python's memory is kept."""
    for _ in range(150):
        if page.evaluate(MEMORY):
            return
        page.wait_for_timeout(200)
    pytest.fail("no memory is kept")


def _kept(page: Page, *names: str) -> list[str]:
    """The addresses of what the browser has kept, once these files are among them."""
    for _ in range(150):
        found: list[str] = page.evaluate(KEPT)
        if all(any(address.endswith(name) for address in found) for name in names):
            return found
        page.wait_for_timeout(200)
    pytest.fail(f"not kept: {names}; kept: {found}")
