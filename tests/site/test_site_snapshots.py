"""Snapshots on the site: pages that stay as they are, those published long ago too, and pages about them that follow."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page, expect
from site_pages import becomes, open_board
from site_sample import write_crowd
from site_server import served, without_policy
from site_snapshots import NOTE, VARY, Frozen, freeze_board

from evaluator.publish.snapshots.differing import difference
from evaluator.publish.snapshots.repository import folder_of, load
from evaluator.publish.snapshots.scorers import file_hash
from evaluator.publish.snapshots.sources import Folder
from evaluator.publish.snapshots.verifying import verify, verify_all
from evaluator.rank import dynascore
from evaluator.rank.rank_sets import Certainty
from evaluator.rank.significance import set_words
from evaluator.records.errors import UserError
from evaluator.records.snapshot import Snapshot
from site_src.generator.build import build
from site_src.generator.formats import short_id
from site_src.generator.runtime import pinned


@pytest.fixture
def bare(browser: Browser) -> Iterator[Page]:
    """A page without scripts."""
    context = browser.new_context(java_script_enabled=False)
    yield context.new_page()
    context.close()


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def published(frozen: Frozen, site: Path) -> dict[str, bytes]:
    """The files of the results that are in the site."""
    return {name: (site / "snapshots" / name).read_bytes() for name in bytes_of(frozen.root)}


def shown_set(found: tuple[int, int] | None) -> str:
    """A rank set as pages write it, with a dash between numbers."""
    return set_words(found).replace("-", "–")


def test_a_page_is_whole_without_script(frozen: Frozen, frozen_url: str, bare: Page) -> None:
    """Every rank, score and number is in the page itself, with note, id and the scorer's hash."""
    bare.goto(f"{frozen_url}snapshots/{frozen.first.id}/")
    snapshot = frozen.first
    shown = {
        row.get_attribute("data-model"): [cell.strip() for cell in row.locator("td").all_inner_texts()]
        for row in bare.locator("#rows > tr").all()
    }
    assert len(shown) == 7
    sure = snapshot.certainty
    assert sure is not None
    assert any(found and found[0] < found[1] for found in sure.sets)
    for at, model in enumerate(snapshot.data.models):
        rank, score, *values = shown[model]
        assert rank.split() == [str(snapshot.ranking.ranks[at]), shown_set(sure.sets[at])]
        assert score == f"{snapshot.ranking.scores[at]:.2f}"
        assert values[0] == f"{snapshot.data.values['table-2']['perf'][at]:.2f}"
    text = bare.locator("main").inner_text()
    for said in (NOTE, snapshot.id, snapshot.scorer["dynascore.py"].removeprefix("sha256:"), snapshot.tool):
        assert said in text
    for model, found in zip(snapshot.data.models, sure.sets, strict=True):
        assert f"{snapshot.data.labels['models'][model]} {shown_set(found)}" in text
    assert bare.locator("#cite [data-format=bibtex]").is_visible()
    assert not bare.locator("#newer").is_visible()


def test_a_snapshot_is_weighed_anew_with_its_own_scorer(frozen: Frozen, frozen_url: str, page: Page) -> None:
    """The page's first ranking is the frozen one; other weights give what the scorer gives for its cells."""
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    open_board(page, f"{frozen_url}snapshots/{frozen.measured.id}/")
    becomes(page, lambda: ranks(page), frozen_ranks(frozen.measured))
    page.goto(f"{frozen_url}snapshots/{frozen.measured.id}/#v1;m=accuracy:1,throughput:0,memory:9")
    weights = {"accuracy": 1.0, "throughput": 0.0, "memory": 9.0}
    board = dynascore.Board.from_dict(frozen.measured.data.plain())
    rows = board.rank(weights, frozen.measured.weights.datasets).rows
    expected = {row.model: str(row.rank or "—") for row in rows}
    assert expected != frozen_ranks(frozen.measured)
    expect(page.locator("#weights-name")).to_have_text("custom")
    expect(page.locator("#column-weights [data-name=memory]:visible")).to_have_text("9")
    page.wait_for_function(
        "(expected) => [...document.querySelectorAll('#rows > tr')].every((row) => expected[row.dataset.model] === row.querySelector('.place').textContent)",
        arg=expected,
    )
    [scorer] = {url for url in asked if url.endswith("dynascore.py")}
    assert "/snapshots/assets/" in scorer
    assert not any(url.startswith(f"{frozen_url}{part}/") for url in asked for part in ("assets", "scorer"))


