"""Models side by side, at the weights of the link, down to the examples on which they differ."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
import site_examples
from playwright.sync_api import Page, expect
from site_pages import Gate, becomes, open_board
from site_sample import HOSTILE, TABLE_2

ROUNDS = "rounds/compare/"


def shows(page: Page, models: list[str]) -> None:
    """Wait until these models are side by side, in their order."""
    expect(page.locator("section[aria-labelledby=scores-title] thead a")).to_have_text(models)


def row(page: Page, section: str, head: str) -> list[str]:
    """The cells of a row of a table, by the start of its first cell."""
    found = page.locator(f"section[aria-labelledby={section}-title] tbody tr")
    texts = found.filter(has=page.get_by_role("rowheader", name=head)).first.locator("td").all_inner_texts()
    return [" ".join(text.split()) for text in texts]


def choose_examples(page: Page, dataset: str) -> None:
    page.get_by_label("Dataset", exact=True).select_option(dataset)
    expect(page.locator(".agreement li").first).to_be_visible()


def is_right(model: str, at: int) -> bool:
    """Whether the model is right on an example of round 2, reckoned by hand."""
    return at % 50 != 49 and site_examples.is_right(at, site_examples.RIGHT[model])


# Choosing


@pytest.mark.slow
def test_without_models_the_page_explains_itself_and_offers_the_first_two(page: Page, site_url: str) -> None:
    """One press compares the leader with the next; the address then says so and back takes it back."""
    page.goto(site_url + "sentiment/compare/")
    expect(page.locator("#comparison")).to_contain_text("Choose two to four models")
    page.get_by_role("button", name="Compare DeBERTa with RoBERTa").click()
    shows(page, ["DeBERTa", "RoBERTa"])
    page.wait_for_url(lambda url: url.endswith("#v1;k=deberta,roberta"))
    page.go_back()
    expect(page.locator("#comparison")).to_contain_text("Choose two to four models")


@pytest.mark.slow
def test_models_are_added_by_name_with_the_keyboard(page: Page, site_url: str) -> None:
    """Part of a name is enough where it fits one model; what fits none or several is reported."""
    page.goto(site_url + "sentiment/compare/#v1;k=t5,roberta")
    box = page.get_by_label("Add a model")
    said = page.locator("#picker-status")
    for text, answer in (
        ("nobody", "No model of this board is called"),
        ("a", "models fit"),
        ("roberta", "is there already"),
        ("", "Type a model's name"),
    ):
        box.fill(text)
        box.press("Enter")
        expect(said).to_contain_text(answer)
    for text in ("majority", "albert"):
        box.fill(text)
        box.press("Enter")
    shows(page, ["T5", "RoBERTa", "Majority Baseline", "ALBERT"])
    expect(said).to_contain_text("4 models are the most")
    expect(box).to_be_disabled()
    suggested = "options => options.map((option) => option.value).sort()"
    becomes(page, lambda: page.locator("#models option").evaluate_all(suggested), sorted(TABLE_2))


# Scores


def test_scores_are_those_of_the_board_at_the_weights_of_the_link(page: Page, site_url: str) -> None:
    """Ranks and Dynascores are the board's own, contributions add up, and the board is one press away."""
    fragment = "#v1;m=perf:1,throughput:1,memory:1,fairness:0,robustness:0;k=fasttext,deberta"
    open_board(page, site_url + "sentiment/" + fragment)
    expect(page.locator("#rows tr[data-model=fasttext] .place")).to_have_text("3")
    shown = page.locator("#rows tr[data-model=fasttext] .score > .num").inner_text()
    open_board(page, site_url + "sentiment/compare/" + fragment)
    expect(page.locator("section[aria-labelledby=scores-title] td").first).to_have_text("3")
    becomes(page, lambda: row(page, "scores", "Rank"), ["3", "1"])
    becomes(page, lambda: row(page, "scores", "Dynascore")[0], shown)
    expect(page.locator("#weights-list")).to_have_text("(1 · 1 · 1 · 0 · 0)")
    added = page.locator("section[aria-labelledby=scores-title] td:nth-child(2) .adds").all_inner_texts()
    assert len(added) == 3
    assert sum(float(text.removeprefix("adds ")) for text in added) == pytest.approx(float(shown), abs=0.02)
    page.get_by_role("link", name="the board").click()
    expect(page).to_have_url(site_url + "sentiment/" + fragment)


# Examples


@pytest.mark.slow
def test_answers_that_come_after_another_dataset_was_chosen_leave_its_words_alone(
    page: Page, site_url: str
) -> None:
    """The first dataset's examples come after those of the second, and both before the words can be made."""
    page.goto(site_url + ROUNDS)
    first = page.locator("#compare-data").evaluate("island => JSON.parse(island.textContent).datasets[0]")
    examples, python = Gate(page, f"**/{first['examples']}"), Gate(page, "**/pyodide.asm.wasm")
    page.goto(site_url + ROUNDS + "#v1;k=roberta,mix,lexicon")
    page.reload()
    becomes(page, lambda: len(examples.held), 1)
    page.get_by_label("Dataset", exact=True).select_option("round-2")
    expect(page.locator(".patterns td").first).to_be_visible()
    with page.expect_response(f"**/{first['examples']}"):
        examples.open()
    python.open()
    expect(page.locator(".agreement li").first).to_be_visible()


