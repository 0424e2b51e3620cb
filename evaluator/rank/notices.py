"""What a ranking says beside its numbers: what takes no part, who is not ranked, and what has all the weight.

Standard library only. Lines begin in lower case, as they follow "note:" in the terminal.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evaluator.rank.dynascore import Board

#: A line names so many models, and counts the others.
NAMED = 5


def without_values(
    board: Board, shares: Mapping[str, float], taking_part: Mapping[str, float], datasets: Mapping[str, float]
) -> Iterator[str]:
    """What has weight and takes no part, since no model has a value for it."""
    idle = [
        board.metric_label(name) for name, share in shares.items() if share > 0 and name not in taking_part
    ]
    if idle:
        yield _no_part(", ".join(idle), len(idle), "metrics")
    for dataset, share in datasets.items():
        lacking = [name for name in taking_part if dataset not in board.datasets_of[name]]
        if share > 0 and len(lacking) == len(taking_part):
            yield _no_part(board.dataset_label(dataset), 1, "datasets")
        elif share > 0 and lacking:
            labels = ", ".join(map(board.metric_label, lacking))
            yield _no_part(f"{labels} on {board.dataset_label(dataset)}", len(lacking), "datasets")


def weight_notes(
    board: Board, shares: Mapping[str, float], taking_part: Mapping[str, float]
) -> Iterator[str]:
    """That one metric decides alone."""
    if len(taking_part) == 1 < len(board.metrics):
        only = board.metric_label(*taking_part)
        alone = sum(share > 0 for share in shares.values()) == 1
        yield f"only {only} has weight{'' if alone else ' and values'}: the ranking is by {only} alone"


def ranked_last(board: Board, floored: Sequence[int]) -> Iterator[str]:
    """Which models stand behind all others."""
    if floored:
        names = ", ".join(sorted(board.model_label(board.models[index]) for index in floored))
        yield f"no better than a constant answer, so ranked last: {names}"


def lacking_values(
    board: Board, metrics: Iterable[str], datasets: Mapping[str, float], models: Iterable[int]
) -> Iterator[str]:
    """How many of `models` lack what, and what the board makes of that: a line for all that lack the same."""
    lacking: dict[str, list[str]] = {}
    weighed = {name: board.shares_of(name, datasets) for name in metrics}
    for index in models:
        why = ", ".join(_lacking(board, index, weighed))
        lacking.setdefault(why, []).append(board.model_label(board.models[index]))
    one, many = "is not ranked", "are not ranked"
    if board.missing == "worst":
        one, many = "counts as the worst of the board there", "count as the worst of the board there"
    for why, names in lacking.items():
        if len(names) == 1:
            yield f"{names[0]} {one}: no value {why}"
        else:
            more = [f"and {len(names) - NAMED} more"] if len(names) > NAMED else []
            yield f"{len(names)} models {many}, no value {why}: {', '.join([*names[:NAMED], *more])}"


def _lacking(board: Board, index: int, weighed: Mapping[str, Iterable[str]]) -> Iterator[str]:
    """Datasets on which a model has nothing that counts, then metrics that it lacks elsewhere or at all:
    ``on Second``, ``for Speed, Memory on First``. `weighed` has by metric the datasets that count."""
    absent = {
        name: [d for d in among if board.values[d][name][index] is None] for name, among in weighed.items()
    }
    datasets = dict.fromkeys(dataset for among in weighed.values() for dataset in among)
    empty = [d for d in datasets if all(d in absent[n] for n, among in weighed.items() if d in among)]
    if 0 < len(empty) < len(datasets):
        yield f"on {' and '.join(map(board.dataset_label, empty))}"
        absent = {name: [d for d in among if d not in empty] for name, among in absent.items()}
    lacked = []
    for name, among in absent.items():
        if among:
            where = " and ".join(map(board.dataset_label, among))
            everywhere = set(among) == set(weighed[name])
            lacked.append(f"{board.metric_label(name)}{'' if everywhere else f' on {where}'}")
    if lacked:
        yield f"for {', '.join(lacked)}"


def _no_part(what: str, count: int, among: str) -> str:
    parts = "it takes no part, and its" if count == 1 else "they take no part, and their"
    return f"no model has a value for {what}: {parts} weight is shared out among the other {among}"
