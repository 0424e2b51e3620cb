"""A model that has another id now: its results, and all that is kept of them, move to that id.

Nothing is measured or scored again. Each new file is complete before an old one goes, so that a move which
was stopped is finished by the next.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeVar

from evaluator.rank.formats import counted, listed
from evaluator.records.base import EVALUATED
from evaluator.records.board import Boards, BoardSpec, ModelSpec, named
from evaluator.records.datasets import Covariances, DifficultyTable
from evaluator.records.errors import UserError
from evaluator.records.references import PredictionSet
from evaluator.records.result import Result
from evaluator.records.store import COVARIANCES, DIFFICULTY_TABLES, Store, reference_to
from evaluator.score.covariances import source

#: How many models a line names.
NAMED = 5
Value = TypeVar("Value")


@dataclass(frozen=True)
class Move:
    """A result under the id that its model had before, and the model's table."""

    old: Result
    model: ModelSpec

    @property
    def new(self) -> Result:
        """The result under the new id, as yet with the predictions that are stored."""
        model = self.old.model.model_copy(update={"id": self.model.id, "label": self.model.label})
        return self.old.model_copy(update={"model": model})

    @property
    def words(self) -> str:
        """``word-list on reviews becomes words``."""
        return f"{self.old.model.id} on {self.old.dataset.id} becomes {self.model.id}"


def moves_to_make(boards: Boards, store: Store) -> list[Move]:
    """The results under an id that a model of the board file had before (`was`)."""
    models = {model.was: model for model in boards.models if model.was is not None}
    return [
        Move(result, models[result.model.id])
        for result in store.readable_results()
        if result.model.id in models and models[result.model.id].is_of(result.task)
    ]


def move_results(moves: list[Move], store: Store) -> None:
    """Make the moves. Raises `UserError`, and then none is made, where a model has another result already,
    and where a file cannot be read."""
    made = [(move, *_renamed(move, store)) for move in moves]
    for move, new, _, _ in made:
        place = store.path(new.task, new.dataset.id, new.model.id)
        there = store.find(new.task, new.dataset.id, new.model.id)
        if there is not None and there != new:
            old = store.path(new.task, new.dataset.id, move.old.model.id)
            problem = f"{move.model.id} has a result of its own, {place}, beside {old}"
            raise UserError(f"models: {move.model.id}: was", problem, "delete the one that is not wanted")
        store.check_new(place)
    for move, new, predictions, variants in made:
        store.save(new, predictions, variants)
        _rename_in_records(move, new, store)
        store.remove(move.old)


def _renamed(move: Move, store: Store) -> tuple[Result, PredictionSet | None, list[PredictionSet]]:
    """The result under its new id, with its predictions and those of suites, which name the model, too."""
    old, id_ = move.old, move.model.id
    predictions = None
    if old.predictions is not None:
        predictions = store.predictions(old).model_copy(update={"model": id_})
    variants = {suite: store.variants(old, suite).model_copy(update={"model": id_}) for suite in old.suites}
    suites = {
        name: scores.model_copy(update={"predictions": reference_to(variants[name])})
        for name, scores in old.suites.items()
    }
    update = {"predictions": reference_to(predictions) if predictions else None, "suites": suites}
    return move.new.model_copy(update=update), predictions, list(variants.values())


def _rename_in_records(move: Move, new: Result, store: Store) -> None:
    """Rename the model in what is kept about the dataset."""
    old, id_ = move.old.model.id, new.model.id
    about = (new.task, new.dataset.id, new.dataset.revision or "")
    for kept in store.records_on(COVARIANCES, *about):
        if kept.models.get(old) == source(move.old):
            unknown = {metric: _renamed_key(of, old, id_) for metric, of in kept.unknown.items()}
            models = _renamed_key(kept.models, old, id_) | {id_: source(new)}
            store.save_record(Covariances.model_validate(dict(kept) | {"models": models, "unknown": unknown}))
    for table in store.records_on(DIFFICULTY_TABLES, *about):
        if old in table.predictions and new.predictions is not None:
            predictions = _renamed_key(table.predictions, old, id_) | {id_: new.predictions.sha256}
            names = [id_ if name == old else name for name in table.table["models"]]
            changed = {"predictions": predictions, "table": {**table.table, "models": names}}
            store.save_record(DifficultyTable.model_validate(dict(table) | changed))
    check = store.browser_check(move.old)
    if check is not None and new.predictions is not None:
        changed_check = {"model": id_, "predictions": new.predictions.sha256}
        store.save_record(check.model_copy(update=changed_check))


def _renamed_key(of: dict[str, Value], old: str, new: str) -> dict[str, Value]:
    """The same with another key, in the same place."""
    return {new if key == old else key: value for key, value in of.items()}


def naming_problems(boards: Boards, store: Store) -> Iterator[str]:
    """Results that wait to be moved, and rows of one name on a board."""
    for move in moves_to_make(boards, store):
        path = store.path(move.old.task, move.old.dataset.id, move.old.model.id)
        yield f"{path}: waits for its model's new id (was); run steelyard evaluate, which moves it"
    results = named((one for one in store.readable_results() if one.provenance != "human"), boards)
    fix = "give each a label of its own, or say `was` in the table of a model that has another id now"
    for board in boards.boards:
        for label, ids in _by_label(board, boards, results).items():
            if len(ids) > 1:
                yield f"boards: {board.id}: {listed(ids)} are both called {label!r}; {fix}"


def without_table(boards: Boards, store: Store) -> Iterator[str]:
    """A line about measured models that have results and no table. Imported and reported ones need none."""
    known = {name for model in boards.models for name in (model.id, model.was)}
    measured = {one.model.id for one in store.readable_results() if one.provenance in EVALUATED}
    if ids := sorted(measured - known):
        shown = listed(ids[:NAMED], len(ids[NAMED:]))
        yield (
            f"measured, with no table in the board file: {shown}; where a model has another id now, say there"
            " `was`; where it was removed, give it a table with `removed`; or delete its results"
        )


def without_dataset(boards: Boards, store: Store) -> Iterator[str]:
    """A line about results on datasets that the board file does not have, such as those of an older id."""
    known = {dataset.id for dataset in boards.datasets}
    waiting = Counter(one.dataset.id for one in store.readable_results() if one.dataset.id not in known)
    if waiting:
        names = sorted(waiting)
        yield (
            f"{counted(waiting.total(), 'result')} on datasets with no table in the board file:"
            f" {listed(names[:NAMED], len(names[NAMED:]))}; where a dataset has another id now, give it the"
            " old one, or evaluate and import again; then delete these results"
        )


def _by_label(board: BoardSpec, boards: Boards, results: list[Result]) -> dict[str, list[str]]:
    """The models on a board by what they are called there."""
    gone = {model.id for model in boards.models if model.removed is not None}
    found: dict[str, list[str]] = defaultdict(list)
    for one in results:
        on_board = boards.holds(board, one) and one.model.id not in gone
        if on_board and one.model.id not in found[one.model.label]:
            found[one.model.label].append(one.model.id)
    return found
