"""Results on disk: ``<task>/<dataset>/<model>.json`` and a sibling file of per-example predictions.

Beside them lie what is said of the dataset itself: the cards of its suites, the ids of its examples, and
how difficult these are.

The predictions' file name carries their hash, so replacing a result is one atomic rename: whatever
moment the machine stops at, each file is complete or absent and each result finds its predictions.
Equal records give equal bytes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from evaluator.records import (
    Difficulty,
    DifficultyTable,
    Examples,
    MigrationError,
    PredictionSet,
    PredictionsRef,
    Result,
    SuiteCard,
    describe_errors,
    digest,
    migrate,
)
from evaluator.scratch import write_atomic

LINE = 120
#: Files beside a result: predictions of its examples, and of the variants of a suite.
SIBLINGS = PREDICTIONS, VARIANTS = (".predictions.json", ".variants.json")
#: Files about the dataset, not about a model.
OF_DATASET = SUITE, EXAMPLES = (".suite.json", ".examples.json")
#: Between a revision and the name of a difficulty, or ``table``.
DIFFICULTY, TABLE = ".difficulty-", ".difficulty-table.json"
_DIFFICULTY = re.compile(rf"[0-9a-f]{{12}}{re.escape(DIFFICULTY)}[^/]+\.json")
#: The folder of snapshots among those of tasks.
SNAPSHOTS = "snapshots"
AnyRecord = TypeVar("AnyRecord", Result, PredictionSet, SuiteCard, Examples, Difficulty, DifficultyTable)


class StoreError(ValueError):
    """A file in the store that is not what it should be; the message names the file and the mend."""


class Store:
    """The results under one directory."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def path(self, task: str, dataset: str, model: str) -> Path:
        """Where a result lies, whether or not it exists."""
        return self.root / task / dataset / f"{model}.json"

    def paths(self) -> list[Path]:
        """Every result file, sorted."""
        # Beside the tasks lie the snapshots, which are never read as results.
        return _results_in(p for p in self.root.glob("*/*/*.json") if p.parts[-3] != SNAPSHOTS)

    def results_on(self, task: str, dataset: str) -> list[Result]:
        """Every result on a dataset, in the order of their paths. Raises `StoreError` at a bad file."""
        return [self.load(path) for path in _results_in((self.root / task / dataset).glob("*.json"))]

    def results(self) -> Iterator[Result]:
        """Every result, in the order of their paths. Raises `StoreError` at the first bad file."""
        yield from map(self.load, self.paths())

    def load(self, path: Path) -> Result:
        """One result file, brought up to date. Raises `StoreError`."""
        return _read(path, Result)

    def find(self, task: str, dataset: str, model: str) -> Result | None:
        """The result of a model on a dataset, None where there is none."""
        path = self.path(task, dataset, model)
        return self.load(path) if path.exists() else None

    def predictions(self, result: Result) -> PredictionSet:
        """The predictions a result was computed from; their hash is checked. Raises `StoreError`."""
        if result.predictions is None:
            raise StoreError(f"{result.model.id} on {result.dataset.id} keeps no predictions")
        return _checked(self._sibling(result, result.predictions, PREDICTIONS), result.predictions)

    def variants(self, result: Result, suite: str) -> PredictionSet:
        """The predictions of a suite's variants; their hash is checked. Raises `StoreError`."""
        if suite not in result.suites:
            raise StoreError(f"{result.model.id} on {result.dataset.id} has no suite {suite}")
        reference = result.suites[suite].predictions
        return _checked(self._sibling(result, reference, VARIANTS), reference)

    def suite_cards(self) -> Iterator[SuiteCard]:
        """The cards of all suites, in the order of their paths. Raises `StoreError` at a bad file."""
        yield from map(self.load_suite_card, self.suite_card_paths())

    def suite_card_paths(self) -> list[Path]:
        """The files of all suites' cards, sorted."""
        return sorted(self.root.glob(f"*/*/*{SUITE}"))

    def load_suite_card(self, path: Path) -> SuiteCard:
        """One suite's card, brought up to date. Raises `StoreError`."""
        return _read(path, SuiteCard)

    def save_suite_card(self, card: SuiteCard) -> Path | None:
        """Write what a suite is; return its path, None if it stands there already."""
        path = self.root / card.task / card.dataset.id / f"{card.name}{SUITE}"
        return path if _write_new(path, card) else None

    def examples_path(self, task: str, dataset: str, revision: str) -> Path:
        """Where the examples of a revision of a dataset lie, whether or not they are kept."""
        return self.root / task / dataset / f"{_short(revision)}{EXAMPLES}"

    def examples(self, task: str, dataset: str, revision: str) -> Examples | None:
        """The examples of a revision of a dataset, None where they are not kept. Raises `StoreError`."""
        path = self.examples_path(task, dataset, revision)
        return self.load_examples(path) if path.exists() else None

    def examples_paths(self) -> list[Path]:
        """The files of all datasets' examples, sorted."""
        return sorted(self.root.glob(f"*/*/*{EXAMPLES}"))

    def load_examples(self, path: Path) -> Examples:
        """One dataset's examples, which must be those that the path says. Raises `StoreError`."""
        found = _read(path, Examples)
        about = found.task, found.dataset, found.revision
        _check_place(path, self.examples_path(*about), f"the examples of {', '.join(about)}")
        return found

    def save_examples(self, examples: Examples) -> Path | None:
        """Write the examples of a dataset; return their path, None if they stand there already.

        Those of other revisions go once no result with predictions is left of theirs.
        """
        path = self.examples_path(examples.task, examples.dataset, examples.revision)
        written = _write_new(path, examples)
        others = set(path.parent.glob(f"*{EXAMPLES}")) - {path}
        if others:
            kept = {
                self.examples_path(result.task, result.dataset.id, result.dataset.revision)
                for result in self.results_on(examples.task, examples.dataset)
                if result.predictions is not None and result.dataset.revision is not None
            }
            for old in others - kept:
                for difficulty in _difficulties_in(path.parent, old.name.removesuffix(EXAMPLES)):
                    difficulty.unlink()
                old.unlink()
        return path if written else None

    def difficulty_path(self, task: str, dataset: str, revision: str, name: str) -> Path:
        """Where a difficulty of a revision of a dataset lies, whether or not it is kept."""
        return self.root / task / dataset / f"{_short(revision)}{DIFFICULTY}{name}.json"

    def difficulties(self, task: str, dataset: str, revision: str) -> list[Difficulty]:
        """The difficulties of a revision of a dataset, in the order of their names. Raises `StoreError`."""
        found = _difficulties_in(self.root / task / dataset, _short(revision))
        return [self.load_difficulty(path) for path in found if not path.name.endswith(TABLE)]

    def difficulty_paths(self) -> list[Path]:
        """The files of all datasets' difficulties, sorted; the tables left out."""
        return [path for path in self._of_difficulties() if not path.name.endswith(TABLE)]

    def load_difficulty(self, path: Path) -> Difficulty:
        """One difficulty, which must be that which the path says. Raises `StoreError`."""
        found = _read(path, Difficulty)
        belongs = self.difficulty_path(found.task, found.dataset, found.revision, found.name)
        _check_place(path, belongs, f"{found.name} of {found.task}, {found.dataset}, {found.revision}")
        return found

    def save_difficulty(self, difficulty: Difficulty, replace: bool = False) -> Path | None:
        """Write a difficulty; return its path, None if it stands there already.

        Scores were computed from what stands there: other values under the same name are a `StoreError`
        unless they are to `replace` it.
        """
        about = difficulty.task, difficulty.dataset, difficulty.revision
        path = self.difficulty_path(*about, difficulty.name)
        if path.exists() and not replace and self.load_difficulty(path) != difficulty:
            raise StoreError(
                f"{path}: holds other values; give these another name, or replace it (--replace)"
            )
        return path if _write_new(path, difficulty) else None

    def difficulty_table(self, task: str, dataset: str, revision: str) -> DifficultyTable | None:
        """The numbers of a dataset's models by its difficulties, None where there are none."""
        path = self.difficulty_path(task, dataset, revision, "table")
        return self.load_difficulty_table(path) if path.exists() else None

    def difficulty_table_paths(self) -> list[Path]:
        """The files of all datasets' tables, sorted."""
        return [path for path in self._of_difficulties() if path.name.endswith(TABLE)]

    def load_difficulty_table(self, path: Path) -> DifficultyTable:
        """One table, which must be that which the path says. Raises `StoreError`."""
        found = _read(path, DifficultyTable)
        about = found.task, found.dataset, found.revision
        _check_place(path, self.difficulty_path(*about, "table"), f"the table of {', '.join(about)}")
        return found

    def save_difficulty_table(self, table: DifficultyTable) -> Path | None:
        """Write a table in the place of an older one; return its path, None if it stands there already."""
        path = self.difficulty_path(table.task, table.dataset, table.revision, "table")
        return path if _write_new(path, table) else None

    def _of_difficulties(self) -> list[Path]:
        found = self.root.glob(f"*/*/*{DIFFICULTY}*.json")
        return sorted(path for path in found if _DIFFICULTY.fullmatch(path.name))

    def save(
        self,
        result: Result,
        predictions: PredictionSet | None = None,
        variants: Iterable[PredictionSet] = (),
    ) -> list[Path]:
        """Write a result with its predictions, also of `variants`; return the paths written, result first.

        An older result of the same model is replaced, and predictions it alone refers to removed, only
        once the new files are complete on disk. Raises `StoreError` if the model's id cannot be a file name.
        """
        path = self.path(result.task, result.dataset.id, result.model.id)
        if not _results_in([path]):
            raise StoreError(f"{path}: ends as files beside results do; give the model another id")
        written = [path]
        siblings = [(predictions, PREDICTIONS)] if predictions is not None else []
        for kept, suffix in [*siblings, *((kept, VARIANTS) for kept in variants)]:
            written.append(self._sibling(result, reference_to(kept), suffix))
            write_atomic(written[-1], dump(kept.plain()))
        write_atomic(path, dump(result.plain()))
        needed = {*written, *self._referred(result)}
        for suffix in SIBLINGS:
            for old in path.parent.glob(f"{path.stem}.*{suffix}"):
                if old not in needed and _belongs(old, path.stem, suffix):
                    old.unlink()
        return written

    def migrate(self, write: bool = True) -> list[Path]:
        """Rewrite what is not at the newest schema version; return the files concerned, predictions apart."""
        changed = self._migrate_of_datasets(write)
        for path in self.paths():
            result = self.load(path)
            predictions = self.predictions(result) if result.predictions else None
            variants = {name: self.variants(result, name) for name in result.suites}
            updates: dict[str, Any] = {
                "suites": {
                    name: scores.model_copy(update={"predictions": reference_to(variants[name])})
                    for name, scores in result.suites.items()
                }
            }
            if predictions is not None:
                updates["predictions"] = reference_to(predictions)
            result = result.model_copy(update=updates)
            if json.loads(path.read_bytes()) != result.plain():
                changed.append(path)
                if write:
                    self.save(result, predictions, variants.values())
        return changed

    def _migrate_of_datasets(self, write: bool) -> list[Path]:
        cards = [(path, self.load_suite_card(path)) for path in self.suite_card_paths()]
        examples = [(path, self.load_examples(path)) for path in self.examples_paths()]
        difficulties = [(path, self.load_difficulty(path)) for path in self.difficulty_paths()]
        tables = [(path, self.load_difficulty_table(path)) for path in self.difficulty_table_paths()]
        changed = []
        for path, record in (*cards, *examples, *difficulties, *tables):
            if json.loads(path.read_bytes()) != record.plain():
                changed.append(path)
                if write:
                    write_atomic(path, dump(record.plain()))
        return changed

    def _sibling(self, result: Result, reference: PredictionsRef, suffix: str) -> Path:
        """The file beside a result whose name carries the hash of what it holds."""
        path = self.path(result.task, result.dataset.id, result.model.id)
        return path.with_name(f"{result.model.id}.{_short(reference.sha256)}{suffix}")

    def _referred(self, result: Result) -> set[Path]:
        found = {self._sibling(result, scores.predictions, VARIANTS) for scores in result.suites.values()}
        return found | (
            {self._sibling(result, result.predictions, PREDICTIONS)} if result.predictions else set()
        )


