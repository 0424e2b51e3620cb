"""A visitor saves charts: as SVG that stands alone, and as a PNG that looks the same."""

from __future__ import annotations

import io
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from PIL import Image, ImageChops, ImageFilter, ImageStat
from playwright.sync_api import Browser, Locator, Page, expect
from site_pages import open_board

SVG = "{http://www.w3.org/2000/svg}"
CHARTS = ("Who wins where", "Two metrics", "All metrics", "Default and yours")
VIEW = "#v1;m=perf:4,throughput:1,memory:3,fairness:0,robustness:0"
#: How far the mean colour of two pictures may be apart, of 255: letters are smoothed in more ways than one.
TOLERANCE = 4


def chart(page: Page, address: str, name: str) -> Locator:
    """A chart of a board, drawn at the weights of the address. The ranking at these comes once Python is ready, and is
    then said."""
    page.goto(address)
    expect(page.locator("#announcer")).to_contain_text("Top three", timeout=60_000)
    page.get_by_role("tab", name=name).click()
    panel = page.locator("#tradeoffs").get_by_role("tabpanel")
    panel.scroll_into_view_if_needed()
    expect(panel.locator("svg[role=img]")).to_be_visible()
    return panel


def saved(page: Page, place: Locator, kind: str, folder: Path) -> Path:
    """The file that a press on a chart's line gives."""
    with page.expect_download() as download:
        place.get_by_role("button", name=f"{kind} of").first.click()
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


def texts(root: ET.Element) -> str:
    return " ".join("".join(text.itertext()) for text in root.iter(f"{SVG}text"))


@pytest.mark.slow
@pytest.mark.parametrize("name", CHARTS)
def test_a_saved_chart_stands_alone_and_says_what_it_is(
    page: Page, site_url: str, tmp_path: Path, name: str
) -> None:
    """Title, board, date, weights in words and the address of this very view are in the file; nothing in it needs the
    page's styles or any other file."""
    path = saved(page, chart(page, f"{site_url}sentiment/{VIEW}", name), "SVG", tmp_path)
    assert path.name.startswith("sentiment_20261121T152000Z_perf4-throughput1-memory3")
    root = ET.parse(path).getroot()
    said = texts(root)
    for part in (
        name,
        "Sentiment analysis · results of 2026-11-21 15:20 UTC",
        "Macro-F1 4, Throughput 1, Memory 3",
    ):
        assert part in said
    assert page.url in said.replace(" ", "")
    assert {element.tag.removeprefix(SVG) for element in root.iter()} <= {
        *("svg", "g", "path", "circle", "rect", "line", "text", "title"),
    }
    for element in root.iter():
        assert not element.attrib.keys() & {"class", "style", "href"}
        for paint in ("fill", "stroke"):
            assert re.fullmatch(r"#[0-9a-f]{6}|none", element.get(paint, "none")), element.attrib


@pytest.mark.slow
@pytest.mark.parametrize("name", CHARTS[2:3])
def test_a_png_looks_as_the_svg_does(
    browser: Browser, page: Page, site_url: str, tmp_path: Path, name: str
) -> None:
    """Twice as large, and but for the edges of letters the same picture that a browser makes of the SVG."""
    panel = chart(page, f"{site_url}sentiment/{VIEW}", name)
    vector, raster = saved(page, panel, "SVG", tmp_path), saved(page, panel, "PNG", tmp_path)
    painted = Image.open(raster).convert("RGB")
    root = ET.parse(vector).getroot()
    width, height = int(root.attrib["width"]), int(root.attrib["height"])
    assert painted.size == (2 * width, 2 * height)
    context = browser.new_context(device_scale_factor=2, viewport={"width": width, "height": height})
    shown = context.new_page()
    shown.goto(vector.as_uri())
    drawn = Image.open(io.BytesIO(shown.screenshot())).convert("RGB")
    context.close()
    blurred = [image.filter(ImageFilter.GaussianBlur(4)) for image in (painted, drawn)]
    assert max(ImageStat.Stat(ImageChops.difference(*blurred)).mean) < TOLERANCE
    assert ImageChops.difference(*blurred).convert("L").getextrema()[1] < 100
    # Nothing is compared with nothing.
    assert min(ImageStat.Stat(painted).stddev) > 10


@pytest.mark.slow
def test_charts_that_follow_no_weights_are_saved_too(page: Page, site_url: str, tmp_path: Path) -> None:
    """Rounds say that no weight changes them; charts of difficulty, what they rank by; a model's bar is drawn."""
    page.goto(site_url + "sentiment/")
    page.locator("#rows").get_by_role("link", name="ALBERT", exact=True).click()
    expect(page.locator(".wide-bar polygon[points]:not([points=''])").nth(1)).to_be_attached()
    open_board(page, f"{site_url}rounds/")
    said = texts(ET.parse(saved(page, page.locator(".rounds"), "SVG", tmp_path)).getroot())
    assert "No weight changes this chart" in said
    open_board(page, f"{site_url}rounds/difficulty/round-2/")
    for name in ("beeswarm", "splits", "lines", "sunburst"):
        figure = page.locator(f"#chart-{name}")
        figure.scroll_into_view_if_needed()
        expect(figure.locator("svg").first).to_be_visible()
        root = ET.parse(saved(page, figure, "SVG", tmp_path)).getroot()
        assert "Ranked by WSBias 1." in texts(root)
        assert page.url in texts(root)
        if name == "beeswarm":
            # A dot or a cross for every answer of three models to each example with a difficulty, or fewer, larger ones.
            marks = "".join(path.get("d", "") for path in root.iter(f"{SVG}path"))
            assert marks.count("Z") + marks.count("L") // 2 > 300
