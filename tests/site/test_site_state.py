"""Everything a visitor sets on a board is in its address, and only that."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

ROUND_TRIP = """
async ([module, fragments]) => {
  const { encode, decode } = await import(module);
  const { defaultView } = await import(module.replace("fragment.js", "view.js"));
  const data = JSON.parse(document.getElementById("board-data").textContent);
  const defaults = defaultView(data);
  const known = {
    metrics: data.metrics.map((metric) => metric.name),
    datasets: Object.keys(data.weights.datasets),
    models: data.models.map((model) => model.id),
  };
  return fragments.map((fragment) => {
    const { view, unknown } = decode(fragment, defaults, known);
    return { again: encode(view, defaults), unknown };
  });
}
"""


def open_board(page: Page, address: str) -> None:
    """Open a board and wait until its scorer is ready, as a person does."""
    page.goto(address)
    expect(page.locator("#scorer-state")).to_have_text("ready", timeout=30_000)


def fragment(page: Page) -> str:
    return page.url.partition("#")[2]


def module(page: Page) -> str:
    """Address of the module that reads and writes addresses."""
    address: str = page.evaluate(
        "new URL('../view/fragment.js', document.querySelector('script[src$=\"board.js\"]').src).href"
    )
    return address


def test_every_part_of_a_view_survives_the_address(page: Page, site_url: str) -> None:
    """What is read is written again in the same words, and a default view is an empty address."""
    page.goto(site_url + "measured/")
    parts = [
        "m=accuracy:4,throughput:0.25,memory:1000",
        "d=reviews:1,tweets:0",
        "b=memory",
        "e=absolute:0.5",
        "y=z_score",
        "r=whole",
        "s=accuracy:down",
        "h=memory",
        "p=partial",
        "q=small%20bert%3B",
        "f=provenance:measured",
        "k=partial",
        "o=slope",
        "x=memory,accuracy",
        "t=memory,accuracy,throughput",
        "w=partial",
        "l=accuracy",
        "n=tweets",
    ]
    fragments = ["v1;" + part for part in parts] + ["v1;" + ";".join(parts), "v1;b=accuracy"]
    answers = page.evaluate(ROUND_TRIP, [module(page), fragments])
    assert [answer["again"] for answer in answers] == [*fragments[:-1], ""]
    assert all(answer["unknown"] == [] for answer in answers)


def test_only_what_differs_is_in_the_address(page: Page, site_url: str) -> None:
    """A board as it came has none; moving back to the defaults leaves none."""
    open_board(page, site_url + "sentiment/")
    assert "#" not in page.url
    page.get_by_role("button", name="Lock Memory").click()
    assert fragment(page) == "v1;l=memory"
    page.get_by_role("button", name="Lock Memory").click()
    assert "#" not in page.url


def test_a_link_of_the_first_version_still_opens(page: Page, site_url: str) -> None:
    """Links of the oldest kind, with only the weights of metrics and datasets."""
    open_board(page, site_url + "measured/#v1;m=accuracy:1,throughput:0,memory:0;d=reviews:0,tweets:1")
    expect(page.locator("#metric-accuracy")).to_have_value("1")
    expect(page.locator("#metric-memory")).to_have_value("0")
    expect(page.locator("#dataset-reviews")).to_have_value("0")
    expect(page.locator("#notice")).to_be_hidden()
    expect(page.locator("#weights-name")).to_have_text("custom")


def test_what_a_link_does_not_know_takes_its_default(page: Page, site_url: str) -> None:
    """A metric that is newer than the link, and names that are gone: the first keeps its default, those are named."""
    open_board(page, site_url + "sentiment/#v1;m=perf:2,carbon:3;k=gpt-0,bert;w=nobody;b=energy;l=carbon")
    expect(page.locator("#metric-perf")).to_have_value("2")
    expect(page.locator("#metric-robustness")).to_have_value("1")
    notice = page.locator("#notice")
    for name in ("carbon", "gpt-0", "nobody", "energy"):
        expect(notice).to_contain_text(name)
    expect(page.locator("#why-formula")).to_contain_text("Dynascore of DeBERTa")
    expect(page.locator(".rates li[data-metric=perf] .rate-unit")).to_have_text("base")


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ("v2;m=perf:1", "not v1"),
        ("v1;m=perf:1001", "weight from 0 to 1000"),
        ("v1;m=perf", "weight from 0 to 1000"),
        ("v1;e=sometimes:1", "threshold"),
        ("v1;y=luck", "none of dynascore, z_score"),
        ("v1;r=stripes", "what the bars show"),
        ("v1;s=perf:sideways", "up or down"),
        ("v1;f=mood:good", "no filter"),
        ("v1;zz=1", "no part of a view"),
        ("v1;w=%E0%A4%A", "not a name"),
    ],
)
def test_a_link_that_cannot_be_read_says_why(page: Page, site_url: str, bad: str, reason: str) -> None:
    """The whole default view is shown, never half of a link."""
    page.goto(site_url + "sentiment/#" + bad)
    expect(page.locator("#notice")).to_contain_text("cannot be read")
    expect(page.locator("#notice")).to_contain_text(reason)
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
    expect(page.locator("#rows th a").nth(2)).to_have_text("T5")
    page.go_forward()
    expect(page.locator("#rows th a").nth(2)).to_have_text("FastText")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("#rows th a").nth(2)).to_have_text("T5")
    page.get_by_role("button", name="Redo").click()
    expect(page.locator("#rows th a").nth(2)).to_have_text("FastText")


def test_all_weights_zero_leaves_the_explanation_with_its_ranking(page: Page, site_url: str) -> None:
    """The last ranking stays, and what explains it stays with it."""
    open_board(page, site_url + "solo/")
    expect(page.locator("#why-formula")).to_contain_text("100.0 % × 61.25")
    page.locator("#metric-perf").fill("0")
    expect(page.locator("#problem")).to_contain_text("All weights are zero")
    expect(page.locator("#why-formula")).to_contain_text("100.0 % × 61.25")
    expect(page.locator("#rows .score > .num")).to_have_text("61.25")


def test_terms_chosen_while_python_loads_are_applied_when_it_is_ready(page: Page, site_url: str) -> None:
    """Base metric and weights wait for the scorer; nothing on the page claims them before."""
    held = []
    page.route("**/pyodide.asm.wasm", lambda route: held.append(route))
    page.goto(site_url + "sentiment/#v1;b=throughput")
    expect(page.locator("#base")).to_have_value("throughput")
    expect(page.locator(".rates li[data-metric=perf] .rate-unit")).to_have_text("base")
    page.wait_for_timeout(300)
    for route in held:
        route.continue_()
    expect(page.locator(".rates li[data-metric=throughput] .rate-unit")).to_have_text("base", timeout=30_000)
