"""Browser copies: what a page needs to run a model, in a folder named by what it holds.

Models in plain Python run there unchanged: their folder is copied, and VADER's package. Linear models become
weights, which `linear` reads, neural classifiers a network and a tokeniser (`networks`). Everything else is
refused with the reason.
"""

from __future__ import annotations

import ast
import json
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluator.measure.models import open_model
from evaluator.measure.models.base import Model
from evaluator.measure.models.baselines import FastText, Pipeline, label_name
from evaluator.measure.worker import ModelToLoad
from evaluator.records.base import dump, file_sha256
from evaluator.records.browser import COPY, ENCODER, BrowserCopy, CopyFile, copy_folder
from evaluator.records.errors import UserError
from evaluator.records.scratch import scratch_folder
from evaluator.tryit.linear import DESCRIPTION, WEIGHTS, key_of

#: The folders of a copy: what the adapter opens, and what can be imported.
MODEL, PACKAGES = "model", "packages"
VADER = "vaderSentiment"

#: What of a TfidfVectorizer the copy can do, and the only values that it knows.
PLAIN = {
    "analyzer": ("word",),
    "preprocessor": (None,),
    "tokenizer": (None,),
    "strip_accents": (None,),
    "stop_words": (None,),
    "norm": ("l2", None),
}

Adapter = tuple[str, dict[str, Any]]


def make_copy(id_: str, model: ModelToLoad, target: Path) -> tuple[BrowserCopy, Path]:
    """Make the copy of a model under `target`; return its manifest and its folder.

    Models of libraries are opened in this process. Raises `UserError` where no page
    can run the model, and what opening it raises.
    """
    if model.adapter not in MAKERS:
        raise UserError("adapter", f"no page can run models of {model.adapter}")
    target.mkdir(parents=True, exist_ok=True)
    with scratch_folder(target / id_) as scratch:
        fresh = scratch / "copy"
        (fresh / MODEL).mkdir(parents=True)
        adapter, options = MAKERS[model.adapter](model, fresh)
        copy = BrowserCopy(
            model=id_,
            task=model.task,
            labels=model.labels,
            adapter=adapter,
            options=options,
            files=dict(_files(fresh)),
        )
        (fresh / COPY).write_bytes(dump(copy.plain()))
        folder = copy_folder(target, id_, copy.content_hash())
        shutil.rmtree(folder, ignore_errors=True)
        fresh.rename(folder)
    return copy, folder


def _files(folder: Path) -> Iterator[tuple[str, CopyFile]]:
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            name = path.relative_to(folder).as_posix()
            yield name, CopyFile(sha256=file_sha256(path), size=path.stat().st_size)


def _majority(model: ModelToLoad, folder: Path) -> Adapter:
    shutil.copy(model.directory / "majority.json", folder / MODEL)
    return model.adapter, dict(model.options)


def _whole_context(model: ModelToLoad, folder: Path) -> Adapter:
    return model.adapter, dict(model.options)


def _lexicon(model: ModelToLoad, folder: Path) -> Adapter:
    """VADER's package as it is installed, with its licence."""
    for file in metadata.files(VADER) or ():
        if (file.parts[0] == VADER and file.suffix in (".py", ".txt")) or file.name.startswith("LICENSE"):
            place = folder / PACKAGES / VADER / file.name
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(str(file.locate()), place)
    return model.adapter, dict(model.options)


def _handler(model: ModelToLoad, folder: Path) -> Adapter:
    """The handler's whole folder, if all that its modules import is there or in the standard library."""
    paths = [path for path in sorted(model.directory.rglob("*")) if "__pycache__" not in path.parts]
    for path in paths:
        if path.is_symlink():
            raise UserError(path, "is a link", "put the file itself there")
        if path.suffix == ".py":
            _check_imports(path, model.directory)
        if path.is_file():
            place = folder / MODEL / path.relative_to(model.directory)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, place)
    return model.adapter, dict(model.options)


