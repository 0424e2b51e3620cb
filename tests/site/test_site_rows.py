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
BOARDS = ["sentiment", "measured", "rounds", "perturbed", "hostile", "solo"]


def roomy(page: Page) -> None:
    page.locator("#column-menu summary").click()
    page.get_by_label("Roomy, with all remarks").check()
    page.keyboard.press("Escape")


FURTHER = {"latency": "Latency", "energy": "Energy", "calibration": "Calibration error"}


@pytest.fixture(scope="module")
def wide_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of a board of eight metrics; ends in a slash."""
    folder = tmp_path_factory.mktemp("wide")
    boards, results = write_crowd(folder, 6)
    rows = [
        f'  {{ name = "{name}", label = "{label}", unit = "%", direction = "lower", cap = 100.0 }},\n'
        for name, label in FURTHER.items()
    ]
    last = '  { name = "robustness", label = "Robustness", unit = "%" },\n'
    boards.write_text(boards.read_text().replace(last, last + "".join(rows)))
    for place, path in enumerate(sorted(results.rglob("*.json"))):
        add_scores(path, dict.fromkeys(FURTHER, 10.0 * place + 3))
    build(boards, results, folder / "build")
    with served(folder / "build") as address:
        yield f"{address}sentiment/"


def add_scores(path: Path, values: dict[str, float]) -> None:
    document = json.loads(path.read_text())
    like = document["scores"]["robustness"]
    document["scores"] |= {name: {**like, "value": value} for name, value in values.items()}
    path.write_text(json.dumps(document))


@pytest.mark.slow
def test_a_row_is_at_most_48_pixels_high(page: Page, site_url: str) -> None:
    """On a wide screen each model takes two lines, whatever is to be said of it, and no table scrolls sideways."""
    page.set_viewport_size({"width": 1440, "height": 900})
    for board in BOARDS:
        page.goto(f"{site_url}{board}/")
        assert page.evaluate(HIGHEST) <= 48, board
        frame = page.locator("#ranking-frame")
        assert frame.evaluate("frame => frame.scrollWidth <= frame.clientWidth"), board


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
def test_eight_metrics_are_all_in_sight(page: Page, wide_url: str) -> None:
    """At 1440 pixels no column is hidden, cut off or beyond an edge, and no header breaks a word."""
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(wide_url)
    frame = page.locator("#ranking-frame")
    assert frame.evaluate("frame => frame.scrollWidth <= frame.clientWidth")
    assert page.locator("thead th.metric:visible").count() == 8
    assert page.evaluate(HIGHEST) <= 48
    expect(frame).not_to_have_class("more-after")
    for name in page.locator("thead .metric-name .clamp").all():
        lines = name.evaluate(
            "name => Math.round(name.offsetHeight / parseFloat(getComputedStyle(name).lineHeight))"
        )
        assert lines <= len((name.text_content() or "").split())


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
