"""Two snapshots of a board: which models moved, and why.

The effect of a change of weights is kept apart: where the two were ranked at other weights, the numbers of
the old one are ranked again at the new one's weights, and the models move on from there. Scores at different
weights mean different things, so their difference is never taken.

The old board is turned into the new one in a fixed order, and after each step it is ranked:

1. ``models``: models that the new one lacks are removed, those that only it has are added with their cells;
2. ``results``: the cells of the models in both become the new ones;
3. ``terms``: metrics, datasets, caps, base metric, threshold and missing-value policy become the new
   ones; a metric or dataset that is new brings its weight along;
4. ``scorer``: what is left, where the two were ranked by different scorers.

In each of the first three the board is ranked twice, first with the exchange rates as they were before the
step and then with those that follow from it. What the first changes counts for the step, what the second
changes for ``rates``. So a model's changes of score, and of rank, sum to the whole change.

A model without a rank somewhere on the way counts as it did at the step before: the step that ranks
it again gets the change.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evaluator.publish.snapshots.repository import RECORD, listed
from evaluator.rank import dynascore
from evaluator.rank.moves import Place, within_noise
from evaluator.records.errors import UserError
from evaluator.records.references import Removal
from evaluator.records.snapshot import Snapshot, SnapshotCells

STEPS = ("models", "results", "terms")
#: What a change is credited to, in the order in which they are shown.
REASONS = (*STEPS, "rates", "scorer")
TERMS = ("base", "epsilon", "epsilon_kind", "rate", "missing")


@dataclass(frozen=True)
class Move:
    """A model of either snapshot: its old and new place, and what each of `REASONS` did.

    `reweighed` is the old place at the new weights: `old` itself where these are the same. Changes are from
    there; they are None for a model that was not ranked in both, those of scores also where what is new on
    the board has weight. Places gained count as negative ranks.
    """

    model: str
    label: str
    old: Place
    reweighed: Place
    new: Place
    ranks: dict[str, int] | None
    scores: dict[str, float] | None

    @property
    def is_new(self) -> bool:
        """Whether it is ranked only now."""
        return self.old.rank is None and self.new.rank is not None

    @property
    def is_gone(self) -> bool:
        """Whether it is ranked no longer."""
        return self.old.rank is not None and self.new.rank is None

    @property
    def within_noise(self) -> bool | None:
        """Whether other examples could explain its move; None if it did not move, or that is unknown.

        It is unknown of ranks at other weights than a snapshot's own.
        """
        return within_noise(self.reweighed, self.new)


@dataclass(frozen=True)
class CellChange:
    """One cell of a model in both snapshots; None where it is empty."""

    model: str
    dataset: str
    metric: str
    old: float | None
    new: float | None


@dataclass(frozen=True)
class Difference:
    """All that differs. `rates` has each metric's exchange rate before and after, and after each step.

    `terms` has what the board says, and `weights` the normalised weights by kind and name, old and new,
    where they differ. Moves are in the order of the new ranks, models that went last. `removals` says of
    models in `removed` why and when they were; nothing is known of the others. `reweighed`: the old numbers
    were ranked again at the new weights. `same_scale`: these are all of the new weights, so that differences
    of scores mean something.
    """

    old: str
    new: str
    added: tuple[str, ...]
    removed: tuple[str, ...]
    cells: tuple[CellChange, ...]
    terms: dict[str, tuple[Any, Any]]
    weights: dict[str, dict[str, tuple[float, float]]]
    rates: dict[str, list[float | None]]
    moves: tuple[Move, ...]
    removals: Mapping[str, Removal]
    reweighed: bool
    same_scale: bool

    def to_dict(self) -> dict[str, Any]:
        """Plain data; field names as here."""
        return {
            "old": self.old,
            "new": self.new,
            "added": list(self.added),
            "removed": list(self.removed),
            "removals": {model: removal.plain() for model, removal in self.removals.items()},
            "reweighed": self.reweighed,
            "same_scale": self.same_scale,
            "cells": [vars(cell) for cell in self.cells],
            "terms": {name: list(pair) for name, pair in self.terms.items()},
            "weights": {
                kind: {name: list(pair) for name, pair in pairs.items()}
                for kind, pairs in self.weights.items()
            },
            "rates": self.rates,
            "moves": [
                {
                    **vars(move),
                    "old": vars(move.old),
                    "reweighed": vars(move.reweighed),
                    "new": vars(move.new),
                    "within_noise": move.within_noise,
                }
                for move in self.moves
            ],
        }


def difference(old: Snapshot, new: Snapshot, removals: Mapping[str, Removal] | None = None) -> Difference:
    """Who moved from one snapshot of a board to another, and why. Raises `UserError`.

    `removals` are what the board file says by now, of models that the new snapshot says nothing about.
    """
    boards = old.board["id"], new.board["id"]
    if boards[0] != boards[1]:
        problem = f"is of board {boards[0]} and {new.id} of board {boards[1]}"
        raise UserError(old.id, problem, "compare two of one board")
    stages, same_scale = list(_stages(old, new)), _same_scale(old, new)
    before, after = set(old.data.models), set(new.data.models)
    gone = tuple(sorted(before - after))
    known = {**(removals or {}), **{model.id: model for model in new.removed}}
    return Difference(
        old=old.id,
        new=new.id,
        added=tuple(sorted(after - before)),
        removed=gone,
        cells=tuple(_cells(old, new)),
        terms=_terms(old, new),
        weights=_weights(old, new),
        rates=_rates(old, new, stages),
        moves=tuple(_moves(old, new, stages, same_scale)),
        removals={
            model: Removal(reason=known[model].reason, date=known[model].date)
            for model in gone
            if model in known
        },
        reweighed=not _weighs_alike(old, new),
        same_scale=same_scale,
    )


@dataclass(frozen=True)
class _State:
    """A board on the way from old to new."""

    data: dict[str, Any]
    metrics: Mapping[str, float]
    datasets: Mapping[str, float]


@dataclass
class _Stage:
    """A board ranked: what its places are credited to, and the exchange rates that made them."""

    reason: str
    places: dict[str, Place]
    rates: dict[str, float | None] = field(default_factory=dict)


def _stages(old: Snapshot, new: Snapshot) -> list[_Stage]:
    """The old places at the new weights, those after each half of each step, and the new ones.

    At the same weights the old places are those that are in the snapshot.
    """
    states = [_state(old, new, step) for step in range(len(STEPS) + 1)]
    rankings = [_ranked(state) for state in states]
    stages = [_Stage("", _stored(old))] if _weighs_alike(old, new) else []
    stages.append(_natural("scorer", rankings[0]))
    for step, (before, after) in zip(STEPS, itertools.pairwise(rankings), strict=True):
        stages += [_Stage(step, _held(before, after)), _natural("rates", after)]
    return [*stages, _Stage("scorer", _stored(new))]


def _weighs_alike(old: Snapshot, new: Snapshot) -> bool:
    """Whether the new weights, of what the old board has, rank it as its own did."""
    before, after = _weights_of(old, old.data), _weights_of(new, old.data)
    return all(shares(one) == shares(other) for one, other in zip(before, after, strict=True))


def _same_scale(old: Snapshot, new: Snapshot) -> bool:
    """Whether all that the new board weighs is on the old one, too."""
    used = new.weights.metrics, new.weights.datasets
    among = zip(used, _weights_of(new, old.data), strict=True)
    return all(not any(weights[name] for name in weights.keys() - known.keys()) for weights, known in among)


def _weights_of(snapshot: Snapshot, cells: SnapshotCells) -> tuple[dict[str, float], dict[str, float]]:
    """A snapshot's weights of the metrics and datasets that cells are about."""
    metrics = _among(snapshot.weights.metrics, [str(metric["name"]) for metric in cells.metrics])
    return metrics, _among(snapshot.weights.datasets, cells.datasets)


