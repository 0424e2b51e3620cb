"""``steelyard check`` of a whole repository, as it runs on a pull request: files are data, nothing is run.

Which files are among the results, and how large they are, is looked at before any of them is read.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from evaluator.data.datasets import Dataset
from evaluator.publish.changes import (
    Base,
    base_of,
    changed_results,
    changed_snapshots,
    differences,
    edits,
    gold_edits,
    remarks,
    removed,
    renames,
)
from evaluator.publish.declared import ModelProblems, look_up
from evaluator.publish.gate import NotJudged, followed
from evaluator.publish.moves import BoardMoves, ChangedBoards, made_worse, moves, new_stale, standings
from evaluator.publish.snapshots.repository import folder_of
from evaluator.publish.snapshots.verifying import verify_all
from evaluator.records.board import Boards, OutdatedResult, load_boards
from evaluator.records.errors import UserError, name_problem, same_as, same_names
from evaluator.records.scratch import PREFIX, is_leftover
from evaluator.records.store import SNAPSHOTS, Store
from evaluator.score.checking import stored_problems
from evaluator.score.inputs import GivenInputs, outdated_lines, outdated_results
from evaluator.score.metrics import use_checkpoints
from evaluator.score.recomputing import recompute
from evaluator.score.renaming import naming_problems, without_dataset, without_table


@dataclass
class Checked:
    """What a check found: how many results there are, what is wrong, and what else matters.

    With a base also how many results are `new`, `changed` and `renamed`, and what that does to the ranks.
    """

    results: int = 0
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    new: int = 0
    changed: int = 0
    renamed: int = 0
    moves: list[BoardMoves] = field(default_factory=list)


def check(
    board_file: Path,
    results: Path | None,
    models: ModelProblems,
    against: str | None = None,
    data: Path | None = None,
    gate: Sequence[str] = (),
) -> Checked:
    """Check what is declared and stored; with a revision `against` which it is compared, also what the
    change does, which anyone may have made: then nothing is read outside `data` and the board file's folder.
    It is a problem then if one of the models `gate` becomes worse, or a result of it is of other inputs than
    those of now; of another model that is a note.

    `results` and `data` are where results and datasets are, if not where the board file says; `models`
    says what keeps a model from being evaluated. Raises `UserError` when there is nothing to
    compare with, and for a model on no board; errors in the files themselves are problems.
    """
    found = Checked()
    if against is not None and not board_file.exists():
        found.problems += _deleted(board_file, against)
        return found
    try:
        boards = load_boards(board_file)
        # A change that anyone may have made says nothing about which weights are opened here.
        use_checkpoints(boards.checkpoints if against is None else (), board_file.parent)
    except ValueError as error:
        found.problems += str(error).splitlines()
        return found
    store = Store(results or board_file.parent / boards.results)
    # First, since files that are too large, and links, are not even opened.
    found.problems += file_problems(store.root)
    found.results = len(store.paths())
    gate = followed(gate, boards, store)
    datasets: Mapping[str, Dataset] = {}
    outdated: Sequence[OutdatedResult] = ()
    given: GivenInputs | None = None
    if not found.problems:
        boards = boards.skipping_malformed(store.skipped)
        found.problems += stored_problems(store, boards)
        datasets = _look_closely(found, boards, board_file, data, store, models, trusted=against is None)
        given_data = data or board_file.parent / boards.data
        roots = None if against is None else _roots(board_file, data)
        given = GivenInputs(boards, board_file.parent, given_data, roots)
        outdated = outdated_results(store.readable_results(), given)
        found.notes += outdated_lines(one for one in outdated if one.model not in gate)
        snapshots = verify_all(folder_of(store.root), rank=False)
        found.problems += [str(problem) for problem in snapshots.problems]
    if against is not None:
        with tempfile.TemporaryDirectory() as folder:
            base = base_of(against, board_file, Path(folder))
            if gate:
                found.problems += _moved_away(base, board_file)
            _compare(found, boards, store, base, datasets, gate)
            if given is not None:
                _look_for_inputs(found, base, given, board_file, data, store, gate)
        guarded = [one for one in outdated if one.model in gate]
        found.problems += [f"--gate: {line}" for line in outdated_lines(guarded)]
    return found


def _deleted(board_file: Path, against: str) -> Iterator[str]:
    """That there is no board file, and what a change that deleted it took from every judgement."""
    try:
        with tempfile.TemporaryDirectory() as folder:
            base = base_of(against, board_file, Path(folder))
    except UserError:
        base = None
    if base is None or base.boards is None:
        yield f"{board_file}: no such file; run from the folder with board.toml or pass --board"
        return
    titles = ", ".join(board.title for board in base.boards.boards)
    fix = f"bring it back: git checkout {base.commit[:12]} -- {board_file.name}"
    yield f"{board_file}: was removed with all its boards ({titles}), so that nothing can be judged; {fix}"


def _moved_away(base: Base, board_file: Path) -> Iterator[str]:
    """That the board file has another place than before the change, so that nothing is held against it."""
    if base.boards is None:
        root = base.repository.root
        gone = [
            name for name in base.files if Path(name).name == board_file.name and not (root / name).exists()
        ]
        for name in sorted(gone):
            what = f"{name} is gone, and {board_file} was not there before; move it back"
            yield f"--gate: nothing can be judged: {what}"


def _roots(board_file: Path, data: Path | None) -> list[Path]:
    """The folders that may be read for a board file that anyone may have written."""
    return [board_file.parent, *([data] if data is not None else [])]


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
    roots = None if trusted else _roots(board_file, data)
    declared = look_up(boards, board_file, data or board_file.parent / boards.data, store, models, roots)
    again = recompute(store, boards, declared.datasets, trusted)
    found.problems += [*declared.problems, *again.problems, *naming_problems(boards, store)]
    found.notes += [*declared.notes, *again.notes, *without_table(boards, store)]
    found.notes += without_dataset(boards, store)
    try:
        for board, standing in standings(boards, store, store.readable_results()).items():
            said = [f"{board_file}: boards: {board}: {notice}" for notice in standing.notices]
            ranks_nobody = standing.places and not standing.ranked
            (found.problems if ranks_nobody else found.notes).extend(said)
    except ValueError as error:
        found.problems.append(str(error))
    return declared.datasets


def _look_for_inputs(
    found: Checked,
    base: Base,
    given: GivenInputs,
    board_file: Path,
    data: Path | None,
    store: Store,
    gate: Sequence[str],
) -> None:
    """What the results of guarded models are of is here."""
    before = data or board_file.parent / (base.boards or given.boards).data
    seen = NotJudged(base, given, before)
    for model in gate:
        seen.look_at(model, [one for one in store.readable_results() if one.model.id == model])
    found.problems += seen.problems
    found.notes += seen.notes


def _compare(
    found: Checked,
    boards: Boards,
    store: Store,
    base: Base,
    datasets: Mapping[str, Dataset],
    gate: Sequence[str],
) -> None:
    if base.boards is not None:
        found.problems += [*removed(base, store, boards), *changed_snapshots(base, store)]
        found.problems += gold_edits(base.store, store)
        for change in changed_results(base.store, store, renames(boards)):
            found.problems += edits(change)
            found.notes += remarks(change)
    found.new, found.changed, found.renamed = differences(base, store, renames(boards))
    if found.problems:
        return
    before = standings(base.boards, base.store, base.store.readable_results())
    try:
        after = standings(boards, store, store.readable_results(), rank_sets=True)
    except ValueError as error:
        found.problems.append(str(error))
        return
    wrong, to_know = new_stale(before, after)
    found.problems += wrong
    found.notes += to_know
    found.moves = moves(before, after, renames(boards))
    found.problems += made_worse(
        ChangedBoards(base.boards, boards, base.store, store, before, after, datasets), gate
    )


MEGABYTE = 1_000_000
#: The most that a file, and all of them together, may have, in bytes: GitHub warns at the first, and its
#: Pages stop a little above the second.
MOST_OF_A_FILE, MOST_OF_ALL = 50 * MEGABYTE, 800 * MEGABYTE
LEFTOVER = (
    "is half-written, left by a run that was stopped; the next command that writes results removes it"
    ", or remove it"
)
#: What else may be in a results folder.
HARMLESS = {".gitkeep", "README.md"}


def file_problems(root: Path) -> Iterator[str]:
    """A line for each file under a results folder that should not be there, or is too large.

    What a process that is alive is writing there is left out.
    """
    total = 0
    found = list(_walk(root))
    yield from _name_problems(root, found)
    for path in found:
        if path.name.startswith(PREFIX) and not path.is_symlink():
            if is_leftover(path):
                yield f"{path}: {LEFTOVER}"
            continue
        size = path.lstat().st_size
        total += size
        if path.is_symlink() or not path.is_file():
            yield f"{path}: is a link or a device; results are plain files"
        elif not _belongs(path.relative_to(root)):
            yield f"{path}: is no result, which are in <task>/<dataset>/<model>.json; remove it"
        elif size > MOST_OF_A_FILE:
            yield f"{path}: has {_megabytes(size)}; a file may have {_megabytes(MOST_OF_A_FILE)}"
    if total > MOST_OF_ALL:
        yield f"{root}: has {_megabytes(total)}; all results may have {_megabytes(MOST_OF_ALL)}"


def _name_problems(root: Path, files: list[Path]) -> Iterator[str]:
    """A line for each name that not every file system can have, which a clone there would lose or mix up."""
    names = {path.relative_to(root) for path in files}
    paths = sorted(names | {parent for name in names for parent in name.parents if parent.name})
    for path in paths:
        if problem := name_problem(path.name.removesuffix(".json")):
            yield f"{root / path}: {problem}"
    for first, second in same_names(map(str, paths)):
        yield f"{root / second}: {same_as(first)}"


def _walk(root: Path) -> Iterator[Path]:
    """Everything under a folder that is no folder itself, sorted; links are not followed.

    Folders of what is being written, or was, stand for what is in them.
    """
    for folder, folders, files in os.walk(root):
        links = [name for name in folders if name.startswith(PREFIX) or Path(folder, name).is_symlink()]
        folders[:] = sorted(name for name in folders if not name.startswith(PREFIX))
        yield from (Path(folder, name) for name in sorted([*files, *links]))


def _belongs(path: Path) -> bool:
    if path.name in HARMLESS or path.parts[0] == SNAPSHOTS:
        return True
    return len(path.parts) == 3 and path.suffix == ".json" and not path.name.startswith(".")


def _megabytes(size: int) -> str:
    return f"{size / MEGABYTE:.1f} MB"
