"""Names are data: whatever they hold, nothing runs and nothing bursts."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page, expect
from site_pages import open_board
from site_sample import HOSTILE

PAGES = [
    "",
    "hostile/",
    "hostile/compare/#v1;k=h0,h1,h5,h6",
    "hostile/datasets/hostile/",
    "hostile/difficulty/hostile/",
    "hostile/suites/hostile/h/",
    *(f"hostile/models/h{index}/" for index in (0, 1, 6, 13)),
]
#: Every part of a view that an address may say (see fragment.js), with room for a payload.
VIEWS = [
    *("{}", "{}=1", "m={}:1", "m=perf:{}", "d={}:1", "b={}", "e={}:1", "e=relative:{}", "g={}", "y={}"),
    *("r={}", "r=model:{}", "s={}:up", "s=perf:{}", "h={}", "p={},h0", "q={}", "f={}:x", "f=tag:{}"),
    *("f=licence:{}", "f=provenance:{}", "f=size:{}", "k={},h0,h1", "x={},perf", "t={},perf,speed", "o={}"),
    *("w={}", "l={}", "n={}", "c={}", "c={}:most:1", "c=perf:{}:1", "c=perf:most:{}", "a={}"),
]
#: Markup, a very long word and one that runs the other way; as an address should say it, and as it should not.
PAYLOADS = [*map(quote, HOSTILE[:7]), HOSTILE[1], HOSTILE[3]]
#: Show each fragment as a visitor does who edits the address; say which ran a script or burst the page.
TRY_FRAGMENTS = """
async (fragments) => {
  const painted = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  const faults = [];
  for (const fragment of fragments) {
    location.hash = fragment;
    await painted();
    const { scrollWidth, scrollHeight } = document.documentElement;
    if (window.hacked !== undefined) faults.push(`ran: ${fragment.slice(0, 80)}`);
    if (scrollWidth > innerWidth) faults.push(`${scrollWidth} px wide: ${fragment.slice(0, 80)}`);
    if (scrollHeight > 12000) faults.push(`${scrollHeight} px high: ${fragment.slice(0, 80)}`);
    delete window.hacked;
  }
  return faults;
}
"""


def test_names_with_markup_run_nothing(page: Page, unguarded_url: str) -> None:
    """Script, attribute, SVG and island payloads stay text, also without the policy."""
    for address in PAGES:
        page.goto(unguarded_url + address)
        assert page.evaluate("window.hacked") is None
    open_board(
        page, unguarded_url + "hostile/#v1;m=perf:3,%3Cimg%20src%3Dx%20onerror%3Dwindow.hacked%3D1%3E:2"
    )
    expect(page.locator("#announcer")).to_contain_text("Top three")
    expect(page.locator("#notice")).to_contain_text("<img src=x onerror=window.hacked=1>")
    page.locator("#rows tr").first.hover()
    assert page.evaluate("window.hacked") is None
    expect(page.locator("#rows img, #rows script")).to_have_count(0)


@pytest.mark.slow
@pytest.mark.parametrize("address", ["hostile/", "hostile/compare/"])
def test_addresses_with_markup_run_nothing_and_burst_nothing(
    page: Page, unguarded_url: str, address: str
) -> None:
    """Anything in any part of an address, encoded or not, is read as text or refused."""
    page.set_viewport_size({"width": 320, "height": 800})
    open_board(page, unguarded_url + address)
    faults = page.evaluate(TRY_FRAGMENTS, ["v1;" + view.format(text) for view in VIEWS for text in PAYLOADS])
    page.set_viewport_size({"width": 1440, "height": 900})
    faults += page.evaluate(TRY_FRAGMENTS, ["v1;" + view.format(PAYLOADS[6]) for view in VIEWS])
    assert not faults, "\n".join(faults)


@pytest.mark.slow
def test_hostile_names_do_not_burst_the_layout(page: Page, site_url: str) -> None:
    """Ten thousand letters and right-to-left overrides leave every page as wide as the screen."""
    for address in PAGES:
        page.goto(site_url + address)
        for width in (320, 1440):
            page.set_viewport_size({"width": width, "height": 800})
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (width, address)
            assert page.evaluate("document.documentElement.scrollHeight < 12000"), (width, address)


def test_the_policy_binds_the_worker(page: Page, site_url: str) -> None:
    """Inside a worker started as the scorer is, eval and other origins are refused."""
    page.goto(site_url + "solo/")
    asked = """
      () => new Promise((resolve) => {
        const source = `
          const said = [];
          try { eval("1"); said.push("eval ran"); } catch { said.push("eval refused"); }
          fetch("https://example.org/").then(() => said.push("fetched"), () => said.push("fetch refused"))
            .then(() => postMessage(said));`;
        const worker = new Worker(URL.createObjectURL(new Blob([source], { type: "text/javascript" })), { type: "module" });
        worker.onerror = (event) => resolve([event.message]);
        worker.onmessage = ({ data }) => resolve(data);
      })
    """
    assert page.evaluate(asked) == ["eval refused", "fetch refused"]


@pytest.mark.slow
def test_nothing_is_asked_of_another_origin(browser: Browser, site_url: str) -> None:
    """Every request of a board that ranks goes to the site itself, under its sub-path."""
    context = browser.new_context()
    page = context.new_page()
    asked: list[str] = []
    context.on("request", lambda request: asked.append(request.url))
    open_board(page, site_url + "sentiment/")
    assert [url for url in asked if not url.startswith((site_url, "blob:" + site_url[:20]))] == []
    assert any(url.endswith("dynascore.py") for url in asked)
    context.close()


def test_the_scorer_is_the_very_file(site_folder: Path) -> None:
    """What the browser fetches is evaluator/rank/dynascore.py, byte for byte."""
    shipped = next((site_folder / "scorer").rglob("dynascore.py"))
    source = Path(__file__).parents[2] / "evaluator" / "rank" / "dynascore.py"
    assert shipped.read_bytes() == source.read_bytes()
