"""The page that ranks models by what is hard: what it says, what can be chosen, and that nothing leaves it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import site_examples
from playwright.sync_api import Browser, Page, expect
from site_pages import becomes, open_board
from site_sample import HOSTILE
from test_site_safety import PAYLOADS, TRY_FRAGMENTS

from evaluator.rank.difficulty import Samples
from evaluator.rank.difficulty_order import DifficultyQuestion
from evaluator.rank.own_predictions import add_own
from evaluator.score.difficulty import full_table
from site_src.generator.formats import number

ADDRESS = "rounds/difficulty/round-2/"
READY = 60_000
KIN = "built on this encoder"
LABELS = {"roberta": "RoBERTa", "mix": "Mix of two", "lexicon": "A lexicon"}
#: Every part of a view that an address may say (see difficulty-state.js), with room for a payload.
VIEWS = [
    *("{}", "{}=1", "m={}", "p={}", "k={},h0", "s={}", "n={}", "t={}", "t=0.1,{}", "c={}", "r={}", "e={}"),
    *("f={}", "w={}", "g={}", "i={}", "z={}", "l={}", "o={}", "q={}", "q=1,{}"),
]


@pytest.fixture(scope="module")
def samples(site_folder: Path) -> Samples:
    """The samples of round 2 as Python here reads them from the store."""
    folder = site_folder.parent / "results" / "dynamic" / "round-2"
    read = {
        path.name.split(".", 1)[-1]: json.loads(path.read_bytes()) for path in folder.glob("*examples.json")
    }
    predictions = {
        model: json.loads((folder / f"{model}.abababababab.predictions.json").read_bytes())
        for model in LABELS
    }
    found = sorted(folder.glob("*.difficulty-w*.json"))
    difficulties = [json.loads(path.read_bytes()) for path in found]
    return Samples.read(read["examples.json"], predictions, difficulties, LABELS)


def opened(page: Page, address: str) -> None:
    """Open the page and wait until a ranking from its own Python, with intervals, is shown."""
    open_board(page, address)
    settled(page)


def settled(page: Page) -> None:
    """Wait until it is found how sure the newest ranking is."""
    expect(page.locator("#sentences")).to_have_attribute("aria-busy", "false", timeout=READY)


def lines(page: Page) -> list[list[str]]:
    """The cells of the ranking, as they are read."""
    rows = page.locator("#rows tr").all()
    return [[" ".join(text.split()) for text in row.locator("th, td").all_inner_texts()] for row in rows]


def expected(samples: Samples, question: DifficultyQuestion) -> list[list[str]]:
    """Model, value, baseline and accuracies of the ranking, as Python here makes it."""
    found = samples.answer(question).plain()["models"]
    return [
        [
            LABELS[row["model"]],
            *(number(row[name]) for name in ("value", "baseline", "accuracy_scored", "accuracy")),
        ]
        for row in found
    ]


def shown(page: Page) -> list[list[str]]:
    return [
        [model.removesuffix(f" {KIN}"), value.split()[0], baseline, scored, accuracy]
        for _, model, value, _, baseline, scored, accuracy, _ in lines(page)
    ]


def stated(page: Page, id_: str) -> list[str]:
    return page.locator(f"#{id_} li").all_inner_texts()


# What the page says


@pytest.mark.slow
def test_every_stored_case_is_on_the_page_unless_it_is_of_something_older(
    browser: Browser, site_url: str, samples: Samples
) -> None:
    """A table a source, models down, ways and cases across; numbers by a source that has changed are left out."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(site_url + ADDRESS)
    page.get_by_text("Every way to reward and to weigh").click()
    expect(page.locator(".every summary")).to_have_text(
        ["Test-set shortcuts (WSBias 1)", "Own confidence (WMProb)"], use_inner_text=True
    )
    page.locator(".every summary").first.click()
    rows = page.locator(".every").first.locator("tbody tr")
    assert rows.locator("th").all_inner_texts() == list(LABELS.values())
    table = full_table(samples)
    at = table["models"].index("roberta")
    stored = [row for row in table["rows"] if row["metric"] == "wsbias-1"]
    stored.sort(key=lambda row: ("mean", "stable", None).index(row["ties"]))
    cells = [text.split() for text in rows.first.locator("td").all_inner_texts()]
    assert cells == [[number(row["value"][at]), str(row["rank"][at])] for row in stored]
    context.close()


