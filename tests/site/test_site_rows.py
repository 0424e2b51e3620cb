"""Rows that many fit on a screen: how high they are, how wide tables are, and what is folded."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from site_sample import write_crowd
from site_server import served

from site_src.generator.build import build

HIGHEST = "() => Math.max(...[...document.querySelectorAll('#rows .line')].map((row) => row.offsetHeight))"
#: How far the first name is from the edge of the frame that its table scrolls in.
NAME_FROM_EDGE = """frame => frame.querySelector("#rows .model").getBoundingClientRect().left
  - frame.getBoundingClientRect().left"""
BOARDS = ["sentiment", "measured", "rounds", "perturbed", "hostile", "solo"]
#: What is worse, or a reason, is written in.
COLOUR = "element => getComputedStyle(element).getPropertyValue('--down')"


def roomy(page: Page) -> None:
    page.locator("#column-menu summary").click()
    page.get_by_label("Roomy, with all remarks").check()
    page.keyboard.press("Escape")


FURTHER = {"latency": "Latency", "energy": "Energy", "calibration": "Calibration error"}


@pytest.fixture(scope="module", params=[(6, 6), (7, 6), (8, 6), (8, 70)])
def size(request: pytest.FixtureRequest) -> tuple[int, int]:
    """How many metrics and models a wide board has; with 70 models it scrolls in a frame of its own."""
    counts: tuple[int, int] = request.param
    return counts


@pytest.fixture(scope="module")
def wide_url(tmp_path_factory: pytest.TempPathFactory, size: tuple[int, int]) -> Iterator[str]:
    """Address of a board of that size; ends in a slash."""
    folder = tmp_path_factory.mktemp("wide")
    metrics, models = size
    boards, results = write_crowd(folder, models)
    further = list(FURTHER)[: metrics - 5]
    rows = [
        f'  {{ name = "{name}", label = "{FURTHER[name]}", unit = "%", direction = "lower", cap = 100.0 }},\n'
        for name in further
    ]
    last = '  { name = "robustness", label = "Robustness", unit = "%" },\n'
    boards.write_text(boards.read_text().replace(last, last + "".join(rows)))
    for place, path in enumerate(sorted(results.rglob("*.json"))):
        add_scores(path, dict.fromkeys(further, 10.0 * place + 3))
    build(boards, results, folder / "build")
    with served(folder / "build") as address:
        yield f"{address}sentiment/"


def add_scores(path: Path, values: dict[str, float]) -> None:
    document = json.loads(path.read_text())
    like = document["scores"]["robustness"]
    document["scores"] |= {name: {**like, "value": value} for name, value in values.items()}
    path.write_text(json.dumps(document))


@pytest.mark.slow
@pytest.mark.parametrize("board", BOARDS)
def test_a_row_is_at_most_48_pixels_high(page: Page, site_url: str, board: str) -> None:
    """On a wide screen each model takes two lines, whatever is to be said of it, and no table scrolls sideways."""
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(f"{site_url}{board}/")
    assert page.evaluate(HIGHEST) <= 48
    frame = page.locator("#ranking-frame")
    assert frame.evaluate("frame => frame.scrollWidth <= frame.clientWidth")


@pytest.mark.slow
def test_a_long_board_has_rows_as_low(page: Page, crowd_url: str) -> None:
    """Its rows are measured, and measured again where another density is chosen."""
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(crowd_url)
    low = page.evaluate(HIGHEST)
    assert low <= 48
    roomy(page)
    expect(page.locator("#rows .line").first).not_to_have_css("height", f"{low}px")
    assert page.evaluate(HIGHEST) > 48


@pytest.mark.slow
def test_the_density_is_the_visitors_and_is_remembered(page: Page, site_url: str) -> None:
    """Roomy rows show every remark in full, on the next page too, until compact ones are chosen again."""
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(site_url + "measured/")
    remark = page.locator(".under:has(.reason)").first
    whole = "element => element.scrollWidth <= element.clientWidth && element.offsetHeight > 20"
    compact = page.evaluate(HIGHEST)
    roomy(page)
    assert remark.evaluate(whole)
    page.goto(site_url + "rounds/")
    expect(page.locator("html")).to_have_attribute("data-rows", "roomy")
    page.locator("#column-menu summary").click()
    expect(page.get_by_label("Roomy, with all remarks")).to_be_checked()
    page.get_by_label("Compact").check()
    page.goto(site_url + "measured/")
    assert page.evaluate(HIGHEST) == compact


@pytest.mark.slow
def test_up_to_eight_metrics_are_all_in_sight(page: Page, wide_url: str, size: tuple[int, int]) -> None:
    """At 1440 pixels no column is hidden, cut off or beyond an edge, and no header breaks a word."""
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(wide_url)
    frame = page.locator("#ranking-frame")
    assert frame.evaluate("frame => frame.scrollWidth <= frame.clientWidth")
    assert page.locator("thead th.metric:visible").count() == size[0]
    assert page.evaluate(HIGHEST) <= 48
    expect(frame).not_to_have_class("more-after")
    for name in page.locator("thead .metric-name .clamp").all():
        lines = name.evaluate(
            "name => Math.round(name.offsetHeight / parseFloat(getComputedStyle(name).lineHeight))"
        )
        assert lines <= len((name.text_content() or "").split())


@pytest.mark.slow
@pytest.mark.parametrize("size", [(8, 6), (8, 70)], indirect=True)
@pytest.mark.parametrize("width", [760, 1100])
def test_a_shadow_says_that_a_table_goes_on(page: Page, wide_url: str, width: int) -> None:
    """On the right while there is more there, on the left once one has scrolled, on neither without need."""
    page.set_viewport_size({"width": width, "height": 700})
    page.goto(wide_url)
    frame = page.locator("#ranking-frame")
    expect(page.locator("#ranking-frame.more-after:not(.more-before)")).to_have_count(1)
    frame.evaluate("frame => { frame.scrollLeft = frame.scrollWidth; }")
    expect(page.locator("#ranking-frame.more-before:not(.more-after)")).to_have_count(1)
    assert frame.evaluate(NAME_FROM_EDGE) == pytest.approx(0, abs=2)
    edge = frame.evaluate("frame => [getComputedStyle(frame, '::before').left, frame.scrollLeft]")
    assert float(edge[0].removesuffix("px")) == pytest.approx(edge[1], abs=1)
    # The frame's own properties leave the page's colours alone.
    assert frame.evaluate(COLOUR) == page.locator("main").evaluate(COLOUR)


@pytest.mark.slow
def test_what_it_takes_to_read_the_table_is_one_fold(page: Page, site_url: str) -> None:
    """Closed, one line says how many notes there are; open, it has origins, notes and terms."""
    page.goto(site_url + "measured/")
    fold = page.locator("#reading")
    expect(fold.get_by_role("heading")).to_have_count(0)
    summary = fold.locator("summary")
    expect(summary).to_contain_text("How to read this")
    notes = page.locator("#notes-list li")
    expect(summary).to_contain_text(f"{notes.count()} note")
    summary.click()
    for heading in ("Where the numbers come from", "Notes at these weights", "Terms of this ranking"):
        expect(fold.get_by_role("heading", name=heading)).to_be_visible()


@pytest.mark.slow
def test_who_wins_where_is_the_first_chart(page: Page, site_url: str) -> None:
    """The map of winners is open where there are three metrics; where there are fewer, the first two are."""
    page.goto(site_url + "sentiment/")
    first = page.get_by_role("tab").first
    expect(first).to_have_text("Who wins where")
    expect(first).to_have_attribute("aria-selected", "true")
    page.goto(site_url + "solo/")
    expect(page.get_by_role("tab", name="Two metrics")).to_have_attribute("aria-selected", "true")
