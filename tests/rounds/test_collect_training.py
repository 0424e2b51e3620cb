"""A model of the next round is trained on several datasets together, and it is written down which."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evaluator.data.datasets import DatasetError, read_dataset
from evaluator.measure.run.loading import board_prepared
from evaluator.records.board import load_boards
from evaluator.records.errors import UserError
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
TWO, THREE = '"negative", "positive"', '"negative", "neutral", "positive"'
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


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, rows in {
        "one": "bad\tnegative\ngood\tpositive\nfine\tpositive\n",
        "two": "poor\tnegative\nawful\tnegative\n",
        "three": "so so\tneutral\n",
        "test": "nice\tpositive\n",
    }.items():
        (tmp_path / f"{name}.tsv").write_text(rows)
    return tmp_path


def board(folder: Path, train: str) -> Path:
    """A board file whose model is trained on `train`."""
    sets = [
        ("one", "training", TWO),
        ("two", "training", TWO),
        ("three", "training", THREE),
        ("test", "scoring", TWO),
    ]
    path = folder / "board.toml"
    path.write_text('title = "T"\n' + "".join(DATASET.format(*one) for one in sets) + REST.format(train))
    return path


def prepared(path: Path) -> tuple[dict[str, Any], dict[str, int]]:
    """What the recipe says that the model was made from, and how often it counted each label."""
    boards = load_boards(path)
    found = board_prepared(boards.models[0], boards, path.parent, path.parent, path.parent / "work")
    return dict(found.details), json.loads((found.directory / "majority.json").read_bytes())["counts"]


def test_several_training_sets_are_one(folder: Path) -> None:
    """Examples of one follow those of the other; the recipe learns from all, and its record names the parts."""
    path = board(folder, '["one", "two"]')
    boards = load_boards(path)
    source = training_source(boards, boards.models[0], folder)
    assert source is not None
    together = read_dataset(source)
    assert together.gold == ("negative", "positive", "positive", "negative", "negative")
    assert together.ids == ["one/0", "one/1", "one/2", "two/0", "two/1"]
    details, counts = prepared(path)
    assert details["train"] == together.revision
    assert set(details["train_parts"]) == {"one", "two"}
    assert counts == {"negative": 3, "positive": 2}


def test_one_training_set_is_recorded_as_before(folder: Path) -> None:
    """As text or as a list of one: the same model in the same folder, and no parts."""
    details, _ = prepared(board(folder, '"one"'))
    assert "train_parts" not in details
    assert prepared(board(folder, '["one"]'))[0] == details


def test_training_sets_must_have_the_same_labels(folder: Path) -> None:
    """The message names both."""
    boards = load_boards(board(folder, '["one", "three"]'))
    source = training_source(boards, boards.models[0], folder)
    assert source is not None
    with pytest.raises(
        DatasetError, match="dataset three: labels: has the labels negative, neutral, positive, and one"
    ):
        read_dataset(source)


@pytest.mark.parametrize(
    ("train", "problem"),
    [
        ('["one", "test"]', "it is evaluated on 'test', the same dataset"),
        ('["one", "none"]', "'none' is none of one, two, three, test"),
        ('["one", "one"]', "'one' is used more than once"),
        ("3", "must be a list"),
    ],
)
def test_what_cannot_be_trained_on_is_named(folder: Path, train: str, problem: str) -> None:
    """Each of the list is checked, as one alone is."""
    with pytest.raises(UserError, match=problem):
        load_boards(board(folder, train))
