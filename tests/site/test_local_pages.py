"""A round as people make it: three write on a page, validate one another, and it is frozen, measured and shown."""

from __future__ import annotations

import json
import signal
import subprocess
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from collect_world import GOLD, STEELYARD, collection_at, run, write_lines, write_project
from playwright.sync_api import Browser, Page, expect
from site_pages import uncomplaining
from site_server import served

import site_src
from evaluator.data.datasets import read_dataset
from evaluator.records.board import load_boards
from evaluator.records.store import Store
from evaluator.rounds.checking import FILE, check_tries
from evaluator.rounds.desks import Bench, Desk, LabelBench
from evaluator.rounds.freezing import freeze
from evaluator.rounds.loop import Loop
from evaluator.rounds.rating import open_rating
from evaluator.rounds.server import PageServer, page_files
from evaluator.score.examples import dataset_source
from site_src.generator.texts import script_texts

pytestmark = pytest.mark.slow


#: What each writes. It fools the model, which takes everything for positive that does not say "bad".
TEXTS = {
    "ann": {
        "Half of us left before the end, and so did the cast.": "negative",
        "Since that evening I have not had a bad day.": "positive",
        "<img src=x onerror=alert(1)> & co. were bored to tears": "negative",
        "Who calls this bad has slept through the best of the year.": "positive",
    },
    "bob": {
        "My money would rather have stayed with me.": "negative",
        "Too bad that it lasts only three hours!": "positive",
        "The popcorn was the highlight.": "negative",
        "He plays a bad man so well that one wants to hug him.": "positive",
    },
    "cem": {
        "Watch it if you have trouble falling asleep.": "negative",
        "Badly lit, badly cut, and I loved each minute.": "positive",
        "\u202eOnce was one time more than I needed.": "negative",
        "So good that it makes every other one look bad.": "positive",
    },
}
PEOPLE = tuple(TEXTS)
GOLD_ANSWERS = {one["inputs"]["statement"]: one["answer"] for one in GOLD}


@contextmanager
def page_of(project: Path, *command: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The process of a command that opens a page, and the address that it prints."""
    process = subprocess.Popen(
        [*STEELYARD, *command, "notes"], cwd=project, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    try:
        yield process, process.stdout.readline().split()[1]
    finally:
        process.terminate()
        process.wait()


@contextmanager
def three(browser: Browser, address: str) -> Iterator[dict[str, Page]]:
    """A browser of each person, all at once, who said their name."""
    contexts = {name: browser.new_context() for name in PEOPLE}
    pages = {}
    for name, context in contexts.items():
        pages[name] = context.new_page()
        pages[name].goto(address)
        pages[name].get_by_label("Your name here").fill(name)
        pages[name].get_by_role("button", name="Start").click()
    yield pages
    for context in contexts.values():
        context.close()


def write(page: Page, text: str, answer: str) -> None:
    """Write a text, see what the model says, say what is right."""
    expect(page.get_by_label("Statement")).to_be_focused()
    page.get_by_label("Statement").fill(text)
    page.get_by_role("button", name="Ask the model").click()
    expect(page.get_by_role("heading", name="The model answers")).to_be_focused()
    expect(page.locator(".quoted").last).to_have_text(text)
    page.get_by_label("Why may").fill("irony")
    page.get_by_role("button", name=answer).click()
    expect(page.get_by_role("button", name="Next")).to_be_focused()
    page.keyboard.press("Enter")


@pytest.fixture(scope="module")
def project(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project whose round was written and validated by three people, frozen, evaluated and built."""
    folder = tmp_path_factory.mktemp("round")
    write_project(folder)
    with page_of(folder, "collect", "open") as (_, address), three(browser, address) as pages:
        for turn in range(4):
            for name, page in pages.items():
                write(page, *list(TEXTS[name].items())[turn])
        for name, page in pages.items():
            expect(page.locator("#done")).to_have_text(f"{name}: 4 tries, 4 of which fooled a model.")
    run(folder, "collect", "check", "notes")
    with page_of(folder, "collect", "validate") as (_, address), three(browser, address) as pages:
        for page in pages.values():
            validate(page)
    run(folder, "collect", "merge", "notes")
    shares = [word for part in ("train", "dev", "test") for word in ("--share", f"{part}=1")]
    run(folder, "collect", "freeze", "notes", "--round", "2", *shares)
    run(folder, "evaluate")
    run(folder, "build")
    return folder


def validate(page: Page) -> None:
    """Answer as anybody would who reads the texts, until there is nothing left."""
    known = {text: answer for texts in TEXTS.values() for text, answer in texts.items()} | GOLD_ANSWERS
    while True:
        expect(page.locator("#item h2")).to_be_visible()
        if page.get_by_role("heading", name="You are done").count():
            return
        before = page.locator("#done").inner_text()
        shown = page.locator(".quoted").inner_text()
        page.get_by_role("button", name=known[shown], exact=True).click()
        expect(page.locator("#done")).not_to_have_text(before)


def part_rows(project: Path, part: str) -> list[dict[str, Any]]:
    """The examples of a part of the round."""
    text = (project / "notes" / "round-2" / f"{part}.jsonl").read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]


