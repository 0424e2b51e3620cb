"""Whether a round of a dynamic benchmark is balanced, and hard for its model in the loop.

After DynaSent (Potts et al. 2021): a round's evaluation sets are balanced over the labels and sampled
so that the model in the loop is at chance on them; people are not.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from evaluator.data.datasets import Dataset
from evaluator.records.base import HUMAN
from evaluator.records.result import Result
from evaluator.records.store import Store
from evaluator.score.scores import correct
from evaluator.score.standard_errors import wilson


@dataclass(frozen=True)
class Balance:
    """How many examples each gold label has; `even` if no share is further than allowed from an equal one."""

    counts: dict[str, int]
    even: bool


@dataclass(frozen=True)
class Standing:
    """A model on the round: accuracy as a share with its 95 % interval, and the canonical metric.

    `chance` says where the interval is: "at", "above" or "below" the accuracy of guessing evenly
    among the labels. `solved`: the model reaches people on the metric; None without an estimate.
    """

    model: str
    accuracy: float
    low: float
    high: float
    chance: str
    score: float
    solved: bool | None


@dataclass(frozen=True)
class Round:
    """All that is checked of a round."""

    dataset: Dataset
    metric: str
    balance: Balance
    people: Result | None
    standings: tuple[Standing, ...]

    @property
    def guessing(self) -> float:
        """Accuracy of guessing evenly among the gold labels, as a share."""
        return 1 / len(self.dataset.gold_labels)


def look_at(dataset: Dataset, metric: str, store: Store, tolerance: float) -> Round:
    """The round with every stored result on it; `tolerance` is in points of the examples' share.

    Only results on this very revision of the dataset, with their predictions kept, are compared.
    """
    results = store.results_on(dataset.task, dataset.id)
    current = [result for result in results if result.dataset.revision == dataset.revision]
    people = next((result for result in current if result.model.id == HUMAN), None)
    scored = [result for result in current if result.predictions is not None and metric in result.scores]
    return Round(
        dataset,
        metric,
        balance(dataset.gold, dataset.gold_labels, tolerance),
        people,
        tuple(_standing(result, dataset, metric, people, store) for result in scored),
    )


def balance(gold: Iterable[str], labels: Sequence[str], tolerance: float) -> Balance:
    """The examples of each label; even if every share is within `tolerance` points of an equal one."""
    found = list(gold)
    counts = {label: found.count(label) for label in labels}
    furthest = max(abs(100 * count / len(found) - 100 / len(labels)) for count in counts.values())
    return Balance(counts, furthest <= tolerance)


def _standing(result: Result, dataset: Dataset, metric: str, people: Result | None, store: Store) -> Standing:
    right = int(correct(dataset, store.predictions(result)).sum())
    low, high = wilson(right, len(dataset.gold))
    guessing = 1 / len(dataset.gold_labels)
    chance = "at" if low <= guessing <= high else "above" if low > guessing else "below"
    score = result.scores[metric].value
    solved = score >= people.scores[metric].value if people and metric in people.scores else None
    return Standing(result.model.id, right / len(dataset.gold), low, high, chance, score, solved)