@pytest.mark.slow
def test_a_snapshots_rank_sets_follow_the_weights(frozen: Frozen, frozen_url: str, page: Page) -> None:
    """At its weights those of the record, at others those that its own file and scorers give."""
    first = frozen.first
    open_board(page, f"{frozen_url}snapshots/{first.id}/")
    assert first.certainty is not None
    recorded = dict(zip(first.data.models, map(shown_set, first.certainty.sets), strict=True))
    becomes(page, lambda: held(page), recorded)
    expect(page.locator("#certainty-words")).to_contain_text("Tie of ")
    page.goto(f"{frozen_url}snapshots/{first.id}/#v1;m=perf:0,throughput:0,memory:9,fairness:0,robustness:0")
    board = dynascore.Board.from_dict(first.data.plain())
    weights = {"memory": 9.0}
    sets = Certainty.from_dict(board, VARY).sets(dynascore.Question(weights, first.weights.datasets)).sets
    expected = dict(zip(first.data.models, map(shown_set, sets), strict=True))
    assert expected != recorded
    page.wait_for_function(
        "(expected) => [...document.querySelectorAll('#rows > tr')].every((row) => expected[row.dataset.model] === row.querySelector('.held')?.textContent)",
        arg=expected,
    )


def held(page: Page) -> dict[str, str]:
    rows = page.locator("#rows > tr").all()
    return {str(row.get_attribute("data-model")): row.locator(".held").inner_text() for row in rows}


def ranks(page: Page) -> dict[str, str]:
    rows = page.locator("#rows > tr").all()
    return {str(row.get_attribute("data-model")): row.locator(".place").inner_text() for row in rows}


def frozen_ranks(snapshot: Snapshot) -> dict[str, str]:
    return {
        model: str(rank or "—")
        for model, rank in zip(snapshot.data.models, snapshot.ranking.ranks, strict=True)
    }


@pytest.mark.slow
def test_an_old_page_says_quietly_that_there_is_a_newer_one(
    frozen: Frozen, frozen_url: str, page: Page
) -> None:
    """It counts those of its own board made since, and leads to the newest; the newest says nothing."""
    page.goto(f"{frozen_url}snapshots/{frozen.first.id}/")
    newer = page.locator("#newer")
    expect(newer).to_contain_text("the newest of 2 made since")
    newer.locator("a").click()
    expect(page).to_have_url(f"{frozen_url}snapshots/{frozen.later.id}/")
    expect(page.locator("#scorer-state")).to_have_text("on", timeout=60_000)
    expect(newer).to_be_hidden()


@pytest.mark.slow
def test_hostile_names_run_nothing(frozen: Frozen, page: Page, tmp_path: Path) -> None:
    """Names with markup stay text on the page of a snapshot and in the list, without the policy too."""
    page.set_viewport_size({"width": 320, "height": 800})
    with served(without_policy(frozen.site, tmp_path / "unguarded")) as address:
        open_board(page, f"{address}snapshots/{frozen.hostile.id}/")
        # A chart with all its controls: the one of a board of two metrics.
        expect(page.locator(".pointed select")).to_be_visible()
        for _ in range(2):
            assert page.evaluate("document.documentElement.scrollWidth") <= 320
            assert page.evaluate("window.hacked") is None
            page.goto(f"{address}snapshots/")


def test_a_build_copies_every_byte(frozen: Frozen) -> None:
    """A snapshot in the site has the same files as in the results, and can be verified there too."""
    assert published(frozen, frozen.site) == bytes_of(frozen.root)
    for snapshot in (frozen.first, frozen.later, frozen.hostile):
        found = verify(Folder(frozen.site / "snapshots" / snapshot.id))
        assert (found.problems, found.ranked) == ([], 1)


