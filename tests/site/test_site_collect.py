"""A static page on which visitors fool models: what they write stays in their browser, until they hand it over."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from collect_world import collection_at, run
from playwright.sync_api import Browser, BrowserContext, Page, Request, expect
from site_axe import found_in_all_views
from site_collected import REPOSITORY, write_collected
from site_pages import uncomplaining
from site_server import served

from evaluator.records.board import load_boards
from evaluator.rounds.events import WRITTEN, Asked, Judged
from evaluator.rounds.receiving import receive
from site_src.generator.build import build

pytestmark = pytest.mark.slow


HOSTILE = (
    '<img src=x onerror="window.hacked=1"></textarea><script>window.hacked=1</script> \u202eevil ```\n@all'
)
TEXTS = {
    "The soup was cold, and so was the waiter.": "negative",
    "Nobody could say a bad word of that evening.": "positive",
    HOSTILE: "negative",
    "I would pay twice to leave earlier.": "negative",
}
# What Python and a model take to load on a busy machine.
LOADED = 120_000


@dataclass(frozen=True)
class Collected:
    """The project's folder, its built site, and the address of its page to collect."""

    folder: Path
    site: Path
    page: str


@pytest.fixture(scope="module")
def collected(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Collected]:
    folder = tmp_path_factory.mktemp("collected")
    write_collected(folder)
    report = build(folder / "board.toml", folder / "results", folder / "build")
    assert report.warnings == ()
    with served(folder / "build") as address:
        yield Collected(folder, folder / "build", f"{address}b/collect/notes/")


def start(page: Page, address: str, writer: str) -> None:
    """Begin under a name, whoever wrote in this browser before."""
    page.goto(address)
    page.evaluate("() => localStorage.setItem(`steelyard:${location.pathname}`, '')")
    page.reload()
    page.get_by_label("Your name here").fill(writer)
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_label("Statement")).to_be_focused()


@pytest.fixture(scope="module")
def loaded(collected: Collected, visitor: BrowserContext) -> Iterator[Page]:
    """A page whose models are loaded, for tests that write under names of their own."""
    with uncomplaining(visitor.new_page()) as page:
        start(page, collected.page, "first-fox")
        ask(page, "So much for that.")
        yield page
        page.close()


def write_as(page: Page, writer: str) -> None:
    """Let somebody else write on the same page."""
    page.get_by_role("button", name="Write under another name").click()
    page.get_by_label("Your name here").fill(writer)
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_label("Statement")).to_be_focused()


def ask(page: Page, text: str) -> None:
    """Write a text, and see what the model says of it."""
    page.get_by_label("Statement").fill(text)
    page.get_by_role("button", name="ask the model", exact=False).click()
    expect(page.locator(".answers strong")).to_be_visible(timeout=LOADED)


def write(page: Page, text: str, answer: str) -> None:
    ask(page, text)
    page.get_by_label("Why may").fill(f"because {text}")
    page.get_by_role("button", name=answer, exact=True).click()
    page.get_by_role("button", name="Next").click()


def exported(page: Page) -> tuple[str, bytes]:
    """The name of the file that the page makes, and what it holds."""
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Export as a file").click()
    return waiting.value.suggested_filename, Path(waiting.value.path()).read_bytes()


def test_what_fools_a_model_here_is_a_writers_file(collected: Collected, page: Page) -> None:
    """Written, reloaded, exported; the command asks the models again, and goes on the usual way."""
    requests: list[Request] = []
    start(page, collected.page, "blue-fox")
    assert found_in_all_views(page, "a prompt") == []
    page.on("request", lambda request: requests.append(request))
    expect(page.get_by_role("button", name=re.compile(r"Load \d+\.\d MB and ask the model"))).to_be_visible()
    for text, answer in list(TEXTS.items())[:3]:
        write(page, text, answer)
    expect(page.locator("#done")).to_have_text("blue-fox: 3 tries, 3 of which fooled a model.")
    ask(page, list(TEXTS)[3])
    page.reload()
    expect(page.locator(".quoted").last).to_have_text(list(TEXTS)[3])
    expect(page.locator(".answers strong")).to_have_text("positive")
    expect(page.locator("#kept-summary")).to_contain_text("1 still without a right answer")
    page.get_by_role("button", name="negative", exact=True).click()
    expect(page.get_by_role("heading", name="You fooled Words <counted>.")).to_be_visible()
    name, content = exported(page)
    assert page.evaluate("window.hacked") is None
    page.get_by_role("button", name="Forget everything here").click()
    assert found_in_all_views(page, "a verdict, and whether to forget") == []
    origin = collected.page.split("/steelyard/")[0]
    assert all(request.url.startswith((f"{origin}/", "blob:")) for request in requests)
    assert all(request.method == "GET" and not request.post_data for request in requests)
    assert name == "blue-fox.jsonl"
    tries = collected.folder / "collect" / "notes" / "tries"
    tries.mkdir(parents=True)
    (tries / name).write_bytes(content)
    check_lines(collected.folder, content)


