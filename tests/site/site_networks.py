"""A small world whose boards ask for more than one text: a network judges pairs, a baseline answers
questions.
"""

from __future__ import annotations

import json
from pathlib import Path

from site_tried import store_answers
from tiny_bert import save

from evaluator.measure.models.preparing import prepare
from evaluator.records.board import load_boards

NLI = ("entailed", "neutral", "contradictory")
WORDS = ("good", "bad", "film", "films", "not")
#: Entailed is what stands in the context.
HANDLER = """
def load(directory): pass
def predict(example): return "entailed" if example["hypothesis"] in example["context"] else "neutral"
"""
BOARD = """
title = "T"
[site]
browser_models = ["network", "inside", "whole"]

[[datasets]]
id = "pairs"
label = "Pairs"
task = "nli"
path = "pairs.jsonl"
format = "jsonl"
columns = { id = "id", context = "context", hypothesis = "hypothesis", label = "label" }
labels = ["entailed", "neutral", "contradictory"]

[[datasets]]
id = "questions"
label = "Questions"
task = "qa"
path = "questions.jsonl"
format = "jsonl"
columns = { id = "id", context = "context", question = "question", answers = "answers" }

[[models]]
id = "network"
label = "A network"
task = "nli"
adapter = "transformers"
directory = "network"

[[models]]
id = "inside"
label = "Inside"
task = "nli"
adapter = "handler"
directory = "inside"

[[models]]
id = "whole"
label = "Whole context"
task = "qa"
recipe = "whole-context"

[[boards]]
id = "nli"
title = "Pairs"
task = "nli"
base = "accuracy"
datasets = ["pairs"]
metrics = [{ name = "accuracy", label = "Accuracy", unit = "%" }]

[[boards]]
id = "qa"
title = "Questions"
task = "qa"
base = "f1"
datasets = ["questions"]
metrics = [{ name = "f1", label = "F1", unit = "%" }]
"""


def write_networks(folder: Path) -> Path:
    """The board file; data, models and results are beside it."""
    (folder / "board.toml").write_text(BOARD)
    texts = [f"{WORDS[at % 5]} {WORDS[at // 5 % 5]} {WORDS[at // 25 % 5]} number {at}" for at in range(500)]
    pairs = [
        {"id": str(at), "context": text, "hypothesis": texts[at // 2], "label": NLI[at % 3]}
        for at, text in enumerate(texts)
    ]
    questions = [
        {"id": str(at), "context": text, "question": "Which number?", "answers": [f"number {at}"]}
        for at, text in enumerate(texts)
    ]
    for name, rows in (("pairs", pairs), ("questions", questions)):
        (folder / f"{name}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    save(folder / "network", NLI)
    (folder / "inside").mkdir()
    (folder / "inside" / "handler.py").write_text(HANDLER)
    prepare("whole-context", {}, None, 0, folder / ".steelyard" / "models")
    boards = load_boards(folder / "board.toml")
    for model, dataset in (("network", "pairs"), ("inside", "pairs"), ("whole", "questions")):
        store_answers(folder, boards, model, dataset)
    return folder / "board.toml"
