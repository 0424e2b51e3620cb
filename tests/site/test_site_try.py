"""Trying models: copies are compared with stored answers, the site offers those that agree, and they answer there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, Request, expect
from site_axe import AXE, FINDINGS
from site_server import served
from site_tried import write_board, write_tried

from evaluator.cli import main
from evaluator.data.suites.make import Definition, make
from evaluator.data.suites.robustness.spelling import spelling_error
from evaluator.records.browser import BrowserCheck
from evaluator.records.store import BROWSER_CHECKS, Store
from site_src.generator.build import BuildReport, build

pytestmark = pytest.mark.slow

TEXT = "a good film number 3"
HOSTILE = (
    '<img src=x onerror="window.hacked=1"></textarea><script>window.hacked=1</script> {{ 7 * 7 }} \u202eevil'
)


@pytest.fixture(scope="module")
def tried(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the small world, whose copies have been compared with their models."""
    folder = tmp_path_factory.mktemp("tried")
    write_tried(folder)
    with pytest.raises(SystemExit) as ended:
        main(["check", "--browser", "--board", str(folder / "board.toml")])
    assert ended.value.code == 1, "one of the copies disagrees"
    return folder


def checks(folder: Path) -> dict[str, BrowserCheck]:
    store = Store(folder / "results")
    found = [store.load_record(BROWSER_CHECKS, path) for path in store.record_paths(BROWSER_CHECKS)]
    return {check.model: check for check in found}


def built(folder: Path, output: str) -> BuildReport:
    return build(folder / "board.toml", folder / "results", folder / output)


@pytest.fixture(scope="module")
def tried_url(tried: Path) -> Iterator[str]:
    """The page on which the small world's models are tried."""
    built(tried, "build")
    with served(tried / "build") as address:
        yield f"{address}b/try/"


def test_copies_agree_with_the_answers_that_are_stored(tried: Path) -> None:
    """Label agreement and the largest difference of a probability are a record, of all 500 examples."""
    found = checks(tried)
    for model in ("tfidf", "vader", "counter"):
        assert (found[model].asked, found[model].agreed, found[model].differing) == (500, 500, ())
    assert found["tfidf"].largest_difference == pytest.approx(0, abs=1e-6)
    assert found["counter"].largest_difference == 0
    assert found["vader"].largest_difference is None


def test_the_page_offers_what_agrees_and_says_why_not_the_rest(tried_url: str, browser: Browser) -> None:
    """Without scripts the page says what would run, how far it agrees, and what is left out."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(tried_url)
    expect(page.locator("#answers tbody tr")).to_have_count(3)
    expect(page.locator("#model-tfidf")).to_contain_text("on 500 of 500")
    expect(page.locator("main")).to_contain_text(
        "sly: its browser copy agrees with it on 0 of 500 examples only"
    )
    expect(page.locator("noscript")).to_be_visible()
    expect(page.locator("form")).to_be_hidden()
    page.goto(tried_url.replace("try/", "models/tfidf/"))
    page.get_by_role("link", name="Try it").click()
    assert page.url == f"{tried_url}#model-tfidf"
    context.close()


def test_a_copy_that_is_not_there_is_named(tried: Path) -> None:
    """With what to do."""
    write_board(tried, 'browser_models = ["counter"]')
    absent = build(tried / "board.toml", tried / "results", tried / "absent", work=tried / "elsewhere")
    assert "run steelyard check --browser counter" in "".join(absent.warnings)
    assert not (tried / "absent" / "b" / "try").exists()
    write_board(tried, "")
    assert not (tried / "absent" / "b" / "try").exists()
    assert not list(built(tried, "none").output.rglob("models.json"))
    write_board(tried)


def ask(page: Page, text: str) -> None:
    page.get_by_label("Statement").fill(text)
    page.get_by_label("Statement").press("Control+Enter")
    expect(page.locator("#status")).to_contain_text("asked", timeout=120_000)
    expect(page.locator("#stop")).to_be_hidden()


def answers(page: Page) -> dict[str, str]:
    rows = page.locator("#answers tbody tr").all()
    return {row.get_attribute("data-model") or "": row.locator(".try-answer").inner_text() for row in rows}


def test_a_visitor_asks_changes_a_word_and_sees_who_flips(tried_url: str, page: Page) -> None:
    """Every model answers as the measured one; a changed word is marked, and so is who changes the answer."""
    requests: list[Request] = []
    page.on("request", lambda request: requests.append(request))
    page.goto(tried_url)
    page.evaluate(AXE.read_text(encoding="utf-8"))
    expect(page.locator("#loads")).to_have_text(
        re.compile(r"Loaded first: 1\d\.\d MB, 0\.7 MB more for variants\.")
    )
    assert not [one for one in requests if "runtime/" in one.url], "nothing is loaded before somebody asks"
    ask(page, TEXT)
    assert answers(page) == {"tfidf": "positive", "vader": "positive", "counter": "positive"}
    expect(page.locator("#submit")).to_have_text("Ask all")
    expect(page.locator("#loads")).to_have_text("Loaded first: 0.7 MB for variants.")
    before = len(requests)
    ask(page, TEXT.replace("good", "dull"))
    assert len(requests) == before
    assert page.locator("#changes ins").inner_text().endswith("dull")
    row = page.locator("#model-counter")
    expect(row.locator(".try-flip")).to_contain_text("negative")
    expect(row.locator(".try-before")).to_have_text("positive")
    expect(page.locator("#status")).to_contain_text("counter changed the answer")
    page.get_by_role("button", name="Show perturbed variants").click()
    expect(page.locator("#variants-table tbody tr").first).to_be_visible()
    expect(page.get_by_role("button", name="Show perturbed variants")).to_be_enabled()
    expect(page.locator("#loads")).to_be_hidden()
    assert [one.url.split("/")[-1] for one in requests[before:]] == ["misspellings.txt"]
    before = len(requests)
    expect(row.locator("td").last).to_have_text(re.compile(r"\d of \d robustness"))
    [left] = page.locator("#variants-left li").all_inner_texts()
    assert left.startswith("No variant, as there is nothing to change: ")
    assert "gender (fairness)" in left
    ask(page, "send this")
    expect(row.locator(".try-answer")).to_contain_text("no answer: AttributeError")
    assert len(requests) == before, "asking sends nothing anywhere, and a model cannot"
    assert "#" not in page.url
    assert page.evaluate(FINDINGS, {}) == []
    hostile_and_linked(page)


def variant_row(page: Page, name: str) -> Locator:
    """A variant's row of the table: suite, variant, text, and an answer by each model."""
    named = page.get_by_role("rowheader", name=name, exact=True)
    return page.locator("#variants-table tbody tr").filter(has=named)