def _check_imports(path: Path, directory: Path) -> None:
    neighbours = {other.stem for other in directory.iterdir()}
    for node in ast.walk(ast.parse(path.read_bytes())):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.append(node.module)
        for name in names:
            top = name.partition(".")[0]
            if top not in sys.stdlib_module_names and top not in neighbours:
                raise UserError(
                    path.name,
                    f"imports {top}",
                    "a page has only Python's standard library and the modules of the folder",
                )


def _linear(model: ModelToLoad, folder: Path) -> Adapter:
    opened = open_model(model.adapter, model.directory, model.options, model.task, model.labels)
    export_weights(opened, folder / MODEL)
    return "linear", {}


def _network(model: ModelToLoad, folder: Path) -> Adapter:
    # What exports networks is not needed for any other model.
    from evaluator.tryit.networks import export

    opened = open_model(model.adapter, model.directory, model.options, model.task, model.labels)
    return ENCODER, export(opened, model.directory, model.options, folder / MODEL)


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
        """Write both files. Raises `UserError` where two features have one hash."""
        keys = [key_of(word) for word in self.words]
        if len(set(keys)) < len(keys):
            raise UserError("features", "two of them have the same hash", "train it again")
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
                raise UserError(
                    "features", f"they have {len(distinct)} different weights of rarity", "65,535 at most"
                )
            spec["idf"] = distinct.tolist()
            parts.append(places.astype("<u2").tobytes())
        rows = [*order, *range(len(keys), self.weights.shape[1])]
        parts.append(self.weights[:, rows].astype("<f4").tobytes())
        (folder / DESCRIPTION).write_text(json.dumps(spec, ensure_ascii=False) + "\n", encoding="utf-8")
        (folder / WEIGHTS).write_bytes(b"".join(parts))


def export_weights(model: Model, folder: Path) -> None:
    """Write an opened model's weights into a folder. `UserError` where it is no plain linear one."""
    if isinstance(model, Pipeline):
        _of_pipeline(model).write(folder)
    elif isinstance(model, FastText):
        _of_fasttext(model).write(folder)
    else:
        raise UserError("model", "it is no linear model", "no page can run it")


def _of_pipeline(model: Pipeline) -> ExportedWeights:
    """A scikit-learn pipeline of a TfidfVectorizer and a LogisticRegression."""
    steps = [step for _, step in model.pipeline.steps]
    names = [type(step).__name__ for step in steps]
    if names != ["TfidfVectorizer", "LogisticRegression"]:
        raise UserError(
            "pipeline",
            f"it is of {', '.join(names)}",
            "only TfidfVectorizer, LogisticRegression can be copied",
        )
    vectorizer, classifier = steps
    for name, known in PLAIN.items():
        if getattr(vectorizer, name) not in known:
            raise UserError(
                f"TfidfVectorizer.{name}", f"{getattr(vectorizer, name)!r}", "a page does not know it"
            )
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
        raise UserError("fastText", "it is quantized, has parts of words, or another loss than softmax")
    classes = [model.classes[label_name(label)] for label in floret.get_labels()]
    output = np.asarray(floret.get_output_matrix(), dtype=np.float64)
    inputs = np.asarray(floret.get_input_matrix(), dtype=np.float64)
    features = {"split_words": model.split_words, "longest": args.wordNgrams, "buckets": args.bucket}
    weights = (output[1:] - output[0]) @ inputs.T
    return ExportedWeights(
        "fasttext", classes, floret.get_words(), features, weights, np.zeros(len(classes) - 1)
    )


MAKERS: dict[str, Callable[[ModelToLoad, Path], Adapter]] = {
    "majority": _majority,
    "whole-context": _whole_context,
    "lexicon": _lexicon,
    "handler": _handler,
    "sklearn": _linear,
    "fasttext": _linear,
    "transformers": _network,
    "embeddings": _network,
    "onnx": _network,
}
