"""The page of a board's quality: every criterion with its verdict and evidence, without any script."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from evaluator.cli import main

ROW = re.compile(r'<tr role="row" id="([a-z-]+)">.*?<span class="judged [a-z-]+">([a-z ]+)</span>', re.DOTALL)


def html_of(site_folder: Path, board: str) -> str:
    return (site_folder / board / "quality" / "index.html").read_text(encoding="utf-8")


def test_the_page_says_what_the_command_prints(site_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of every board, also one without results, all criteria are there in order, with the same verdicts."""
    world = site_folder.parent
    with pytest.raises(SystemExit):
        main(["check", "--board", str(world / "board.toml"), "--quality", "--json"])
    boards = json.loads(capsys.readouterr().out)["boards"]
    assert {"sentiment", "rounds", "nothing", "hostile"} <= boards.keys()
    for board, document in boards.items():
        expected = [(row["id"], row["verdict"]) for row in document["criteria"]]
        assert ROW.findall(html_of(site_folder, board)) == expected
    people = {row["id"]: row for row in boards["rounds"]["criteria"]}["people"]
    assert people["verdict"] == "proven"
    assert people["evidence"]["links"][0]["address"] == "rounds/datasets/round-1/"


def test_names_stay_text(site_folder: Path) -> None:
    """A metric whose label is markup is named in the evidence of bounds, escaped."""
    html = html_of(site_folder, "hostile")
    assert "<script>window.hacked" not in html
    assert "&lt;script&gt;window.hacked=1&lt;/script&gt;: unknown" in html


@pytest.mark.slow
def test_a_reader_without_scripts_comes_from_the_board_to_the_criteria(
    browser: Browser, site_url: str
) -> None:
    """Folded on the board is the link; the page shows its evidence, on a phone too; paper has no such link."""
    page = browser.new_page(java_script_enabled=False, viewport={"width": 390, "height": 800})
    page.goto(f"{site_url}sentiment/")
    page.locator("#reading > summary").click()
    link = page.get_by_role("link", name="How good this board is as a benchmark")
    page.emulate_media(media="print")
    expect(link).to_be_hidden()
    page.emulate_media(media="screen")
    link.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("as a benchmark")
    row = page.get_by_role("row", name="How scores are to be read, and how not, is said.")
    expect(row).to_contain_text("proven")
    row.get_by_role("link", name="rank sets").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("How sure a rank is")
    page.close()
