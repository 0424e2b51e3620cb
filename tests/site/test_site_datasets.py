"""A dataset's page: what it is, how the models do on it, how hard its examples are."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
import site_examples
from hypothesis import given
from hypothesis import strategies as st
from playwright.sync_api import Browser, Page, expect
from site_sample import result

from evaluator.records.datasets import Examples
from evaluator.records.errors import UserError
from evaluator.records.result import Result
from evaluator.records.store import Store
from site_src.generator.pages.examples import COUNTED, LINES, hardness, lines

ROUND = "rounds/datasets/round-2/"


def cells(page: Page, table: str) -> list[list[str]]:
    """The texts of a table's body, row by row."""
    rows = page.locator(table).first.locator("tbody tr").all()
    return [[" ".join(text.split()) for text in row.locator("th, td").all_inner_texts()] for row in rows]


def counts_right(names: Sequence[str]) -> list[int]:
    """How many models of the rounds are right on each example of round 2, reckoned by hand."""
    return [
        sum(at % 50 != 49 and site_examples.is_right(at, site_examples.RIGHT[name]) for name in names)
        for at in range(720)
    ]


@pytest.mark.slow
def test_a_dataset_says_what_it_is_without_script(browser: Browser, site_url: str) -> None:
    """Role, round, examples, what was left out, revision, and what nobody stated, in the HTML."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(site_url + "rounds/datasets/round-1/")
    facts = page.locator(".facts").first
    for text in ("ranks the models", "3600", "Left out: no gold label", "65", "CC BY 4.0", "Nobody 2021"):
        expect(facts).to_contain_text(text)
    expect(facts).to_contain_text(site_examples.DIGEST)
    expect(facts.get_by_role("link")).to_have_attribute("href", "https://example.org/rounds")
    expect(page.locator(".state")).to_contain_text("25.0 % of the board's default dataset weights")
    expect(page.locator(".state")).to_contain_text("2026-11-21 15:20 UTC")
    expect(page.locator(".standing")).to_contain_text("Solved: reached by")
    page.goto(site_url + ROUND)
    expect(page.locator(".facts").first).to_contain_text("not stated")
    context.close()


@pytest.mark.slow
def test_all_models_and_people_stand_with_every_metric(page: Page, site_url: str) -> None:
    """Best first by the base metric, people last; metrics that are no column of the board are there too."""
    page.goto(site_url + ROUND)
    found = cells(page, ".scores")
    assert [row[:3] for row in found] == [
        ["RoBERTa", "1", "79.20"],
        ["Mix of two", "2", "71.25"],
        ["A lexicon", "3", "41.75"],
        ["People estimated, not ranked", "— missing", "90.50"],
    ]
    page.goto(site_url + "measured/datasets/reviews/")
    heads = page.locator(".scores thead th").all_inner_texts()
    assert [head.split("\n")[0] for head in heads] == ["Model", "Rank", "Accuracy", "Throughput", "Memory"]
    broken = next(row for row in cells(page, ".scores") if row[0].startswith("Broken model"))
    assert "the run failed" in broken[0]
    assert all("missing" in text for text in broken[2:])


@pytest.mark.slow
def test_how_many_models_are_right_is_counted_by_example(page: Page, site_url: str) -> None:
    """The counts are those of the predictions; ids of examples without texts are not listed."""
    page.goto(site_url + ROUND)
    by_hand = counts_right(list(site_examples.RIGHT))
    counted = Counter(by_hand)
    found = cells(page, ".hard-frame table")
    assert [(int(row[0]), int(row[1])) for row in found] == [(n, counted[n]) for n in range(4)]
    said = page.locator("section[aria-labelledby=hard] > p").first
    expect(said).to_contain_text(f"all 3 models get {counted[3]} right, and no model gets {counted[0]} right")
    expect(page.locator("main")).not_to_contain_text("r2-0")


@pytest.mark.slow
def test_what_cannot_be_said_of_examples_is_said_to_be_unknown(page: Page, site_url: str) -> None:
    """Without data there is no chart; the reason is shown in its place."""
    for address, reason in (
        ("rounds/datasets/round-1/", "right answers are not published"),
        ("sentiment/datasets/table-2/", "No model's answers to single examples are known"),
        ("measured/datasets/reviews/", "No list of this revision's examples"),
        ("nothing/datasets/nothing/", "No model's answers"),
    ):
        page.goto(site_url + address)
        expect(page.locator("section[aria-labelledby=hard]")).to_contain_text(reason)
        expect(page.locator(".hard-frame")).to_have_count(0)


@pytest.mark.slow
def test_tags_stand_with_models_beside_each_other(page: Page, site_url: str) -> None:
    """The hardest value first, few examples marked, many values folded away."""
    page.goto(site_url + ROUND)
    found = cells(page, ".grid")
    assert [row[0] for row in found] == ["hotels", "books", "zoos"]
    assert found[2][1:] == ["few 12", "91.00", "91.00"]
    table = page.locator(".grid").nth(1)
    expect(table).to_be_hidden()
    page.locator("details.tag summary").click()
    expect(table).to_be_visible()
    means = [float(text) for text in table.locator("tbody td:nth-child(3)").all_inner_texts()]
    assert len(means) == 29
    assert means == sorted(means)


# Counting, without a browser


def kept(folder: Path, predicted: list[list[int]], gold: list[int], **more: object) -> Store:
    """A store with one dataset of labels a, b, c, and a model for each list of predictions."""
    document = site_examples.examples("t", "d", [f"{at}" for at in range(len(gold))], ["a", "b", "c"])
    document |= {"gold": gold, **more}
    (folder / "t" / "d").mkdir(parents=True, exist_ok=True)
    said = {f"m{index:03}": index for index in range(len(predicted))}
    site_examples.write(
        folder,
        document,
        said,
        lambda _, index: {"labels": ["a", "b", "c"], "predicted": predicted[index], "resolution": 1000},
    )
    return Store(folder)


def results(count: int) -> list[Result]:
    found = [result("t", "d", f"m{index:03}", "M", {}, provenance="predictions") for index in range(count)]
    return [Result.model_validate({**document, "schema_version": 1}) for document in found]


def found_examples(store: Store) -> Examples:
    examples = store.examples("t", "d", site_examples.DIGEST)
    assert examples is not None
    return examples


def test_no_valid_answer_is_wrong_and_merged_labels_count_as_their_gold(tmp_path: Path) -> None:
    """-1 is right nowhere, and an answer counts as the label that it is merged into."""
    merge = {"labels": ["a", "rest"], "merge": {"b": "rest", "c": "rest"}}
    store = kept(tmp_path, [[0, 1, 2, -1]], [0, 1, 1, 0], **merge)
    found = hardness(store, found_examples(store), results(1))
    assert found is not None
    assert [line.examples for line in found.lines] == [1, 3]
    assert found.nobody == ("3",)


def test_models_beyond_the_bound_are_named_as_left_out(tmp_path: Path) -> None:
    """The best ones are counted, and a sentence says that there are others."""
    count = COUNTED + 3
    store = kept(tmp_path, [[0]] * count, [0])
    found = hardness(store, found_examples(store), results(count))
    assert found is not None
    assert (found.models, found.others, found.everybody) == (COUNTED, 3, 1)
    assert len(found.lines) <= LINES


def test_predictions_of_other_examples_or_without_a_file_are_not_counted(tmp_path: Path) -> None:
    """What does not join with the list of examples says nothing about them."""
    store = kept(tmp_path, [[0], [0]], [0])
    path = tmp_path / "t/d/m000.abababababab.predictions.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "ids_sha256": "sha256:" + "0" * 64}))
    found = hardness(store, found_examples(store), results(3))
    assert found is not None
    assert found.models == 1


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    """A build stops at a file that is no record, and says which."""
    store = kept(tmp_path, [[0]], [0])
    path = tmp_path / "t/d/m000.abababababab.predictions.json"
    path.write_text("{")
    with pytest.raises(UserError, match=re.escape(str(path))):
        hardness(store, found_examples(store), results(1))


@given(st.integers(1, 300).flatmap(lambda k: st.tuples(st.just(k), st.lists(st.integers(0, k), max_size=60))))
def test_lines_part_all_numbers_of_models_and_all_examples(case: tuple[int, list[int]]) -> None:
    """From none to all, without a gap or an overlap, in few lines, whatever the counts."""
    models, counts = case
    found = lines(counts, models)
    numbers = [number for line in found for number in range(line.low, line.high + 1)]
    assert numbers == list(range(models + 1))
    assert sum(line.examples for line in found) == len(counts)
    assert len(found) <= LINES
    assert found[0].high == 0
    assert all(0 <= line.length <= 1 for line in found)
