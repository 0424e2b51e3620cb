"""Results on disk: ``<task>/<dataset>/<model>.json`` and a sibling file of per-example predictions.

Beside them are the records about the dataset itself: the cards of its suites, the ids of its examples, and
how difficult these are.

The predictions' file name carries their hash, so replacing a result is one atomic rename: whatever
moment the machine stops at, each file is complete or absent and each result finds its predictions.
Equal records give equal bytes.

``python -m evaluator.records.store`` writes the records' JSON Schemas into ``evaluator/records/schemas/``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from evaluator.records.base import AnyRecord, Record, digest, dump, parse_record, short
from evaluator.records.browser import BrowserCheck, BrowserCopy
from evaluator.records.datasets import (
    Covariances,
    Difficulty,
    DifficultyTable,
    Examples,
    SuiteCard,
    TagParts,
)
from evaluator.records.errors import UserError, check_name
from evaluator.records.references import PredictionSet, PredictionsRef
from evaluator.records.result import Result
from evaluator.records.scratch import write_atomic
from evaluator.records.snapshot import Snapshot

RECORDS: dict[str, type[Record]] = {
    "result": Result,
    "predictions": PredictionSet,
    "suite": SuiteCard,
    "examples": Examples,
    "covariances": Covariances,
    "parts": TagParts,
    "difficulty": Difficulty,
    "difficulty-table": DifficultyTable,
    "browser-check": BrowserCheck,
    "browser-copy": BrowserCopy,
    "snapshot": Snapshot,
}


def json_schemas() -> dict[str, dict[str, Any]]:
    """JSON Schema (2020-12) of each record kind, as committed in `SCHEMAS`."""
    dialect = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    return {kind: {**dialect, **record.model_json_schema()} for kind, record in RECORDS.items()}


Kept = TypeVar("Kept", bound=Record)


@dataclass(frozen=True)
class DatasetKind(Generic[Kept]):
    """A kind of record: its class, the names that its files have, and where the file of a record belongs.

    `place` gives task, dataset and file name.
    """

    record: type[Kept]
    names: re.Pattern[str]
    place: Callable[[Kept], tuple[str, str, str]]


SUITE_CARDS = DatasetKind(
    SuiteCard,
    re.compile(r".*\.suite\.json"),
    lambda card: (card.task, card.dataset.id, f"{card.name}.suite.json"),
)
EXAMPLES = DatasetKind(
    Examples,
    re.compile(r".*\.examples\.json"),
    lambda examples: (examples.task, examples.dataset, f"{short(examples.revision)}.examples.json"),
)


def _of_revision(record: type[Kept], what: str) -> DatasetKind[Kept]:
    """A kind of which each revision of a dataset has one."""

    def place(one: Any) -> tuple[str, str, str]:
        return one.task, one.dataset, f"{short(one.revision)}.{what}.json"

    return DatasetKind(record, re.compile(rf"[0-9a-f]{{12}}\.{what}\.json"), place)


DIFFICULTY_TABLES = _of_revision(DifficultyTable, "difficulty-table")
DIFFICULTIES = DatasetKind(
    Difficulty,
    re.compile(rf"(?!{DIFFICULTY_TABLES.names.pattern}$)[0-9a-f]{{12}}\.difficulty-[^/]+\.json"),
    lambda made: (made.task, made.dataset, f"{short(made.revision)}.difficulty-{made.name}.json"),
)
COVARIANCES = _of_revision(Covariances, "covariances")
TAG_PARTS = DatasetKind(
    TagParts,
    re.compile(r"[0-9a-f]{12}\.parts-[^/]+\.json"),
    lambda found: (found.task, found.dataset, f"{short(found.revision)}.parts-{found.tag}.json"),
)
BROWSER_CHECKS = DatasetKind(
    BrowserCheck,
    re.compile(r".*\.browser\.json"),
    lambda check: (check.task, check.dataset, f"{check.model}.browser.json"),
)
KINDS: tuple[DatasetKind[Any], ...] = (
    SUITE_CARDS,
    EXAMPLES,
    COVARIANCES,
    TAG_PARTS,
    DIFFICULTIES,
    DIFFICULTY_TABLES,
    BROWSER_CHECKS,
)


def kind_of(record: Record) -> DatasetKind[Any]:
    """The kind that a record is of. Raises KeyError for records that are not about a dataset."""
    return {kind.record: kind for kind in KINDS}[type(record)]


#: Where the schemas are committed.
SCHEMAS = Path(__file__).parent / "schemas"


def write_schemas(folder: Path = SCHEMAS) -> None:
    """Write ``<kind>.json`` for each kind of record."""
    for kind, schema in json_schemas().items():
        write_atomic(folder / f"{kind}.json", dump(schema))


def read_record(path: Path, record: type[AnyRecord]) -> AnyRecord:
    """The record in a file. Raises `UserError`."""
    try:
        return parse_record(path.read_bytes(), record, path)
    except FileNotFoundError:
        fix = "restore it, or run steelyard evaluate; what was imported is to be imported again"
        raise UserError(path, "no such file", fix) from None


_SKIPPED = re.compile(rb'"skipped": *[1-9]')
#: Files beside a result: predictions of its examples, and of the variants of a suite.
SIBLINGS = PREDICTIONS, VARIANTS = (".predictions.json", ".variants.json")
#: The folder of snapshots among those of tasks.
SNAPSHOTS = "snapshots"


class Store:
    """The results under one directory."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def path(self, task: str, dataset: str, model: str) -> Path:
        """Where a result is stored, whether or not it exists."""
        return self.root / task / dataset / f"{model}.json"

    def paths(self) -> list[Path]:
        """Every result file, sorted."""
        return _results_in(self._files())

    @property
    def skipped(self) -> set[str]:
        """The datasets that have a result of an evaluation that left malformed rows out.

        No file is parsed for it, as commands ask that read no result.
        """
        return {
            path.parent.name
            for path in self.paths()
            if path.is_file() and not path.is_symlink() and _SKIPPED.search(path.read_bytes())
        }

    def results_on(self, task: str, dataset: str) -> list[Result]:
        """Every result on a dataset, in the order of their paths. Raises `UserError` at a bad file."""
        return [self.load(path) for path in _results_in((self.root / task / dataset).glob("*.json"))]

    def results(self) -> Iterator[Result]:
        """Every result, in the order of their paths. Raises `UserError` at the first bad file."""
        yield from map(self.load, self.paths())

    def readable_results(self) -> Iterator[Result]:
        """The results without those of bad files, which `evaluator.score.checking` reports."""
        for path in self.paths():
            with suppress(UserError):
                yield self.load(path)

    def load(self, path: Path) -> Result:
        """One result file. Raises `UserError`."""
        return read_record(path, Result)

    def find(self, task: str, dataset: str, model: str) -> Result | None:
        """The result of a model on a dataset, None where there is none."""
        path = self.path(task, dataset, model)
        return self.load(path) if path.exists() else None

    def predictions(self, result: Result) -> PredictionSet:
        """The predictions a result was computed from; their hash is checked. Raises `UserError`."""
        if result.predictions is None:
            raise UserError(f"{result.model.id} on {result.dataset.id} keeps no predictions")
        return _checked(self._sibling(result, result.predictions, PREDICTIONS), result.predictions)

    def predictions_file(self, result: Result) -> Path | None:
        """Where a result's predictions lie; None where it has none or they are not kept with the results."""
        path = result.predictions and self._sibling(result, result.predictions, PREDICTIONS)
        return path if path and path.is_file() else None

    def variants(self, result: Result, suite: str) -> PredictionSet:
        """The predictions of a suite's variants; their hash is checked. Raises `UserError`."""
        if suite not in result.suites:
            raise UserError(f"{result.model.id} on {result.dataset.id} has no suite {suite}")
        reference = result.suites[suite].predictions
        return _checked(self._sibling(result, reference, VARIANTS), reference)

    def save(
        self,
        result: Result,
        predictions: PredictionSet | None = None,
        variants: Iterable[PredictionSet] = (),
    ) -> list[Path]:
        """Write a result with its predictions, also of `variants`; return the paths written, result first.

        An older result of the same model is replaced, and predictions it alone refers to removed, only
        once the new files are complete on disk. Raises `UserError` if the model's id cannot be a file name.
        """
        path = self.path(result.task, result.dataset.id, result.model.id)
        self.check_new(path)
        written = [path]
        siblings = [(predictions, PREDICTIONS)] if predictions is not None else []
        for kept, suffix in [*siblings, *((kept, VARIANTS) for kept in variants)]:
            content = kept.plain()
            written.append(
                self._sibling(result, PredictionsRef(sha256=digest(content), examples=kept.examples), suffix)
            )
            write_atomic(written[-1], dump(content))
        write_atomic(path, dump(result.plain()))
        self._remove_siblings(path, {*written, *self._siblings(result)})
        return written

    def remove(self, result: Result) -> None:
        """Remove a result, then what belongs to it alone."""
        path = self.path(result.task, result.dataset.id, result.model.id)
        path.unlink()
        self._remove_siblings(path, set())
        path.with_name(f"{result.model.id}.browser.json").unlink(missing_ok=True)

    def check_new(self, path: Path) -> None:
        """Raise `UserError` unless a result may be stored there: by a name that every file system can have.

        One that is stored already may stay where it is.
        """
        if not _results_in([path]):
            raise UserError(f"{path}: ends as files beside results do; give the model another id")
        for folder, name in ((path.parent.parent, path.parent.name), (path.parent, path.stem)):
            there = [other.name.removesuffix(".json") for other in folder.glob("*")]
            if name not in there:
                try:
                    check_name(name, there)
                except ValueError as error:
                    raise UserError(f"{path}: {error}") from None

    def record_paths(self, kind: DatasetKind[Any]) -> list[Path]:
        """The files of a kind of record, of all datasets, sorted."""
        return _of_kind(kind, self._files())

    def record_path(self, record: Record) -> Path:
        """Where a record about a dataset belongs, whether or not it is kept."""
        return self.root.joinpath(*kind_of(record).place(record))

    def load_record(self, kind: DatasetKind[Kept], path: Path) -> Kept:
        """A record about a dataset, which must be in the place where it belongs. Raises `UserError`."""
        record = read_record(path, kind.record)
        place = kind.place(record)
        if path.parts[-3:] != place:
            raise UserError(f"{path}: has the content of {'/'.join(place)}; restore the file")
        return record

    def records_on(self, kind: DatasetKind[Kept], task: str, dataset: str, revision: str) -> list[Kept]:
        """The records of a kind about a revision of a dataset, in the order of their paths. `UserError`."""
        files = (self.root / task / dataset).glob(f"{short(revision)}.*.json")
        return [self.load_record(kind, path) for path in _of_kind(kind, files)]

    def save_record(self, record: Record) -> Path | None:
        """Write a record about a dataset; return its path, None if it is stored already."""
        path, content = self.record_path(record), dump(record.plain())
        if path.exists() and path.read_bytes() == content:
            return None
        write_atomic(path, content)
        return path

    def suite_cards(self) -> Iterator[SuiteCard]:
        """The cards of all suites, in the order of their paths. Raises `UserError` at a bad file."""
        return (self.load_record(SUITE_CARDS, path) for path in self.record_paths(SUITE_CARDS))

    def suite_card(self, task: str, dataset: str, name: str) -> SuiteCard | None:
        """The card of a suite of a dataset, if one is kept. Raises `UserError`."""
        path = self.root / task / dataset / f"{name}.suite.json"
        return self.load_record(SUITE_CARDS, path) if path.exists() else None

    def examples(self, task: str, dataset: str, revision: str) -> Examples | None:
        """The examples of a revision of a dataset, None where they are not kept. Raises `UserError`."""
        return next(iter(self.records_on(EXAMPLES, task, dataset, revision)), None)

    def covariances(self, task: str, dataset: str, revision: str) -> Covariances | None:
        """How values on this revision of a dataset vary, if that is kept."""
        return next(iter(self.records_on(COVARIANCES, task, dataset, revision)), None)

    def parts(self, task: str, dataset: str, revision: str) -> list[TagParts]:
        """This revision of a dataset in parts, by each tag that a board splits it by. Raises `UserError`."""
        return self.records_on(TAG_PARTS, task, dataset, revision)

    def difficulties(self, task: str, dataset: str, revision: str) -> list[Difficulty]:
        """The difficulties of a revision of a dataset, in the order of their names. Raises `UserError`."""
        return self.records_on(DIFFICULTIES, task, dataset, revision)

    def difficulty_table(self, task: str, dataset: str, revision: str) -> DifficultyTable | None:
        """The numbers of a dataset's models by its difficulties, None where there are none."""
        return next(iter(self.records_on(DIFFICULTY_TABLES, task, dataset, revision)), None)

    def browser_check(self, result: Result) -> BrowserCheck | None:
        """How far the browser copy of a result's model agrees with these very answers; None if unknown."""
        path = self.root / result.task / result.dataset.id / f"{result.model.id}.browser.json"
        found = self.load_record(BROWSER_CHECKS, path) if path.exists() else None
        stored = result.predictions
        return found if found and stored and found.predictions == stored.sha256 else None

    def remove_outdated(self, task: str, dataset: str, revision: str) -> None:
        """Remove what is kept of a dataset for no result: of revisions that none has predictions of, except
        for `revision`, of suites that none has, and of browser copies without a result.

        Raises `UserError` at a bad result.
        """
        results = self.results_on(task, dataset)
        answered = {one.dataset.revision for one in results if one.predictions is not None}
        revisions = {short(one) for one in {revision, *answered} if one is not None}
        needed = {f"{name}.suite.json" for one in results for name in one.suites}
        needed |= {f"{one.model.id}.browser.json" for one in results}
        for kind in KINDS:
            for path in _of_kind(kind, (self.root / task / dataset).glob("*.json")):
                of_models = kind in (SUITE_CARDS, BROWSER_CHECKS)
                if path.name not in needed if of_models else path.name.partition(".")[0] not in revisions:
                    path.unlink()
        for people in results:
            if people.provenance == "human" and short(people.dataset.revision or "") not in revisions:
                self.path(task, dataset, people.model.id).unlink()

    def save_difficulty(self, difficulty: Difficulty) -> Path | None:
        """Write a difficulty; return its path, None if it is stored already.

        Scores were computed from what is stored: other values under the same name are a `UserError`.
        """
        path = self.record_path(difficulty)
        if path.exists() and self.load_record(DIFFICULTIES, path) != difficulty:
            raise UserError(path, "holds other values", "give these another name, or remove the file")
        return self.save_record(difficulty)

    def _files(self) -> Iterator[Path]:
        # Beside the tasks are the snapshots, which are never read as results.
        return (path for path in self.root.glob("*/*/*.json") if path.parts[-3] != SNAPSHOTS)

    def _sibling(self, result: Result, reference: PredictionsRef, suffix: str) -> Path:
        """The file beside a result whose name carries the hash of what it holds."""
        path = self.path(result.task, result.dataset.id, result.model.id)
        return path.with_name(f"{result.model.id}.{short(reference.sha256)}{suffix}")

    def _siblings(self, result: Result) -> Iterator[Path]:
        for scores in result.suites.values():
            yield self._sibling(result, scores.predictions, VARIANTS)
        if result.predictions:
            yield self._sibling(result, result.predictions, PREDICTIONS)

    def _remove_siblings(self, path: Path, needed: set[Path]) -> None:
        """Remove the files beside a result that belong to it and are not needed any more."""
        for suffix in SIBLINGS:
            for old in path.parent.glob(f"{path.stem}.*{suffix}"):
                if old not in needed and _belongs(old, path.stem, suffix):
                    old.unlink()


