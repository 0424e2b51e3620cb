"""A visitor sorts, pins, opens and scrolls the table, by mouse and by keys."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, Playwright, expect
from site_chromium import COMPILED_ONCE, FLAGS, chromium_path, needed
from site_pages import open_board, shows, uncomplaining

DEFAULT = ["DeBERTa", "RoBERTa", "T5", "ALBERT", "BERT", "Majority Baseline", "FastText"]


BY_THROUGHPUT = ["Majority Baseline", "FastText", "ALBERT", "RoBERTa", "BERT", "DeBERTa", "T5"]


def row(page: Page, model: str) -> Locator:
    return page.locator(f"tr[data-model={model}]")


def head(page: Page, name: str) -> Locator:
    return page.get_by_role("columnheader", name=name)


def test_a_column_sorts_best_first_then_worst_then_by_rank_again(page: Page, site_url: str) -> None:
    """Ranks stay those of the ranking, the head says how it is sorted, and so does the address."""
    page.goto(site_url + "sentiment/")
    sort = head(page, "Throughput").get_by_role("button")
    sort.click()
    shows(page, BY_THROUGHPUT)
    expect(head(page, "Throughput")).to_have_attribute("aria-sort", "descending")
    expect(page.locator("#rows .place")).to_have_text(["6", "7", "4", "2", "5", "1", "3"])
    page.wait_for_url(lambda url: url.endswith("#v1;s=throughput:down"))
    sort.click()
    shows(page, BY_THROUGHPUT[::-1])
    sort.click()
    shows(page, DEFAULT)
    expect(head(page, "Rank")).to_have_attribute("aria-sort", "ascending")
    expect(page).to_have_url(re.compile("^[^#]*$"))


@pytest.mark.slow
def test_pinned_models_stay_on_top_in_their_order(page: Page, site_url: str) -> None:
    """Whatever the sort, pinned rows come first as they were pinned; letting one go puts it back."""
    page.goto(site_url + "sentiment/")
    for name in ("BERT", "RoBERTa"):
        page.get_by_role("button", name=f"Pin {name}", exact=True).click()
    expect(page.locator("#pinned th > a")).to_have_text(["BERT", "RoBERTa"])
    head(page, "Throughput").get_by_role("button").click()
    expect(page.locator("#pinned th > a")).to_have_text(["BERT", "RoBERTa"])
    shows(page, [name for name in BY_THROUGHPUT if name not in ("BERT", "RoBERTa")])
    pin = page.get_by_role("button", name="Pin BERT", exact=True)
    expect(pin).to_have_attribute("aria-pressed", "true")
    pin.click()
    expect(page.locator("#pinned th > a")).to_have_text(["RoBERTa"])
    expect(pin).to_be_focused()
    page.go_back()
    expect(page.locator("#pinned th > a")).to_have_text(["BERT", "RoBERTa"])


@pytest.mark.slow
def test_a_row_opens_to_its_numbers_on_each_dataset_and_stays_open(page: Page, site_url: str) -> None:
    """The lines of the datasets are the cells that the means are made of; a new ranking leaves them open."""
    open_board(page, site_url + "measured/")
    opener = page.get_by_role("button", name="VADER on each dataset")
    opener.click()
    expect(opener).to_have_attribute("aria-expanded", "true")
    parts = page.locator("#rows .part")
    expect(parts.locator("th")).to_have_text(["Reviews", "Tweets"])
    expect(parts.nth(0).locator(".num")).to_have_text(["63.43", "9120.8", "0.044"])
    expect(parts.nth(1).locator(".num").first).to_have_text("66.20")
    page.locator("#metric-accuracy").fill("0")
    expect(page.locator("#rows th > a").first).to_have_text("VADER")
    after = page.locator("#rows tr[data-model=vader] + .part")
    expect(after.locator("th")).to_have_text("Reviews")
    opener.click()
    expect(parts).to_have_count(0)


@pytest.mark.slow
def test_bars_show_differences_from_the_leader_or_a_chosen_model(page: Page, site_url: str) -> None:
    """The head of the column names whom the bars are measured against; that model's own bar is empty."""
    page.goto(site_url + "sentiment/#v1;r=leader")
    expect(page.locator("#bars-caption")).to_contain_text(re.compile(r"against the leader, \W*DeBERTa\W*$"))
    expect(row(page, "deberta").locator(".beyond")).to_have_text("leader")
    expect(row(page, "deberta").locator(".bar")).to_have_attribute("aria-label", "the reference")
    page.goto(site_url + "sentiment/#v1;r=model:fasttext")
    expect(page.locator("#bars-caption")).to_contain_text(re.compile(r"against \W*FastText\W*$"))
    expect(row(page, "fasttext").locator(".bar")).to_have_attribute("aria-label", "the reference")
    expect(row(page, "deberta").locator(".bar")).to_have_attribute("aria-label", re.compile(r"Macro-F1 \+\d"))


