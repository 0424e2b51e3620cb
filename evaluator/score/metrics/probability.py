"""Metrics over a model's probabilities: ours, in numpy.

An item without probabilities (a row of NaN) is never left out: it counts as the worst answer that the
metric knows, and `parts["without"]` says how many there were.
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from evaluator.records.errors import UserError
from evaluator.score.metrics.base import Flags, Floats, Integers, Metric, Scored, influence_of_sums, mean_of
from evaluator.score.metrics.classification import Labelled

# Where annotators' responses are kept, so are probabilities in millionths: a zero was below half of one.
FLOOR = 0.5e-6
BINS = 15


def auroc(items: Labelled) -> Scored:
    """Area under the ROC curve, in per cent: of the second of two labels, else the mean of one against all.

    The mean is over the labels that some but not all items have; each label's area is in `parts`.
    Ties count half. As scikit-learn's `roc_auc_score` (``multi_class="ovr"``, ``average="macro"``).
    """
    shares, without = _shares(items)
    areas, moves = {}, {}
    for number, label in enumerate(items.labels):
        positive = items.gold == number
        if positive.any() and not positive.all():
            worst = np.where(positive, -np.inf, np.inf)
            scores = np.where(without, worst, shares[:, number])
            areas[label] = 100.0 * _area(scores, positive)
            moves[label] = partial(_area_influence, scores, positive)
    if not areas:
        raise UserError("auroc", f"every gold label is {items.labels[items.gold[0]]!r}", "it needs two")
    counted = [items.labels[1]] if len(items.labels) == 2 else list(areas)
    positives = [items.gold == items.labels.index(label) for label in counted]
    return Scored(
        float(np.mean([areas[label] for label in counted])),
        None,
        areas | {"without": float(without.sum())},
        lambda: 100.0 * np.mean([moves[label]() for label in counted], axis=0),
        sides=tuple(side for positive in positives for side in (positive, ~positive)),
    )


def _area(scores: Floats, positive: Flags) -> float:
    """The chance that a positive item scores above a negative one, ties half (Mann and Whitney's U)."""
    _, place, many = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(many) - (many - 1) / 2.0)[place]
    first, rest = int(positive.sum()), int((~positive).sum())
    return float((ranks[positive].sum() - first * (first + 1) / 2.0) / (first * rest))


def _area_influence(scores: Floats, positive: Flags) -> Floats:
    """Influence values of one area, by how many of the other kind an item stands right to (DeLong 1988)."""
    area = _area(scores, positive)
    moved = np.empty(len(scores))
    for own, sign in ((positive, 1.0), (~positive, -1.0)):
        others = np.sort(sign * scores[~own])
        below = np.searchsorted(others, sign * scores[own], "left")
        upto = np.searchsorted(others, sign * scores[own], "right")
        moved[own] = ((below + upto) / (2.0 * len(others)) - area) * len(scores) / own.sum()
    return moved


def calibration_error(items: Labelled) -> Scored:
    """Expected calibration error of the most probable label, in per cent (Guo et al. 2017).

    15 bins of equal width, open below and closed above; a bin's |accuracy - confidence| weighs as many
    items as it holds. Items without probabilities count as certain and wrong, in a bin of their own: among
    answers that are right more often than they say they would make these look better.

    Gaps of either sign count alike, so that it is too high by chance, and the more so the better a model is
    calibrated. `bias` bounds that by E|N(0, sd)| = sd sqrt(2/pi) of each bin that may be without a gap.
    """
    shares, without = _shares(items)
    confidence = np.where(without, 1.0, shares.max(axis=1))
    right = (shares.argmax(axis=1) == items.gold) & ~without
    place = np.digitize(confidence, np.linspace(0, 1, BINS + 1)[1:-1], right=True)
    place = np.where(without, BINS, place).astype(np.int8)  # which is kept as long as the report
    gaps = np.bincount(place, right - confidence, minlength=BINS + 1)
    parts = {"accuracy": 100.0 * float(right.mean()), "confidence": 100.0 * float(confidence.mean())}

    def rows() -> Floats:
        return np.column_stack(
            [np.eye(BINS + 1)[place] * (right - confidence)[:, None], np.ones(len(confidence))]
        )

    def value_of(sums: Floats) -> float:
        return 100.0 * float(np.abs(sums[:-1]).sum()) / float(sums[-1])

    def bias(units: Integers) -> float:
        many = int(units.max()) + 1
        sums = np.bincount(units * (BINS + 1) + place, right - confidence, many * (BINS + 1))
        sums = sums.reshape(many, BINS + 1)
        seen = ((sums - gaps / many) ** 2).sum(axis=0) * many / max(1, many - 1)
        expected = np.bincount(place, confidence * (1.0 - confidence), minlength=BINS + 1)
        deviations = np.sqrt(np.maximum(seen, expected))
        none = np.abs(gaps) <= 2.0 * deviations
        return 100.0 * math.sqrt(2.0 / math.pi) * float(deviations[none].sum()) / len(confidence)

    value = 100.0 * float(np.abs(gaps).sum()) / len(confidence)
    parts["without"] = float(without.sum())
    return Scored(value, None, parts, influence_of_sums(rows, value_of), bias)


