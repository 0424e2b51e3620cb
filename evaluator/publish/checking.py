"""``steelyard check`` of a whole repository, as it runs on a pull request: files are data, nothing is run."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from evaluator.data.datasets import Dataset
from evaluator.publish.base import Base, base_of, changed_snapshots, differences, removed
from evaluator.publish.changes import changed_results, edits, gold_edits, remarks
from evaluator.publish.declared import ModelProblems, look_up
from evaluator.publish.files import Sizes, file_problems
from evaluator.publish.gate import ChangedBoards, made_worse
from evaluator.publish.moves import BoardMoves, moves, new_stale, standings
from evaluator.publish.snapshots import folder_of, verify_all
from evaluator.records.board import Boards, load_boards
from evaluator.records.errors import UserError
from evaluator.records.result import Result
from evaluator.records.store import Store
from evaluator.score.checking import stored_problems
from evaluator.score.reading import use_weights
from evaluator.score.recomputing import recompute


@dataclass
class Checked:
    """What a check found: how many results there are, what is wrong, and what else matters.

    With a base also how many results are `new` and `changed`, and what that does to the ranks.
    """

    results: int = 0
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    new: int = 0
    changed: int = 0
    moves: list[BoardMoves] = field(default_factory=list)


def check(
    board_file: Path,
    results: Path | None,
    sizes: Sizes,
    models: ModelProblems,
    against: str | None = None,
    data: Path | None = None,
    gate: Sequence[str] = (),
) -> Checked:
    """Check what is declared and stored; with a revision `against` which it is compared, also what the
    change does, which anyone may have made: then nothing is read outside `data` and the board file's folder.
    It is a problem then if one of the models `gate` becomes worse.

    `results` and `data` are where results and datasets are, if not where the board file says; `models`
    says what keeps a model from being evaluated. Raises `GitError` and `BaseError` when there is nothing to
    compare with, and `GateError` for a model on no board; errors in the files themselves are problems.
    """
    found = Checked()
    try:
        boards = load_boards(board_file)
        # A change that anyone may have made says nothing about which weights are opened here.
        use_weights(boards.checkpoints if against is None else (), board_file.parent)
    except ValueError as error:
        found.problems += str(error).splitlines()
        return found
    store = Store(results or board_file.parent / boards.results)
    # First, since files that are too large, and links, are not even opened.
    found.problems += file_problems(store.root, sizes)
    found.results = len(store.paths())
    datasets: Mapping[str, Dataset] = {}
    if not found.problems:
        found.problems += stored_problems(store, boards)
        datasets = _look_closely(found, boards, board_file, data, store, models, trusted=against is None)
        snapshots = verify_all(folder_of(store.root), rank=False)
        found.problems += [str(problem) for problem in snapshots.problems]
    if against is not None:
        with tempfile.TemporaryDirectory() as folder:
            base = base_of(against, board_file, Path(folder))
            _compare(found, boards, store, base, datasets, gate)
    return found


def _look_closely(
    found: Checked,
    boards: Boards,
    board_file: Path,
    data: Path | None,
    store: Store,
    models: ModelProblems,
    trusted: bool,
) -> Mapping[str, Dataset]:
    """What the board file names is there, boards can be ranked, and scores are what predictions give.

    Returns the datasets whose files are here.
    """
    roots = None if trusted else [board_file.parent, *([data] if data is not None else [])]
    declared = look_up(boards, board_file, data or board_file.parent / boards.data, store, models, roots)
    again = recompute(store, boards, declared.datasets, trusted)
    found.problems += [*declared.problems, *again.problems]
    found.notes += [*declared.notes, *again.notes]
    try:
        standings(boards, store, _loaded(store))
    except ValueError as error:
        found.problems.append(str(error))
    return declared.datasets


def _compare(
    found: Checked,
    boards: Boards,
    store: Store,
    base: Base,
    datasets: Mapping[str, Dataset],
    gate: Sequence[str],
) -> None:
    found.problems += [*removed(base, store), *changed_snapshots(base, store)]
    if base.boards is not None:
        found.problems += gold_edits(base.store, store)
        for change in changed_results(base.store, store):
            found.problems += edits(change)
            found.notes += remarks(change)
    if found.problems:
        return
    found.new, found.changed = differences(base, store)
    before = standings(base.boards, base.store, _loaded(base.store) if base.boards else [])
    try:
        after = standings(boards, store, _loaded(store), rank_sets=True)
    except ValueError as error:
        found.problems.append(str(error))
        return
    wrong, to_know = new_stale(before, after)
    found.problems += wrong
    found.notes += to_know
    found.moves = moves(before, after)
    found.problems += made_worse(ChangedBoards(boards, base.store, store, before, after, datasets), gate)


def _loaded(store: Store) -> Iterator[Result]:
    """The results that can be read; others are reported elsewhere."""
    for path in store.paths():
        try:
            yield store.load(path)
        except UserError:
            continue
