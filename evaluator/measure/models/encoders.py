"""Encoders that classify: sequence classifiers of transformers, and sentence embeddings with a logistic head.

A sequence classifier reads one text, or two as a pair: the first field of the task, then the second. An
embedding is the mean of the last layer over a text's tokens, scaled to length 1 (Reimers & Gurevych 2019,
"Sentence-BERT"). Its model is ``encoder/``, a transformers model, and ``head.npz``, which holds `weights`
(labels x dimensions), `bias` (labels) and `labels`; probabilities are the softmax of
``weights @ embedding + bias``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluator.measure.models.base import (
    BatchModel,
    Model,
    SequenceClassifier,
    known_options,
    label_fields,
    likeliest,
    map_labels,
    need,
)
from evaluator.measure.models.pretrained import OPTIONS, open_pretrained, token_limit
from evaluator.records.errors import UserError
from evaluator.score.pretrained import Pretrained, read_pretrained


@dataclass(frozen=True)
class Classifier(SequenceClassifier):
    """A classifier of transformers."""

    model: Pretrained

    def predict_batch(self, examples: Sequence[dict[str, Any]]) -> list[Any]:
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


def open_classifier(directory: Path, options: Mapping[str, Any], task: str, labels: Sequence[str]) -> Model:
    """Load the classifier in `directory`, or the hub's `model` at `revision`, a full commit hash.

    Further options: `label_map` from the names in the model's ``id2label`` to the task's labels, and
    `max_length` in tokens (default: what the model allows, at most 512). Raises `UserError` as
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


@dataclass(frozen=True)
class Encoder(Pretrained):
    """A transformers encoder with its tokeniser; texts are cut to `max_length` tokens."""

    max_length: int

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One embedding of length 1 a text: texts x dimensions."""
        return self.embed_tokens(self.tokens(texts))

    def tokens(self, texts: Sequence[str]) -> Any:
        """What `embed_tokens` takes, padded to the longest text. One thread at a time may do this."""
        return self.tokenizer(
            list(texts), padding=True, truncation=True, max_length=self.max_length, return_tensors="pt"
        )

    def embed_tokens(self, batch: Any) -> NDArray[np.float32]:
        """As `embed`, from tokens; several threads may do this at once."""
        with self.torch.inference_mode():
            states = self.network(**batch).last_hidden_state
        embeddings: NDArray[np.float32] = self.pooled(states, batch["attention_mask"]).numpy()
        return embeddings

    def pooled(self, states: Any, mask: Any) -> Any:
        """The mean of a batch's last layer over the tokens that `mask` marks, scaled to length 1."""
        shares = mask.unsqueeze(-1)
        mean = (states * shares).sum(1) / shares.sum(1)
        return self.torch.nn.functional.normalize(mean, dim=-1)


def open_encoder(directory: Path, max_length: int) -> Encoder:
    """Load the encoder in `directory`. Raises `UserError` if there is none."""
    need("torch")
    need("transformers")
    found = read_pretrained("AutoModel", directory, may_lack=("pooler",), dtype="float32")
    return Encoder(**vars(found), max_length=min(max_length, found.network.config.max_position_embeddings))


@dataclass(frozen=True)
class EmbeddingClassifier(BatchModel):
    """An encoder and the logistic head on it."""

    encoder: Encoder
    weights: NDArray[np.float64]
    bias: NDArray[np.float64]
    field: str
    labels: tuple[str, ...]
    classes: tuple[str, ...]

    def predict_batch(self, examples: Sequence[dict[str, Any]]) -> list[Any]:
        embeddings = self.encoder.embed([example[self.field] for example in examples])
        return [self._answer(row) for row in embeddings @ self.weights.T + self.bias]

    def _answer(self, logits: NDArray[np.float64]) -> dict[str, Any]:
        powers = np.exp(logits - logits.max())
        return likeliest(self.labels, self.classes, (powers / powers.sum()).tolist())


def open_embeddings(directory: Path, options: Mapping[str, Any], task: str, labels: Sequence[str]) -> Model:
    """Load ``directory/encoder`` and ``directory/head.npz``.

    Options: `max_length` in tokens (default 256), and `label_map` from the head's labels to the
    task's. Raises `UserError` if a file is missing or the head does not fit.
    """
    known_options("embeddings", options, ("max_length", "label_map"))
    (field,) = label_fields("embeddings", task)
    file = directory / "head.npz"
    if not file.is_file():
        raise UserError(file, "no such file", "make it with the recipe minilm-logreg")
    with np.load(file, allow_pickle=False) as head:
        weights, bias, names = head["weights"], head["bias"], [str(name) for name in head["labels"]]
    encoder = open_encoder(directory / "encoder", options.get("max_length", 256))
    classes = map_labels(str(file), names, options, task, labels)
    return EmbeddingClassifier(encoder, weights, bias, field, tuple(labels), classes)
