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
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from evaluator.publish.snapshots.repository import listed, load
from evaluator.rank import dynascore, formats
from evaluator.rank.moves import Place, within_noise
from evaluator.records.errors import UserError
from evaluator.records.references import Removal
from evaluator.records.snapshot import Snapshot, SnapshotCells

STEPS = ("models", "results", "terms")
#: What a change is credited to, in the order in which they are shown.
REASONS = (*STEPS, "rates", "scorer")
TERMS = ("by", "base", "epsilon", "epsilon_kind", "rate", "trades", "missing")


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
    of scores mean something. `renamed` are the ids that models have in the new one, by those in the old one:
    everywhere else a model is called by the former. `protocols` are those of the measurements in each.
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
    renamed: Mapping[str, str]
    protocols: tuple[tuple[str, ...], tuple[str, ...]]

    @property
    def timed_anew(self) -> str:
        """That timings were made by another protocol, as part of a sentence; "" where none were."""
        before, after = self.protocols
        if not before or not after or before == after:
            return ""
        return (
            f"throughput and memory were measured by protocol {formats.listed(before)} before and by protocol"
            f" {formats.listed(after)} now, which alone may change them"
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain data; field names as here, and of each move whether it is within noise."""
        plain = asdict(self)
        plain["removals"] = {model: removal.plain() for model, removal in self.removals.items()}
        for move, row in zip(self.moves, plain["moves"], strict=True):
            row["within_noise"] = move.within_noise
        return plain


def difference(
    old: Snapshot,
    new: Snapshot,
    removals: Mapping[str, Removal] | None = None,
    renames: Mapping[str, str] | None = None,
) -> Difference:
    """Who moved from one snapshot of a board to another, and why. Raises `UserError`.

    `removals` are what the board file says by now, of models that the new snapshot says nothing about;
    `renames` are the ids that models have in it, by those that they had before.
    """
    boards = old.board["id"], new.board["id"]
    if boards[0] != boards[1]:
        problem = f"is of board {boards[0]} and {new.id} of board {boards[1]}"
        raise UserError(old.id, problem, "compare two of one board")
    renamed = renamed_between(old, new, renames or {})
    old = _with_ids(old, renamed)
    rankings, same_scale = _rankings(old, new), _same_scale(old, new)
    reweighed = not _weighs_alike(old, new)
    before, after = set(old.data.models), set(new.data.models)
    gone = tuple(sorted(before - after))
    known = {**(removals or {}), **{model.id: model for model in new.removed}}
    names = dict.fromkeys([*old.ranking.exchange_rates, *new.ranking.exchange_rates])
    rates = [_rates(ranking) for ranking in rankings]
    return Difference(
        old=old.id,
        new=new.id,
        added=tuple(sorted(after - before)),
        removed=gone,
        cells=tuple(_cells(old, new)),
        terms=_terms(old, new),
        weights=_weights(old, new),
        rates={name: [found.get(name) for found in rates] for name in names},
        moves=tuple(_moves(old, new, _stages(old, new, rankings, reweighed), same_scale)),
        removals={
            model: Removal(reason=known[model].reason, date=known[model].date)
            for model in gone
            if model in known
        },
        reweighed=reweighed,
        same_scale=same_scale,
        renamed=renamed,
        protocols=(_protocols(old), _protocols(new)),
    )


def _protocols(snapshot: Snapshot) -> tuple[str, ...]:
    return tuple(sorted({machine.protocol for machine in snapshot.machines}))


def renamed_between(old: Snapshot, new: Snapshot, renames: Mapping[str, str]) -> dict[str, str]:
    """Those of `renames` that came about between two snapshots: neither has a model under both ids."""
    before, after = set(old.data.models), set(new.data.models)
    return {was: now for was, now in renames.items() if was in before - after and now not in before}


def _with_ids(snapshot: Snapshot, ids: Mapping[str, str]) -> Snapshot:
    """The snapshot with other ids of models."""
    data = snapshot.data
    labels = {ids.get(model, model): label for model, label in data.labels.get("models", {}).items()}
    changed = {
        "models": tuple(ids.get(model, model) for model in data.models),
        "floored": tuple(ids.get(model, model) for model in data.floored),
        "labels": {**data.labels, "models": labels},
    }
    return snapshot.model_copy(update={"data": data.model_copy(update=changed)}) if ids else snapshot


#: What places are credited to, and the places.
Stage = tuple[str, Mapping[str, Place]]


def _rankings(old: Snapshot, new: Snapshot) -> list[dynascore.Ranking]:
    """The old board and what each of `STEPS` makes of it, all at the new weights of what they have."""
    weights = _weights_of(new, old.data)
    on_the_way = [old.data.plain(), *(_with_models(old, new, results) for results in (False, True))]
    found = [dynascore.Board.from_dict(data).rank(*weights) for data in on_the_way]
    last = dynascore.Board.from_dict(new.data.plain())
    return [*found, last.rank(new.weights.metrics, new.weights.datasets)]


def _stages(
    old: Snapshot, new: Snapshot, rankings: Sequence[dynascore.Ranking], reweighed: bool
) -> list[Stage]:
    """The old places at the new weights, those after each half of each step, and the new ones.

    At the same weights the old places are those that are in the snapshot.
    """
    stages: list[Stage] = [] if reweighed else [("", places_of(old))]
    stages.append(("scorer", _places(rankings[0])))
    for step, (before, after) in zip(STEPS, itertools.pairwise(rankings), strict=True):
        stages += [(step, _at_rates(before, after)), ("rates", _places(after))]
    return [*stages, ("scorer", places_of(new))]


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
    """A snapshot's weights of the metrics and datasets that cells are about; 0 of one that it has not."""
    metrics = [str(metric["name"]) for metric in cells.metrics]
    return (
        {name: snapshot.weights.metrics.get(name, 0.0) for name in metrics},
        {name: snapshot.weights.datasets.get(name, 0.0) for name in cells.datasets},
    )


def _places(ranking: dynascore.Ranking) -> dict[str, Place]:
    return {row.model: Place(row.rank, row.dynascore) for row in ranking.rows}


def _rates(ranking: dynascore.Ranking) -> dict[str, float | None]:
    return {name: rate.rate for name, rate in ranking.exchange_rates.items()}


def _at_rates(before: dynascore.Ranking, after: dynascore.Ranking) -> dict[str, Place]:
    """The places after a step, at the exchange rates from before it.

    A metric without a rate adds nothing, and one that is without it now cannot be converted at the old one.
    By trade-offs no rate follows from the models.
    """
    if "trades" in (before.by, after.by):
        return _places(after)
    known = _rates(before)
    factors = {}
    for name, rate in _rates(after).items():
        was = known.get(name, rate)
        factors[name] = rate / was if rate and was else 0.0
    if all(factor == 1.0 for factor in factors.values()):
        return _places(after)
    scores = {
        row.model: math.fsum(factors[name] * part for name, part in row.contributions.items())
        for row in after.rows
        if row.rank is not None
    }
    places: dict[str, Place] = {}
    last = Place()
    for position, (model, score) in enumerate(sorted(scores.items(), key=lambda item: -item[1]), start=1):
        last = Place(last.rank if score == last.score else position, score)
        places[model] = last
    return places


def places_of(snapshot: Snapshot) -> dict[str, Place]:
    """What a snapshot says of each model."""
    ranking, models = snapshot.ranking, snapshot.data.models
    sets = snapshot.certainty.sets if snapshot.certainty else [None] * len(models)
    columns = zip(ranking.ranks, ranking.scores, sets, strict=True)
    return dict(zip(models, itertools.starmap(Place, columns), strict=True))


def _with_models(old: Snapshot, new: Snapshot, results: bool) -> dict[str, Any]:
    """The old board with the models of the new one, and with the new cells of the others if `results`."""
    olds, news = _by_model(old), _by_model(new)

    def value(*cell: str) -> float | None:
        first, second = (news, olds) if results or cell[0] not in old.data.models else (olds, news)
        return first[cell] if cell in first else second.get(cell)

    values = {
        dataset: {name: [value(model, dataset, name) for model in new.data.models] for name in columns}
        for dataset, columns in old.data.values.items()
    }
    labels = {**old.data.labels, "models": new.data.labels.get("models", {})}
    return {**old.data.plain(), "models": list(new.data.models), "values": values, "labels": labels}


def _by_model(snapshot: Snapshot) -> dict[tuple[str, ...], float | None]:
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
        CellChange(cell[0], cell[1], cell[2], before[cell], after[cell])
        for cell in sorted(before.keys() & after.keys())
        if before[cell] != after[cell]
    ]


