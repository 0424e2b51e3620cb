"""A round on the board: the board file keeps what it had, and the project's own round is made again."""

from __future__ import annotations

import json
import shutil
import tomllib
from pathlib import Path

import pytest
from collect_world import BOARD, run, write_project

from evaluator.records.board import load_boards
from evaluator.records.errors import UserError
from evaluator.rounds.freezing import add_datasets, with_dataset

ROOT = Path(__file__).parents[2]
ROUND = "written-to-fool-r1"
FOLDER = "data/written-to-fool/round-1"


@pytest.mark.parametrize("board", ["sst-2", "anli", "hate-speech"])
def test_one_line_of_a_long_board_file_changes(board: str) -> None:
    """Tables of one name in several places, comments and line ends stay where they are."""
    text = (ROOT / "board.toml").read_text("utf-8")
    changed = with_dataset(text, board, "new")
    pairs = zip(text.splitlines(), changed.splitlines(), strict=True)
    [(before, after)] = [(one, other) for one, other in pairs if one != other]
    assert after == before.replace("]", ', "new"]')
    [found] = [one for one in tomllib.loads(changed)["boards"] if one["id"] == board]
    assert found["datasets"][-1] == "new"


def test_what_is_added_can_be_read(tmp_path: Path) -> None:
    """A new dataset is at the end, on its board, and the comments are still there."""
    path = write_project(tmp_path)
    new = {"id": "new", "label": 'A "new" one \\ <b>', "task": "sentiment", "columns": {"tag.a b": "x"}}
    add_datasets(path, [new], "b", "new")
    boards = load_boards(path)
    assert boards.dataset("new").label == new["label"]
    assert boards.dataset("new").columns == new["columns"]
    assert path.read_text("utf-8").startswith(BOARD.replace('["first"]', '["first", "new"]'))


def test_a_file_that_would_not_be_read_is_not_written(tmp_path: Path) -> None:
    """A dataset of an id that is there already leaves the file as it was."""
    path = write_project(tmp_path)
    before = path.read_bytes()
    with pytest.raises(UserError, match="used more than once"):
        add_datasets(path, [{"id": "first", "label": "F", "task": "sentiment"}], None, "")
    assert path.read_bytes() == before


@pytest.mark.slow
def test_freezing_again_gives_the_committed_round(tmp_path: Path) -> None:
    """The project's own round: its examples are the same bytes, and what describes them the same numbers."""
    folder = tmp_path / "readable"
    shutil.copytree(ROOT / "examples" / "readable", folder)
    shutil.rmtree(folder / FOLDER)
    board = folder / "board.toml"
    # The table of the round is the file's last.
    before, _, _ = board.read_text().partition(f'\n[[datasets]]\nid = "{ROUND}"')
    board.write_text(before.replace(f', "{ROUND}"', ""))
    parts = ["--share", "train=0", "--share", "dev=0", "--data", "data"]
    run(folder, "collect", "freeze", "written-to-fool", "--round", "1", *parts)
    committed = ROOT / "examples" / "readable" / FOLDER
    assert {path.name for path in (folder / FOLDER).iterdir()} == {path.name for path in committed.iterdir()}
    for name in ("test.jsonl", "README.md"):
        assert (folder / FOLDER / name).read_bytes() == (committed / name).read_bytes()
    fresh, kept = (json.loads((one / "round.json").read_text()) for one in (folder / FOLDER, committed))
    assert {**fresh, "created": kept["created"]} == kept
    with pytest.raises(AssertionError, match="the collection is frozen already; start a new table"):
        run(folder, "collect", "freeze", "written-to-fool", "--round", "2", *parts)
