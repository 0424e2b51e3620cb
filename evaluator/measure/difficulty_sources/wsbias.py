"""WSBias: a sample is easy if simple classifiers on its embedding get it right.

The values that Mishra & Arunkumar released for SST-2 show the settings of algorithm 1 that their paper
leaves open: their denominators are those of 128 rounds of two classifiers, each trained on a tenth.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluator.measure.models.base import need
from evaluator.records.errors import UserError

VERSION = 1
ROUNDS = 128
#: Shares of the samples that train in each round, and that are set aside.
TRAINING, ASIDE = 0.1, 0.1
DIGITS = 9
#: The fewest samples that rounds need.
FEWEST = 20
#: The classifiers of each algorithm with all of their settings that are not scikit-learn's defaults.
SETTINGS: dict[str, dict[str, Any]] = {
    "logistic-regression": {"max_iter": 1000},
    "linear-svm": {"max_iter": 10_000},
    "rbf-svm": {"cache_size": 500},
    "naive-bayes": {},
}
HELD_OUT = ("logistic-regression", "linear-svm")
JUDGES = tuple(SETTINGS)


def held_out(
    ids: Sequence[str],
    embeddings: NDArray[np.float32],
    gold: Sequence[int],
    seed: int = 0,
    rounds: int = ROUNDS,
    advance: Callable[[int], None] = lambda done: None,
) -> tuple[float | None, ...]:
    """Algorithm 1: the share of times that each sample, when held out, is predicted right.

    A tenth of the samples, set aside to tune an embedder, has no value (None). In each round two
    classifiers learn from a random tenth of the others and predict the rest. The draw depends on seed
    and id alone, so the order of the samples changes nothing. Raises `UserError` if there are too few
    samples or only one label.
    """
    _check(gold)
    order = _drawn(f"{seed}/aside", ids, range(len(ids)))
    kept = order[round(ASIDE * len(ids)) :]
    labels = np.array(gold)
    judgements, right = np.zeros(len(ids), dtype=int), np.zeros(len(ids), dtype=int)
    with _one_thread():
        for number in range(rounds):
            drawn = _drawn(f"{seed}/{number}", ids, kept)
            training, rest = np.split(np.array(drawn), [max(2, round(TRAINING * len(kept)))])
            for name in HELD_OUT:
                answers = _answers(name, embeddings[training], labels[training], embeddings[rest], seed)
                judgements[rest] += 1
                right[rest] += answers == labels[rest]
            advance(1)
    return tuple(
        round(int(hits) / int(times), DIGITS) if times else None
        for hits, times in zip(right, judgements, strict=True)
    )


def judged(
    embeddings: NDArray[np.float32],
    gold: Sequence[int],
    training: NDArray[np.float32],
    training_gold: Sequence[int],
    seed: int = 0,
    advance: Callable[[int], None] = lambda done: None,
) -> tuple[float, ...]:
    """Algorithm 2: the share of four classifiers, trained on the training set, that get a sample right.

    Raises `UserError` if there are too few training samples or only one label.
    """
    _check(training_gold)
    labels, right = np.array(gold), np.zeros(len(gold), dtype=int)
    with _one_thread():
        for name in JUDGES:
            right += _answers(name, training, np.array(training_gold), embeddings, seed) == labels
            advance(1)
    return tuple(int(hits) / len(JUDGES) for hits in right)


def _check(gold: Sequence[int]) -> None:
    if len(gold) < FEWEST or len(set(gold)) < 2:
        content = f"{len(gold)} samples, {len(set(gold))} of the labels"
        raise UserError(
            "gold", f"too little to learn from ({content})", f"it takes {FEWEST} samples of 2 labels"
        )


def _drawn(draw: str, ids: Sequence[str], rows: Sequence[int]) -> list[int]:
    """The rows in the random order of a draw."""
    return sorted(rows, key=lambda row: hashlib.sha256(f"{draw}/{ids[row]}".encode()).digest())


def _one_thread() -> Any:
    """Small matrices: several threads would mostly wait for each other, thirteen times as long."""
    need("sklearn")
    return need("threadpoolctl").threadpool_limits(1)


def _answers(
    name: str,
    training: NDArray[np.float32],
    gold: NDArray[np.int64],
    samples: NDArray[np.float32],
    seed: int,
) -> NDArray[np.int64]:
    if len(np.unique(gold)) == 1:
        # A draw of few samples may miss a label: a classifier that saw only one answers that.
        return np.full(len(samples), gold[0])
    answers: NDArray[np.int64] = _classifier(name, seed).fit(training, gold).predict(samples)
    return answers


def _classifier(name: str, seed: int) -> Any:
    settings = SETTINGS[name]
    if name == "logistic-regression":
        return need("sklearn.linear_model").LogisticRegression(**settings)
    if name == "linear-svm":
        return need("sklearn.svm").LinearSVC(random_state=seed, **settings)
    if name == "rbf-svm":
        return need("sklearn.svm").SVC(kernel="rbf", **settings)
    return need("sklearn.naive_bayes").GaussianNB(**settings)
