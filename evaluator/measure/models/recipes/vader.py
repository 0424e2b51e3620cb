"""VADER as it comes; there is nothing to train and nothing to keep."""

from __future__ import annotations

from pathlib import Path

from evaluator.measure.models.recipes.base import Options, Recipe, Training


def build(training: Training, options: Options, seed: int, directory: Path) -> dict[str, str]:
    """Leave the directory as it is."""
    return {}


RECIPE = Recipe("lexicon", build, packages={"vaderSentiment": "vaderSentiment"}, trained=False)
