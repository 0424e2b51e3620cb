"""Scores by tag: sorted, marked where they rest on few examples, readable on a phone."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from playwright.sync_api import Browser, Page, expect
from site_sample import result

from evaluator.records.board import MetricSpec
from evaluator.records.result import Result
from site_src.generator.breakdowns import BAR, tag_tables
from site_src.generator.table import ShownColumn

MIX = "rounds/models/mix/"


def rows(page: Page, table: int) -> list[str]:
    found = page.locator("table.tags").nth(table).locator("tbody tr")
    return [" ".join(text.split()) for text in found.all_inner_texts()]


@pytest.mark.slow
def test_a_short_tag_is_a_table_sorted_worst_first(page: Page, site_url: str) -> None:
    """Value, examples, scores; few examples are marked, and what the mark means is reported."""
    page.goto(site_url + MIX)
    assert rows(page, 0) == ["hotels 308 66.13 0.480", "books 400 75.50 0.610", "zoos few 12 91.00 0.900"]
    expect(page.locator("table.tags").first.locator("tfoot")).to_contain_text("71.25")
    expect(page.locator(".tag-frame + p").first).to_contain_text("under 30 examples")
    assert page.locator("table.tags").first.locator("tbody svg.tag-bar").count() == 3


@pytest.mark.slow
def test_tags_can_be_read_without_script_and_on_a_phone(browser: Browser, site_url: str) -> None:
    """At 320 px all columns of both tables are in sight, and nothing makes the page wider."""
    context = browser.new_context(viewport={"width": 320, "height": 640}, java_script_enabled=False)
    page = context.new_page()
    page.goto(site_url + MIX)
    page.locator("details.tag summary").click()
    for index in range(2):
        last = page.locator("table.tags").nth(index).locator("tbody td:last-child").first
        box = last.bounding_box()
        assert box is not None
        assert box["x"] + box["width"] <= 320
    assert page.evaluate("document.documentElement.scrollWidth") == 320
    context.close()


def tagged(values: dict[str, Any], direction: str = "higher", unit: str = "%") -> Any:
    """The table of one tag, on a board with `x` as a column."""
    document = result("sentiment", "reviews", "m", "M", {"accuracy": 50.0}, source={"citation": "c"})
    document["scores"] = {"x": {"value": 5.0, "unit": unit, "version": "1"}}
    document["tags"] = {"tag": {name: {"examples": 30, "scores": scores} for name, scores in values.items()}}
    spec = {"name": "x", "label": "X", "unit": unit, "direction": direction}
    metric = MetricSpec.model_validate(spec | ({"cap": "max"} if direction == "lower" else {}))
    (table,) = tag_tables(Result.model_validate(document), {"x": ShownColumn(metric, 0)})
    return table


@pytest.mark.slow
def test_where_less_is_better_the_largest_is_worst() -> None:
    """The order follows the metric's direction; a value without a score comes last, with a dash."""
    table = tagged({"a": {"x": 1.0}, "b": {"x": 9.0}, "c": {"y": 3.0}}, direction="lower", unit="s")
    assert [row.value for row in table.rows] == ["b", "a", "c"]
    assert table.rows[2].scores == ("—", "3.000")
    assert table.rows[2].bar is None
    assert table.rows[0].bar == BAR
    assert not table.few


@pytest.mark.slow
@given(
    st.dictionaries(st.text(max_size=5), st.floats(-1e6, 1e6), min_size=1, max_size=20),
    st.sampled_from(["%", "nats", ""]),
)
def test_bars_stay_inside_their_room_and_grow_with_the_score(values: dict[str, float], unit: str) -> None:
    """Whatever the numbers, rows rise from the worst and no bar is longer than the range."""
    table = tagged({name: {"x": value} for name, value in values.items()}, unit=unit)
    assert [values[row.value] for row in table.rows] == sorted(values.values())
    bars = [row.bar for row in table.rows]
    assert bars == sorted(bars)
    assert all(0 <= bar <= BAR for bar in bars)