def _terms(old: Snapshot, new: Snapshot) -> dict[str, tuple[Any, Any]]:
    before, after = _said(old), _said(new)
    return _changes(before, after, None)


def _said(snapshot: Snapshot) -> dict[str, Any]:
    """The terms of a board, with direction and offset of each metric."""
    terms = {name: getattr(snapshot.data, name) for name in TERMS}
    terms["datasets"] = list(snapshot.data.datasets)
    for metric in snapshot.data.metrics:
        # Older snapshots do not say units.
        terms[f"metric {metric['name']}"] = {name: metric[name] for name in ("direction", "offset")}
    return terms


def _weights(old: Snapshot, new: Snapshot) -> dict[str, dict[str, tuple[float, float]]]:
    changed = {
        "metrics": _changes(shares(old.weights.metrics), shares(new.weights.metrics), 0.0),
        "datasets": _changes(shares(old.weights.datasets), shares(new.weights.datasets), 0.0),
    }
    return {kind: weights for kind, weights in changed.items() if weights}


def _changes(before: Mapping[str, Any], after: Mapping[str, Any], absent: Any) -> dict[str, tuple[Any, Any]]:
    """What differs, old and new, with `absent` for what one of them has not."""
    pairs = {name: (before.get(name, absent), after.get(name, absent)) for name in {**before, **after}}
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


