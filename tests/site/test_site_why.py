"""A visitor asks why a model has its score, and how sure its rank is."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect
from site_pages import becomes, open_board

from evaluator.rank.dynascore import Board, Question
from evaluator.rank.rank_sets import Certainty, Comparison
from evaluator.rank.rate_factor import FACTOR, factor_words
from evaluator.rank.score_sentences import Shown
from evaluator.rank.significance import set_words
from evaluator.rank.verdict_sentences import verdict, verdict_sentence
from evaluator.rank.what_if import Certain, FirstPlace, Leaving, leader_found, leaving
from evaluator.records.board import assemble, load_boards
from evaluator.records.store import Store
from evaluator.score.certainty import assemble_board, sampled


def contributions(page: Page) -> list[float]:
    texts = page.locator(".why-table tbody tr td:last-child").all_inner_texts()
    return [float(text.split("\n")[-1]) for text in texts]


def products(page: Page) -> list[tuple[float, float]]:
    """The (share in per cent, converted value) pairs of the formula."""
    return [
        (float(share), float(value))
        for share, value in re.findall(r"([\d.]+) % × ([\d.]+)", page.locator("#why-formula").inner_text())
    ]


def test_the_formula_is_the_score_in_numbers(page: Page, site_url: str) -> None:
    """Shares times converted values sum to the Dynascore of the table, at any weights."""
    open_board(page, site_url + "sentiment/")
    for preset, model, weighing in (("Default", "DeBERTa", 5), ("Edge device", "DeBERTa", 3)):
        page.get_by_role("button", name=preset).click()
        # The explanation follows the ranking after a moment.
        expect(page.locator("#why-formula .why-term")).to_have_count(weighing)
        expect(page.locator("#why-formula")).to_contain_text(f"Dynascore of {model}")
        score = page.locator("#rows tr").first.locator(".score > .num").inner_text()
        expect(page.locator("#why-score")).to_have_text(score)
        assert sum(contributions(page)) == pytest.approx(float(score), abs=0.03)
        assert sum(share * value / 100 for share, value in products(page)) == pytest.approx(
            float(score), abs=0.15
        )
    expect(page.locator(".why-table tr[data-metric=fairness]")).to_have_class(re.compile("idle"))


@pytest.mark.slow
def test_any_model_is_explained_by_the_select_or_by_a_click_on_its_score(page: Page, site_url: str) -> None:
    """The address keeps which one, and undo takes it back."""
    open_board(page, site_url + "sentiment/")
    page.get_by_label("Explain").select_option("FastText")
    expect(page.locator("#why-formula")).to_contain_text("Dynascore of FastText")
    page.wait_for_url(lambda url: url.endswith("#v1;w=fasttext"))
    page.locator("#rows tr[data-model=bert] .score > .num").click()
    expect(page.locator("#why-formula")).to_contain_text("Dynascore of BERT")
    expect(page.get_by_label("Explain")).to_be_focused()
    expect(page.locator("#spread-model")).to_have_text("BERT")
    page.locator("#undo").click()
    expect(page.locator("#why-formula")).to_contain_text("Dynascore of FastText")
    page.reload()
    expect(page.locator("#why-formula")).to_contain_text("Dynascore of FastText")


ROOT = Path(__file__).parents[2]


BOARD = "sst-2"


WEIGHTS = {"accuracy": 1.0, "throughput": 3.0, "memory": 1.0, "fairness": 0.0, "robustness": 1.0}


VIEW = "#v1;m=" + ",".join(f"{name}:{weight:g}" for name, weight in WEIGHTS.items())


@pytest.fixture(scope="module")
def certainty() -> Certainty:
    """What the command line asks."""
    boards, store = load_boards(ROOT / "board.toml"), Store(ROOT / "results")
    spec = next(board for board in boards.boards if board.id == BOARD)
    assembled = assemble_board(spec, boards, store, store.results())
    return Certainty.from_dict(Board.from_dict(assembled.data), sampled(assembled, store))


def expected(certainty: Certainty, weights: dict[str, float] | None) -> dict[str, str]:
    """The sets as a page writes them, by model, best first."""
    question = Question(weights or {**dict.fromkeys(WEIGHTS, 1.0), "accuracy": 4.0})
    columns, found = certainty.board.columns(question), certainty.sets(question)
    models = certainty.board.models
    return {models[at]: set_words(found.sets[at]).replace("-", "–") for at in columns.order}


def shown(page: Page) -> dict[str, str]:
    """What the rows say, from top to bottom."""
    rows = page.locator("#rows > .line")
    return {row.get_attribute("data-model") or "": row.locator(".held").inner_text() for row in rows.all()}


def reweighed(page: Page, address: str) -> None:
    """The board at other weights, its sets found."""
    page.goto(f"{address}{BOARD}/{VIEW}")
    expect(page.locator("#announcer")).to_contain_text("may be")
    expect(page.locator("#ranking-frame")).not_to_have_class("table-frame old-sets")


@pytest.mark.slow
def test_the_sets_are_there_before_any_script(browser: Browser, own_url: str, certainty: Certainty) -> None:
    """Without scripts each row has its set, and a line below says who is level and which gaps can be told."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{own_url}{BOARD}/")
    assert shown(page) == expected(certainty, None)
    level = {model for model, words in expected(certainty, None).items() if words.startswith("1–")}
    rows = page.locator("#rows > .heat")
    assert {row.get_attribute("data-model") for row in rows.all()} == level
    expect(page.locator(".certainty-note")).to_contain_text(
        re.compile(r"Gaps under \d\.\d points are often too small to tell who is better\.")
    )
    context.close()