@pytest.mark.slow
def test_a_cut_bar_says_how_far_the_score_is_from_the_reference(page: Page, site_url: str) -> None:
    """Whatever raises and lowers it: nobody has to add or subtract sides."""
    open_board(page, site_url + "sentiment/")
    rows = page.locator("#rows tr[data-model]").all()
    cells = [(row.locator(".score > .num").inner_text(), row.locator(".beyond").inner_text()) for row in rows]
    middle = next(float(score) for score, said in cells if said == "median")
    cut = {score: said for score, said in cells if said[:1] in ("+", "−")}
    assert cut
    for score, said in cut.items():
        assert float(said.replace("−", "-")) == pytest.approx(float(score) - middle, abs=0.011)


@pytest.mark.slow
def test_a_long_table_has_only_the_rows_in_sight_and_says_how_many_there_are(
    page: Page, crowd_url: str
) -> None:
    """Scrolling the page brings the rows that belong there; each says which row of all it is. A link leads past them, and
    keeps the address."""
    open_board(page, crowd_url)
    rows = page.locator("#rows tr[data-model]")
    expect(page.locator(".ranks")).to_have_attribute("aria-rowcount", "152")
    assert rows.count() < 60
    past = page.get_by_role("link", name="To what stands below these 150 models")
    past.click()
    expect(page.locator("#certainty-words")).to_be_in_viewport()
    assert page.url == crowd_url
    last = rows.last
    expect(last).to_have_attribute("aria-rowindex", "152")
    expect(last.locator(".place")).to_have_text("150")
    page.mouse.wheel(0, -300)
    expect(last).to_be_in_viewport()
    page.mouse.wheel(0, -20_000)
    expect(rows.first.locator(".place")).to_have_text("1")
    expect(past).to_be_in_viewport()
    rows.first.locator("th a").focus()
    for key, place in (("End", "150"), ("ArrowUp", "149"), ("Home", "1")):
        page.keyboard.press(key)
        found = page.locator("tr:focus-within")
        expect(found.locator(".place")).to_have_text(place)
        expect(found).to_be_in_viewport(ratio=1)


HIGHEST = "() => Math.max(...[...document.querySelectorAll('#rows .line')].map((row) => row.offsetHeight))"


BOARDS = ["sentiment", "measured", "rounds", "perturbed", "hostile", "solo"]


def roomy(page: Page) -> None:
    page.locator("#column-menu summary").click()
    page.get_by_label("Roomy, with all remarks").check()
    page.keyboard.press("Escape")


@pytest.mark.slow
def test_a_row_is_at_most_48_pixels_high(page: Page, site_url: str) -> None:
    """On a wide screen each model takes two lines, whatever is to be said of it, and no table scrolls sideways."""
    page.set_viewport_size({"width": 1440, "height": 900})
    for board in BOARDS:
        page.goto(f"{site_url}{board}/")
        assert page.evaluate(HIGHEST) <= 48, board
        frame = page.locator("#ranking-frame")
        assert frame.evaluate("frame => frame.scrollWidth <= frame.clientWidth"), board


