"""What a change to results and board file does to the ranks, and whether it makes a model worse.

Ranks are those at each board's own weights. Whether a model became worse by more than chance: as it was it
stands beside itself as it is, on a board with all others. Both answered the same examples, so that what
varies with the examples varies for both, and what is left is the difference.
"""

from __future__ import annotations

import math
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from evaluator.data.datasets import Dataset
from evaluator.rank import dynascore
from evaluator.rank.dynascore import Board, Question
from evaluator.rank.moves import Place, moved
from evaluator.rank.published import exact_words
from evaluator.rank.rank_sets import Certainty, Comparison
from evaluator.records.base import TIMING
from evaluator.records.board import Assembled, BoardEntry, Boards, BoardSpec, idle_presets
from evaluator.records.board.score import SCORE
from evaluator.records.errors import UserError, or_one_of
from evaluator.records.references import Removal
from evaluator.records.result import Result
from evaluator.records.store import Store
from evaluator.score.certainty import assemble_board, sampled
from evaluator.score.covariances import derive
from evaluator.score.examples import kept_dataset
from evaluator.score.suites import RemadeSuites


@dataclass(frozen=True)
class PlaceOnBoard(Place):
    """A model's place on a board; rank sets are at 95 %.

    `remarks` say why it is not ranked, how many examples it answered if these are not all, and which numbers
    its rank set takes as exact; they quote files. `by` is what the board ranks by.
    """

    label: str = ""
    remarks: tuple[str, ...] = ()
    by: str = "dynascore"


@dataclass(frozen=True)
class BoardStanding:
    """A board at its own weights: its models in rank order.

    `stale` are the labels of models with a number that does not compare or cannot be believed, and why;
    `removed` says why models that were on it are gone; `notices` which columns, models and presets take no
    part.
    """

    title: str
    places: dict[str, PlaceOnBoard]
    stale: frozenset[tuple[str, str]]
    removed: dict[str, Removal] = field(default_factory=dict)
    notices: tuple[str, ...] = ()

    @property
    def ranked(self) -> int:
        return sum(place.rank is not None for place in self.places.values())


@dataclass(frozen=True)
class RankChange:
    """A model whose rank changed: its place before and after, None where it was or is not on the board.

    `removal` is why it is gone, None where nothing is known of that; `renamed` is the id that it had before,
    None where that is the same. A model that was renamed is among them with its rank as it was, too.
    """

    was: PlaceOnBoard | None
    now: PlaceOnBoard | None
    removal: Removal | None = None
    renamed: str | None = None

    @property
    def label(self) -> str:
        place = self.now or self.was
        return place.label if place else ""


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
    assembled = (assemble_board(board, boards, store, results) for board in boards.boards)
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
    given: dict[str, tuple[str, ...]] = {}
    if store is not None:
        found = Certainty.from_dict(board, sampled(assembled, store)).sets(question)
        sets = dict(zip(board.models, found.sets, strict=True))
        exact = {index: exact_words([*words.values()]) for index, words in found.given.items()}
        given = {board.models[index]: (f"rank set {words}",) for index, words in exact.items()}
    places = {
        row.model: PlaceOnBoard(
            row.rank,
            row.dynascore,
            sets.get(row.model),
            board.model_label(row.model),
            (*_remarks(row.model, row.rank, assembled), *given.get(row.model, ())),
            assembled.board.by,
        )
        for row in board.ranking(question).rows
    }
    presets = [f"preset {name} ranks no model: {why}" for name, why in idle_presets(assembled).items()]
    notices = (*board.columns(question).notices, *presets)
    return BoardStanding(title, places, frozenset(stale), removed, notices)


def _remarks(model: str, rank: int | None, assembled: Assembled) -> tuple[str, ...]:
    """Why a model is not ranked, and how much it answered."""
    entry = assembled.entries[model]
    why = [] if rank is not None else [*entry.failures, *map(str, entry.stale), *_missing(model, assembled)]
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
                counts = metric in assembled.counting
                if column[row] is None and counts and metric not in result.scores:
                    yield f"no {metric} on {dataset}"