#: Where the menu above the table was, frame by frame.
NOTE_TOPS = """
window.tops = [];
const note = () => {
  const menu = document.querySelector("#export-menu > summary");
  if (menu) window.tops.push(menu.getBoundingClientRect().top);
  requestAnimationFrame(note);
};
requestAnimationFrame(note);
"""


@pytest.mark.slow
def test_nothing_above_the_table_moves_while_ties_are_found(page: Page, own_url: str) -> None:
    """Who leads is one line of words, and who ties with it two, as the verdict at the default weights was."""
    page.set_viewport_size({"width": 1440, "height": 900})
    page.add_init_script(NOTE_TOPS)
    page.goto(f"{own_url}{BOARD}/#v1;m=accuracy:4,throughput:5")
    expect(page.locator("#announcer")).to_contain_text("may be", timeout=60_000)
    expect(page.locator("#verdict-lead")).to_contain_text("Tie of two")
    tops = page.evaluate("window.tops")
    assert len(tops) > 10
    assert set(tops) == {tops[0]}


@pytest.mark.slow
def test_what_exchange_rates_may_change_follows_the_weights(
    page: Page, own_url: str, certainty: Certainty
) -> None:
    """The line says how far they may be off, and the rows whose sets that widens have thin ends and say to which."""
    reweighed(page, own_url)
    question, board = Question(WEIGHTS), certainty.board
    columns = board.columns(question)
    sets, wide = (certainty.sets(question, factor=factor).sets for factor in (1.0, FACTOR))
    assert sets != wide
    expect(page.locator("#factor-words")).to_have_text(factor_words(board, question, columns, thin=True))
    widened = {board.models[at]: found for at, found in enumerate(wide) if found != sets[at]}
    rows = page.locator("#rows > .line:has(.ranks-held[title])")
    expect(rows).to_have_count(len(widened))
    for row in rows.all():
        words = set_words(widened[row.get_attribute("data-model") or ""]).replace("-", "–")
        title = f"{words} with every exchange rate off by up to a factor of 2"
        assert row.locator(".ranks-held").get_attribute("title") == title
        assert row.locator(".outer").get_attribute("d")


