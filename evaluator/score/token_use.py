"""What models' answers took in tokens, and how that varies: what it takes to price them again on a page."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from evaluator.rank.prices import KINDS
from evaluator.records.board import COST
from evaluator.records.datasets import TokenUse
from evaluator.records.references import PredictionSet
from evaluator.score.groups import Groups, Whole
from evaluator.score.means import by_example, by_trial, mean_of, mean_settings, value_influence
from evaluator.score.scores import Influence

#: Covariances are in so many parts of the largest: models that read the same texts differ by few tokens.
PARTS = 10**6
#: How far two machines may be apart: means add up in any order, and parts may be rounded up or down.
MEANS_APART, PARTS_APART = 1e-9, 2

#: Influence values (models, units) in whole steps, and what a step is worth.
Steps = tuple[Whole, float]


def token_use(
    predictions: Sequence[PredictionSet],
    by_metric: Mapping[str, Iterable[Influence | str]],
    groups: Groups,
) -> TokenUse | None:
    """Of models with these predictions; None where of none it is known what its answers took.

    `by_metric` has by metric the influence values of the models, in the order of `predictions`.
    """
    tokens = [_tokens(one) for one in predictions]
    if not any(tokens):
        return None
    of_kinds = {kind: [one[kind] if one else None for one in tokens] for kind in KINDS}
    kinds = {
        kind: _in_steps([value_influence(one, None) if one is not None else "" for one in column], groups)
        for kind, column in of_kinds.items()
    }
    metrics = {name: _in_steps(column, groups) for name, column in by_metric.items()}
    found = [
        _crossed(first, second, kinds[first], kinds[second], groups)
        for first, second in itertools.combinations_with_replacement(KINDS, 2)
    ]
    rows = kinds | ({COST: metrics[COST]} if COST in metrics else {})
    found += [
        _crossed(first, second, rows[first], metrics[second], groups)
        for first, second in itertools.product(rows, metrics)
    ]
    means = {kind: tuple(_of(one, mean_of) for one in column) for kind, column in of_kinds.items()}
    most = {kind: tuple(_of(one, np.nanmax) for one in column) for kind, column in of_kinds.items()}
    without = tuple(
        None if one is None else mean_settings(by_example(one)).get("without", "")
        for one in of_kinds[KINDS[0]]
    )
    return TokenUse.model_validate({"mean": means, "most": most, "without": without, "crossed": found})


def _tokens(predictions: PredictionSet) -> dict[str, npt.NDArray[np.float64]] | None:
    """By kind, the tokens of each answer (examples, trials); NaN where they are not counted."""
    values = predictions.values or {}
    if not {"input_tokens", "output_tokens"} <= values.keys():
        return None
    sent, written = by_trial(predictions, "input_tokens"), by_trial(predictions, "output_tokens")
    cached = np.zeros_like(sent)
    if "cached_tokens" in values:
        cached = np.minimum(np.nan_to_num(by_trial(predictions, "cached_tokens")), sent)
    # An answer has a price where both are known.
    missing = np.isnan(sent) | np.isnan(written)
    if missing.all():
        return None
    columns = zip(KINDS, (sent - cached, cached, written), strict=True)
    return {kind: np.where(missing, np.nan, column) for kind, column in columns}


def _of(
    trials: npt.NDArray[np.float64] | None, number: Callable[[npt.NDArray[np.float64]], float]
) -> float | None:
    return None if trials is None else float(number(by_example(trials)))


def _in_steps(column: Iterable[Influence | str], groups: Groups) -> Steps:
    nothing = np.zeros(groups.examples)
    return groups.in_steps(np.array([nothing if isinstance(one, str) else one.moved for one in column]))


def _crossed(first: str, second: str, rows: Steps, columns: Steps, groups: Groups) -> dict[str, Any]:
    """The covariances of the first number of each model with the second of each, as `CrossedPair` says."""
    products = (rows[0] @ columns[0].T).ravel().tolist()
    largest = max(map(abs, products), default=0)
    return {
        "first": first,
        "second": second,
        "step": largest * rows[1] * columns[1] * groups.scale / PARTS,
        "parts": [round(product * PARTS / max(1, largest)) for product in products],
    }


def same_use(kept: TokenUse | None, again: TokenUse | None) -> bool:
    """Whether two records of the same models say the same, but for how machines round."""
    if kept is None or again is None:
        return kept is again
    if kept.without != again.without:
        return False
    for kind in KINDS:
        for stored, here in ((kept.mean[kind], again.mean[kind]), (kept.most[kind], again.most[kind])):
            first, second = (np.array(column, dtype=float) for column in (stored, here))
            if not np.allclose(first, second, rtol=MEANS_APART, atol=0.0, equal_nan=True):
                return False
    pairs = {(one.first, one.second): one for one in kept.crossed}
    return len(pairs) == len(again.crossed) and all(
        (pair := pairs.get((one.first, one.second))) is not None
        and np.allclose(
            pair.step * np.array(pair.parts),
            one.step * np.array(one.parts),
            rtol=0.0,
            atol=PARTS_APART * one.step,
        )
        for one in again.crossed
    )
