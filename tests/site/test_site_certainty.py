"""How sure a rank is, on the page of the project's own board: before any script, and after a visitor's moves."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect
from site_server import served

from evaluator.rank.dynascore import Board, Question
from evaluator.rank.rank_sets import Certainty, Comparison
from evaluator.rank.significance import set_words
from evaluator.rank.what_if import Certain, FirstPlace, Leaving, leaving
from evaluator.records.board import assemble, load_boards
from evaluator.records.store import Store
from evaluator.score.certainty import assemble_floored, sampled
from site_src.generator.build import build
from site_src.generator.embed import ordinal

ROOT = Path(__file__).parents[2]
BOARD = "sst-2"
WEIGHTS = {"accuracy": 1.0, "throughput": 3.0, "memory": 1.0, "fairness": 0.0, "robustness": 1.0}
VIEW = "#v1;m=" + ",".join(f"{name}:{weight:g}" for name, weight in WEIGHTS.items())


@pytest.fixture(scope="module")
def own_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project's own boards, built."""
    folder = tmp_path_factory.mktemp("own") / "build"
    build(ROOT / "board.toml", ROOT / "results", folder)
    return folder


@pytest.fixture(scope="module")
def own_url(own_site: Path) -> Iterator[str]:
    with served(own_site) as address:
        yield address


@pytest.fixture(scope="module")
def certainty() -> Certainty:
    """What the command line asks."""
    boards, store = load_boards(ROOT / "board.toml"), Store(ROOT / "results")
    spec = next(board for board in boards.boards if board.id == BOARD)
    assembled = assemble_floored(spec, boards, store, store.results())
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
        "These examples tell apart gaps of 2.2 points and more."
    )
    context.close()


@pytest.mark.slow
def test_sets_follow_the_weights_as_on_the_command_line(
    page: Page, own_url: str, certainty: Certainty
) -> None:
    """At other weights the browser's sets are those of the same Python, and are read out with the leaders."""
    reweighed(page, own_url)
    wanted = expected(certainty, WEIGHTS)
    assert shown(page) == wanted
    assert wanted != expected(certainty, None)
    first = next(iter(wanted.values())).replace("–", " to ")
    expect(page.locator("#announcer")).to_contain_text(f"may be {first},")


@pytest.mark.slow
def test_sets_are_among_the_models_that_limits_leave(page: Page, own_url: str, certainty: Certainty) -> None:
    """Ranked only among those under a limit, each has the set that the command line's Python finds among them."""
    page.goto(f"{own_url}{BOARD}/{VIEW};c=memory:most:0.3;a=left")
    expect(page.locator("#announcer")).to_contain_text("may be")
    expect(page.locator("#ranking-frame")).not_to_have_class("table-frame old-sets")
    question = Question(WEIGHTS, limits={"memory": [None, 0.3]})
    columns, found = certainty.board.columns(question), certainty.sets(question)
    left = [at for at in columns.order if at not in columns.scale.out]
    assert 1 < len(left) < len(columns.order)
    names = certainty.board.models
    assert shown(page) == {names[at]: set_words(found.sets[at]).replace("-", "–") for at in left}
    assert max(worst for _, worst in map(found.sets.__getitem__, left)) <= len(left)


@pytest.mark.slow
def test_opening_a_board_fetches_nothing_for_sets(page: Page, own_url: str) -> None:
    """What sets follow from is fetched at the first change of weights, or once the map of winners is in sight."""
    page.set_viewport_size({"width": 1280, "height": 300})
    fetched: list[str] = []
    page.on("request", lambda request: fetched.append(request.url))
    page.goto(f"{own_url}{BOARD}/")
    expect(page.locator("#scorer-state")).to_have_text("ready")
    expect(page.locator("#announcer")).to_contain_text("Top three")
    assert not [url for url in fetched if "certainty." in url.rsplit("/", 1)[1] and url.endswith(".json")]
    with page.expect_request("**/certainty.*.json"):
        page.locator("#metric-throughput").fill("3")


@pytest.mark.slow
def test_rows_are_sorted_by_the_worst_rank_that_they_may_hold(page: Page, own_url: str) -> None:
    """The head of the sets sorts by the best possible rank, then by the worst, then as before."""
    page.goto(f"{own_url}{BOARD}/")
    head = page.locator(".held-head button")
    head.click()
    expect(head).to_have_text("Best possible")
    head.click()
    expect(head).to_have_text("Worst possible")
    worst = [int(words.split("–")[-1]) for words in shown(page).values()]
    assert worst == sorted(worst)
    expect(page.locator(".ranks th.rank")).to_have_attribute("aria-sort", "other")
    head.click()
    expect(head).to_have_text("95 % set")


def verdict(found: Comparison) -> str:
    assert found.interval is not None
    return "these data cannot tell" if found.interval[0] <= 0 else "is really above"