@pytest.mark.slow
def test_sets_follow_the_weights_as_on_the_command_line(
    page: Page, own_url: str, certainty: Certainty
) -> None:
    """At other weights the browser's sets are those of the same Python, and are read out with the leaders."""
    reweighed(page, own_url)
    wanted = expected(certainty, WEIGHTS)
    becomes(page, lambda: shown(page), wanted)
    assert wanted != expected(certainty, None)
    first = next(iter(wanted.values())).replace("–", " to ")
    expect(page.locator("#announcer")).to_contain_text(f"may be {first},")


def told_apart(found: Comparison) -> str:
    assert found.interval is not None
    return "these data cannot tell" if found.interval[0] <= 0 else "is really above"


def test_any_two_models_are_compared_in_one_sentence(page: Page, own_url: str, certainty: Certainty) -> None:
    """Two chosen rows get the difference, its interval, McNemar's p and a verdict; the compare page says the same."""
    reweighed(page, own_url)
    models = list(expected(certainty, WEIGHTS))
    pair = [models[0], models[4]]
    for model in pair:
        page.locator(f'#rows [data-model="{model}"] .choose input').check()
    found = certainty.compare(pair[0], pair[1], Question(WEIGHTS))
    sentence = page.locator(".compared-pairs p")
    expect(sentence).to_contain_text(f"Difference {found.difference:.2f} points, 95 % interval")
    expect(sentence).to_contain_text(told_apart(found))
    first, second = found.alone["accuracy"]
    expect(sentence).to_contain_text(f"{first} examples are right only for")
    expect(sentence).to_contain_text(f"and {second} only for")
    expect(sentence).to_contain_text("(exact McNemar test, p ")
    said = sentence.inner_text()
    page.locator("#compare-link").click()
    expect(page.locator(".compared-pairs p")).to_have_text(said)


def answer(steps: FirstPlace | Certain | Leaving) -> Any:
    """What is found after the last step."""
    while not steps.step():
        pass
    return json.loads(steps.json())


@pytest.mark.slow
def test_a_visitor_learns_what_would_put_a_model_first(
    page: Page, own_url: str, certainty: Certainty
) -> None:
    """The change of one weight, one press away, and the shares of weightings, as Python says them."""
    weights = {**dict.fromkeys(WEIGHTS, 1.0), "accuracy": 4.0}
    found = answer(FirstPlace(certainty, Question(weights), "fasttext"))
    page.goto(f"{own_url}{BOARD}/")
    page.locator("#why-model").select_option("fasttext")
    part = page.locator("#first-place")
    part.get_by_text("What would put fastText first?").click()
    change = found["change"]
    expect(part).to_contain_text(certainty.board.metric_label(change["metric"]))
    expect(part).to_contain_text(f" at {change['weight']:g} instead of {weights[change['metric']]:g}.")
    shares = f"leads in {found['share']:.0%}, and ties with the leader in {found['level']:.0%} more."
    expect(part).to_contain_text(shares.replace("%", " %"))
    part.get_by_role("button", name="Set it").click()
    expect(page.locator("#rows > tr").first).to_have_attribute("data-model", "fasttext")
    # Of the leader the verdict above the table says it.
    expect(part).to_be_hidden()
    expect(page.locator("#verdict-rest")).to_contain_text("fastText leads in")


def plain(text: str) -> str:
    """A text without the marks that keep the direction of names."""
    return " ".join(re.sub("[\u2068\u2069]", "", text).split())


def verdict_on(page: Page) -> str:
    """What stands above the table, but for its buttons."""
    parts = page.locator("#verdict-lead, #verdict-rest:not(.old)").all_inner_texts()
    return plain(" ".join(parts).replace("Set it", ""))


