"""Recipes: how baselines are made from a training set, options and a seed.

Here are the majority class, VADER, the whole context, TF-IDF and fastText; `bert`, `minilm` and `onnx` have
the networks.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from urllib.parse import quote

from evaluator.measure.models.base import need
from evaluator.measure.models.baselines import PREFIX, one_line
from evaluator.measure.models.prepared import Options, Recipe, Training
from evaluator.measure.models.recipes import bert, minilm, onnx


def _build_majority(training: Training, options: Options, seed: int, directory: Path) -> dict[str, str]:
    """Count the labels."""
    counts = {label: training.gold.count(index) for index, label in enumerate(training.labels)}
    (directory / "majority.json").write_text(json.dumps({"counts": counts}, indent=2) + "\n")
    return {}


def _build_nothing(training: Training, options: Options, seed: int, directory: Path) -> dict[str, str]:
    """Leave the directory as it is: there is nothing to train and nothing to keep."""
    return {}


# Single letters and apostrophes count: "n't" and "i" carry sentiment.
WORD = r"[\w']+|[!?]"


def _build_tfidf(training: Training, options: Options, seed: int, directory: Path) -> dict[str, str]:
    """Fit the pipeline and save it with joblib."""
    linear, text = need("sklearn.linear_model"), need("sklearn.feature_extraction.text")
    vectorizer = text.TfidfVectorizer(
        token_pattern=WORD, ngram_range=(1, options["ngrams"]), sublinear_tf=True
    )
    classifier = linear.LogisticRegression(C=options["C"], max_iter=1000, random_state=seed)
    pipeline = need("sklearn.pipeline").make_pipeline(vectorizer, classifier)
    pipeline.fit(training.texts, [training.labels[index] for index in training.gold])
    # Where an object was in memory, which differs from run to run and would change the model's hash.
    vars(vectorizer).pop("_stop_words_id", None)
    need("joblib").dump(pipeline, directory / "model.joblib", compress=3)
    return {}


TFIDF_LOGREG = Recipe(
    "sklearn",
    _build_tfidf,
    options={"ngrams": 2, "C": 10.0},
    packages={"sklearn": "scikit-learn", "joblib": "joblib"},
    fields=None,
)


def _build_fasttext(training: Training, options: Options, seed: int, directory: Path) -> dict[str, str]:
    """Write the training file, train, save the model, delete the file."""
    floret = need("floret")
    file = directory / "train.txt"
    pairs = zip(training.gold, training.texts, strict=True)
    names, split = [quote(label) for label in training.labels], options["split_words"]
    lines = [f"{PREFIX}{names[gold]} {one_line(text, split)}\n" for gold, text in pairs]
    file.write_text("".join(lines), encoding="utf-8")
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


# `passes` counts sentences seen in training, all epochs together: a small file needs more epochs.
FASTTEXT = Recipe(
    "fasttext",
    _build_fasttext,
    options={"lr": 0.2, "dim": 50, "passes": 70_000, "ngrams": 2, "buckets": 100_000, "split_words": True},
    serving=("split_words",),
    packages={"floret": "floret"},
)

RECIPES: dict[str, Recipe] = {
    "majority": Recipe("majority", _build_majority, fields=None),
    "vader": Recipe("lexicon", _build_nothing, packages={"vaderSentiment": "vaderSentiment"}, trained=False),
    "whole-context": Recipe("whole-context", _build_nothing, trained=False),
    "tfidf-logreg": TFIDF_LOGREG,
    "fasttext": FASTTEXT,
    "bert-small": bert.SMALL,
    "minilm-logreg": minilm.LOGREG,
    "minilm-finetuned": minilm.FINETUNED,
    "minilm-int8": minilm.INT8,
    "onnx": onnx.RECIPE,
}