def _results_in(paths: Iterable[Path]) -> list[Path]:
    return sorted(
        path
        for path in paths
        if not path.name.endswith((*SIBLINGS, *OF_DATASET)) and not _DIFFICULTY.fullmatch(path.name)
    )


def _difficulties_in(folder: Path, revision: str) -> list[Path]:
    """The files of difficulties of a revision (its first digits), and its table, sorted."""
    return sorted(folder.glob(f"{revision}{DIFFICULTY}*.json"))


def _short(revision: str) -> str:
    """As much of a hash as file names carry."""
    return revision.removeprefix("sha256:")[:12]


def _check_place(path: Path, belongs: Path, what: str) -> None:
    if path.parts[-3:] != belongs.parts[-3:]:
        raise StoreError(f"{path}: holds {what}; restore the file")


def _write_new(path: Path, record: SuiteCard | Examples | Difficulty | DifficultyTable) -> bool:
    """Write a record unless it stands there already; return whether it was written."""
    content = dump(record.plain())
    if path.exists() and path.read_bytes() == content:
        return False
    write_atomic(path, content)
    return True


def reference_to(predictions: PredictionSet) -> PredictionsRef:
    """What a result says of predictions kept beside it."""
    return PredictionsRef(sha256=predictions.content_hash(), examples=predictions.examples)