@pytest.mark.slow
def test_the_verdict_is_there_before_any_script_and_in_a_frame(
    browser: Browser, own_url: str, certainty: Certainty
) -> None:
    """Above the table of the board and of the one that other pages show."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{own_url}{BOARD}/")
    question = Question({**dict.fromkeys(WEIGHTS, 1.0), "accuracy": 4.0})
    about = json.loads(page.locator("#board-data").text_content() or "")
    shown = Shown(certainty.board, question, about)
    sets, found = certainty.sets(question).sets, leader_found(certainty, question)
    assert verdict_on(page) == verdict_sentence(shown, sets, found)
    assert page.locator("#verdict").bounding_box()["y"] < page.locator("#rows").bounding_box()["y"]  # type: ignore[index]
    page.goto(f"{own_url}{BOARD}/embed/")
    lead = "".join(
        piece if isinstance(piece, str) else piece[1] for piece in verdict(shown, sets, None)["lead"]
    )
    assert plain(page.locator("main").inner_text()).count(plain(lead)) == 1
    context.close()


def test_the_verdict_follows_the_weights_and_what_would_end_it_is_one_press_away(
    page: Page, own_url: str, certainty: Certainty
) -> None:
    """Python's words at any weights, copied with these; the change that it names makes the other model lead."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    reweighed(page, own_url)
    question = Question(WEIGHTS)
    found = leader_found(certainty, question)
    shown = Shown(certainty.board, question, page.evaluate(ABOUT))
    wanted = verdict_sentence(shown, certainty.sets(question).sets, found)
    becomes(page, lambda: verdict_on(page), wanted)
    page.get_by_role("button", name="Copy sentence").click()
    expect(page.locator("#export-status")).to_have_text("Sentence copied")
    said = page.evaluate("navigator.clipboard.readText()")
    assert (
        "on SST-2 test at metric weights Accuracy (1), Throughput (3), Memory (1) and Robustness (1)" in said
    )
    assert said.endswith(f") {page.url}")
    assert found
    assert found["change"]
    button = page.locator("#verdict-rest").get_by_role("button", name="Set it")
    lock = page.get_by_role("button", name="Lock Memory")
    lock.click()
    button.click()
    expect(page.locator("#notice")).to_contain_text("the locked weights keep their share")
    assert "m=accuracy:1,throughput:3,memory:1" in page.url
    lock.click()
    button.click()
    expect(page.locator("#notice")).to_be_hidden()
    next_leader = certainty.board.models[found["change"]["leader"]]
    expect(page.locator("#rows > tr").first).to_have_attribute("data-model", next_leader)
    expect(page.locator("#verdict-rest")).to_contain_text(
        f"{certainty.board.model_label(next_leader)} leads in"
    )


ABOUT = "JSON.parse(document.querySelector('#board-data').textContent)"


@pytest.mark.slow
def test_what_is_fragile_is_marked_and_explained_once(page: Page, browser: Browser, own_url: str) -> None:
    """Rates and models have one badge, before any script and at other weights, which opens its explanation."""
    context = browser.new_context(java_script_enabled=False)
    plain = context.new_page()
    plain.goto(f"{own_url}sentiment/")
    expect(plain.locator("#rows [data-model=deberta] .fragile")).to_have_text("fragile 2")
    expect(plain.locator(".rates [data-metric=memory] .fragile")).to_have_text("fragile")
    expect(plain.locator("#fragile-list")).to_contain_text("Without DeBERTa:")
    context.close()
    boards = load_boards(ROOT / "board.toml")
    spec = next(board for board in boards.boards if board.id == "sentiment")
    board = Board.from_dict(assemble(spec, boards, Store(ROOT / "results").results()).data)
    weights = {"perf": 1.0, "throughput": 0.0, "memory": 2.0, "fairness": 0.0, "robustness": 3.0}
    moves = leaving(board, Question(weights))
    assert moves
    page.goto(
        f"{own_url}sentiment/#v1;m=" + ",".join(f"{name}:{weight:g}" for name, weight in weights.items())
    )
    for index, name in enumerate(board.models):
        badge = page.locator(f"#rows [data-model={name}] .fragile")
        expect(badge).to_have_text([f"fragile {len(moves[index])}"] if index in moves else [])
    page.locator("#rows .fragile").first.click()
    expect(page.locator("#fragile-list")).to_be_visible()
    expect(page.locator("#fragile-list li")).to_have_count(len(moves))
