"""A board of so many models that its page has the first ones only as HTML: a visitor misses none of the others."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect
from site_pages import Gate
from site_sample import write_crowd
from site_server import served
from site_snapshots import freeze_board
from test_site_accessibility import findings
from test_site_links import Page as Written
from test_site_links import target_of

from evaluator.rank.dynascore import Board
from site_src.generator.build import build
from site_src.generator.views.formats import number
from site_src.generator.views.rows import WRITTEN

MODELS = WRITTEN + 20
#: The last model of the default ranking but one is by far the fastest.
FAST = "crowd-0518"
METRICS = ("perf", "throughput", "memory", "fairness", "robustness")
NAMES = "#rows .line th a"


@dataclass(frozen=True)
class ManyModels:
    """The built site, its address, and the board's ranking as the scorer gives it."""

    site: Path
    url: str
    cells: dict[str, Any]
    snapshot: str

    @property
    def board(self) -> str:
        return f"{self.url}sentiment/"

    @property
    def frozen(self) -> str:
        return f"{self.url}snapshots/{self.snapshot}/"

    def ranked(self, weights: dict[str, float] | None = None) -> list[dict[str, Any]]:
        return Board.from_dict(self.cells).rank(weights).to_dict()["models"]


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ManyModels]:
    folder = tmp_path_factory.mktemp("many")
    boards, results = write_crowd(folder, MODELS)
    path = results / "sentiment" / "table-2" / f"{FAST}.json"
    document = json.loads(path.read_text())
    document["scores"]["throughput"]["value"] = 39.5
    path.write_text(json.dumps(document))
    snapshot = freeze_board(boards, results, "sentiment")
    build(boards, results, folder / "build")
    cells = island((folder / "build" / "sentiment" / "index.html").read_text(), "board-cells")
    with served(folder / "build") as url:
        yield ManyModels(folder / "build", url, cells, snapshot.id)


@pytest.fixture
def bare(browser: Browser) -> Iterator[Page]:
    """A page without scripts."""
    context = browser.new_context(java_script_enabled=False)
    yield context.new_page()
    context.close()


def island(html: str, name: str) -> Any:
    [text] = re.findall(rf'<script type="application/json" id="{name}">(.*?)</script>', html)
    return json.loads(text)


def ready(page: Page, address: str) -> None:
    page.goto(address)
    expect(page.locator("#scorer-state")).to_have_text("ready", timeout=60_000)


def label(model: str) -> str:
    return f"Model {int(model.removeprefix('crowd-'))}"


def row(page: Page, model: str) -> Any:
    return page.locator(f'tr.line[data-model="{model}"]')


def shown(page: Page, model: str) -> list[str]:
    """Rank, score and values of a model, as its row has them."""
    found = row(page, model)
    texts = [found.locator(place).inner_text() for place in (".place", ".score > .num")]
    return texts + found.locator("td.metric .num").all_inner_texts()


def expected(model: dict[str, Any]) -> list[str]:
    values = [number(model["values"][name]) for name in METRICS]
    return [str(model["rank"]), number(model["dynascore"]), *values]


def only(metric: str) -> str:
    return "#v1;m=" + ",".join(f"{name}:{int(name == metric)}" for name in METRICS)


def test_the_page_has_the_first_rows_and_the_rest_as_data(many: ManyModels) -> None:
    """Each model is in one of the two, no number is there twice, and the ranking is that of the scorer."""
    html = (many.site / "sentiment" / "index.html").read_text()
    written = re.findall(r'<tr role="row" data-model="([^"]+)" class="line', html)
    order = [model["model"] for model in many.ranked()]
    assert written == order[:WRITTEN]
    unwritten = island(html, "board-unwritten")
    assert len(unwritten["of"]) == MODELS - WRITTEN
    assert FAST in order[WRITTEN:]
    assert not {"values", "contributions", "z_scores"} & set(island(html, "board-ranking"))


def test_a_board_that_is_not_so_large_is_written_whole(site_folder: Path) -> None:
    """It has neither data of rows nor a table beside it."""
    for board in ("sentiment", "measured"):
        assert "board-unwritten" not in (site_folder / board / "index.html").read_text()
        assert not (site_folder / board / "table").exists()