def _checked(path: Path, reference: PredictionsRef) -> PredictionSet:
    predictions = _read(path, PredictionSet)
    # Of the file as it stands: bringing it up to date must not hide that it was changed.
    found = digest(json.loads(path.read_bytes()))
    if found != reference.sha256:
        raise StoreError(f"{path}: content hash {found}, not {reference.sha256}; restore the file")
    return predictions


def dump(document: Any) -> bytes:
    """JSON for people and for git: small objects on a line, others a field a line, long lists wrapped.

    Raises ValueError on NaN and infinities.
    """
    return (_layout(document, "") + "\n").encode("utf-8")


def _belongs(path: Path, model: str, suffix: str) -> bool:
    """Whether a predictions file is this model's, not that of one whose id merely starts alike."""
    parts = path.name.removesuffix(suffix).rsplit(".", 1)
    return parts[0] == model and len(parts) == 2 and len(parts[1]) == 12


def _read(path: Path, kind: type[AnyRecord]) -> AnyRecord:
    try:
        document = json.loads(path.read_bytes())
        return kind.model_validate(migrate(document))
    except FileNotFoundError:
        raise StoreError(f"{path}: no such file; restore it, or evaluate the model again") from None
    except ValidationError as error:
        raise StoreError(describe_errors(error, str(path))) from None
    except MigrationError as error:
        raise StoreError(f"{path}: {error}") from None
    except (ValueError, AttributeError, RecursionError) as error:
        raise StoreError(f"{path}: not a JSON record: {error}; restore the file") from None


