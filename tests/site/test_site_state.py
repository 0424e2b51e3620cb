"""One view, one state: every page that shows ranks shows those of its address, and links carry the view on."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect
from site_pages import Gate, names, open_board, shows, type_weight, uncomplaining
from site_snapshots import SITE, Frozen

from evaluator.records.board import load_boards
from site_src.generator.build import build_single

pytestmark = pytest.mark.slow
VIEW = "#v1;m=accuracy:0,throughput:1,memory:1"


def number(text: str) -> float:
    """A number as pages write it."""
    return float(text.replace("\u2212", "-").replace("\u202f", ""))


def ranked(page: Page) -> None:
    """Wait until Python has ranked what the page of a model or a dataset shows."""
    expect(page.locator("#at-words")).to_contain_text("with a line under them", timeout=60_000)


def test_the_parts_of_a_score_add_up_to_it_at_the_weights_of_the_link(page: Page, site_url: str) -> None:
    """On a model's page: the parts are those of the board, against the model that is the median there."""
    open_board(page, f"{site_url}measured/{VIEW}")
    expect(page.locator("#announcer")).to_contain_text("Top three", timeout=60_000)
    middle = names(page)[(page.locator("#rows tr:not(.unranked)").count() - 1) // 2]
    score = page.locator("#rows .score > .num").first.inner_text()
    page.locator("#rows .line a").first.click()
    ranked(page)
    expect(page.locator(".state [data-score-of]")).to_have_text(score)
    expect(page.locator("#why-table tfoot [data-score-of]")).to_have_text(score)
    rows = page.locator("#why-table tbody tr")
    parts = [number(row.locator("td").nth(2).inner_text()) for row in rows.all()]
    assert sum(parts) == pytest.approx(number(score), abs=0.02)
    expect(page.locator(".wide-bar p")).to_contain_text(middle)
    expect(page.locator("#why-table thead")).to_contain_text("Against the median model")
    expect(page.locator("#why .at-default")).to_be_hidden()
    differences = [number(row.locator("td").nth(3).inner_text()) for row in rows.all()]
    drawn = page.locator(".wide-bar svg").get_attribute("aria-label") or ""
    assert [number(found) for found in re.findall(r"[+\u2212-]?\d[\d.]*(?=,|$)", drawn)] == differences


def test_a_model_without_a_rank_at_these_weights_says_so(page: Page, site_url: str) -> None:
    """And one that has a rank only at these weights says which."""
    open_board(page, f"{site_url}measured/")
    expect(page.locator("#announcer")).to_contain_text("Top three", timeout=60_000)
    without = page.locator("#rows tr.unranked a").first.get_attribute("href")
    page.goto(f"{site_url}measured/{without}")
    expect(page.locator(".state")).to_contain_text("Not ranked")
    expect(page.locator(".if-ranked").first).to_be_hidden()


def test_links_carry_the_view_from_page_to_page(page: Page, site_url: str) -> None:
    """From a model to a comparison, which is still of its two models, to another model, and back to the board."""
    open_board(page, f"{site_url}sentiment/models/t5/#v1;m=perf:1")
    ranked(page)
    page.locator(".state a", has_text="Compare with").click()
    expect(page).to_have_url(re.compile(r"/sentiment/compare/#v1;m=perf:1,.*;k=t5,\w+$"))
    expect(page.locator("#scorer-state")).to_have_attribute("data-state", "ready", timeout=60_000)
    page.locator("#comparison a", has_text="T5").first.click()
    expect(page).to_have_url(re.compile(r"/sentiment/models/t5/#v1;m=perf:1,"))
    ranked(page)
    page.locator(".crumbs a").click()
    expect(page).to_have_url(re.compile(r"/sentiment/#v1;m=perf:1,"))
    page.locator(".datasets a").first.click()
    expect(page).to_have_url(re.compile(r"/sentiment/datasets/[^/]+/#v1;m=perf:1,"))
    # The page's own link in the menu is the way back to the default view, and other boards have weights of their own.
    page.goto(f"{site_url}sentiment/#v1;m=perf:1")
    page.locator("#boards-menu summary").click()
    page.get_by_role("link", name="Sentiment analysis").click()
    expect(page).to_have_url(f"{site_url}sentiment/")


@pytest.mark.parametrize("page_of", ["models/t5/", "datasets/table-2/"])
def test_a_link_pressed_before_the_ranks_have_come_leads_on_in_the_view(
    page: Page, site_url: str, page_of: str
) -> None:
    """What the page ranks by is fetched from the board's page, which may take long."""
    page.route(re.compile(r"/sentiment/$"), lambda route: None)
    page.goto(f"{site_url}sentiment/{page_of}#v1;m=perf:1;s=memory:up")
    expect(page.locator("#at-weights")).to_be_visible()
    page.unroute_all(behavior="ignoreErrors")
    page.locator(".crumbs a").click()
    expect(page).to_have_url(re.compile(r"/sentiment/#v1;m=perf:1[^;]*;s=memory:up$"))


def test_a_snapshot_and_its_live_board_lead_to_each_other_in_the_same_view(
    frozen: Frozen, frozen_url: str, page: Page
) -> None:
    """The snapshot says its weights in full, as the board may have other ones by now."""
    open_board(page, f"{frozen_url}measured/#v1;m=accuracy:0")
    expect(page.locator("#announcer")).to_contain_text("Top three", timeout=60_000)
    order = names(page)
    page.locator("#newest").click()
    expect(page).to_have_url(re.compile(rf"/snapshots/{frozen.measured.id}/#v1;m=accuracy:0,"))
    expect(page.locator("#announcer")).to_contain_text("Top three", timeout=60_000)
    shows(page, order)
    page.get_by_role("link", name="Live board").click()
    expect(page).to_have_url(re.compile(r"/measured/#v1;m=accuracy:0,.*;d=.*;b="))
    expect(page.locator("#announcer")).to_contain_text("Top three", timeout=60_000)
    expect(page.locator("#notice")).to_be_hidden()
    shows(page, order)
    page.goto(f"{frozen_url}snapshots/{frozen.measured.id}/")
    page.get_by_role("link", name="Live board").click()
    expect(page).to_have_url(f"{frozen_url}measured/")


def test_the_rows_of_a_snapshot_keep_their_numbers_while_scripts_load(
    frozen: Frozen, frozen_url: str, page: Page
) -> None:
    """They are those that the page came with until the table's script is there."""
    waiting: list[Route] = []
    page.route("**/parts/table.js", lambda route: waiting.append(route))
    page.goto(f"{frozen_url}snapshots/{frozen.measured.id}/")
    expect(page.locator("#rows .score > .num").first).to_be_visible()
    found = page.locator("#rows .line").evaluate_all(
        "rows => rows.map((row) => [row.dataset.model, row.querySelector('.place').textContent])"
    )
    ranking = frozen.measured.ranking
    ranks = dict(zip(frozen.measured.data.models, ranking.ranks, strict=True))
    assert dict(found) == {model: "—" if rank is None else str(rank) for model, rank in ranks.items()}
    first = next(model for model, rank in ranks.items() if rank == 1)
    row = page.locator(f"#rows [data-model={first}]")
    scores = dict(zip(frozen.measured.data.models, ranking.scores, strict=True))
    expect(row.locator(".score > .num")).to_have_text(f"{scores[first]:.2f}")
    assert "—" not in row.locator("td.metric .num").first.inner_text()
    for route in waiting:
        route.continue_()
    expect(page.locator("#scorer-state")).to_have_attribute("data-state", "ready", timeout=60_000)


def test_a_link_to_a_snapshot_at_other_weights_shows_no_ranking_as_its_own_before_it_is(
    frozen: Frozen, frozen_url: str, page: Page
) -> None:
    """While the record comes, rows are pale and nothing says what they are; without such a link they are the default ones."""
    address, opacity = (
        f"{frozen_url}snapshots/{frozen.measured.id}/",
        "rows => getComputedStyle(rows).opacity",
    )
    rows, detail = page.locator("#rows"), page.locator("#scorer-detail")
    gate = Gate(page, "**/snapshot.json")
    page.goto(f"{address}#v1;m=accuracy:0")
    expect(page.locator("#scorer-state")).to_have_text("loading")
    expect(detail).to_be_hidden()
    assert float(rows.evaluate(opacity)) < 0.5
    gate.open()
    expect(page.locator("#announcer")).to_contain_text("Top three", timeout=60_000)
    assert float(rows.evaluate(opacity)) == 1
    page.route("**/snapshot.json", lambda route: None)
    page.goto("about:blank")
    page.goto(address)
    expect(detail).to_have_text(": default ranking below")
    assert float(rows.evaluate(opacity)) == 1
    page.unroute_all(behavior="ignoreErrors")


def test_links_out_of_one_file_carry_the_view(browser: Browser, frozen: Frozen, tmp_path: Path) -> None:
    """They lead to the published site, which nobody needs to reach for that."""
    boards = load_boards(frozen.boards)
    [board] = [board for board in boards.boards if board.id == "sentiment"]
    file = tmp_path / "report.html"
    build_single(frozen.boards, board, frozen.results, file)
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    with uncomplaining(context.new_page()) as page:
        open_board(page, file.as_uri())
        type_weight(page, "#metric-perf", "1")
        model, live = page.locator("#rows th > a").first, page.get_by_role("link", name="Live board")
        for link, address in ((model, f"{SITE}sentiment/models/"), (live, f"{SITE}sentiment/#v1;m=perf:1")):
            link.focus()
            found = link.get_attribute("href") or ""
            assert found.startswith(address)
            assert "#v1;m=perf:1," in found
    context.close()


def test_the_view_of_a_board_survives_the_way_to_what_is_hard_and_back(page: Page, site_url: str) -> None:
    """That page has a view of its own: both stand in its address, and each stays while the other changes."""
    open_board(page, f"{site_url}rounds/")
    type_weight(page, "#metric-macro-f1", "2")
    page.get_by_role("link", name="Rank by what is hard").first.click()
    expect(page).to_have_url(re.compile(r"/rounds/difficulty/[^/]+/#board=v1;m=macro-f1:2,[^&]*$"))
    expect(page.locator("#scorer-state")).to_have_attribute("data-state", "ready", timeout=60_000)
    page.get_by_label("Weights", exact=True).select_option("square")
    expect(page).to_have_url(re.compile(r"#board=v1;m=macro-f1:2,[^&]*&v1;w=square$"))
    page.reload()
    expect(page.get_by_label("Weights", exact=True)).to_have_value("square")
    page.locator(".crumbs a").first.click()
    expect(page).to_have_url(re.compile(r"/rounds/#v1;m=macro-f1:2,[^&]*$"))
    expect(page.locator("#metric-macro-f1")).to_have_value("2")
    # And once more, at other weights: the link has what is shown now, not what it had.
    link = page.get_by_role("link", name="Rank by what is hard").first
    link.focus()
    type_weight(page, "#metric-macro-f1", "1")
    link.click()
    page.locator(".crumbs a").nth(1).click()
    expect(page).to_have_url(re.compile(r"/rounds/datasets/[^/]+/#v1;m=macro-f1:1,[^&]*$"))


def test_pages_without_ranks_pass_the_view_on(page: Page, site_url: str) -> None:
    """From a dataset to a suite of it, and from there to the board."""
    page.goto(f"{site_url}perturbed/datasets/letters/#v1;s=.model:up")
    ranked(page)
    page.locator("section[aria-labelledby=suites] a").first.click()
    expect(page).to_have_url(re.compile(r"/perturbed/suites/letters/[^/]+/#v1;s=\.model:up$"))
    page.locator(".crumbs a").first.click()
    expect(page).to_have_url(f"{site_url}perturbed/#v1;s=.model:up")
