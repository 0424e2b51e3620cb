"""A sequence classifier exported to ONNX, run by onnxruntime: neither torch nor transformers is loaded.

The folder holds the network, ``tokenizer.json`` and ``config.json``, as the recipe ``onnx``, Hugging Face's
Optimum and other exporters leave them. One text is read, or two as a pair, cut as the adapter transformers
cuts them.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluator.measure.models.base import (
    Model,
    SequenceClassifier,
    known_options,
    label_fields,
    likeliest,
    map_labels,
    need,
)
from evaluator.measure.models.pretrained import MANY, token_limit_of
from evaluator.records.errors import UserError

ONNX_OPTIONS = ("file", "label_map", "max_length")
#: What a network may be given, by the attribute of a tokenised text.
INPUTS = {"input_ids": "ids", "attention_mask": "attention_mask", "token_type_ids": "type_ids"}
#: What BERT's own code for TensorFlow calls the same.
OTHER_NAMES = {"input_mask": "attention_mask", "segment_ids": "token_type_ids"}
_TYPES = {"tensor(int64)": np.int64, "tensor(int32)": np.int32}
#: The network's file, in the order of preference: as exporters call it, and as folders of the hub have it.
USUAL_FILES = ("model.onnx", "onnx/model.onnx")
#: Shares of 1 are told from logits by how close their sum is to 1, in 32 bits.
SUMS_TO_ONE = 1e-3


@dataclass(frozen=True)
class OnnxNetwork:
    """A session of onnxruntime, and what of its inputs and outputs a classifier uses.

    `inputs` are the attributes of a tokenised text by the network's name, with their type; `output` has the
    classes' numbers. `one_by_one`: it takes a single text at a time; `width`: only texts of so many tokens,
    which shorter ones are filled up to.
    """

    session: Any
    inputs: Mapping[str, tuple[str, Any]]
    output: str
    one_by_one: bool
    width: int | None

    def run(self, encoded: Sequence[Any], filler: int) -> NDArray[np.float64]:
        """Texts x classes."""
        size = 1 if self.one_by_one else len(encoded)
        parts = [self._run(encoded[start : start + size], filler) for start in range(0, len(encoded), size)]
        return np.concatenate(parts)

    def _run(self, encoded: Sequence[Any], filler: int) -> NDArray[np.float64]:
        width = self.width or max(len(one.ids) for one in encoded)
        given = {}
        for name, (attribute, kind) in self.inputs.items():
            fill = filler if attribute == "ids" else 0
            rows = [getattr(one, attribute) for one in encoded]
            given[name] = np.array([[*row, *[fill] * (width - len(row))] for row in rows], dtype=kind)
        found: NDArray[np.float64] = self.session.run([self.output], given)[0].astype(np.float64)
        return found


@dataclass(frozen=True)
class OnnxClassifier(SequenceClassifier):
    """A network, and the tokeniser that it has learnt with.

    `shares`: it gives shares of 1 itself, and no logits.
    """

    network: OnnxNetwork
    tokenizer: Any
    filler: int
    shares: bool = False

    def predict_batch(self, examples: Sequence[dict[str, Any]]) -> list[Any]:
        found = self.outputs(examples)
        powers = found if self.shares else np.exp(found - found.max(-1, keepdims=True))
        shares = powers / powers.sum(-1, keepdims=True)
        return [likeliest(self.labels, self.classes, row) for row in shares.tolist()]

    def outputs(self, examples: Sequence[Mapping[str, Any]]) -> NDArray[np.float64]:
        """What the network makes of the examples: examples x classes."""
        return self.network.run([self._encoded(example) for example in examples], self.filler)

    def _encoded(self, example: Mapping[str, Any]) -> Any:
        first, *more = (example[field] for field in self.fields)
        # transformers takes an empty second text for none, and the network has learnt from it.
        texts = [first, *filter(None, more)]
        cut = "longest_first"
        if len(texts) == 2:
            self.tokenizer.no_truncation()
            taken = len(self.tokenizer.encode(texts[1], add_special_tokens=False).ids)
            if taken + self.tokenizer.num_special_tokens_to_add(is_pair=True) < self.max_length:
                cut = "only_first"
        self.tokenizer.enable_truncation(self.max_length, strategy=cut)
        return self.tokenizer.encode(*texts)


def open_model(directory: Path, options: Mapping[str, Any], task: str, labels: Sequence[str]) -> Model:
    """Load the network in `directory`: what the option `file` names there, else one of `USUAL_FILES`, else
    the only one that there is.

    Further options: `label_map` from the names in the model's ``id2label`` to the task's labels, and
    `max_length` in tokens (default: what the model allows, at most 512). It runs on as many threads as the
    worker may use. Raises `UserError` if a file is missing or broken, takes or gives something else than a
    classifier does, if the classes are not the task's labels, and for a task of other answers.
    """
    known_options("onnx", options, ONNX_OPTIONS)
    fields = label_fields("onnx", task, most=2)
    config = _read_config(directory)
    file = network_file(directory, options)
    names = _names(directory, config)
    classes = map_labels(str(directory / "config.json"), names, options, task, labels)
    tokenizer = _read_tokenizer(directory)
    special = tokenizer.num_special_tokens_to_add(is_pair=len(fields) == 2)
    positions = config.get("max_position_embeddings") or 0
    network = _opened(file)
    most = min(filter(None, (positions, network.width)), default=0)
    length = token_limit_of(options, _stated(directory), most, special + len(fields))
    filler = int(config.get("pad_token_id") or 0)
    model = OnnxClassifier(fields, tuple(labels), classes, length, network, tokenizer, filler)
    return replace(model, shares=_gives_shares(model, file))


def network_file(directory: Path, options: Mapping[str, Any]) -> Path:
    """The network's file in `directory`. Raises `UserError` where it is not there, or elsewhere."""
    name = options["file"] if "file" in options else _only_network(directory)
    if not isinstance(name, str) or not (directory / name).resolve().is_relative_to(directory.resolve()):
        raise UserError("options.file", f"{name!r} is no file of the model's folder {directory}", "name one")
    if not (directory / name).is_file():
        raise UserError(directory / name, "no such file", "export the model there, or correct options.file")
    return directory / name


