"""A sequence classifier exported to ONNX, run by onnxruntime: neither torch nor transformers is loaded.

The folder holds the network, ``tokenizer.json`` and ``config.json``, as the recipe ``onnx`` and Hugging
Face's Optimum leave them. One text is read, or two as a pair, cut as the adapter transformers cuts them.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluator.models.base import (
    Model,
    ModelError,
    SequenceClassifier,
    known_options,
    label_fields,
    likeliest,
    map_labels,
    need,
)
from evaluator.models.pretrained import MANY, token_limit_of

ONNX_OPTIONS = ("file", "label_map", "max_length")
#: What a network may be given, by the attribute of a tokenised text.
INPUTS = {"input_ids": "ids", "attention_mask": "attention_mask", "token_type_ids": "type_ids"}
_TYPES = {"tensor(int64)": np.int64, "tensor(int32)": np.int32}


@dataclass(frozen=True)
class OnnxClassifier(SequenceClassifier):
    """A session of onnxruntime."""

    session: Any
    tokenizer: Any
    filler: int

    def predict_batch(self, examples: Sequence[dict[str, Any]]) -> list[Any]:
        """One answer for each example, from one padded batch."""
        logits = self._logits([self._encoded(example) for example in examples])
        powers = np.exp(logits - logits.max(-1, keepdims=True))
        shares = powers / powers.sum(-1, keepdims=True)
        return [likeliest(self.labels, self.classes, row) for row in shares.tolist()]

    def _encoded(self, example: Mapping[str, Any]) -> Any:
        first, *more = (example[field] for field in self.fields)
        # transformers takes an empty second text for none, and the network has learnt from it.
        texts = [first, *filter(None, more)]
        cut = "only_first" if len(texts) == 2 and self._leaves_room(texts[1]) else "longest_first"
        self.tokenizer.enable_truncation(self.max_length, strategy=cut)
        return self.tokenizer.encode(*texts)

    def _leaves_room(self, second: str) -> bool:
        self.tokenizer.no_truncation()
        taken = len(self.tokenizer.encode(second, add_special_tokens=False).ids)
        special: int = self.tokenizer.num_special_tokens_to_add(is_pair=True)
        return taken + special < self.max_length

    def _logits(self, encoded: Sequence[Any]) -> NDArray[np.float64]:
        """Texts x classes."""
        width = max(len(one.ids) for one in encoded)
        fillers = {"input_ids": self.filler}
        given = {}
        for wanted in self.session.get_inputs():
            rows = [getattr(one, INPUTS[wanted.name]) for one in encoded]
            filler = fillers.get(wanted.name, 0)
            filled = [[*row, *[filler] * (width - len(row))] for row in rows]
            given[wanted.name] = np.array(filled, dtype=_TYPES[wanted.type])
        logits: NDArray[np.float64] = self.session.run(None, given)[0].astype(np.float64)
        return logits


def open_model(directory: Path, options: Mapping[str, Any], task: str, labels: Sequence[str]) -> Model:
    """Load the network in `directory`: ``model.onnx``, or what the option `file` names there.

    Further options: `label_map` from the names in the model's ``id2label`` to the task's labels, and
    `max_length` in tokens (default: what the model allows, at most 512). It runs on as many threads as the
    worker may use. Raises `ModelError` if a file is missing or broken, takes or gives something else than a
    classifier does, if the classes are not the task's labels, and for a task of other answers.
    """
    known_options("onnx", options, ONNX_OPTIONS)
    fields = label_fields("onnx", task, most=2)
    config = _read_config(directory)
    network = network_file(directory, options)
    classes = map_labels(str(directory / "config.json"), _names(directory, config), options, task, labels)
    tokenizer = _read_tokenizer(directory)
    special = tokenizer.num_special_tokens_to_add(is_pair=len(fields) == 2)
    positions = config.get("max_position_embeddings") or 0
    length = token_limit_of(options, _stated(directory), positions, special + len(fields))
    model = OnnxClassifier(
        fields,
        tuple(labels),
        classes,
        length,
        session=_session(network),
        tokenizer=tokenizer,
        filler=int(config.get("pad_token_id") or 0),
    )
    _check_answers(model, network)
    return model


def network_file(directory: Path, options: Mapping[str, Any]) -> Path:
    """The network's file in `directory`. Raises `ModelError` where it is not there, or elsewhere."""
    name = options.get("file", "model.onnx")
    if not isinstance(name, str) or not (directory / name).resolve().is_relative_to(directory.resolve()):
        raise ModelError(f"options.file: {name!r} is no file of the model's folder {directory}; name one")
    if not (directory / name).is_file():
        raise ModelError(f"{directory / name}: no such file; export the model there, or correct options.file")
    return directory / name


