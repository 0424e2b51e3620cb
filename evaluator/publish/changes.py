"""What a change does to the results: the revision it is compared with, what differs, and what was edited.

A number that was measured cannot be computed again. What can be seen: that a result changed and yet is said
to be of the same moment, and that a measurement is new in part only, where a new one has no pass in common
with the old. Somebody who makes up a whole measurement, with the moment to go with it, is not found out.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any

from evaluator.records.base import EVALUATED
from evaluator.records.board import Boards, load_boards
from evaluator.records.datasets import Examples
from evaluator.records.errors import UserError
from evaluator.records.git import PLAIN, GitError, Repository, blob_name
from evaluator.records.measurement import Measurement
from evaluator.records.references import PredictionSet
from evaluator.records.result import Result
from evaluator.records.store import EXAMPLES, SNAPSHOTS, Store

#: The list of snapshots, which may only grow.
LIST = "versions.json"


@dataclass(frozen=True)
class Base:
    """The boards and results of a commit, written to `folder`; `boards` is None where it has no board file.

    `results` is where its results were, relative to the repository.
    """

    repository: Repository
    commit: str
    folder: Path
    boards: Boards | None
    results: str

    @property
    def store(self) -> Store:
        """Its results, with their predictions."""
        return Store(self.folder / self.results)

    @cached_property
    def files(self) -> frozenset[str]:
        """All that is in git there, relative to the repository."""
        return frozenset(self.repository.files(self.commit))


def base_of(revision: str, board_file: Path, folder: Path) -> Base:
    """What HEAD and a revision last had in common, its boards and results written to an empty folder.

    Raises `UserError`.
    """
    repository = Repository(board_file.resolve().parent)
    commit = _fork_point(repository, revision)
    root = repository.root.resolve()
    board = board_file.resolve().relative_to(root).as_posix()
    _write(repository, commit, board.__eq__, folder)
    if not (folder / board).exists():
        return Base(repository, commit, folder, None, "")
    try:
        boards = load_boards(folder / board)
    except UserError as error:
        raise UserError("--against", str(error).replace(f"{folder}/", f"{commit[:12]}:")) from None
    results = (folder / board).parent.joinpath(boards.results)
    try:
        within = results.resolve().relative_to(folder.resolve()).as_posix()
    except ValueError:
        problem = f"the results of {board} are outside its repository"
        raise UserError("--against", problem, "nothing to compare") from None
    snapshots = PurePosixPath(within, SNAPSHOTS)
    _write(repository, commit, lambda name: _is_result(PurePosixPath(name), within, snapshots), folder)
    return Base(repository, commit, folder, boards, within)


def _fork_point(repository: Repository, revision: str) -> str:
    try:
        commit = repository.text("rev-parse", "--verify", "--end-of-options", f"{revision}^{{commit}}")
    except GitError:
        problem = f"{repository.root} has no revision {revision!r}"
        raise UserError("--against", problem, "fetch it, or give another") from None
    try:
        return repository.text("merge-base", commit, "HEAD")
    except GitError:
        problem = f"HEAD and {revision!r} have no commit in common"
        fix = "fetch the whole history (git fetch --unshallow; for actions/checkout fetch-depth: 0)"
        raise UserError("--against", problem, fix) from None


def _is_result(name: PurePosixPath, results: str, snapshots: PurePosixPath) -> bool:
    return name.suffix == ".json" and name.is_relative_to(results) and not name.is_relative_to(snapshots)


def _write(repository: Repository, commit: str, names: Callable[[str], bool], folder: Path) -> None:
    """Write the plain files of a commit whose names are chosen."""
    kept = {
        name: blob.name
        for name, blob in repository.files(commit).items()
        if blob.mode in PLAIN and names(name)
    }
    for name, content in zip(kept, repository.contents(kept.values()), strict=True):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


def differences(base: Base, store: Store, now: Mapping[str, str]) -> tuple[int, int, int]:
    """How many results are new, how many differ from the base or have predictions that do, and how many have
    another id of their model only.

    `now` are the ids of models that were renamed, by the old ones.
    """
    before = {path.relative_to(base.store.root): path for path in base.store.paths()}
    after = {path.relative_to(store.root): path for path in store.paths()}
    moved = {name.with_name(f"{now[name.stem]}.json"): name for name in before if name.stem in now}
    moved = {
        new: old for new, old in moved.items() if new in after and new not in before and old not in after
    }
    renamed = sum(_same_but_for_id(base.store, before[old], store, after[new]) for new, old in moved.items())
    changed = sum(_differ(_files(before[name]), _files(after[name])) for name in before.keys() & after)
    return len(after.keys() - before.keys() - moved.keys()), changed + len(moved) - renamed, renamed


#: What a new id of its model changes in a result: names, and the hashes of predictions, which name it.
NAMES: dict[str, Any] = {
    "model": {"id", "label"},
    "predictions": {"sha256"},
    "suites": {"__all__": {"predictions"}},
}


def _same_but_for_id(before: Store, old_path: Path, after: Store, new_path: Path) -> bool:
    """Whether all that a new id changed in a result are names; not if one of them cannot be read."""
    try:
        old, new = before.load(old_path), after.load(new_path)
        return (
            old.model_dump(exclude=NAMES) == new.model_dump(exclude=NAMES)
            and _answers(_predictions(before, old)) == _answers(_predictions(after, new))
            and all(_answers(before.variants(old, s)) == _answers(after.variants(new, s)) for s in new.suites)
        )
    except UserError:
        return False


def _files(result: Path) -> dict[str, Path]:
    """The file of a result and those of its predictions, by name."""
    digits = "?" * 12
    return {path.name: path for path in [result, *result.parent.glob(f"{result.stem}.{digits}.*.json")]}


def _differ(before: dict[str, Path], after: dict[str, Path]) -> bool:
    """Whether files were added, removed or changed; a link, or what has another size, is not opened."""
    return before.keys() != after.keys() or any(
        path.is_symlink()
        or path.stat().st_size != before[name].stat().st_size
        or path.read_bytes() != before[name].read_bytes()
        for name, path in after.items()
    )


def renames(boards: Boards) -> dict[str, str]:
    """The ids that models have now, by those that they had before (`was`)."""
    return {model.was: model.id for model in boards.models if model.was is not None}


def removed(base: Base, store: Store, boards: Boards) -> Iterator[str]:
    """A line for each result of the base that is no longer there, nor under a new id of its model."""
    now = renames(boards)
    for path in base.store.paths():
        name = path.relative_to(base.store.root)
        moved = name.with_name(f"{now.get(name.stem, name.stem)}.json")
        if not (store.root / name).exists() and not (store.root / moved).exists():
            fix = f"git checkout {base.commit[:12]} -- {base.results}/{name}"
            other = "`removed` in the board file takes a model off its boards"
            yield f"{store.root / name}: was removed, but results stay; {other}; bring it back: {fix}"


def changed_snapshots(base: Base, store: Store) -> Iterator[str]:
    """A line for each file of a published snapshot that is not what it was."""
    snapshots = PurePosixPath(base.results, SNAPSHOTS)
    for name, blob in base.repository.files(base.commit, str(snapshots)).items():
        path = store.root / SNAPSHOTS / PurePosixPath(name).relative_to(snapshots)
        what = _snapshot_change(base, path, blob.name)
        if what:
            fix = f"bring it back: git checkout {base.commit[:12]} -- {name}"
            yield f"{path}: {what}, but published snapshots never change; {fix}"


def _snapshot_change(base: Base, path: Path, blob: str) -> str | None:
    if path.is_symlink() or not path.is_file():
        return "was removed"
    content = path.read_bytes()
    if blob_name(content, base.repository.algorithm) == blob:
        return None
    if path.name == LIST and path.parent.name == SNAPSHOTS:
        [before] = base.repository.contents([blob])
        return None if _grown(before, content) else "lost an entry or changed one"
    return "was changed"


def _grown(before: bytes, after: bytes) -> bool:
    """Whether the new list of snapshots starts with the whole of the old one."""
    try:
        old, new = json.loads(before)["snapshots"], json.loads(after)["snapshots"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return False
    return isinstance(new, list) and new[: len(old)] == old


#: What predictions hold beside answers: whose they are, and what is published of each as the board file says.
NOT_ANSWERS = {"schema_version", "model", "scores"}


@dataclass(frozen=True)
class ChangedResult:
    """A result before and after a change, each with its predictions, None where it keeps none."""

    path: Path
    old: Result
    new: Result
    old_predictions: PredictionSet | None
    new_predictions: PredictionSet | None

    @property
    def answers_differ(self) -> bool:
        """Whether a model answered something else."""
        return _answers(self.old_predictions) != _answers(self.new_predictions)


def changed_results(before: Store, after: Store, now: Mapping[str, str]) -> Iterator[ChangedResult]:
    """The results that are in both stores and not the same; those that cannot be read are left out.

    `now` are the ids of models that were renamed, by the old ones.
    """
    names = [path.relative_to(before.root) for path in before.paths()]
    for name in names:
        path = after.root / name
        if not path.is_file() and name.stem in now:
            path = path.with_name(f"{now[name.stem]}.json")
        if not path.is_file() or path.read_bytes() == (before.root / name).read_bytes():
            continue
        try:
            old, new = before.load(before.root / name), after.load(path)
            yield ChangedResult(path, old, new, _predictions(before, old), _predictions(after, new))
        except UserError:
            continue


def _predictions(store: Store, result: Result) -> PredictionSet | None:
    return store.predictions(result) if result.predictions is not None else None


def _answers(predictions: PredictionSet | None) -> dict[str, Any]:
    return predictions.model_dump(exclude=NOT_ANSWERS) if predictions is not None else {}


def edits(change: ChangedResult) -> Iterator[str]:
    """What shows that a result was edited rather than made again, a line each."""
    old, new = change.old, change.new
    if new.provenance != old.provenance:
        what = f"was {old.provenance} and is {new.provenance}"
        yield f"{change.path}: provenance: {what}; store it under another model id"
        return
    if new.provenance not in (*EVALUATED, "predictions"):
        return
    fix = f"restore it, or remove it and {new.made_again_by}"
    for what in _changed_at_once(change) if new.created == old.created else ():
        yield f"{change.path}: {what} changed, but not `created`, {new.created}; {fix}"
    if shared := _shared_passes(old.measurement, new.measurement):
        what = f"{shared} of its passes are those of the measurement before, the rest is not"
        yield f"{change.path}: measurement: {what}; {fix}"
    same_timing = new.measurement is not None and new.measurement == old.measurement
    if change.answers_differ and same_timing:
        what = "changed, but the measurement did not, which is made in the same run"
        yield f"{change.path}: predictions: {what}; {fix}"


def _changed_at_once(change: ChangedResult) -> Iterator[str]:
    """What cannot change without a new moment: answers, numbers that stay, the measurement."""
    old, new = change.old, change.new
    if change.answers_differ:
        yield "predictions"
    if new.measurement != old.measurement:
        yield "measurement"
    # A score may go with its suite, which board.toml decides, but none may become another.
    for name in sorted(new.scores):
        if new.scores[name] != old.scores.get(name):
            yield f"scores: {name}"


def _shared_passes(old: Measurement | None, new: Measurement | None) -> int:
    """How many passes an edited measurement has in common with the one it was made of; 0 if it is new."""
    if old is None or new is None or old == new:
        return 0
    known = {(one.load_ns, one.first_call_ns) for one in old.repeats}
    return sum((one.load_ns, one.first_call_ns) in known for one in new.repeats)


def gold_edits(before: Store, after: Store) -> Iterator[str]:
    """Examples whose ids or gold labels changed although their revision, a hash of the data, is the same.

    With other gold labels any score could be made to fit. Gold labels may come and go, as `show_gold` says.
    """
    for path in before.record_paths(EXAMPLES):
        now = after.root / path.relative_to(before.root)
        try:
            old = before.load_record(EXAMPLES, path)
            if not now.exists():
                if _refers(after, old):
                    yield f"{now}: was removed, but results are about these examples; bring it back"
                continue
            new = after.load_record(EXAMPLES, now)
        except UserError:
            continue
        both = old.gold is not None and new.gold is not None
        if old.ids != new.ids or (both and _gold(old) != _gold(new)):
            yield f"{now}: ids or gold labels changed, but not the revision that they are of; restore it"


def _gold(examples: Examples) -> tuple[object, ...]:
    return examples.labels, examples.gold, examples.merge


def _refers(store: Store, examples: Examples) -> bool:
    """Whether a result is about these examples."""
    try:
        results = store.results_on(examples.task, examples.dataset)
    except UserError:
        return True
    return any(one.dataset.revision == examples.revision and one.predictions is not None for one in results)


def remarks(change: ChangedResult) -> Iterator[str]:
    """What is no proof, and yet somebody should look at."""
    old, new = change.old, change.new
    if change.answers_differ and new.provenance in EVALUATED and new.inputs == old.inputs:
        yield f"{change.path}: other answers, though neither the model nor the data changed (inputs)"
    if new.provenance in ("reported", "human") and new.scores != old.scores:
        yield f"{change.path}: {new.provenance} numbers changed; nothing here can confirm them"
