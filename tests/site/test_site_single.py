"""A board as one file: it ranks anew where it was opened from disk, and fetches nothing."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from site_pages import open_board, shows, type_weight, uncomplaining
from site_sample import write_world
from site_snapshots import SITE, Frozen

from evaluator.rank.significance import set_words
from evaluator.records.board import load_boards
from site_src.generator.build import build_single

ROOT = Path(__file__).parents[2]
Run = Callable[..., tuple[int, str, str]]
#: Every address that a browser follows or fetches by itself, but those within the page.
ADDRESSES = re.compile(r'(?:\b(?:src|href|srcset|action)=|url\()"(?!#)([^"]*)')


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The measured board of this repository, in a folder whose name is nobody's business."""
    file = tmp_path_factory.mktemp("at home") / "SST-2, 100 %.html"
    boards = load_boards(ROOT / "board.toml")
    [board] = [board for board in boards.boards if board.id == "sst-2"]
    built = build_single(ROOT / "board.toml", board, ROOT / "results", file)
    assert (built.files, built.size) == (1, file.stat().st_size)
    return file


def test_it_holds_all_that_it_shows_and_is_of_a_size_to_send(report: Path) -> None:
    """Python, its library, the scripts and the numbers; no address leads out of it but those of sources."""
    page = report.read_text(encoding="utf-8")
    assert 5e6 < len(page) < 12e6
    addresses = {html.unescape(found).partition(":")[0] for found in ADDRESSES.findall(page)}
    assert addresses == {"data", "https"}
    assert "asset:" not in page
    assert "nowhere:" not in page
    assert "46 criteria" not in page
    assert "connect-src" not in page
    assert "default-src 'none'" in page


def test_it_is_the_same_again(report: Path, run: Run, tmp_path: Path) -> None:
    """The same inputs make the same bytes, also by the command."""
    again = tmp_path / "new" / "report.html"
    code, out, err = run("build", "sst-2", "--single", again, "--board", ROOT / "board.toml", "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)["output"] == str(again)
    assert again.read_bytes() == report.read_bytes()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--single", "x.html"],
            "which board? One file holds one; name it before --single: sentiment, measured",
        ),
        (["sentimnt", "--single", "x.html"], "did you mean sentiment?"),
        (["sentiment"], "a site has all boards; leave it out, or add --single FILE"),
        (["sentiment", "--single", "x.html", "--output", "y"], "--output: is for a site"),
    ],
)
def test_a_call_that_makes_no_sense_says_what_to_change(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    write_world(tmp_path)
    monkeypatch.chdir(tmp_path)
    code, _, err = run("build", *arguments)
    assert code == 2
    assert message in " ".join(err.split())
    assert not (tmp_path / "x.html").exists()


def test_a_board_without_results_is_refused(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is nothing to weigh."""
    write_world(tmp_path)
    monkeypatch.chdir(tmp_path)
    code, _, err = run("build", "nothing", "--single", "x.html")
    assert code != 0
    assert "nothing: has no results, so there is nothing to weigh; evaluate or import some first" in err
    assert not (tmp_path / "x.html").exists()


def test_its_links_lead_to_the_published_site(frozen: Frozen, tmp_path: Path) -> None:
    """Where the board file says where that is, full addresses stand in them, the newest snapshot's too."""
    boards = load_boards(frozen.boards)
    [board] = [board for board in boards.boards if board.id == "sentiment"]
    file = tmp_path / "report.html"
    build_single(frozen.boards, board, frozen.results, file)
    page = file.read_text(encoding="utf-8")
    links = re.findall(r'<a [^>]*href="([^"#][^"]*)"', page)
    own = [link.removeprefix(SITE) for link in links if link.startswith(SITE)]
    for address in own:
        assert (frozen.site / address.partition("#")[0] / "index.html").is_file(), address
    assert {"sentiment/", "sentiment/models/deberta/", "method/rank-sets/"} <= {*own}
    assert all(link.startswith("https://") for link in links)
    assert f'"path":"{SITE}snapshots/20270117T080000Z-' in page


@pytest.mark.slow
def test_opened_from_disk_it_ranks_as_the_terminal_does(browser: Browser, report: Path, run: Run) -> None:
    """Ranks and rank sets follow a weight and stay in the address; nothing is fetched."""
    weights = ["accuracy=4", "throughput=5", "memory=1", "fairness=1", "robustness=1"]
    options = [word for weight in weights for word in ("--weight", weight)]
    code, out, _ = run("rank", "sst-2", "--board", ROOT / "board.toml", *options, "--json")
    assert code == 0
    ranked = json.loads(out)["models"]
    labels = {model.id: model.label for model in load_boards(ROOT / "board.toml").models}
    order = [labels[row["model"]] for row in ranked]
    context = browser.new_context(viewport={"width": 1440, "height": 900}, accept_downloads=True)
    with uncomplaining(context.new_page()) as page:
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        open_board(page, report.as_uri())
        before = page.locator("#rows .held").all_text_contents()
        expect(page.locator("#file-note")).to_be_hidden()
        type_weight(page, "#metric-throughput", "5")
        shows(page, order)
        sets = [set_words(tuple(row["rank_set"])).replace("-", "–") for row in ranked]
        expect(page.locator("#rows .held")).to_have_text(sets)
        assert sets != before
        page.reload()
        expect(page.locator("#scorer-state")).to_have_attribute("data-state", "ready", timeout=60_000)
        shows(page, order)
        assert {url.partition("#")[0] for url in asked if not url.startswith("data:")} == {report.as_uri()}
        _exported_without_folders(page, report)
    context.close()


def _exported_without_folders(page: Page, report: Path) -> None:
    """What leaves the page names the file, and not where its reader keeps it."""
    page.locator("#export-menu > summary").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download as JSON").click()
    text = Path(download.value.path()).read_text(encoding="utf-8")
    assert f"{report.name}#v1;m=accuracy:4,throughput:5" in text
    assert "file:" not in text
    assert "at home" not in text


@pytest.mark.slow
def test_its_policy_keeps_strangers_from_running(browser: Browser, report: Path, tmp_path: Path) -> None:
    """Were a name from results to get into the page as markup, it would not run; and nothing can be sent."""
    markup = "<script>window.hacked = 1</script><script src='data:text/javascript,window.hacked=1'></script>"
    copy = tmp_path / "copy.html"
    copy.write_text(report.read_text(encoding="utf-8").replace("</main>", f"{markup}</main>", 1), "utf-8")
    context = browser.new_context()
    page = context.new_page()
    open_board(page, copy.as_uri())
    assert page.evaluate("window.hacked") is None
    [worker] = page.workers
    for place in (page, worker):
        assert place.evaluate(ATTEMPTS) == ["script-src", "connect-src"]
    context.close()


#: Runs a text as code and sends a request; says which parts of the policy refused it. Later, as what a debugger runs
#: itself may do more.
ATTEMPTS = """() => new Promise((resolve) => {
  const refused = [];
  self.addEventListener("securitypolicyviolation", (event) => refused.push(event.effectiveDirective));
  setTimeout(() => {
    const request = new XMLHttpRequest();
    try { eval("self.hacked = 1"); } catch {}
    try { request.open("GET", "https://example.org/"); request.send(); } catch {}
  });
  setTimeout(() => resolve(self.hacked ? ["hacked"] : refused), 500);
})"""