def _session(file: Path) -> Any:
    """A session on the CPU. Raises `ModelError` unless it takes what a tokeniser gives."""
    runtime = need("onnxruntime")
    settings = runtime.SessionOptions()
    # Of its own accord it would take all processors, whatever the worker is pinned to.
    settings.intra_op_num_threads = int(os.environ.get("OMP_NUM_THREADS") or 0)
    settings.inter_op_num_threads = 1
    # Its own messages would only repeat what is raised.
    settings.log_severity_level = 4
    try:
        session = runtime.InferenceSession(str(file), settings, providers=["CPUExecutionProvider"])
    # What onnxruntime raises for broken files has no base of its own.
    except Exception as error:
        raise ModelError(f"{file}: {str(error).partition(chr(10))[0]}; export the model again") from error
    for wanted in session.get_inputs():
        if wanted.name not in INPUTS or wanted.type not in _TYPES:
            raise ModelError(
                f"{file}: it takes {wanted.name} of the type {wanted.type}; export it with"
                f" {', '.join(INPUTS)} alone, as whole numbers"
            )
    return session


def _check_answers(model: OnnxClassifier, file: Path) -> None:
    """Raise `ModelError` unless the network gives a number for each class, of one text and of two."""
    text = dict.fromkeys(model.fields, "text")
    longer = dict.fromkeys(model.fields, "text and more text")
    try:
        shape = model._logits([model._encoded(text), model._encoded(longer)]).shape
    # As above.
    except Exception as error:
        why = str(error).partition("\n")[0]
        raise ModelError(f"{file}: it answers no texts of several lengths: {why}; export it anew") from error
    if shape != (2, len(model.classes)):
        raise ModelError(
            f"{file}: its first output has the shape {shape} for 2 texts and {len(model.classes)} classes;"
            " export a sequence classifier, its logits first"
        )


def _read_config(directory: Path) -> dict[str, Any]:
    file = directory / "config.json"
    try:
        config = json.loads(file.read_bytes())
    except FileNotFoundError:
        raise ModelError(f"{file}: no such file; put the model's configuration there") from None
    except ValueError as error:
        raise ModelError(f"{file}: {error}; save the model's configuration again") from None
    if not isinstance(config, dict):
        raise ModelError(f"{file}: it is no JSON object; save the model's configuration again")
    return config


def _names(directory: Path, config: Mapping[str, Any]) -> list[str]:
    """The names of the classes, in the order of the outputs."""
    named = config.get("id2label")
    places = [str(place) for place in range(len(named))] if isinstance(named, dict) else []
    if not isinstance(named, dict) or len(named) < 2 or set(named) != set(places):
        raise ModelError(
            f"{directory / 'config.json'}: id2label: {named!r} does not name the classes from 0; add them"
        )
    return [str(named[place]) for place in places]


def _read_tokenizer(directory: Path) -> Any:
    file = directory / "tokenizer.json"
    if not file.is_file():
        raise ModelError(f"{file}: no such file; save the tokeniser as a fast one there")
    try:
        tokenizer = need("tokenizers").Tokenizer.from_file(str(file))
    # The library raises nothing but Exception itself.
    except Exception as error:
        raise ModelError(f"{file}: {error}; save the tokeniser again") from error
    tokenizer.no_padding()
    return tokenizer


def _stated(directory: Path) -> int:
    """How many tokens the tokeniser says are the most; more than any text has where it does not say."""
    file = directory / "tokenizer_config.json"
    try:
        stated = json.loads(file.read_bytes()).get("model_max_length")
    except (OSError, ValueError, AttributeError):
        return MANY
    return int(stated) if isinstance(stated, int | float) and 0 < stated < MANY else MANY