def test_what_was_written_is_what_is_frozen(project: Path) -> None:
    """Every try is validated and fools the model; each part has one person's, each label equally often."""
    folder = project / "notes" / "round-2"
    record = json.loads((folder / "round.json").read_text("utf-8"))
    assert record["tries"] == 12
    assert record["validated_error_rate"] == {"any": 1.0, "words": 1.0}
    assert record["left_out"] == {}
    writers = []
    for part in ("train", "dev", "test"):
        rows = part_rows(project, part)
        writers.append({row["writer"] for row in rows})
        assert Counter(row["label"] for row in rows) == {"negative": 2, "positive": 2}
        assert all(row["fooled"] == ["words"] and len(row["votes"]) == 2 for row in rows)
    assert sorted(map(sorted, writers)) == [[name] for name in PEOPLE]


def test_its_readers_read_it(project: Path) -> None:
    """Our reader finds votes, tags and clusters, and the datasheet says what is in it."""
    boards = load_boards(project / "board.toml")
    dataset = read_dataset(dataset_source(boards.dataset("notes-r2"), project))
    assert dataset.has_votes
    assert dataset.validated == (True,) * 4
    # All are of one writer; what is independent of each other is then what was written for several prompts.
    prompts = {row["prompt"] for row in part_rows(project, "test")}
    assert len(prompts) > 1
    assert len(set(dataset.clusters)) == len(prompts)
    assert dataset.tags[0]["round"] == "2"
    assert dataset.tags[0]["topic"] in ("odd", "even")
    sheet = (project / "notes" / "round-2" / "README.md").read_text("utf-8")
    assert "<b>" not in sheet
    assert "| statement | the statement of the example |" in sheet
    assert "| tag.topic | a tag of the prompt |" in sheet
    assert "100.0 % of all tries" in sheet


def test_the_board_has_the_round_and_people_beside_the_model(project: Path, page: Page) -> None:
    """The model that was fooled is at 0 on round 2; people reach everything, so the round is open."""
    people = Store(project / "results").find("sentiment", "notes-r2", "human")
    assert people is not None
    assert people.scores["accuracy"].value == 100
    with served(project / "build") as address:
        page.goto(f"{address}b/")
        chart = page.locator(".rounds")
        expect(chart).to_contain_text("On round 2, the last,")
        expect(chart).to_contain_text("\u2068three made-up people\u2069 reach 100")
        expect(chart).to_contain_text(
            "Round 2: 12 tries of 3 writers: 100.0 % fooled a model in the loop, 100.0 % did so and were"
            " confirmed by others (vMER; 3 validators)."
        )
        expect(page.locator("img[src=x]")).to_have_count(0)


