"""Which models have which datasets: where gaps are the normal case, the views that leave some datasets out;
and who loses its rank at other weights, since it has no number for something that weighs now.

Standard library only, since pages ask it whenever a weight has moved.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from evaluator.rank.dynascore import Board, Columns, Question
from evaluator.rank.formats import counted, listed

#: Views that are offered at most, that of all datasets among them.
OFFERED = 5
#: A label names so many datasets, and of many those that it is without.
NAMED = 4
#: A view is for comparing.
LEAST = 2


@dataclass(frozen=True)
class DatasetsView:
    """Some of a board's datasets, how many models have all of them, and weights that ask for these alone."""

    datasets: tuple[str, ...]
    models: int
    label: str
    weights: dict[str, float]


@dataclass(frozen=True)
class Coverage:
    """How many models have all datasets, in a `line` that is empty where all of them do, and other views."""

    line: str
    views: tuple[DatasetsView, ...]


def coverage(board: Board, metrics: Mapping[str, float] | None, weights: Mapping[str, float]) -> Coverage:
    """What a board of several datasets with gaps says above its table.

    A model has a dataset if it has a number there for each of the `metrics` with weight that some model has
    there. Counted are the datasets that have `weights` by default and such a metric. The views are the sets
    of datasets that some model has exactly, those first that put most numbers side by side.
    """
    shares = board.metric_shares(metrics) or {}
    weighed = [name for name, share in shares.items() if share > 0]
    needed = {
        dataset: [name for name in weighed if dataset in board.datasets_of[name]]
        for dataset, weight in weights.items()
        if weight > 0
    }
    counting = [dataset for dataset, names in needed.items() if names]
    had = [
        frozenset(
            dataset
            for dataset in counting
            if all(board.values[dataset][name][index] is not None for name in needed[dataset])
        )
        for index in range(len(board.models))
    ]
    complete, whole = sum(len(one) == len(counting) for one in had), frozenset(counting)
    if len(counting) < 2 or complete == len(had):
        return Coverage("", ())
    found = [(one, sum(one <= other for other in had)) for one in Counter(had) if one and one != whole]
    found = [(one, models) for one, models in found if models >= LEAST]
    found.sort(key=lambda pair: (-len(pair[0]) * pair[1], -pair[1], _in_order(pair[0], counting)))
    first = [(whole, complete)] if complete else []
    views = [
        DatasetsView(
            _in_order(one, counting),
            models,
            f"{_named(board, one, counting)}: {counted(models, 'model')}",
            {dataset: weight if dataset in one else 0.0 for dataset, weight in weights.items()},
        )
        for one, models in (*first, *found[: OFFERED - len(first)])
    ]
    have = "has" if complete == 1 else "have"
    several = "both" if len(counting) == 2 else f"all {len(counting)}"
    return Coverage(f"{complete} of {counted(len(had), 'model')} {have} {several} datasets", tuple(views))


def ranks_lost(board: Board, question: Question, columns: Columns, before: Sequence[int]) -> str:
    """Which of the models `before`, ranked by default, have no rank any more, and what they lack; empty where
    all have one, or limits alone leave some out. `columns` answer the `question`."""
    ranks, scale = columns.ranks, columns.scale
    lost = [model for model in before if math.isnan(ranks[model]) and model not in scale.out]
    weights = board.dataset_shares(question.datasets) or {}
    lost = [model for model in lost if any(model in scale.gaps[name] for name in columns.contributions)]
    lacked = [
        _without(board, name, weights, [model for model in lost if model in scale.gaps[name]])
        for name in columns.contributions
        if scale.gaps[name].intersection(lost)
    ]
    if not lacked or all(map(math.isnan, ranks)):
        return ""
    one = len(lost) == 1
    have = ("has no" if one else "have no") if len(lacked) == 1 else "lacks" if one else "lack"
    what = " or ".join([", ".join(lacked[:-1]), lacked[-1]] if len(lacked) > 1 else lacked)
    at = "at these weights" if scale.trades is None else "by these trade-offs"
    who = f"{len(lost)} of {counted(len(board.models), 'model')}"
    return f"{who} {have} {what} and {'is' if one else 'are'} not ranked {at}."


def _without(board: Board, metric: str, weights: Mapping[str, float], models: Sequence[int]) -> str:
    """What these models lack of a metric: all of it, or its values on some of the datasets with weight."""
    datasets = list(board.shares_of(metric, weights))
    without = {d: [m for m in models if board.values[d][metric][m] is None] for d in datasets}
    absent = [dataset for dataset in datasets if without[dataset]]
    label = board.metric_label(metric)
    if all(len(without[dataset]) == len(models) for dataset in datasets):
        return label
    named = list(map(board.dataset_label, absent[:NAMED]))
    return f"{label} on {listed(named, len(absent) - len(named))}"


def _in_order(datasets: Collection[str], order: Sequence[str]) -> tuple[str, ...]:
    return tuple(dataset for dataset in order if dataset in datasets)


def _named(board: Board, datasets: Collection[str], counting: Sequence[str]) -> str:
    """A set of datasets as a button names it."""
    inside, outside = ([d for d in counting if (d in datasets) == within] for within in (True, False))
    if not outside:
        return "Both datasets" if len(inside) == 2 else f"All {len(inside)} datasets"
    if len(inside) <= NAMED:
        return ", ".join(map(board.dataset_label, inside))
    if len(outside) <= NAMED:
        return f"All but {', '.join(map(board.dataset_label, outside))}"
    return listed(list(map(board.dataset_label, inside[:NAMED])), len(inside) - NAMED)