def test_the_browser_says_what_the_build_said(browser: Browser, page: Page, site_url: str) -> None:
    """For the default question the page's Python gives the same ranking and sentences as the HTML without script."""
    context = browser.new_context(java_script_enabled=False)
    still = context.new_page()
    still.goto(site_url + ADDRESS)
    opened(page, site_url + ADDRESS)
    assert lines(page) == lines(still)
    for id_ in ("counts", "sentences"):
        assert stated(page, id_) == stated(still, id_)
    for id_ in ("splits-table", "splits-note", "metric-name", "value-head"):
        assert page.locator(f"#{id_}").inner_text() == still.locator(f"#{id_}").inner_text()
    context.close()


# What can be chosen


QUESTIONS: dict[str, dict[str, Any]] = {
    "m=wood;q=1,10;n=3": {"metric": "wood", "percents": [1, 10], "splits": 3},
    "c=8;f=inverse": {"case": 8},
    "m=wmprob;c=9;f=difficulty": {"metric": "wmprob", "case": 9},
    "s=thresholds;t=0.2,0.55;g=1,0,4;i=stable": {
        "kind": "thresholds",
        "thresholds": [0.2, 0.55],
        "weights": [1, 0, 4],
        "ties": "stable",
    },
    "s=continuous;c=own;r=2;e=-0.25": {"kind": "continuous", "case": None, "reward": 2, "penalty": -0.25},
    "s=continuous;z=clip;l=0.2;f=difficulty": {
        "kind": "continuous",
        "zeros": "clip",
        "clip": 0.2,
        "factor": "difficulty",
    },
}


@pytest.mark.slow
def test_a_link_asks_what_it_says(page: Page, site_url: str, samples: Samples) -> None:
    """Every part of an address reaches the same Python as the command line, and stays in the address."""
    for fragment, terms in QUESTIONS.items():
        opened(page, f"{site_url}{ADDRESS}#v1;{fragment}")
        question = DifficultyQuestion(**{"metric": "wsbias-1", **terms})
        answer = samples.answer(question).plain()
        becomes(page, lambda: shown(page), expected(samples, question))
        becomes(page, lambda: stated(page, "counts"), [*answer["counts"], *answer["notes"]])
        becomes(page, lambda: stated(page, "sentences"), samples.noise(question)["sentences"])
        page.wait_for_url(lambda url, ending=f"#v1;{fragment}": url.endswith(ending))
        expect(page.locator("#notice")).to_be_hidden()


@pytest.mark.slow
def test_every_choice_is_a_step_that_back_takes_back(page: Page, site_url: str, samples: Samples) -> None:
    """Controls change the ranking and the address; reload keeps both, the back button takes one choice back."""
    opened(page, site_url + ADDRESS)
    page.get_by_label("Known from").select_option(label="Distance from training (WOOD)")
    page.get_by_label("Most similar training examples").select_option(label="1 %")
    page.get_by_label("How many").select_option("3")
    page.get_by_label("A right and a wrong answer count").select_option(label="1 and 0 (case 2)")
    page.get_by_role("checkbox", name="A lexicon").uncheck()
    question = DifficultyQuestion("wood", percent=1, splits=3, case=2, models=["roberta", "mix"])
    settled(page)
    becomes(page, lambda: shown(page), expected(samples, question))
    page.wait_for_url(lambda url: url.endswith("#v1;m=wood;p=1;k=roberta,mix;n=3;c=2"))
    page.reload()
    expect(page.locator("#scorer-state")).to_have_text("on", timeout=READY)
    settled(page)
    becomes(page, lambda: shown(page), expected(samples, question))
    expect(page.get_by_role("checkbox", name="A lexicon")).not_to_be_checked()
    page.go_back()
    expect(page.get_by_role("checkbox", name="A lexicon")).to_be_checked()
    expect(page.locator("#rows tr")).to_have_count(3)
    page.get_by_role("button", name="Reset").click()
    settled(page)
    becomes(page, lambda: shown(page), expected(samples, DifficultyQuestion("wsbias-1")))
    expect(page).to_have_url(re.compile("^[^#]*$"))


@pytest.mark.slow
def test_thresholds_and_weights_are_typed(page: Page, site_url: str, samples: Samples) -> None:
    """A number outside of its bounds is marked and not asked; the number of splits follows the thresholds."""
    opened(page, f"{site_url}{ADDRESS}#v1;s=thresholds;t=0.3,0.6")
    field = page.get_by_label("Threshold 2", exact=True)
    field.fill("7")
    expect(field).to_have_attribute("aria-invalid", "true")
    field.fill("0.75")
    field.press("Enter")
    page.get_by_role("button", name="One less").click()
    page.get_by_label("Weights", exact=True).select_option("own")
    page.get_by_label("Split 2, hardest").fill("5")
    page.get_by_label("Split 2, hardest").press("Enter")
    settled(page)
    page.wait_for_url(lambda url: url.endswith("#v1;s=thresholds;n=2;t=0.3;g=1,5"))
    question = DifficultyQuestion("wsbias-1", kind="thresholds", thresholds=[0.3], weights=[1, 5])
    becomes(page, lambda: shown(page), expected(samples, question))


