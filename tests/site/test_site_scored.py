"""The pages of a board whose scores a source gave by example: no texts, no right answers, and nothing false."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect
from site_pages import becomes
from site_server import served

from evaluator.records.board import load_boards
from evaluator.records.references import ModelRef, Source
from evaluator.records.store import Store
from evaluator.score.keeping import keep_covariances
from evaluator.score.values import ScoredExamples, keep_values
from site_src.generator.build import build

EXAMPLES = 60
IDS = tuple(f"app__{number}" for number in range(EXAMPLES))
BOARD = """
title = "T"
[[datasets]]
id = "fixes"
label = "Fixes"
task = "scored"
[[boards]]
id = "b"
title = "B"
task = "scored"
base = "solved"
datasets = ["fixes"]
metrics = [
  {{ name = "solved", label = "Solved", unit = "{unit}", {more}decimals = 1 }},
  {{ name = "cost", label = "Cost", unit = "USD", direction = "lower", cap = "max" }},
]
"""
#: By model, every how many examples it fails.
FAILS = {"one": 4, "two": 3, "three": 2}


def world(
    folder: Path,
    solved: Mapping[str, Sequence[float]],
    unit: str = "%",
    more: str = "",
    human: Mapping[str, Sequence[float]] | None = None,
) -> Path:
    """The site of a board with these values of the base metric; an example costs what its number says.

    With labels of people the values are the verdicts of a judge.
    """
    (folder / "board.toml").write_text(BOARD.format(unit=unit, more=more))
    boards, store = load_boards(folder / "board.toml"), Store(folder / "results")
    sides = tuple("left" if number < EXAMPLES / 2 else "right" for number in range(EXAMPLES))
    examples = ScoredExamples("fixes", "Fixes", IDS, {"side": sides})
    for model, values in solved.items():
        given = {"solved": np.array(values, dtype=float).reshape(EXAMPLES, -1)}
        trials = given["solved"].shape[1]
        given["cost"] = np.arange(EXAMPLES * trials, dtype=float).reshape(EXAMPLES, trials) / 10
        about = ModelRef(id=model, label=model.title())
        source = Source(citation="The makers of Fixes 2026")
        labels = {"solved": np.array(human[model], dtype=float)[:, None]} if human else None
        created = "2026-11-26T00:00:00Z"
        keep_values(examples, about, given, boards, store, source=source, created=created, human=labels)
    keep_covariances(examples.dataset(), boards, store)
    build(folder / "board.toml", folder / "results", folder / "build")
    return folder / "build"


def right_or_wrong() -> dict[str, list[float]]:
    """The first example is solved by nobody, and the second by one model alone."""
    found = {model: [100.0 * (at % every > 0) for at in range(EXAMPLES)] for model, every in FAILS.items()}
    for model in FAILS:
        found[model][1] = 100.0 * (model == "three")
    return found


def text(page: Path) -> str:
    return " ".join(page.read_text("utf-8").split())


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return world(tmp_path_factory.mktemp("scored"), right_or_wrong())


def test_a_datasets_page_names_the_examples_that_are_hard(site: Path) -> None:
    """Ids are all that is known of an example: those nobody solves, and who alone solves one."""
    page = text(site / "b/datasets/fixes/index.html")
    hard = json.loads((site / "b/datasets/fixes/dataset.json").read_text())["hardness"]
    nobody = [at for at in range(EXAMPLES) if at % 12 == 0]
    assert hard["nobody"] == [IDS[at] for at in nobody]
    assert f"The examples that no model gets right: {len(nobody)}" in page
    assert "The examples that just one model gets right" in page
    assert f'<span dir="auto">{IDS[1]}</span>' in page
    assert "right answers are not published" not in page
    assert "Ids and tags of all examples" in page


def test_a_models_page_has_parts_by_tag_and_says_where_values_are_from(site: Path) -> None:
    """Strengths are told by tag, and the numbers are a source's, example by example."""
    page = text(site / "b/models/three/index.html")
    assert "published elsewhere example by example, and averaged here" in page
    assert "Strengths and weaknesses" in page
    assert "side⁩ “⁨left" in page
    assert "Values kept" in page


