"""A fastText classifier, saved as ``model.bin``, read with floret.

floret is fastText's own code, maintained; the `fasttext` package itself (0.9.3) fails with NumPy 2.
Its labels are single words: a space in a label is written ``%20``, as in an address.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from evaluator.measure.models.base import Model, ModelError, known_options, label_fields, map_labels, need

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


def open_model(directory: Path, options: Mapping[str, Any], task: str, labels: Sequence[str]) -> Model:
    """Load ``directory/model.bin``.

    Options: `split_words` (default false; fastText itself cuts at white space only), and `label_map`
    from the model's labels, without ``__label__``, to the task's. Raises `ModelError` if the file is
    missing, is no classifier, or has other labels.
    """
    known_options("fasttext", options, ("split_words", "label_map"))
    (field,) = label_fields("fasttext", task)
    floret = need("floret")
    file = directory / "model.bin"
    if not file.is_file():
        raise ModelError(f"{file}: no such file; save the fastText model there")
    try:
        model = floret.load_model(str(file))
        raw = [label_name(name) for name in model.get_labels()]
    except ValueError as error:
        raise ModelError(f"{file}: {error}; save a fastText classifier there") from error
    mapped = map_labels(str(file), raw, options, task, labels)
    classes = dict(zip(raw, mapped, strict=True))
    return FastText(model, field, classes, bool(options.get("split_words", False)))