@pytest.mark.slow
def test_examples_are_narrowed_down_and_leafed_through(page: Page, site_url: str) -> None:
    """By who is right, by the right answer, a hundred at a time, once they are unfolded: their texts are not shown. What is
    left can be downloaded."""
    page.goto(site_url + ROUNDS + "#v1;k=roberta,mix,lexicon")
    choose_examples(page, "round-2")
    rights = [[is_right(model, at) for model in ("roberta", "mix", "lexicon")] for at in range(720)]
    mixed = [at for at, right in enumerate(rights) if len(set(right)) == 2]
    ids = page.locator(".examples tbody th")
    status = page.locator("section[aria-labelledby=examples-title] [role=status]")
    expect(status).to_contain_text(f"{len(mixed)} examples, 1 to 100 below")
    expect(ids.first).to_be_hidden()
    page.get_by_text("Ids and answers").click()
    expect(ids).to_have_text([f"r2-{at:04}" for at in mixed[:100]], use_inner_text=True)
    page.get_by_role("button", name="Next 100").press("Enter")
    expect(ids).to_have_text([f"r2-{at:04}" for at in mixed[100:200]], use_inner_text=True)
    expect(page.get_by_role("button", name="Next 100")).to_be_focused()
    alone = [at for at, right in enumerate(rights) if right == [True, False, False]]
    page.get_by_label("Show", exact=True).select_option(
        label=f"Only where \u2068RoBERTa\u2069 alone is right ({len(alone)})"
    )
    gold = [at for at in alone if at % 3 == 1]
    page.get_by_label("Right answer").select_option(label="neutral (240)")
    expect(ids).to_have_text([f"r2-{at:04}" for at in gold], use_inner_text=True)
    cells = [
        " ".join(text.split())
        for text in page.locator(".examples tbody tr").first.locator("td").all_inner_texts()
    ]
    wrong = "no valid answer" if gold[0] % 50 == 49 else "positive"
    assert cells == ["neutral", "✓ right neutral", f"✗ wrong {wrong}", f"✗ wrong {wrong}"]
    with page.expect_download() as saved:
        page.get_by_role("button", name="Download these as CSV").click()
    head, *lines = csv.reader(saved.value.path().read_text("utf-8").splitlines())
    assert head[:4] == ["Example", "Right answer", "RoBERTa, right or wrong", "RoBERTa, answer"]
    assert [line[0] for line in lines] == [f"r2-{at:04}" for at in gold]
    assert lines[0][1:] == ["neutral", "right", "neutral", "wrong", wrong, "wrong", wrong]


@pytest.mark.slow
def test_without_right_answers_only_agreement_is_shown(page: Page, site_url: str) -> None:
    """Whose labels are kept back is not called right or wrong."""
    page.goto(site_url + ROUNDS + "#v1;k=roberta,mix")
    choose_examples(page, "round-1")
    section = page.locator("section[aria-labelledby=examples-title]")
    expect(section).to_contain_text("The right answers are not published")
    expect(section.locator(".patterns")).to_have_count(0)
    same = sum(
        site_examples.is_right(at, 9) == site_examples.is_right(at, 7) or at % 50 == 49 for at in range(3600)
    )
    expect(section.locator(".agreement")).to_contain_text(f"The same answer on {same} of 3600 examples")
    expect(section.get_by_text("✓")).to_have_count(0)
    expect(section.locator("[role=status]")).to_contain_text(f"{3600 - same} examples, 1 to 100 below")


@pytest.mark.slow
def test_published_predictions_are_the_stored_bytes(site_folder: Path) -> None:
    """Files have names with a hash, and every name on a page exists."""
    folder = site_folder / "rounds/predictions"
    for model in site_examples.RIGHT:
        (details,) = folder.glob(f"{model}.*.json")
        told = json.loads(details.read_bytes())
        assert set(told["predictions"]) == {"round-1", "round-2", "challenge"}
        for dataset, name in told["predictions"].items():
            stored = site_folder.parent / f"results/dynamic/{dataset}/{model}.abababababab.predictions.json"
            assert (folder / name).read_bytes() == stored.read_bytes()
    assert not (site_folder / "sentiment/predictions").exists()


# Everybody


@pytest.mark.slow
def test_models_with_markup_in_their_names_stay_text(page: Page, unguarded_url: str) -> None:
    """Names, labels, ids and tags of four hostile models run nothing and burst nothing, wide or narrow."""
    for width in (320, 1440):
        page.set_viewport_size({"width": width, "height": 800})
        page.goto(
            unguarded_url
            + "hostile/compare/#v1;k=h0,h1,h5,h6,%3Cimg%20src%3Dx%20onerror%3Dwindow.hacked%3D1%3E"
        )
        page.reload()
        expect(page.locator(".agreement li").first).to_be_visible()
        page.get_by_label("Show", exact=True).select_option(index=0)
        expect(page.locator(".examples tbody tr")).to_have_count(len(HOSTILE))
        expect(page.locator(".compared-pairs [role=status]")).to_have_attribute("aria-busy", "false")
        assert page.evaluate("window.hacked") is None
        expect(page.locator("main img, main script:not([type='application/json'])")).to_have_count(0)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert page.evaluate("document.documentElement.scrollHeight") < 6000
    shows(page, [HOSTILE[at] for at in (0, 1, 5, 6)])
    expect(page.locator("#notice")).to_contain_text("<img src=x onerror=window.hacked=1>")
