"""Baselines: how each is made from a training set, options and a seed."""

from __future__ import annotations

from evaluator.measure.models.recipes import baselines, networks, onnx
from evaluator.measure.models.recipes.base import Recipe

__all__ = ["RECIPES", "Recipe"]

RECIPES: dict[str, Recipe] = {
    "majority": baselines.MAJORITY,
    "vader": baselines.VADER,
    "whole-context": baselines.WHOLE_CONTEXT,
    "tfidf-logreg": baselines.TFIDF_LOGREG,
    "fasttext": baselines.FASTTEXT,
    "bert-small": networks.BERT_SMALL,
    "minilm-logreg": networks.MINILM_LOGREG,
    "onnx": onnx.RECIPE,
}
