"""Whether a change makes a model worse than it was, by more than chance.

The model as it was stands beside the model as it is, on a board with all others: both answered the same
examples, so that what varies with the examples varies for both, and what is left is the difference.
"""

from __future__ import annotations

import math
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from evaluator.data.datasets import Dataset
from evaluator.publish.moves import BoardStanding, PlaceOnBoard
from evaluator.rank.dynascore import Board, Question
from evaluator.rank.rank_sets import Certainty, Comparison
from evaluator.records.board import Assembled, Boards, BoardSpec
from evaluator.records.names import or_one_of
from evaluator.records.result import Result
from evaluator.records.store import Store
from evaluator.score.certainty import assemble_floored, sampled
from evaluator.score.covariances import derive
from evaluator.score.examples import dataset_of
from evaluator.score.suites import RemadeSuites

#: After the id of a model, for what it was before the change.
AS_IT_WAS = "-as-it-was"


class GateError(ValueError):
    """A model that is to be guarded and is on no board; the message names those that are."""


@dataclass(frozen=True)
class ChangedBoards:
    """What a change makes of the results: the stores and the boards' standings before and after it.

    `datasets` are those whose files are at hand, by id; of others the gold labels are used that are kept.
    """

    boards: Boards
    before: Store
    after: Store
    was: Mapping[str, BoardStanding]
    now: Mapping[str, BoardStanding]
    datasets: Mapping[str, Dataset]


def made_worse(change: ChangedBoards, models: Sequence[str]) -> Iterator[str]:
    """The boards on which one of `models` is worse than it was, a line each.

    A model is worse if it was ranked and is not any more, or if its Dynascore at the board's own weights is
    lower with the whole 95 % interval of the difference below 0. Where it is not known how the numbers vary,
    a lower Dynascore is enough. Raises `GateError`, and `evaluator.records.store.UserError` at a bad file.
    """
    known = {model for one in (change.was, change.now) for board in one.values() for model in board.places}
    for model in models:
        if model not in known:
            raise GateError(f"--gate: {model!r} is on no board{or_one_of(model, sorted(known))}")
        for board in change.boards.boards:
            was = change.was[board.id].places.get(model) if board.id in change.was else None
            if was is not None and was.rank is not None and (words := _worse(change, board, model, was)):
                yield f"{board.title}: {was.label}: {words}"


def _worse(change: ChangedBoards, board: BoardSpec, model: str, was: PlaceOnBoard) -> str | None:
    """In what a model that was ranked has become worse; None if it has not, or was removed for a reason."""
    now = change.now[board.id].places.get(model)
    if now is None:
        return None if model in change.now[board.id].removed else f"was ranked {was.rank} and is gone"
    if now.rank is None:
        why = ", ".join(now.remarks) or "no reason is known"
        return f"was ranked {was.rank} and is not ranked any more: {why}"
    if _results(change.before, board, model) == _results(change.after, board, model):
        return None
    found = _compared(change, board, model)
    if math.isnan(found.difference) or found.difference >= 0:
        return None
    fell = f"its Dynascore fell by {-found.difference:.2f}"
    if found.interval is None:
        return f"{fell}; it is not known how much of that may be chance"
    low, high = found.interval
    return f"{fell}, by {-high:.2f} to {-low:.2f} with 95 % confidence" if high < 0 else None


def _results(store: Store, board: BoardSpec, model: str) -> list[Result | None]:
    return [store.find(board.task, dataset, model) for dataset in board.datasets]


def _compared(change: ChangedBoards, board: BoardSpec, model: str) -> Comparison:
    """The model as it is against the model as it was."""
    with tempfile.TemporaryDirectory() as folder:
        store = _side_by_side(change, board, model, Path(folder))
        assembled: Assembled = assemble_floored(board, change.boards, store, store.results())
        ranked = Board.from_dict(assembled.data)
        question = Question(assembled.metric_weights, assembled.dataset_weights)
        certainty = Certainty.from_dict(ranked, sampled(assembled, store))
        return certainty.compare(model, model + AS_IT_WAS, question)


def _side_by_side(change: ChangedBoards, board: BoardSpec, model: str, folder: Path) -> Store:
    """The results of a board with those that the model had, in an empty folder, and how all of them vary."""
    store = Store(folder)
    for dataset in board.datasets:
        there = change.after.path(board.task, dataset, model).parent
        if there.is_dir():
            shutil.copytree(there, store.path(board.task, dataset, model).parent)
        old = change.before.find(board.task, dataset, model)
        if old is not None:
            _add_as_it_was(change.before, store, old)
            _vary(change, store, old)
    return store


def _add_as_it_was(before: Store, store: Store, old: Result) -> None:
    renamed = old.model.model_copy(update={"id": old.model.id + AS_IT_WAS})
    predictions = before.predictions(old) if old.predictions is not None else None
    variants = [before.variants(old, suite) for suite in old.suites]
    store.save(old.model_copy(update={"model": renamed}), predictions, variants)


def _vary(change: ChangedBoards, store: Store, old: Result) -> None:
    """Derive how the values of all models vary, in the place of what is kept without the old one.

    Without right answers nothing can be derived, and the old model is one of which nothing is known.
    """
    dataset = _dataset(change, old) if old.predictions is not None else None
    if dataset is not None:
        suites = RemadeSuites(change.boards, trusted=False)
        store.save_record(derive(dataset, change.boards, store, suites))


def _dataset(change: ChangedBoards, result: Result) -> Dataset | None:
    """The dataset that a result is about, from its file or as far as the results keep it."""
    found = change.datasets.get(result.dataset.id)
    if found is not None and (found.task, found.revision) == (result.task, result.dataset.revision):
        return found
    if result.dataset.revision is None:
        return None
    kept = change.before.examples(result.task, result.dataset.id, result.dataset.revision)
    if kept is None or kept.gold is None:
        return None
    return dataset_of(kept, change.before.predictions(result).labels)
