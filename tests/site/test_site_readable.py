"""The whole path from a board to single sentences: strengths, rivals, tags, texts and every model's answer."""

from __future__ import annotations

import csv
import json
import math
import statistics
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from site_server import served

from evaluator.data.datasets import read_dataset
from evaluator.records.board import load_boards
from evaluator.records.store import Store
from evaluator.score.examples import dataset_source
from evaluator.score.importing import PredictionsFile, import_predictions, submission
from evaluator.score.keeping import keep_covariances
from site_src.generator.breakdowns import FEW
from site_src.generator.build import build

ROOT = Path(__file__).parents[2]
SENTENCES = ROOT / "examples" / "readable" / "data" / "sentences.tsv"
#: Kinds on which each of four readers errs; the last one errs on all that is negative, too.
WRONG = {
    "careful": {"irony"},
    "literal": {"irony", "negation"},
    "hasty": {"irony", "idiom"},
    "cheerful": set(),
}

BOARD = """
title = "Reading"

[[datasets]]
id = "sentences"
label = "Sentences to read"
task = "sentiment"
path = "sentences.tsv"
format = "tsv"
columns = { id = "id", statement = "sentence", label = "label", "tag.kind" = "kind" }
labels = ["negative", "positive"]
show_text = true
show_gold = true

[[boards]]
id = "reading"
title = "Reading"
task = "sentiment"
base = "accuracy"
datasets = ["sentences"]
metrics = [{ name = "accuracy", label = "Accuracy", unit = "%" }]
"""


def sentences() -> list[dict[str, str]]:
    with SENTENCES.open(encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def answer(reader: str, row: dict[str, str]) -> str:
    """What a reader answers: the right label, but on the kinds it errs on."""
    if reader == "cheerful":
        return "positive"
    other = "negative" if row["label"] == "positive" else "positive"
    return other if row["kind"] in WRONG[reader] else row["label"]


def right(reader: str) -> list[bool]:
    return [answer(reader, row) == row["label"] for row in sentences()]


def median(kind: str) -> str:
    """The median of the readers' scores on a kind."""
    places = [at for at, row in enumerate(sentences()) if row["kind"] == kind]
    scores = [100 * sum(right(reader)[at] for at in places) / len(places) for reader in WRONG]
    return f"{statistics.median(scores):.2f}"


@pytest.fixture(scope="module")
def reading(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a site of four readers of the repository's own sentences."""
    folder = tmp_path_factory.mktemp("reading")
    (folder / "board.toml").write_text(BOARD)
    boards = load_boards(folder / "board.toml")
    data = read_dataset(dataset_source(boards.dataset("sentences"), SENTENCES.parent))
    for reader in WRONG:
        said = {row["id"]: answer(reader, row) for row in sentences()}
        file = folder / f"{reader}.json"
        file.write_text(json.dumps(said))
        asked = submission(boards, PredictionsFile(file), "sentences", reader)
        import_predictions(asked, data, Store(folder / "results"))
    keep_covariances(data, boards, Store(folder / "results"))
    build(folder / "board.toml", folder / "results", folder / "build")
    with served(folder / "build") as address:
        yield address


def test_a_visitor_gets_from_a_board_to_each_models_answer_without_script(
    browser: Browser, reading: str
) -> None:
    """Board, model, tag, text: three links, and then the sentence with its label and all four answers."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(reading + "reading/")
    page.locator("table.ranks").get_by_role("link", name="literal").first.click()
    page.locator(".strengths").get_by_role("link", name="negation").click()
    heading = page.locator("h2:target")
    expect(heading).to_contain_text("negation")
    row = page.locator("tr", has_text="I cannot praise this teacher enough.")
    expect(row.locator("td")).to_have_text(
        ["positive", "✓right: positive", "✓right: positive", "✗wrong: negative", "✓right: positive"]
    )
    heads = page.locator("table.read").first.locator("thead th")
    expect(heads).to_have_text(["Example", "Right label", "careful", "hasty", "literal", "cheerful"])
    context.close()


@pytest.mark.slow
def test_strengths_are_said_against_the_median(page: Page, reading: str) -> None:
    """The scores of a reader and the medians are those reckoned by hand; small kinds are left out."""
    page.goto(reading + "reading/models/literal/")
    said = page.locator(".says li")
    expect(said.nth(0)).to_contain_text("Better than the board's median on")
    expect(said.nth(0)).to_contain_text(f"idiom\u2069” (100.00 against {median('idiom')})")
    expect(said.nth(1)).to_contain_text("Worse than the board's median on")
    expect(said.nth(1)).to_contain_text(f"negation\u2069” (0.00 against {median('negation')})")
    kinds = Counter(row["kind"] for row in sentences())
    parts = page.locator(".strengths tbody tr").all_inner_texts()
    assert any("negation" in text and "−75.00" in text for text in parts)
    assert min(kinds.values()) < FEW
    assert not any("quotation" in text for text in parts)


@pytest.mark.slow
def test_rivals_are_compared_by_the_examples_that_only_one_gets_right(page: Page, reading: str) -> None:
    """The neighbour in the ranking, the two counts, and the exact test as the binomial gives it."""
    page.goto(reading + "reading/models/literal/")
    rival = page.locator(".rival", has_text="cheerful")
    pairs = Counter(zip(right("literal"), right("cheerful"), strict=True))
    own, other = pairs[True, False], pairs[False, True]
    chance = 2 * sum(math.comb(own + other, k) for k in range(min(own, other) + 1)) / 2 ** (own + other)
    expect(rival).to_contain_text(f"only this model gets {own} examples right, only the other {other}")
    assert chance < 0.001
    expect(rival).to_contain_text("more than chance (exact McNemar test, p < 0.001)")
    rival.get_by_text(f"Only the other is right: {other} examples").click()
    expect(rival.locator("details[open] q").first).to_be_visible()
    expect(rival.locator("details[open]")).to_contain_text("the other: positive")


@pytest.mark.slow
def test_examples_that_nobody_gets_right_are_texts(page: Page, reading: str) -> None:
    """On the dataset's page: the negative ironies, which even the cheerful reader gets wrong."""
    page.goto(reading + "reading/datasets/sentences/")
    texts = [row["sentence"] for row in sentences() if (row["kind"], row["label"]) == ("irony", "negative")]
    shown = [text.strip('“”"') for text in page.locator("#hard ~ .texts q").all_inner_texts()]
    assert shown == texts