@pytest.mark.parametrize("frozen", [False, True])
def test_without_script_the_page_leads_to_all_models(many: ManyModels, bare: Page, frozen: bool) -> None:
    """It says how many rows it has of how many, and the plain table has every rank, score and value."""
    bare.goto(many.frozen if frozen else many.board)
    assert bare.locator("#rows tr").count() == WRITTEN
    assert "The weights need JavaScript. This is the start of the ranking" in bare.content()
    said = bare.get_by_text(f"the first {WRITTEN} models of {MODELS}")
    said.get_by_role("link").click()
    expect(bare.get_by_role("heading", level=1)).to_have_text("All models")
    rows = [line.split("\t") for line in bare.locator("tbody").inner_text().strip().split("\n")]
    ranked = many.ranked()
    assert [cells[:1] + cells[2:] for cells in rows] == [expected(model) for model in ranked]
    assert [cells[1] for cells in rows] == [label(model["model"]) for model in ranked]


@pytest.mark.parametrize("frozen", [False, True])
def test_other_weights_put_an_unwritten_model_first(many: ManyModels, page: Page, frozen: bool) -> None:
    """It has its own numbers, name and marks there, and rows below it are those of the ranking."""
    ready(page, (many.frozen if frozen else many.board) + only("throughput"))
    ranked = many.ranked({"throughput": 1.0})
    assert ranked[0]["model"] == FAST
    names = page.locator("#rows .line .model > :is(a, .name)")
    expect(names.first).to_have_text(label(FAST))
    assert shown(page, FAST) == expected(ranked[0])
    assert names.all_inner_texts()[:10] == [label(model["model"]) for model in ranked[:10]]
    origin = row(page, FAST).locator(".origin")
    assert origin.inner_text() == page.locator("#rows .origin").nth(1).inner_text()
    expect(row(page, FAST).locator(".mark")).to_have_class("mark mark-reported")
    expect(row(page, FAST).locator(".pin")).to_have_accessible_name(f"Pin {label(FAST)}")


def test_a_search_finds_an_unwritten_model(many: ManyModels, page: Page) -> None:
    """Its row leads to its page, can be pinned, and is still there from the address alone."""
    ready(page, many.board)
    page.get_by_role("searchbox", name="Search models").fill(label(FAST))
    expect(page.locator(NAMES)).to_have_text([label(FAST)])
    row(page, FAST).get_by_role("button", name=f"Pin {label(FAST)}").click()
    expect(page.locator("#pinned tr.line")).to_have_count(1)
    page.get_by_role("searchbox", name="Search models").fill("")
    expect(page.locator(NAMES).first).to_have_text(label(many.ranked()[0]["model"]))
    page.reload()
    expect(page.locator("#pinned tr.line a").first).to_have_text(label(FAST))
    ranked = next(model for model in many.ranked() if model["model"] == FAST)
    assert shown(page, FAST) == expected(ranked)
    page.locator("#pinned tr.line .model a").first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text(label(FAST))


def test_a_limit_leaves_an_unwritten_model(many: ManyModels, page: Page) -> None:
    """And it can be ranked alone."""
    ready(page, f"{many.board}#v1;c=throughput:least:39")
    expect(page.locator(NAMES)).to_have_text([label(FAST)])
    page.get_by_label("Rank only among these").check()
    expect(row(page, FAST).locator(".place")).to_have_text("1")


def test_unwritten_models_are_compared(many: ManyModels, page: Page) -> None:
    """Chosen on the board, they stand side by side on the page of comparisons."""
    other = many.ranked()[-1]["model"]
    ready(page, f"{many.board}#v1;q=Model%205")
    for model in (FAST, other):
        page.get_by_role("searchbox", name="Search models").fill(label(model))
        row(page, model).get_by_role("checkbox").check()
    page.locator("#compare-link").click()
    for model in (FAST, other):
        expect(page.locator("#comparison")).to_contain_text(label(model))
    ranked = next(model for model in many.ranked() if model["model"] == FAST)
    expect(page.locator("#comparison")).to_contain_text(number(ranked["dynascore"]))


