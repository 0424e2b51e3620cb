"""Models behind one interface: `open_model` turns a directory on disk into something that predicts.

A worker only opens models: what makes them, in `preparing`, would weigh on its measured memory.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evaluator.measure.models.base import Model
from evaluator.records.errors import UserError, or_one_of

# By adapter the module of this package and its function of `(directory, options, task, labels)`.
ADAPTERS = {
    "handler": ("baselines", "open_handler"),
    "majority": ("baselines", "open_majority"),
    "lexicon": ("baselines", "open_lexicon"),
    "whole-context": ("baselines", "open_whole_context"),
    "sklearn": ("baselines", "open_sklearn"),
    "fasttext": ("baselines", "open_fasttext"),
    "transformers": ("encoders", "open_classifier"),
    "transformers-qa": ("transformers_qa", "open_model"),
    "transformers-text2text": ("transformers_text2text", "open_model"),
    "transformers-causal": ("transformers_causal", "open_model"),
    "embeddings": ("encoders", "open_embeddings"),
    "onnx": ("onnx", "open_model"),
}


def open_model(
    adapter: str, directory: Path, options: Mapping[str, Any], task: str, labels: Sequence[str]
) -> Model:
    """Load the model in `directory` with the named adapter and return it ready to predict.

    Raises `UserError` if the adapter is unknown or the directory or an option is wrong,
    `MissingPackage` if a package is not installed, and whatever the model's own code raises.
    """
    if adapter not in ADAPTERS:
        raise UserError("adapter", f"{adapter!r} is no adapter{or_one_of(adapter, ADAPTERS)}")
    name, function = ADAPTERS[adapter]
    module = importlib.import_module(f"{__name__}.{name}")
    model: Model = getattr(module, function)(Path(directory), options, task, tuple(labels))
    return model
