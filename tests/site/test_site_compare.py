"""Models side by side, at the weights of the link, down to the examples on which they differ."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest
import site_examples
from playwright.sync_api import Browser, Page, Route, expect
from site_sample import HOSTILE, TABLE_2

ROUNDS = "rounds/compare/"
READY = 60_000


def open_comparison(page: Page, address: str) -> None:
    """Open the page and wait until its scorer is ready and the models are shown."""
    page.goto(address)
    expect(page.locator("#scorer-state")).to_have_text("ready", timeout=READY)


def names(page: Page) -> list[str]:
    """The models side by side, in their order."""
    return page.locator("section[aria-labelledby=scores-title] thead a").all_text_contents()


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
    assert names(page) == ["DeBERTa", "RoBERTa"]
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
    assert names(page) == ["T5", "RoBERTa", "Majority Baseline", "ALBERT"]
    expect(said).to_contain_text("4 models are the most")
    expect(box).to_be_disabled()
    suggested = page.locator("#models option").evaluate_all("options => options.map((o) => o.value)")
    assert sorted(suggested) == sorted(TABLE_2)


@pytest.mark.slow
def test_models_are_put_first_and_removed(page: Page, site_url: str) -> None:
    """Differences are always against the first, which any model can be made."""
    page.goto(site_url + "sentiment/compare/#v1;k=deberta,bert,t5")
    assert row(page, "scores", "Macro-F1")[1].startswith("68.71 −7.36 worse")
    page.get_by_role("button", name="Put first: BERT").click()
    assert names(page) == ["BERT", "DeBERTa", "T5"]
    assert row(page, "scores", "Macro-F1")[1].startswith("76.07 +7.36 better")
    page.get_by_role("button", name="Remove: BERT").click()
    assert names(page) == ["DeBERTa", "T5"]
    page.get_by_role("button", name="Remove: T5").click()
    expect(page.locator("#comparison")).to_contain_text("Choose at least one more model.")
    expect(page.get_by_role("button", name="Compare DeBERTa with RoBERTa")).to_be_visible()


@pytest.mark.slow
def test_a_link_with_unknown_or_too_many_models_says_so(page: Page, site_url: str) -> None:
    """What is not on the board is named; what is beyond four is left out, aloud."""
    page.goto(site_url + "sentiment/compare/#v1;k=bert,ghost,t5,albert,roberta,deberta")
    assert names(page) == ["BERT", "T5", "ALBERT", "RoBERTa"]
    expect(page.locator("#notice")).to_contain_text("does not have ghost")
    expect(page.locator("#notice")).to_contain_text(
        "At most 4 models are compared; one of the link is left out"
    )
    page.goto(site_url + "sentiment/compare/#v9;k=bert")
    expect(page.locator("#notice")).to_contain_text("The link cannot be read")


# Scores


def test_scores_are_those_of_the_board_at_the_weights_of_the_link(page: Page, site_url: str) -> None:
    """Ranks and Dynascores are the board's own, contributions add up, and the board is one press away."""
    fragment = "#v1;m=perf:1,throughput:1,memory:1,fairness:0,robustness:0;k=fasttext,deberta"
    page.goto(site_url + "sentiment/" + fragment)
    expect(page.locator("#scorer-state")).to_have_text("ready", timeout=READY)
    expect(page.locator("#rows tr[data-model=fasttext] .place")).to_have_text("3")
    shown = page.locator("#rows tr[data-model=fasttext] .score > .num").inner_text()
    open_comparison(page, site_url + "sentiment/compare/" + fragment)
    expect(page.locator("section[aria-labelledby=scores-title] td").first).to_have_text("3")
    assert row(page, "scores", "Rank") == ["3", "1"]
    assert row(page, "scores", "Dynascore")[0] == shown
    expect(page.locator("#weights-list")).to_have_text("(1 · 1 · 1 · 0 · 0)")
    added = page.locator("section[aria-labelledby=scores-title] td:nth-child(2) .adds").all_inner_texts()
    assert len(added) == 3
    assert sum(float(text.removeprefix("adds ")) for text in added) == pytest.approx(float(shown), abs=0.02)
    page.get_by_role("link", name="the board").click()
    expect(page).to_have_url(site_url + "sentiment/" + fragment)


@pytest.mark.slow
def test_where_less_is_better_a_smaller_number_is_called_better(page: Page, site_url: str) -> None:
    """The sign says how the number differs, the word and the colour which is to be preferred."""
    page.goto(site_url + "sentiment/compare/#v1;k=bert,albert")
    assert row(page, "scores", "Memory")[1].startswith("2.04 −4.00 better")


@pytest.mark.slow
def test_while_the_scorer_is_missing_the_default_ranking_stands(page: Page, site_url: str) -> None:
    """If the scorer cannot load, the page says so and shows what its HTML contains."""
    page.route("**/scorer/*/*.py", lambda route: route.abort())
    page.goto(site_url + "sentiment/compare/#v1;m=perf:0;k=deberta,bert")
    expect(page.locator("#scorer-state")).to_have_text("not available", timeout=READY)
    expect(page.locator("#problem")).to_contain_text("at the default weights")
    assert row(page, "scores", "Rank") == ["1", "5"]


