"""A visitor weighs metrics and datasets: the ranking, the address and undo follow, with scripts or without."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from site_pages import becomes, open_board, shows, type_weight

DEFAULT = ["DeBERTa", "RoBERTa", "T5", "ALBERT", "BERT", "Majority Baseline", "FastText"]


def scores(page: Page) -> list[float]:
    return [float(text) for text in page.locator("#rows .score > .num").all_text_contents()]


@pytest.mark.slow
def test_the_first_ranking_in_the_browser_changes_nothing_on_the_page(page: Page, site_url: str) -> None:
    """Every number, name and word of the rows at the same weights is the one that the build wrote, and so is what explains
    the leader's score.
    """
    places = "#rows :is(.place, .model, .score > .num, .metric), #why-formula, .why-table tbody :is(th, td)"
    words = f"""root => [...root.querySelectorAll({json.dumps(places)})]
      .map((element) => element.textContent.replace(/\\s+/g, ""))"""
    for board in ("sentiment", "measured", "rounds", "solo"):
        page.goto(site_url + board + "/")
        before = page.request.get(site_url + board + "/").text()
        expect(page.locator("#scorer-state")).to_have_text("on", timeout=30_000)
        expect(page.locator("#announcer")).to_contain_text("Top three")
        built = page.evaluate(
            f"html => ({words})(new DOMParser().parseFromString(html, 'text/html'))", before
        )
        becomes(page, lambda: page.evaluate(f"() => ({words})(document)"), built)
        assert "NaN" not in built


@pytest.mark.slow
def test_a_rank_change_is_shown_and_said_against_the_default(page: Page, site_url: str) -> None:
    """FastText climbs from 7 to 3 at the edge device weights; reset takes it back."""
    open_board(page, site_url + "sentiment/")
    page.get_by_role("button", name="Edge device").click()
    row = page.locator("#rows tr[data-model=fasttext]")
    expect(row.locator(".place")).to_have_text("3")
    expect(row.locator(".change")).to_contain_text("▲4")
    expect(row.get_by_role("img", name="up 4 from the default")).to_be_visible()
    expect(page.locator("#announcer")).to_have_text(
        re.compile(r"Top three: 1 \W*DeBERTa\W*, 2 \W*RoBERTa\W*, 3 \W*FastText")
    )
    page.get_by_role("button", name="Reset").click()
    expect(row.locator(".change")).to_have_text("")
    shows(page, DEFAULT)


def test_a_typed_weight_survives_reload_and_the_back_button_takes_it_back(page: Page, site_url: str) -> None:
    """The address carries the weights; back and forward walk through the visitor's steps."""
    open_board(page, site_url + "sentiment/")
    type_weight(page, "#metric-perf", "0.25")
    expect(page.locator("#rows th > a").first).to_have_text("Majority Baseline")
    page.wait_for_url(
        lambda url: url.endswith("#v1;m=perf:0.25,throughput:1,memory:1,fairness:1,robustness:1")
    )
    page.reload()
    expect(page.locator("#rows th > a").first).to_have_text("Majority Baseline", timeout=30_000)
    expect(page.locator("#metric-perf")).to_have_value("0.25")
    page.go_back()
    expect(page.locator("#rows th > a").first).to_have_text("DeBERTa", timeout=30_000)
    expect(page.locator("#metric-perf")).to_have_value("4")


@pytest.mark.slow
def test_all_weights_zero_keeps_the_last_ranking_and_says_why(page: Page, site_url: str) -> None:
    """Nothing to rank by is a message; any weight ends it."""
    open_board(page, site_url + "measured/")
    type_weight(page, "#metric-accuracy", "0")
    expect(page.locator("#rows th > a").first).to_have_text("VADER")
    for name in ("throughput", "memory"):
        type_weight(page, f"#metric-{name}", "0")
    expect(page.locator("#problem")).to_contain_text("All weights are zero")
    expect(page.locator("#rows th > a").first).to_have_text("VADER")
    type_weight(page, "#metric-accuracy", "1")
    expect(page.locator("#problem")).to_be_hidden()
    expect(page.locator("#rows th > a").first).to_have_text("Small BERT")


