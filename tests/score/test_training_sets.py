"""A model of the next round is trained on several datasets together, and it is written down which."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evaluator.data.datasets import DatasetError, read_dataset
from evaluator.measure.run.plan import board_prepared
from evaluator.records.board import load_boards
from evaluator.score.examples import training_source

DATASET = """
[[datasets]]
id = "{0}"
label = "{0}"
task = "sentiment"
role = "{1}"
path = "{0}.tsv"
format = "tsv"
columns = {{ statement = 0, label = 1 }}
labels = [{2}]
"""
REST = """
[[models]]
id = "m"
label = "M"
task = "sentiment"
recipe = "majority"
train = {}

[[boards]]
id = "b"
title = "B"
task = "sentiment"
base = "accuracy"
datasets = ["test"]
metrics = [{{ name = "accuracy", label = "Accuracy", unit = "%" }}]
"""
TWO = '"negative", "positive"'
SETS = {
    "one": ("training", TWO, "bad\tnegative\ngood\tpositive\nfine\tpositive\n"),
    "two": ("training", TWO, "poor\tnegative\nawful\tnegative\n"),
    "three": ("training", '"negative", "neutral", "positive"', "so so\tneutral\n"),
    "test": ("scoring", TWO, "nice\tpositive\n"),
}


def board(folder: Path, train: str) -> Path:
    """A board file whose model is trained on `train`."""
    tables = []
    for name, (role, labels, rows) in SETS.items():
        (folder / f"{name}.tsv").write_text(rows)
        tables.append(DATASET.format(name, role, labels))
    path = folder / "board.toml"
    path.write_text('title = "T"\n' + "".join(tables) + REST.format(train))
    return path


def test_several_training_sets_are_one(tmp_path: Path) -> None:
    """Examples of one follow those of the other; the recipe learns from all, and its record names the parts."""
    boards = load_boards(board(tmp_path, '["one", "two"]'))
    source = training_source(boards, boards.models[0], tmp_path)
    assert source is not None
    together = read_dataset(source)
    assert together.gold == ("negative", "positive", "positive", "negative", "negative")
    assert together.ids == ["one/0", "one/1", "one/2", "two/0", "two/1"]
    made = board_prepared(boards.models[0], boards, tmp_path, tmp_path, tmp_path / "work")
    assert made.details["train"] == together.revision
    assert set(made.details["train_parts"]) == {"one", "two"}
    counts = json.loads((made.directory / "majority.json").read_bytes())["counts"]
    assert counts == {"negative": 3, "positive": 2}


def test_training_sets_must_have_the_same_labels(tmp_path: Path) -> None:
    """The message names both."""
    boards = load_boards(board(tmp_path, '["one", "three"]'))
    source = training_source(boards, boards.models[0], tmp_path)
    assert source is not None
    words = "dataset three: labels: has the labels negative, neutral, positive, and one"
    with pytest.raises(DatasetError, match=words):
        read_dataset(source)
