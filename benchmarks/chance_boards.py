"""Boards of made-up numbers: metrics ``x0``, ``x1`` and so on, drawn at random and reported by nobody."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from typing import Any

METRICS = 8


def board_file(boards: Mapping[str, str], datasets: int) -> str:
    """A board file: for each id and title a task with its datasets, and a board of them."""
    metrics = ",\n".join(
        f'  {{ name = "x{at}", label = "Metric {at}", unit = "%" }}' for at in range(METRICS)
    )
    tables = ['title = "Chance"']
    for board, title in boards.items():
        ids = dataset_ids(board, datasets)
        tables += [f'[[datasets]]\nid = "{id_}"\nlabel = "Dataset {id_}"\ntask = "{board}"' for id_ in ids]
        head = f'[[boards]]\nid = "{board}"\ntitle = "{title}"\ntask = "{board}"\nbase = "x0"'
        tables.append(f"{head}\ndatasets = {json.dumps(ids)}\nmetrics = [\n{metrics},\n]")
    return "\n\n".join(tables)


def dataset_ids(board: str, datasets: int) -> Sequence[str]:
    """The datasets of a board."""
    return [f"{board}-d{at}" for at in range(datasets)]


def reported(chance: random.Random, task: str, dataset: str, model: int, digits: int) -> dict[str, Any]:
    """The result of a model, by its number, with values of so many `digits` after the point."""
    scores = {
        f"x{at}": {"value": round(chance.random() * 100, digits), "unit": "%", "version": "1"}
        for at in range(METRICS)
    }
    return {
        "schema_version": 1,
        "kind": "result",
        "task": task,
        "model": {"id": f"model-{model:04}", "label": f"Model {model}"},
        "dataset": {"id": dataset, "examples": 1000},
        "provenance": "reported",
        "source": {"citation": "Chance"},
        "scores": scores,
        "created": "2026-11-21T15:20:00Z",
        "tool": "steelyard 1.0.0",
    }