@pytest.mark.slow
def test_dataset_weights_change_values_and_missing_cells(page: Page, site_url: str) -> None:
    """With the tweets' weight at zero, the model that lacks them is ranked, by its reviews alone."""
    open_board(page, site_url + "measured/")
    row = page.locator("#rows tr[data-model=partial]")
    expect(row.locator(".place")).to_have_text("—")
    expect(row.locator("td.metric").first).to_contain_text("missing")
    type_weight(page, "#dataset-tweets", "0")
    expect(row.locator("td.metric .num").first).to_have_text("77.70")
    expect(row.locator(".place")).not_to_have_text("—")
    expect(row.locator(".bar")).to_be_visible()
    page.wait_for_url(lambda url: url.endswith(";d=reviews:1,tweets:0"))


@pytest.mark.slow
def test_without_its_runtime_the_page_says_so_and_stays_readable(page: Page, site_url: str) -> None:
    """A blocked runtime is a message, and the default ranking stays."""
    page.route("**/pyodide.asm.wasm", lambda route: route.abort())
    page.goto(site_url + "sentiment/")
    expect(page.locator("#problem")).to_contain_text("Live ranking is off", timeout=30_000)
    expect(page.locator("#scorer-state")).to_have_text("off")
    shows(page, DEFAULT)


def test_without_script_the_whole_ranking_is_there(browser: Browser, site_url: str) -> None:
    """Order, scores and a note instead of controls."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(site_url + "sentiment/")
    shows(page, DEFAULT)
    assert scores(page) == sorted(scores(page), reverse=True)
    expect(page.locator("noscript > p")).to_be_visible()
    for name in ("#metric-weights", "#why-model"):
        expect(page.locator(name)).to_be_hidden()
    expect(page.locator(".rates li").nth(2)).to_contain_text("2.421")
    context.close()


@pytest.mark.slow
def test_opened_as_a_file_the_page_says_so(browser: Browser, site_folder: Path) -> None:
    """From file:// no module loads; the ranking is there all the same."""
    context = browser.new_context()
    page = context.new_page()
    page.goto((site_folder / "sentiment" / "index.html").as_uri())
    expect(page.locator("#file-note")).to_be_visible()
    expect(page.locator("#metric-weights")).to_be_hidden()
    shows(page, DEFAULT)
    context.close()


def test_on_a_phone_the_weights_are_one_tap_away_and_leave_the_top_ranks_in_sight(
    browser: Browser, site_url: str
) -> None:
    """The sheet opens over the lower half; a weight moved in it moves the ranks above it."""
    context = browser.new_context(
        viewport={"width": 320, "height": 640}, has_touch=True, reduced_motion="reduce"
    )
    page = context.new_page()
    open_board(page, site_url + "sentiment/")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    expect(page.get_by_role("slider", name="Macro-F1, slider")).to_be_hidden()
    page.get_by_role("button", name="Weights").tap()
    expect(page.get_by_role("slider", name="Macro-F1, slider")).to_be_visible()
    page.locator(".preset", has_text="Edge device").tap()
    third = page.locator("#rows tr").nth(2)
    expect(third).to_contain_text("FastText")
    top, bottom = page.locator("#sheet").bounding_box(), third.bounding_box()
    assert top is not None
    assert bottom is not None
    assert bottom["y"] >= 0
    assert bottom["y"] + bottom["height"] <= top["y"]
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Weights")).to_be_focused()
    context.close()


@pytest.mark.slow
def test_the_theme_is_remembered(page: Page, site_url: str) -> None:
    """A chosen theme holds on the next page, before anything is painted."""
    page.goto(site_url)
    button = page.get_by_role("button", name=re.compile("Theme"))
    button.click()
    button.click()
    expect(button).to_have_text("Theme: dark")
    page.goto(site_url + "method/")
    assert page.evaluate("getComputedStyle(document.body.parentElement).backgroundColor") == "rgb(20, 22, 26)"


def share(page: Page, name: str) -> Locator:
    return page.locator(f".control[data-name={name}] .share")


