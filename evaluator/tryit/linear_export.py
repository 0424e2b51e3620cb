"""The weights of linear classifiers, written for `evaluator.tryit.linear`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluator.measure.models.base import Model
from evaluator.measure.models.fasttext import FastText, label_name
from evaluator.measure.models.sklearn import Pipeline
from evaluator.tryit.errors import NotInBrowserError
from evaluator.tryit.features import key_of
from evaluator.tryit.linear import DESCRIPTION, WEIGHTS

#: What of a TfidfVectorizer the copy can do, and the only values that it knows.
PLAIN = {
    "analyzer": ("word",),
    "preprocessor": (None,),
    "tokenizer": (None,),
    "strip_accents": (None,),
    "stop_words": (None,),
    "norm": ("l2", None),
}


@dataclass(frozen=True)
class ExportedWeights:
    """A linear model as numbers: `weights` are (classes - 1) x (words, then buckets), `bias` classes - 1."""

    kind: str
    classes: Sequence[str]
    words: Sequence[str]
    features: Mapping[str, Any]
    weights: NDArray[np.float64]
    bias: NDArray[np.float64]
    idf: NDArray[np.float64] | None = None

    def write(self, folder: Path) -> None:
        """Write both files. Raises `NotInBrowserError` where two features have one hash."""
        keys = [key_of(word) for word in self.words]
        if len(set(keys)) < len(keys):
            raise NotInBrowserError("two of its features have the same hash")
        order = sorted(range(len(keys)), key=keys.__getitem__)
        spec = {
            "kind": self.kind,
            "classes": list(self.classes),
            "bias": self.bias.tolist(),
            "known": len(keys),
            "features": dict(self.features),
        }
        parts = [b"".join(keys[place] for place in order)]
        if self.idf is not None:
            distinct, places = np.unique(self.idf[order], return_inverse=True)
            if len(distinct) > np.iinfo(np.uint16).max:
                raise NotInBrowserError(f"its features have {len(distinct)} different weights of rarity")
            spec["idf"] = distinct.tolist()
            parts.append(places.astype("<u2").tobytes())
        rows = [*order, *range(len(keys), self.weights.shape[1])]
        parts.append(self.weights[:, rows].astype("<f4").tobytes())
        (folder / DESCRIPTION).write_text(json.dumps(spec, ensure_ascii=False) + "\n", encoding="utf-8")
        (folder / WEIGHTS).write_bytes(b"".join(parts))


def export(model: Model, folder: Path) -> None:
    """Write an opened model's weights into a folder. `NotInBrowserError` where it is no plain linear one."""
    if isinstance(model, Pipeline):
        _of_pipeline(model).write(folder)
    elif isinstance(model, FastText):
        _of_fasttext(model).write(folder)
    else:
        raise NotInBrowserError("it is no linear model")


def _of_pipeline(model: Pipeline) -> ExportedWeights:
    """A scikit-learn pipeline of a TfidfVectorizer and a LogisticRegression."""
    steps = [step for _, step in model.pipeline.steps]
    names = [type(step).__name__ for step in steps]
    if names != ["TfidfVectorizer", "LogisticRegression"]:
        raise NotInBrowserError(
            f"it is a pipeline of {', '.join(names)}; only TfidfVectorizer, LogisticRegression can be copied"
        )
    vectorizer, classifier = steps
    for name, known in PLAIN.items():
        if getattr(vectorizer, name) not in known:
            raise NotInBrowserError(f"its TfidfVectorizer has {name} = {getattr(vectorizer, name)!r}")
    words = vectorizer.get_feature_names_out().tolist()
    shortest, longest = vectorizer.ngram_range
    features = {
        "pattern": vectorizer.token_pattern,
        "lowercase": vectorizer.lowercase,
        "shortest": shortest,
        "longest": longest,
        "sublinear": vectorizer.sublinear_tf,
        "binary": vectorizer.binary,
        "normalised": vectorizer.norm is not None,
    }
    # Of two classes there is one row already, that of the second.
    weights, bias = classifier.coef_, classifier.intercept_
    if len(weights) > 1:
        weights, bias = weights[1:] - weights[0], bias[1:] - bias[0]
    idf = vectorizer.idf_ if vectorizer.use_idf else np.ones(len(words))
    return ExportedWeights("tfidf", model.classes, words, features, weights, bias, idf)


def _of_fasttext(model: FastText) -> ExportedWeights:
    """A fastText classifier: a feature's vector and a class's vector are multiplied once, here."""
    floret = model.model
    args = floret.f.getArgs()
    if args.loss.name != "softmax" or args.maxn > 0 or floret.is_quantized() or args.mode.name != "fasttext":
        raise NotInBrowserError("it is quantized, has parts of words, or another loss than softmax")
    classes = [model.classes[label_name(label)] for label in floret.get_labels()]
    output = np.asarray(floret.get_output_matrix(), dtype=np.float64)
    inputs = np.asarray(floret.get_input_matrix(), dtype=np.float64)
    features = {"split_words": model.split_words, "longest": args.wordNgrams, "buckets": args.bucket}
    weights = (output[1:] - output[0]) @ inputs.T
    return ExportedWeights(
        "fasttext", classes, floret.get_words(), features, weights, np.zeros(len(classes) - 1)
    )
