"""A visitor looks at trade-offs: two metrics, all metrics, who wins where, default and yours; and saves charts."""

from __future__ import annotations

import io
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from PIL import Image, ImageChops, ImageFilter, ImageStat
from playwright.sync_api import Browser, Locator, Page, expect
from site_pages import becomes, open_board
from site_sample import TABLE_2

COST = {"perf": False, "throughput": False, "memory": True, "fairness": False, "robustness": False}


VALUES = {label: dict(zip(COST, values, strict=True)) for label, *values in TABLE_2.values()}


def open_charts(page: Page, address: str) -> Locator:
    """Open a board, wait until its scorer is ready, and scroll to its charts."""
    open_board(page, address)
    section = page.locator("#tradeoffs")
    section.scroll_into_view_if_needed()
    return section


def tab(section: Locator, name: str) -> Locator:
    """Open a chart; its panel."""
    section.get_by_role("tab", name=name).click()
    return section.get_by_role("tabpanel")


def table(panel: Locator) -> list[list[str]]:
    """Open the table behind a chart; its rows."""
    panel.get_by_text("The numbers behind this chart").click()
    rows = panel.locator(".numbers tbody tr")
    expect(rows).not_to_have_count(0)
    return [row.locator("th, td").all_text_contents() for row in rows.all()]


def front_of(x: str, y: str) -> set[str]:
    """The models of Table 2 that no other beats at two metrics, by comparing all of them."""

    def goods(name: str) -> tuple[float, float]:
        a, b = (-VALUES[name][metric] if COST[metric] else VALUES[name][metric] for metric in (x, y))
        return a, b

    def beaten(name: str) -> bool:
        a, b = goods(name)
        return any(c >= a and d >= b and (c, d) != (a, b) for c, d in map(goods, VALUES))

    return {name for name in VALUES if not beaten(name)}


@pytest.mark.slow
def test_the_front_of_two_metrics_is_drawn_and_said(page: Page, site_url: str) -> None:
    """Marks, staircase, names, sentence and table agree on the models that no other beats."""
    panel = tab(open_charts(page, site_url + "sentiment/"), "Two metrics")
    best = front_of("throughput", "perf")
    assert 1 < len(best) < len(VALUES)
    expect(panel.locator(".finding")).to_contain_text(f"No model beats these {len(best)} on both")
    expect(panel.locator(".staircase")).to_have_count(1)
    expect(panel.locator(".marks.front circle")).to_have_count(len(best))
    becomes(page, lambda: set(panel.locator(".name-tag").all_text_contents()), best)
    assert {row[0] for row in table(panel) if row[-1] == "yes"} == best


@pytest.mark.slow
def test_a_mark_says_its_name_and_both_numbers(page: Page, site_url: str) -> None:
    """By mouse and by keys; a press points the model out in all charts."""
    section = open_charts(page, site_url + "sentiment/")
    panel = tab(section, "Two metrics")
    expect(panel.locator(".marks.front circle").first).to_be_visible()
    panel.locator(".marks:not(.front) circle").first.hover()
    tip = panel.locator(".tip")
    expect(tip).to_contain_text("rank")
    name = tip.locator("strong").text_content() or ""
    assert name in set(VALUES) - front_of("throughput", "perf")
    expect(tip).to_contain_text(f"Throughput {VALUES[name]['throughput']:.2f} ex/s")
    panel.locator(".plot").focus()
    page.keyboard.press("End")
    fastest = max(VALUES, key=lambda model: VALUES[model]["throughput"])
    expect(tip.locator("strong")).to_have_text(fastest)
    page.keyboard.press("ArrowLeft")
    expect(tip.locator("strong")).to_have_text("FastText")
    page.keyboard.press("Enter")
    expect(section.get_by_label("Point out").locator("option:checked")).to_have_text("FastText")
    expect(panel.locator(".name-tag.strong")).to_have_text("FastText")
    page.keyboard.press("Escape")
    expect(tip).to_be_hidden()


@pytest.mark.slow
def test_tabs_go_by_arrow_keys_and_the_open_one_is_in_the_address(page: Page, site_url: str) -> None:
    """One stop for the keyboard; a chart that nobody has opened is not drawn."""
    section = open_charts(page, site_url + "sentiment/")
    expect(page.locator("#chart-triangle .region")).not_to_have_count(0)
    expect(page.locator("#chart-parallel svg, #chart-scatter svg[width], #chart-slope svg")).to_have_count(0)
    section.get_by_role("tab", name="Two metrics").focus()
    page.keyboard.press("ArrowRight")
    expect(section.get_by_role("tab", name="All metrics")).to_be_focused()
    expect(page.locator("#chart-parallel .led")).to_have_count(1)
    page.keyboard.press("End")
    expect(section.get_by_role("tab", selected=True)).to_have_text("Default and yours")
    page.wait_for_url(lambda url: url.endswith("#v1;o=slope"))
    page.reload()
    expect(page.locator("#chart-slope")).to_be_visible()
    expect(page.locator("#chart-scatter")).to_be_hidden()


@pytest.mark.slow
def test_the_triangle_says_who_wins_where(page: Page, site_url: str) -> None:
    """Shares make a whole, and the winner under the knob leads the ranking."""
    panel = tab(open_charts(page, site_url + "sentiment/"), "Who wins where")
    expect(panel.locator(".region")).not_to_have_count(0)
    wins = panel.locator(".wins li")
    expect(wins).not_to_have_count(0)
    shares = [int(re.sub(r"\D", "", text)) for text in wins.locator(".num").all_text_contents()]
    assert sum(shares) == pytest.approx(100, abs=len(shares))
    assert len(
        set(panel.locator(".region").evaluate_all("all => all.map((one) => one.className.baseVal)"))
    ) == len(shares)
    leader = page.locator("#rows th > a").first.text_content() or ""
    expect(panel.locator(".finding")).to_contain_text(leader)
    panel.locator(".knob").hover()
    expect(panel.locator(".tip strong")).to_have_text(leader)
    assert {row[0] for row in table(panel)} == set(wins.locator(".win-name").all_text_contents())


