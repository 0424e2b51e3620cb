"""A transformers sequence classifier from a local directory or from the hub at a pinned commit.

It reads one text, or two as a pair: the first field of the task, then the second.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluator.measure.models.base import (
    Model,
    SequenceClassifier,
    known_options,
    label_fields,
    likeliest,
    map_labels,
)
from evaluator.measure.models.pretrained import OPTIONS, open_pretrained, token_limit
from evaluator.score.pretrained import Pretrained


@dataclass(frozen=True)
class Classifier(SequenceClassifier):
    """A classifier of transformers."""

    model: Pretrained

    def predict_batch(self, examples: Sequence[dict[str, Any]]) -> list[Any]:
        """One answer for each example, from one padded batch."""
        batch = self._pairs(examples) if len(self.fields) == 2 else self._singles(examples)
        with self.model.torch.inference_mode():
            logits = self.model.network(**batch).logits
        shares = logits.double().softmax(-1).tolist()
        return [likeliest(self.labels, self.classes, row) for row in shares]

    def _singles(self, examples: Sequence[dict[str, Any]]) -> Any:
        texts = [example[self.fields[0]] for example in examples]
        return self.model.tokenizer(
            texts, padding=True, truncation=True, max_length=self.max_length, return_tensors="pt"
        )

    def _pairs(self, examples: Sequence[dict[str, Any]]) -> Any:
        rows = []
        for example in examples:
            first, second = (example[field] for field in self.fields)
            cut = "only_first" if self._leaves_room(second) else "longest_first"
            rows.append(self.model.tokenizer(first, second, truncation=cut, max_length=self.max_length))
        return self.model.tokenizer.pad(rows, return_tensors="pt")

    def _leaves_room(self, second: str) -> bool:
        tokenizer = self.model.tokenizer
        taken = len(tokenizer(second, add_special_tokens=False)["input_ids"])
        special: int = tokenizer.num_special_tokens_to_add(pair=True)
        return taken + special < self.max_length


def open_model(directory: Path, options: Mapping[str, Any], task: str, labels: Sequence[str]) -> Model:
    """Load the classifier in `directory`, or the hub's `model` at `revision`, a full commit hash.

    Further options: `label_map` from the names in the model's ``id2label`` to the task's labels, and
    `max_length` in tokens (default: what the model allows, at most 512). Raises `ModelError` as
    `open_pretrained` does, if the classes are not the task's labels, and for a task of other answers.
    """
    known_options("transformers", options, (*OPTIONS, "label_map"))
    fields = label_fields("transformers", task, most=2)
    model = open_pretrained("SequenceClassification", directory, options)
    config = model.network.config
    names = [config.id2label[index] for index in range(config.num_labels)]
    classes = map_labels(str(model.directory / "config.json"), names, options, task, labels)
    special = model.tokenizer.num_special_tokens_to_add(pair=len(fields) == 2)
    length = token_limit(options, model, special + len(fields))
    return Classifier(fields, tuple(labels), classes, length, model)