@pytest.mark.parametrize("name", ["index.html", "snapshot.json"])
def test_a_changed_snapshot_stops_the_build(frozen: Frozen, tmp_path: Path, name: str) -> None:
    """The file is named, and the site stays as it was."""
    results = Path(shutil.copytree(frozen.results, tmp_path / "results"))
    path = folder_of(results) / frozen.first.id / name
    path.write_bytes(path.read_bytes().replace(b"2", b"3", 1))
    with pytest.raises(UserError, match="was changed") as caught:
        build(frozen.boards, results, tmp_path / "build")
    assert str(path) in str(caught.value)
    assert not (tmp_path / "build").exists()


def test_the_python_of_a_site_is_verified(frozen: Frozen, tmp_path: Path) -> None:
    """A file of the runtime, changed and then gone, is named once with found and expected hash."""
    site = Path(shutil.copytree(frozen.site, tmp_path / "site"))
    name = "pyodide.asm.wasm"
    [path] = site.glob(f"runtime/*/{name}")
    path.write_bytes(path.read_bytes() + b"\n")
    [problem] = verify_all(site / "snapshots", pinned()).problems
    assert problem.file == str(path)
    assert all(hashed in problem.message for hashed in (file_hash(path.read_bytes()), *pinned()[name]))
    assert "build the site again" in problem.message
    path.unlink()
    [problem] = verify(Folder(site / "snapshots" / frozen.first.id), pinned()).problems
    assert str(problem) == f"{path}: is missing; build the site again"


@pytest.mark.slow
def test_the_list_has_every_snapshot_with_its_leader(frozen: Frozen, frozen_url: str, bare: Page) -> None:
    """By board, the newest first, with weights and note; boards without any say how to make one."""
    bare.goto(f"{frozen_url}snapshots/")
    section = bare.locator("section", has=bare.locator("h2#sentiment"))
    rows = section.locator(".all-snapshots tbody tr").all_inner_texts()
    ids = [short_id(snapshot.id) for snapshot in (frozen.later, frozen.changed, frozen.first)]
    assert [next(id_ for id_ in ids if id_ in row) for row in rows] == ids
    assert "DeBERTa" in rows[2]
    assert NOTE in rows[2]
    assert "Macro-F1 1, Memory 3" in rows[0]
    nothing = bare.locator("section", has=bare.locator("h2#nothing"))
    expect(nothing).to_contain_text("None yet.")


@pytest.mark.slow
def test_the_history_is_lines_and_a_table(frozen: Frozen, frozen_url: str, page: Page) -> None:
    """A line for each model that was ever ranked, ending in its newest rank and score; numbers in a table. None of a single snapshot."""
    page.goto(f"{frozen_url}snapshots/")
    section = page.locator("section", has=page.locator("h2#sentiment"))
    names = section.locator(".history g > title")
    expect(names).to_have_count(len(frozen.first.data.models))
    at = frozen.later.data.models.index("t5")
    rank, score = frozen.later.ranking.ranks[at], frozen.later.ranking.scores[at]
    texts = " ".join(section.locator(".history text").all_text_contents()).split()
    said = " ".join(text.strip("\u2068\u2069") for text in texts)
    assert f"{rank} T5 {score:.2f}" in said
    section.locator("summary", has_text="as a table").click()
    expect(section.locator("details tbody tr")).to_have_count(7)
    alone = page.locator("section", has=page.locator("h2#measured"))
    expect(alone).to_contain_text("1 snapshot")
    expect(alone.locator("figure")).to_have_count(0)


@pytest.mark.slow
def test_a_page_says_who_moved_and_why(frozen: Frozen, frozen_url: str, bare: Page) -> None:
    """Between two snapshots that follow one another, with the parts that `difference` finds."""
    bare.goto(f"{frozen_url}snapshots/diff/{frozen.first.id}..{frozen.changed.id}/")
    [t5] = [move for move in difference(frozen.first, frozen.changed).moves if move.model == "t5"]
    assert t5.scores is not None
    row = bare.locator(".steps-table tr", has=bare.get_by_role("rowheader", name="T5", exact=True))
    expect(row).to_contain_text(f"{t5.scores['results']:+.2f}".replace("-", "\u2212"))
    expect(bare.locator("main")).to_contain_text("79.500")


