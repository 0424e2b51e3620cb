"""Which guarded models a check can say nothing of, since what their results are of is not here any more."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from os.path import normpath
from pathlib import Path

from evaluator.publish.changes import Base, renames
from evaluator.records.board import Boards
from evaluator.records.result import Result
from evaluator.records.store import Store
from evaluator.score.inputs import GivenInputs


def followed(models: Iterable[str], boards: Boards, store: Store) -> list[str]:
    """Guarded models by the ids that they have now: `was` is followed where no result has the old id."""
    now, there = renames(boards), {path.stem for path in store.paths()}
    return list(dict.fromkeys(one if one in there else now.get(one, one) for one in models))


@dataclass
class NotJudged:
    """Lines about guarded models whose results cannot be held against what they are of.

    What a change took away is a problem; data that was never in git is a note.
    """

    base: Base
    given: GivenInputs
    before_data: Path
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def look_at(self, model: str, results: Iterable[Result]) -> None:
        """Add what there is to say of a model with these results."""
        before, now = self.base.boards, self.given.boards
        if before is None:
            return
        spec = now.model(model)
        if spec is not None and spec.removed is not None:
            return
        ids = {model, spec.was if spec is not None else None}
        old = next((one for one in before.models if one.id in ids), None)
        # Results that wait for a new id are a problem of their own.
        waits = old is not None and any(one.was == model and one.task in ("", old.task) for one in now.models)
        if old is not None and spec is None and not waits:
            self._wrong(model, "it was in the board file and is not any more; give it `removed` or `was`")
        elif old is not None and spec is not None and old.runs and not spec.runs:
            self._wrong(model, "it had a recipe or an adapter and has none any more; bring it back")
        if spec is not None and spec.directory is not None:
            self._folder(model, spec.directory)
        measured = [one.dataset.id for one in results]
        imported = [one.dataset.id for one in results if one.provenance == "predictions"]
        for name in dict.fromkeys([*measured, *(spec.train if spec is not None else ())]):
            self._files(model, name, _data(before, name), _data(now, name))
        for name in imported:
            files = _predictions(before, name, ids), _predictions(now, name, {model})
            self._files(model, f"predictions on {name}", *files)

    def _folder(self, model: str, name: str) -> None:
        """Say so where the files of a model cannot be held against those that its results are of."""
        given = self.given.model(model)
        if given is None or given.files is not None:
            return
        folder = self.given.root / name
        why = f"{folder}: is not here, or something in it leads out of the folders that may be read"
        root = self.base.repository.root.resolve()
        path = Path(normpath(self.given.root.resolve() / name))
        within = f"{path.relative_to(root).as_posix()}/" if path.is_relative_to(root) else ""
        if within and any(file.startswith(within) for file in self.base.files):
            self._wrong(model, f"{why}; bring its files back, without links")
        else:
            self.notes.append(f"--gate: {model}: {why}, so a change of its files is not seen")

    def _files(self, model: str, what: str, before: list[str], now: list[str]) -> None:
        """Look for the files that are named now; `before` are those that the base's board file named."""
        tracked = [name for name in before if self._is_tracked(name)]
        if not now and tracked:
            self._wrong(
                model, f"{what}: {tracked[0]}: the board file does not name it any more; bring it back"
            )
        for path in (self.given.data / name for name in now):
            if self.given.is_here(path):
                continue
            old = {normpath(self.before_data / name) for name in before}
            if old and normpath(path) not in old:
                fix = f"before the change it was {', '.join(before)}; correct the path, or put the file there"
                self._wrong(model, f"{what}: {path} is not here; {fix}")
            elif tracked:
                self._wrong(model, f"{what}: {path} is not here any more; bring it back")
            else:
                self.notes.append(
                    f"--gate: {model}: {what}: {path} is not here, so a change of it is not seen"
                )

    def _wrong(self, model: str, problem: str) -> None:
        self.problems.append(f"--gate: {model} cannot be judged: {problem}")

    def _is_tracked(self, name: str) -> bool:
        """Whether the base has a file of the data folder in git."""
        root = self.base.repository.root.resolve()
        path = Path(normpath(self.before_data.resolve() / name))
        return path.is_relative_to(root) and path.relative_to(root).as_posix() in self.base.files


def _data(boards: Boards, dataset: str) -> list[str]:
    """The file of a dataset, from the data folder; none where it is fetched or has none."""
    return [one.path for one in boards.datasets if one.id == dataset and one.path is not None]


def _predictions(boards: Boards, dataset: str, models: Collection[str | None]) -> list[str]:
    """The files of predictions on a dataset that may be of a model, which has one of these ids."""
    specs = [
        spec for spec in boards.predictions
        if spec.dataset == dataset and (not spec.whose or any(one in models for one in spec.whose))
    ]  # fmt: skip
    return [name for spec in specs for name in (spec.path, spec.no_answer) if name is not None]