@pytest.fixture
def with_scrollbars(playwright: Playwright) -> Iterator[Page]:
    """A page whose scrollbars take room, as most visitors' do; other tests' browsers have none."""
    with needed():
        chromium = playwright.chromium.launch(
            executable_path=chromium_path(),
            args=[*FLAGS, COMPILED_ONCE],
            ignore_default_args=["--hide-scrollbars"],
        )
    with uncomplaining(chromium.new_page()) as page:
        yield page
    chromium.close()


#: What is wider than its place: the page, the ranking, the text of a head or a number in its cell. A word may take the
#: 6 pixels that stay free before it.
TOO_WIDE = """() => {
    const over = (element) => element.scrollWidth - element.clientWidth;
    const faults = [];
    if (over(document.documentElement) > 0) faults.push(`page ${over(document.documentElement)}`);
    const frame = document.querySelector("#ranking-frame");
    if (over(frame) > 0) faults.push(`ranking ${over(frame)}`);
    for (const cell of frame.querySelectorAll("thead .metric:not([hidden]), #rows .line .metric:not([hidden])")) {
        const box = cell.getBoundingClientRect();
        for (const text of cell.querySelectorAll(".clamp, [aria-hidden], .off")) {
            const { left, right } = text.getBoundingClientRect();
            if (left < box.left - 6.5 || right > box.right + 0.5) faults.push(text.textContent);
        }
    }
    return faults;
}"""


@pytest.mark.slow
def test_a_ranking_fits_beside_scrollbars_at_any_width(
    with_scrollbars: Page, own_url: str, site_url: str, crowd_url: str
) -> None:
    """Five and six metrics, many models, from a small laptop to a large screen: nothing scrolls sideways."""
    page = with_scrollbars
    for address in (f"{own_url}sst-2/", f"{own_url}xquad-en/", f"{site_url}measured/", crowd_url):
        page.set_viewport_size({"width": 1440, "height": 900})
        page.goto(address)
        assert page.evaluate("innerWidth - document.documentElement.clientWidth") > 0
        heights = page.locator("#rows .line").evaluate_all("rows => rows.map((row) => row.offsetHeight)")
        assert max(heights) <= 48, address
        for width in range(1024, 1921, 20):
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate(TOO_WIDE) == [], (address, width)


#: Words of heads that are in more than one line.
BROKEN = """() => [...document.querySelectorAll("#ranking-frame thead .head, #ranking-frame thead small")].flatMap((head) => {
    const texts = document.createTreeWalker(head, NodeFilter.SHOW_TEXT);
    const broken = [];
    while (texts.nextNode()) {
        for (const word of texts.currentNode.data.matchAll(/[\\p{L}\\p{N}]+/gu)) {
            const range = document.createRange();
            range.setStart(texts.currentNode, word.index);
            range.setEnd(texts.currentNode, word.index + word[0].length);
            if (new Set([...range.getClientRects()].map(({ top }) => top)).size > 1) broken.push(word[0]);
        }
    }
    return broken;
})"""


@pytest.mark.slow
def test_heads_keep_their_words_whole_at_any_width(
    with_scrollbars: Page, own_url: str, crowd_url: str
) -> None:
    """Also "Throughput", where columns have the least room; a phone has no heads."""
    page = with_scrollbars
    for address in (f"{own_url}sst-2/", f"{own_url}xquad-en/", crowd_url):
        page.goto(address)
        for width in (*range(721, 1025, 16), 1280, 1920):
            page.set_viewport_size({"width": width, "height": 900})
            assert page.locator("thead .metric-name").first.is_visible()
            assert page.evaluate(BROKEN) == [], (address, width)