@pytest.mark.slow
def test_datasets_stand_one_by_one(page: Page, site_url: str) -> None:
    """Each dataset's own numbers, whether it ranks or not, with a link to its page."""
    page.goto(site_url + ROUNDS + "#v1;k=roberta,lexicon")
    section = page.locator("section[aria-labelledby=datasets-title]")
    groups = [" ".join(text.split()) for text in section.locator("tr.group").all_inner_texts()]
    assert groups == ["Dynamic round 1 weight 1", "Dynamic round 2 weight 3", "Challenge shown, not ranked"]
    cells = section.locator("tbody").nth(2).locator("tr").nth(1).locator("td").all_inner_texts()
    assert [cell.split()[0] for cell in cells] == ["61.50", "44.25"]
    section.get_by_role("link", name="Challenge").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Challenge")


@pytest.mark.slow
def test_parts_of_the_data_that_set_models_apart_come_first(page: Page, site_url: str) -> None:
    """Scores by tag are fetched for the chosen models only and sorted by how far they lie apart."""
    spread = {f"part-{at:02}": at * 5 % 17 for at in range(17)}
    signs = {"mix": 1, "roberta": -1}

    def told(route: Route) -> None:
        sign = next(sign for name, sign in signs.items() if f"/{name}." in route.request.url)
        part = {value: [40, {"macro-f1": 50 + sign * apart / 2}] for value, apart in spread.items()}
        route.fulfill(json={"tags": {"round-2": {"part": part}}, "predictions": {}})

    page.route(re.compile(r"/predictions/(mix|roberta)\.[0-9a-f]{12}\.json$"), told)
    page.goto(site_url + ROUNDS + "#v1;k=mix,roberta")
    shown = page.locator("section[aria-labelledby=tags-title] tbody tr:not([hidden]) th > .clamp:first-child")
    expect(shown).to_have_count(12)
    page.get_by_role("button", name="Show all 17").click()
    expect(shown).to_have_count(17)
    found = [spread[text] for text in shown.all_inner_texts()]
    assert found == sorted(spread.values(), reverse=True)


# Examples


@pytest.mark.slow
def test_who_is_right_how_often_is_counted(page: Page, site_url: str) -> None:
    """The table of who is right holds every example once."""
    page.goto(site_url + ROUNDS + "#v1;k=mix,lexicon")
    choose_examples(page, "round-2")
    expected = Counter((is_right("mix", at), is_right("lexicon", at)) for at in range(720))
    rows = page.locator(".patterns tbody tr").all()
    found = {}
    for line in rows:
        first, second, count, *_ = line.locator("td").all_inner_texts()
        found["right" in first, "right" in second] = int(count)
    assert found == {key: expected[key] for key in found}
    assert len(found) == 4
    assert sum(found.values()) == 720


@pytest.mark.slow
def test_texts_are_shown_where_they_may_be_published(page: Page, site_url: str) -> None:
    """Below an example's id is the beginning of its text; where no texts are stored, only the id."""
    page.goto(site_url + "hostile/compare/#v1;k=h0,h1")
    first = page.locator(".examples tbody th").first
    expect(first.locator("span")).to_have_count(2)
    expect(first.locator("span").last).not_to_be_empty()
    page.goto(site_url + ROUNDS + "#v1;k=roberta,mix")
    choose_examples(page, "round-2")
    expect(page.locator(".examples tbody th").first.locator("span")).to_have_count(1)


@pytest.mark.slow
def test_examples_are_narrowed_down_and_leafed_through(page: Page, site_url: str) -> None:
    """By who is right, by the right answer, a hundred at a time."""
    page.goto(site_url + ROUNDS + "#v1;k=roberta,mix,lexicon")
    choose_examples(page, "round-2")
    rights = [[is_right(model, at) for model in ("roberta", "mix", "lexicon")] for at in range(720)]
    mixed = [at for at, right in enumerate(rights) if len(set(right)) == 2]
    ids = page.locator(".examples tbody th")
    status = page.locator("section[aria-labelledby=examples-title] [role=status]")
    expect(status).to_contain_text(f"{len(mixed)} examples, 1 to 100 below")
    assert ids.all_inner_texts() == [f"r2-{at:04}" for at in mixed[:100]]
    page.get_by_role("button", name="Next 100").press("Enter")
    assert ids.all_inner_texts() == [f"r2-{at:04}" for at in mixed[100:200]]
    expect(page.get_by_role("button", name="Next 100")).to_be_focused()
    alone = [at for at, right in enumerate(rights) if right == [True, False, False]]
    page.get_by_label("Show", exact=True).select_option(
        label=f"Only where \u2068RoBERTa\u2069 alone is right ({len(alone)})"
    )
    gold = [at for at in alone if at % 3 == 1]
    page.get_by_label("Right answer").select_option(label="neutral (240)")
    assert ids.all_inner_texts() == [f"r2-{at:04}" for at in gold]
    cells = [
        " ".join(text.split())
        for text in page.locator(".examples tbody tr").first.locator("td").all_inner_texts()
    ]
    wrong = "no valid answer" if gold[0] % 50 == 49 else "positive"
    assert cells == ["neutral", "✓ right neutral", f"✗ wrong {wrong}", f"✗ wrong {wrong}"]


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
def test_answers_in_words_are_places_and_overlaps(page: Page, site_url: str) -> None:
    """No text is shown, only the answer's position in the input and its overlap with the right answer."""
    page.goto(site_url + ROUNDS + "#v1;k=roberta,lexicon")
    choose_examples(page, "challenge")
    first = next(at for at in range(120) if site_examples.is_right(at, 9) != site_examples.is_right(at, 4))
    cells = page.locator(".examples tbody tr").first.locator("td").all_inner_texts()
    assert " ".join(cells[0].split()) == f"✓ right characters {first}–{first + 5}"
    assert " ".join(cells[1].split()) == f"✗ wrong characters {first}–{first + 9} F1 66.70"


