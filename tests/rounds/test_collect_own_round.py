"""The project's own round: what is committed is what its tries and responses give."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from evaluator.records.store import Store

ROOT = Path(__file__).parents[2]
ROUND = "written-to-fool-r1"
FOLDER = "data/written-to-fool/round-1"


def unfrozen(folder: Path) -> Path:
    """A copy of the example before its round was frozen; the table of the round is the file's last."""
    shutil.copytree(ROOT / "examples" / "readable", folder)
    shutil.rmtree(folder / FOLDER)
    board = folder / "board.toml"
    before, _, _ = board.read_text().partition(f'\n[[datasets]]\nid = "{ROUND}"')
    board.write_text(before.replace(f', "{ROUND}"', ""))
    return folder


@pytest.mark.slow
def test_freezing_again_gives_the_committed_round(tmp_path: Path) -> None:
    """Its examples are the same bytes, and what the board file says of it are the same numbers."""
    folder = unfrozen(tmp_path / "readable")
    command = [sys.executable, "-m", "evaluator.cli", "collect", "freeze", "written-to-fool", "--round", "1"]
    parts = ["--share", "train=0", "--share", "dev=0", "--data", "data"]
    done = subprocess.run([*command, *parts], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    committed = ROOT / "examples" / "readable" / FOLDER
    for name in ("test.jsonl", "README.md"):
        assert (folder / FOLDER / name).read_bytes() == (committed / name).read_bytes()
    fresh, kept = (json.loads((one / "round.json").read_text()) for one in (folder / FOLDER, committed))
    assert {**fresh, "created": kept["created"]} == kept


def test_every_model_of_the_board_answered_it() -> None:
    """Those in the loop are worse on it than guessing is, since it holds only what fooled one of them."""
    results = Store(ROOT / "results").results_on("sentiment", ROUND)
    accuracy = {one.model.id: one.scores["accuracy"].value for one in results if one.provenance == "measured"}
    assert set(accuracy) == {"majority", "vader", "tfidf-logreg", "fasttext", "bert-small", "minilm-logreg"}
    assert all(accuracy[model] < 50 for model in ("vader", "tfidf-logreg", "fasttext"))
    assert accuracy["majority"] == 50
    [people] = [one for one in results if one.provenance == "human"]
    assert people.model.label == "the project's own passes"