def test_a_writer_who_is_cut_off_loses_nothing_but_what_was_not_sent(
    project: Path, browser: Browser, tmp_path: Path
) -> None:
    """The program is killed after an answer: the page says so, and the next page asks for the right answer."""
    write_project(tmp_path)
    context = browser.new_context()
    with uncomplaining(context.new_page()) as page:
        with page_of(tmp_path, "collect", "open") as (process, address):
            page.goto(address)
            page.get_by_label("Your name here").fill("dua")
            page.get_by_role("button", name="Start").click()
            page.get_by_label("Statement").fill("What a waste.")
            page.get_by_role("button", name="Ask the model").click()
            expect(page.locator(".answers strong")).to_have_text("positive")
            process.send_signal(signal.SIGKILL)
            process.wait()
            page.get_by_role("button", name="negative").click()
            expect(page.get_by_role("alert")).to_contain_text(
                "The command that opened this page has stopped."
            )
        [one] = collection_at(tmp_path / "board.toml").tries()
        assert one.judged is None
        with page_of(tmp_path, "collect", "open") as (_, address):
            page.goto(address)
            page.get_by_label("Your name here").fill("dua")
            page.get_by_role("button", name="Start").click()
            expect(page.locator(".quoted")).to_have_text("What a waste.")
            page.get_by_role("button", name="negative").click()
            expect(page.get_by_role("heading", name="You fooled Words <counted>.")).to_be_visible()
    context.close()
    [one] = collection_at(tmp_path / "board.toml").tries()
    assert one.judged is not None


@contextmanager
def local_page(name: str, desk: Desk | Bench | None = None) -> Iterator[str]:
    """The address of a page whose server is in this process; without a desk nothing answers it."""
    routes = {**(desk.routes() if desk else {}), "/api/texts": lambda: script_texts(f"local-{name}")}
    with PageServer(0, page_files(Path(site_src.__path__[0]), name), routes) as server:
        threading.Thread(target=server.serve_forever, args=[0.05], daemon=True).start()
        try:
            yield server.address
        finally:
            server.shutdown()


QUESTIONS = """
title = "T"

[[models]]
id = "whole"
label = "Whole context"
task = "qa"
recipe = "whole-context"

[[collect]]
id = "notes"
label = "Questions"
task = "qa"
models = ["whole"]
goal = "Ask what the model answers wrong."
prompts = "prompts.jsonl"
responses = 2
licence = "CC0-1.0"

[[datasets]]
id = "other"
label = "Other"
task = "qa"

[[boards]]
id = "b"
title = "B"
task = "qa"
base = "f1"
datasets = ["other"]
metrics = [{ name = "f1", label = "F1", unit = "%" }]
"""
CONTEXT = "The harbour of Bergen freezes seldom, as warm water comes from the south all winter long."


