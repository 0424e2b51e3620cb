"""People beside the models: a line under the ranking that no weight moves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evaluator.rank.dynascore import Board
from evaluator.records.base import PEOPLE
from evaluator.records.board import Assembled, BoardEntry, comparability
from evaluator.records.result import Result
from site_src.generator.views import formats
from site_src.generator.views.columns import ShownColumn

Values = Mapping[str, Mapping[str, Sequence[float | None]]]


@dataclass(frozen=True)
class PeopleRow:
    """One estimate of people: a number for each column, None where there is none."""

    label: str
    values: tuple[tuple[ShownColumn, float | None], ...]
    reasons: tuple[str, ...]


def people_rows(assembled: Assembled, columns: Sequence[ShownColumn]) -> tuple[PeopleRow, ...]:
    """A row for each estimate, at the board's default dataset weights.

    A number is the mean over the scoring datasets that weigh anything, and missing as soon as one of
    them lacks it, as it would be for a model. There is no row for people who only stand beside datasets
    that do not rank.
    """
    means = _means(assembled)
    return tuple(
        PeopleRow(
            label=person.label,
            values=tuple((column, means[person.id][column.name]) for column in columns),
            reasons=_reasons(assembled, person),
        )
        for person in assembled.people.values()
        if person.id in means and not person.results.keys().isdisjoint(assembled.data["datasets"])
    )


def named(label: str) -> str:
    """The label of an estimate within a sentence."""
    return label.lower() if label == PEOPLE else formats.isolated(formats.shortened(label, 80))


def number(assembled: Assembled, person: BoardEntry, dataset: str, metric: str) -> float | None:
    """People's number on a dataset; None where there is none to compare the models' with."""
    result = person.results.get(dataset)
    if result is None or metric not in result.scores or not _fits(assembled, result, metric):
        return None
    return result.scores[metric].value


def _fits(assembled: Assembled, result: Result, metric: str) -> bool:
    """Whether the models' numbers were made on the same data, by the same definition.

    Where no model has the number there is nothing that it could not be compared with.
    """
    others = [entry.results.get(result.dataset.id) for entry in assembled.entries.values()]
    keys = {comparability(other, metric) for other in others if other and metric in other.scores}
    return not keys or comparability(result, metric) in keys


def _means(assembled: Assembled) -> dict[str, dict[str, float | None]]:
    """Means over the datasets by person and metric, from the one scorer."""
    if not assembled.people or not assembled.data["datasets"]:
        return {}
    data = {**assembled.data, "models": list(assembled.people), "values": _values(assembled)}
    # No floor is among people, who have no rank that it could be above.
    scorer = Board.from_dict({**data, "missing": "unranked", "labels": {}, "floored": []})
    ranking = scorer.rank(assembled.metric_weights, assembled.dataset_weights).to_dict()
    return {row["model"]: row["values"] for row in ranking["models"]}


def _values(assembled: Assembled) -> Values:
    names = [metric.name for metric in assembled.board.metrics]
    return {
        dataset: {
            name: [number(assembled, person, dataset, name) for person in assembled.people.values()]
            for name in names
        }
        for dataset in assembled.data["datasets"]
    }


def _reasons(assembled: Assembled, person: BoardEntry) -> tuple[str, ...]:
    """Why numbers that exist are not shown."""
    names = [metric.name for metric in assembled.board.metrics]
    return tuple(
        f"{name} on {dataset} was estimated on other data than the models'"
        for dataset, result in person.results.items()
        for name in names
        if name in result.scores and number(assembled, person, dataset, name) is None
    )
