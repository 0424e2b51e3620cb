"""A board of the two little datasets of `recipes/little_data.py`, and real logs of five tools about them."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from evaluator.exchange.importing import ImportedLog, ImportedTask, import_logs, planned_logs
from evaluator.exchange.logs import read_logs
from evaluator.exchange.matching import ImportRequest
from evaluator.records.board import load_boards
from evaluator.records.store import Store

HERE = Path(__file__).parent
REAL = HERE / "real"
sys.path.insert(0, str(HERE / "recipes"))
CREATED = "2026-11-23T12:00:00Z"

BOARD = """
title = "Little"
data = "data"

[[datasets]]
id = "meals"
label = "Meals"
task = "classification"
path = "meals.jsonl"
format = "jsonl"
columns = { id = "id", text = "text", label = "label" }
labels = ["negative", "positive"]

[[datasets]]
id = "sums"
label = "Sums"
task = "generation"
path = "sums.jsonl"
format = "jsonl"
columns = { id = "id", text = "text", answers = "answers" }

[[datasets]]
id = "judged"
label = "Sums, judged"
task = "classification"
path = "judged.jsonl"
format = "jsonl"
columns = { id = "id", text = "text", label = "label" }
labels = ["right", "wrong"]

[[datasets]]
id = "elsewhere"
label = "Data that is not here"
task = "classification"

[[boards]]
id = "moods"
title = "Moods"
task = "classification"
base = "accuracy"
datasets = ["meals", "judged", "elsewhere"]
metrics = [{ name = "accuracy", label = "Accuracy", unit = "%" }]

[[boards]]
id = "adding"
title = "Adding"
task = "generation"
base = "exact-match"
datasets = ["sums"]
metrics = [{ name = "exact-match", label = "Exact match", unit = "%" }]
"""


def write_board(folder: Path) -> Path:
    """The board file, without data and results."""
    (folder / "board.toml").write_text(BOARD)
    return folder


def lighteval_folder(folder: Path, details: Path | None = None) -> Path:
    """The files of lighteval under the names that it gave them; returns the one with the results."""
    [results] = (REAL / "lighteval").glob("results_*.json")
    date = results.stem.removeprefix("results_")
    place = folder / "details" / "model" / date
    place.mkdir(parents=True)
    shutil.copy(details or REAL / "lighteval" / "details.parquet", place / f"details_meals|0_{date}.parquet")
    (folder / "results" / "model").mkdir(parents=True)
    return Path(shutil.copy(results, folder / "results" / "model"))


def imported(folder: Path, path: Path, model: str = "mine", **asked_for: object) -> ImportedLog:
    """What an import made of a log; missing data files are made of it unless told otherwise."""
    request = ImportRequest(model, **{"write_data": True, **asked_for})  # type: ignore[arg-type]
    boards = load_boards(folder / "board.toml")
    planned = planned_logs([(log, request) for log in read_logs(path)], boards)
    [done] = import_logs(planned, boards, Store(folder / "results"), folder / "data", CREATED)
    return done


def only(done: ImportedLog) -> ImportedTask:
    """The one task that was imported."""
    [one] = done.tasks
    return one
