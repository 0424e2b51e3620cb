"""Perturbation suites on the site: a page each, what each model made of them, and what to keep in mind."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from playwright.sync_api import Page, expect
from site_sample import result, write_world
from site_suites import SPECS, card, tried

from evaluator.records.datasets import SuiteCard
from evaluator.records.result import Result
from site_src.generator.breakdowns import (
    WARNINGS,
    option_text,
    suite_views,
    untried,
)
from site_src.generator.build import build
from site_src.generator.pages import suite as changes
from site_src.generator.pages.suite import compared

STEADY = "perturbed/models/steady/"
ROBUSTNESS = "perturbed/suites/letters/robustness/"
FAIRNESS = "perturbed/suites/letters/fairness/"


def text_of(site_folder: Path, address: str) -> str:
    """A page's words, its tags taken out and its spaces drawn together."""
    html = (site_folder / address / "index.html").read_text(encoding="utf-8")
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


def view_of(name: str, **more: Any) -> Any:
    """A model under one suite, with changes to what its result says."""
    document = result("perturbed", "letters", "m", "M", {"accuracy": 80.0}, provenance="predictions")
    document["suites"] = {name: {**tried(name, 90.0, 80.0), **more}}
    (view,) = suite_views(Result.model_validate(document), {}, [])
    return view


@pytest.mark.slow
def test_a_model_page_has_a_section_for_every_suite_in_a_fixed_order(page: Page, site_url: str) -> None:
    """Robustness, fairness, placebo: shares with their meaning, the metric beside that on the originals."""
    page.goto(site_url + STEADY)
    headings = page.locator(".suite h4 > span[dir]").all_inner_texts()
    assert headings == ["Robustness", "Fairness", "Placebo"]
    first = page.locator(".suite").first
    figures = [" ".join(text.split()) for text in first.locator(".figures > div").all_inner_texts()]
    assert figures == [
        "Agreement 93.25 % Share of predictions that stay the same when the spelling, case, punctuation or"
        " contractions of a text change.",
        "Worst case 81.25 % Share of examples of which no variant changes the prediction.",
        "Accuracy on variants 77.00 % 81.50 on all examples as they are.",
    ]
    expect(first).to_contain_text("1700 examples with a variant, 121 without any")
    expect(first).to_contain_text("On 2 variants the model raised an error; they count as wrong.")
    expect(first).to_contain_text("Suite 111111111111, seed 0, made by steelyard.")


def test_a_model_that_is_not_here_says_why_it_was_not_tried(site_folder: Path) -> None:
    """Of imported answers the suites that are missing are named, and what can be done; a measured model has no such line."""
    text = text_of(site_folder, STEADY.replace("steady", "untried"))
    assert "Under perturbation Not tried: Robustness, Fairness, " in text
    assert "cannot be asked about perturbed texts here. Its answers to them can be imported too." in text
    document = result("perturbed", "letters", "m", "M", {"accuracy": 80.0}, provenance="predictions")
    imported = Result.model_validate(document)
    cards = [SuiteCard.model_validate(card("perturbed", "letters", "robustness", []))]
    assert untried(imported, {}, cards).startswith("Not tried: Robustness. ")
    for changed, shown in (({"provenance": "measured"}, False), ({"provenance": "reported"}, True)):
        assert bool(untried(imported.model_copy(update=changed), {}, cards)) == shown
    tried_on = imported.model_copy(update={"suites": {"robustness": None}})
    assert untried(tried_on, {}, cards) == ""


def test_a_suite_page_says_what_the_suite_is(site_folder: Path) -> None:
    """Hash, seed, revision, recogniser, counts, and every transformation with its options in words."""
    words = text_of(site_folder, FAIRNESS)
    for expected in (
        "Fairness on Letters to the editor",
        "7500 variants, the same for every model",
        "sha256:" + "1" * 64,
        "sha256:" + "ab" * 32,
        "steelyard, names recognised by gazetteer cdcdcdcdcdcd",
        "Changes the gender of pronouns, nouns and first names throughout an example.",
        "Replaces first names by ones typical of another group",
        "entities: recogniser: gazetteer; version: cdcdcdcdcdcd · version: 1",
    ):
        assert expected in words
    for name in SPECS["fairness"]:
        assert f'id="t-{name}"' in (site_folder / FAIRNESS / "index.html").read_text(encoding="utf-8")
    options = "share: 0.2 · least: 1 · most: 10 · letters: 4 · layout: qwerty · version: 1"
    assert options in text_of(site_folder, ROBUSTNESS)


@pytest.mark.parametrize("kind", list(SPECS))
def test_every_kind_of_suite_carries_its_warning(site_folder: Path, kind: str) -> None:
    """The page says that fairness and robustness are partial measures, and that a placebo does not measure fairness."""
    assert WARNINGS[kind] in text_of(site_folder, f"perturbed/suites/letters/{kind}/")
    partial = "is measured only in part" in WARNINGS[kind]
    assert partial == (kind in ("fairness", "robustness"))