def test_numbers_that_are_not_right_or_wrong_are_not_counted_as_such(tmp_path: Path) -> None:
    """Of grades and of several trials the hardest examples are those of the least mean."""
    graded = {model: [1 + (at * every) % 5 for at in range(EXAMPLES)] for model, every in FAILS.items()}
    page = text(world(tmp_path, graded, "points", "range = [1, 5], ") / "b/datasets/fixes/index.html")
    assert "Solved is a number for each example, not right or wrong" in page
    assert "The hardest by the mean Solved of 3 models" in page
    first = f'<span dir="auto">{IDS[0]}</span> <span class="muted small num">1.0 points</span>'
    assert first in page


def test_runs_are_counted_beside_where_numbers_are_from(tmp_path: Path) -> None:
    """And the model's page says how much of the noise is its own; a model of one run says nothing of it."""
    chance = np.random.default_rng(1)
    tries = {model: 100.0 * (chance.random(4 * EXAMPLES) < 0.7) for model in ("one", "two")}
    folder = world(tmp_path, {**tries, "three": [100.0] * EXAMPLES})
    board = text(folder / "b/index.html")
    assert board.count("reported · 4 runs · The makers of Fixes 2026") == 2
    assert board.count("reported · The makers of Fixes 2026") == 1
    page = text(folder / "b/models/one/index.html")
    assert "Means of 4 runs of each example." in page
    assert "own share of the variance is" in page
    assert "own share of the variance" not in text(folder / "b/models/three/index.html")


@pytest.mark.slow
def test_two_models_are_compared_down_to_the_example(page: Page, site: Path) -> None:
    """Who solved what is counted, and each example has the other numbers beside it."""
    with served(site) as address:
        page.goto(f"{address}b/compare/#v1;k=one,three")
        section = page.locator("section[aria-labelledby=examples-title]")
        expect(section).to_contain_text("An example is right where Solved is 100 %.")
        page.get_by_label("Show", exact=True).select_option(label="Only where ⁨Three⁩ alone is right (1)")
        row = section.locator("table.examples tbody tr")
        becomes(page, row.count, 1)
        assert " ".join(row.inner_text().split()) == "app__1 ✗ wrong Cost 0.10 USD ✓ right Cost 0.10 USD"


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A judge that finds most of the third model's failures solved; people saw two of three answers."""
    truth = right_or_wrong()
    people = {
        model: [value if at % 3 else np.nan for at, value in enumerate(values)]
        for model, values in truth.items()
    }
    said = {**truth, "three": [100.0 * (at % 10 > 0) for at in range(EXAMPLES)]}
    return world(tmp_path_factory.mktemp("judged"), said, human=people)


def test_the_pages_of_a_judged_board_say_what_the_judge_was_worth(judged: Path) -> None:
    """And whom it favours: a line under the board, a table of the dataset, and a sentence of the model."""
    said = "The judge favours \u2068Three\u2069, to which it gives 40.0 points more than people do"
    board = text(judged / "b/index.html")
    assert "Solved: with the judge, 40 labels of people for each model are worth" in board
    assert said in board
    dataset = text(judged / "b/datasets/fixes/index.html")
    assert said in dataset
    assert '<section aria-labelledby="judge">' in dataset
    model = text(judged / "b/models/three/index.html")
    assert "Solved: a judge's verdicts, corrected by 40 labels of people" in model.replace("&#39;", "'")
    assert "it favours this model" in model


def test_a_judge_is_not_taken_for_what_is_right(judged: Path) -> None:
    """No example is called hard by its verdicts, and where models are compared they are named as such."""
    dataset = text(judged / "b/datasets/fixes/index.html")
    assert "Solved is what a judge says of each example, so right answers are not counted." in dataset
    assert "hardest by the mean" not in dataset
    assert "Solved (verdicts of the judge)" in text(judged / "b/compare/index.html")
