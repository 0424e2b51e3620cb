"""What a build keeps of the last one: the site is the same as if all of it were made anew."""

from __future__ import annotations

import json
import os
import random
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from site_sample import write_world
from site_snapshots import freeze_board

from evaluator.records.result import Result
from site_src.generator import inputs, site
from site_src.generator.build import build
from site_src.generator.last_build import RECORD
from site_src.generator.pages.model_result import ResultView, TagPlaces, result_views
from site_src.generator.views.board import BoardView

PAGE = "sentiment/models/bert/index.html"
#: Of the same board, and of another one.
BESIDE = "sentiment/models/roberta/index.html"
OTHER = "perturbed/index.html"


def contents(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def results_of(world: Path) -> list[Path]:
    """The results of models, not what lies beside them."""
    found = [path for path in sorted((world / "results").glob("*/*/*.json")) if path.name.count(".") == 1]
    return [path for path in found if "snapshots" not in path.parts]


def edit_result(world: Path, chance: random.Random) -> None:
    """Another value of a score, so that ranks may change."""
    path = chance.choice(results_of(world))
    document = json.loads(path.read_bytes())
    for score in document.get("scores", {}).values():
        score["value"] = round(score["value"] * chance.uniform(0.9, 1.0), 4)
    path.write_text(json.dumps(document))


def remove_result(world: Path, chance: random.Random) -> None:
    chance.choice(results_of(world)).unlink()


def add_result(world: Path, chance: random.Random) -> None:
    """A model like another one, under an id of its own."""
    path = chance.choice(results_of(world))
    document = json.loads(path.read_bytes())
    name = f"late-{chance.randrange(10**6)}"
    if document["model"]["id"] != "human":
        document["model"] |= {"id": name, "label": f"Late {name}"}
        dropped = ("predictions", "suites", "measurement", "inputs", "failures", "batches")
        document = {key: value for key, value in document.items() if key not in dropped}
        document |= {"provenance": "reported", "source": {"citation": "Late 2026"}}
        path.with_name(f"{name}.json").write_text(json.dumps(document))


def edit_tags(world: Path, chance: random.Random) -> None:
    """Another name of a tag's value, which links of other models' pages lead to."""
    tagged = [path for path in results_of(world) if json.loads(path.read_bytes()).get("tags")]
    path = chance.choice(tagged or results_of(world))
    document = json.loads(path.read_bytes())
    for tag, values in document.get("tags", {}).items():
        document["tags"][tag] = {f"{value} {chance.randrange(9)}": one for value, one in values.items()}
    path.write_text(json.dumps(document))


def edit_people(world: Path, chance: random.Random) -> None:
    """Another number for people, which decides whether a dataset is solved."""
    for path in results_of(world):
        document = json.loads(path.read_bytes())
        if document["provenance"] == "human":
            for score in document["scores"].values():
                score["value"] = round(score["value"] * chance.uniform(0.5, 1.0), 4)
            path.write_text(json.dumps(document))


def rename_board(world: Path, chance: random.Random) -> None:
    path = world / "board.toml"
    title = f'title = "Sentiment number {chance.randrange(1000)}"'
    lines = [
        title if "Sentiment" in line and "title" in line else line for line in path.read_text().splitlines()
    ]
    path.write_text("\n".join(lines) + "\n")


def reweigh_board(world: Path, chance: random.Random) -> None:
    path = world / "board.toml"
    text = path.read_text().replace(
        'base = "perf"\n', f'base = "perf"\nweights = {{ perf = {chance.randint(1, 5)} }}\n', 1
    )
    if "weights = " not in path.read_text():
        path.write_text(text)


def freeze(world: Path, chance: random.Random) -> None:
    freeze_board(
        world / "board.toml", world / "results", "sentiment", at=1_800_000_000 + chance.randrange(10**6)
    )


def edit_template(world: Path, chance: random.Random) -> None:
    path = (
        world / "templates" / chance.choice(["base.html", "model.html", "model/results.html", "index.html"])
    )
    path.write_text(path.read_text() + f"<!-- {chance.randrange(10**6)} -->\n")


CHANGES: list[Callable[[Path, random.Random], None]] = [
    *(edit_result, remove_result, add_result, edit_tags, edit_people),
    *(rename_board, reweigh_board, freeze, edit_template),
]


@pytest.fixture
def own_templates(monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], None]:
    """Has the site made of the templates in a folder."""

    def use(folder: Path) -> None:
        for module in (inputs, site):
            monkeypatch.setattr(module, "templates_folder", lambda: folder)

    return use


