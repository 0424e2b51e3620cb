"""Snapshots on the site: pages that stay as they are, and pages about them that follow."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect
from site_sample import write_crowd, write_world
from site_server import served, without_policy
from site_snapshots import freeze_board
from test_site_accessibility import findings
from test_site_links import pages_of, target_of
from varying import varying

from evaluator.cli import reference
from evaluator.publish.snapshots import difference, folder_of, verify, verify_all
from evaluator.publish.snapshots.scorers import file_hash
from evaluator.publish.snapshots.sources import Folder
from evaluator.rank import dynascore
from evaluator.rank.rank_sets import Certainty
from evaluator.rank.significance import set_words
from evaluator.records.errors import UserError
from evaluator.records.snapshot import Snapshot
from site_src.generator.build import build
from site_src.generator.formats import short_id
from site_src.generator.pages.snapshots import history_of
from site_src.generator.runtime import pinned

VARY = {
    "table-2": varying(7, ["perf"], ["throughput", "memory"], ["fairness", "robustness"]),
}
NOTE = "As in <b>our</b> paper"


@dataclass(frozen=True)
class World:
    """Results with snapshots, and the site built of them."""

    boards: Path
    results: Path
    site: Path
    first: Snapshot
    weighed: Snapshot
    later: Snapshot
    measured: Snapshot
    hostile: Snapshot

    @property
    def root(self) -> Path:
        return folder_of(self.results)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    """Three snapshots of one board, between which weights, a result and the models changed; and two others."""
    folder = tmp_path_factory.mktemp("frozen")
    boards, results = write_world(folder)
    first = freeze_board(boards, results, "sentiment", 1_800_000_000, note=NOTE, vary=VARY)
    weighed = freeze_board(boards, results, "sentiment", 1_800_086_400, {"perf": 1, "memory": 3}, vary=VARY)
    measured = freeze_board(boards, results, "measured", 1_800_086_400)
    hostile = freeze_board(boards, results, "hostile", 1_800_086_400)
    path = results / "sentiment" / "table-2" / "t5.json"
    document = json.loads(path.read_text())
    document["scores"]["perf"]["value"] = 79.5
    path.write_text(json.dumps(document))
    (results / "sentiment" / "table-2" / "bert.json").unlink()
    later = freeze_board(boards, results, "sentiment", 1_800_172_800)
    build(boards, results, folder / "build", reference=reference.pages())
    return World(boards, results, folder / "build", first, weighed, later, measured, hostile)


@pytest.fixture(scope="module")
def address(world: World) -> Iterator[str]:
    """Where the site with the snapshots is served; ends in a slash."""
    with served(world.site) as found:
        yield found


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


def published(world: World, site: Path) -> dict[str, bytes]:
    """The files of the results that are in the site."""
    return {name: (site / "snapshots" / name).read_bytes() for name in bytes_of(world.root)}


def shown_set(found: tuple[int, int] | None) -> str:
    """A rank set as pages write it, with a dash between numbers."""
    return set_words(found).replace("-", "–")


def test_a_page_is_whole_without_script(world: World, address: str, bare: Page) -> None:
    """Every rank, score and number is in the page itself, with note, id and the scorer's hash."""
    bare.goto(f"{address}snapshots/{world.first.id}/")
    snapshot = world.first
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


def test_a_snapshot_is_weighed_anew_with_its_own_scorer(world: World, address: str, page: Page) -> None:
    """The page's first ranking is the frozen one; other weights give what the scorer gives for its cells."""
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{address}snapshots/{world.measured.id}/")
    expect(page.locator("#scorer-state")).to_have_text("ready", timeout=60_000)
    assert ranks(page) == frozen_ranks(world.measured)
    page.goto(f"{address}snapshots/{world.measured.id}/#v1;m=accuracy:1,throughput:0,memory:9")
    weights = {"accuracy": 1.0, "throughput": 0.0, "memory": 9.0}
    board = dynascore.Board.from_dict(world.measured.data.plain())
    rows = board.rank(weights, world.measured.weights.datasets).rows
    expected = {row.model: str(row.rank or "—") for row in rows}
    assert expected != frozen_ranks(world.measured)
    expect(page.locator("#weights-name")).to_have_text("custom")
    page.wait_for_function(
        "(expected) => [...document.querySelectorAll('#rows > tr')].every((row) => expected[row.dataset.model] === row.querySelector('.place').textContent)",
        arg=expected,
    )
    [scorer] = {url for url in asked if url.endswith("dynascore.py")}
    assert "/snapshots/assets/" in scorer
    assert not any(url.startswith(f"{address}{part}/") for url in asked for part in ("assets", "scorer"))


