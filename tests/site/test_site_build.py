"""The generator: complete, reproducible, careful with folders, readable without a browser."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from functools import partial
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from click.testing import CliRunner
from playwright.sync_api import Locator, Page, expect
from site_sample import PARITY, PROMPT, write_crowd, write_world
from site_snapshots import Frozen, write_frozen
from small_boards import small_board

from evaluator.cli import group, main
from evaluator.records.board import MetricSpec
from evaluator.records.errors import UserError
from site_src.generator import formats, parallel
from site_src.generator.build import build
from site_src.generator.distribution import cache_folder
from site_src.generator.table import ShownColumn


def contents(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_a_job_that_fails_in_another_process_fails_the_build(tmp_path: Path) -> None:
    """Its own error arrives, after jobs that went well wrote their files."""
    written = [partial((tmp_path / str(at)).touch) for at in range(3 * parallel.BLOCK)]
    parallel.run_all(written, processes=2)
    assert len(list(tmp_path.iterdir())) == 3 * parallel.BLOCK
    with pytest.raises(ZeroDivisionError):
        parallel.run_all([*written, lambda: print(1 / 0)], processes=2)


def test_a_folder_of_somebody_else_is_never_touched(tmp_path: Path) -> None:
    """Building over a folder without the marker is refused, and the folder stays as it is."""
    boards, results = write_world(tmp_path)
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "thesis.txt").write_text("ten years of work")
    with pytest.raises(UserError, match="was not made by a build"):
        build(boards, results, tmp_path / "home")
    assert contents(tmp_path / "home") == {"thesis.txt": b"ten years of work"}


def test_a_failed_build_leaves_the_old_site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The new site takes the old one's place only when it is complete."""
    boards, results = write_crowd(tmp_path, 3)
    output = tmp_path / "build"
    build(boards, results, output)
    before = contents(output)
    next(results.rglob("crowd-0001.json")).unlink()
    monkeypatch.setattr("site_src.generator.pages.model._result", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        build(boards, results, output)
    assert contents(output) == before
    assert sorted(p.name for p in tmp_path.iterdir()) == ["board.toml", "build", "results"]


def test_every_page_has_the_policy_and_nothing_inline_or_foreign(site_folder: Path) -> None:
    """No inline script, style or handler, and nothing is loaded from another origin."""
    pages = [path for path in site_folder.rglob("*.html") if path.name != "404.html"]
    assert len(pages) > 20
    for path in pages:
        html = path.read_text(encoding="utf-8")
        policy = "style-src" if path.parent.name == "embed" else "script-src 'self' 'wasm-unsafe-eval'"
        assert f"default-src 'none'; {policy}" in html
        assert '<meta name="referrer" content="no-referrer">' in html
        assert not re.search(r"<style|<[^>]+\s(style|on\w+)=", re.sub(r'"[^"]*"', '""', html)), path
        assert all(kind == "application/json" for kind in re.findall(r'<script type="([^"]*)" id', html))
        assert not re.search(r'(src|rel="(stylesheet|icon)" href)="(https?:)?//', html)


def test_a_model_page_shows_what_is_known_and_what_is_missing(site_folder: Path) -> None:
    """Card, noise verdict with its reasons, percentiles with intervals, refused percentiles, memory."""
    html = (site_folder / "measured/models/bert-small/index.html").read_text(encoding="utf-8")
    for words in (
        "The timing is suspect",
        "the host took 3.1 % of the CPU time",
        "14.2 ms to 15.9 ms",
        "too few requests to say",
        "Harness overhead",
        "61.0 µs",
        "0.498 GB",
        "While it was measured, the model saw no processes but its own, had no network,",
        "Missing: a file system of its own. The reason: mount: Operation not permitted.",
        '<dd class="missing" dir="auto">missing</dd>',
    ):
        assert words in html


def test_a_board_without_results_says_so(site_folder: Path) -> None:
    """The empty state is a page, without controls that could do nothing."""
    html = (site_folder / "nothing/index.html").read_text(encoding="utf-8")
    assert "No results yet." in html
    assert 'board.js"' not in html


def test_a_row_marks_a_suspect_timing_and_says_why(site_folder: Path) -> None:
    """The mark is text beside where the number is from; the metrics, the dataset and the reasons are below."""
    page = (site_folder / "measured" / "index.html").read_text(encoding="utf-8")
    [row] = re.findall(r'<tr role="row" data-model="vader".*?</tr>', page, flags=re.DOTALL)
    [reason] = re.findall(r'<span class="few-mark" title="(.*?)">suspect timing</span>', row)
    assert reason.startswith("throughput and memory on reviews: the host took 3.1 % of the CPU time")
    assert "throughput and memory on reviews: the host took 3.1 % of the CPU time; one pass is" in row
    document = json.loads((site_folder / "measured" / "board.json").read_text(encoding="utf-8"))
    [vader] = [model for model in document["models"] if model["id"] == "vader"]
    assert [line.split(": ")[1] for line in vader["suspect"]] == ["its timing is suspect"] * 2
    table = (site_folder / "sentiment" / "index.html").read_text(encoding="utf-8")
    assert "suspect timing" not in table


def test_a_stale_model_is_marked(tmp_path: Path) -> None:
    """Where a result's inputs changed, a notice above the table and the model's page say why and what to run, and
    so does the build; the row has a mark, and stays ranked."""
    table = '\n[[predictions]]\ndataset = "d"\npath = "m.csv"\nmodel = "m"\n'
    board, site = tmp_path / "board.toml", tmp_path / "site"
    board.write_text(small_board("accuracy") + table)
    (tmp_path / "d.tsv").write_text("What fun\tpositive\nHow sad\tnegative\n")
    (tmp_path / "m.csv").write_text("id,label\n0,positive\n1,positive\n")
    assert CliRunner().invoke(group, ["import", "--board", str(board)]).exit_code == 0
    assert not build(board, tmp_path / "results", site).warnings
    assert "stale" not in (site / "b/index.html").read_text()
    (tmp_path / "m.csv").write_text("id,label\n0,positive\n1,negative\n")
    why = "its file of predictions changed"
    assert build(board, tmp_path / "results", site).warnings == (
        f"m on d is stale: {why}; run steelyard import",
    )
    page = (site / "b/index.html").read_text()
    assert f'<li dir="auto">m is stale: {why}; run steelyard import.</li>' in page
    assert f'<span class="few-mark" title="{why}">stale</span>' in page
    [model] = json.loads((site / "b/board.json").read_text())["models"]
    assert model["rank"] == 1
    assert model["stale"] == [{"dataset": "d", "reasons": [why], "fix": "run steelyard import"}]
    assert f"Stale on D: {why}; run steelyard import" in (site / "b/models/m/index.html").read_text()


ROOT = Path(__file__).parents[2]


#: Everything that a build might wrongly go by. No text has an encoding there unless the code says so.
ELSEWHERE = {
    "LC_ALL": "C",
    "TZ": "Pacific/Kiritimati",
    "PYTHONHASHSEED": "77",
    "PYTHONUTF8": "0",
    "PYTHONCOERCECLOCALE": "0",
    "USER": "grace",
    "LOGNAME": "grace",
}


#: Builds, and says what that loads. Pages are made in the one process: what another one imports would not be seen.
BUILD = """
import atexit, json, sys
from pathlib import Path
from evaluator.cli import main
from site_src.generator import parallel
parallel.BLOCK = sys.maxsize
atexit.register(lambda: Path("loaded.json").write_text(json.dumps(list(sys.modules))))
main(["build"])
"""


@pytest.mark.slow
def test_two_builds_on_different_machines_are_identical_and_load_no_model(
    tmp_path: Path, frozen: Frozen
) -> None:
    """Folder, user, home, locale, encoding, time zone, hash seed, umask and number of cores leave no trace."""
    folder = tmp_path / "a far" / "place"
    folder.mkdir(parents=True)
    write_frozen(folder)
    (folder / "home").mkdir()
    kept = folder / "cache" / "steelyard"
    # What the cache has of the browser's Python takes a minute to make, and is checked by its own tests.
    shutil.copytree(cache_folder(), kept, ignore=shutil.ignore_patterns("social"))
    subprocess.run(
        [sys.executable, "-c", BUILD],
        check=True,
        cwd=folder,
        env={
            **os.environ,
            **ELSEWHERE,
            "HOME": str(folder / "home"),
            "XDG_CACHE_HOME": str(kept.parent),
            "PYTHONPATH": str(ROOT),
        },
        umask=0o077,
        preexec_fn=lambda: os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}),
        stdout=subprocess.DEVNULL,
    )
    first, second = contents(frozen.site), contents(folder / "build")
    assert {*first} == {*second}
    assert [name for name in first if first[name] != second[name]] == []
    assert {
        "sentiment/social.png",
        "sitemap.xml",
        "snapshots/feed.xml",
        "sentiment/board.json",
        "method/index.html",
    } < {*first}
    for name, content in second.items():
        assert str(tmp_path).encode() not in content, name
    modules = json.loads((folder / "loaded.json").read_text())
    assert {"site_src.generator.build", "site_src.generator.pages.docs"} < {*modules}
    packages = {".".join(name.split(".")[:size]) for name in modules for size in (1, 2)}
    assert not packages & {"torch", "transformers", "sklearn", "evaluator.measure"}


