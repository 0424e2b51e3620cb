"""Baselines: how each is made from a training set, options and a seed."""

from __future__ import annotations

from evaluator.measure.models.recipes import (
    bert,
    fasttext,
    majority,
    minilm,
    onnx,
    tfidf,
    vader,
    whole_context,
)
from evaluator.measure.models.recipes.base import Recipe

__all__ = ["RECIPES", "Recipe"]

RECIPES: dict[str, Recipe] = {
    "majority": majority.RECIPE,
    "vader": vader.RECIPE,
    "whole-context": whole_context.RECIPE,
    "tfidf-logreg": tfidf.RECIPE,
    "fasttext": fasttext.RECIPE,
    "bert-small": bert.RECIPE,
    "minilm-logreg": minilm.RECIPE,
    "onnx": onnx.RECIPE,
}