def _coverage(entry: BoardEntry) -> Iterator[str]:
    """``40 of 300 answered on sst-2``, for each dataset on which a model left something unanswered."""
    for dataset, result in entry.results.items():
        examples = result.dataset.examples
        none = sum(failure.count for failure in result.failures if failure.stage == "predicting")
        if result.status == "complete" and examples is not None and none:
            yield f"{examples - none} of {examples} answered on {dataset}"


def moves(
    before: Mapping[str, BoardStanding], after: Mapping[str, BoardStanding], renamed: Mapping[str, str]
) -> list[BoardMoves]:
    """The boards on which a change moves something; a removed board has no models left.

    `renamed` are the ids that models have now, by those that they had before.
    """
    nothing = BoardStanding("", {}, frozenset())
    found = []
    for id_, board in {**before, **after}.items():
        was, now = before.get(id_), after.get(id_, nothing)
        places = (was or nothing).places
        # What is still there under its old id was not renamed, nor was what had the new one before.
        former = {
            new: old
            for old, new in renamed.items()
            if old in places and old not in now.places and new not in places
        }  # fmt: skip
        known = {old: new for new, old in former.items()}
        pairs = moved({known.get(model, model): place for model, place in places.items()}, now.places)
        for new, old in former.items():
            pairs.setdefault(new, (places[old], now.places.get(new)))
        changes = [
            RankChange(*pair, now.removed.get(model), former.get(model)) for model, pair in pairs.items()
        ]
        if changes or was is None or id_ not in after:
            found.append(BoardMoves(board.title, now.ranked, was.ranked if was else None, changes))
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


#: After the id of a model, for what it was before the change.
AS_IT_WAS = "-as-it-was"


@dataclass(frozen=True)
class ChangedBoards:
    """What a change makes of the results: the stores and the boards' standings before and after it.

    `datasets` are those whose files are at hand, by id; of others the gold labels are used that are kept.
    `base` are the boards before it, None where there was no board file.
    """

    base: Boards | None
    boards: Boards
    before: Store
    after: Store
    was: Mapping[str, BoardStanding]
    now: Mapping[str, BoardStanding]
    datasets: Mapping[str, Dataset]


def made_worse(change: ChangedBoards, models: Sequence[str]) -> Iterator[str]:
    """The boards on which one of `models` is worse than it was, a line each.

    A model is worse if it was ranked and is not any more, or if its score at the board's own weights is
    lower with the whole 95 % interval of the difference below 0. Where it is not known how the numbers vary,
    a lower score is enough. One that was renamed (`was`) is compared with what it was under its old id.
    It cannot be judged where the change takes away a board that ranked it, or a dataset or metric of one.
    Raises `UserError` for a model on no board, and at a bad file.
    """
    known = {model for one in (change.was, change.now) for board in one.values() for model in board.places}
    for model in models:
        spec = change.boards.model(model)
        ids = [model, *([spec.was] if spec is not None and spec.was is not None else [])]
        if known.isdisjoint(ids):
            raise UserError("--gate", f"{model!r} is on no board{or_one_of(model, sorted(known))}")
        if spec is None or spec.removed is None:
            yield from _taken_away(change, ids)
        for board in change.boards.boards:
            places = change.was[board.id].places if board.id in change.was else {}
            for old in ids:
                # An old id that is still there is another model's.
                there = old == model or old not in change.now[board.id].places
                if there and old in places and (words := _worse(change, board, model, old, places[old])):
                    yield f"{board.title}: {places[old].label}: {words}"


