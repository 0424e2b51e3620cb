"""A board of handlers on texts made for a benchmark, for those of evaluation on a cluster."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

BOARD = """
title = "T"

[[boards]]
id = "b"
title = "B"
task = "sentiment"
base = "accuracy"
datasets = ["d0"]
metrics = [{ name = "accuracy", label = "Accuracy", unit = "%" }]
"""
DATASET = """
[[datasets]]
id = "d{number}"
label = "D{number}"
task = "sentiment"
path = "d{number}.tsv"
format = "glue-sst2"
role = "evaluation"
"""
MODEL = """
[[models]]
id = "m{number}"
label = "M{number}"
task = "sentiment"
adapter = "handler"
directory = "m{number}"
"""


def write_board(folder: Path, datasets: Sequence[Sequence[str]], handlers: Sequence[str]) -> None:
    """Make `folder` anew: a dataset of each list of texts, labelled in turn, and a model of each handler.

    Nothing is timed there.
    """
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    tables = [BOARD]
    for number, texts in enumerate(datasets):
        rows = "".join(f"{text}\t{row % 2}\n" for row, text in enumerate(texts))
        (folder / f"d{number}.tsv").write_text("sentence\tlabel\n" + rows)
        tables.append(DATASET.format(number=number))
    for number, handler in enumerate(handlers):
        (folder / f"m{number}").mkdir()
        (folder / f"m{number}" / "handler.py").write_text(handler)
        tables.append(MODEL.format(number=number))
    (folder / "board.toml").write_text("".join(tables))
