"""A fastText classifier over words and word pairs, trained with floret on one thread."""

from __future__ import annotations

import math
from pathlib import Path
from urllib.parse import quote

from evaluator.measure.models.base import need
from evaluator.measure.models.fasttext import PREFIX, one_line
from evaluator.measure.models.recipes.base import Options, Recipe, Training


def build(training: Training, options: Options, seed: int, directory: Path) -> dict[str, str]:
    """Write the training file, train, save the model, delete the file."""
    floret = need("floret")
    file = directory / "train.txt"
    file.write_text("".join(_lines(training, options["split_words"])), encoding="utf-8")
    model = floret.train_supervised(
        str(file),
        mode="fasttext",
        lr=options["lr"],
        dim=options["dim"],
        epoch=math.ceil(options["passes"] / len(training.texts)),
        wordNgrams=options["ngrams"],
        bucket=options["buckets"],
        # More threads would race for the weights, and no two runs would agree.
        thread=1,
        seed=seed,
        verbose=0,
    )
    model.save_model(str(directory / "model.bin"))
    file.unlink()
    return {}


def _lines(training: Training, split_words: bool) -> list[str]:
    pairs = zip(training.gold, training.texts, strict=True)
    return [f"{PREFIX}{quote(training.labels[gold])} {one_line(text, split_words)}\n" for gold, text in pairs]


# `passes` counts sentences seen in training, all epochs together: a small file needs more epochs.
RECIPE = Recipe(
    "fasttext",
    build,
    options={"lr": 0.2, "dim": 50, "passes": 70_000, "ngrams": 2, "buckets": 100_000, "split_words": True},
    serving=("split_words",),
    packages={"floret": "floret"},
)
