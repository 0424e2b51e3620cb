"""A board file that gets more keeps every byte of what it had."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from collect_world import BOARD, write_project

from evaluator.records.board import load_boards
from evaluator.records.errors import UserError
from evaluator.rounds.freezing import add_datasets, with_dataset

ROOT = Path(__file__).parents[2]


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
    text = path.read_text("utf-8")
    assert text.startswith(BOARD.replace('["first"]', '["first", "new"]'))


def test_a_file_that_would_not_be_read_is_not_written(tmp_path: Path) -> None:
    """A dataset of an id that is there already leaves the file as it was."""
    path = write_project(tmp_path)
    before = path.read_bytes()
    with pytest.raises(UserError, match="used more than once"):
        add_datasets(path, [{"id": "first", "label": "F", "task": "sentiment"}], None, "")
    assert path.read_bytes() == before