def _among(weights: Mapping[str, float], names: Iterable[str]) -> dict[str, float]:
    """The weights of these names; one that has none weighs nothing."""
    return {name: weights.get(name, 0.0) for name in names}


def _ranked(state: _State) -> dynascore.Ranking:
    return dynascore.Board.from_dict(state.data).rank(state.metrics, state.datasets)


def _natural(reason: str, ranking: dynascore.Ranking) -> _Stage:
    places = {row.model: Place(row.rank, row.dynascore) for row in ranking.rows}
    return _Stage(reason, places, {name: rate.rate for name, rate in ranking.exchange_rates.items()})


def _held(before: dynascore.Ranking, after: dynascore.Ranking) -> dict[str, Place]:
    """The places after a step, at the exchange rates from before it.

    A metric without a rate adds nothing, and one that is without it now cannot be converted at the old one.
    """
    factors = {
        name: rate.rate / held.rate if rate.rate and held and held.rate else 0.0
        for name, rate in after.exchange_rates.items()
        for held in [before.exchange_rates.get(name, rate)]
    }
    scores = {
        row.model: math.fsum(factors[name] * part for name, part in row.contributions.items())
        for row in after.rows
        if row.rank is not None
    }
    if all(factor == 1.0 for factor in factors.values()):
        return {row.model: Place(row.rank, row.dynascore) for row in after.rows}
    return _placed(scores)