@pytest.mark.slow
def test_a_snapshots_rank_sets_follow_the_weights(world: World, address: str, page: Page) -> None:
    """At its weights those of the record, at others those that its own file and scorers give."""
    first = world.first
    page.goto(f"{address}snapshots/{first.id}/")
    expect(page.locator("#scorer-state")).to_have_text("ready", timeout=60_000)
    assert first.certainty is not None
    recorded = dict(zip(first.data.models, map(shown_set, first.certainty.sets), strict=True))
    assert held(page) == recorded
    expect(page.locator("#certainty-words")).to_contain_text("Dead heat with the leader")
    page.goto(f"{address}snapshots/{first.id}/#v1;m=perf:0,throughput:0,memory:9,fairness:0,robustness:0")
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
def test_a_fragment_is_one_exact_view(world: World, address: str, page: Page) -> None:
    """Weights, order and explained model of an address come back, on the page of the snapshot."""
    page.goto(f"{address}snapshots/{world.first.id}/#v1;m=perf:0,memory:5;s=memory:up;w=albert;p=t5")
    expect(page.locator("#scorer-state")).to_have_text("ready", timeout=60_000)
    expect(page.locator("#metric-memory")).to_have_value("5")
    expect(page.locator("#why-formula")).to_contain_text("ALBERT")
    expect(page.locator("#pinned tr").first).to_contain_text("T5")
    first = page.locator("#rows > tr").first
    expect(first).to_have_attribute("data-model", "majority")


@pytest.mark.slow
def test_an_old_page_says_quietly_that_there_is_a_newer_one(world: World, address: str, page: Page) -> None:
    """It counts those of its own board made since, and leads to the newest; the newest says nothing."""
    page.goto(f"{address}snapshots/{world.first.id}/")
    newer = page.locator("#newer")
    expect(newer).to_contain_text("the newest of 2 made since")
    newer.locator("a").click()
    expect(page).to_have_url(f"{address}snapshots/{world.later.id}/")
    expect(page.locator("#scorer-state")).to_have_text("ready", timeout=60_000)
    expect(newer).to_be_hidden()


@pytest.mark.slow
def test_a_page_without_its_record_stays_as_it_is(world: World, address: str, page: Page) -> None:
    """Where a file that the script needs is missing, the page says so and keeps its ranking."""
    page.route("**/snapshot.json", lambda route: route.fulfill(status=404))
    page.goto(f"{address}snapshots/{world.first.id}/")
    expect(page.locator("#problem")).to_contain_text("snapshot.json answers 404")
    expect(page.locator("#scorer-state")).to_have_text("not available")
    assert page.locator("#rows > tr").count() == 7


@pytest.mark.slow
@pytest.mark.parametrize("guarded", [True, False], ids=["policy", "no-policy"])
def test_hostile_names_run_nothing(world: World, page: Page, tmp_path: Path, guarded: bool) -> None:
    """Names with markup stay text on the page of a snapshot and in the list, with the policy and without."""
    page.set_viewport_size({"width": 320, "height": 800})
    with served(world.site if guarded else without_policy(world.site, tmp_path / "unguarded")) as address:
        page.goto(f"{address}snapshots/{world.hostile.id}/")
        expect(page.locator("#scorer-state")).to_have_text("ready", timeout=60_000)
        assert page.evaluate("document.documentElement.scrollWidth") <= 320
        assert page.evaluate("window.hacked") is None
        page.goto(f"{address}snapshots/")
        assert page.evaluate("document.documentElement.scrollWidth") <= 320
        assert page.evaluate("window.hacked") is None


def test_a_build_copies_every_byte(world: World) -> None:
    """A snapshot in the site has the same files as in the results, and can be verified there too."""
    assert published(world, world.site) == bytes_of(world.root)
    for snapshot in (world.first, world.later, world.hostile):
        found = verify(Folder(world.site / "snapshots" / snapshot.id))
        assert (found.problems, found.ranked) == ([], 1)


@pytest.mark.parametrize("name", ["index.html", "snapshot.json", "manifest.json", "citation.ris"])
def test_a_changed_snapshot_stops_the_build(world: World, tmp_path: Path, name: str) -> None:
    """The file is named, and the site stays as it was."""
    results = Path(shutil.copytree(world.results, tmp_path / "results"))
    path = folder_of(results) / world.first.id / name
    path.write_bytes(path.read_bytes().replace(b"2", b"3", 1))
    with pytest.raises(UserError, match="was changed") as caught:
        build(world.boards, results, tmp_path / "build")
    assert str(path) in str(caught.value)
    assert not (tmp_path / "build").exists()