@pytest.mark.slow
def test_models_are_sorted_by_agreement_and_other_suites_kept_apart(page: Page, site_url: str) -> None:
    """A number of the suite as it was made before heads no list, however high it is."""
    page.goto(site_url + ROBUSTNESS)
    tables = page.locator("table.tried")
    assert tables.nth(0).locator("tbody a").all_inner_texts() == ["Steady", "Jumpy"]
    assert tables.nth(1).locator("tbody a").all_inner_texts() == ["Aged"]
    expect(tables.nth(1)).to_contain_text("suite 000000000000")
    expect(page.locator("section[aria-labelledby=models]")).to_contain_text("Not tried: \u2068Untried\u2069.")
    page.goto(site_url + "perturbed/models/aged/")
    expect(page.locator(".suite .problem")).to_contain_text(
        "numbers are of suite 000000000000, its page shows 111111111111"
    )
    page.goto(site_url + FAIRNESS)
    lines = page.locator("table.tried tbody tr").all_inner_texts()
    assert " ".join(lines[0].split()) == "Steady 97.50 85.50 98.75 81.50 → 77.00"
    assert " ".join(lines[1].split()) == "Jumpy 88.00 76.00 — missing 84.25 → 79.75"


def test_a_dataset_that_keeps_its_text_back_shows_none(site_folder: Path) -> None:
    """Counts are there, samples are not, and the page says why; neither is a model that was not tried."""
    words = text_of(site_folder, "perturbed/suites/sealed/robustness/")
    assert "No text is shown: the dataset's licence keeps its text back" in words.replace("&#39;", "'")
    assert "No model of this board has been tried with it yet." in words
    assert "Keyboard" in words
    html = (site_folder / "perturbed/suites/sealed/robustness/index.html").read_text(encoding="utf-8")
    assert "<del>" not in html
    assert 'class="sample"' not in html


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (True, "yes"),
        (None, "none"),
        (0.25, "0.25"),
        (["a", 2], "a, 2"),
        ({"hash_seed": "0"}, "hash seed: 0"),
        ("sha256:" + "ab" * 32, "abababababab"),
    ],
)
def test_options_read_as_words(value: Any, words: str) -> None:
    """No Python and no JSON in front of readers."""
    assert option_text(value) == words


def test_a_suite_without_card_or_column_is_shown_all_the_same() -> None:
    """Named as it is, without colour and without a link to a page that is not there."""
    view = view_of("neutral")
    assert (view.label, view.colour, view.card, view.other) == ("Neutral", None, None, False)
    assert view.original == 80.0
    assert view_of("robustness", metric="f1").original is None
    odd = view_of("robustness", kind="weather")
    assert odd.explained.agreement == "Share of predictions that stay the same when a text is changed."
    assert odd.warning is None


def test_a_suite_without_variants_says_so(tmp_path: Path) -> None:
    """No licence is blamed for text that does not exist."""
    boards, results = write_world(tmp_path)
    path = results / "perturbed/sealed/robustness.suite.json"
    empty = {**card("perturbed", "sealed", "robustness", []), "variants": 0, "rows": []}
    path.write_text(json.dumps(SuiteCard.model_validate(empty).plain()), encoding="utf-8")
    build(boards, results, tmp_path / "build")
    words = text_of(tmp_path / "build", "perturbed/suites/sealed/robustness/")
    assert "There is no variant to show." in words
    assert "licence keeps" not in words


TEXTS = st.text(alphabet=st.sampled_from("ab '.\n\u0627\u202e\U0001f600"), max_size=40)


@given(TEXTS, TEXTS)
def test_pieces_put_together_are_the_texts_again(before: str, after: str) -> None:
    """Of short texts nothing is lost, nothing is marked where nothing changed, and all else agrees."""
    old, new = compared(before, after)
    assert "".join(piece.text for piece in old) == before
    assert "".join(piece.text for piece in new) == after
    assert any(piece.kind != "same" for piece in (*old, *new)) == (before != after)
    same = ["".join(piece.text for piece in pieces if piece.kind == "same") for pieces in (old, new)]
    assert same[0] == same[1]


@settings(max_examples=25)
@given(st.sampled_from(["x", "a ", "! ", "\u202e"]), st.integers(0, 9_999), st.sampled_from("yz"))
def test_long_texts_are_cut_around_the_change(unit: str, place: int, letter: str) -> None:
    """Ten thousand characters become a few hundred, and the change is among them."""
    before = (unit * 10_000)[:10_000]
    after = f"{before[:place]} {letter} {before[place:]}"
    old, new = compared(before, after)
    for pieces in (old, new):
        assert sum(len(piece.text) for piece in pieces) <= changes.CHANGED + 3 * changes.AROUND
    assert any(piece.kind == "come" for piece in new)


def test_words_that_take_the_place_of_words_are_marked_one_by_one() -> None:
    """A word that moves on is not taken for one that stays; what is put in shifts nothing else."""
    old, new = compared("He gave her his book.", "She gave him her book.")
    assert [piece.text for piece in old if piece.kind == "gone"] == ["He", "her his"]
    assert [piece.text for piece in new if piece.kind == "come"] == ["She", "him her"]
    words = " ".join(f"w{at}" for at in range(50))
    old, new = compared(f"it is {words} x'y", f"it's {words} xy")
    assert [piece.text for piece in old if piece.kind == "gone"][-1] == "x'y"
    assert not any(word in piece.text for word in ("w0", "w49") for piece in new if piece.kind == "come")
