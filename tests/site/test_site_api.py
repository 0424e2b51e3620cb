"""A published site opened in Python: over HTTP, with the numbers of the board file that it was built from."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas
import pytest
from site_server import served

from evaluator import Leaderboard, OpenBoard
from evaluator.records.board import load_boards
from evaluator.records.errors import UserError


@pytest.fixture(scope="module")
def address(own_site: Path) -> Iterator[str]:
    """Where `steelyard serve` says that the site is."""
    command = [sys.executable, "-m", "evaluator.cli", "serve", str(own_site / "build"), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        yield next(found[0] for line in process.stdout if (found := re.search(r"http://\S+/", line)))
        process.terminate()


@pytest.fixture(params=["sst-2", "xquad-en", "sentiment"])
def both(request: pytest.FixtureRequest, own_site: Path, address: str) -> tuple[OpenBoard, OpenBoard]:
    """A board from its site, and the same from its files."""
    return (
        Leaderboard.open(address).board(request.param),
        Leaderboard.open(own_site / "board.toml").board(request.param),
    )


def compared(document: dict[str, Any]) -> dict[str, Any]:
    """A ranking without what a site says in its own words: of doubts, and why rank sets are unknown."""
    for row in document["models"]:
        del row["suspect"], row["reasons"], row["rank_set_unknown"]
    return json.loads(json.dumps(document))


@pytest.mark.parametrize("weights", [None, "preset", "first"])
def test_a_site_ranks_as_its_files_do(both: tuple[OpenBoard, OpenBoard], weights: str | None) -> None:
    """Ranks, scores, rank sets, shares, exchange rates and notes, at any weights and within limits."""
    published, stored = both
    assert published.presets == stored.presets
    chosen = {
        None: None,
        "preset": next(iter(stored.presets.values()), None),
        "first": {stored.metrics[0].name: 1.0},
    }[weights]
    limits = {"memory": (None, 4.0)} if weights == "preset" else None
    one, other = (board.rank(chosen, limits).to_dict() for board in both)
    assert compared(one) == compared(other)


def test_the_frames_are_the_same(both: tuple[OpenBoard, OpenBoard]) -> None:
    """Every number with its unit, provenance, source and revision, in both layouts."""
    published, stored = both
    for layout in ("long", "wide"):
        pandas.testing.assert_frame_equal(published.to_pandas(layout), stored.to_pandas(layout))
    ours, theirs = published.rank().to_pandas(), stored.rank().to_pandas()
    words = ["not_ranked", "rank_set_unknown"]
    pandas.testing.assert_frame_equal(ours.drop(columns=words), theirs.drop(columns=words))


def test_the_predictions_are_the_same(both: tuple[OpenBoard, OpenBoard]) -> None:
    """Wherever they are stored and published; where not, an error says so."""
    published, stored = both
    read = 0
    for model in stored.models:
        for dataset in stored.datasets:
            try:
                expected = stored.predictions(model, dataset)
            except (ValueError, UserError):
                with pytest.raises(UserError, match=r"predictions: none on .* are published"):
                    published.predictions(model, dataset)
                continue
            found = published.predictions(model, dataset)
            assert found == expected
            read += len(found.to_pandas())
    assert (read > 0) == (stored.id != "sentiment")


def test_the_site_is_found_by_any_address_of_its_front_page(address: str, own_site: Path) -> None:
    """With or without the last slash, the page's name or a fragment; and it lists its boards in order."""
    titles = {board.id: board.title for board in load_boards(own_site / "board.toml").boards}
    for form in (
        address,
        address.rstrip("/"),
        f"{address}index.html",
        f"{address}#w=1",
        f"{address}index.json",
    ):
        opened = Leaderboard.open(form)
        assert opened.boards == titles
        assert list(opened.boards) == list(titles)


def test_names_that_a_site_does_not_have(address: str) -> None:
    """Messages name the address, the value and what there is; a site has no texts."""
    opened = Leaderboard.open(address)
    with pytest.raises(UserError, match=rf"{address}: board: 'sst2' is not there; did you mean sst-2"):
        opened.board("sst2")
    board = opened.board("sst-2")
    with pytest.raises(UserError, match="model: 'gpt' is not there"):
        board.predictions("gpt", "sst-2")
    with pytest.raises(UserError, match=r"dataset: 'sst-2': a site has no texts and right answers; open the"):
        opened.dataset("sst-2")


def test_an_address_without_a_site_says_so(address: str, tmp_path: Path) -> None:
    """Nobody there, no such page, a page that is no JSON, and JSON of something else."""
    with pytest.raises(
        UserError, match=r"sst-2/index.json: the server answers 404 .*; give the address of the site's"
    ):
        Leaderboard.open(f"{address}sst-2/")
    (tmp_path / "index.html").write_text("Hello", encoding="utf-8")
    with served(tmp_path) as other:
        (tmp_path / "index.json").write_text("Hello", encoding="utf-8")
        with pytest.raises(
            UserError, match=r"index.json: is no JSON: .*; give the address of the front page"
        ):
            Leaderboard.open(other)
        (tmp_path / "index.json").write_text('{"boards": [{"id": 3}]}', encoding="utf-8")
        with pytest.raises(
            UserError, match=r"index.json: lacks what is read of it .*; the site may be older"
        ):
            Leaderboard.open(other)
    with pytest.raises(UserError, match=r"cannot be reached: .*; check the address and the network"):
        Leaderboard.open(other)


@pytest.fixture
def copied(own_site: Path, tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """A copy of the site to change, and where it is served."""
    folder = shutil.copytree(own_site / "build", tmp_path / "build")
    with served(folder) as other:
        yield folder, other


def test_a_changed_file_is_not_taken(copied: tuple[Path, str]) -> None:
    """What says how numbers vary, ids and right answers, and predictions are checked by their hashes."""
    folder, other = copied
    [certainty] = (folder / "sst-2").glob("certainty.*.json")
    content = certainty.read_bytes()
    certainty.write_bytes(content.replace(b"1", b"2", 1))
    with pytest.raises(UserError, match=rf"{certainty.name}: sha256: \w+, not \w+; build the site again"):
        Leaderboard.open(other).board("sst-2")
    certainty.write_bytes(content)
    for name, message in (("examples", "sha256"), ("vader", "content hash")):
        [path] = (folder / "sst-2" / "predictions" / "sst-2").glob(f"{name}.*.json")
        content = path.read_bytes()
        document = json.loads(content)
        document["task"] = "other"
        path.write_text(json.dumps(document), encoding="utf-8")
        with pytest.raises(UserError, match=f"{path.name}: {message}"):
            Leaderboard.open(other).board("sst-2").predictions("vader", "sst-2")
        path.write_bytes(content)
    assert len(Leaderboard.open(other).board("sst-2").predictions("vader", "sst-2").to_pandas()) == 1821


@pytest.mark.parametrize(
    "elsewhere", ["https://example.org/x.json", "file:///etc/hostname", "../../../x.json"]
)
def test_a_site_is_asked_for_its_own_files_only(copied: tuple[Path, str], elsewhere: str) -> None:
    """A document that leads elsewhere, to this machine's files or another server, is an error."""
    folder, other = copied
    path = folder / "index.json"
    document = json.loads(path.read_bytes())
    document["boards"][0]["data"] = elsewhere
    path.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(UserError, match="which is not of the site"):
        Leaderboard.open(other).board(document["boards"][0]["id"])
