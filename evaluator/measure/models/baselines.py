"""Models without a network: a handler, VADER, the majority class, the whole context, scikit-learn, fastText.

VADER is a lexicon with rules for negation, emphasis and emoji; its compound score is in [-1, 1]. With two
labels a text is positive from 0 up; with three, positive from 0.05, negative to -0.05 and neutral between,
the thresholds its authors recommend (Hutto & Gilbert 2014, "VADER: A Parsimonious Rule-based Model for
Sentiment Analysis of Social Media Text"). Nothing but the standard library is imported before a model is
opened: browsers run some of these.
"""

from __future__ import annotations

import importlib.util
import json
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from evaluator.measure.models.base import (
    BatchModel,
    Model,
    joined,
    known_options,
    label_fields,
    likeliest,
    map_labels,
    need,
    number,
)
from evaluator.records.errors import UserError


def open_handler(directory: Path, options: Mapping[str, Any], task: str, labels: Sequence[str]) -> Model:
    """A submitter's own code: import ``directory/handler.py`` and call its ``load(directory)``.

    The module is the model: its ``predict(example)`` returns what the task asks for, and a
    ``predict_batch(examples)`` that returns a list is used where batching is allowed. The directory goes to
    the front of `sys.path`, so that the handler can import its neighbours. Raises `UserError` if the file or
    a function is missing or the file does not parse; what the handler itself raises passes through.
    """
    known_options("handler", options, ())
    file = directory.absolute() / "handler.py"
    if not file.is_file():
        raise UserError(file, "no such file", "write a handler.py with load(directory) and predict(example)")
    # The plain name lets a pickle made by a script that imported `handler` find its classes again.
    spec = importlib.util.spec_from_file_location("handler", file)
    assert spec is not None
    assert spec.loader is not None
    module: Any = importlib.util.module_from_spec(spec)
    sys.modules["handler"] = module
    sys.path.insert(0, str(file.parent))
    try:
        spec.loader.exec_module(module)
    except SyntaxError as error:
        raise UserError(f"{error.filename}:{error.lineno}", error.msg, "fix the syntax error") from error
    for signature in ("load(directory)", "predict(example)"):
        name = signature.partition("(")[0]
        if not callable(getattr(module, name, None)):
            raise UserError(file, f"has no function {name}", f"add `def {signature}:`")
    module.load(directory.absolute())
    model: Model = module
    return model


@dataclass(frozen=True)
class Lexicon:
    """A VADER analyser and its thresholds on the compound score."""

    analyser: Any
    positive_from: float
    negative_to: float | None

    def predict(self, example: dict[str, Any]) -> Any:
        """A label; the compound score is no probability, so no confidence is given."""
        compound = self.analyser.polarity_scores(example["statement"])["compound"]
        if compound >= self.positive_from:
            return {"label": "positive"}
        if self.negative_to is None or compound <= self.negative_to:
            return {"label": "negative"}
        return {"label": "neutral"}


def open_lexicon(directory: Path, options: Mapping[str, Any], task: str, labels: Sequence[str]) -> Model:
    """Load VADER; `directory` is not used.

    Options: `positive_from`, and with three labels `negative_to`, on the compound score. Raises
    `UserError` for another task than sentiment and for thresholds that are no numbers or cross.
    """
    if task != "sentiment":
        raise UserError(f"task {task}", "lexicon rates sentiment only", "use another adapter or recipe")
    ternary = "neutral" in labels
    known_options("lexicon", options, ("positive_from", "negative_to") if ternary else ("positive_from",))
    high = number(options, "positive_from", 0.05 if ternary else 0.0, -1, 1)
    low = number(options, "negative_to", -0.05, -1, 1) if ternary else None
    if low is not None and low >= high:
        raise UserError("options.negative_to", f"{low} is not below positive_from {high}", "lower it")
    analyser = need("vaderSentiment.vaderSentiment").SentimentIntensityAnalyzer()
    return Lexicon(analyser, high, low)


@dataclass(frozen=True)
class Majority(BatchModel):
    """Gives the same answer to every example."""

    answer: dict[str, Any]

    def predict_batch(self, examples: Sequence[dict[str, Any]]) -> list[Any]:
        """The most frequent label, with the shares of all labels as probabilities."""
        return [self.answer] * len(examples)


def open_majority(directory: Path, options: Mapping[str, Any], task: str, labels: Sequence[str]) -> Model:
    """Read ``directory/majority.json``. Of equally frequent labels the first in `labels` wins.

    Raises `UserError` if the file is missing, is not what it should be, or counts nothing.
    """
    known_options("majority", options, ())
    label_fields("majority", task, most=None)
    counts = _counts(directory / "majority.json", labels)
    total = sum(counts.values())
    shares = {label: count / total for label, count in counts.items()}
    return Majority({"label": max(labels, key=counts.__getitem__), "probabilities": shares})


