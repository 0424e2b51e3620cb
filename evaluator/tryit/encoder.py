"""A neural classifier of texts, except for its network, which runs outside of Python; standard library only.

The page asks in three steps: `EncoderCopy.question` turns an example into numbers, onnxruntime-web runs the
network on them, and `EncoderCopy.answer` makes an answer of what comes out. ``encoder.json`` has the
`classes` of the network's outputs, the `inputs` that it takes, and the `most` tokens of them;
``tokenizer.json`` is for `wordpiece.WordPiece`, or for `subwords.Subwords` where it has a `model`;
``model.onnx`` is the network.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluator.measure.models.base import label_fields, likeliest
from evaluator.tryit.assembling import Tokenizer
from evaluator.tryit.linear import softmax
from evaluator.tryit.wordpiece import WordPiece

#: The adapter of copies, as `evaluator.records` has it, and their files.
ADAPTER, DESCRIPTION, TOKENIZER, NETWORK = "encoder", "encoder.json", "tokenizer.json", "model.onnx"


@dataclass(frozen=True)
class EncoderCopy:
    """The labels of `classes`, in the order of the network's outputs; each of `inputs` has a name, which
    numbers of a text it takes (`of`), and their `type`.
    """

    fields: tuple[str, ...]
    labels: tuple[str, ...]
    classes: tuple[str, ...]
    most: int
    inputs: Sequence[Mapping[str, str]]
    tokenizer: Tokenizer

    def question(self, example: Mapping[str, str]) -> dict[str, dict[str, Any]]:
        """What the network is given for an example: for each input the `type` and the `values` of its
        numbers.
        """
        first, *more = (example[field] for field in self.fields)
        # An empty second text is none, as for the adapters transformers and onnx.
        numbers = self.tokenizer.encode([first, *filter(None, more)], self.most)
        return {one["name"]: {"type": one["type"], "values": numbers[one["of"]]} for one in self.inputs}

    def answer(self, logits: Sequence[float]) -> dict[str, Any]:
        """The likeliest label, with the softmax of the network's outputs as probabilities."""
        return likeliest(self.labels, self.classes, softmax(logits))


def open_model(directory: Path, task: str, labels: Sequence[str]) -> EncoderCopy:
    """Read the two descriptions in a directory. The network is not needed there."""
    spec = json.loads((directory / DESCRIPTION).read_bytes())
    tokenizer = _opened(json.loads((directory / TOKENIZER).read_bytes()))
    fields = label_fields(ADAPTER, task, most=2)
    return EncoderCopy(fields, tuple(labels), tuple(spec["classes"]), spec["most"], spec["inputs"], tokenizer)


def _opened(spec: Mapping[str, Any]) -> Tokenizer:
    if "model" not in spec:
        return WordPiece(spec)
    # Pages without such a tokeniser have no modules for it.
    from evaluator.tryit.subwords import Subwords

    return Subwords(spec)