def test_questions_are_collected_like_labels(browser: Browser, tmp_path: Path) -> None:
    """A context is given, the question written; answers are words, or none; who agrees is a matter of F1."""
    (tmp_path / "board.toml").write_text(QUESTIONS)
    write_lines(tmp_path / "prompts.jsonl", [{"id": "harbour", "inputs": {"context": CONTEXT}}])
    collection = collection_at(tmp_path / "board.toml")
    page = browser.new_context().new_page()
    with Loop(collection, tmp_path / "work") as loop:
        with local_page("collect", Desk(collection, loop)) as address:
            page.goto(address)
            page.get_by_label("Your name here").fill("ann")
            page.get_by_role("button", name="Start").click()
            for question, answer in (
                ("Where does warm water come from?", "the south"),
                ("Who built it?", ""),
            ):
                expect(page.locator("#prompt .quoted")).to_have_text(CONTEXT)
                page.get_by_label("Question").fill(question)
                page.get_by_role("button", name="Ask the model").click()
                expect(page.locator(".answers strong")).to_have_text(CONTEXT)
                answer_with(page, answer)
                expect(page.get_by_role("heading", name="You fooled Whole context.")).to_be_visible()
                page.get_by_role("button", name="Next").click()
        collection.keep(FILE, check_tries(collection, loop))
    with local_page("validate", Bench(collection)) as address:
        for validator in ("bob", "cem"):
            page.goto(address)
            page.evaluate("sessionStorage.removeItem('steelyard-validator')")
            page.reload()
            page.get_by_label("Your name here").fill(validator)
            page.get_by_role("button", name="Start").click()
            for left in (2, 1):
                expect(page.locator("#done")).to_have_text(f"{validator}: {2 - left} done, {left} to go.")
                asked = page.locator(".quoted").last.inner_text()
                answer_with(page, "South" if asked.startswith("Where") else "")
            expect(page.get_by_role("heading", name="You are done")).to_be_visible()
    page.context.close()
    freeze(collection, 1, {"test": 1.0}, tmp_path / "board.toml")
    boards = load_boards(tmp_path / "board.toml")
    dataset = read_dataset(dataset_source(boards.dataset("notes-r1"), tmp_path))
    assert sorted(dataset.gold) == [("",), ("the south", "South")]


def answer_with(page: Page, answer: str) -> None:
    if answer:
        page.get_by_label("The right answer").fill(answer)
        page.get_by_role("button", name="Keep").click()
    else:
        page.get_by_role("button", name="It has no answer").click()


def test_answers_are_labelled_without_whose_they_are(browser: Browser, tmp_path: Path) -> None:
    """The page asks how good an answer is; what a judge said of it, and of whom it is, is not on it."""
    (tmp_path / "board.toml").write_text(
        """title = "T"
[[datasets]]
id = "chats"
label = "Chats"
task = "scored"
[[imports]]
path = "chats.csv"
rows = "examples"
model = "model"
dataset = "chats"
example = "id"
metrics = { quality = { column = "judge", scale = 100 } }
[[boards]]
id = "b"
title = "B"
task = "scored"
base = "quality"
datasets = ["chats"]
metrics = [{ name = "quality", label = "Quality", unit = "%" }]
""",
        "utf-8",
    )
    (tmp_path / "chats.csv").write_text(
        "model,id,answer,judge\nLarge,q1,Four.,1\nSmall,q1,Five.,0\n", "utf-8"
    )
    rating = open_rating(load_boards(tmp_path / "board.toml"), "chats", tmp_path, tmp_path, ["answer"])
    page = browser.new_page()
    with local_page("validate", LabelBench(rating)) as address:
        page.goto(address)
        page.get_by_label("Your name here").fill("ann")
        page.get_by_role("button", name="Start").click()
        for left in (2, 1):
            expect(page.locator("#done")).to_have_text(f"ann: {2 - left} done, {left} to go.")
            expect(page.get_by_role("heading", name="Is this answer right?")).to_be_visible()
            expect(page.locator("main")).not_to_contain_text("Large")
            answer = page.locator(".quoted").inner_text()
            page.get_by_role("button", name="right" if answer == "Four." else "wrong", exact=True).click()
        expect(page.get_by_role("heading", name="You are done")).to_be_visible()
    page.close()
    path, _ = rating.keep_labels()
    assert sorted(path.read_text("utf-8").split()[1:]) == ["Large,q1,ann,1", "Small,q1,ann,0"]


@pytest.mark.parametrize("name", ["collect", "validate"])
def test_without_scripts_the_page_says_what_it_needs(name: str, browser: Browser) -> None:
    """Both pages explain themselves."""
    context = browser.new_context(java_script_enabled=False)
    with local_page(name) as address:
        page = context.new_page()
        page.goto(address)
        expect(page.get_by_text("This page needs scripts")).to_be_visible()
    context.close()