def add_folder(folder: Path) -> None:
    (folder / "nothing").mkdir()


def link_folder(folder: Path) -> None:
    folder.rename(folder.parents[2] / "kept")
    folder.symlink_to(folder.parents[2] / "kept")


@pytest.mark.parametrize("tamper", [add_folder, link_folder])
def test_what_no_hash_shows_stops_the_build(
    world: World, tmp_path: Path, tamper: Callable[[Path], None]
) -> None:
    """An empty folder, a snapshot's folder that is a link: named, and nothing is built."""
    results = Path(shutil.copytree(world.results, tmp_path / "results"))
    tamper(folder_of(results) / world.first.id)
    with pytest.raises(UserError, match=world.first.id):
        build(world.boards, results, tmp_path / "build")
    assert not (tmp_path / "build").exists()


def test_the_snapshots_of_a_site_are_verified(world: World) -> None:
    """On an untouched site nothing is wrong, with its list, feed and comparisons, which are not covered."""
    found = verify_all(world.site / "snapshots", pinned())
    assert (found.problems, found.snapshots, found.ranked) == ([], 5, 5)
    assert found.not_covered == [
        "pages about snapshots (index.html, feed.xml, diff/), which every build makes again"
    ]
    assert (world.site / "snapshots" / "diff").is_dir()


@pytest.mark.parametrize("name", ["other.html", "diff/index.html", "diff/a..b/index.html", "diff/empty/"])
def test_what_no_build_makes_is_found_among_a_sites_snapshots(
    world: World, tmp_path: Path, name: str
) -> None:
    """Beside the pages about snapshots there is nothing, and no comparison of snapshots that do not exist."""
    site = Path(shutil.copytree(world.site, tmp_path / "site"))
    path = site / "snapshots" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.mkdir() if name.endswith("/") else path.write_text("x")
    [problem] = verify_all(site / "snapshots", rank=False).problems
    assert problem.file.rstrip("/") == str(path)


@pytest.mark.parametrize("name", sorted(pinned()))
def test_the_python_of_a_site_is_verified(world: World, tmp_path: Path, name: str) -> None:
    """Each file of the runtime, changed and then gone, is named once with found and expected hash."""
    site = Path(shutil.copytree(world.site, tmp_path / "site"))
    [path] = site.glob(f"runtime/*/{name}")
    path.write_bytes(path.read_bytes() + b"\n")
    [problem] = verify_all(site / "snapshots", pinned()).problems
    assert problem.file == str(path)
    assert all(hashed in problem.message for hashed in (file_hash(path.read_bytes()), *pinned()[name]))
    assert "build the site again" in problem.message
    path.unlink()
    [problem] = verify(Folder(site / "snapshots" / world.first.id), pinned()).problems
    assert str(problem) == f"{path}: is missing; build the site again"


def test_a_newer_runtime_is_known_to_a_newer_program(world: World, tmp_path: Path) -> None:
    """A site that was built again with another Python is right for the program that pins that one."""
    site = Path(shutil.copytree(world.site, tmp_path / "site"))
    [path] = site.glob("runtime/*/pyodide.mjs")
    path.write_bytes(path.read_bytes() + b"// newer\n")
    known = {**pinned(), "pyodide.mjs": (file_hash(path.read_bytes()),)}
    assert verify_all(site / "snapshots", known).problems == []


def test_a_site_that_does_not_say_where_python_is(world: World, tmp_path: Path) -> None:
    """Its snapshots' pages cannot be weighed anew, and the file that should say it is named."""
    site = Path(shutil.copytree(world.site, tmp_path / "site"))
    path = site / "runtime" / "current.json"
    for content in ("", '{"runtime": "../elsewhere/"}', "[]"):
        path.write_text(content)
        [problem] = verify_all(site / "snapshots", pinned()).problems
        assert (problem.file, "build the site again" in problem.message) == (str(path), True)


def test_every_address_on_the_pages_leads_somewhere(world: World) -> None:
    """Links, styles and scripts of snapshots and of the pages about them resolve to files of the site."""
    checked = 0
    for path, page in pages_of(world.site).items():
        if "snapshots" not in path.relative_to(world.site).parts or path.name == "controls.html":
            continue
        for address in page.addresses:
            if not urlsplit(address).scheme:
                assert target_of(path, address).is_file(), (path, address)
                checked += 1
        assert sorted(page.ids) == sorted(set(page.ids)), path
    assert checked > 100


