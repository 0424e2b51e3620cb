"""A transformers classifier exported to ONNX, and how its answers compare with those of the original.

Both answer the same texts of the training set, in batches of texts of all lengths as the file has them.
"""

from __future__ import annotations

import glob
import logging
import shutil
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from evaluator.measure.models.base import BatchModel, need
from evaluator.measure.models.encoders import open_classifier as open_original
from evaluator.measure.models.onnx import INPUTS, network_file
from evaluator.measure.models.onnx import open_model as open_exported
from evaluator.measure.models.prepared import Options, Recipe, Training
from evaluator.measure.models.pretrained import open_pretrained
from evaluator.records.base import digest, directory_files
from evaluator.records.errors import UserError

#: A function of a network and a tokenised batch.
Logits = Callable[[Any, Mapping[str, Any]], Any]

NETWORK, BATCH, MOST_TEXTS = "model.onnx", 16, 500
#: How weights may be stored: as they were learnt, or in eight bits with a scale for each column.
FLOAT32, INT8 = "float32", "int8"
#: What the adapter reads besides the network.
COPIED = ("config.json", "tokenizer.json", "tokenizer_config.json")
#: A batch by which a network is traced.
TEXTS = ["a text", "a text that is longer than the other one"]
_SERVING = ("label_map", "max_length")


def build(training: Training, options: Options, seed: int, directory: Path) -> dict[str, Any]:
    """Export the classifier in the training's source, or take what was exported elsewhere; compare both.

    Raises `UserError` as `export`, `take` and `compare` do, and for `weights` that are neither.
    """
    assert training.source is not None
    if options["weights"] not in (FLOAT32, INT8):
        raise UserError("options.weights", repr(options["weights"]), f"choose {FLOAT32} or {INT8}")
    if options["file"] is None:
        export(training.source, directory)
    else:
        take(training.source, options["file"], directory)
    if options["weights"] == INT8:
        to_int8(network_file(directory, {}))
    given = {name: options[name] for name in _SERVING if options[name] is not None}
    return {"parity": compare(training, given, directory)}


def export(source: Path, directory: Path) -> None:
    """Write the classifier in `source`, saved with save_pretrained, to `directory` as ONNX.

    Raises `UserError` if it is no classifier, or its tokeniser no fast one.
    """
    for package in ("onnx", "onnxruntime", "onnxscript"):
        need(package)
    model = open_pretrained("SequenceClassification", source, {})
    _copy_description(source, directory)
    batch = model.tokenizer(TEXTS, padding=True, return_tensors="pt")
    write_network(model.torch, model.network, classifier_logits, batch, directory / NETWORK)


def take(source: Path, name: str, directory: Path) -> None:
    """Copy the network that lies in `source` under that `name` to `directory`, with what it is read with.

    Weights that lie beside it, in files that begin with its name, come along. Raises `UserError` if there is
    none, or its tokeniser is no fast one.
    """
    file = network_file(source, {"file": name})
    _copy_description(source, directory)
    for path in sorted(file.parent.glob(f"{glob.escape(file.stem)}.onnx*")):
        shutil.copyfile(path, directory / path.name)


def to_int8(file: Path) -> None:
    """Store the weights of a network's products in eight bits; what they are multiplied with is rounded to
    eight bits text by text, with a scale of its own, when the network answers."""
    quantization = need("onnxruntime.quantization")
    smaller = file.with_suffix(".int8")
    with _quiet("root"):
        quantization.quantize_dynamic(file, smaller, per_channel=True)
    for path in file.parent.glob(f"{glob.escape(file.stem)}.onnx*"):
        path.unlink()
    smaller.rename(file)


def _copy_description(source: Path, directory: Path) -> None:
    for name in COPIED:
        if (source / name).is_file():
            shutil.copyfile(source / name, directory / name)
    if not (source / "tokenizer.json").is_file():
        raise UserError(source / "tokenizer.json", "no such file", "save the tokeniser as a fast one")


def write_network(torch: Any, network: Any, logits: Logits, batch: Mapping[str, Any], file: Path) -> None:
    """Write what `logits` makes of a torch `network` and a tokenised batch to a file as ONNX.

    The exported network takes what the `batch` has of `INPUTS`, and any number of texts of any length.
    """
    for package in ("onnx", "onnxscript"):
        need(package)
    given = {name: batch[name] for name in INPUTS if name in batch}
    sizes = dict.fromkeys((0, 1), torch.export.Dim.DYNAMIC)
    with _quiet("torch.onnx"):
        torch.onnx.export(
            _of_tensors(torch, network, logits, tuple(given)).eval(),
            tuple(given.values()),
            file,
            input_names=list(given),
            output_names=["logits"],
            dynamic_shapes=((sizes,) * len(given),),
            dynamo=True,
            verbose=False,
        )


@contextmanager
def _quiet(logger: str) -> Iterator[None]:
    """Without what a library says of packages that it does not need, and of its own code."""
    log = logging.getLogger(logger)
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings(action="ignore"):
            yield
    finally:
        log.setLevel(level)


def classifier_logits(network: Any, batch: Mapping[str, Any]) -> Any:
    """What a sequence classifier of transformers makes of a tokenised batch."""
    return network(**batch).logits


def _of_tensors(torch: Any, network: Any, logits: Logits, names: tuple[str, ...]) -> Any:
    """The network as a function of tensors to a tensor, which is what can be exported."""

    class OfTensors(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.network = network

        def forward(self, *tensors: Any) -> Any:
            return logits(self.network, dict(zip(names, tensors, strict=True)))

    return OfTensors()


def compare(training: Training, options: Mapping[str, Any], directory: Path) -> dict[str, Any]:
    """How the exported model's answers to training texts compare with the original's: a `records.Parity`."""
    assert training.source is not None
    step = -(-len(training.examples) // MOST_TEXTS)
    examples = [dict(example) for example in training.examples[::step]]
    answers = []
    for opener, folder in ((open_original, training.source), (open_exported, directory)):
        model = opener(folder, options, training.task, training.labels)
        assert isinstance(model, BatchModel)
        starts = range(0, len(examples), BATCH)
        answers.append([one for at in starts for one in model.predict_batch(examples[at : at + BATCH])])
    pairs = list(zip(*answers, strict=True))
    apart = [
        abs(one["probabilities"][label] - two["probabilities"][label])
        for one, two in pairs
        for label in training.labels
    ]
    return {
        "source": digest(directory_files(training.source)),
        "dataset": training.dataset,
        "texts": len(pairs),
        "same_label": sum(one["label"] == two["label"] for one, two in pairs),
        "largest_difference": max(apart),
    }


RECIPE = Recipe(
    "onnx",
    build,
    options={"label_map": {}, "max_length": None, "file": None, "weights": FLOAT32},
    serving=_SERVING,
    packages={name: name for name in ("onnx", "onnxruntime", "onnxscript", "torch", "transformers")},
    fields=2,
    from_directory=True,
)