# A visitor's own predictions


def own_file(right: Mapping[int, bool]) -> str:
    """Predictions as CSV: right for the given examples, else the next label."""
    size = len(site_examples.LABELS)
    answers = [(at, site_examples.LABELS[(at + (not ok)) % size]) for at, ok in right.items()]
    return "id,label\n" + "".join(f"r2-{at:04},{label}\n" for at, label in answers)


def of_the_hardest() -> dict[int, bool]:
    """A model that is right on the hardest third and on nothing else: last by accuracy, not so by difficulty."""
    return {at: at * 7 % 12 < 4 for at in range(720)}


def choose(page: Page, name: str, text: str) -> None:
    page.locator("#own-file").set_input_files({"name": name, "mimeType": "text/csv", "buffer": text.encode()})


@pytest.mark.slow
def test_own_predictions_are_ranked_and_nothing_leaves(page: Page, site_url: str, samples: Samples) -> None:
    """A file is ranked among the models, marked, and removed; no request is made after the page has loaded."""
    opened(page, site_url + ADDRESS)
    asked: list[str] = []
    # Chromium fetches a page's icon whenever it likes.
    page.on("request", lambda request: request.url.endswith("icon.svg") or asked.append(request.url))
    text = own_file(of_the_hardest())
    choose(page, "mine.csv", text)
    row = page.locator("#rows tr", has_text="your file")
    expect(row).to_contain_text("mine.csv")
    settled(page)
    own = add_own(samples, "mine", text, "mine.csv")
    found = samples.answer(DifficultyQuestion("wsbias-1")).plain()["models"]
    samples.remove("mine")
    mine = next(one for one in found if one["model"] == "mine")
    assert own.answered == 720
    assert mine["accuracy_rank"] - mine["rank"] == 1
    expect(row.locator("td").last).to_contain_text("more than noise")
    cells = [" ".join(cell.split()) for cell in row.locator("th, td").all_inner_texts()]
    assert cells[0].split()[0] == str(mine["rank"])
    assert cells[2].split()[0] == number(mine["value"])
    assert cells[-1] == "▲ 1 up more than noise"
    expect(page.locator("#own-status")).to_contain_text("answers to 720 of 720 examples")
    page.get_by_label("Known from").select_option(label="Distance from training (WOOD)")
    settled(page)
    expect(row).to_be_visible()
    page.get_by_role("button", name="Remove it").click()
    expect(page.locator("#rows tr")).to_have_count(3)
    assert asked == []


@pytest.mark.slow
def test_a_dropped_file_is_read_and_errors_are_plain(page: Page, site_url: str) -> None:
    """A wrong file is refused with its line, field, value and fix, and the ranking stays as it was."""
    opened(page, site_url + ADDRESS)
    choose(page, "mine.csv", "id,label\nr2-0001,neutral\nghost,neutral\n")
    problem = page.locator("#own-problem")
    expect(problem).to_contain_text("mine.csv, line 3: id: 'ghost' is no example of the dataset")
    expect(page.locator("#rows tr")).to_have_count(3)
    page.evaluate(
        """(text) => {
          const data = new DataTransfer();
          data.items.add(new File([text], "dropped.csv"));
          const zone = document.getElementById("own-zone");
          zone.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
        }""",
        own_file({0: True, 1: False}),
    )
    expect(page.locator("#rows tr", has_text="your file")).to_contain_text("dropped.csv")
    expect(problem).to_be_hidden()
    expect(page.locator("#own-status")).to_contain_text("answers to 2 of 720 examples")
    expect(page.locator("#own-status")).to_contain_text("718")


# Everybody, and hostile names


@pytest.mark.slow
def test_hostile_names_addresses_and_files_stay_text(page: Page, unguarded_url: str) -> None:
    """Models, ids, labels, facts, addresses, a file's name and what it holds run nothing and burst nothing."""
    page.set_viewport_size({"width": 320, "height": 800})
    open_board(page, unguarded_url + "hostile/difficulty/hostile/")
    faults = page.evaluate(TRY_FRAGMENTS, ["v1;" + view.format(text) for view in VIEWS for text in PAYLOADS])
    for name in (HOSTILE[1], HOSTILE[6][:200]):
        choose(page, name.replace("/", ""), f"id,label\n{HOSTILE[0]},{HOSTILE[3]}\n")
        expect(page.locator("#own-problem")).to_contain_text("line 2")
    assert page.evaluate("window.hacked") is None
    expect(page.locator("main img, main script:not([type='application/json'])")).to_have_count(0)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert not faults, "\n".join(faults)