def _layout(value: Any, indent: str) -> str:
    inner = indent + "  "
    line = _line(value)
    if not isinstance(value, dict | list | tuple):
        return line
    nested = _nested(value)
    if not nested and len(indent) + len(line) <= LINE:
        return line
    if isinstance(value, dict):
        fields = [f"{inner}{_line(str(key))}: {_layout(item, inner)}" for key, item in value.items()]
        return "{\n" + ",\n".join(fields) + f"\n{indent}}}"
    if nested:
        return "[\n" + ",\n".join(inner + _layout(item, inner) for item in value) + f"\n{indent}]"
    return "[\n" + _wrapped([_line(item) for item in value], inner) + f"\n{indent}]"


def _nested(value: dict[str, Any] | list[Any] | tuple[Any, ...]) -> bool:
    """Whether there is more in `value` than a line should hold."""
    if isinstance(value, dict):
        return any(isinstance(item, dict | list | tuple) and item for item in value.values())
    return any(isinstance(item, dict) for item in value)


def _line(value: Any) -> str:
    """One line; lists of numbers close together, since columns are long."""
    separators = (", ", ": ") if isinstance(value, dict) else (",", ":")
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=separators)


def _wrapped(items: list[str], indent: str) -> str:
    """Items packed into lines; no longer line is needed to see in a diff which examples changed."""
    lines = [indent]
    for item in items[:-1]:
        if len(lines[-1]) + len(item) + 1 > LINE and lines[-1] != indent:
            lines.append(indent)
        lines[-1] += item + ","
    lines[-1] += items[-1]
    return "\n".join(lines)