def test_a_lock_holds_a_share_while_another_weight_moves(page: Page, site_url: str) -> None:
    """With performance locked at a half, throughput takes from the three others, which is said where it leaves them
    nothing; unlocked it all moves again."""
    open_board(page, site_url + "sentiment/")
    lock = page.get_by_role("button", name="Lock Macro-F1")
    lock.focus()
    page.keyboard.press("Space")
    expect(lock).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#metric-perf")).to_be_disabled()
    type_weight(page, "#metric-throughput", "2.5")
    for name, text in {"perf": "50.0 %", "throughput": "31.3 %", "memory": "6.3 %"}.items():
        expect(share(page, name)).to_have_text(text)
    expect(page.locator("#metric-memory")).to_have_value("0.5")
    page.locator("#metric-throughput").fill("9")
    expect(page.locator("#metric-problem")).to_have_text("The locked weights leave 4 to share.")
    page.locator("#metric-throughput").press("Tab")
    expect(page.locator("#metric-throughput")).to_have_value("4")
    expect(share(page, "perf")).to_have_text("50.0 %")
    expect(page.locator("#metric-problem")).to_have_text(
        "At 0 now, since the locked weights keep their share: Memory, Fairness, Robustness. Undo brings them back."
    )
    page.keyboard.press("Control+z")
    expect(page.locator("#metric-problem")).to_be_hidden()
    expect(page.locator("#metric-memory")).to_have_value("0.5")
    page.get_by_role("button", name="Split the rest evenly").click()
    expect(page.locator("#metric-memory")).to_have_value("1")
    lock.click()
    type_weight(page, "#metric-throughput", "4")
    expect(share(page, "perf")).to_have_text("36.4 %")


def test_undo_and_redo_by_button_and_by_keys(page: Page, site_url: str) -> None:
    """A drag is one step; the keys undo and redo, except in a text field, where they edit the text."""
    open_board(page, site_url + "sentiment/")
    undo, redo = page.locator("#undo"), page.locator("#redo")
    expect(undo).to_have_attribute("aria-disabled", "true")
    type_weight(page, "#metric-perf", "3")
    type_weight(page, "#metric-memory", "2")
    undo.click()
    expect(page.locator("#metric-memory")).to_have_value("1")
    expect(page.locator("#metric-perf")).to_have_value("3")
    expect(undo).to_be_focused()
    page.keyboard.press("Control+z")
    expect(page.locator("#metric-perf")).to_have_value("4")
    expect(undo).to_have_attribute("aria-disabled", "true")
    page.keyboard.press("Control+Shift+z")
    expect(page.locator("#metric-perf")).to_have_value("3")
    page.keyboard.press("Control+y")
    expect(page.locator("#metric-memory")).to_have_value("2")
    expect(redo).to_have_attribute("aria-disabled", "true")
    page.locator("#metric-perf").focus()
    page.keyboard.press("Control+z")
    expect(page.locator("#metric-memory")).to_have_value("2")


@pytest.mark.slow
def test_a_slider_is_dragged_in_one_step_and_says_its_share(page: Page, site_url: str) -> None:
    """However many places the pointer passes, one undo takes it back."""
    open_board(page, site_url + "sentiment/")
    slider = page.get_by_role("slider", name="Memory, slider")
    expect(slider).to_have_attribute("aria-valuetext", "1, 12.5 % of the weight")
    slider.hover()
    box = slider.bounding_box()
    assert box is not None
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 8 + (box["width"] - 16) / 5, middle)
    page.mouse.down()
    for part in (0.4, 0.6, 0.8, 1):
        page.mouse.move(box["x"] + part * (box["width"] - 8), middle)
    page.mouse.up()
    expect(page.locator("#metric-memory")).to_have_value("5")
    expect(slider).to_have_attribute("aria-valuetext", "5, 41.7 % of the weight")
    page.locator("#undo").click()
    expect(page.locator("#metric-memory")).to_have_value("1")


@pytest.mark.slow
def test_base_metric_and_threshold_are_the_visitors_to_choose(page: Page, site_url: str) -> None:
    """Rates, units and the terms beneath follow; a threshold that lets no pair count is noted."""
    open_board(page, site_url + "sentiment/")
    page.locator("#ranking-terms summary").click()
    page.get_by_label("Base metric").select_option("Memory")
    expect(page.locator(".rates li[data-metric=memory] .rate-unit")).to_have_text("base")
    expect(page.locator(".rates li[data-metric=memory] .rate")).to_have_text("1.000")
    expect(page.locator(".rates li[data-metric=perf] .worth")).to_contain_text("GB")
    expect(page.locator("#rates-about")).to_contain_text("for 1 GB of")
    expect(page.locator("#pair-rule")).to_have_text(
        "Memory differs by more than 0.0001 times the largest value"
    )
    page.wait_for_url(lambda url: url.endswith("#v1;b=memory"))
    page.get_by_label("Base metric").select_option("Macro-F1")
    page.get_by_label("Kind of threshold").select_option("as it stands")
    type_weight(page, "#threshold", "50")
    expect(page.locator("#pair-rule")).to_have_text("Macro-F1 differs by more than 50 F1")
    expect(page.locator("#notes-list")).to_contain_text("Throughput: undefined exchange rate")
    page.wait_for_url(lambda url: url.endswith("#v1;e=absolute:50"))
    page.locator("#threshold").fill("-1")
    expect(page.locator("#threshold-problem")).to_contain_text("A threshold is a number")
    page.wait_for_url(lambda url: url.endswith("#v1;e=absolute:50"))