@pytest.mark.parametrize("at", [1, 4], ids=["level", "clear"])
def test_any_two_models_are_compared_in_one_sentence(
    page: Page, own_url: str, certainty: Certainty, at: int
) -> None:
    """Two chosen rows get the difference, its interval, McNemar's p and a verdict; the compare page says the same."""
    reweighed(page, own_url)
    models = list(expected(certainty, WEIGHTS))
    pair = [models[0], models[at]]
    for model in pair:
        page.locator(f'#rows [data-model="{model}"] .choose input').check()
    found = certainty.compare(pair[0], pair[1], Question(WEIGHTS))
    sentence = page.locator(".compared-pairs p")
    expect(sentence).to_contain_text(f"Difference {found.difference:.2f} points, 95 % interval")
    expect(sentence).to_contain_text(verdict(found))
    first, second = found.alone["accuracy"]
    expect(sentence).to_contain_text(f"{first} examples are right only for")
    expect(sentence).to_contain_text(f"and {second} only for")
    expect(sentence).to_contain_text("(exact McNemar test, p ")
    said = sentence.inner_text()
    page.locator("#compare-link").click()
    expect(page.locator(".compared-pairs p")).to_have_text(said)


@pytest.mark.slow
@pytest.mark.parametrize("width", [300, 1440])
def test_an_embedded_table_marks_the_dead_heat_that_it_speaks_of(
    browser: Browser, own_url: str, width: int
) -> None:
    """At the left edge, in a frame as narrow as 300 pixels, into which the sets fit."""
    page = browser.new_context(viewport={"width": width, "height": 600}).new_page()
    page.goto(f"{own_url}{BOARD}/embed/")
    expect(page.locator("main")).to_contain_text("Dead heat with the leader, marked at the left edge")
    expect(page.locator("tbody tr .held").first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    marks = "rows => rows.map((row) => getComputedStyle(row.querySelector('.rank')).boxShadow !== 'none')"
    assert page.locator("tbody tr").evaluate_all(marks) == [True, True, True, False, False, False]


@pytest.mark.slow
def test_reported_numbers_are_unknown_and_said_to_be_once(browser: Browser, own_url: str) -> None:
    """A board of numbers that were published without examples has no set, and one sentence that says so."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{own_url}sentiment/")
    expect(page.locator(".certainty-note")).to_contain_text(
        "How sure these ranks are is unknown: published without examples."
    )
    assert page.locator(".held").count() == 0
    context.close()


@pytest.mark.slow
def test_badges_say_which_ranks_a_model_may_hold(own_site: Path, certainty: Certainty) -> None:
    """ "1st to 3rd of 10" in the picture and for shields.io; the rank alone where the set is no wider."""
    question = Question({**dict.fromkeys(WEIGHTS, 1.0), "accuracy": 4.0})
    found = certainty.sets(question).sets
    assert any(each and each[0] < each[1] for each in found)
    for model, each in zip(certainty.board.models, found, strict=True):
        assert each is not None
        places = " to ".join(dict.fromkeys(map(ordinal, each)))
        shields = json.loads((own_site / BOARD / "badges" / f"{model}.json").read_bytes())
        assert shields["message"].startswith(f"{places} of {len(found)}, ")
        picture = (own_site / BOARD / "badges" / f"{model}.svg").read_text(encoding="utf-8")
        assert f"<title>{places} of {len(found)} on " in picture


def answer(steps: FirstPlace | Certain | Leaving) -> Any:
    """What is found after the last step."""
    while not steps.step():
        pass
    return json.loads(steps.json())


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
    shares = (
        f"leads in {found['share']:.0%}, and is in a dead heat with the leader in {found['level']:.0%} more."
    )
    expect(part).to_contain_text(shares.replace("%", " %"))
    part.get_by_role("button", name="Set it").click()
    expect(page.locator("#rows > tr").first).to_have_attribute("data-model", "fasttext")
    expect(part.locator("summary")).to_have_text("What would end the lead of fastText?")


@pytest.mark.slow
def test_the_triangle_shows_where_the_leader_is_not_certain(
    page: Page, own_url: str, certainty: Certainty
) -> None:
    """The legend has the part that Python finds, and says so in words."""
    weights = {**dict.fromkeys(WEIGHTS, 1.0), "accuracy": 4.0}
    names, steps = ["accuracy", "throughput", "memory"], 80
    found = answer(Certain(certainty, Question(weights), names, steps))
    sure = dict(zip([(i, j) for i in range(steps + 1) for j in range(steps - i + 1)], found, strict=True))
    ground = {2: 1, 1: 3, 0: 6}
    unsure = sum(ground[[i, j, steps - i - j].count(0)] for (i, j), one in sure.items() if not one)
    page.goto(f"{own_url}{BOARD}/")
    page.get_by_role("tab", name="Who wins where").click()
    part = f"{unsure / (3 * steps * steps):.0%}".replace("%", " %")
    expect(page.locator(".wins li").filter(has_text="leader not certain")).to_contain_text(part)
    expect(page.locator("#chart-triangle")).to_contain_text(
        f"In {part} of it these data cannot tell who leads."
    )


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