def _placed(scores: Mapping[str, float]) -> dict[str, Place]:
    places: dict[str, Place] = {}
    last = Place()
    for position, (model, score) in enumerate(sorted(scores.items(), key=lambda item: -item[1]), start=1):
        last = Place(last.rank if score == last.score else position, score)
        places[model] = last
    return places


def _stored(snapshot: Snapshot) -> dict[str, Place]:
    ranking = snapshot.ranking
    models = snapshot.data.models
    sets = snapshot.certainty.sets if snapshot.certainty else [None] * len(models)
    columns = zip(ranking.ranks, ranking.scores, sets, strict=True)
    return dict(zip(models, itertools.starmap(Place, columns), strict=True))


def _state(old: Snapshot, new: Snapshot, step: int) -> _State:
    """The board after that many steps, all of them at the new weights of what it has."""
    if step == len(STEPS):
        return _State(new.data.plain(), new.weights.metrics, new.weights.datasets)
    data = _with_models(old, new, results=step == 2) if step else old.data.plain()
    return _State(data, *_weights_of(new, old.data))


def _with_models(old: Snapshot, new: Snapshot, results: bool) -> dict[str, Any]:
    """The old board with the models of the new one, and with the new cells of the others if `results`."""
    labels = {**old.data.labels, "models": new.data.labels.get("models", {})}
    olds, news = _by_model(old), _by_model(new)
    values = {dataset: {metric: [] for metric in columns} for dataset, columns in old.data.values.items()}  # type: dict[str, dict[str, list[float | None]]]
    for model in new.data.models:
        for dataset, columns in values.items():
            for metric, column in columns.items():
                cell = (model, dataset, metric)
                first, second = (news, olds) if results or model not in old.data.models else (olds, news)
                column.append(first[cell] if cell in first else second.get(cell))
    return {**old.data.plain(), "models": list(new.data.models), "values": values, "labels": labels}


def _by_model(snapshot: Snapshot) -> dict[tuple[str, str, str], float | None]:
    return {
        (model, dataset, metric): value
        for dataset, columns in snapshot.data.values.items()
        for metric, column in columns.items()
        for model, value in zip(snapshot.data.models, column, strict=True)
    }


def _cells(old: Snapshot, new: Snapshot) -> list[CellChange]:
    """Cells of models, datasets and metrics that both have, where they differ."""
    before, after = _by_model(old), _by_model(new)
    return [
        CellChange(*cell, before[cell], after[cell])
        for cell in sorted(before.keys() & after.keys())
        if before[cell] != after[cell]
    ]


def _terms(old: Snapshot, new: Snapshot) -> dict[str, tuple[Any, Any]]:
    pairs = {name: (getattr(old.data, name), getattr(new.data, name)) for name in TERMS}
    pairs["datasets"] = (list(old.data.datasets), list(new.data.datasets))
    before, after = _metrics(old), _metrics(new)
    for name in dict.fromkeys([*before, *after]):
        pairs[f"metric {name}"] = before.get(name), after.get(name)
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


def _metrics(snapshot: Snapshot) -> dict[str, dict[str, Any]]:
    """Direction and offset of each metric."""
    return {
        str(metric["name"]): {name: value for name, value in metric.items() if name != "name"}
        for metric in snapshot.data.metrics
    }


def _weights(old: Snapshot, new: Snapshot) -> dict[str, dict[str, tuple[float, float]]]:
    pairs = {
        "metrics": (shares(old.weights.metrics), shares(new.weights.metrics)),
        "datasets": (shares(old.weights.datasets), shares(new.weights.datasets)),
    }
    changed = {
        kind: {
            name: (before.get(name, 0.0), after.get(name, 0.0))
            for name in dict.fromkeys([*before, *after])
            if before.get(name, 0.0) != after.get(name, 0.0)
        }
        for kind, (before, after) in pairs.items()
    }
    return {kind: weights for kind, weights in changed.items() if weights}


