"""A board with real results: a model that was run, with a suite, and predictions that were imported."""

from __future__ import annotations

import contextlib
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from publishing_world import commit_all, new_repository, steelyard

from evaluator.measure.run.plan import model_problems
from evaluator.publish import checking
from evaluator.publish.checking import Checked
from evaluator.records.base import digest

BOARD = """title = "T"
data = "data"

[measure]
repeats = 2
seconds = 0.0001

[[datasets]]
id = "d"
label = "D"
task = "sentiment"
path = "d.tsv"
format = "tsv"
columns = { statement = "text", label = "label", "tag.kind" = "kind" }
labels = ["negative", "positive"]
suites = ["robustness"]
show_gold = true

[[datasets]]
id = "q"
label = "Q"
task = "qa"
path = "q.jsonl"
format = "jsonl"
columns = { context = "context", question = "question", answers = "answers" }
show_gold = true

[[datasets]]
id = "crowd"
label = "Crowd"
task = "sentiment"
path = "crowd.jsonl"
format = "jsonl"
columns = { statement = "text", label = "label", votes = "votes" }
labels = ["negative", "positive"]

[[models]]
id = "m"
label = "M"
task = "sentiment"
adapter = "handler"
directory = "models/m"
datasets = ["d"]

[[predictions]]
dataset = "q"
path = "answers.json"
no_answer = "na_prob.json"
model = "asked"

[[predictions]]
dataset = "crowd"
path = "labels.csv"
model = "crowded"

[[boards]]
id = "b"
title = "Reviews"
task = "sentiment"
base = "accuracy"
datasets = ["d"]
metrics = [
  { name = "accuracy", label = "Accuracy", unit = "%" },
  { name = "throughput", label = "Throughput", unit = "examples/s" },
  { name = "robustness", label = "Robustness", unit = "%" },
]
"""
#: Answers by the number of one letter: always the same, and moved by some perturbations.
HANDLER = """
def load(directory):
    pass

def predict(example):
    return "positive" if example["statement"].count("e") > 4 else "negative"
"""
SENTENCES = [
    "The bridge over the river was opened by the mayor in spring.",
    "Nobody liked the second half, and the ending wasn't funny at all.",
    "It's a warm and clever film about growing old together.",
    "The acting is wooden but the music saves many scenes.",
    "We'll never get these two hours of our lives back.",
    "A quiet masterpiece; every frame looks like a painting.",
]
PLACES = ["Oslo", "Lima", "Rome", "Cairo"]


def measured(folder: Path) -> Path:
    """The board, evaluated, imported and committed on main; the change is on a branch."""
    rows = [
        f"{text}\t{('negative', 'positive')[n % 2]}\t{'ab'[n // 3]}\n" for n, text in enumerate(SENTENCES)
    ]
    asked = [{"context": f"It is in {city}.", "question": "Where?", "answers": [city]} for city in PLACES]
    asked.append({"context": "It is far away.", "question": "Where?", "answers": []})
    crowd = [
        {
            "text": text,
            "label": "positive",
            "votes": ["positive", "positive", ("negative", "positive")[n % 2]],
        }
        for n, text in enumerate(SENTENCES)
    ]
    new_repository(
        folder,
        {
            "board.toml": BOARD,
            ".gitignore": ".steelyard/\n",
            "models/m/handler.py": HANDLER,
            "data/d.tsv": "text\tlabel\tkind\n" + "".join(rows),
            "data/q.jsonl": "".join(json.dumps(row) + "\n" for row in asked),
            "data/crowd.jsonl": "".join(json.dumps(row) + "\n" for row in crowd),
            "data/answers.json": json.dumps({"0": "Oslo", "1": "in Lima", "2": "Paris", "3": "", "4": "far"}),
            "data/na_prob.json": json.dumps({"0": 0.1, "1": 0.2, "2": 0.7, "3": 0.6, "4": 0.9}),
            "data/labels.csv": "id,label\n0,positive\n1,negative\n2,positive\n",
        },
    )
    for command in (["evaluate"], ["import"]):
        done = steelyard(*command, cwd=folder)
        assert done.returncode == 0, done.stdout + done.stderr
    # However busy the machine was: an invalid timing would leave the board without a throughput.
    with edited(folder / "results/sentiment/d/m.json") as result:
        result["measurement"]["noise"]["verdict"] = "suspect"
    commit_all(folder)
    return folder


def checked(folder: Path, against: str | None = None, data: Path | None = None) -> Checked:
    """What a check of a board finds."""
    with contextlib.chdir(folder):
        return checking.check(Path("board.toml"), None, model_problems, against, data)


@contextlib.contextmanager
def edited(path: Path) -> Iterator[Any]:
    """A JSON file, written back with the bytes of a record after it was changed."""
    document = json.loads(path.read_bytes())
    yield document
    path.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")


def swap_predictions(folder: Path, result: str, change: Callable[[Any], None]) -> None:
    """Change the predictions of a result, and its reference to them, as somebody would who wants to cheat."""
    path = folder / result
    [old] = path.parent.glob(f"{path.stem}.*.predictions.json")
    with edited(old) as predictions:
        change(predictions)
    name = digest(json.loads(old.read_bytes()))
    with edited(path) as document:
        document["predictions"]["sha256"] = name
    shutil.move(old, old.with_name(f"{path.stem}.{name.removeprefix('sha256:')[:12]}.predictions.json"))
