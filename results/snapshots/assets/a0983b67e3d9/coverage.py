"""Which models have which datasets: where gaps are the normal case, the views that leave some datasets out.

Standard library only, since pages ask it whenever a weight of a metric has moved.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from evaluator.rank.dynascore import Board
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