@pytest.mark.slow
def test_only_the_files_of_chosen_models_are_fetched(page: Page, site_url: str) -> None:
    """Predictions come on demand, once each, and from the site itself."""
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(site_url + ROUNDS)
    expect(page.locator("#comparison")).to_contain_text("Choose two")
    assert not [url for url in asked if "/predictions/" in url]
    page.get_by_role("button", name="Compare RoBERTa with Mix of two").click()
    expect(page.locator(".agreement li").first).to_be_visible()
    found = [url.rsplit("/predictions/", 1)[1] for url in asked if "/predictions/" in url]
    kinds = sorted(re.sub(r"\.[0-9a-f]{12}\.json$", "", name) for name in found)
    assert kinds == ["mix", "roberta", "round-1/examples", "round-1/mix", "round-1/roberta"]


@pytest.mark.slow
def test_models_without_predictions_say_so(page: Page, site_url: str) -> None:
    """Numbers of a paper come without answers to single examples."""
    page.goto(site_url + "sentiment/compare/#v1;k=bert,t5")
    section = page.locator("section[aria-labelledby=examples-title]")
    expect(section).to_contain_text("No two of these models have published answers to the same dataset")


@pytest.mark.slow
def test_a_file_that_does_not_come_can_be_asked_for_again(page: Page, site_url: str) -> None:
    """The failure is reported in place of the examples, and a second try works."""
    pattern = re.compile(r"/round-1/mix\.[0-9a-f]{12}\.json$")
    page.route(pattern, lambda route: route.fulfill(status=503))
    page.goto(site_url + ROUNDS + "#v1;k=roberta,mix")
    expect(page.get_by_role("alert").filter(has_text="the server answered 503")).to_be_visible()
    page.unroute(pattern)
    page.get_by_role("button", name="Try again").click()
    expect(page.locator(".agreement li").first).to_be_visible()


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
def test_without_script_every_model_is_a_link(browser: Browser, site_url: str) -> None:
    """The page says what it needs and leads to the pages that need nothing."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(site_url + "sentiment/compare/")
    expect(page.get_by_text("Comparing models side by side needs JavaScript")).to_be_visible()
    assert page.locator(".all-models a").count() == len(TABLE_2)
    expect(page.locator("#picker")).to_be_hidden()
    context.close()


@pytest.mark.slow
def test_models_with_markup_in_their_names_stay_text(page: Page, hostile_url: str) -> None:
    """Names, labels, ids and tags of four hostile models run nothing and burst nothing, wide or narrow."""
    for width in (320, 1440):
        page.set_viewport_size({"width": width, "height": 800})
        page.goto(
            hostile_url
            + "hostile/compare/#v1;k=h0,h1,h5,h6,%3Cimg%20src%3Dx%20onerror%3Dwindow.hacked%3D1%3E"
        )
        page.reload()
        expect(page.locator(".agreement li").first).to_be_visible()
        page.get_by_label("Show", exact=True).select_option(index=0)
        expect(page.locator(".examples tbody tr")).to_have_count(len(HOSTILE))
        expect(page.locator(".compared-pairs [role=status]")).to_have_attribute("aria-busy", "false")
        assert page.evaluate("window.hacked") is None
        assert page.locator("main img, main script:not([type='application/json'])").count() == 0
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert page.evaluate("document.documentElement.scrollHeight < 6000")
    assert names(page) == [HOSTILE[at] for at in (0, 1, 5, 6)]
    expect(page.locator("#notice")).to_contain_text("<img src=x onerror=window.hacked=1>")


@pytest.mark.slow
def test_a_model_page_leads_to_the_comparison_with_the_leader(page: Page, site_url: str) -> None:
    """The leader itself is compared with the second."""
    page.goto(site_url + "sentiment/models/bert/")
    page.get_by_role("link", name="Compare with DeBERTa").click()
    expect(page.locator("section[aria-labelledby=scores-title]")).to_be_visible()
    assert names(page) == ["BERT", "DeBERTa"]
    page.goto(site_url + "sentiment/models/deberta/")
    expect(page.get_by_role("link", name="Compare with RoBERTa").first).to_be_visible()
    page.goto(site_url + "solo/models/only/")
    expect(page.get_by_role("link", name=re.compile("Compare with"))).to_have_count(0)
