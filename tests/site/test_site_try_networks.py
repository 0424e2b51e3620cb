"""Trying a network in the page, on a board of pairs, and a model that answers questions."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, Request, expect
from site_networks import write_networks
from site_server import served

from evaluator.cli import main
from evaluator.measure.models import open_model
from evaluator.records.browser import BrowserCheck
from evaluator.records.store import BROWSER_CHECKS, Store
from site_src.generator.build import build

pytestmark = pytest.mark.slow

#: Part of the address of what runs networks.
RUNTIME = "ort"
TEXTS = {"Context": "a good film, not bad", "Hypothesis": "good films"}


@pytest.fixture(scope="module")
def tried(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the small world, whose copies have been compared with their models."""
    folder = tmp_path_factory.mktemp("networks")
    board = write_networks(folder)
    with pytest.raises(SystemExit) as ended:
        main(["check", "--browser", "--board", str(board)])
    assert ended.value.code == 0
    build(board, folder / "results", folder / "build")
    return folder


@pytest.fixture(scope="module")
def tried_url(tried: Path) -> Iterator[str]:
    """The address of the site; ends in a slash."""
    with served(tried / "build") as address:
        yield address


def ask(page: Page, texts: dict[str, str]) -> None:
    for name, text in texts.items():
        page.get_by_label(name, exact=True).fill(text)
    page.locator("#submit").click()
    expect(page.locator("#status")).to_contain_text("asked", timeout=120_000)
    expect(page.locator("#stop")).to_be_hidden()


def test_a_network_agrees_with_its_model_in_what_the_page_loads(tried: Path) -> None:
    """The page's own script and onnxruntime's two files answer 500 pairs as torch does, to a ten-thousandth."""
    store = Store(tried / "results")
    found: dict[str, BrowserCheck] = {
        path.name: store.load_record(BROWSER_CHECKS, path) for path in store.record_paths(BROWSER_CHECKS)
    }
    check = found["network.browser.json"]
    assert (check.asked, check.agreed, check.weights) == (500, 500, "float32")
    assert check.largest_difference == pytest.approx(0, abs=1e-4)
    assert "onnxruntime-web 1.30.0" in check.runtime
    assert found["whole.browser.json"].weights is None


def test_a_visitor_asks_a_network_about_a_pair(tried: Path, tried_url: str, page: Page) -> None:
    """Its size is said before, nothing is loaded until somebody asks, and it answers as the measured model
    does.
    """
    requests: list[Request] = []
    page.on("request", lambda request: requests.append(request))
    page.goto(f"{tried_url}nli/try/")
    expect(page.locator("#submit")).to_have_text("Ask all")
    expect(page.locator("#loads")).to_have_text(re.compile(r"Loaded first: 2\d\.\d MB, 0\.7 MB more"))
    assert not [one for one in requests if RUNTIME in one.url.rpartition("/")[2]]
    page.locator("#asks-network").uncheck()
    expect(page.locator("#submit")).to_have_text("Ask 1 model")
    expect(page.locator("#loads")).to_have_text(re.compile(r"Loaded first: 1\d\.\d MB"))
    ask(page, TEXTS)
    assert not [one for one in requests if RUNTIME in one.url.rpartition("/")[2]], "no network was asked"
    page.locator("#asks-network").check()
    expect(page.locator("#submit")).to_have_text("Ask all")
    expect(page.locator("#loads")).to_have_text(re.compile(r"Loaded first: 1\d\.\d MB"))
    ask(page, TEXTS)
    model = open_model("transformers", tried / "network", {}, "nli", ("entailed", "neutral", "contradictory"))
    said = model.predict({name.lower(): text for name, text in TEXTS.items()})
    row = page.locator("#model-network")
    expect(row.locator(".try-answer")).to_have_text(said["label"])
    sure = float(row.locator("td").nth(2).inner_text())
    assert sure == pytest.approx(said["probabilities"][said["label"]], abs=0.006)
    expect(row.locator("td").nth(3)).to_have_text(re.compile(r"\d ms"))
    flips_and_variants(page, requests)


def flips_and_variants(page: Page, requests: list[Request]) -> None:
    """A changed text and the suite's variants ask the network that is there, and send nothing: only the list that variants need is loaded."""
    before = len(requests)
    ask(page, {"Hypothesis": "a good film"})
    assert len(requests) == before
    expect(page.locator("#model-inside .try-flip")).to_contain_text("entailed")
    page.get_by_role("button", name="Show perturbed variants").click()
    expect(page.locator("#variants-table tbody tr").first).to_be_visible()
    expect(page.locator("#model-network td").last).to_have_text(re.compile(r"\d+ of \d+"))
    assert [one.url.rpartition("/")[2] for one in requests[before:]] == ["misspellings.txt"]


def test_a_network_that_does_not_come_is_said_in_its_row(tried_url: str, page: Page) -> None:
    """A file that is missing stops neither the page nor the other models."""
    page.route("**/model.onnx", lambda route: route.fulfill(status=404))
    page.goto(f"{tried_url}nli/try/")
    ask(page, TEXTS)
    expect(page.locator("#model-network .try-answer")).to_contain_text("answers 404")
    expect(page.locator("#model-inside .try-answer")).to_have_text("neutral")
    page.unroute("**/model.onnx")
    ask(page, TEXTS)
    expect(page.locator("#model-network .try-answer")).not_to_contain_text("no answer")


def test_a_question_about_a_context_is_answered_with_a_text(tried_url: str, page: Page) -> None:
    """Both fields are asked for, and a board without networks loads nothing that runs them."""
    page.goto(f"{tried_url}qa/try/")
    island = json.loads(page.locator("#try-data").text_content() or "")
    assert (island["fields"], island["networks"]) == (["context", "question"], None)
    page.locator("#submit").click()
    assert page.evaluate("document.activeElement.id") == "text-context", "an empty field is asked for"
    ask(page, {"Context": "It opened in <1999>.", "Question": "When?"})
    expect(page.locator("#model-whole .try-answer")).to_have_text("It opened in <1999>.")
