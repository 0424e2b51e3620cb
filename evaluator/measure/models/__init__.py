"""Models behind one interface: `open_model` turns a directory on disk into something that predicts.

A worker only opens models: what makes them, in `preparing`, would weigh on its measured memory.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluator.measure.models.base import Model
from evaluator.records.errors import UserError, or_one_of

TRANSFORMERS = ("torch", "transformers")


@dataclass(frozen=True)
class Adapter:
    """A way to open models: a function of `(directory, options, task, labels)` in a module of this folder.

    `packages` are what it imports of those that are extras. It opens a folder unless `needs_folder` is False,
    or, `from_hub`, a model of the hub; one that is `prompted` shows examples in its prompts, and one that is
    `counting` counts the tokens that it writes: only such a count is believed, as it is no code of a model's.
    """

    module: str
    function: str = "open_model"
    packages: tuple[str, ...] = ()
    needs_folder: bool = True
    from_hub: bool = False
    prompted: bool = False
    counting: bool = False


ADAPTERS = {
    "handler": Adapter("baselines", "open_handler"),
    "majority": Adapter("baselines", "open_majority"),
    "lexicon": Adapter("baselines", "open_lexicon", ("vaderSentiment",), needs_folder=False),
    "whole-context": Adapter("baselines", "open_whole_context", needs_folder=False),
    "sklearn": Adapter("baselines", "open_sklearn", ("sklearn", "joblib")),
    "fasttext": Adapter("baselines", "open_fasttext", ("floret",)),
    "transformers": Adapter("encoders", "open_classifier", TRANSFORMERS, from_hub=True),
    "transformers-qa": Adapter("encoders", "open_reader", TRANSFORMERS, from_hub=True),
    "transformers-text2text": Adapter("transformers_text2text", packages=TRANSFORMERS, from_hub=True),
    "transformers-causal": Adapter(
        "transformers_causal", packages=TRANSFORMERS, from_hub=True, prompted=True, counting=True
    ),
    "gguf": Adapter("gguf", packages=("llama_cpp",), prompted=True, counting=True),
    "endpoint": Adapter("endpoint", packages=("openai",), needs_folder=False, prompted=True),
    "embeddings": Adapter("encoders", "open_embeddings", TRANSFORMERS),
    "onnx": Adapter("onnx", packages=("onnxruntime", "tokenizers")),
}
FROM_HUB = [name for name, adapter in ADAPTERS.items() if adapter.from_hub]
PROMPTED = [name for name, adapter in ADAPTERS.items() if adapter.prompted]
COUNTING = [name for name, adapter in ADAPTERS.items() if adapter.counting]
WITHOUT_DIRECTORY = [name for name, one in ADAPTERS.items() if one.from_hub or not one.needs_folder]


def open_model(
    adapter: str, directory: Path, options: Mapping[str, Any], task: str, labels: Sequence[str]
) -> Model:
    """Load the model in `directory` with the named adapter and return it ready to predict.

    Raises `UserError` if the adapter is unknown or the directory or an option is wrong,
    `MissingPackage` if a package is not installed, and whatever the model's own code raises.
    """
    if adapter not in ADAPTERS:
        raise UserError("adapter", f"{adapter!r} is no adapter{or_one_of(adapter, ADAPTERS)}")
    found = ADAPTERS[adapter]
    module = importlib.import_module(f"{__name__}.{found.module}")
    model: Model = getattr(module, found.function)(Path(directory), options, task, tuple(labels))
    return model