@settings(max_examples=4, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(CHANGES), min_size=1, max_size=4), st.randoms(use_true_random=False))
def test_what_is_kept_is_what_would_be_made(
    own_templates: Callable[[Path], None],
    changes: list[Callable[[Path, random.Random], None]],
    chance: random.Random,
) -> None:
    """After any changes, one after the other, the site has the bytes of one that is made from nothing."""
    with tempfile.TemporaryDirectory() as scratch:
        world = Path(scratch)
        shutil.copytree(inputs.HERE.parent.parent / "templates", world / "templates")
        own_templates(world / "templates")
        boards, results = write_world(world)
        build(boards, results, world / "kept")
        for change in changes:
            change(world, chance)
            build(boards, results, world / "kept")
        build(boards, results, world / "anew")
        assert contents(world / "kept") == contents(world / "anew")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample world, built; tests that change it do so to a copy, whose files are as old."""
    folder = tmp_path_factory.mktemp("built")
    boards, results = write_world(folder)
    build(boards, results, folder / "build")
    return folder


@pytest.fixture
def world(built: Path, tmp_path: Path) -> Path:
    """The sample world, built, with one result changed after that."""
    shutil.copytree(built, tmp_path, dirs_exist_ok=True)
    path = next(path for path in results_of(tmp_path) if path.name == "bert.json")
    path.write_bytes(path.read_bytes() + b"\n")
    return tmp_path


def rebuilt(world: Path) -> dict[str, int]:
    """The site of a world built again: every file, and which inode it is."""
    build(world / "board.toml", world / "results", world / "build")
    site_folder = world / "build"
    return {
        p.relative_to(site_folder).as_posix(): p.stat().st_ino for p in site_folder.rglob("*") if p.is_file()
    }


def test_only_boards_that_depend_on_a_change_are_made_again(world: Path) -> None:
    """The pages of a board that does not have the changed result are the files they were."""
    before = {name: (world / "build" / name).stat().st_ino for name in (PAGE, OTHER)}
    after = rebuilt(world)
    assert after[OTHER] == before[OTHER]
    assert after[PAGE] != before[PAGE]


def test_what_other_models_pages_say_of_their_results_is_kept(
    world: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The board is ranked anew, but the sections of results are made for the changed model only."""
    made = []

    def noted(
        board: BoardView, results: dict[str, Result], places: dict[str, TagPlaces]
    ) -> tuple[ResultView, ...]:
        made.extend(result.model.id for result in results.values())
        return result_views(board, results, places)

    monkeypatch.setattr(site.model_result, "result_views", noted)
    rebuilt(world)
    assert set(made) == {"bert"}


@pytest.mark.parametrize("name", [OTHER, BESIDE])
def test_a_file_that_somebody_changed_is_made_again(world: Path, name: str) -> None:
    """Also where its size is the same; the board's other files are made with it."""
    page = world / "build" / name
    right, later = page.read_bytes(), (world / "build" / ".steelyard-site").stat().st_mtime_ns + 1
    page.write_bytes(right.replace(b"ov", b"vo"))
    assert page.read_bytes() != right
    os.utime(page, ns=(later, later))
    rebuilt(world)
    assert page.read_bytes() == right


def test_a_file_that_somebody_put_beside_the_pages_is_gone(world: Path) -> None:
    """A folder with a file that no build wrote is made again, as are those that a file was taken out of."""
    foreign, whole = world / "build" / "perturbed" / "models" / "notes.txt", set(contents(world / "build"))
    foreign.write_text("mine")
    later = (world / "build" / ".steelyard-site").stat().st_mtime_ns + 1
    os.utime(foreign.parent, ns=(later, later))
    assert set(rebuilt(world)) == whole


@pytest.mark.parametrize("damage", ["", "{}", "[]", '{"sha256": "x", "parts": {}}', "\x00"])
def test_a_record_that_is_no_record_is_not_believed(world: Path, damage: str) -> None:
    """Everything is made again then, as it would be without a record."""
    before = (world / "build" / OTHER).stat().st_ino
    (world / "build" / RECORD).write_text(damage)
    assert rebuilt(world)[OTHER] != before


def test_a_record_that_says_something_else_is_not_believed(world: Path) -> None:
    """What it says of a board would be on other pages."""
    record = world / "build" / RECORD
    record.write_text(record.read_text().replace("bert", "bart"))
    rebuilt(world)
    build(world / "board.toml", world / "results", world / "anew")
    assert contents(world / "build") == contents(world / "anew")


def test_a_build_that_fails_half_way_leaves_the_last_site_whole(
    world: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files that were taken over are still in their place, and the next build goes on from there."""
    before = contents(world / "build")
    monkeypatch.setattr(site.model_page, "model_view", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        rebuilt(world)
    assert contents(world / "build") == before
    monkeypatch.undo()
    assert OTHER in rebuilt(world)
