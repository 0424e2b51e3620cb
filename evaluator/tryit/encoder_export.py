"""Neural classifiers written for `evaluator.tryit.encoder`: the network as ONNX, and its tokeniser.

A network of torch is exported with torch's own exporter. Sentence embeddings with a logistic head become one
network with the head in it.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from evaluator.measure.models.base import Model, need
from evaluator.measure.models.embeddings import EmbeddingClassifier
from evaluator.measure.models.onnx import OnnxClassifier, attribute, network_file
from evaluator.measure.models.recipes.onnx import Logits, classifier_logits, write_network
from evaluator.measure.models.transformers import Classifier
from evaluator.records.browser import SUBWORDS
from evaluator.tryit import subwords_export, wordpiece_export
from evaluator.tryit.encoder import DESCRIPTION, NETWORK, TOKENIZER
from evaluator.tryit.errors import NotInBrowserError

#: The most bytes of a network that a page loads.
MOST_BYTES = 60_000_000
#: Weights that are kept as numbers of 16 bits where all of 32 bits are too many; smaller ones are not worth
# it.
LEAST_HALVED = 1024
#: Numbers of inputs in JavaScript's names, by ONNX's.
TYPES = {6: "int32", 7: "int64"}
_TEXTS = ["a text", "a text that is longer than the other one"]


@dataclass(frozen=True)
class _Exported:
    """What an opened model is made of; `write` puts its network into a file."""

    tokenizer: Any
    most: int
    classes: tuple[str, ...]
    write: Callable[[Path], None]


def export(model: Model, directory: Path, options: Mapping[str, Any], folder: Path) -> dict[str, str]:
    """Write a model that was opened from a `directory` with `options` into a folder; return the type of its
    `weights`, ``float32`` or ``float16``, and its kind of `tokenizer` unless that is WordPiece.

    Raises `NotInBrowserError` where it is no classifier whose tokeniser runs in a page, or is too large.
    """
    parts = _parts(model, directory, options)
    tokenizer = described(parts.tokenizer)
    kind = {"tokenizer": SUBWORDS} if "model" in tokenizer else {}
    network = _network(parts.write)
    weights = _make_fit(network)
    description = {
        "classes": parts.classes,
        "most": parts.most,
        "inputs": [
            {"name": one.name, "of": attribute(one.name), "type": TYPES[one.type.tensor_type.elem_type]}
            for one in network.graph.input
        ],
    }
    for name, content in ((DESCRIPTION, description), (TOKENIZER, tokenizer)):
        (folder / name).write_text(json.dumps(content, ensure_ascii=False) + "\n", encoding="utf-8")
    (folder / NETWORK).write_bytes(network.SerializeToString(deterministic=True))
    return {"weights": weights, **kind}


def described(tokenizer: Any) -> dict[str, Any]:
    """A `tokenizers.Tokenizer` as JSON, for `wordpiece.WordPiece` or `subwords.Subwords`.

    Raises `NotInBrowserError` where a page could not do exactly the same.
    """
    spec = json.loads(tokenizer.to_str())
    kind = spec["model"]["type"]
    if kind == "WordPiece":
        return wordpiece_export.described(tokenizer, spec)
    if kind in subwords_export.MODELS:
        return subwords_export.described(tokenizer, spec)
    known = " or ".join(["WordPiece", *subwords_export.MODELS])
    raise NotInBrowserError(f"its tokeniser has the model {kind}, not {known}")


def _parts(model: Model, directory: Path, options: Mapping[str, Any]) -> _Exported:
    if isinstance(model, OnnxClassifier):
        file, output = network_file(directory, options), model.network.output
        _check_any_text(model, file.name)
        return _Exported(
            model.tokenizer, model.max_length, model.classes, lambda place: _copy(file, output, place)
        )
    logits: Logits = classifier_logits
    if isinstance(model, Classifier):
        torch, tokenizer, most = model.model.torch, model.model.tokenizer, model.max_length
        network = model.model.network
    elif isinstance(model, EmbeddingClassifier):
        torch, tokenizer, most = model.encoder.torch, model.encoder.tokenizer, model.encoder.max_length
        network, logits = model.encoder.network, _head_logits(model)
    else:
        raise NotInBrowserError("it is no classifier of texts")
    _check_usual(tokenizer)
    batch = tokenizer(_TEXTS, padding=True, return_tensors="pt")
    return _Exported(
        tokenizer.backend_tokenizer,
        most,
        model.classes,
        lambda place: write_network(torch, network, logits, batch, place),
    )


def _check_usual(tokenizer: Any) -> None:
    """Raise `NotInBrowserError` where transformers does more than the tokeniser's description says."""
    if not tokenizer.is_fast:
        raise NotInBrowserError("its tokeniser is not one of the library tokenizers")
    for name, usual in (("truncation_side", "right"), ("split_special_tokens", False)):
        found = getattr(tokenizer, name)
        if found != usual:
            raise NotInBrowserError(f"its tokeniser has {name} = {found!r}, not {usual!r}")