def _only_network(directory: Path) -> str:
    """The name of the network that is meant where none is named. Raises `UserError` if that is not clear."""
    places = sorted([*directory.glob("*.onnx"), *directory.glob("onnx/*.onnx")])
    names = [path.relative_to(directory).as_posix() for path in places]
    usual = [name for name in USUAL_FILES if name in names]
    if not usual and len(names) > 1:
        raise UserError(directory, "it has several networks", f"name one as options.file: {', '.join(names)}")
    return [*usual, *names, *USUAL_FILES][0]


def _opened(file: Path) -> OnnxNetwork:
    """The network on the CPU. Raises `UserError` unless it takes what a tokeniser gives."""
    session = _session(file)
    given = {one.name: one for one in session.get_inputs()}
    for name, one in given.items():
        if attribute(name) is None or one.type not in _TYPES or len(one.shape) != 2:
            raise UserError(
                file,
                f"it takes {name} of the type {one.type} and the shape {one.shape}",
                f"export it with {', '.join(INPUTS)} alone, as whole numbers of texts x tokens",
            )
    inputs = {name: (str(attribute(name)), _TYPES[one.type]) for name, one in given.items()}
    names = [one.name for one in session.get_outputs()]
    output = "logits" if "logits" in names else names[0]
    texts, width = _fixed(file, [one.shape for one in given.values()])
    if width and "attention_mask" not in [attribute for attribute, _ in inputs.values()]:
        raise UserError(
            file,
            f"it takes texts of just {width} tokens and no attention_mask, so shorter ones"
            " would be read as longer",
            "export it with attention_mask, or for texts of any length",
        )
    return OnnxNetwork(session, inputs, output, texts == 1, width)