@pytest.mark.slow
def test_the_list_has_every_snapshot_with_its_leader(world: World, address: str, bare: Page) -> None:
    """By board, the newest first, with weights and note; boards without any say how to make one."""
    bare.goto(f"{address}snapshots/")
    section = bare.locator("section", has=bare.locator("h2#sentiment"))
    rows = section.locator(".all-snapshots tbody tr").all_inner_texts()
    ids = [short_id(snapshot.id) for snapshot in (world.later, world.weighed, world.first)]
    assert [next(id_ for id_ in ids if id_ in row) for row in rows] == ids
    assert "DeBERTa" in rows[2]
    assert NOTE in rows[2]
    assert "Macro-F1 1, Memory 3" in rows[1]
    nothing = bare.locator("section", has=bare.locator("h2#nothing"))
    expect(nothing).to_contain_text("None yet.")


@pytest.mark.slow
def test_the_history_is_lines_and_a_table(world: World, address: str, page: Page) -> None:
    """A line for each model that was ever ranked, ending in its newest rank and score; numbers in a table."""
    page.goto(f"{address}snapshots/")
    section = page.locator("section", has=page.locator("h2#sentiment"))
    names = section.locator(".history g > title")
    assert names.count() == len(world.first.data.models) == 7
    at = world.later.data.models.index("t5")
    rank, score = world.later.ranking.ranks[at], world.later.ranking.scores[at]
    texts = " ".join(section.locator(".history text").all_text_contents()).split()
    said = " ".join(text.strip("\u2068\u2069") for text in texts)
    assert f"{rank} T5 {score:.2f}" in said
    section.locator("summary", has_text="as a table").click()
    expect(section.locator("details tbody tr")).to_have_count(7)
    alone = page.locator("section", has=page.locator("h2#measured"))
    expect(alone).to_contain_text("the lines begin with the next one")


@pytest.mark.slow
def test_a_page_says_who_moved_and_why(world: World, address: str, bare: Page) -> None:
    """Between two snapshots that follow one another, with the parts that `difference` finds."""
    bare.goto(f"{address}snapshots/diff/{world.weighed.id}..{world.later.id}/")
    found = difference(world.weighed, world.later)
    rows = {
        row.locator("th").inner_text(): row.inner_text()
        for row in bare.locator(".steps-table tbody tr").all()
    }
    assert len(rows) == len(found.moves) == 7
    assert rows["BERT"].split()[-1] == "left"
    [t5] = [move for move in found.moves if move.model == "t5"]
    assert t5.scores is not None
    assert f"{t5.scores['results']:+.2f}".replace("-", "\u2212") in rows["T5"]
    text = bare.locator("main").inner_text()
    assert "Models that left: BERT" in text
    assert "79.500" in text


def test_a_live_board_says_what_to_cite(world: World) -> None:
    """It leads to its newest snapshot, and cites it; a board without any says that there is none."""
    page = (world.site / "sentiment" / "index.html").read_text()
    assert f'href="../snapshots/{world.later.id}/"' in page
    assert "This board has no snapshot yet" in (world.site / "rounds" / "index.html").read_text()


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


def test_a_history_of_many_snapshots_shows_the_newest(world: World) -> None:
    """A model that was not ranked has no number there, and only the newest snapshots are shown."""
    from evaluator.publish.snapshots import Point

    ids = [f"20260101T0000{at:02}Z-00000000" for at in range(40)]
    points = {
        "a": [Point(id_, "2026-01-01T00:00:00Z", 1, 2.0) for id_ in ids],
        "b": [Point(id_, "2026-01-01T00:00:00Z", None if id_ == ids[30] else 1, 2.0) for id_ in ids],
        "never": [Point(id_, "2026-01-01T00:00:00Z", None, None) for id_ in ids],
    }
    history = history_of(points, ids, {"a": "A"})
    assert (len(history.columns), history.left_out, history.lines) == (24, 16, 2)
    ranked = {label: sum(rank is not None for rank, _, _ in cells) for label, cells in history.rows}
    assert ranked == {"A": 24, "b": 23, "never": 0}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["list", "page", "hostile page", "changes"])
def test_axe_finds_nothing(world: World, address: str, page: Page, kind: str) -> None:
    """Everybody can use the pages of snapshots and those about them, light and dark, wide and narrow."""
    paths = {
        "list": "",
        "page": f"{world.measured.id}/",
        "hostile page": f"{world.hostile.id}/",
        "changes": f"diff/{world.weighed.id}..{world.later.id}/",
    }
    said = findings(page, f"{address}snapshots/{paths[kind]}")
    assert not said, "\n".join(said)