def _taken_away(change: ChangedBoards, ids: Sequence[str]) -> Iterator[str]:
    """What ranked a model, which has or had one of these ids, before the change and is not there any more."""
    now = {board.id: board for board in change.boards.boards}
    if change.base is None:
        return
    for was in change.base.boards:
        places = change.was[was.id].places
        old = next((id_ for id_ in ids if id_ in places and places[id_].rank is not None), None)
        if old is None:
            continue
        about = f"{was.title}: {places[old].label}: cannot be judged: it was ranked {places[old].rank}"
        if was.id not in now:
            yield f"{about}, and the board {was.id} is gone; bring it back"
            continue
        scoring = [one for one in map(change.base.dataset, was.datasets) if one.role == "scoring"]
        found = {one.id: change.before.find(one.task, one.id, old) for one in scoring}
        scores = {dataset: result.scores for dataset, result in found.items() if result is not None}
        weighed = [m.name for m in was.metrics if not was.weights or was.weights.get(m.name)]
        lost = [f"dataset {name}" for name in scores if name not in now[was.id].datasets]
        left = {metric.name for metric in now[was.id].metrics}
        lost += [
            f"metric {name}"
            for name in weighed
            if name not in left and (name == SCORE or any(name in known for known in scores.values()))
        ]
        for what in lost:
            yield f"{about} with the {what}, which the board has no more; bring it back"


def _worse(change: ChangedBoards, board: BoardSpec, model: str, old: str, was: PlaceOnBoard) -> str | None:
    """In what a model, which had the id `old`, has become worse; None if it has not, was not ranked, or was
    removed for a reason."""
    if was.rank is None:
        return None
    now = change.now[board.id].places.get(model)
    if now is None:
        return None if model in change.now[board.id].removed else f"was ranked {was.rank} and is gone"
    if now.rank is None:
        why = ", ".join(now.remarks) or "no reason is known"
        return f"was ranked {was.rank} and is not ranked any more: {why}"
    was_on, is_on = (
        [store.find(change.boards.dataset(name).task, name, id_) for name in board.datasets]
        for store, id_ in ((change.before, old), (change.after, model))
    )
    if was_on == is_on:
        return None
    found = _compared(change, board, model, old)
    if math.isnan(found.difference) or found.difference >= 0:
        return None
    fell = f"its score fell by {-found.difference:.2f}"
    if found.interval is None:
        return f"{fell}; it is not known how much of that may be chance"
    low, high = found.interval
    return f"{fell}, by {-high:.2f} to {-low:.2f} with 95 % confidence" if high < 0 else None


def _compared(change: ChangedBoards, board: BoardSpec, model: str, old_id: str) -> Comparison:
    """The model as it is against the model as it was under its old id, on a board with both."""
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder))
        for dataset in board.datasets:
            task = change.boards.dataset(dataset).task
            there = change.after.path(task, dataset, model).parent
            if there.is_dir():
                shutil.copytree(there, store.path(task, dataset, model).parent)
            old = change.before.find(task, dataset, old_id)
            if old is not None:
                _add_as_it_was(change, store, old)
        assembled: Assembled = assemble_board(board, change.boards, store, store.results())
        question = Question(assembled.metric_weights, assembled.dataset_weights)
        certainty = Certainty.from_dict(Board.from_dict(assembled.data), sampled(assembled, store))
        return certainty.compare(model, old_id + AS_IT_WAS, question)


def _add_as_it_was(change: ChangedBoards, store: Store, old: Result) -> None:
    """Add a result as that of another model, and derive how the values of all models vary.

    Without right answers nothing can be derived, and the old model is one of which nothing is known.
    """
    renamed = old.model.model_copy(update={"id": old.model.id + AS_IT_WAS})
    predictions = change.before.predictions(old) if old.predictions is not None else None
    variants = [change.before.variants(old, suite) for suite in old.suites]
    store.save(old.model_copy(update={"model": renamed}), predictions, variants)
    dataset = _dataset(change, old) if old.predictions is not None else None
    if dataset is not None:
        suites = RemadeSuites(change.boards, trusted=False)
        store.save_record(derive(dataset, change.boards, store, suites))


def _dataset(change: ChangedBoards, result: Result) -> Dataset | None:
    """The dataset that a result is about, from its file or as far as the results keep it."""
    found = change.datasets.get(result.dataset.id)
    if found is not None and (found.task, found.revision) == (result.task, result.dataset.revision):
        return found
    return kept_dataset(result, change.before)