def weights(page: Page) -> dict[str, float]:
    return {name: float(page.locator(f"#metric-{name}").input_value()) for name in COST}


@pytest.mark.slow
def test_the_knob_moves_three_weights_and_keeps_their_sum(page: Page, site_url: str) -> None:
    """By arrow keys and by dragging; the ranking, the address and undo follow."""
    panel = tab(open_charts(page, site_url + "sentiment/"), "Who wins where")
    knob = panel.get_by_role("slider", name="Your weights")
    expect(knob).to_have_attribute("aria-valuetext", "Macro-F1 67 %, Throughput 17 %, Memory 17 %")
    knob.focus()
    for _ in range(4):
        page.keyboard.press("ArrowDown")
    expect(knob).to_have_attribute("aria-valuetext", "Macro-F1 57 %, Throughput 22 %, Memory 22 %")
    moved = weights(page)
    assert moved["perf"] < 4
    assert moved["throughput"] == moved["memory"] > 1
    assert sum(moved.values()) == pytest.approx(8, abs=1e-4)
    expect(page).to_have_url(re.compile("m=perf:3.4"))
    panel.locator(".plot svg").scroll_into_view_if_needed()
    # Whatever is drawn above has moved it by then.
    knob.hover()
    box, frame = knob.bounding_box(), panel.locator(".plot svg").bounding_box()
    assert box
    assert frame
    page.mouse.move(box["x"] + 12, box["y"] + 12)
    page.mouse.down()
    page.mouse.move(frame["x"] + 4, frame["y"] + frame["height"] - 30, steps=4)
    page.mouse.up()
    expect(page.locator("#metric-throughput")).to_have_value("6")
    becomes(
        page, lambda: weights(page), {"perf": 0, "throughput": 6, "memory": 0, "fairness": 1, "robustness": 1}
    )
    expect(panel.locator(".finding")).to_contain_text(
        re.compile("At your weights .*(FastText|Majority Baseline).* leads")
    )
    page.go_back()
    expect(page.locator("#metric-perf")).to_have_value("3.4")


@pytest.mark.slow
def test_lines_lead_from_the_default_ranking_to_the_visitor_s_own(page: Page, site_url: str) -> None:
    """Equal rankings are a sentence; rising and falling models differ by more than colour."""
    panel = tab(open_charts(page, site_url + "sentiment/"), "Default and yours")
    expect(panel.locator(".finding")).to_contain_text("Your ranking is the default one")
    expect(panel.locator(".plot")).to_be_hidden()
    page.get_by_role("button", name="Edge device").click()
    expect(panel.locator(".finding")).to_contain_text("FastText")
    expect(panel.locator(".finding")).to_contain_text("climbs most, by 4")
    expect(panel.locator(".slope")).to_have_count(7)
    expect(panel.locator(".move.up")).to_have_text(["▲4"])
    falling = panel.locator(".slope.down").first
    assert falling.evaluate("line => getComputedStyle(line).strokeDasharray") != "none"
    assert ["FastText", "7", "3", "up 4"] in table(panel)


SVG = "{http://www.w3.org/2000/svg}"


CHARTS = ("Who wins where", "Two metrics", "All metrics", "Default and yours")


VIEW = "#v1;m=perf:4,throughput:1,memory:3,fairness:0,robustness:0"


#: How far the mean colour of two pictures may be apart, of 255: letters are smoothed in more ways than one.
TOLERANCE = 4


def open_view(page: Page, site_url: str) -> None:
    """A board at other weights. The ranking at these comes once Python is ready, and is then said."""
    page.goto(f"{site_url}sentiment/{VIEW}")
    expect(page.locator("#announcer")).to_contain_text("Top three", timeout=60_000)


def chart(page: Page, name: str) -> Locator:
    """A chart of the board that a page shows, drawn."""
    page.get_by_role("tab", name=name).click()
    panel = page.locator("#tradeoffs").get_by_role("tabpanel")
    panel.scroll_into_view_if_needed()
    expect(panel.locator("svg[role=img]")).to_be_visible()
    # What a chart shows is said by Python after it is drawn, and is in the saved picture too.
    expect(panel.locator(".finding")).not_to_be_empty()
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
def test_a_saved_chart_stands_alone_and_says_what_it_is(page: Page, site_url: str, tmp_path: Path) -> None:
    """Title, board, date, weights in words and the address of this very view are in the file; nothing in it needs the
    page's styles or any other file."""
    open_view(page, site_url)
    for name in CHARTS:
        stands_alone(page, saved(page, chart(page, name), "SVG", tmp_path), name)


def stands_alone(page: Page, path: Path, name: str) -> None:
    """The file of a chart of the view that a page shows."""
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
def test_a_png_looks_as_the_svg_does(browser: Browser, page: Page, site_url: str, tmp_path: Path) -> None:
    """Twice as large, and but for the edges of letters the same picture that a browser makes of the SVG."""
    open_view(page, site_url)
    panel = chart(page, "All metrics")
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
        assert "Ranked by Test-set shortcuts (WSBias 1)." in texts(root)
        assert page.url in texts(root)
        if name == "beeswarm":
            # A dot or a cross for every answer of three models to each example with a difficulty, or fewer, larger ones.
            marks = "".join(path.get("d", "") for path in root.iter(f"{SVG}path"))
            assert marks.count("Z") + marks.count("L") // 2 > 300
