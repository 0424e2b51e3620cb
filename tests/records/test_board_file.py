"""Mistakes in a board file: each is named by file, table and key, and says what would be right."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from evaluator.records.board import load_boards
from evaluator.records.errors import UserError

ROOT = Path(__file__).parents[2]
DEMO = (ROOT / "examples/demo/board.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("show_gold = true", 'show_gold = "yes"', " datasets: reviews: show_gold: must be true or false"),
        ('format = "tsv"', 'formt = "tsv"', " datasets: reviews: formt: .* did you mean format?"),
        (
            "show_gold = true",
            "collect = true",
            r" datasets: reviews: collect: .*; collect is a table of its own: \[\[collect\]\]$",
        ),
        ("seconds = 10", "limits = 2", r" measure: limits: .*; limits is a table of its own: \[limits\]$"),
        ("seconds = 10", "repeat = 2", " measure: repeat: is no key of this table; did you mean repeats?"),
        ("seconds = 10", "repeats = 2.5", " measure: repeats: must be a whole number.* .got 2.5."),
        ("seconds = 10", "repeats = true", " measure: repeats: must be a whole number"),
        ("load_s = 60", 'load_s = "60"', " limits: load_s: must be a number, without quotes"),
        ("load_s = 60", "load_s = nan", " limits: load_s: must be a finite number"),
        ('role = "scoring"', 'role = "scorring"', " datasets: reviews: role: must be .*mean scoring?"),
        ('statement = "sentence"', "statement = true", " datasets: reviews: columns: statement: must be"),
        ('labels = ["negative", "positive"]', 'labels = "negative"', " .*labels: must be a list"),
        (
            'id = "vader"',
            'removed = { reason = "late", date = "soon" }\nid = "vader"',
            " models: vader: removed: date: must be a date, such as 2026-11-01 .*soon",
        ),
        (
            'id = "vader"',
            'removed = { reason = "", date = 2026-11-01 }\nid = "vader"',
            " models: vader: removed: reason: must not be empty",
        ),
        (
            'id = "vader"',
            'removed = { reason = "late", date = 2026-11-01T10:00:00 }\nid = "vader"',
            " 2026-11-01 10:00:00 is a date or a time",
        ),
        (
            'id = "majority"',
            'removed = { reason = "it never learns", date = 2026-11-01 }\nid = "majority"',
            " boards: demo: floor: no model of sentiment has the recipe 'majority'",
        ),
        ('licence = "CC0-1.0"', "licence = 2020-01-01", ".*2020-01-01 is a date or a time; write it as text"),
        (
            'name = "accuracy", label',
            'name = "accuracy", lable',
            " boards: demo: metrics: accuracy: label: missing",
        ),
        (
            "weights = { accuracy = 1 }",
            "weights = { accuracy = -1 }",
            " .*accuracy-only: weights: accuracy: ",
        ),
        (
            "weights = { accuracy = 1 }",
            "weights = { accuracy = 0 }",
            " boards: demo: presets: accuracy-only: weights: all are 0, so that nothing would be ranked",
        ),
        (
            'base = "accuracy"',
            'base = "accuracy"\nweights = { accuracy = 0, memory = 0 }',
            " boards: demo: weights: all are 0, so that nothing would be ranked; give one metric a weight",
        ),
        (
            'base = "accuracy"',
            'base = "accuracy"\ndataset_weights = { reviews = 0 }',
            " boards: demo: dataset_weights: no dataset that is ranked by, reviews, has a weight",
        ),
        ('base = "accuracy"', 'base = "acuracy"', " boards: demo: base: .*did you mean accuracy?"),
        (
            "weights = { accuracy = 1 }",
            "weights = { f1 = 1 }",
            " .*presets: accuracy-only: weights: 'f1' is none",
        ),
        (
            'datasets = ["reviews"]',
            'datasets = ["review"]',
            " boards: demo: datasets: .*did you mean reviews?",
        ),
        ('id = "vader"', 'id = "majority"', " models: majority: id: 'majority' is used more than once"),
        ('id = "vader"', 'id = "a/b"', r" models: a/b: id: .*\(got 'a/b'\)"),
        ('title = "Everyday reviews"\n', "", " boards: demo: title: missing; it must be given"),
        (
            ", cap = 4.0",
            "",
            ' boards: demo: metrics: memory: cap: a metric with direction "lower" needs one',
        ),
        ('task = "sentiment"\nbase', 'task = "nli"\nbase', " .*'reviews' is of the task sentiment"),
        (
            'datasets = ["reviews"]',
            'datasets = ["reviews", "reviews"]',
            " boards: demo: datasets: .* more than once",
        ),
        (
            'datasets = ["reviews"]',
            'datasets = ["reviews-train"]',
            " .*'reviews-train' is for training only",
        ),
        (
            'name = "throughput", label',
            'name = "accuracy", label',
            " .*accuracy: name: 'accuracy' is used more",
        ),
        (
            'name = "edge-device"',
            'name = "accuracy-only"',
            " .*presets: accuracy-only: name: .* more than once",
        ),
        ("[[boards]]", "[[boards", " not valid TOML"),
    ],
)
def test_a_mistake_is_named_by_table_and_key(tmp_path: Path, old: str, new: str, message: str) -> None:
    """The message has the file, the table by its id, the key, and what may have been meant."""
    assert old in DEMO
    path = tmp_path / "board.toml"
    path.write_text(DEMO.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(UserError) as caught:
        load_boards(path)
    [line] = str(caught.value).splitlines()[:1]
    assert re.match(rf"{re.escape(str(path))}:{message.replace('?', '[?]')}", line), line


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ('train = "reviews-train"', 'train = "reviews"', "the same dataset"),
        ('path = "data/train.tsv"', 'path = "data/../data/test.tsv"', "the same file as 'reviews-train'"),
    ],
)
def test_training_data_is_not_scoring_data(tmp_path: Path, old: str, new: str, same: str) -> None:
    """A model that would be asked what it was trained on is refused, also where two tables read one file."""
    path = tmp_path / "board.toml"
    path.write_text(DEMO.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(UserError, match=f"models: majority: train: it is evaluated on 'reviews', {same}"):
        load_boards(path)