def _head_logits(model: EmbeddingClassifier) -> Logits:
    """What the head makes of the embeddings of a tokenised batch."""
    weights, bias = (
        model.encoder.torch.from_numpy(numbers).float() for numbers in (model.weights, model.bias)
    )

    def logits(network: Any, batch: Mapping[str, Any]) -> Any:
        states = network(**batch).last_hidden_state
        return model.encoder.pooled(states, batch["attention_mask"]) @ weights.T + bias

    return logits


def _network(write: Callable[[Path], None]) -> Any:
    """The network as `onnx` reads it, all weights in it, without what the exporter noted of this machine."""
    onnx = need("onnx")
    with tempfile.TemporaryDirectory() as scratch:
        write(Path(scratch, NETWORK))
        network = onnx.load(Path(scratch, NETWORK))
    network.doc_string = ""
    del network.metadata_props[:], network.graph.metadata_props[:], network.graph.value_info[:]
    for node in network.graph.node:
        node.doc_string = ""
        del node.metadata_props[:]
    return network


def _check_any_text(model: OnnxClassifier, name: str) -> None:
    """Raise `NotInBrowserError` where a page would not read the outputs of the network in the file `name` as
    the adapter does.
    """
    if model.network.width is not None:
        fix = "export it for texts of any length"
        raise NotInBrowserError(f"{name} takes texts of just {model.network.width} tokens; {fix}")
    if model.shares:
        raise NotInBrowserError(f"{name} gives probabilities, not logits; export it without the softmax")


def _copy(file: Path, output: str, place: Path) -> None:
    """A network with its weights, which may be in files beside it, and the `output` that answers alone."""
    onnx = need("onnx")
    network = onnx.load(file)
    others = [one for one in network.graph.output if one.name != output]
    for other in others:
        network.graph.output.remove(other)
    onnx.save(network, place)


def _make_fit(network: Any) -> str:
    """Keep weights as numbers of 16 bits if the network is too large otherwise. Returns their type."""
    before = network.ByteSize()
    if before <= MOST_BYTES:
        return "float32"
    _halve(network)
    after = network.ByteSize()
    if after > MOST_BYTES:
        raise NotInBrowserError(
            f"its network takes {before / 1e6:.1f} MB, and {after / 1e6:.1f} MB with weights of 16 bits;"
            f" a page loads at most {MOST_BYTES / 1e6:.0f} MB"
        )
    return "float16"


def _halve(network: Any) -> None:
    """Keep large weights as numbers of 16 bits, which become numbers of 32 bits when the network is loaded.

    Weights that such numbers cannot hold stay as they are.
    """
    onnx = need("onnx")
    casts = []
    for weights in network.graph.initializer:
        if weights.data_type != onnx.TensorProto.FLOAT:
            continue
        values = onnx.numpy_helper.to_array(weights)
        if values.size < LEAST_HALVED or np.abs(values).max() > np.finfo(np.float16).max:
            continue
        name = weights.name
        weights.CopyFrom(onnx.numpy_helper.from_array(values.astype(np.float16), f"{name}.half"))
        casts.append(onnx.helper.make_node("Cast", [weights.name], [name], to=onnx.TensorProto.FLOAT))
    nodes = [*casts, *network.graph.node]
    del network.graph.node[:]
    network.graph.node.extend(nodes)