@pytest.mark.slow
def test_names_stand_beside_their_trade_offs_in_one_line(with_scrollbars: Page, own_url: str) -> None:
    """At any width at which the panel stands beside the table; and the ranks under trade-offs call them that."""
    page = with_scrollbars
    open_board(page, f"{own_url}sst-2/")
    page.get_by_label("By your own exchange").check()
    within = page.locator(".ranks-held[title*='off by up to a factor of 2']")
    expect(within.first).to_have_attribute("title", re.compile("every trade-off off"))
    expect(page.locator(".ranks-held[title*='exchange rate']")).to_have_count(0)
    for width in (1184, 1284, 1440, 1920):
        page.set_viewport_size({"width": width, "height": 900})
        lines = page.locator(".trade:not([hidden]) .of").evaluate_all(
            "names => names.map((name) => name.offsetHeight)"
        )
        assert len(lines) == 4
        assert max(lines) < 24, width


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


WHERE = "document.activeElement"


MODEL = f"{WHERE}.closest('tr[data-model]')?.dataset.model ?? null"


FEW = 12


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def focused_model(page: Page) -> str | None:
    found: str | None = page.evaluate(MODEL)
    return found


def tab_until(page: Page, selector: str, most: int) -> int:
    """Press Tab until the focus is on what the selector says; how often that took, at most `most`."""
    for count in range(1, most + 1):
        page.keyboard.press("Tab")
        if page.evaluate(f"{WHERE}.matches('{selector}')"):
            return count
    raise AssertionError(f"no {selector} within {most} stops")


@pytest.mark.slow
def test_the_first_stop_skips_to_the_weights(page: Page, site_url: str) -> None:
    """On a phone's size too, where it opens the sheet; the address stays as it is. Without skipping anything the first
    weight is at most twelve stops away."""
    open_board(page, f"{site_url}rounds/")
    tab_until(page, "#metric-weights .number", FEW)
    for width in (1440, 390):
        page.set_viewport_size({"width": width, "height": 900})
        page.reload()
        page.keyboard.press("Tab")
        expect(page.locator(":focus")).to_have_text("Skip to weights")
        page.keyboard.press("Enter")
        expect(page.locator("#metric-weights .number").first).to_be_focused()
        assert "#" not in page.url


def test_arrow_keys_go_from_model_to_model_and_along_a_row(page: Page, site_url: str) -> None:
    """Left and right pass a model's controls; up and down keep to the same one; both ends hold."""
    open_board(page, site_url + "measured/")
    models = page.locator("#rows .line").evaluate_all("rows => rows.map((row) => row.dataset.model)")
    page.locator("#rows .line a").first.focus()
    press(page, "ArrowDown", "ArrowDown")
    assert focused_model(page) == models[2]
    press(page, "ArrowLeft")
    expect(page.locator(":focus")).to_have_class("opener")
    press(page, "ArrowLeft")
    expect(page.locator(":focus")).to_have_attribute("type", "checkbox")
    press(page, "ArrowLeft", "ArrowUp")
    assert focused_model(page) == models[1]
    press(page, "Space")
    expect(page.locator(f"tr[data-model={models[1]}] .choose input")).to_be_checked()
    press(page, "ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight")
    expect(page.locator(":focus")).to_have_class("pin")
    press(page, "End")
    assert focused_model(page) == models[-1]
    press(page, "ArrowDown", "Home", "ArrowUp")
    assert focused_model(page) == models[0]


@pytest.mark.slow
def test_a_question_mark_lists_the_keys(page: Page, site_url: str) -> None:
    """So does a button; in a search it is a question mark, and Escape closes the list."""
    open_board(page, site_url + "sentiment/")
    dialog = page.get_by_role("dialog", name="Keys of this page")
    page.locator("#search").press("?")
    expect(page.locator("#search")).to_have_value("?")
    expect(dialog).to_be_hidden()
    page.locator("#undo").focus()
    press(page, "?")
    expect(dialog).to_be_visible()
    expect(dialog.get_by_role("row")).not_to_have_count(0)
    press(page, "Escape")
    expect(dialog).to_be_hidden()
    expect(page.locator("#undo")).to_be_focused()
    page.get_by_role("button", name="Keys of this page").click()
    expect(dialog).to_be_visible()
