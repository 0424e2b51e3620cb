"""The scorer in the browser gives CPython's results, bit for bit."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route, expect
from site_pages import uncomplaining

from evaluator.rank.dynascore import Board, Question, open_board
from evaluator.rank.tradeoffs import front_json, triangle

BOARDS = 220


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page where Python is compiled as it is for any visitor, again and faster while it runs."""
    context = browser.new_context()
    with uncomplaining(context.new_page()) as page:
        yield page
        context.close()


RANK_ALL = """
async ([module, runtime, scorer, boards]) => {
  const { Scorer } = await import(module);
  const client = new Scorer({ runtime, scorer, board: boards[0][0] });
  await client.start();
  const found = [];
  for (const [board, questions] of boards) {
    await client.open(board);
    for (const text of questions) found.push(hex(await client.engine.ask("rank", { text, known: 0 })));
  }
  return found;

  function hex(buffer) {
    return Array.from(new Uint8Array(buffer), (byte) => byte.toString(16).padStart(2, "0")).join("");
  }
}
"""

TRADEOFFS = """
async ([module, runtime, scorer, boards]) => {
  const { Scorer } = await import(module);
  const client = new Scorer({ runtime, scorer, board: boards[0][0] });
  await client.start();
  const found = [];
  for (const [board, [x, y, datasets], [question, metrics, steps]] of boards) {
    await client.open(board);
    const winners = await client.triangle(question, metrics, steps);
    found.push([await client.front(x, y, datasets), winners.constructor.name, Array.from(winners)]);
  }
  return found;
}
"""


@pytest.mark.slow
def test_200_random_boards_rank_to_the_same_bits_in_the_browser(page: Page, site_url: str) -> None:
    """Order, scores, contributions, rates, z-scores and notes of random and odd boards are equal bytes."""
    chance = random.Random(20261121)
    cases = [random_case(chance, index) for index in range(BOARDS)]
    expected = [answer for board, questions in cases for answer in answers(board, questions)]
    found = page.evaluate(RANK_ALL, [*addresses(page, site_url), cases])
    assert len(found) == len(expected) == 3 * BOARDS
    assert found == expected


@pytest.mark.slow
def test_tradeoffs_in_the_browser_are_those_of_python(page: Page, site_url: str) -> None:
    """Fronts and triangles of random boards, with missing values and costs, are the same models."""
    chance = random.Random(5)
    cases = [tradeoff_case(chance, index) for index in range(40)]
    found = page.evaluate(TRADEOFFS, [*addresses(page, site_url), cases])
    for (text, (x, y, datasets), (question, metrics, steps)), answer in zip(cases, found, strict=True):
        board = open_board(text)
        front = front_json(board, json.dumps({"x": x, "y": y, "datasets": datasets}))
        winners = triangle(board, Question(**question), metrics, steps)
        assert answer == [json.loads(front), "Int32Array", winners]


def tradeoff_case(chance: random.Random, index: int) -> tuple[str, list[Any], list[Any]]:
    """A board with at least three metrics, a question of its front, one of its triangle."""
    while True:
        board, questions = random_case(chance, index)
        names = [metric["name"] for metric in json.loads(board)["metrics"]]
        if len(names) >= 3:
            break
    question = json.loads(questions[0])
    chosen = chance.sample(names, 3)
    return board, [*chosen[:2], question["datasets"]], [question, chosen, chance.randint(1, 12)]


@pytest.mark.slow
def test_python_loads_before_the_page_has_its_script(page: Page, site_url: str) -> None:
    """The runtime is asked for while the board's own script is still on its way, and only once."""
    held: list[Route] = []
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.route("**/board.js", lambda route: held.append(route))
    # Which of the two is asked for first is the browser's affair.
    with page.expect_request("**/board.js"), page.expect_request("**/pyodide.asm.wasm"):
        page.goto(site_url + "solo/", wait_until="commit")
    expect(page.locator("#scorer-state")).not_to_have_text("on")
    assert len(held) == 1
    held[0].continue_()
    expect(page.locator("#scorer-state")).to_have_text("on", timeout=30_000)
    assert len([url for url in asked if url.endswith("pyodide.asm.wasm")]) == 1


def addresses(page: Page, site_url: str) -> list[str]:
    """Absolute addresses of the client module, the runtime and the scorer, as a page has them."""
    page.goto(site_url + "solo/")
    urls = json.loads(page.locator("#board-urls").text_content() or "")
    module = page.locator('script[src$="board.js"]').get_attribute("src") or ""
    base = site_url + "solo/"
    return [
        base + module.replace("pages/board.js", "scorer/scorer.js"),
        base + urls["runtime"],
        base + urls["scorer"],
    ]


def answers(board: str, questions: list[str]) -> list[str]:
    opened = open_board(board)
    return [opened.answer(question).hex() for question in questions]


def random_case(chance: random.Random, index: int) -> tuple[str, list[str]]:
    """A board as JSON text with three questions; the index chooses what is odd about it."""
    models = [f"m{i}" for i in range(1 if index % 10 == 0 else chance.randint(2, 30))]
    metrics = [random_metric(chance, f"x{i}") for i in range(chance.randint(1, 8))]
    datasets = [f"d{i}" for i in range(chance.randint(1, 4))]
    data = {
        "models": models,
        "metrics": metrics,
        "datasets": datasets,
        "values": {d: {m["name"]: column(chance, len(models), index) for m in metrics} for d in datasets},
        "base": "x0",
        "epsilon": chance.choice([0.0, 1e-4, 0.5]),
        "epsilon_kind": chance.choice(["relative", "absolute"]),
        "missing": chance.choice(["unranked", "worst"]),
        "rate": chance.choice(["mean", "ratio"]),
        "floored": chance.sample(models, chance.randint(0, len(models))),
    }
    Board.from_dict(data)
    return json.dumps(data), [random_question(chance, metrics, datasets) for _ in range(3)]


def random_metric(chance: random.Random, name: str) -> dict[str, Any]:
    direction = chance.choice([1, -1])
    return {
        "name": name,
        "direction": direction,
        "offset": 0.0 if direction == 1 else chance.choice([None, 32.0]),
    }


def column(chance: random.Random, count: int, index: int) -> list[float | None]:
    """Values of one metric: spread, tied, constant, huge or tiny, and now and then missing."""
    kind = (index + chance.randint(0, 2)) % 5
    scale = 10.0 ** chance.randint(-12, 12) if kind == 3 else 100.0
    values = [chance.random() * scale for _ in range(count)]
    if kind == 1:
        values = [float(round(value / 20)) for value in values]
    if kind == 2:
        values = [values[0]] * count
    hole = 0.15 if kind == 4 else 0.0
    return [None if chance.random() < hole else value for value in values]


def random_question(chance: random.Random, metrics: list[dict[str, Any]], datasets: list[str]) -> str:
    def draw() -> float:
        return chance.choice([0, 0, 1, 1.5, chance.random(), chance.random() * 1000])

    question = {"metrics": {m["name"]: draw() for m in metrics}, "datasets": {d: draw() for d in datasets}}
    terms = {
        "base": chance.choice(metrics)["name"],
        "epsilon": chance.choice([0.0, 0.1]),
        "by": chance.choice(["dynascore", "z_score"]),
    }
    return json.dumps(question | {name: value for name, value in terms.items() if chance.random() < 0.4})