ADDRESSES = {"href", "src", "data-method", "data-models"}


#: A host serves the page for unknown addresses at any depth; `test_site_serve` follows its links.
ANYWHERE = "404.html"


#: Folders of the site that hold pages but are none: scripts complete their addresses.
FOLDERS = ("/models/",)


class ParsedPage(HTMLParser):
    """The ids and addresses of one page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.addresses: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id":
                self.ids.append(value or "")
            elif name in ADDRESSES:
                self.addresses.append(value or "")


def pages_of(site: Path) -> dict[Path, ParsedPage]:
    return {path: ParsedPage(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}


def target_of(page: Path, address: str) -> Path:
    """The file that an address on `page` leads to; a folder stands for its own page."""
    path = unquote(urlsplit(address).path)
    target = page if not path else page.parent / path
    return (target / "index.html" if target.is_dir() else target).resolve()


def test_every_address_leads_to_a_page_of_the_site_and_its_element(site_folder: Path) -> None:
    """Links, styles and scripts resolve, from every page, to files inside the site, and #id to the one such element."""
    site, checked = site_folder.resolve(), 0
    pages = pages_of(site)
    for path, page in pages.items():
        assert sorted(page.ids) == sorted(set(page.ids)), path
        for address in page.addresses if path.name != ANYWHERE else ():
            parts = urlsplit(address)
            if parts.scheme:
                continue
            assert not address.startswith("/"), (path, address)
            target = target_of(path, address)
            folder = address.endswith(FOLDERS) and target.parent.is_dir()
            assert folder or target.is_file(), (path, address)
            assert target.is_relative_to(site), (path, address)
            if parts.fragment and not parts.fragment.startswith("v1;"):
                assert unquote(parts.fragment) in pages[target].ids, (path, address)
            checked += 1
    assert checked > 1000


