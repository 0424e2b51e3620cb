"""A board of several tasks on which few models have all datasets: views of those that they have, groups of
datasets, and the plain mean."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import forked_command
import pytest
from playwright.sync_api import Page, expect
from site_pages import open_board, shows, type_weight
from site_server import served

from evaluator.records.references import DatasetRef, ModelRef, Source
from evaluator.records.result import Result, Score
from evaluator.records.store import Store
from site_src.generator.build import build

BOARD = """
title = "T"

[[datasets]]
id = "letters"
label = "Letters"
task = "nli"

[[datasets]]
id = "maps"
label = "Maps"
task = "qa"

[[datasets]]
id = "stars"
label = "Stars"
task = "generation"
main = "rating"
range = [1.0, 5.0]

[[boards]]
id = "all"
title = "All of it"
base = "score"
datasets = ["letters", "maps", "stars"]
metrics = [
  { name = "score", label = "Score", unit = "%" },
  { name = "robustness", label = "Robustness", unit = "%" },
  { name = "cost", label = "Cost", unit = "USD", direction = "lower", cap = 1.0 },
]
weights = { score = 3, robustness = 1 }
groups = { "Reading" = ["letters", "maps"] }
"""
TASKS = {
    "letters": ("nli", "accuracy", "%"),
    "maps": ("qa", "f1", "%"),
    "stars": ("generation", "rating", ""),
}
#: By model, the main metric of each dataset that it has.
NUMBERS = {
    "all": {"letters": 80.0, "maps": 60.0, "stars": 4.0},
    "every": {"letters": 70.0, "maps": 80.0, "stars": 3.0},
    "reader": {"letters": 90.0, "maps": 70.0},
    "scribe": {"letters": 60.0, "maps": 90.0},
    "lector": {"letters": 50.0, "maps": 50.0},
    "star": {"stars": 5.0},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("gaps")
    (root / "board.toml").write_text(BOARD)
    store = Store(root / "results")
    for model, numbers in NUMBERS.items():
        for dataset, value in numbers.items():
            task, metric, unit = TASKS[dataset]
            more = {"robustness": (100.0 - value / 4, "%")} | (
                {} if model == "every" else {"cost": (0.5, "USD")}
            )
            scores = {metric: (value, unit)} | more
            store.save(
                Result(
                    task=task,
                    model=ModelRef(id=model, label=model.capitalize()),
                    dataset=DatasetRef(id=dataset),
                    provenance="reported",
                    scores={
                        n: Score(value=v, unit=u, version="as-published") for n, (v, u) in scores.items()
                    },
                    source=Source(citation="Somebody 2020"),
                    created="2026-11-26T10:00:00Z",
                    tool="test",
                )
            )
    build(root / "board.toml", root / "results", root / "build")
    return root


@pytest.fixture(scope="module")
def gaps_url(folder: Path) -> Iterator[str]:
    with served(folder / "build") as address:
        yield address


def test_a_view_ranks_by_the_datasets_that_models_have_and_is_undone_like_weights(
    page: Page, gaps_url: str
) -> None:
    open_board(page, gaps_url + "all/")
    expect(page.locator("#coverage-line")).to_have_text("2 of 6 models have all 3 datasets.")
    places = page.locator("#rows .place")
    expect(places.filter(has_text=re.compile(r"^\d"))).to_have_count(2)
    page.get_by_role("button", name="Letters, Maps: 5 models").click()
    expect(places.filter(has_text=re.compile(r"^\d"))).to_have_count(5)
    shows(page, ["Reader", "Every", "Scribe", "All", "Lector", "Star"])
    page.wait_for_url(lambda url: url.endswith("#v1;d=letters:0.5,maps:0.5,stars:0"))
    pressed = page.locator("#coverage-views [aria-pressed=true]")
    expect(pressed).to_have_text("Letters, Maps: 5 models")
    page.reload()
    expect(pressed).to_have_text("Letters, Maps: 5 models")
    page.go_back()
    expect(pressed).to_have_text("All 3 datasets: 2 models")
    expect(places.filter(has_text=re.compile(r"^\d"))).to_have_count(2)


def test_models_that_lose_their_rank_are_told_with_a_way_back(page: Page, gaps_url: str) -> None:
    """The way back leads to the last weights at which all had one, the default ones for who came by a link."""
    open_board(page, gaps_url + "all/")
    line, rank = page.locator("#lost"), page.locator("#rows tr[data-model=every] .place")
    type_weight(page, "#metric-robustness", "2")
    expect(line).to_be_hidden()
    type_weight(page, "#metric-cost", "1")
    expect(line).to_contain_text("1 of 6 models has no Cost and is not ranked at these weights.")
    expect(rank).to_have_text("—")
    page.reload()
    expect(line).to_contain_text("has no Cost")
    page.go_back()
    expect(rank).not_to_have_text("—")
    page.go_forward()
    line.get_by_role("button", name="Back to where all have a rank").click()
    expect(line).to_be_hidden()
    expect(page.locator("#metric-cost")).to_have_value("0")
    expect(page.locator("#metric-robustness")).to_have_value("2")
    page.go_back()
    expect(page.locator("#metric-cost")).to_have_value("1")


def test_the_first_charts_lose_no_ranked_model(page: Page, gaps_url: str) -> None:
    """One that is ranked has no cost: the scatter is open, with metrics that all have."""
    open_board(page, gaps_url + "all/")
    expect(page.locator("#tab-scatter")).to_have_attribute("aria-selected", "true")
    axes = page.locator("#chart-scatter select")
    expect(axes.nth(0)).to_have_value("robustness")
    expect(axes.nth(1)).to_have_value("score")


def test_a_visitor_ranks_by_the_plain_mean_where_all_that_weighs_is_in_one_unit(
    page: Page, gaps_url: str
) -> None:
    open_board(page, gaps_url + "all/")
    page.get_by_text("Base, rates and bars").click()
    page.get_by_label("Rank by").select_option("mean")
    expect(page.locator("#score-title")).to_have_text("Weighted mean")
    # By hand: score (80 + 60) / 4 + 75 / 2 and robustness (80 + 85) / 4 + 99 / 2, three to one.
    expect(page.locator("#rows tr[data-model=all] .score > .num")).to_have_text("77.06")
    page.wait_for_url(lambda url: url.endswith("#v1;y=mean"))
    type_weight(page, "#metric-cost", "1")
    expect(page.locator("#notices")).to_contain_text(
        "A plain mean takes one unit, and the metrics with weight are in % and USD"
    )
    page.get_by_label("Rank by").select_option("dynascore")
    expect(page.locator("#by option[value=mean]")).to_be_disabled()
    expect(page.locator("#score-title")).to_have_text("Dynascore")


def test_datasets_stand_under_the_names_of_their_groups(page: Page, gaps_url: str) -> None:
    open_board(page, gaps_url + "all/")
    form = page.locator("#dataset-weights")
    expect(form.locator(".group-name")).to_have_text("Reading")
    expect(form.locator(".control output")).to_have_text(["25.0 %", "25.0 %", "50.0 %"])


def test_rank_says_in_one_line_how_to_rank_what_more_models_have(folder: Path) -> None:
    done = forked_command.run("rank", "all", cwd=folder)
    [line] = [line for line in (done.stdout + done.stderr).splitlines() if "models have" in line]
    assert line == (
        "note: 2 of 6 models have all 3 datasets; Letters, Maps: 5 models,"
        " with --dataset-weight letters=0.5 --dataset-weight maps=0.5"
    )
