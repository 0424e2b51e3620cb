"""What is pressed decides what is done: a ranking that arrives between a press and its release moves nothing."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import unquote

import pytest
from playwright.sync_api import Browser, CDPSession, Locator, Page, expect
from site_pages import Gate, uncomplaining

READY = 60_000
#: A view of the board `measured` that turns its default order round.
REVERSED = "#v1;m=accuracy:0,throughput:5,memory:0"
#: Another view whose order is again another one.
BY_MEMORY = "#v1;m=accuracy:0,throughput:0,memory:5"
#: What the scorer answers before the first ranking of a page is there: that it is ready, has a board, ranks.
FIRST_ANSWERS = 3
#: Counts what workers answer, so that a test knows when an answer has reached the page.
COUNT_ANSWERS = """
window.answers = 0;
window.Worker = class extends Worker {
  constructor(...given) {
    super(...given);
    this.addEventListener("message", () => { window.answers += 1; });
  }
};
"""
PAINTED = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"

#: Asks for a view, presses as soon as its rows are there, and releases once later drawing has had its time.
#: Gives what a unit was worth before and during the press.
PRESS_AFTER_RANKING = """async (view) => {
  const [pin, worth] = ["#rows .pin", "#worth"].map((name) => document.querySelector(name));
  const point = (type) => {
    const about = { bubbles: true, isPrimary: true, button: 0, pointerType: "mouse" };
    pin.dispatchEvent(new PointerEvent(type, about));
  };
  const before = worth.textContent;
  await new Promise((done) => {
    new MutationObserver(done).observe(document.querySelector("#rows"), { childList: true, subtree: true });
    location.hash = view;
  });
  point("pointerdown");
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 500)));
  const during = worth.textContent;
  point("pointerup");
  return [before, during];
}"""

#: Controls of a row, and what an address or the row says once one has acted on the model.
CONTROLS = {"choose": ".choose", "pin": ".pin", "opener": ".opener", "link": ".model > a"}


class Hand:
    """A mouse or a finger, which presses at a place and is lifted later."""

    def __init__(self, page: Page, kind: str) -> None:
        self.page, self.kind = page, kind
        self.session: CDPSession | None = page.context.new_cdp_session(page) if kind == "touch" else None

    def press(self, target: Locator) -> None:
        target.scroll_into_view_if_needed()
        box = target.bounding_box()
        assert box is not None
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        if self.session is None:
            self.page.mouse.move(x, y)
            self.page.mouse.down()
        else:
            self.session.send(
                "Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]}
            )

    def lift(self) -> None:
        if self.session is None:
            self.page.mouse.up()
        else:
            self.session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})

    def cancel(self) -> None:
        """End the press elsewhere, so that no click comes of it."""
        if self.session is None:
            self.page.mouse.move(5, 5)
            self.page.mouse.up()
        else:
            self.session.send("Input.dispatchTouchEvent", {"type": "touchCancel", "touchPoints": []})


@pytest.fixture(scope="module", params=["mouse", "touch"])
def kind(request: pytest.FixtureRequest) -> str:
    found: str = request.param
    return found


@pytest.fixture
def page(browser: Browser, kind: str) -> Iterator[Page]:
    context = browser.new_context(
        viewport={"width": 1440, "height": 900}, reduced_motion="reduce", has_touch=kind == "touch"
    )
    context.add_init_script(COUNT_ANSWERS)
    with uncomplaining(context.new_page()) as page:
        yield page
    context.close()


@pytest.fixture
def hand(page: Page, kind: str) -> Hand:
    return Hand(page, kind)


def order(page: Page) -> list[str | None]:
    """The ids of the models in the order of their rows."""
    return [row.get_attribute("data-model") for row in page.locator("#rows tr.line").all()]


def answered(page: Page, answers: int) -> None:
    """Wait until so many answers have reached the page, and it has had time to show them."""
    page.wait_for_function("(answers) => window.answers >= answers", arg=answers, timeout=READY)
    page.evaluate(PAINTED)


def open_ready(page: Page, address: str) -> None:
    page.goto(address)
    expect(page.locator("#scorer-state")).to_have_text("ready", timeout=READY)
    answered(page, FIRST_ANSWERS)


def deliver_ranking(page: Page, view: str) -> None:
    """Ask for another view and wait until the page has had the answer, and time to show it."""
    before = page.evaluate("window.answers")
    page.evaluate("(view) => { location.hash = view; }", view)
    answered(page, before + 1)


def check_outcome(page: Page, control: str, model: str) -> None:
    """The control has acted on this model and on no other."""
    if control == "link":
        page.wait_for_url(f"**/models/{model}/**")
    elif control == "opener":
        expect(page.locator(f"tr[data-model={model}] + .part")).to_be_visible()
        opened = page.locator("#rows tr.line", has=page.locator(".opener[aria-expanded=true]"))
        expect(opened).to_have_count(1)
        expect(opened).to_have_attribute("data-model", model)
    else:
        row, term = {
            "choose": (f"tr[data-model={model}] .choose input:checked", "k"),
            "pin": (f"#pinned tr[data-model={model}]", "p"),
        }[control]
        expect(page.locator(row)).to_be_visible()
        page.wait_for_url(lambda url: f"{term}={model}" in unquote(url).split(";"))


@pytest.mark.parametrize("control", CONTROLS)
def test_a_ranking_that_arrives_during_a_press_waits_for_the_release(
    page: Page, hand: Hand, site_url: str, control: str
) -> None:
    """Nothing moves under the pointer, the model that was pressed is acted on, then the ranking is shown."""
    open_ready(page, site_url + "measured/")
    before = order(page)
    model = before[1]
    assert model is not None
    hand.press(page.locator(f"tr[data-model={model}] {CONTROLS[control]}"))
    deliver_ranking(page, REVERSED)
    assert order(page) == before
    hand.lift()
    check_outcome(page, control, model)
    if control != "link":
        expect(page.locator("#rows tr.line").first).not_to_have_attribute("data-model", before[0] or "")
        assert order(page) != before


@pytest.mark.parametrize("control", CONTROLS)
def test_the_first_ranking_waits_for_the_release_too(
    page: Page, hand: Hand, site_url: str, control: str
) -> None:
    """Visitors press just as the scorer becomes ready; the message about it above the table waits as well."""
    gate = Gate(page, "**/pyodide.asm.wasm")
    page.goto(site_url + "measured/" + REVERSED)
    before = order(page)
    target = page.locator(f"tr[data-model={before[0]}] {CONTROLS[control]}")
    hand.press(target)
    place = target.bounding_box()
    gate.open()
    # One answer says that the scorer is ready; the page asks for the ranking once it has taken it in.
    answered(page, FIRST_ANSWERS - 1)
    assert order(page) == before
    assert target.bounding_box() == place
    assert page.locator("#scorer-state").inner_text() == "loading"
    hand.lift()
    check_outcome(page, control, before[0] or "")
    if control != "link":
        expect(page.locator("#scorer-state")).to_have_text("ready")
        expect(page.locator("#rows tr.line").first).not_to_have_attribute("data-model", before[0] or "")


def test_a_press_that_ends_without_a_click_lets_the_ranking_through(
    page: Page, hand: Hand, site_url: str
) -> None:
    """A pointer that is moved away before it is lifted acts on nothing, and holds nothing up for ever."""
    open_ready(page, site_url + "measured/")
    before = order(page)
    hand.press(page.locator(f"tr[data-model={before[1]}] .pin"))
    deliver_ranking(page, REVERSED)
    hand.cancel()
    expect(page.locator("#rows tr.line").first).not_to_have_attribute("data-model", before[0] or "")
    expect(page.locator("#pinned tr")).to_have_count(0)


@pytest.mark.parametrize("kind", ["mouse"])
def test_what_is_drawn_after_a_ranking_waits_for_the_release_too(page: Page, site_url: str) -> None:
    """What a unit is worth stands above the table and is written later: not under a press."""
    open_ready(page, site_url + "measured/")
    before, during = page.evaluate(PRESS_AFTER_RANKING, REVERSED)
    assert during == before
    expect(page.locator("#worth")).not_to_have_text(before)


@pytest.mark.parametrize("kind", ["mouse"])
def test_no_other_model_is_acted_on_when_the_list_scrolls_under_a_press(
    page: Page, hand: Hand, crowd_url: str
) -> None:
    """The rows of a long list show other models as it scrolls; these were not pressed."""
    open_ready(page, crowd_url)
    models = order(page)
    height = page.locator("#rows tr.line").nth(1).bounding_box()
    assert height is not None
    frame = page.locator("#ranking-frame")
    for rows in (1, 7, 40):
        frame.evaluate("(frame) => { frame.scrollTop = 0; }")
        expect(page.locator("#rows tr.line").first).to_have_attribute("data-model", models[0] or "")
        hand.press(page.locator(f"tr[data-model={models[2]}] .choose"))
        frame.evaluate("(frame, by) => { frame.scrollTop = by; }", rows * height["height"])
        page.evaluate(PAINTED)
        hand.lift()
        page.evaluate(PAINTED)
        assert "k=" not in page.url


@pytest.mark.parametrize("kind", ["mouse"])
def test_sliders_rank_while_they_are_dragged(page: Page, site_url: str) -> None:
    """What is dragged acts all the time, so that its rankings are shown at once."""
    open_ready(page, site_url + "measured/")
    before = order(page)
    slider = page.get_by_role("slider", name="Accuracy, slider")
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + 1, box["y"] + box["height"] / 2)
    expect(page.locator("#rows tr.line").first).not_to_have_attribute("data-model", before[0] or "")
    page.mouse.up()


def test_two_rankings_during_one_press_end_in_the_newest(page: Page, hand: Hand, site_url: str) -> None:
    """Whatever was asked meanwhile, the page ends at the view of the address."""
    open_ready(page, site_url + "measured/" + BY_MEMORY)
    expected = order(page)
    open_ready(page, site_url + "measured/")
    hand.press(page.locator(f"tr[data-model={order(page)[1]}] .pin"))
    deliver_ranking(page, REVERSED)
    page.evaluate("(view) => { location.hash = view; }", BY_MEMORY)
    hand.lift()
    expect(page.locator("#rows tr.line").first).to_have_attribute("data-model", expected[0] or "")


def test_the_controls_of_a_comparison_wait_for_nothing(page: Page, hand: Hand, site_url: str) -> None:
    """The tables of a comparison are made anew with every ranking; a button that is pressed then still acts."""
    open_ready(page, site_url + "measured/compare/#v1;k=bert-small,tfidf,vader")
    button = page.get_by_role("button", name="Put first: VADER")
    before = page.locator("[data-act]").all_inner_texts()
    hand.press(button)
    deliver_ranking(page, "#v1;k=bert-small,tfidf,vader;m=accuracy:0,throughput:5")
    assert page.locator("[data-act]").all_inner_texts() == before
    hand.lift()
    expect(page.get_by_role("columnheader").nth(1)).to_contain_text("VADER")
    page.wait_for_url(lambda url: "k=vader,bert-small,tfidf" in unquote(url))


def test_a_row_of_the_difficulty_page_stays_under_a_press(page: Page, hand: Hand, site_url: str) -> None:
    """A ranking by difficulty that arrives during a press on a model's link does not lead to another model."""
    page.goto(site_url + "rounds/difficulty/round-2/")
    expect(page.locator("#sentences")).to_have_attribute("aria-busy", "false", timeout=READY)
    expect(page.locator("#scorer-state")).to_have_text("ready")
    rows = page.locator("#rows tr")
    before = rows.all_inner_texts()
    target = rows.nth(1).locator("a").first
    address = (target.get_attribute("href") or "").rstrip("/").rsplit("/", 1)[-1]
    hand.press(target)
    deliver_ranking(page, "#v1;m=wmprob;s=thresholds;t=0.2,0.9;g=1,0,9")
    assert rows.all_inner_texts() == before
    hand.lift()
    page.wait_for_url(f"**/models/{address}/**")
