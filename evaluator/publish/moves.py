"""What a change to results and board file does to the ranks, at each board's own weights."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from evaluator.rank import dynascore
from evaluator.rank.moves import Place, moved
from evaluator.rank.rank_sets import Certainty
from evaluator.records.base import TIMING
from evaluator.records.board import Assembled, BoardEntry, Boards
from evaluator.records.references import Removal
from evaluator.records.result import Result
from evaluator.records.store import Store
from evaluator.score.certainty import assemble_floored, sampled


@dataclass(frozen=True)
class PlaceOnBoard(Place):
    """A model's place on a board; rank sets are at 95 %.

    `remarks` say why it is not ranked, and how many examples it answered if these are not all; they quote
    files.
    """

    label: str = ""
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class BoardStanding:
    """A board at its own weights: its models in rank order.

    `stale` are the labels of models with a number that does not compare or cannot be believed, and why;
    `removed` says why models that were on it are gone.
    """

    title: str
    places: dict[str, PlaceOnBoard]
    stale: frozenset[tuple[str, str]]
    removed: dict[str, Removal] = field(default_factory=dict)

    @property
    def ranked(self) -> int:
        return sum(place.rank is not None for place in self.places.values())


@dataclass(frozen=True)
class RankChange:
    """A model whose rank changed; None if it is not ranked or not there.

    `remarks` and `rank_set`, the one after the change: see `PlaceOnBoard`.

    `removal` is why it is gone, None where nothing is known of that.
    """

    label: str
    before: int | None
    after: int | None
    score: float | None
    new: bool = False
    gone: bool = False
    removal: Removal | None = None
    remarks: tuple[str, ...] = ()
    rank_set: tuple[int, int] | None = None


@dataclass(frozen=True)
class BoardMoves:
    """What a change does to one board: `ranked` models now, `was` before; `was` is None for a new board."""

    title: str
    ranked: int
    was: int | None
    moves: list[RankChange] = field(default_factory=list)


def standings(
    boards: Boards | None, store: Store, results: Iterable[Result], rank_sets: bool = False
) -> dict[str, BoardStanding]:
    """The boards as these results make them, by id; ValueError where a number cannot be ranked.

    `rank_sets`: find those, too, which takes a time that grows with the square of the models.
    """
    if boards is None:
        return {}
    results = list(results)
    assembled = (assemble_floored(board, boards, store, results) for board in boards.boards)
    return {one.board.id: _standing(one, store if rank_sets else None) for one in assembled}


def _standing(assembled: Assembled, store: Store | None) -> BoardStanding:
    """A board; with a store that keeps how its numbers vary, with rank sets."""
    stale = {(entry.label, line) for entry in assembled.entries.values() for line in entry.kept_apart}
    title = assembled.board.title
    removed = {model.id: model.removed for model in assembled.removed if model.removed}
    if not assembled.entries:
        return BoardStanding(title, {}, frozenset(), removed)
    board = dynascore.Board.from_dict(assembled.data)
    question = dynascore.Question(assembled.metric_weights, assembled.dataset_weights)
    sets: dict[str, tuple[int, int] | None] = {}
    if store is not None:
        found = Certainty.from_dict(board, sampled(assembled, store)).sets(question).sets
        sets = dict(zip(board.models, found, strict=True))
    places = {
        row.model: PlaceOnBoard(
            row.rank,
            row.dynascore,
            sets.get(row.model),
            board.model_label(row.model),
            _remarks(row.model, row.rank, assembled),
        )
        for row in board.rank(question.metrics, question.datasets).rows
    }
    return BoardStanding(title, places, frozenset(stale), removed)


def _remarks(model: str, rank: int | None, assembled: Assembled) -> tuple[str, ...]:
    """Why a model is not ranked, and how much it answered."""
    entry = assembled.entries[model]
    why = [] if rank is not None else [*entry.failures, *entry.stale, *_missing(model, assembled)]
    return tuple(dict.fromkeys([*why, *_coverage(entry)]))


def _missing(model: str, assembled: Assembled) -> Iterator[str]:
    """The numbers with weight that a model lacks, except for those that do not compare or failed."""
    entry, data = assembled.entries[model], assembled.data
    row = data["models"].index(model)
    for dataset in data["datasets"]:
        result = entry.results.get(dataset)
        if result is None:
            yield f"no result on {dataset}"
        elif result.status == "complete":
            for metric, column in data["values"][dataset].items():
                weight = assembled.metric_weights.get(metric, 0.0)
                if column[row] is None and weight > 0 and metric not in result.scores:
                    yield f"no {metric} on {dataset}"


def _coverage(entry: BoardEntry) -> Iterator[str]:
    """``40 of 300 answered on sst-2``, for each dataset on which a model left something unanswered."""
    for dataset, result in entry.results.items():
        examples = result.dataset.examples
        none = sum(failure.count for failure in result.failures if failure.stage == "predicting")
        if result.status == "complete" and examples is not None and none:
            yield f"{examples - none} of {examples} answered on {dataset}"


def moves(before: Mapping[str, BoardStanding], after: Mapping[str, BoardStanding]) -> list[BoardMoves]:
    """The boards on which a change moves something; a removed board has no models left."""
    found = []
    for id_, now in after.items():
        was = before.get(id_)
        moved = _moves(was.places if was else {}, now.places, now.removed)
        if moved or was is None:
            found.append(BoardMoves(now.title, now.ranked, was.ranked if was else None, moved))
    gone = [was for id_, was in before.items() if id_ not in after]
    return found + [BoardMoves(was.title, 0, was.ranked, _moves(was.places, {}, {})) for was in gone]


def _moves(
    before: Mapping[str, PlaceOnBoard], after: Mapping[str, PlaceOnBoard], removed: Mapping[str, Removal]
) -> list[RankChange]:
    found = []
    for id_, (was, now) in moved(before, after).items():
        rank = was.rank if was else None
        if now is not None:
            new = was is None
            change = RankChange(
                now.label, rank, now.rank, now.score, new, remarks=now.remarks, rank_set=now.rank_set
            )
        else:
            label = was.label if was else id_
            change = RankChange(label, rank, None, None, gone=True, removal=removed.get(id_))
        found.append(change)
    return found


def new_stale(
    before: Mapping[str, BoardStanding], after: Mapping[str, BoardStanding]
) -> tuple[list[str], list[str]]:
    """Numbers that are kept out of their column since the change: of data, and of timing.

    Timing compares only within a machine, so anyone who measures elsewhere cannot avoid the second kind.
    """
    of_data: list[str] = []
    of_timing: list[str] = []
    for id_, board in after.items():
        known = before[id_].stale if id_ in before else frozenset()
        for label, line in sorted(board.stale - known):
            metric = line.split(" ", 1)[0]
            (of_timing if metric in TIMING else of_data).append(f"{board.title}: {label}: {line}")
    return of_data, of_timing
