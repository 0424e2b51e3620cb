"""The most frequent label of the training set."""

from __future__ import annotations

import json
from pathlib import Path

from evaluator.measure.models.recipes.base import Options, Recipe, Training


def build(training: Training, options: Options, seed: int, directory: Path) -> dict[str, str]:
    """Count the labels."""
    counts = {label: training.gold.count(index) for index, label in enumerate(training.labels)}
    (directory / "majority.json").write_text(json.dumps({"counts": counts}, indent=2) + "\n")
    return {}


RECIPE = Recipe("majority", build, fields=None)
