"""What people said of some answers, put beside the verdicts of the judge that it corrects.

Labels are in the file of the verdicts, or in one of their own, which may be read later. Those of a file that
is not read now stay as they are stored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluator.data.tasks.known import SCORED
from evaluator.exchange.results.example_values import hashed_id
from evaluator.exchange.results.taking import Taken
from evaluator.records.board import Boards
from evaluator.records.board.imports import ImportSpec
from evaluator.records.errors import UserError
from evaluator.records.references import Source
from evaluator.records.store import Store
from evaluator.score.values import ScoredExamples

Values = NDArray[np.float64]


@dataclass(frozen=True)
class ReadImport:
    """A table of the board file with what its files say, and the source that results cite."""

    spec: ImportSpec
    taken: Taken
    source: Source


class Labels:
    """The labels of people in files that are read together, and those that are stored of others.

    `given` are the datasets and models that these files have labels of.
    """

    def __init__(self, imports: Sequence[ReadImport], boards: Boards, store: Store) -> None:
        self.imports, self.boards, self.store = imports, boards, store
        found = ((dataset, one) for read in imports for dataset, one in read.taken.examples.items())
        self.given = list(dict.fromkeys((dataset, model) for dataset, one in found for model in one.human))

    def of(self, examples: ScoredExamples, model: str, values: Mapping[str, Values]) -> dict[str, Values]:
        """The labels of each metric of a model that a judge gives (examples, trials), NaN where none are.

        Raises `UserError` for labels of examples, or of a metric, of which there is no verdict.
        """
        dataset = examples.id
        found = {}
        for name, verdicts in values.items():
            if any(_has_labels(read.spec, dataset, name) for read in self.imports):
                found[name] = self._given(examples, model, name, verdicts.shape)
            elif any(_has_labels(spec, dataset, name) for spec in self.boards.imports):
                found[name] = self._stored(examples, model, name, verdicts.shape)
        for read in self.imports:
            given = read.taken.examples.get(dataset)
            idle = [name for name in (given.human.get(model, {}) if given else {}) if name not in values]
            if idle:
                self._refuse(read, f"{model} has labels of people for {idle[0]}, and no verdict of a judge")
        return found

    def check_idle(self, dataset: str, model: str) -> None:
        """Raise `UserError` if there are labels of a model of which nothing else is known."""
        for read in self.imports:
            given = read.taken.examples.get(dataset)
            if given and model in given.human:
                self._refuse(read, f"{model} has labels of people on {dataset}, and no verdicts of a judge")

    def _given(self, examples: ScoredExamples, model: str, name: str, shape: tuple[int, ...]) -> Values:
        labels = np.full(shape, np.nan)
        rows = {id_: row for row, id_ in enumerate(examples.ids)}
        for read in self.imports:
            given = read.taken.examples.get(examples.id)
            own = given.human.get(model, {}).get(name) if given else None
            if given is None or own is None:
                continue
            places = [rows.get(id_, rows.get(hashed_id(id_), -1)) for id_ in given.ids]
            asked = [not np.isnan(row).all() for row in own]
            told = zip(given.ids, places, asked, strict=True)
            lost = [id_ for id_, row, has in told if has and row < 0]
            if lost:
                self._refuse(read, f"{model} has a label of {lost[0]!r}, and no verdict of a judge")
            at = np.array(places)[asked]
            if own.shape[1] == shape[1]:
                labels[at] = own[asked]
            elif shape[1] == 1:  # several people, of one answer
                labels[at, 0] = np.nanmean(own[asked], axis=1)
            else:
                problem = f"{model} has {own.shape[1]} labels of an example, and {shape[1]} verdicts"
                fix = "give them in the file of the verdicts, beside the trial that they are of"
                raise UserError(f"{read.taken.where}: {read.spec.metrics[name].human}", problem, fix)
        return labels

    def _stored(self, examples: ScoredExamples, model: str, name: str, shape: tuple[int, ...]) -> Values:
        old = self.store.find(SCORED.name, examples.id, model)
        if old is not None and old.predictions is not None:
            kept = self.store.predictions(old)
            same = kept.dataset_revision == examples.record.revision
            if same and name in kept.human and shape == (kept.examples, kept.trials):
                return column_of(kept.human[name], kept.trials)
        return np.full(shape, np.nan)

    def _refuse(self, read: ReadImport, problem: str) -> None:
        raise UserError(
            read.taken.where, problem, "import the file of its verdicts too, or correct the names"
        )


def _has_labels(spec: ImportSpec, dataset: str, name: str) -> bool:
    """Whether a table of the board file has labels of a metric of a dataset."""
    return spec.dataset in (None, dataset) and name in spec.metrics and spec.metrics[name].human is not None


def column_of(cells: Sequence[float | None], trials: int) -> Values:
    """A stored column as an array (examples, trials), NaN where there is nothing."""
    return np.array([np.nan if cell is None else cell for cell in cells]).reshape(-1, trials)