def shares(weights: Mapping[str, float]) -> dict[str, float]:
    """The weights as shares that sum to one; all are 0 where nothing weighs."""
    largest = max(weights.values(), default=0.0) or 1.0
    total = math.fsum(weight / largest for weight in weights.values()) or 1.0
    return {name: weight / largest / total for name, weight in weights.items()}


def _rates(old: Snapshot, new: Snapshot, stages: Sequence[_Stage]) -> dict[str, list[float | None]]:
    names = dict.fromkeys([*old.ranking.exchange_rates, *new.ranking.exchange_rates])
    natural = [stage.rates for stage in stages if stage.rates]
    return {name: [rates.get(name) for rates in natural] for name in names}


def _moves(old: Snapshot, new: Snapshot, stages: Sequence[_Stage], same_scale: bool) -> list[Move]:
    labels = {**old.data.labels.get("models", {}), **new.data.labels.get("models", {})}
    stored, nothing = _stored(old), Place()
    moves = [
        _move(
            model,
            labels.get(model, model),
            stored.get(model, nothing),
            [stage.places.get(model, nothing) for stage in stages],
            stages,
            same_scale,
        )
        for model in dict.fromkeys([*new.data.models, *old.data.models])
    ]
    return sorted(moves, key=lambda move: (move.new.rank or math.inf, move.old.rank or math.inf, move.model))


def _move(
    model: str, label: str, old: Place, places: list[Place], stages: Sequence[_Stage], same_scale: bool
) -> Move:
    first, last = places[0], places[-1]
    if first.rank is None or last.rank is None or first.score is None or last.score is None:
        return Move(model, label, old, first, last, None, None)
    ranks, scores = dict.fromkeys(REASONS, 0), {reason: [0.0] for reason in REASONS}
    rank, score = first.rank, first.score
    for place, stage in zip(places[1:], stages[1:], strict=True):
        if place.rank is not None and place.score is not None:
            ranks[stage.reason] += place.rank - rank
            scores[stage.reason].append(place.score - score)
            rank, score = place.rank, place.score
    changes = {name: math.fsum(parts) for name, parts in scores.items()} if same_scale else None
    return Move(model, label, old, first, last, ranks, changes)


@dataclass(frozen=True)
class Point:
    """A model in one snapshot; rank and score are None where it was not ranked, its rank set if unknown.

    `weights` are the snapshot's as shares, of metrics and of datasets.
    """

    snapshot: str
    created: str
    rank: int | None
    score: float | None
    rank_set: tuple[int, int] | None = None
    weights: tuple[dict[str, float], dict[str, float]] = ({}, {})

    @property
    def place(self) -> Place:
        """Its rank, score and rank set."""
        return Place(self.rank, self.score, self.rank_set)


def history(root: Path, board: str) -> dict[str, list[Point]]:
    """The snapshots that each model of a board is in, in the order of their time; models by id.

    `root` is the folder of the snapshots. Files are taken as they are, for speed: `verify` is what
    checks them. Raises `UserError` for one that cannot be read.
    """
    found: dict[str, list[Point]] = {}
    entries = sorted(
        (entry for entry in listed(root) if entry.board == board), key=lambda entry: entry.created
    )
    for entry in entries:
        for model, *place in _places(root / entry.id / RECORD):
            found.setdefault(model, []).append(Point(entry.id, entry.created, *place))
    return dict(sorted(found.items()))


def _places(path: Path) -> list[tuple[Any, ...]]:
    """Model, rank, score, rank set and weights."""
    try:
        document: Any = json.loads(path.read_bytes())
        models, ranking = document["data"]["models"], document["ranking"]
        sets = document["certainty"]["sets"] if "certainty" in document else [None] * len(models)
        weights = shares(document["weights"]["metrics"]), shares(document["weights"]["datasets"])
        columns = models, ranking["ranks"], ranking["scores"], sets, [weights] * len(models)
        return list(zip(*columns, strict=True))
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise UserError(path, f"cannot be read: {error}", "run: steelyard snapshot verify") from None
