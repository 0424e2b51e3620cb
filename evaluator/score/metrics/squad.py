"""SQuAD's exact match and F1, of v1.1 and v2.0, written by us after the published scripts' definitions.

Texts are compared as `normalised` has them. F1 is that of the bags of tokens. For `generation` and `qa`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

from evaluator.records.errors import UserError
from evaluator.score.metrics.base import Flags, Floats, Metric, Scored, for_texts, influence_of_mean, mean_of
from evaluator.score.metrics.squad_pair import normalised
from evaluator.score.metrics.texts import Texts


def exact_match(items: Texts) -> Scored:
    """Share of items whose normalised prediction is a normalised reference, in per cent.

    Both may have nothing left after normalisation. A prediction that is not there is wrong.
    """
    left, right = items.pair_sequences(items.form(normalised))
    same = np.fromiter(map(str.__eq__, left, right), dtype=np.bool_, count=len(left))
    right_ones = (same & items.given[items.left]).astype(np.float64)
    return mean_of(items.reduced(100.0 * right_ones)[0])


SquadMeasure = Literal["precision", "recall", "f1", "accuracy"]


def _token_scores(items: Texts) -> dict[SquadMeasure, Floats]:
    """Measures of the tokens of each pair, in per cent; 0 where nothing is shared.

    Accuracy is the tokens in common by those of the longer text, as the package Jury has it.
    A reference that is "" says that there is no answer (SQuAD v2), and one of white space that nothing of the
    answer counts: then a prediction without tokens is right.
    """
    tokens = items.words(normalised)
    shared = items.pair_matches(tokens, 1)[:, 0]
    left, right = items.pair_lengths(tokens)
    nothing = np.array([not text.strip() for text in items.references])
    silent = nothing[items.right] & (left == 0) & items.given[items.left]
    parts: dict[SquadMeasure, Floats] = {
        "precision": 100.0 * shared / np.maximum(left, 1),
        "recall": 100.0 * shared / np.maximum(right, 1),
        "f1": 100.0 * 2.0 * shared / np.maximum(left + right, 1),
        "accuracy": 100.0 * shared / np.maximum(np.maximum(left, right), 1),
    }
    return {name: np.where(silent, 100.0, part) for name, part in parts.items()}


def _unanswerable(items: Texts) -> Flags:
    """Which questions (n,) have no answer: their reference is ""."""
    return np.array([not text for text in items.references])[items.reference_starts[:-1]]


def token_measure(which: SquadMeasure) -> Callable[[Texts], Scored]:
    """A metric's function: a measure of tokens, the best over references, in per cent."""
    return lambda items: mean_of(items.reduced(_token_scores(items)[which])[0])


def best(measure: Callable[[Texts], Scored]) -> Callable[[Texts], Scored]:
    """A metric's function: the best `measure` over all thresholds of `no_answer`, in per cent.

    Where `no_answer` is over the threshold, "" takes the place of the prediction (Rajpurkar et al. 2018). The
    search is that of the published script of v2.0: in ascending order of `no_answer`, ties in the order of
    the items, one prediction after the other is taken, and the first best point counts. The part "threshold"
    is 0 where it is best to take none. Influence values take the threshold as it is. A prediction that is
    not there is wrong under any threshold.
    """

    def scored(items: Texts) -> Scored:
        assert items.no_answer is not None
        each = measure(items).per_item
        assert each is not None
        unanswerable, first = _unanswerable(items), items.prediction_starts[:-1]
        wordless = np.array([not text for text in items.predictions])[first]
        taken = np.where(unanswerable, 100.0 * (wordless & (each > 0)), each)
        per_item = np.where(unanswerable & items.given[first], 100.0, 0.0)
        order = np.argsort(items.no_answer, kind="stable")
        gained = np.cumsum(np.concatenate([[0.0], (taken - per_item)[order]]))
        many = int(np.argmax(np.round(gained, 6)))
        per_item[order[:many]] = taken[order[:many]]
        threshold = float(items.no_answer[order[many - 1]]) if many else 0.0
        return mean_of(per_item, threshold=threshold)

    return scored


def part(measure: Callable[[Texts], Scored], answerable: bool) -> Callable[[Texts], Scored]:
    """A metric's function: `measure` over the questions that have an answer, or over those that have none.

    It raises `UserError` where there are no such questions.
    """

    def scored(items: Texts) -> Scored:
        chosen = _unanswerable(items) != answerable
        if not chosen.any():
            raise UserError("references", f"no question has {'an' if answerable else 'no'} answer")
        each = measure(items).per_item
        assert each is not None
        own = np.where(chosen, each, np.nan)
        return Scored(float(each[chosen].mean()), influence=influence_of_mean(own))

    return scored


def _apart() -> list[Metric]:
    """F1 and exact match of the questions that have an answer, and of those that have none, as SQuAD v2."""
    measures = {"f1": ("F1", token_measure("f1")), "exact-match": ("exact match", exact_match)}
    return [
        Metric(
            f"{key}-{name}",
            f"{which} {label}",
            f"{key}-{name}-1",
            {"qa": part(measure, answerable)},
            needs=("unanswerable",),
            description=f"{label} of the questions that have {'an' if answerable else 'no'} answer",
        )
        for key, which, answerable in (("has-ans", "HasAns", True), ("no-ans", "NoAns", False))
        for name, (label, measure) in measures.items()
    ]


METRICS = (
    Metric(
        "exact-match",
        "Exact match",
        "exact-match-2",
        for_texts(exact_match),
        description="share of texts equal to a reference, as SQuAD compares them",
    ),
    Metric(
        "unigram-accuracy",
        "Unigram accuracy",
        "unigram-accuracy-1",
        for_texts(token_measure("accuracy")),
        description="words in common with a reference, of those of the longer text",
    ),
    *_apart(),
    Metric(
        "best-f1",
        "Best F1",
        "best-f1-1",
        {"qa": best(token_measure("f1"))},
        needs=("no_answer",),
        description="F1 at the best threshold for saying that a question has no answer (SQuAD v2)",
    ),
    Metric(
        "best-exact-match",
        "Best exact match",
        "best-exact-match-1",
        {"qa": best(exact_match)},
        needs=("no_answer",),
        description="exact match at the best threshold for saying that a question has no answer",
    ),
)
