"""Which packages models need and which of them are missing, before any model is opened."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec

from evaluator.measure.models.base import EXTRAS
from evaluator.measure.models.recipes import RECIPES

#: The packages that an adapter imports when it opens a model, of those that are extras.
OF_ADAPTERS = {
    "lexicon": ("vaderSentiment",),
    "sklearn": ("sklearn", "joblib"),
    "embeddings": ("torch", "transformers"),
    "fasttext": ("floret",),
    "onnx": ("onnxruntime", "tokenizers"),
    "transformers": ("torch", "transformers"),
    "transformers-qa": ("torch", "transformers"),
    "transformers-text2text": ("torch", "transformers"),
    "transformers-causal": ("torch", "transformers"),
}


def missing_extras(recipe: str | None, adapter: str | None) -> set[str]:
    """The extras of Steelyard that a model of a recipe, or of an adapter, needs and that are missing."""
    return {EXTRAS[package] for package in _needed(recipe, adapter) if find_spec(package) is None}


def _needed(recipe: str | None, adapter: str | None) -> Iterator[str]:
    made = RECIPES.get(recipe) if recipe else None
    if made is not None:
        yield from (package for package in made.packages if package in EXTRAS)
    yield from OF_ADAPTERS.get((made.adapter if made else adapter) or "", ())
