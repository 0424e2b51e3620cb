"""What a task is: the fields it gives a model, the answers it asks for, and the checks on both."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from evaluator.data.tasks.answers import (
    MODEL,
    FieldError,
    Giver,
    Prediction,
    check_label_answer,
    check_text,
    check_text_answer,
    show,
    wrong_type,
)

#: The families of metrics (`evaluator.score.metrics`): what is computed from answers of this kind.
TaskKind = Literal["classification", "qa", "generation", "scored"]


@dataclass(frozen=True)
class Task:
    """A task over text fields.

    `fields` are the input fields every example has, all strings. `kind` decides which metrics fit.
    `label_sets` are the allowed tuples of labels, in order; None lets a dataset bring its own labels;
    it is empty where the answer is a text. `metric` is the canonical metric and `metrics` are all that
    are computed where their inputs exist, the canonical one first. `perturbable` are the fields a
    perturbation may touch. `mock_examples` makes nasty but valid examples from a
    seed. `words` are other words for labels, which are understood wherever a label is read.
    """

    name: str
    fields: tuple[str, ...]
    kind: TaskKind
    label_sets: tuple[tuple[str, ...], ...] | None
    metrics: tuple[str, ...]
    perturbable: tuple[str, ...]
    mock_examples: Callable[[int], list[dict[str, Any]]]
    words: Mapping[str, str] = dataclasses.field(default_factory=dict)

    @property
    def answer(self) -> Literal["label", "text", "none"]:
        """What a model answers with; of the task "scored" no answers are known, only what they scored."""
        if self.kind == "scored":
            return "none"
        return "label" if self.kind == "classification" else "text"

    @property
    def metric(self) -> str:
        """The canonical metric."""
        return self.metrics[0]

    def inputs(self, example: Mapping[str, Any]) -> dict[str, Any]:
        """What a model may see of `example`: the input fields, without its id."""
        return {field: example[field] for field in self.fields}

    def check_example(self, example: Any, where: str) -> None:
        """Raise `FieldError` unless `example` is a dict whose input fields are all strings of text.

        `where` says in the message which example it is. Other keys, such as ``id``, are left alone.
        """
        if not isinstance(example, dict | Mapping):  # of which the first is found at once
            raise wrong_type("example", example, "an object", f"give {', '.join(self.fields)}", where)
        for field in self.fields:
            if field not in example:
                raise FieldError(field, None, "missing", f"give every example a {field}", where)
            check_text(field, example[field], where)

    def label(self, word: str, labels: Iterable[str]) -> str:
        """Which of `labels` a word means; the word as it is, if it is one of them or means none."""
        if word not in self.words:
            return word
        labels, meant = tuple(labels), self.words[word]
        return word if word in labels or meant not in labels else meant

    def in_labels(self, words: Sequence[str]) -> tuple[str, ...]:
        """Labels that were given in other words, as the task has them; anything else as it is."""
        known = [label for labels in self.label_sets or () for label in labels]
        return tuple(self.label(word, known) for word in words)

    def check_labels(self, labels: Sequence[str]) -> None:
        """Raise `FieldError` unless `labels` is one of the task's label sets, in its order."""
        if self.answer == "text":
            if labels:
                raise FieldError("labels", labels, f"{self.name} asks for texts", "leave labels out")
        elif self.label_sets is None:
            _check_own_labels(labels)
        elif tuple(labels) not in self.label_sets:
            allowed = " or ".join(", ".join(labels) for labels in self.label_sets)
            raise FieldError(
                "labels", labels, f"{show(labels)} is not a label set of {self.name}", f"use {allowed}"
            )

    def check_output(self, output: Any, labels: Sequence[str], giver: Giver = MODEL) -> Prediction:
        """Return what a model answered as a `Prediction`; raise `FieldError` if it is no answer.

        `giver` is who messages speak of.

        Where a label is asked for: a label, or ``{"label": label}`` with, if the model has them,
        ``"confidence"`` (0 to 1) and ``"probabilities"`` (label to number, summing to 1 within 1e-3).
        Where a text is asked for: a string, or ``{"answer": string}`` with ``"confidence"``.
        """
        if self.answer == "label":
            return check_label_answer(self._in_labels(output, labels), labels, giver)
        return check_text_answer(output, giver)

    def _in_labels(self, output: Any, labels: Sequence[str]) -> Any:
        """An answer with the labels themselves in place of other words for them."""
        if not self.words:
            return output
        if isinstance(output, str):
            return self.label(output, labels)
        if not isinstance(output, Mapping):
            return output
        label, shares = output.get("label"), output.get("probabilities")
        if isinstance(label, str) and label not in self.words and shares is None:
            return output
        found = dict(output)
        if isinstance(label, str):
            found["label"] = self.label(label, labels)
        if isinstance(shares, Mapping) and all(isinstance(name, str) for name in shares):
            named = {self.label(word, labels): share for word, share in shares.items()}
            # Two words for one label are left to the checks, which refuse them.
            found["probabilities"] = named if len(named) == len(shares) else shares
        return found


def _check_own_labels(labels: Sequence[str]) -> None:
    texts = [label for label in labels if isinstance(label, str) and label]
    if len(texts) != len(labels) or len(set(texts)) != len(texts) or len(texts) < 2:
        raise FieldError("labels", labels, f"{show(labels)} are no labels", "give two or more, all different")
