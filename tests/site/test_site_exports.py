"""A visitor exports what is shown: files, the clipboard, a link, paper."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import pandas
import pytest
from playwright.sync_api import Browser, Page, expect

WARNING = "A Dynascore is relative to the models on its board"
VIEW = "#v1;s=throughput:down;h=memory,fairness;p=bert;q=bert;f=provenance:reported"
#: What this view shows, in this order.
SHOWN = ["BERT", "ALBERT", "RoBERTa", "DeBERTa"]


def exported(page: Page, name: str) -> Path:
    """Download what is shown in a format and return the file."""
    page.locator("#export-menu summary").click()
    with page.expect_download() as download:
        page.get_by_role("button", name=f"Download as {name}").click()
    return Path(download.value.path())


@pytest.fixture
def copying(browser: Browser) -> Iterator[Page]:
    """A page that may use the clipboard."""
    context = browser.new_context(reduced_motion="reduce", permissions=["clipboard-read", "clipboard-write"])
    yield context.new_page()
    context.close()


def test_csv_is_what_is_shown_and_every_reader_takes_it(page: Page, site_url: str) -> None:
    """Rows, order, columns and decimals are the page's; the terms are in columns of their own."""
    page.goto(site_url + "sentiment/" + VIEW)
    file = exported(page, "CSV")
    with file.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert [row["Model"] for row in rows] == SHOWN
    assert rows[0]["Rank"] == "5"
    assert [row["Throughput (ex/s)"] for row in rows] == ["8.83", "10.24", "8.95", "7.50"]
    assert not {"Memory (GB)", "Fairness (%)"} & set(rows[0])
    assert rows[0]["Board"] == "Sentiment analysis"
    assert rows[0]["Results of"] == "2026-11-21T15:20:00Z"
    assert rows[0]["Weights of metrics"] == "Macro-F1 4, Throughput 1, Memory 1, Fairness 1, Robustness 1"
    assert rows[0]["Weights of datasets"] == "Dynaboard sentiment, averaged 1"
    assert rows[0]["Searched for"] == "bert"
    assert rows[0]["Note"].startswith(WARNING)
    frame = pandas.read_csv(file)
    assert frame["Dynascore (F1)"].dtype.kind == "f"
    assert list(frame["Model"]) == SHOWN


@pytest.mark.slow
def test_what_is_shown_is_copied(copying: Page, site_url: str) -> None:
    """The clipboard has what the file would have, and the page says so."""
    copying.goto(site_url + "sentiment/")
    copying.locator("#export-menu summary").click()
    copying.get_by_role("button", name="Copy as CSV").click()
    expect(copying.locator("#export-status")).to_have_text("CSV copied")
    assert copying.evaluate("navigator.clipboard.readText()").startswith(
        "Rank,Best possible rank,Worst possible rank,Model,"
    )


@pytest.mark.slow
def test_where_the_clipboard_is_refused_the_text_is_there_to_copy(page: Page, site_url: str) -> None:
    """It is shown, focused and selected."""
    page.add_init_script("Object.defineProperty(navigator, 'clipboard', { value: undefined });")
    page.goto(site_url + "sentiment/#v1;q=bert")
    page.get_by_role("button", name="Copy link").click()
    box = page.get_by_label("Copy it from here")
    expect(box).to_be_focused()
    expect(box).to_have_value(site_url + "sentiment/#v1;q=bert")
    assert page.evaluate("getSelection().toString() || document.activeElement.selectionEnd") != 0