def check_lines(folder: Path, content: bytes) -> None:
    """They are lines of a writer's file, with what was typed; and the models say again what they said here."""
    rows = [WRITTEN.validate_json(line, strict=True) for line in content.split(b"\n")[:-1]]
    asked = [row for row in rows if isinstance(row, Asked)]
    judged = [row for row in rows if isinstance(row, Judged)]
    assert [row.inputs["statement"] for row in asked] == list(TEXTS)
    assert [row.answer for row in judged] == list(TEXTS.values())
    assert judged[2].reason == f"because {HOSTILE}"
    assert {answer.place for row in asked for answer in row.answers} == {"browser"}
    checked = json.loads(run(folder, "collect", "check", "notes", "--json"))
    assert [one["fooled"] for one in checked["tries"]] == [["words", "lines"]] * 4
    said_again = [one["answers"][0]["answer"] for one in checked["tries"]]
    assert said_again == [row.answers[0].answer for row in asked]
    assert [one.get("problems", []) for one in checked["tries"]] == [[]] * 4


def test_two_tabs_add_to_one_file(collected: Collected, page: Page) -> None:
    """Both write under one name at once: all lines are there, and a prompt has no more tries than it may."""
    one = page
    with uncomplaining(page.context.new_page()) as other:
        start(one, collected.page, "red-fox")
        other.goto(collected.page)
        expect(other.get_by_label("Statement")).to_be_focused()
        for tab in (one, other):
            ask(tab, f"Text of tab {tab is other}.")
        for tab in (one, other):
            tab.get_by_role("button", name="negative", exact=True).click()
            expect(tab.get_by_role("button", name="Next")).to_be_visible()
        events = [json.loads(line)["event"] for line in exported(one)[1].splitlines()]
        assert sorted(events) == ["asked", "asked", "judged", "judged"]
        for tab in (one, other):
            tab.get_by_role("button", name="Next").click()
            tab.get_by_label("Statement").fill("One more of them.")
        for _ in range(2):
            write(one, "Again from the first tab.", "negative")
        other.get_by_role("button", name="Ask the model").click()
        expect(other.get_by_role("alert").first).to_contain_text("2 tries are all that this prompt has")
        expect(other.get_by_label("Statement")).to_have_value("One more of them.")
        other.close()


def test_a_full_disk_is_said_and_the_text_stays(collected: Collected, browser: Browser) -> None:
    """Where the browser has no room the page says what was kept; with room again, the same text is asked."""
    # A browser of its own: Chromium remembers for a while how much room it found for an address.
    context = browser.new_context()
    page = context.new_page()
    start(page, collected.page, "snow-fox")
    session = context.new_cdp_session(page)
    origin = {"origin": collected.page.split("/steelyard/")[0]}
    session.send("Storage.overrideQuotaForOrigin", {**origin, "quotaSize": 1})
    page.get_by_label("Statement").fill("No room for that.")
    page.get_by_role("button", name="ask the model", exact=False).click()
    expect(page.get_by_role("alert").first).to_contain_text(
        "This browser has no room left for it, so nothing of this try was kept", timeout=LOADED
    )
    expect(page.get_by_label("Statement")).to_have_value("No room for that.")
    session.send("Storage.overrideQuotaForOrigin", origin)
    ask(page, "No room for that.")
    expect(page.locator("#kept-summary")).to_contain_text("1 try of snow-fox is kept in this browser")
    context.close()


