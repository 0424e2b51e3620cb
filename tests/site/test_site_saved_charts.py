"""A visitor saves charts: as SVG that stands alone, and as a PNG that looks the same."""

from __future__ import annotations

import io
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from PIL import Image, ImageChops, ImageFilter, ImageStat
from playwright.sync_api import Browser, Locator, Page, expect

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
def test_the_address_in_a_picture_leads_to_the_view(page: Page, site_url: str, tmp_path: Path) -> None:
    """Opened, it has the weights that the picture names."""
    path = saved(page, chart(page, f"{site_url}sentiment/{VIEW}", "Two metrics"), "SVG", tmp_path)
    [address] = re.findall(r"https?://\S+", texts(ET.parse(path).getroot()))
    page.goto("about:blank")
    page.goto(address)
    expect(page.locator("#metric-perf")).to_have_value("4")
    expect(page.locator("#metric-fairness")).to_have_value("0")
    expect(page.get_by_role("tab", name="Two metrics")).to_have_attribute("aria-selected", "true")


@pytest.mark.slow
@pytest.mark.parametrize("name", CHARTS)
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
def test_in_the_dark_a_chart_is_saved_light(browser: Browser, site_url: str, tmp_path: Path) -> None:
    """The same file whatever the page's colours are, on white."""
    files = []
    for scheme in ("light", "dark"):
        context = browser.new_context(color_scheme=scheme)  # type: ignore[arg-type]
        page = context.new_page()
        (tmp_path / scheme).mkdir()
        panel = chart(page, f"{site_url}sentiment/{VIEW}", "Who wins where")
        files.append(saved(page, panel, "SVG", tmp_path / scheme).read_bytes())
        context.close()
    assert files[0] == files[1]
    assert b'fill="#ffffff"' in files[0]


@pytest.mark.slow
def test_names_are_text_in_a_saved_chart(page: Page, site_url: str, tmp_path: Path) -> None:
    """Whatever a model or a metric is called, the file is XML without scripts, links or foreign elements."""
    # It has two metrics, so there is no map of winners, and nobody moves at its own weights.
    for name in CHARTS[1:3]:
        path = saved(page, chart(page, f"{site_url}hostile/", name), "SVG", tmp_path)
        root = ET.parse(path).getroot()
        assert {element.tag.removeprefix(SVG) for element in root.iter()} <= {
            *("svg", "g", "path", "circle", "rect", "line", "text", "title"),
        }
        assert "window.hacked" in ET.tostring(root, "unicode")
        assert not [key for element in root.iter() for key in element.attrib if key.startswith("on")]


@pytest.mark.slow
def test_charts_that_follow_no_weights_are_saved_too(page: Page, site_url: str, tmp_path: Path) -> None:
    """Rounds say that no weight changes them; charts of difficulty, what they rank by."""
    page.goto(f"{site_url}rounds/")
    expect(page.locator("#scorer-state")).to_have_text("ready", timeout=60_000)
    said = texts(ET.parse(saved(page, page.locator(".rounds"), "SVG", tmp_path)).getroot())
    assert "No weight changes this chart" in said
    page.goto(f"{site_url}rounds/difficulty/round-2/")
    expect(page.locator("#scorer-state")).to_have_text("ready", timeout=60_000)
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


@pytest.mark.slow
def test_the_map_of_the_first_page_is_saved_with_its_boards_address(
    page: Page, site_url: str, tmp_path: Path
) -> None:
    """The picture names the board that is tried there, at the visitor's weights, and leads to the whole board."""
    page.goto(site_url)
    page.locator("#metric-weights .slider").first.focus()
    page.keyboard.press("Home")
    expect(page.locator("#announcer")).to_contain_text("Top three", timeout=60_000)
    place = page.locator("#chart-triangle")
    expect(place.locator("svg[role=img]")).to_be_visible()
    path = saved(page, place, "SVG", tmp_path)
    said = texts(ET.parse(path).getroot())
    assert "Who wins where" in said
    assert page.locator("#live-board").evaluate("link => link.href") in said.replace(" ", "")
