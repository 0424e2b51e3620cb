"""How long an import of many predictions takes, and how much memory: ``steelyard import``.

Run from the repository: python benchmarks/import_predictions.py [--rows 200000] [--keep FOLDER]
The dataset has `--rows` made-up sentences with a label each, as CSV; the predictions are random: with labels
alone, with a confidence, and with a probability for each label. Each import is a separate process, into
results that are empty; the last one is a second model's, beside the first, so that how both vary together is
computed too. The memory shown is the largest that the process held.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from processes import used

#: Seconds and megabytes that an import of a million rows may take.
BUDGET = 10.0
LABELS = ("negative", "positive")
WORDS = (
    *("a", "an", "the", "film", "plot", "cast", "music", "scene", "end", "star"),
    *("good", "bad", "slow", "quick", "dull", "bright", "warm", "cold", "old", "new"),
)
BOARD = """
title = "Many examples"

[[datasets]]
id = "many"
label = "Many"
task = "sentiment"
format = "csv"
path = "many.csv"
labels = ["negative", "positive"]
columns = { statement = "text", label = "label", id = "id" }

[[boards]]
id = "many"
title = "Many"
task = "sentiment"
base = "accuracy"
datasets = ["many"]
metrics = [{ name = "accuracy", label = "Accuracy", unit = "%" }]
"""

#: What makes one row of a file of predictions from its id and chance.
Row = Callable[[str, random.Random], str]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--keep", type=Path, help="write the files to this folder, and keep them")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        world = made(options.keep or Path(scratch), options.rows)
        print(f"{options.rows:,} rows; allowed are {BUDGET:g} s for 200,000")
        for name in FILES:
            shutil.rmtree(world / "results", ignore_errors=True)
            report(name, *imported(world, name, "first"))
        report(f"{next(reversed(FILES))}, second model", *imported(world, next(reversed(FILES)), "second"))


def report(what: str, seconds: float, busy: float, peak: float) -> None:
    print(f"  {what:28} {seconds:6.2f} s, processor busy for {busy:5.2f} s, peak {peak:4.0f} MB", flush=True)


def imported(world: Path, name: str, model: str) -> tuple[float, float, float]:
    """Time of one import in seconds, processor time in seconds, and its peak memory in megabytes."""
    command = [sys.executable, "-m", "evaluator.cli", "import", str(world / name)]
    command += ["--board", str(world / "board.toml"), "--data", str(world)]
    command += ["--results", str(world / "results")]
    command += ["--dataset", "many", "--model", model]
    return used(command)


def made(folder: Path, rows: int) -> Path:
    """The folder with a board file, a dataset and files of predictions; they are made if it has none."""
    if not (folder / "board.toml").exists():
        folder.mkdir(parents=True, exist_ok=True)
        write(folder / "many.csv", dataset(rows))
        for name, (header, row) in FILES.items():
            write(folder / name, predictions(rows, header, row))
        (folder / "board.toml").write_text(BOARD, encoding="utf-8")
    return folder


def write(path: Path, lines: Iterator[str]) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in lines)


def dataset(rows: int) -> Iterator[str]:
    chance = random.Random("dataset")
    yield "id,text,label"
    for number in range(rows):
        text = " ".join(chance.choices(WORDS, k=chance.randint(4, 20)))
        yield f"row-{number},{text},{chance.choice(LABELS)}"


def predictions(rows: int, header: str, row: Row) -> Iterator[str]:
    chance = random.Random(header)
    if header:
        yield header
    yield from (row(f"row-{number}", chance) for number in range(rows))


def labelled(example: str, chance: random.Random) -> str:
    return f"{example},{chance.choice(LABELS)}"


def confident(example: str, chance: random.Random) -> str:
    return f"{example},{chance.choice(LABELS)},{chance.uniform(0.5, 1):.6f}"


def confident_object(example: str, chance: random.Random) -> str:
    sure = round(chance.uniform(0.5, 1), 6)
    return json.dumps({"id": example, "label": chance.choice(LABELS), "confidence": sure})


def probable(example: str, chance: random.Random) -> str:
    sure = round(chance.uniform(0.5, 1), 6)
    first, second = chance.sample((sure, round(1 - sure, 6)), 2)
    label = LABELS[first < second]
    return json.dumps({"id": example, "label": label, "probabilities": {LABELS[0]: first, LABELS[1]: second}})


FILES: dict[str, tuple[str, Row]] = {
    "labels.csv": ("id,label", labelled),
    "confident.csv": ("id,label,confidence", confident),
    "confident.jsonl": ("", confident_object),
    "probable.jsonl": ("", probable),
}

if __name__ == "__main__":
    main()