def test_arrow_keys_reach_every_model(many: ManyModels, page: Page) -> None:
    """End goes to the last model of all, and the arrows go on from there."""
    ready(page, many.board)
    ranked = many.ranked()
    page.locator(NAMES).first.focus()
    page.keyboard.press("End")
    expect(page.locator(":focus")).to_have_text(label(ranked[-1]["model"]))
    page.keyboard.press("ArrowUp")
    expect(page.locator(":focus")).to_have_text(label(ranked[-2]["model"]))
    assert shown(page, ranked[-2]["model"]) == expected(ranked[-2])
    page.keyboard.press("Home")
    expect(page.locator(":focus")).to_have_text(label(ranked[0]["model"]))


def test_an_unwritten_row_shows_its_numbers_before_there_is_a_scorer(many: ManyModels, page: Page) -> None:
    """They are put together from the board's cells, and Python's are the same."""
    gate = Gate(page, "**/dynascore.py")
    page.goto(f"{many.board}#v1;q={label(FAST).replace(' ', '%20')}")
    expect(page.locator(NAMES)).to_have_text([label(FAST)])
    before = shown(page, FAST)
    assert before == expected(next(model for model in many.ranked() if model["model"] == FAST))
    bar = row(page, FAST).locator(".bar").get_attribute("aria-label")
    gate.open()
    expect(page.locator("#scorer-state")).to_have_text("ready", timeout=60_000)
    assert shown(page, FAST) == before
    assert row(page, FAST).locator(".bar").get_attribute("aria-label") == bar


def test_exports_have_all_models(many: ManyModels, page: Page) -> None:
    """CSV has a line for each, in the order of the ranking."""
    ready(page, many.board)
    page.locator("#export-menu summary").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download as CSV").click()
    with Path(download.value.path()).open(encoding="utf-8", newline="") as lines:
        found = [(line["Rank"], line["Model"]) for line in csv.DictReader(lines)]
    assert found == [(str(model["rank"]), label(model["model"])) for model in many.ranked()]


def test_paper_has_as_many_rows_as_the_page_came_with(many: ManyModels, page: Page) -> None:
    """At the weights shown; and it says where all of them are."""
    ready(page, many.board + only("throughput"))
    expect(page.locator(NAMES).first).to_have_text(label(FAST))
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    expect(page.locator("#rows .line")).to_have_count(WRITTEN)
    expect(page.locator("#rows .line .model a").first).to_have_text(label(FAST))
    expect(page.get_by_text("All of them are in one plain table")).to_be_visible()


@pytest.mark.parametrize("path", ["sentiment/", "sentiment/table/", "snapshot", "snapshot table"])
def test_no_page_of_many_models_is_wider_than_a_phone(many: ManyModels, page: Page, path: str) -> None:
    """The tables scroll in frames of their own."""
    addresses = {"snapshot": many.frozen, "snapshot table": f"{many.frozen}table.html"}
    page.set_viewport_size({"width": 320, "height": 700})
    page.goto(addresses.get(path, many.url + path))
    assert page.evaluate("document.documentElement.scrollWidth") <= 320


def test_axe_finds_nothing_in_the_plain_table(many: ManyModels, page: Page) -> None:
    """Everybody can use it, light and dark, wide and narrow."""
    said = findings(page, f"{many.board}table/")
    assert not said, "\n".join(said)


def test_the_plain_tables_lead_to_pages_of_the_site(many: ManyModels) -> None:
    """To every model, and back to the board or the snapshot."""
    for table in ("sentiment/table/index.html", f"snapshots/{many.snapshot}/table.html"):
        path = many.site / table
        addresses = [one for one in Written(path.read_text()).addresses if not urlsplit(one).scheme]
        assert addresses
        for address in addresses:
            assert target_of(path, address).is_file(), (table, address)
    linked = {path.name for path in (many.site / "sentiment" / "models").iterdir()}
    assert linked == set(many.cells["models"])
