"""Who moved from one snapshot to the next: weights apart, models that left with the reason, and noise."""

from __future__ import annotations

import feedparser
import pytest
from playwright.sync_api import Locator, Page, expect
from site_snapshots import REASON, Frozen

from evaluator.publish.snapshots.differing import difference
from evaluator.rank import dynascore
from evaluator.rank.moves import RULE

SAID = f"BERT was removed on 2026-11-01: {REASON}"


def rows(page: Page) -> dict[str, Locator]:
    """The lines of who moved, by model."""
    return {row.locator("th").inner_text(): row for row in page.locator(".steps-table tbody tr").all()}


@pytest.mark.slow
def test_a_board_says_who_was_removed_when_and_why(frozen_url: str, page: Page) -> None:
    """The model is not in the table, though its results are stored, and a line under it says why."""
    page.goto(f"{frozen_url}sentiment/")
    expect(page.locator("#removed")).to_have_text(f"{SAID}.")
    expect(page.locator("#rows tr")).to_have_count(5)
    expect(page.locator("#rows tr[data-model=bert]")).to_have_count(0)
    data = page.request.get(f"{frozen_url}sentiment/board.json").json()
    assert data["removed"] == [{"id": "bert", "label": "BERT", "reason": REASON, "date": "2026-11-01"}]


@pytest.mark.slow
def test_who_moved_says_who_left_and_why(frozen: Frozen, frozen_url: str, page: Page) -> None:
    """With the reason where there is one, and that none is given where there is none; the feed says it too."""
    page.goto(f"{frozen_url}snapshots/diff/{frozen.changed.id}..{frozen.later.id}/")
    text = page.locator("main").inner_text()
    assert SAID in text
    assert "ALBERT left; no reason is given" in text
    for model in ("BERT", "ALBERT"):
        expect(rows(page)[model]).to_contain_text("left")
    feed = feedparser.parse(page.request.get(f"{frozen_url}snapshots/feed.xml").body())
    summaries = [entry.summary for entry in feed.entries]
    told = [("left; no reason" in summary, SAID.split("<")[0] in summary) for summary in summaries]
    assert told == [(True, True), *[(False, False)] * 4]


@pytest.mark.slow
def test_who_moved_says_weights_apart(frozen: Frozen, frozen_url: str, page: Page) -> None:
    """Which weights changed, and from where to where; ranks are compared at the newer ones, by the scorer, and no
    score at the older ones is shown."""
    page.goto(f"{frozen_url}snapshots/diff/{frozen.changed.id}..{frozen.later.id}/")
    section = page.get_by_role("region", name="The weights changed")
    expect(section).to_contain_text("Macro-F1: 50.0 % → 25.0 %")
    expect(section).to_contain_text("Memory: 12.5 % → 75.0 %")
    expect(section).to_contain_text("Scores at different weights cannot be compared.")
    old = frozen.changed
    ranking = dynascore.Board.from_dict(old.data.plain()).rank(frozen.later.weights.metrics, {"table-2": 1.0})
    before = {row.model: row for row in ranking.rows}
    for at, model in enumerate(old.data.models):
        cells = rows(page)[old.data.labels["models"][model]].locator("td").all_inner_texts()
        assert cells[0] == str(old.ranking.ranks[at])
        assert cells[1].split() == [str(before[model].rank), f"{before[model].dynascore:.2f}"]
    main = page.locator("main").inner_text()
    assert not [score for score in old.ranking.scores if f"{score:.2f}" in main]


@pytest.mark.slow
def test_a_page_says_which_moves_are_within_noise(frozen: Frozen, frozen_url: str, page: Page) -> None:
    """Each model that moved at the same weights, with the rule, once; where weights changed nothing is said."""
    page.goto(f"{frozen_url}snapshots/diff/{frozen.first.id}..{frozen.changed.id}/")
    moves = {move.label: move for move in difference(frozen.first, frozen.changed).moves}
    assert True in {move.within_noise for move in moves.values()}
    for model, row in rows(page).items():
        said = moves[model].within_noise
        assert ("within noise" in row.inner_text(), "more than noise" in row.inner_text()) == (
            said is True,
            said is False,
        )
    assert page.locator("main").inner_text().count(RULE) == 1
    page.goto(f"{frozen_url}snapshots/")
    section = page.locator("section", has=page.locator("h2#sentiment"))
    assert section.inner_text().count(RULE) == 1
    said = section.locator("details tbody").text_content() or ""
    assert said.count("within noise") == sum(move.within_noise is True for move in moves.values())
    assert said.count("more than noise") == sum(move.within_noise is False for move in moves.values())
