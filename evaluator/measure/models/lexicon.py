"""VADER, a lexicon with rules for negation, emphasis and emoji; nothing is trained.

The compound score is in [-1, 1]. With two labels a text is positive from 0 up; with three, positive
from 0.05, negative to -0.05 and neutral between, the thresholds its authors recommend (Hutto & Gilbert
2014, "VADER: A Parsimonious Rule-based Model for Sentiment Analysis of Social Media Text").
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluator.measure.models.base import Model, ModelError, known_options, need


@dataclass(frozen=True)
class Lexicon:
    """A VADER analyser and its thresholds on the compound score."""

    analyser: Any
    positive_from: float
    negative_to: float | None

    def predict(self, example: dict[str, Any]) -> Any:
        """A label; the compound score is no probability, so no confidence is given."""
        compound = self.analyser.polarity_scores(example["statement"])["compound"]
        if compound >= self.positive_from:
            return {"label": "positive"}
        if self.negative_to is None or compound <= self.negative_to:
            return {"label": "negative"}
        return {"label": "neutral"}


def open_model(directory: Path, options: Mapping[str, Any], task: str, labels: Sequence[str]) -> Model:
    """Load VADER; `directory` is not used.

    Options: `positive_from`, and with three labels `negative_to`, on the compound score. Raises
    `ModelError` for another task than sentiment and for thresholds that are no numbers or cross.
    """
    if task != "sentiment":
        raise ModelError(f"task {task}: lexicon rates sentiment only; use another adapter or recipe")
    ternary = "neutral" in labels
    known_options("lexicon", options, ("positive_from", "negative_to") if ternary else ("positive_from",))
    high = _threshold(options, "positive_from", 0.05 if ternary else 0.0)
    low = _threshold(options, "negative_to", -0.05) if ternary else None
    if low is not None and low >= high:
        raise ModelError(f"options.negative_to: {low} is not below positive_from {high}; lower it")
    analyser = need("vaderSentiment.vaderSentiment").SentimentIntensityAnalyzer()
    return Lexicon(analyser, high, low)


def _threshold(options: Mapping[str, Any], name: str, default: float) -> float:
    value = options.get(name, default)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not -1 <= value <= 1:
        raise ModelError(f"options.{name}: {value!r} is not a number from -1 to 1; correct it")
    return float(value)
