"""Which ranks models may get on another dataset of the same kind.

Standard library only, as `rank.rank_sets`, beside whose target (other examples from the same source) this is
a second one. Each dataset of a board alone ranks its models, at the board's exchange rates. Where another
dataset is a draw like these, a model's rank there is under the k-th smallest of its ranks on N datasets with
a probability of at most k / (N + 1), and as seldom over the k-th largest, however ranks are distributed:
conformal prediction (Vovk, Gammerman & Shafer 2005, "Algorithmic Learning in a Random World"), of ranks on
leaderboards by Neuhof & Benjamini 2026, "Rank Intervals for Leaderboards" (arXiv 2606.08679).

Two things differ from that paper. It takes quantiles of confidence intervals of the ranks on each dataset,
which makes nearly all ranks possible on datasets of usual size; here are the ranks as they are seen, so that
what is predicted is the rank that would be seen. And it interpolates quantiles, which with few datasets holds
less often than it says; here k is a whole number, and the probability that it leaves is said.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evaluator.rank.dynascore import Column, Columns, Question
from evaluator.rank.formats import percent
from evaluator.rank.rank_sets import Certainty

#: Of fewer datasets the range of a model's ranks holds another with less than 0.7.
LEAST = 6
#: A probability times a number of datasets is this close to a whole number where it is one.
SLACK = 1e-9
TARGET = "another dataset of this kind, measured as these were, at the exchange rates shown"


@dataclass(frozen=True)
class OnAnotherDataset:
    """The ranks that models may get on another dataset.

    `sets` are (best, worst) by a model's index on the board, None where the model has no rank or lacks a
    number. Each holds the rank with a probability of at least `confidence`: that is the one asked for
    (`wanted`) or more, or less where `datasets` are too few for it. The `left_out` best and as many worst
    ranks of each model are not in its set.
    """

    sets: list[tuple[int, int] | None]
    confidence: float
    wanted: float
    datasets: int
    left_out: int

    @property
    def percent(self) -> str:
        """The probability, rounded down to a whole number, since it is a least one: "71 %"."""
        return percent(math.floor(100.0 * self.confidence + SLACK) / 100.0, 0)

    @property
    def label(self) -> str:
        """What a column of the sets is called: "71 % elsewhere"."""
        return f"{self.percent} elsewhere"

    @property
    def words(self) -> str:
        """What the sets are, in a sentence."""
        but_for = ""
        if self.left_out:
            some = "" if self.left_out == 1 else f" {self.left_out}"
            but_for = f", but for the best{some} and the worst{some},"
        more = ""
        if self.confidence < self.wanted - SLACK:
            more = f"; {percent(self.wanted, 0)} takes {datasets_for(self.wanted)} datasets"
        return (
            "Elsewhere, on another dataset of this kind, a model's rank is in the range of its ranks on these"
            f" {self.datasets} datasets{but_for} with a probability of at least {self.percent}{more}."
        )


def on_another_dataset(
    certainty: Certainty, question: Question, columns: Columns, wanted: float
) -> OnAnotherDataset | None:
    """The ranks on another dataset at `columns`, the answer to a question.

    None on a board with fewer than `LEAST` datasets that have weight and a number of each metric with weight,
    or one that weighs parts of datasets: months follow one another and the rest of a dataset is no draw.
    """
    if any(one.is_part for one in certainty.sampled.values()):
        return None
    scores = certainty.scores_by_dataset(question, columns)
    if len(scores) < LEAST:
        return None
    floored = certainty.board.floored
    ranked = [
        index
        for index, rank in enumerate(columns.ranks)
        if rank == rank and all(column[index] == column[index] for column in scores.values())
    ]
    left_out = max(1, math.floor((1.0 - wanted) / 2.0 * (len(scores) + 1) + SLACK)) - 1
    bests: Mapping[int, list[int]] = {index: [] for index in ranked}
    worsts: Mapping[int, list[int]] = {index: [] for index in ranked}
    for column in scores.values():
        for index, (best, worst) in _ranks(column, ranked, floored).items():
            bests[index].append(best)
            worsts[index].append(worst)
    sets: list[tuple[int, int] | None] = [None] * len(columns.ranks)
    for index in ranked:
        sets[index] = sorted(bests[index])[left_out], sorted(worsts[index])[-1 - left_out]
    confidence = 1.0 - 2.0 * (left_out + 1) / (len(scores) + 1)
    return OnAnotherDataset(sets, confidence, wanted, len(scores), left_out)


def datasets_for(confidence: float) -> int:
    """Of how many datasets the range of ranks holds another with this probability."""
    return math.ceil(2.0 / (1.0 - confidence) - SLACK) - 1


def _ranks(scores: Column, models: Sequence[int], floored: frozenset[int]) -> dict[int, tuple[int, int]]:
    """The first and the last rank of each of these models by falling score: one, but for models that tie.

    Those that are no better than a constant answer come after all others, as on the board.
    """
    found: dict[int, tuple[int, int]] = {}
    before = 0
    for group in ([i for i in models if i not in floored], [i for i in models if i in floored]):
        order = sorted(group, key=scores.__getitem__, reverse=True)
        start = 0
        while start < len(order):
            end = start
            while end < len(order) and scores[order[end]] == scores[order[start]]:
                end += 1
            for index in order[start:end]:
                found[index] = before + start + 1, before + end
            start = end
        before += len(order)
    return found
