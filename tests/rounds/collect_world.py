"""A small project whose collection has one model in the loop, which counts words, and files made without it."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import forked_command

from evaluator.records.board import load_boards
from evaluator.rounds.checking import FILE, CheckedTries, CheckedTry, tries_hash
from evaluator.rounds.collection import Collection, open_collection
from evaluator.rounds.events import Asked, Judged, ModelAnswer, Response

STEELYARD = [sys.executable, "-m", "evaluator.cli"]
Place = Literal["worker", "browser"]
MOMENT = "2026-11-01T12:00:00Z"
BOARD = """
# A comment that stays.
title = "T"

[measure]
repeats = 1
seconds = 0.01

[[datasets]]
id = "first"
label = "First round"
task = "sentiment"
path = "first.tsv"
format = "tsv"
columns = { statement = 0, label = 1 }
labels = ["negative", "positive"]
round = 1

[[models]]
id = "words"
label = "Words <counted>"
task = "sentiment"
adapter = "handler"
directory = "words"

[[boards]]
id = "b"
title = "B"
task = "sentiment"
base = "accuracy"
datasets = ["first"] # and its rounds
metrics = [
  { name = "accuracy", label = "Accuracy", unit = "%" },
]

# What the class writes.
[[collect]]
id = "notes"
label = "Notes <b>&amp;"
task = "sentiment"
models = ["words"]
goal = "Write what the model gets wrong."
prompts = "prompts.jsonl"
tries = 2
reason = true
responses = 2
gold_questions = "gold.jsonl"
board = "b"
licence = "CC0-1.0"
annotators = "three made-up people"
"""
#: It takes everything for positive that does not say "bad".
HANDLER = """
def load(directory):
    pass

def predict(example):
    bad = "bad" in example["statement"]
    shares = {"negative": 0.9, "positive": 0.1} if bad else {"negative": 0.2, "positive": 0.8}
    return {"label": "negative" if bad else "positive", "probabilities": shares}
"""
PROMPTS = [
    {
        "id": f"p{number}",
        "text": f"Something number {number}",
        "tags": {"topic": "odd" if number % 2 else "even"},
    }
    for number in range(6)
]
GOLD: list[dict[str, Any]] = [
    {"id": "gold-1", "inputs": {"statement": "I hate it with all my heart."}, "answer": "negative"}
]


def write_project(folder: Path) -> Path:
    """The board file of a new project in `folder`."""
    (folder / "words").mkdir(parents=True)
    (folder / "words" / "handler.py").write_text(HANDLER)
    (folder / "first.tsv").write_text(
        "a bad film\tnegative\na fine film\tpositive\nnot a bad one\tpositive\n"
    )
    write_lines(folder / "prompts.jsonl", PROMPTS)
    write_lines(folder / "gold.jsonl", GOLD)
    (folder / "board.toml").write_text(BOARD)
    return folder / "board.toml"


def open_on_site(board_file: Path) -> None:
    """Let the project's collection take tries from its site."""
    text = board_file.read_text("utf-8").replace('board = "b"', 'board = "b"\nsite = true')
    board_file.write_text(
        text.replace("[measure]", '[site]\nbrowser_models = ["words"]\n\n[measure]'), "utf-8"
    )


def write_lines(path: Path, rows: Sequence[Mapping[str, object]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def run(project: Path, *arguments: str) -> str:
    """What a command says that does what it shall."""
    done = forked_command.run(*arguments, cwd=project)
    assert done.returncode == 0, done.stderr
    return done.stdout


def collection_at(board_file: Path) -> Collection:
    """The collection of a project."""
    return open_collection(load_boards(board_file), "notes", board_file.parent, board_file.parent)


def written_try(
    number: int, writer: str, text: str, answer: str, prompt: str = "p0", place: Place = "worker"
) -> list[dict[str, object]]:
    """The two lines of a try; the model's answer is made up, and the same always."""
    id_ = f"{number:032x}"
    said = ModelAnswer(model="words", revision="sha256:" + "0" * 64, answer="positive", ms=1.0, place=place)
    asked = Asked(
        id=id_,
        collection="notes",
        writer=writer,
        prompt=prompt,
        inputs={"statement": text},
        tags={"topic": "even"},
        answers=(said,),
        seconds=1.0,
        at=MOMENT,
    )
    return [asked.plain(), Judged(id=id_, answer=answer, at=MOMENT).plain()]


def response(number: int | str, validator: str, answer: str | None, reason: str = "") -> dict[str, object]:
    """A line of a validator: an answer, or a flag."""
    id_ = number if isinstance(number, str) else f"{number:032x}"
    mark = "flag" if answer is None else None
    found = Response(
        id=id_, collection="notes", validator=validator, answer=answer, mark=mark, reason=reason, at=MOMENT
    )
    return found.plain()


def keep_checked(collection: Collection) -> None:
    """As `check_tries` would, with a model that says positive always, and the text of try 4 known already."""
    checked = tuple(
        CheckedTry(
            id=one.id,
            answers=one.asked.answers,
            fooled=("words",) if one.right == "negative" else (),
            problems=("is known",) if one.id == f"{4:032x}" else (),
        )
        for one in collection.judged_tries()
    )
    found = CheckedTries(tries_hash=tries_hash(collection), models={}, tries=checked)
    collection.keep(FILE, found)
