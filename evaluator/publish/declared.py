"""What a board file names, looked up: tasks, formats, metrics, suites, adapters, recipes, files and folders.

Only data is read; no model is opened, and nothing is fetched.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from evaluator.data.datasets import FORMATS, Dataset, DatasetError, check_source, read_dataset
from evaluator.data.suites.base import SuitePackageError
from evaluator.data.tables import FORMS
from evaluator.data.tasks import TASKS, FieldError, get_task
from evaluator.records.base import EVALUATED
from evaluator.records.board import Boards, DatasetSpec, ModelSpec, PredictionsSpec
from evaluator.records.errors import UserError, did_you_mean, nearest_file
from evaluator.records.store import Store
from evaluator.score.checking import metric_problems
from evaluator.score.examples import check_ids, dataset_source
from evaluator.score.importing import (
    Submission,
    checked_answers,
    declared_file,
    present_models,
    submission,
)
from evaluator.score.prediction_rows import PredictionsFile, check_columns
from evaluator.score.suites import check_suite

#: What keeps a model from being evaluated, in lines that begin with a key: the command line hands in
#: `evaluator.measure.run.plan.model_problems`, since nothing here knows how models are opened.
ModelProblems = Callable[[ModelSpec, Boards, Path, Path, Mapping[str, Dataset], bool], Iterable[str]]


@dataclass
class Declared:
    """What was found: problems and notes in a line each, and the datasets whose files are here, by id."""

    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    datasets: dict[str, Dataset] = field(default_factory=dict)


def look_up(
    boards: Boards,
    board_file: Path,
    data: Path,
    store: Store,
    models: ModelProblems,
    roots: Sequence[Path] | None = None,
) -> Declared:
    """Look up all that a board file names. `data` is where paths of datasets start; `models` looks at models.

    Files that are not here are a note where the store has results of them, or where their folder is not
    here either: data often cannot be published. With `roots` the board file is a stranger's: nothing outside
    these folders is read, nor are suites with options defined, which may name files.
    """
    lookup = _Lookup(boards, board_file, data, store, roots)
    lookup.datasets()
    lookup.suites()
    lookup.models(models)
    lookup.predictions()
    lookup.boards()
    if lookup.away:
        lookup.found.notes.append(f"not here, so not looked into: {', '.join(dict.fromkeys(lookup.away))}")
    return lookup.found


class _Lookup:
    """One board file, table by table."""

    def __init__(
        self, boards: Boards, board_file: Path, data: Path, store: Store, roots: Sequence[Path] | None
    ) -> None:
        self.spec, self.file, self.data, self.store, self.roots = boards, board_file, data, store, roots
        self.found = Declared()
        self.results = {(one.task, one.dataset.id, one.model.id): one for one in store.readable_results()}
        self.away: list[str] = []

    def _wrong(self, problem: str) -> None:
        """Report a problem; it names the table."""
        self.found.problems.append(f"{self.file}: {problem}")

    def _check_task(self, kind: str, id_: str, task: str) -> bool:
        """Whether a table's task is known."""
        if task not in TASKS:
            what = f"{task!r} is none of {', '.join(TASKS)}{did_you_mean(task, TASKS)}"
            self._wrong(f"{kind}: {id_}: task: {what}")
        return task in TASKS

    def _is_here(self, path: Path, table: str, name: str, expected: bool) -> bool:
        """Whether a file can be read; that it cannot is a problem only if it is `expected`."""
        roots = self.roots
        # Links are followed, also those of the folders themselves.
        if roots is not None and not any(path.resolve().is_relative_to(one.resolve()) for one in roots):
            self.away.append(f"{name} (outside {' and '.join(map(str, roots))})")
        elif path.is_file():
            return True
        elif expected and path.parent.is_dir():
            fix = f"correct the path, or put the file there{nearest_file(path)}"
            self._wrong(f"{table}: {name}: path: {path}: no such file; {fix}")
        else:
            self.away.append(f"{name} ({path}{nearest_file(path)})")
        return False

    def datasets(self) -> None:
        """Every dataset as far as it says how to read it, and its file where that is here."""
        seen = {key[1] for key in self.results}
        evaluated = {key[2] for key in self.results}
        seen |= {name for one in self.spec.models if one.id in evaluated for name in one.train}
        for spec in self.spec.datasets:
            if self._check_task("datasets", spec.id, spec.task) and spec.readable:
                self._dataset(spec, expected=spec.id not in seen)

    def _dataset(self, spec: DatasetSpec, expected: bool) -> None:
        source = dataset_source(spec, self.data)
        try:
            check_source(source)
        except DatasetError as error:
            cause = error.__cause__
            known = did_you_mean(str(spec.format), FORMATS) if spec.format not in FORMATS else ""
            self._wrong(f"datasets: {spec.id}: {cause or error}{known}")
            return
        if source.path is None:
            self.away.append(f"{spec.id} (fetched)")
        elif self._is_here(source.path, "datasets", spec.id, expected):
            try:
                dataset = read_dataset(source)
                check_ids(dataset, spec)
                self.found.datasets[spec.id] = dataset
            except DatasetError as error:
                self.found.problems.append(str(error))

    def suites(self) -> None:
        """The suites of the file."""
        for spec in self.spec.suites:
            if spec.options and self.roots is not None:
                continue
            try:
                check_suite(spec)
            except SuitePackageError as error:
                self.found.notes.append(f"suites: {spec.id}: {error}")
            except UserError as error:
                problem = str(error).removeprefix(f"suites: {spec.id}: ")
                self._wrong(f"suites: {spec.id}: {problem}")

    def models(self, problems: ModelProblems) -> None:
        """What makes or opens each model, and where it is."""
        root, trusted = self.file.parent, self.roots is None
        for model in self.spec.models:
            known = not model.task or self._check_task("models", model.id, model.task)
            if known and model.runs:
                made = problems(model, self.spec, root, self.data, self.found.datasets, trusted)
                for problem in (*made, *self._taken(model)):
                    self._wrong(f"models: {model.id}: {problem}")

    def _taken(self, model: ModelSpec) -> Iterator[str]:
        """Results under a model's id that did not come from running it, so that it cannot be evaluated."""
        for dataset in self.spec.datasets_for(model):
            old = self.results.get((dataset.task, dataset.id, model.id))
            if old is not None and old.provenance not in EVALUATED:
                path = self.store.path(dataset.task, dataset.id, model.id)
                yield f"id: {path} holds a result that is {old.provenance}; give the model another id"

    def predictions(self) -> None:
        """The files of predictions that are to be imported."""
        for spec in self.spec.predictions:
            about, dataset = f"predictions: {spec.path}", self.spec.dataset(spec.dataset)
            if dataset.task not in TASKS:
                continue
            for problem in _unfit(spec, dataset, self.spec):
                self._wrong(f"{about}: {problem}")
            known = set(present_models(spec, self.spec).values()) if spec.whose else None
            if known is not None and not known:
                continue
            stored = (key[2] for key in self.results if key[:2] == (dataset.task, dataset.id))
            imported = any(known is None or model in known for model in stored)
            files = [spec.path, *([spec.no_answer] if spec.no_answer else [])]
            here = [self._is_here(self.data / name, "predictions", name, not imported) for name in files]
            if all(here):
                self._importable(spec)

    def _importable(self, spec: PredictionsSpec) -> None:
        """Whether an import would take the predictions of a table."""
        file = declared_file(spec, self.data)
        try:
            models = present_models(spec, self.spec, file)
        except UserError as error:
            self.found.problems.append(str(error))
            return
        for named, model in models.items():
            self._imported(spec, file, model, named)

    def _imported(self, spec: PredictionsSpec, file: PredictionsFile, model: str, named: str) -> None:
        """Whether an import would take the file; only where the dataset is here too."""
        dataset = self.found.datasets.get(spec.dataset)
        try:
            given = submission(self.spec, file, spec.dataset, model, spec.source, named, named)
            if dataset is not None and not self._has_been(given, dataset):
                checked_answers(given, dataset, self.store)
        except UserError as error:
            self.found.problems.append(str(error))

    def _has_been(self, given: Submission, dataset: Dataset) -> bool:
        """Whether this very file has been imported already, for this very data."""
        old = self.results.get((dataset.task, dataset.id, given.model))
        if old is None or old.dataset.revision != dataset.revision:
            return False
        return bool(old.model.made_from.get("predictions") == given.file.revision())

    def boards(self) -> None:
        """The boards' tasks and metrics, and the folder of their results."""
        if self.store.root.exists() and not self.store.root.is_dir():
            self._wrong(f"results: {self.store.root} is no folder; name one")
        for board in self.spec.boards:
            if board.task is not None:
                self._check_task("boards", board.id, board.task)
        stored = {name for result in self.results.values() for name in result.scores}
        known = {one.id for one in self.spec.datasets if one.readable} | {key[1] for key in self.results}
        for problem in metric_problems(self.spec, known, stored):
            self._wrong(problem)


def _unfit(spec: PredictionsSpec, dataset: DatasetSpec, boards: Boards) -> Iterator[str]:
    """What is wrong with a table of predictions, whatever its file holds; each begins with its key."""
    if not dataset.readable:
        yield f"dataset: {dataset.id} has no format, so nothing can be compared with it"
    form = PredictionsFile(Path(spec.path)).form
    if form not in FORMS:
        yield f"format: {form!r} is none of {', '.join(FORMS)}; name one"
    try:
        check_columns(spec.columns, get_task(dataset.task))
    except FieldError as error:
        yield f"columns: {error}"
    for model in [spec.model] if spec.model else spec.models.values():
        known = boards.model(model)
        if known is not None and not known.is_of(dataset.task):
            yield f"model: {model} is a model of {known.task}, {dataset.id} a dataset of {dataset.task}"
