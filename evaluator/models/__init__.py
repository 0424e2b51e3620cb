"""Models behind one interface: `open_model` turns a directory on disk into something that predicts."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evaluator.models.base import BatchModel, MissingPackage, Model, ModelError

__all__ = ["ADAPTERS", "BatchModel", "MissingPackage", "Model", "ModelError", "open_model"]

# Each adapter is a module of this package with a function `open_model(directory, options, task, labels)`.
ADAPTERS = {
    "handler": "evaluator.models.handler",
}


def open_model(
    adapter: str, directory: Path, options: Mapping[str, Any], task: str, labels: Sequence[str]
) -> Model:
    """Load the model in `directory` with the named adapter and return it ready to predict.

    Raises `ModelError` if the adapter is unknown or the directory or an option is wrong,
    `MissingPackage` if a package is not installed, and whatever the model's own code raises.
    """
    if adapter not in ADAPTERS:
        raise ModelError(f"adapter: {adapter!r} is none of {', '.join(ADAPTERS)}")
    module = importlib.import_module(ADAPTERS[adapter])
    model: Model = module.open_model(Path(directory), options, task, tuple(labels))
    return model