def test_a_shared_link_begins_with_the_verdict(frozen: Frozen) -> None:
    """Where sites show a link by what its page says, that is who leads, at the default weights."""
    page = (frozen.site / "sentiment" / "index.html").read_text()
    [said] = re.findall(r'<meta property="og:description" content="([^"]*)">', page)
    assert said.startswith("T5 leads at the default weights; how certain that is, is unknown. ")


def test_a_live_board_says_what_to_cite(frozen: Frozen) -> None:
    """It leads to its newest snapshot, and cites it; a board without any says that there is none."""
    page = (frozen.site / "sentiment" / "index.html").read_text()
    assert f'href="../snapshots/{frozen.later.id}/"' in page
    assert "This board has no snapshot yet" in (frozen.site / "rounds" / "index.html").read_text()


@pytest.mark.slow
def test_a_thousand_snapshots_of_fifty_models_cost_less_than_100_mb(tmp_path: Path) -> None:
    """As a disk counts, in blocks of 4096 bytes, one for the folder; what snapshots share is kept once."""
    boards, results = write_crowd(tmp_path, 50)
    one = freeze_board(boards, results, "sentiment", 1_800_000_000)
    root = folder_of(results)
    shared = bytes_of(root / "assets")
    two = freeze_board(boards, results, "sentiment", 1_800_000_060)
    assert bytes_of(root / "assets") == shared
    for snapshot in (one, two):
        sizes = [len(content) for content in bytes_of(root / snapshot.id).values()]
        assert 4096 * (1 + sum(-(-size // 4096) for size in sizes)) < 100_000
    assert verify_all(root).problems == []


ROOT = Path(__file__).parents[2]


PUBLISHED = ROOT / "results" / "snapshots"


#: The newest snapshot of each state of the scripts and styles that pages of snapshots share.
SNAPSHOTS = {
    re.search(r"\.\./assets/(\w+)/", path.read_text(encoding="utf-8"))[1]: path.parent.name  # type: ignore[index]
    for path in sorted(PUBLISHED.glob("*/index.html"))
}


#: Whether every row of the page has the rank that is expected of its model.
#: Of a long table only the rows in sight are in the page; spacers stand for the others.
RANKED_AS = """(expected) => {
  const rows = [...document.querySelectorAll("#rows > tr.line")];
  const ranked = (row) => expected[row.dataset.model] === row.querySelector(".place").textContent;
  return rows.length >= Math.min(5, Object.keys(expected).length) && rows.every(ranked);
}"""


@pytest.mark.slow
@pytest.mark.parametrize("snapshot", SNAPSHOTS.values())
def test_a_published_snapshot_opens_and_is_weighed_anew(page: Page, own_url: str, snapshot: str) -> None:
    """Its page shows the frozen ranks, and at other weights those that the scorer gives for its cells."""
    frozen = load(PUBLISHED, snapshot)
    open_board(page, f"{own_url}snapshots/{snapshot}/")
    models, ranks = frozen.data.models, frozen.ranking.ranks
    page.wait_for_function(RANKED_AS, arg=dict(zip(models, map(place, ranks), strict=True)))
    last = [metric["name"] for metric in frozen.data.plain()["metrics"]][-1]
    weights = {name: 5.0 if name == last else 0.0 for name in frozen.weights.metrics}
    rows = dynascore.Board.from_dict(frozen.data.plain()).rank(weights, frozen.weights.datasets).rows
    parts = ",".join(f"{quote(name, safe='')}:{weight:g}" for name, weight in weights.items())
    page.goto(f"{own_url}snapshots/{snapshot}/#v1;m={parts}")
    page.wait_for_function(RANKED_AS, arg={row.model: place(row.rank) for row in rows})


def place(rank: int | None) -> str:
    return "—" if rank is None else str(rank)