def shares(weights: Mapping[str, float]) -> dict[str, float]:
    """The weights as shares that sum to one; all are 0 where nothing weighs."""
    largest = max(weights.values(), default=0.0) or 1.0
    total = math.fsum(weight / largest for weight in weights.values()) or 1.0
    return {name: weight / largest / total for name, weight in weights.items()}


def _moves(old: Snapshot, new: Snapshot, stages: Sequence[Stage], same_scale: bool) -> list[Move]:
    labels = {**old.data.labels.get("models", {}), **new.data.labels.get("models", {})}
    stored = places_of(old)
    moves = [
        _move(model, labels.get(model, model), stored.get(model, Place()), stages, same_scale)
        for model in dict.fromkeys([*new.data.models, *old.data.models])
    ]
    return sorted(moves, key=lambda move: (move.new.rank or math.inf, move.old.rank or math.inf, move.model))


def _move(model: str, label: str, old: Place, stages: Sequence[Stage], same_scale: bool) -> Move:
    first, last = (stages[at][1].get(model, Place()) for at in (0, -1))
    if first.rank is None or last.rank is None or first.score is None or last.score is None:
        return Move(model, label, old, first, last, None, None)
    ranks, scores = dict.fromkeys(REASONS, 0), {reason: [0.0] for reason in REASONS}
    rank, score = first.rank, first.score
    for reason, places in stages[1:]:
        place = places.get(model, Place())
        if place.rank is not None and place.score is not None:
            ranks[reason] += place.rank - rank
            scores[reason].append(place.score - score)
            rank, score = place.rank, place.score
    changes = {name: math.fsum(parts) for name, parts in scores.items()} if same_scale else None
    return Move(model, label, old, first, last, ranks, changes)


@dataclass(frozen=True)
class Point:
    """A model in one snapshot; `weights` are the snapshot's as shares, of metrics and of datasets."""

    snapshot: str
    created: str
    place: Place
    weights: tuple[dict[str, float], dict[str, float]]


def history(root: Path, board: str, renames: Mapping[str, str] | None = None) -> dict[str, list[Point]]:
    """The snapshots that each model of a board is in, in the order of their time; models by id.

    `root` is the folder of the snapshots, which are not verified. `renames` are the ids that models have now,
    by those that they had before. Raises `UserError` for one that cannot be read.
    """
    found: dict[str, list[Point]] = {}
    for entry in sorted(listed(root), key=lambda entry: entry.created):
        if entry.board == board:
            snapshot = load(root, entry.id)
            weights = shares(snapshot.weights.metrics), shares(snapshot.weights.datasets)
            places = places_of(snapshot)
            for id_, place in places.items():
                now = (renames or {}).get(id_, id_)
                model = id_ if now in places else now
                found.setdefault(model, []).append(Point(entry.id, entry.created, place, weights))
    return dict(sorted(found.items()))