def _counts(file: Path, labels: Sequence[str]) -> dict[str, int]:
    try:
        found = json.loads(file.read_bytes())["counts"]
        counts = {label: int(found.get(label, 0)) for label in labels}
    except FileNotFoundError:
        raise UserError(file, "no such file", "make it with the recipe majority") from None
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise UserError(file, f"{error!r}", 'write {"counts": {label: n}}') from error
    if set(found) - set(labels) or min(counts.values()) < 0 or not any(counts.values()):
        raise UserError(file, f"counts: {found} does not count the labels {', '.join(labels)}", "correct it")
    return counts


@dataclass(frozen=True)
class WholeContext(BatchModel):
    """Gives back what it was asked about."""

    def predict_batch(self, examples: Sequence[dict[str, Any]]) -> list[Any]:
        """The contexts, unchanged."""
        return [{"answer": example["context"]} for example in examples]


def open_whole_context(
    directory: Path, options: Mapping[str, Any], task: str, labels: Sequence[str]
) -> Model:
    """Open nothing; `directory` is not used. Raises `UserError` for another task than qa."""
    known_options("whole-context", options, ())
    if task != "qa":
        raise UserError(f"task {task}", "whole-context answers qa only", "use another adapter or recipe")
    return WholeContext()


@dataclass(frozen=True)
class Pipeline(BatchModel):
    """A pipeline and the label each of its classes stands for."""

    pipeline: Any
    fields: tuple[str, ...]
    labels: tuple[str, ...]
    classes: tuple[str, ...]
    probabilistic: bool

    def predict_batch(self, examples: Sequence[dict[str, Any]]) -> list[Any]:
        """The labels, with probabilities where the pipeline has `predict_proba`."""
        texts = [joined(example, self.fields) for example in examples]
        if not self.probabilistic:
            known = list(self.pipeline.classes_)
            return [{"label": self.classes[known.index(raw)]} for raw in self.pipeline.predict(texts)]
        shares = self.pipeline.predict_proba(texts).tolist()
        return [likeliest(self.labels, self.classes, row) for row in shares]


def open_sklearn(directory: Path, options: Mapping[str, Any], task: str, labels: Sequence[str]) -> Model:
    """Load ``directory/model.joblib``. Option `label_map`: class of the pipeline (as text) to label.

    Raises `UserError` if the file is missing or its classes are not the task's labels.
    """
    known_options("sklearn", options, ("label_map",))
    fields = label_fields("sklearn", task, most=None)
    need("sklearn")
    file = directory / "model.joblib"
    if not file.is_file():
        raise UserError(file, "no such file", "save the pipeline there with joblib.dump")
    pipeline = need("joblib").load(file)
    if not hasattr(pipeline, "classes_"):
        raise UserError(file, f"a {type(pipeline).__name__} has no classes_", "save a fitted classifier")
    classes = map_labels(str(file), [str(raw) for raw in pipeline.classes_], options, task, labels)
    return Pipeline(pipeline, fields, tuple(labels), classes, hasattr(pipeline, "predict_proba"))


PREFIX = "__label__"
_WORD = re.compile(r"\w+(?:'\w+)*|[^\w\s]")


@dataclass(frozen=True)
class FastText:
    """A fastText model; `classes` maps its labels, without their prefix, to the task's."""

    model: Any
    field: str
    classes: Mapping[str, str]
    split_words: bool

    def predict(self, example: dict[str, Any]) -> Any:
        """The likeliest label and its probability.

        One text in a list and one label: floret cannot return its scores for a lone text under NumPy
        2, and for a list it repeats the first score for all labels.
        """
        line = one_line(example[self.field], self.split_words)
        names, scores = self.model.predict([line], k=1)
        label = self.classes[label_name(names[0][0])]
        return {"label": label, "confidence": min(1.0, float(scores[0][0]))}


def one_line(text: str, split_words: bool) -> str:
    """`text` without newlines; with `split_words` lower-cased and its punctuation set apart."""
    return " ".join(_WORD.findall(text.lower())) if split_words else " ".join(text.split("\n"))


def label_name(written: str) -> str:
    """The label that a model's file writes as `written`."""
    return unquote(written.removeprefix(PREFIX))


def open_fasttext(directory: Path, options: Mapping[str, Any], task: str, labels: Sequence[str]) -> Model:
    """Load ``directory/model.bin``.

    Options: `split_words` (default false; fastText itself cuts at white space only), and `label_map`
    from the model's labels, without ``__label__``, to the task's. Raises `UserError` if the file is
    missing, is no classifier, or has other labels.
    """
    known_options("fasttext", options, ("split_words", "label_map"))
    (field,) = label_fields("fasttext", task)
    floret = need("floret")
    file = directory / "model.bin"
    if not file.is_file():
        raise UserError(file, "no such file", "save the fastText model there")
    try:
        model = floret.load_model(str(file))
        raw = [label_name(name) for name in model.get_labels()]
    except ValueError as error:
        raise UserError(file, str(error), "save a fastText classifier there") from error
    mapped = map_labels(str(file), raw, options, task, labels)
    classes = dict(zip(raw, mapped, strict=True))
    return FastText(model, field, classes, bool(options.get("split_words", False)))
