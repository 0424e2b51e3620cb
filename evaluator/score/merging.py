"""Results that others made with the same board file, such as shares of one evaluation, taken into a store."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from evaluator.data.datasets import Dataset, DatasetError, read_dataset
from evaluator.records.board import Boards
from evaluator.records.errors import UserError, or_one_of
from evaluator.records.result import Result
from evaluator.records.store import Store
from evaluator.score.examples import dataset_source, kept_dataset
from evaluator.score.keeping import keep_covariances


@dataclass(frozen=True)
class Merged:
    """What became of a result of somebody else's, and the files written for it."""

    status: Literal["imported", "unchanged", "kept ours"]
    result: Result
    written: tuple[Path, ...] = ()


def is_results_folder(path: Path) -> bool:
    """Whether a folder holds results as a store does: ``<task>/<dataset>/<model>.json``."""
    return path.is_dir() and any(_is_result(file) for file in Store(path).paths())


def _is_result(file: Path) -> bool:
    try:
        Store(file.parents[2]).load(file)
    except (UserError, OSError):
        return False
    return True


def merge_results(theirs: Store, ours: Store, boards: Boards, data: Path) -> Iterator[Merged]:
    """Take in all results of a store, of which every file is read and checked before the first is written.

    Of two results of one model on one dataset the newer stays. Then what is kept beside results is brought up
    to date. Raises `UserError`: for a file that cannot be read, a dataset that the board file does not have,
    and results that did not come about in the same way.
    """
    found = [_checked(path, theirs, ours, boards) for path in theirs.paths()]
    for result in found:
        yield _merge(result, theirs, ours)
    for dataset, revision in sorted({(one.dataset.id, one.dataset.revision or "") for one in found}):
        if (whole := _dataset(dataset, revision, boards, data, ours)) is not None:
            keep_covariances(whole, boards, ours)


def _checked(path: Path, theirs: Store, ours: Store, boards: Boards) -> Result:
    result = theirs.load(path)
    known = [dataset.id for dataset in boards.datasets]
    if result.dataset.id not in known:
        fix = or_one_of(result.dataset.id, known).removeprefix("; ")
        raise UserError(path, f"the board file has no dataset {result.dataset.id}", fix)
    if path != theirs.path(result.task, result.dataset.id, result.model.id):
        raise UserError(path, "is not where such a result belongs", "copy the whole folder again")
    if result.predictions is not None:
        theirs.predictions(result)
    for suite in result.suites:
        theirs.variants(result, suite)
    old = ours.find(result.task, result.dataset.id, result.model.id)
    if old is not None and old.provenance != result.provenance:
        what = f"is {result.provenance}, and the result of that model here is {old.provenance}"
        raise UserError(path, what, "give one of the two models another id")
    return result


def _merge(result: Result, theirs: Store, ours: Store) -> Merged:
    old = ours.find(result.task, result.dataset.id, result.model.id)
    if old == result:
        return Merged("unchanged", result)
    if old is not None and old.created >= result.created:
        return Merged("kept ours", old)
    predictions = theirs.predictions(result) if result.predictions is not None else None
    variants = [theirs.variants(result, suite) for suite in result.suites]
    written = ours.save(result, predictions, variants)
    about = result.task, result.dataset.id
    cards = [theirs.suite_card(*about, suite) for suite in result.suites]
    examples = theirs.examples(*about, result.dataset.revision or "")
    # What is kept of the dataset here is of the file that is here.
    missing = examples if ours.examples(*about, result.dataset.revision or "") is None else None
    for record in (*cards, missing):
        if record is not None and (path := ours.save_record(record)) is not None:
            written.append(path)
    return Merged("imported", result, tuple(written))


def _dataset(dataset: str, revision: str, boards: Boards, data: Path, store: Store) -> Dataset | None:
    """The dataset from its file, else as far as it is kept; None where neither has this revision."""
    spec = boards.dataset(dataset)
    if spec.readable:
        try:
            read = read_dataset(dataset_source(spec, data))
        except DatasetError:
            read = None
        if read is not None and read.revision == revision:
            return read
    results = store.results_on(spec.task, dataset)
    kept = [one for one in results if one.dataset.revision == revision and one.predictions is not None]
    return kept_dataset(kept[0], store) if kept else None