def show_variants(page: Page) -> None:
    page.get_by_role("button", name="Show perturbed variants").click()
    expect(page.locator("#status")).to_contain_text("of the text", timeout=120_000)


def only_counter(page: Page, text: str) -> None:
    """Choose one model, and write a text."""
    for other in ("tfidf", "vader"):
        page.locator(f"#asks-{other}").uncheck()
    page.get_by_label("Statement").fill(text)


@pytest.mark.parametrize(("text", "survives"), [("great", False), ("lovely beginning", True)])
def test_a_misspelt_variant_is_the_suites_and_says_who_survives(
    tried_url: str, page: Page, text: str, survives: bool
) -> None:
    """One click shows the text as SpellingError makes it offline, and whether a model keeps its answer."""
    definition = Definition("s", "robustness", (spelling_error(),))
    examples = [{"id": text, "statement": text}]
    [made] = make(definition, "d", "sha256:0", ["statement"], examples, [{}]).variants
    page.goto(tried_url)
    only_counter(page, text)
    show_variants(page)
    row = variant_row(page, "SpellingError")
    shown = row.locator(".try-text").evaluate(
        "cell => { for (const gone of cell.querySelectorAll('del, .sr')) gone.remove(); return cell.textContent }"
    )
    assert shown == made.texts["statement"]
    expect(row.locator("td").last).to_have_text("positive" if survives else "negative (changed)")
    flips = re.compile("flips under .*SpellingError")
    counted = expect(page.locator("#model-counter td").last)
    counted.to_contain_text("robustness")
    if survives:
        counted.not_to_contain_text(flips)
    else:
        counted.to_contain_text(flips)


def hostile_and_linked(page: Page) -> None:
    """A hostile text stays text, in the page and in the link that a visitor asks for."""
    ask(page, HOSTILE)
    assert page.evaluate("window.hacked") is None
    page.get_by_role("button", name="Make a link").click()
    expect(page.locator("#status")).to_contain_text("in the address")
    address = page.url
    page.goto("about:blank")
    page.goto(address)
    expect(page.get_by_label("Statement")).to_have_value(HOSTILE)
    assert page.evaluate("window.hacked") is None
    # Half of a pair of surrogates is no text; nobody types it, but it can be pasted.
    page.get_by_label("Statement").evaluate("box => { box.value = 'a good \\ud800 film' }")
    show_variants(page)
    expect(variant_row(page, "Keyboard")).to_contain_text("\ufffd")
    expect(page.locator("#problem")).to_be_hidden()


def test_a_model_that_never_answers_can_be_stopped(tried_url: str, page: Page) -> None:
    """The visitor ends it; the rest of the page works, and asking again loads the models anew."""
    page.goto(tried_url)
    for other in ("tfidf", "vader"):
        page.locator(f"#asks-{other}").uncheck()
    expect(page.locator("#submit")).to_have_text("Ask 1 model")
    ask(page, TEXT)
    page.get_by_label("Statement").fill("good for ever")
    page.locator("#submit").click()
    expect(page.locator("#status")).to_have_text("Asking counter…")
    page.get_by_role("button", name="Stop").click()
    expect(page.locator("#problem")).to_contain_text("it was stopped")
    ask(page, "a dull film")
    expect(page.locator("#model-counter .try-answer")).to_contain_text("negative")