def attribute(name: str) -> str | None:
    """What a network's input of that `name` gets of a tokenised text; None for a name that is not known.

    TensorFlow's names have a number behind a colon.
    """
    plain = name.partition(":")[0]
    return INPUTS.get(OTHER_NAMES.get(plain, plain))


def _fixed(file: Path, shapes: Sequence[Sequence[Any]]) -> tuple[int | None, int | None]:
    """The number of texts and of tokens that the network was exported for, None for any."""
    found = [{size for size in sizes if isinstance(size, int)} for sizes in zip(*shapes, strict=True)]
    if any(len(sizes) > 1 for sizes in found) or found[0] - {1}:
        raise UserError(
            file,
            f"its inputs have the shapes {list(map(list, shapes))}",
            "export it for any number of texts, or for one",
        )
    texts, tokens = (next(iter(sizes), None) for sizes in found)
    return texts, tokens


def _session(file: Path) -> Any:
    """A session on the CPU. Raises `UserError` for a file that is broken."""
    runtime = need("onnxruntime")
    settings = runtime.SessionOptions()
    # Of its own accord it would take all processors, whatever the worker is pinned to.
    settings.intra_op_num_threads = int(os.environ.get("OMP_NUM_THREADS") or 0)
    settings.inter_op_num_threads = 1
    # Its own messages would only repeat what is raised.
    settings.log_severity_level = 4
    try:
        return runtime.InferenceSession(str(file), settings, providers=["CPUExecutionProvider"])
    # What onnxruntime raises for broken files has no base of its own.
    except Exception as error:
        raise UserError(file, str(error).partition(chr(10))[0], "export the model again") from error


def _gives_shares(model: OnnxClassifier, file: Path) -> bool:
    """Whether the network gives shares of 1 and no logits.

    Raises `UserError` unless it gives a number for each class, of one text and of two.
    """
    texts = [dict.fromkeys(model.fields, words) for words in ("text", "text and more text")]
    try:
        found = model.outputs(texts)
    # As above.
    except Exception as error:
        why = str(error).partition("\n")[0]
        raise UserError(file, f"it answers no texts of several lengths: {why}", "export it anew") from error
    if found.shape != (2, len(model.classes)):
        raise UserError(
            file,
            f"its output {model.network.output} has the shape {found.shape} for 2 texts"
            f" and {len(model.classes)} classes",
            "export a sequence classifier, its logits first or named logits",
        )
    sums = np.abs(found.sum(-1) - 1) < SUMS_TO_ONE
    return bool(sums.all() and (found >= 0).all())


def _read_config(directory: Path) -> dict[str, Any]:
    file = directory / "config.json"
    try:
        config = json.loads(file.read_bytes())
    except FileNotFoundError:
        raise UserError(file, "no such file", "put the model's configuration there") from None
    except ValueError as error:
        raise UserError(file, str(error), "save the model's configuration again") from None
    if not isinstance(config, dict):
        raise UserError(file, "it is no JSON object", "save the model's configuration again")
    return config


def _names(directory: Path, config: Mapping[str, Any]) -> list[str]:
    """The names of the classes, in the order of the outputs.

    transformers leaves out of the file what it would name them itself.
    """
    named = config.get("id2label", {str(place): f"LABEL_{place}" for place in range(2)})
    places = [str(place) for place in range(len(named))] if isinstance(named, dict) else []
    if not isinstance(named, dict) or len(named) < 2 or set(named) != set(places):
        raise UserError(
            directory / "config.json", f"id2label: {named!r} does not name the classes from 0", "add them"
        )
    return [str(named[place]) for place in places]


def _read_tokenizer(directory: Path) -> Any:
    file = directory / "tokenizer.json"
    if not file.is_file():
        raise UserError(file, "no such file", "save the tokeniser as a fast one there")
    try:
        tokenizer = need("tokenizers").Tokenizer.from_file(str(file))
    # The library raises nothing but Exception itself.
    except Exception as error:
        raise UserError(file, str(error), "save the tokeniser again") from error
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