ROW = re.compile(r'<tr role="row" id="([a-z-]+)">.*?<span class="judged [a-z-]+">([a-z ]+)</span>', re.DOTALL)


def html_of(site_folder: Path, board: str) -> str:
    return (site_folder / board / "quality" / "index.html").read_text(encoding="utf-8")


def test_the_page_says_what_the_command_prints(site_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of every board, also one without results, all criteria are there in order, with the same verdicts."""
    world = site_folder.parent
    with pytest.raises(SystemExit):
        main(["check", "--board", str(world / "board.toml"), "--quality", "--json"])
    boards = json.loads(capsys.readouterr().out)["boards"]
    assert {"sentiment", "rounds", "nothing", "hostile"} <= boards.keys()
    for board, document in boards.items():
        expected = [(row["id"], row["verdict"]) for row in document["criteria"]]
        assert ROW.findall(html_of(site_folder, board)) == expected
    people = {row["id"]: row for row in boards["rounds"]["criteria"]}["people"]
    assert people["verdict"] == "proven"
    assert people["evidence"]["links"][0]["address"] == "rounds/datasets/round-1/"


def test_names_stay_text(site_folder: Path) -> None:
    """A metric whose label is markup is named in the evidence of bounds, escaped."""
    html = html_of(site_folder, "hostile")
    assert "<script>window.hacked" not in html
    assert "&lt;script&gt;window.hacked=1&lt;/script&gt;: unknown" in html


BERT, RTL, TFIDF = (f"measured/models/{name}/" for name in ("bert-small", "rtl", "tfidf"))


def folded(page: Page, address: str, summary: str) -> Locator:
    """The first details of a page with that summary, opened as a visitor does."""
    page.goto(address)
    found = page.locator("details", has=page.locator("summary", has_text=re.compile(f"^{summary}$"))).first
    assert found.evaluate("element => element.open") is False
    found.locator("summary").click()
    return found


@pytest.mark.slow
def test_a_prompt_is_shown_with_all_that_decides_the_answer(page: Page, site_url: str) -> None:
    """Template, instruction, words, scoring and examples, line for line, behind a closed line."""
    prompt = folded(page, site_url + BERT, "Prompt")
    said = prompt.inner_text()
    for text in (
        "the highest log-likelihood after the prompt, divided by the number of their tokens",
        "none: the prompt is plain text",
        "2, drawn from reviews-train with seed 7; none of them is in this dataset",
        '"\\n\\n"',
        "Say how each review is meant.",
        "we loved it",
        f"sha256:{'7a' * 32}",
    ):
        assert text in said
    template = prompt.get_by_text("Review: {{ statement }}")
    assert template.inner_text() == PROMPT["template"]
    expect(template).to_have_css("white-space-collapse", "preserve")
    expect(prompt.get_by_text("dull, simply dull.")).to_have_attribute("tabindex", "0")


@pytest.mark.slow
def test_how_an_exported_model_compares_is_shown(page: Page, site_url: str) -> None:
    """Of an exported model the page says how often both gave the same label, and how far they were apart."""
    said = folded(page, site_url + TFIDF, "Provenance").inner_text()
    assert "on 1199 of 1200 texts of reviews-train" in said
    assert "1.2e-06" in said
    assert PARITY["source"] in said


@pytest.mark.parametrize(
    ("nanoseconds", "text"),
    [(2.4e6, "2.40 ms"), (240e6, "240 ms"), (61e3, "61.0 µs"), (1.5e12, "1500 s"), (7, "7 ns")],
)
def test_durations_keep_three_digits(nanoseconds: float, text: str) -> None:
    """A duration has three significant digits in a unit that fits."""
    assert formats.duration(nanoseconds) == text


@pytest.mark.parametrize(
    ("text", "link"),
    [
        ("https://example.org/a", True),
        ("http://example.org/", False),
        ("javascript:alert(1)", False),
        ("HTTPS://example.org", False),
        ("https://example.org/ and more", False),
    ],
)
def test_only_https_addresses_are_links(text: str, link: bool) -> None:
    """Anything else in place of a link is shown as plain text."""
    assert formats.is_link(text) is link


@pytest.mark.parametrize(
    ("unit", "one"),
    [
        ("%", "1 point"),
        ("characters", "1 character"),
        ("USD", "1 USD"),
        ("ms", "1 ms"),
        ("examples/s", "1 examples/s"),
        ("", "1"),
    ],
)
def test_one_unit_is_said_in_the_singular(unit: str, one: str) -> None:
    """As in "1 character of Mean length is worth": a word loses its plural, other units stay as they are."""
    assert ShownColumn(MetricSpec(name="length", label="Length", unit=unit), 1).one == one