def reference_to(predictions: PredictionSet) -> PredictionsRef:
    """What a result says of predictions kept beside it."""
    return PredictionsRef(
        sha256=predictions.content_hash(), examples=predictions.examples, trials=predictions.trials
    )


def _results_in(paths: Iterable[Path]) -> list[Path]:
    return sorted(
        path
        for path in paths
        if not path.name.endswith(SIBLINGS) and not any(kind.names.fullmatch(path.name) for kind in KINDS)
    )


def _of_kind(kind: DatasetKind[Any], paths: Iterable[Path]) -> list[Path]:
    return sorted(path for path in paths if kind.names.fullmatch(path.name))


def _checked(path: Path, reference: PredictionsRef) -> PredictionSet:
    predictions = read_record(path, PredictionSet)
    actual = predictions.content_hash()
    if actual != reference.sha256:
        raise UserError(path, f"content hash {actual}, not {reference.sha256}", "restore the file")
    return predictions


def _belongs(path: Path, model: str, suffix: str) -> bool:
    """Whether a predictions file is this model's, not that of one whose id starts alike."""
    parts = path.name.removesuffix(suffix).rsplit(".", 1)
    return parts[0] == model and len(parts) == 2 and len(parts[1]) == 12


if __name__ == "__main__":
    write_schemas()