@pytest.mark.slow
def test_targets_are_large_enough_for_a_finger(browser: Browser, site_url: str) -> None:
    """Every control in the sheet of weights is 44 px high where fingers point."""
    context = browser.new_context(viewport={"width": 320, "height": 640}, has_touch=True, is_mobile=True)
    page = context.new_page()
    open_board(page, site_url + "sentiment/")
    page.get_by_role("button", name="Weights").tap()
    page.locator("#ranking-terms summary").tap()
    low = page.locator("#sheet").evaluate(
        "sheet => [...sheet.querySelectorAll('button, input, select, summary')].filter((e) => e.offsetParent)"
        ".map((e) => [e.id || e.className, e.getBoundingClientRect().height]).filter(([, height]) => height < 44)"
    )
    assert low == []
    assert page.locator("#sheet").get_by_role("button").count() > 5
    page.get_by_label("By your own exchange").check()
    expect(page.locator("#trade-memory")).to_be_visible()
    # A finger points at what is around a box to tick.
    high = page.locator("#trades").evaluate(
        "form => [...form.querySelectorAll('.counting, .amount, .slider, button')].filter((e) => e.offsetParent)"
        ".map((e) => e.getBoundingClientRect().height)"
    )
    assert len(high) > 12
    assert min(high) >= 44
    context.close()


@pytest.mark.slow
def test_a_link_that_cannot_be_read_says_why(page: Page, site_url: str) -> None:
    """The whole default view is shown, never half of a link."""
    page.goto(site_url + "sentiment/#v1;m=perf:2,memory:1001")
    expect(page.locator("#notice")).to_contain_text("cannot be read")
    expect(page.locator("#notice")).to_contain_text("weight from 0 to 1000")
    expect(page.locator("#metric-perf")).to_have_value("4")


def test_back_and_forward_and_undo_walk_the_same_steps(page: Page, site_url: str) -> None:
    """The browser's buttons and the page's own never disagree on what is shown."""
    open_board(page, site_url + "sentiment/")
    page.get_by_role("button", name="Edge device").click()
    page.get_by_label("Explain").select_option("FastText")
    page.go_back()
    expect(page.locator("#why-formula")).to_contain_text("Dynascore of DeBERTa")
    expect(page.get_by_role("button", name="Edge device")).to_have_attribute("aria-pressed", "true")
    page.go_back()
    expect(page.get_by_role("button", name="Default")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#rows th > a").nth(2)).to_have_text("T5")
    page.go_forward()
    expect(page.locator("#rows th > a").nth(2)).to_have_text("FastText")
    page.locator("#undo").click()
    expect(page.locator("#rows th > a").nth(2)).to_have_text("T5")
    page.locator("#redo").click()
    expect(page.locator("#rows th > a").nth(2)).to_have_text("FastText")


ZEROS = "#v1;m=perf:0,throughput:0,memory:0,fairness:0,robustness:0"


@pytest.mark.slow
def test_weights_of_zero_say_the_same_from_a_link(page: Page, site_url: str) -> None:
    """On every page that such a link opens: the sentence that stands there when they are set in place."""
    open_board(page, f"{site_url}sentiment/")
    for metric in ("perf", "throughput", "memory", "fairness", "robustness"):
        type_weight(page, f"#metric-{metric}", "0")
    expect(page.locator("#problem")).to_contain_text("All weights are zero, so there is nothing to rank by.")
    # A model's page has the sentence alone, the others a button beside it.
    words = "#problem .message, p#problem"
    said = page.locator(words).inner_text()
    for at in ("sentiment/", "sentiment/models/t5/", "sentiment/compare/"):
        page.goto("about:blank")
        page.goto(f"{site_url}{at}{ZEROS}")
        expect(page.locator(words)).to_have_text(said)
        expect(page.locator("#scorer-state")).to_have_text("on", timeout=60_000)
        expect(page.locator(words)).to_have_text(said)
        expect(page.locator("#problem")).to_be_visible()