def test_tries_go_to_github_when_pressed_and_only_as_many_as_fit(
    collected: Collected, loaded: Page, tmp_path: Path
) -> None:
    """The link has whole tries; what does not fit waits for the next one; what is too long is in the file only."""
    sent: list[str] = []
    page, context = loaded, loaded.context
    context.route(
        f"{REPOSITORY}/**", lambda route: (sent.append(route.request.url), route.fulfill(body=""))[1]
    )
    write_as(page, "white-fox")
    write(page, "Short but not bad.", "positive")
    write(page, "ü" * 5000, "negative")
    link = page.get_by_role("link", name="Send 1 try as an issue on GitHub")
    expect(link).to_be_visible()
    expect(page.locator("#kept-fit")).to_contain_text("An issue has room for 1 of 2 tries")
    assert not sent
    with context.expect_page() as opened:
        link.click()
    opened.value.wait_for_url(f"{REPOSITORY}/**")
    opened.value.close()
    context.unroute(f"{REPOSITORY}/**")
    expect(page.locator("#kept-fit")).to_contain_text("1 try went into an issue")
    expect(page.locator("#kept-fit")).to_contain_text("1 try left, too long for an issue: export the file.")
    [address] = sent
    assert len(address) < 8192
    asked = parse_qs(urlsplit(address).query)
    assert asked["title"] == ["Tries of white-fox for notes"]
    assert "Short but not bad." in asked["body"][0]
    assert "üü" not in asked["body"][0]
    check_received(collected, tmp_path / "body.md", asked["body"][0])
    page.get_by_role("button", name="Forget everything here").click()
    page.get_by_role("button", name="Delete it all").click()
    expect(page.get_by_label("Your name here")).to_be_visible()
    expect(page.locator("#kept")).to_be_hidden()
    page.reload()
    expect(page.get_by_label("Your name here")).to_be_visible()
    start(page, collected.page, "white-fox")
    expect(page.locator("#done")).to_have_text("white-fox: 0 tries, 0 of which fooled a model.")


def check_received(collected: Collected, file: Path, body: str) -> None:
    """The command takes the text of the issue, as GitHub keeps it, as it is."""
    file.write_text(body, "utf-8", newline="\r\n")
    board_file = collected.folder / "board.toml"
    received = receive(file, load_boards(board_file), collected.folder, collected.folder)
    [one] = [one for one in collection_at(board_file).tries() if one.asked.writer == "white-fox"]
    received.path.unlink()
    assert one.asked.inputs == {"statement": "Short but not bad."}
    assert one.judged is not None


def test_without_scripts_the_page_says_what_it_would_do(collected: Collected, browser: Browser) -> None:
    """Who answers, who does not and why, and what becomes of it; nothing to press."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    board = collected.page.replace("collect/notes/", "")
    page.goto(f"{board}try/")
    page.get_by_role("link", name="Notes <b>").click()
    assert page.url == collected.page
    page.goto(board)
    page.get_by_role("link", name="Fool the models").click()
    expect(page.locator("noscript")).to_be_visible()
    expect(page.locator("main")).to_contain_text("Lines: it has no browser copy")
    expect(page.locator("main")).to_contain_text("on 500 of 500")
    expect(page.locator("main button:visible")).to_have_count(0)
    context.close()


def test_what_is_missing_for_a_page_is_named(collected: Collected, tmp_path: Path) -> None:
    """Without prompts there is no page, but a warning that names the file; with them there is one."""
    folder, site = collected.folder, tmp_path / "site"
    prompts = folder / "prompts.jsonl"
    kept = prompts.read_bytes()
    prompts.unlink()
    [warning] = build(folder / "board.toml", folder / "results", site).warnings
    assert f"notes has no page to collect for it: {prompts}: no such file" in warning
    assert not (site / "b" / "collect").exists()
    prompts.write_bytes(kept)
    assert build(folder / "board.toml", folder / "results", site).warnings == ()
    assert (site / "b" / "collect" / "notes" / "index.html").exists()
