"""Neural classifiers as browser copies: the network as ONNX, its ``tokenizer.json``, and how they are asked.

``networks.js`` of the site reads them. A network of torch is exported with torch's own exporter; sentence
embeddings with a logistic head become one network with the head in it. The tokeniser is written as the
library tokenizers has it; whether the page's own library numbers texts alike is for `checking` to find out.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from evaluator.measure.models.base import Model, need
from evaluator.measure.models.encoders import Classifier, EmbeddingClassifier
from evaluator.measure.models.onnx import OnnxClassifier, attribute, network_file
from evaluator.measure.models.recipes.onnx import TEXTS, Logits, classifier_logits, write_network
from evaluator.records.errors import UserError

#: The files of a copy.
NETWORK, TOKENIZER = "model.onnx", "tokenizer.json"
#: The most bytes of a network that a page loads.
MOST_BYTES = 60_000_000
#: Weights of so many numbers are kept as numbers of 16 bits where all of 32 bits are too many.
LEAST_HALVED = 1024
#: Numbers of inputs in JavaScript's names, by ONNX's.
TYPES = {6: "int32", 7: "int64"}


def export(model: Model, directory: Path, options: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Write a model that was opened from a `directory` with `options` into a folder.

    Returns how a page asks it: the `fields` of an example that it reads, the label of each output
    (`classes`), the `most` tokens, what each of its `inputs` takes of a text, and the type of its `weights`,
    ``float32`` or ``float16``. Raises `UserError` where no page can run it, or it is too large.
    """
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch, NETWORK)
        if isinstance(model, OnnxClassifier):
            file, tokenizer, most = network_file(directory, options), model.tokenizer, model.max_length
            _copy_network(model, file, place)
        elif isinstance(model, Classifier | EmbeddingClassifier):
            opened = model.model if isinstance(model, Classifier) else model.encoder
            logits = classifier_logits if isinstance(model, Classifier) else _head_logits(model)
            most = model.max_length if isinstance(model, Classifier) else model.encoder.max_length
            _check_usual(opened.tokenizer)
            batch = opened.tokenizer(TEXTS, padding=True, return_tensors="pt")
            write_network(opened.torch, opened.network, logits, batch, place)
            tokenizer = opened.tokenizer.backend_tokenizer
        else:
            raise UserError("model", "it is no classifier of texts", "no page can run it")
        network = need("onnx").load(place)
    _forget_this_machine(network)
    weights = _make_fit(network)
    # Texts are cut and filled up by whoever asks, not as the tokeniser was last told here.
    spec = {**json.loads(tokenizer.to_str()), "truncation": None, "padding": None}
    (folder / TOKENIZER).write_text(json.dumps(spec, ensure_ascii=False) + "\n", encoding="utf-8")
    (folder / NETWORK).write_bytes(network.SerializeToString(deterministic=True))
    return {
        "fields": [model.field] if isinstance(model, EmbeddingClassifier) else list(model.fields),
        "classes": list(model.classes),
        "most": most,
        "inputs": [
            {"name": one.name, "of": attribute(one.name), "type": TYPES[one.type.tensor_type.elem_type]}
            for one in network.graph.input
        ],
        "weights": weights,
    }


def _check_usual(tokenizer: Any) -> None:
    """Raise `UserError` where transformers does more than ``tokenizer.json`` says."""
    if not tokenizer.is_fast:
        raise UserError("tokeniser", "it is not one of the library tokenizers", "save a fast one")
    for name, usual in (("truncation_side", "right"), ("split_special_tokens", False)):
        found = getattr(tokenizer, name)
        if found != usual:
            raise UserError("tokeniser", f"{name} is {found!r}", f"a page only knows {usual!r}")


def _head_logits(model: EmbeddingClassifier) -> Logits:
    """What the head makes of the embeddings of a tokenised batch."""
    weights, bias = (
        model.encoder.torch.from_numpy(numbers).float() for numbers in (model.weights, model.bias)
    )

    def logits(network: Any, batch: Mapping[str, Any]) -> Any:
        states = network(**batch).last_hidden_state
        return model.encoder.pooled(states, batch["attention_mask"]) @ weights.T + bias

    return logits


def _copy_network(model: OnnxClassifier, file: Path, place: Path) -> None:
    """A network with its weights, which may be in files beside it, and the output that answers alone.

    Raises `UserError` where a page would not read its outputs as the adapter does.
    """
    if model.network.width is not None:
        raise UserError(
            file.name,
            f"it takes texts of just {model.network.width} tokens",
            "export it for texts of any length",
        )
    if model.shares:
        raise UserError(file.name, "it gives probabilities, not logits", "export it without the softmax")
    onnx = need("onnx")
    network = onnx.load(file)
    for other in [one for one in network.graph.output if one.name != model.network.output]:
        network.graph.output.remove(other)
    onnx.save(network, place)


def _forget_this_machine(network: Any) -> None:
    """Take out what the exporter noted: the file and line of each step."""
    network.doc_string = ""
    del network.metadata_props[:], network.graph.metadata_props[:], network.graph.value_info[:]
    for node in network.graph.node:
        node.doc_string = ""
        del node.metadata_props[:]


def _make_fit(network: Any) -> str:
    """Keep weights as numbers of 16 bits if the network is too large otherwise. Returns their type."""
    before = network.ByteSize()
    if before <= MOST_BYTES:
        return "float32"
    _halve(network)
    after = network.ByteSize()
    if after > MOST_BYTES:
        raise UserError(
            "network",
            f"it takes {before / 1e6:.1f} MB, and {after / 1e6:.1f} MB with weights of 16 bits",
            f"a page loads at most {MOST_BYTES / 1e6:.0f} MB",
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