def brier(items: Labelled) -> Scored:
    """Brier's score, 0 to 2: squared distance of the probabilities from the gold label, summed over labels.

    Brier's own definition for any number of labels: for two it is twice the one-sided score. An item
    without probabilities counts 2.
    """
    shares, without = _shares(items)
    away = shares.copy()
    for number in range(len(items.labels)):
        away[items.gold == number, number] -= 1.0
    away *= away
    each: Floats = away.sum(axis=1)
    each[without] = 2.0
    return mean_of(each, without=float(without.sum()))


def cross_entropy(items: Labelled) -> Scored:
    """Mean cross-entropy of the model's probabilities against the annotators' shares, in nats.

    A probability below half a millionth counts as half a millionth, so that a zero costs 14.5 nats
    and not infinity; an item without probabilities has that for every label. `parts["entropy"]` is the
    annotators' own entropy, below which no model comes.
    """
    shares, without = _shares(items)
    target, known = _targets(items)
    each = -(target * np.log(np.maximum(np.where(without[:, None], 0.0, shares), FLOOR))).sum(axis=1)
    entropy = -(target * np.log(np.where(target > 0, target, 1.0))).sum(axis=1)
    return _mean_of_known(each, known, without, entropy=float(entropy[known].mean()))


def js_divergence(items: Labelled) -> Scored:
    """Mean Jensen-Shannon divergence of the model's probabilities from the annotators' shares, in bits.

    From 0 (the same) to 1 (nothing in common), which is also what an item without probabilities
    counts. The divergence, not its square root.
    """
    shares, without = _shares(items)
    target, known = _targets(items)
    middle = (shares + target) / 2.0
    each = (_bits(shares, middle) + _bits(target, middle)) / 2.0
    return _mean_of_known(np.where(without, 1.0, np.clip(each, 0.0, 1.0)), known, without)


def _bits(one: Floats, other: Floats) -> Floats:
    """Kullback-Leibler divergence in bits of each row; a share of zero adds nothing."""
    ratio = np.divide(one, other, out=np.ones_like(one), where=one > 0)
    bits: Floats = (one * np.log2(ratio)).sum(axis=1)
    return bits


def _shares(items: Labelled) -> tuple[Floats, Flags]:
    """Probabilities with zeros where an item has none, and which items have none."""
    assert items.probabilities is not None
    without: Flags = np.all(np.isnan(items.probabilities), axis=1)
    if without.all():
        raise UserError("probabilities", "no item has any")
    if not without.any():
        return items.probabilities, without
    return np.where(without[:, None], 0.0, items.probabilities), without


def _targets(items: Labelled) -> tuple[Floats, Flags]:
    """Annotators' shares with zeros where an item has none, and which items have some."""
    assert items.distributions is not None
    known: Flags = ~np.all(np.isnan(items.distributions), axis=1)
    if not known.any():
        raise UserError("distributions", "no item has any")
    return np.where(known[:, None], items.distributions, 0.0), known


def _mean_of_known(each: Floats, known: Flags, without: Flags, **parts: float) -> Scored:
    """The mean over items that annotators judged; others have nothing to be scored against, and NaN."""
    parts |= {"without": float(without[known].sum()), "unjudged": float((~known).sum())}
    return Scored(float(each[known].mean()), np.where(known, each, np.nan), parts)


METRICS = (
    Metric(
        "auroc",
        "AUROC",
        "auroc-1",
        {"classification": auroc},
        needs=("probabilities",),
        description="area under the ROC curve: of the second of two labels, or the mean over all labels",
    ),
    Metric(
        "calibration-error",
        "Calibration error",
        "calibration-error-2",
        {"classification": calibration_error},
        better="lower",
        needs=("probabilities",),
        description="how far confidence is from accuracy: expected calibration error in 15 bins",
    ),
    Metric(
        "brier",
        "Brier score",
        "brier-1",
        {"classification": brier},
        unit="",
        better="lower",
        needs=("probabilities",),
        width=2.0,
        description="squared distance of the probabilities from the gold label, 0 to 2",
    ),
    Metric(
        "cross-entropy",
        "Cross-entropy",
        "cross-entropy-1",
        {"classification": cross_entropy},
        unit="nats",
        better="lower",
        needs=("probabilities", "distributions"),
        width=-math.log(FLOOR),
        description="of the probabilities against the annotators' shares",
    ),
    Metric(
        "js-divergence",
        "Jensen-Shannon divergence",
        "js-divergence-1",
        {"classification": js_divergence},
        unit="bits",
        better="lower",
        needs=("probabilities", "distributions"),
        width=1.0,
        description="Jensen-Shannon divergence of the probabilities from the annotators' shares, 0 to 1",
    ),
)
