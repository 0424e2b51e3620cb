"""A folder with small datasets of three tasks, and files of predictions imported into it in this process."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from evaluator.data.datasets import Dataset, read_dataset
from evaluator.records.board import load_boards
from evaluator.records.store import Store
from evaluator.score.examples import dataset_source
from evaluator.score.importing import Imported, import_predictions, submission
from evaluator.score.prediction_rows import PredictionsFile

BOARD = """
title = "T"

[[datasets]]
id = "reviews"
label = "Reviews"
task = "sentiment"
path = "reviews.jsonl"
format = "jsonl"
columns = { id = "id", statement = "text", label = "label", "tag.length" = "length" }
labels = ["negative", "positive"]
label_map = { neg = "negative", pos = "positive" }
#more

[[datasets]]
id = "bridges"
label = "Bridges"
task = "qa"
path = "bridges.json"
format = "squad"
#more

[[datasets]]
id = "pairs"
label = "Pairs"
task = "nli"
path = "pairs.jsonl"
format = "hans"

[[datasets]]
id = "threefold"
label = "Threefold"
task = "nli"
path = "threefold.jsonl"
format = "anli"

[[datasets]]
id = "voted"
label = "Voted"
task = "sentiment"
path = "voted.jsonl"
format = "jsonl"
columns = { id = "id", statement = "text", label = "label", votes = "votes" }
labels = ["negative", "positive"]

[[models]]
id = "known"
label = "A model with a card"
card = { licence = "MIT" }

[[predictions]]
dataset = "reviews"
path = "both.csv"
models = { "Model A!" = "a", "Model B" = "b" }
columns = { id = "example", label = "said", model = "system" }
source = { citation = "Somebody 2020" }

[[boards]]
id = "b"
title = "B"
task = "sentiment"
base = "accuracy"
datasets = ["reviews"]
metrics = [{ name = "accuracy", label = "Accuracy", unit = "%" }]
"""
REVIEWS = [("r1", "neg", "short"), ("r2", "pos", "short"), ("r3", "pos", "long"), ("r4", "neg", "long")]
CONTEXT = "The bridge was opened in 1932 by the mayor, and closed again in 1951."
QUESTIONS = {"q1": ["1932", "in 1932"], "q2": ["the mayor"], "q3": ["1951"]}


def make_project(folder: Path) -> Path:
    """Write the board file and its datasets."""
    write_board(folder)
    rows = [{"id": i, "text": f"text {i}", "label": label, "length": size} for i, label, size in REVIEWS]
    write_rows(folder, "reviews.jsonl", rows)
    write_questions(folder)
    about = {"heuristic": "lexical_overlap", "subcase": "ln_subject/object_swap", "template": "temp1"}
    texts = {"sentence1": "The judge saw the actor.", "sentence2": "The actor saw the judge."}
    gold = ("entailment", "non-entailment")
    hans = [{"gold_label": label, "pairID": f"ex{at}", **texts, **about} for at, label in enumerate(gold)]
    write_rows(folder, "pairs.jsonl", hans)
    pair = {"context": "It rains.", "hypothesis": "It is wet."}
    write_rows(folder, "threefold.jsonl", [{"uid": label, "label": label, **pair} for label in "enc"])
    votes = [("v1", "negative"), ("v2", "positive")]
    voted = [{"id": i, "text": f"Soup {i}", "label": gold, "votes": [gold, gold]} for i, gold in votes]
    write_rows(folder, "voted.jsonl", voted)
    return folder


def write_board(folder: Path, more: str = "", **changes: str) -> None:
    """The board file; `more` are lines of the reviews and the bridges, `changes` its texts to replace."""
    text = BOARD.replace("#more", more)
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    (folder / "board.toml").write_text(text)


def write_questions(folder: Path, *unanswerable: str) -> None:
    """The bridges, of which some have no answer, as in SQuAD v2."""
    asked = []
    for id_, answers in QUESTIONS.items():
        given = [{"text": text, "answer_start": CONTEXT.index(text)} for text in answers]
        none = {"is_impossible": id_ in unanswerable} if unanswerable else {}
        answers_ = [] if id_ in unanswerable else given
        asked.append({"id": id_, "question": f"{id_}?", "answers": answers_, **none})
    document = {"data": [{"title": "Bridge", "paragraphs": [{"context": CONTEXT, "qas": asked}]}]}
    (folder / "bridges.json").write_text(json.dumps(document))


def write_rows(folder: Path, name: str, rows: Iterable[Mapping[str, Any]]) -> str:
    (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    return name


def take(
    folder: Path, name: str, content: Any, about: str = "reviews", model: str = "m", **how: Any
) -> Imported:
    """Import one file: a text, rows of JSON lines, or a JSON object; `how` is as `PredictionsFile` has it."""
    if isinstance(content, list):
        write_rows(folder, name, content)
    else:
        (folder / name).write_text(content if isinstance(content, str) else json.dumps(content))
    asked = submission(
        load_boards(folder / "board.toml"), PredictionsFile(folder / name, **how), about, model
    )
    return import_predictions(asked, dataset(folder, about), store(folder))


def dataset(folder: Path, name: str) -> Dataset:
    return read_dataset(dataset_source(load_boards(folder / "board.toml").dataset(name), folder))


def store(folder: Path) -> Store:
    return Store(folder / "results")


def files(folder: Path) -> dict[Path, bytes]:
    """What is stored."""
    return {path: path.read_bytes() for path in (folder / "results").rglob("*.json")}
