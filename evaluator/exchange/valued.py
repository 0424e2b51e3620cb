"""The values that a tool gave to each example, stored as they are, for datasets of the task "scored".

There is no data to score answers by, so what is stored is the tool's own verdict. Its mean must be the number
that the tool published. Numbers that are no means of examples are stored beside them, as published.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from evaluator.exchange.logs.base import LoggedExamples
from evaluator.exchange.matching import ImportRequest, MatchedTask
from evaluator.exchange.reported import (
    PublishedNumber,
    check_differences,
    model_ref,
    reported_result,
    settings_of_number,
    source,
)
from evaluator.records.board import Boards, DatasetSpec
from evaluator.records.errors import UserError
from evaluator.records.result import Result
from evaluator.records.store import Store
from evaluator.score.examples import is_no_id
from evaluator.score.importing import Imported
from evaluator.score.means import by_example, mean_of
from evaluator.score.values import ScoredExamples, keep_values, known_examples


@dataclass(frozen=True)
class ValuedTask:
    """A task whose examples have values: by the tool's metric, example and trial, in the board's unit.

    `others` is the result of the metrics that are no means of examples; None where all are. `compared` are
    means beside what is published.
    """

    match: MatchedTask
    request: ImportRequest
    values: Mapping[str, Mapping[tuple[str, int], float]]
    ids: frozenset[str]
    trials: int
    others: Result | None
    compared: tuple[PublishedNumber, ...]


def valued_task(one: MatchedTask, request: ImportRequest, boards: Boards, created: str) -> ValuedTask | None:
    """What a log says of each example of a task; None where it says nothing that its numbers are means of.

    Raises `UserError` for a number that is not what the examples imply, unless that is accepted.
    """
    examples = _usable(one)
    if examples is None:
        return None
    rows = [row._replace(id=_public_id(row.id)) for row in examples.rows]
    trials = 1 + max((row.trial for row in rows), default=0)
    values: dict[str, Mapping[tuple[str, int], float]] = {}
    compared = []
    for key, spec in one.metrics.items():
        found = {(row.id, row.trial): one.scaled(key, row.scores[key]) for row in rows if key in row.scores}
        if not found:
            continue
        ids = list(dict.fromkeys(row.id for row in rows))
        mean = mean_of(by_example(array_of(found, ids, trials)))
        number = PublishedNumber(key, spec.name, mean, one.published(key), off=one.rounding(key))
        if number.is_same or _is_mean(one, key):
            values[key] = found
            compared.append(number)
    if not values:
        return None
    check_differences(one, compared, request)
    rest = {key: spec for key, spec in one.metrics.items() if key not in values}
    others = None
    if rest:
        others, *_ = reported_result(replace(one, metrics=rest), request, boards, created)
    ids_there = frozenset(row.id for row in rows)
    return ValuedTask(one, request, values, ids_there, trials, others, tuple(compared))


def _usable(one: MatchedTask) -> LoggedExamples | None:
    if one.task.examples is None:
        return None
    try:
        examples = one.task.examples()
    except UserError:
        return None
    return None if examples.unusable else examples


def _is_mean(one: MatchedTask, key: str) -> bool:
    """Whether a number is known to be the mean of its examples' values."""
    reducer = one.task.own.get(key, {}).get("reducer", "mean")
    return key in one.task.shares | one.task.percents and reducer == "mean"


def _public_id(id_: str) -> str:
    """An id as it may be published: one that looks like a text is told apart by its hash."""
    return hashlib.sha256(id_.encode()).hexdigest()[:16] if is_no_id(id_) else id_


def array_of(values: Mapping[tuple[str, int], float], ids: Sequence[str], trials: int) -> NDArray[np.float64]:
    """Values (examples, trials), NaN where there is none."""
    rows = {id_: place for place, id_ in enumerate(ids)}
    found = np.full((len(ids), trials), np.nan)
    for (id_, trial), value in values.items():
        found[rows[id_], trial] = value
    return found


def examples_of(spec: DatasetSpec, tasks: Sequence[ValuedTask], store: Store) -> ScoredExamples:
    """The examples that some models were asked: those that are stored already, if these have all of them."""
    known = known_examples(spec.id, spec.label, store)
    ids = frozenset().union(*(one.ids for one in tasks))
    if known is not None and ids.issubset(known.ids):
        return known
    return ScoredExamples(spec.id, spec.label, tuple(sorted(ids, key=_in_order)), {})


def _in_order(id_: str) -> tuple[list[int | str], str]:
    """As people count: ``q2`` before ``q10``."""
    parts = re.split(r"([0-9]+)", id_)
    return [int(part) if place % 2 else part for place, part in enumerate(parts)], id_


def keep(one: ValuedTask, examples: ScoredExamples, boards: Boards, store: Store, created: str) -> Imported:
    """Store the values of a task, and its other numbers beside them. Raises `UserError`."""
    match, names = one.match, {key: spec.name for key, spec in one.match.metrics.items()}
    try:
        done = keep_values(
            examples,
            model_ref(match, one.request, boards),
            {names[key]: array_of(found, examples.ids, one.trials) for key, found in one.values.items()},
            boards,
            store,
            source=source(match, one.request, one.compared),
            created=created,
            settings={names[key]: _settings(match, key, one.compared) for key in one.values},
        )
    except UserError as error:
        raise UserError(f"{match.log.path}: {match.task.name}: {error}") from None
    others = one.others.scores if one.others else {}
    if all(done.result.scores.get(name) == score for name, score in others.items()):
        return done
    result = done.result.model_copy(update={"scores": {**done.result.scores, **others}})
    return Imported("imported", result, tuple(store.save(result, store.predictions(done.result))))


def _settings(match: MatchedTask, key: str, compared: Sequence[PublishedNumber]) -> dict[str, str]:
    """What decided a number; how many examples it is of is what the values themselves say."""
    found = settings_of_number(match, key, compared)
    return {name: value for name, value in found.items() if name != "examples"}
