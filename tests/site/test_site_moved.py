"""Who moved from one snapshot to the next: weights apart, models that left with the reason, and noise."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import feedparser
import pytest
from playwright.sync_api import Locator, Page, expect
from site_sample import write_world
from site_server import served
from site_snapshots import freeze_board
from varying import varying

from evaluator.publish.snapshots.differing import difference
from evaluator.rank import dynascore
from evaluator.rank.moves import RULE
from evaluator.records.snapshot import Snapshot
from site_src.generator.build import build

REASON = "its authors found test data in <its> training set"
MODEL = f"""
[[models]]
id = "bert"
label = "BERT"
task = "sentiment"
removed = {{ reason = "{REASON}", date = 2026-11-01 }}
"""
SAID = f"BERT was removed on 2026-11-01: {REASON}"
SOURCE = "https://git.example.org/lab/boards"
METRICS = ["perf", "fairness", "robustness"]


@dataclass(frozen=True)
class Moved:
    """Three snapshots: then a result changed; then weights did, and two models left, one with a reason."""

    site: Path
    first: Snapshot
    measured: Snapshot
    newest: Snapshot


def vary(models: int) -> dict[str, Any]:
    """How the numbers of the board's models vary: enough for a change of places to be chance."""
    return {"table-2": varying(models, METRICS, ["throughput", "memory"])}


@pytest.fixture(scope="module")
def moved(tmp_path_factory: pytest.TempPathFactory) -> Moved:
    folder = tmp_path_factory.mktemp("moved")
    boards, results = write_world(folder)
    first = freeze_board(boards, results, "sentiment", 1_800_000_000, vary=vary(7))
    path = results / "sentiment" / "table-2" / "t5.json"
    document = json.loads(path.read_text())
    document["scores"]["perf"]["value"] = 79.5
    path.write_text(json.dumps(document))
    measured = freeze_board(boards, results, "sentiment", 1_800_086_400, vary=vary(7))
    site = f'[site]\nsource = "{SOURCE}"\n'
    boards.write_text(boards.read_text().replace("\n[[datasets]]", f"\n{site}\n[[datasets]]", 1) + MODEL)
    (results / "sentiment" / "table-2" / "albert.json").unlink()
    weights = {"perf": 1, "memory": 3}
    newest = freeze_board(boards, results, "sentiment", 1_800_172_800, weights, vary=vary(5))
    build(boards, results, folder / "build")
    return Moved(folder / "build", first, measured, newest)


@pytest.fixture(scope="module")
def address(moved: Moved) -> Iterator[str]:
    with served(moved.site) as found:
        yield found


def rows(page: Page) -> dict[str, Locator]:
    """The lines of who moved, by model."""
    return {row.locator("th").inner_text(): row for row in page.locator(".steps-table tbody tr").all()}


@pytest.mark.slow
def test_a_board_says_who_was_removed_when_and_why(address: str, page: Page) -> None:
    """The model is not in the table, though its results are stored, and a line under it says why."""
    page.goto(f"{address}sentiment/")
    expect(page.locator("#removed")).to_have_text(f"{SAID}.")
    expect(page.locator("#rows tr")).to_have_count(5)
    expect(page.locator("#rows tr[data-model=bert]")).to_have_count(0)
    data = page.request.get(f"{address}sentiment/board.json").json()
    assert data["removed"] == [{"id": "bert", "label": "BERT", "reason": REASON, "date": "2026-11-01"}]


@pytest.mark.slow
def test_who_moved_says_who_left_and_why(moved: Moved, address: str, page: Page) -> None:
    """With the reason where there is one, and that none is given where there is none; the feed says it too."""
    page.goto(f"{address}snapshots/diff/{moved.measured.id}..{moved.newest.id}/")
    text = page.locator("main").inner_text()
    assert SAID in text
    assert "ALBERT left; no reason is given" in text
    for model in ("BERT", "ALBERT"):
        expect(rows(page)[model]).to_contain_text("left")
    feed = feedparser.parse(page.request.get(f"{address}snapshots/feed.xml").body())
    summaries = [entry.summary for entry in feed.entries]
    assert [("left; no reason" in summary, SAID.split("<")[0] in summary) for summary in summaries] == [
        (True, True),
        (False, False),
        (False, False),
    ]


@pytest.mark.slow
def test_who_moved_says_weights_apart(moved: Moved, address: str, page: Page) -> None:
    """Which weights changed, and from where to where; ranks are compared at the newer ones, by the scorer, and no
    score at the older ones is shown."""
    page.goto(f"{address}snapshots/diff/{moved.measured.id}..{moved.newest.id}/")
    section = page.get_by_role("region", name="The weights changed")
    expect(section).to_contain_text("Macro-F1: 50.0 % → 25.0 %")
    expect(section).to_contain_text("Memory: 12.5 % → 75.0 %")
    expect(section).to_contain_text("Scores at different weights cannot be compared.")
    old = moved.measured
    ranking = dynascore.Board.from_dict(old.data.plain()).rank(moved.newest.weights.metrics, {"table-2": 1.0})
    before = {row.model: row for row in ranking.rows}
    for at, model in enumerate(old.data.models):
        cells = rows(page)[old.data.labels["models"][model]].locator("td").all_inner_texts()
        assert cells[0] == str(old.ranking.ranks[at])
        assert cells[1].split() == [str(before[model].rank), f"{before[model].dynascore:.2f}"]
    main = page.locator("main").inner_text()
    assert not [score for score in old.ranking.scores if f"{score:.2f}" in main]


@pytest.mark.slow
def test_a_page_says_which_moves_are_within_noise(moved: Moved, address: str, page: Page) -> None:
    """Each model that moved at the same weights, with the rule, once; where weights changed nothing is said."""
    page.goto(f"{address}snapshots/diff/{moved.first.id}..{moved.measured.id}/")
    moves = {move.label: move for move in difference(moved.first, moved.measured).moves}
    assert True in {move.within_noise for move in moves.values()}
    for model, row in rows(page).items():
        said = moves[model].within_noise
        assert ("within noise" in row.inner_text(), "more than noise" in row.inner_text()) == (
            said is True,
            said is False,
        )
    assert page.locator("main").inner_text().count(RULE) == 1
    page.goto(f"{address}snapshots/")
    section = page.locator("section", has=page.locator("h2#sentiment"))
    assert section.inner_text().count(RULE) == 1
    said = section.locator("details tbody").text_content() or ""
    assert said.count("within noise") == sum(move.within_noise is True for move in moves.values())
    assert said.count("more than noise") == sum(move.within_noise is False for move in moves.values())
