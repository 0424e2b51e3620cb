"""What a number of fairness is called by: that which was made of the texts, not what one hopes it says."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from evaluator.records.board.pages import BoardSpec
from evaluator.records.result import Result

#: What the transformations of a fairness suite make, by their names up to a hyphen.
SWAPS = {"gender": "gender swap", "ethnicity": "first-name swap"}
OTHER = "other change"
#: A label that says no more than the kind of suite, so that what was made takes its place.
PROMISED = "fairness"


def swaps_made(kind: str, made: Mapping[str, int]) -> dict[str, int]:
    """How many of each kind of swap a fairness suite made, of `made` variants by transformation; nothing of
    other kinds of suites."""
    counts: dict[str, int] = {}
    for name, count in made.items() if kind == "fairness" else ():
        if count:
            swap = SWAPS.get(name.lower().split("-")[0], OTHER)
            counts[swap] = counts.get(swap, 0) + count
    return counts


def swaps_on(metric: str, scoring: Iterable[str], results: Iterable[Result]) -> dict[str, int]:
    """The same of a board's column, over its scoring datasets; nothing where it is under no such suite."""
    by_dataset = {one.dataset.id: one.suites[metric] for one in results if metric in one.suites}
    counts: dict[str, int] = {}
    for scores in (by_dataset[name] for name in scoring if name in by_dataset):
        made = {name: one.made for name, one in scores.transformations.items()}
        for swap, count in swaps_made(scores.kind, made).items():
            counts[swap] = counts.get(swap, 0) + count
    return counts


def made_label(swaps: Iterable[str]) -> str:
    """ "Gender swaps", "Gender and first-name swaps"; empty where anything else was made."""
    kinds = [swap.removesuffix(" swap") for swap in swaps]
    return f"{' and '.join(kinds)} swaps".capitalize() if kinds and OTHER not in kinds else ""


def with_made_labels(board: BoardSpec, scoring: Iterable[str], results: Iterable[Result]) -> BoardSpec:
    """The board with columns of fairness called by what was made, unless its file has another name for one
    than "Fairness"."""
    scoring, results = list(scoring), list(results)
    labels = {
        metric.name: made_label(swaps_on(metric.name, scoring, results))
        for metric in board.metrics
        if metric.label.lower() == PROMISED
    }
    if not any(labels.values()):
        return board
    metrics = tuple(
        metric.model_copy(update={"label": labels.get(metric.name) or metric.label})
        for metric in board.metrics
    )
    return board.model_copy(update={"metrics": metrics})
