"""A board's table in a frame of somebody else's page."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from site_sample import write_crowd

from site_src.generator import embed
from site_src.generator.build import build

RANKED = ["DeBERTa", "RoBERTa", "T5", "ALBERT", "BERT", "Majority Baseline", "FastText"]


@pytest.mark.slow
@pytest.mark.parametrize("width", [300, 400])
def test_the_table_fits_into_a_narrow_frame(page: Page, site_url: str, width: int) -> None:
    """Rank, model, score and the base metric, without scrolling sideways; nothing to navigate by."""
    page.set_content(f'<iframe src="{site_url}sentiment/embed/" width="{width}" height="480"></iframe>')
    frame = page.frame_locator("iframe")
    expect(frame.locator("tbody th")).to_have_text(RANKED)
    expect(frame.locator("tbody tr").first.locator("td:visible, th:visible")).to_have_text(
        ["1", "DeBERTa", "71.26", "76.07"]
    )
    assert frame.locator("html").evaluate("page => page.scrollWidth <= page.clientWidth")
    expect(frame.locator("nav, header, script, form")).to_have_count(0)


@pytest.mark.slow
def test_the_code_to_embed_is_in_the_menu(browser: Browser, site_url: str) -> None:
    """What is copied is a frame of this very board, its title marked as an attribute needs it."""
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.goto(site_url + "hostile/")
    page.locator("#export-menu summary").click()
    page.get_by_role("button", name="Copy the HTML that embeds the table").click()
    expect(page.locator("#export-status")).to_have_text("HTML to embed copied")
    copied = page.evaluate("navigator.clipboard.readText()")
    page.set_content(copied)
    frame = page.locator("iframe")
    expect(frame).to_have_attribute("src", f"{site_url}hostile/embed/")
    expect(frame).to_have_attribute("title", "<i onclick=window.hacked=1>Hostile</i>")
    expect(page.locator("body > *")).to_have_count(1)
    context.close()


def test_a_long_board_shows_its_first_models_and_how_many_there_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The frame leads to the rest."""
    monkeypatch.setattr(embed, "SHOWN", 10)
    boards, results = write_crowd(tmp_path, 25)
    build(boards, results, tmp_path / "build")
    html = (tmp_path / "build/sentiment/embed/index.html").read_text(encoding="utf-8")
    assert html.count("<tr>") == 11
    assert "15 more models on the board" in html


def test_every_board_can_be_embedded_and_none_runs_a_script(site_folder: Path) -> None:
    """An empty board, and one whose names are hostile, included."""
    pages = list(site_folder.glob("*/embed/index.html"))
    assert len(pages) == 7
    for path in pages:
        html = path.read_text(encoding="utf-8")
        assert "default-src 'none'; style-src 'self'" in html
        assert "<script" not in html
        assert '<meta name="robots" content="noindex">' in html
