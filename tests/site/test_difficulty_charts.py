"""A visitor looks at what is hard: the swarm of samples, split by split, ranks by both measures, rings."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect
from site_pages import open_board

pytestmark = pytest.mark.slow

MODELS = ["RoBERTa", "Mix of two", "A lexicon"]
PAGE = "rounds/difficulty/round-2/"
# Samples that have a difficulty.
SCORED = 648


@pytest.fixture
def hard(page: Page, site_url: str) -> Page:
    """The difficulty page of a dataset, once its scorer is ready."""
    return opened(page, site_url + PAGE)


def opened(page: Page, address: str) -> Page:
    open_board(page, address)
    return page


def figure(page: Page, name: str) -> Locator:
    """Scroll to a chart; its figure, drawn."""
    chart = page.locator(f"#chart-{name}")
    chart.scroll_into_view_if_needed()
    expect(chart.locator(".finding")).not_to_be_empty()
    return chart


def table(chart: Locator) -> list[list[str]]:
    """Open the table behind a chart; its rows."""
    chart.get_by_text("The numbers behind this chart").click()
    rows = chart.locator(".numbers tbody tr")
    expect(rows).not_to_have_count(0)
    return [row.locator("th, td").all_text_contents() for row in rows.all()]


def test_the_swarm_has_every_sample_of_every_model(hard: Page) -> None:
    """A strip a model, best accuracy first, whose counts are those of the ranking and of the table behind it."""
    chart = figure(hard, "beeswarm")
    expect(chart.locator(".strip-name")).to_have_text(MODELS)
    counts = chart.locator(".plot svg > .tick").all_text_contents()
    right = [int(text.split()[1]) for text in counts if text.endswith("right")]
    wrong = [int(text.split()[1]) for text in counts if text.endswith("wrong")]
    assert len(right) == len(wrong) == len(MODELS)
    for name, hits, misses in zip(MODELS, right, wrong, strict=True):
        accuracy = f"{100 * hits / (hits + misses):.2f}"
        expect(hard.locator("#ranking tr, .ranking tr").filter(has_text=name).first).to_contain_text(accuracy)
    drawn = chart.locator(".plot [class*=swarm-][d^=M]").evaluate_all(
        "all => all.map((path) => path.className.baseVal)"
    )
    assert len(set(drawn)) == 14, "seven shades, right and wrong"
    for row, hits in zip(table(chart), right, strict=True):
        assert sum(int(cell.split()[0]) for cell in row[1:]) == hits


def test_a_sample_is_found_by_keys_and_by_pointing(hard: Page) -> None:
    """Its id, answer, difficulty and split; a ring shows it in every strip; no text that is not published."""
    chart = figure(hard, "beeswarm")
    chart.locator(".plot").focus()
    hard.keyboard.press("ArrowRight")
    hard.keyboard.press("ArrowRight")
    tip = chart.locator(".tip")
    expect(tip).to_contain_text("gold")
    expect(tip).to_contain_text(re.compile(r"B \d\.\d{3}, split 1"))
    expect(tip).to_contain_text("RoBERTa: ")
    expect(chart.locator(".ring[visibility=visible]")).to_have_count(len(MODELS))
    first = tip.locator("strong").text_content()
    hard.keyboard.press("ArrowDown")
    expect(tip).to_contain_text("Mix of two: ")
    expect(tip.locator("strong")).to_have_text(first or "")
    hard.keyboard.press("End")
    expect(tip).to_contain_text("split 7")
    hard.keyboard.press("Escape")
    expect(tip).to_be_hidden()
    last = (
        chart.locator(".plot svg > g")
        .filter(has=hard.locator(".swarm-wrong"))
        .last.locator(".swarm-wrong[d^=M]")
    )
    cross = last.first.evaluate(
        "path => { const { x, y } = path.getPointAtLength(1).matrixTransform(path.getScreenCTM()); return [x, y]; }"
    )
    hard.mouse.move(*cross)
    expect(tip).to_contain_text("A lexicon: wrong")


def test_a_boundary_is_dragged_and_all_charts_follow(hard: Page) -> None:
    """Equal splits become thresholds, the picture stays the same one, and the address says what was dragged."""
    chart = figure(hard, "beeswarm")
    chart.locator(".plot svg").first.evaluate("picture => { picture.kept = true; }")
    bound = chart.get_by_role("slider", name="Boundary between split 6 and split 7")
    before = float(bound.get_attribute("aria-valuenow") or "nan")
    # Whatever is drawn above has moved it by then.
    bound.locator(".bound-knob").hover()
    knob = bound.locator(".bound-knob").bounding_box()
    assert knob
    hard.mouse.move(knob["x"] + 7, knob["y"] + 7)
    hard.mouse.down()
    hard.mouse.move(knob["x"] - 30, knob["y"] + 120, steps=3)
    hard.mouse.up()
    # The address is written once the drag is over.
    expect(hard).to_have_url(re.compile("s=thresholds"))
    after = float(bound.get_attribute("aria-valuenow") or "nan")
    assert before < after < 0.3
    assert chart.locator(".plot svg").first.evaluate("picture => picture.kept")
    bound.press("ArrowRight")
    expect(bound).to_have_attribute("aria-valuenow", str(round(after - 0.01, 3)))
    expect(hard).to_have_url(re.compile(rf"t={round(after - 0.01, 3)},"))
    rows = table(figure(hard, "sunburst"))
    sizes = [int(cell.split(" of ")[1]) for cell in rows[0][1:]]
    assert sizes[-1] > sum(sizes) / 7 + 10
    hard.go_back()
    hard.go_back()
    expect(hard).not_to_have_url(re.compile("s=thresholds"))
    expect(bound).to_have_attribute("aria-valuenow", str(before))


def test_ranks_by_accuracy_and_by_the_metric(hard: Page) -> None:
    """Values get their intervals once the noise is known; picture, sentence and table agree on who moved."""
    chart = figure(hard, "lines")
    expect(chart.locator(".interval")).to_have_count(len(MODELS))
    moved = chart.locator(".moving.up, .moving.down").count()
    said = chart.locator(".finding")
    if moved:
        expect(said).to_contain_text(f"{moved} of {len(MODELS)} models")
    else:
        expect(said).to_contain_text("same rank")
    rows = table(chart)
    assert len([row for row in rows if row[-1] != "same"]) == moved
    for row in rows:
        low, high = (float(end.replace("\u2212", "-")) for end in row[4].split(" to "))
        assert low < float(row[3].replace("\u2212", "-")) < high


def test_rings_of_right_and_wrong(hard: Page) -> None:
    """One model large, all small; a press makes another one large, and every split has all its samples."""
    chart = figure(hard, "sunburst")
    expect(chart.locator(".sun")).to_have_count(len(MODELS))
    expect(chart.locator(".sun-title")).to_have_text("RoBERTa")
    chart.get_by_role("button", name="A lexicon").click()
    expect(chart.locator(".sun-title")).to_have_text("A lexicon")
    expect(chart.locator(".sun[aria-pressed=true]")).to_contain_text("A lexicon")
    expect(chart.locator(".sun-large .sun-wrong[d^=M]")).to_have_count(7)
    rows = table(chart)
    assert all(sum(int(cell.split(" of ")[1]) for cell in row[1:]) == SCORED for row in rows)
    wrong = {row[0]: sum(int(cell.split(" of ")[0]) for cell in row[1:]) for row in rows}
    assert wrong["RoBERTa"] < wrong["Mix of two"] < wrong["A lexicon"]
