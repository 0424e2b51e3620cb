"""How difficult samples are: WSBias 1 and 2, and WOOD.

After Mishra & Arunkumar 2021, "How Robust are Model Rankings". An algorithm gives a number from 0 to 1 a
sample, of which 1 is the easiest.

WSBias: a sample is easy if simple classifiers on its embedding get it right. The values that the authors
released for SST-2 show the settings of algorithm 1 that their paper leaves open: their denominators are
those of 128 rounds of two classifiers, each trained on a tenth.

WOOD: the more similar a sample is to its nearest training samples, the easier it is. Similarities are of
embeddings of length 1, and from 0 to 1, of which 1 is the same.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluator.measure.models.base import need
from evaluator.records.errors import UserError

WSBIAS_VERSION = 1
ROUNDS = 128
#: Shares of the samples that train in each round, and that are set aside.
TRAINING, ASIDE = 0.1, 0.1
WSBIAS_DIGITS = 9
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
    _check_enough(gold)
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
        round(int(hits) / int(times), WSBIAS_DIGITS) if times else None
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
    _check_enough(training_gold)
    labels, right = np.array(gold), np.zeros(len(gold), dtype=int)
    with _one_thread():
        for name in JUDGES:
            right += _answers(name, training, np.array(training_gold), embeddings, seed) == labels
            advance(1)
    return tuple(int(hits) / len(JUDGES) for hits in right)


def _check_enough(gold: Sequence[int]) -> None:
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


Matrix = NDArray[np.float64]
#: Texts x dimensions and others x dimensions in, texts x others out.
Similarity = Callable[[Matrix, Matrix], Matrix]


def cosine(texts: Matrix, others: Matrix) -> Matrix:
    """The cosine; opposite directions are not similar at all, so negative ones are 0."""
    return np.clip(texts @ others.T, 0.0, 1.0)


def angular(texts: Matrix, others: Matrix) -> Matrix:
    """One minus the angle as a share of half a turn."""
    return 1.0 - np.arccos(np.clip(texts @ others.T, -1.0, 1.0)) / np.pi


def euclidean(texts: Matrix, others: Matrix) -> Matrix:
    """One divided by one plus the distance."""
    return 1.0 / (1.0 + np.sqrt(np.maximum(0.0, 2.0 - 2.0 * (texts @ others.T))))


#: What `--similarity` may be; a function added here can be chosen by its name.
SIMILARITIES: dict[str, Similarity] = {"cosine": cosine, "angular": angular, "euclidean": euclidean}


WOOD_VERSION = 1
#: Per cent of the training set that are looked at, unless others are given: those of the paper's tables.
PERCENTAGES = (1, 5, 10, 25, 30, 40, 50, 75, 100)
#: Percentages are over 0 and have up to so many decimals.
DECIMALS = 3
WOOD_DIGITS = 6
CHUNK = 256


def mean_similarities(
    tests: NDArray[np.float32],
    training: NDArray[np.float32],
    percentages: Sequence[float] = PERCENTAGES,
    similarity: str = "cosine",
    advance: Callable[[int], None] = lambda done: None,
) -> dict[str, tuple[float, ...]]:
    """For each percentage p the mean similarity to the ``ceil(p / 100 * training samples)`` most similar.

    `tests` and `training` hold an embedding of length 1 a row. Values are in [0, 1], to 6 decimals: more
    would differ between machines. Raises `UserError` for an invalid percentage or similarity.
    """
    check_wood(percentages, similarity)
    # Rounded up, in whole numbers.
    whole = 100 * 10**DECIMALS
    counts = [-(-round(percent * 10**DECIMALS) * len(training) // whole) for percent in percentages]
    parts, others = [], training.astype(np.float64)
    for start in range(0, len(tests), CHUNK):
        alike = SIMILARITIES[similarity](tests[start : start + CHUNK].astype(np.float64), others)
        sums = np.cumsum(-np.sort(-alike, axis=1), axis=1)
        means = np.stack([sums[:, count - 1] / count for count in counts], axis=1)
        parts.append(np.clip(means, 0.0, 1.0))
        advance(len(parts[-1]))
    columns = np.concatenate(parts).round(WOOD_DIGITS).T.tolist()
    return {f"{percent:g}": tuple(column) for percent, column in zip(percentages, columns, strict=True)}


def check_wood(percentages: Sequence[float], similarity: str) -> None:
    """Raise `UserError` for an invalid percentage or similarity."""
    if similarity not in SIMILARITIES:
        raise UserError("similarity", f"{similarity!r} is none of {', '.join(SIMILARITIES)}")
    for percent in percentages:
        if not 0 < percent <= 100 or round(percent, DECIMALS) != percent:
            fix = f"give numbers with at most {DECIMALS} decimals"
            raise UserError("percentages", f"{percent:g} is not over 0 and up to 100 per cent", fix)
    if len(set(percentages)) != len(percentages) or not percentages:
        raise UserError("percentages", f"{list(percentages)} has one twice, or none", "give each once")
