"""Which stored results are of other inputs than the board file and its folders give now, and why.

An evaluation asks a model again by the same rule. What is not here cannot be judged, such as data that may
not be published: then nothing is said of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from evaluator.data.datasets import DatasetError, DatasetSource, read_dataset, revision_of
from evaluator.data.suites.make import PLAIN_VERSION, version_for
from evaluator.data.tasks import TASKS, get_task
from evaluator.records.base import EVALUATED, PROTOCOL, TIMING, digest, directory_files
from evaluator.records.board import Boards, ModelSpec, OutdatedResult
from evaluator.records.errors import UserError
from evaluator.records.references import ModelInputs
from evaluator.records.result import Result
from evaluator.score.checking import folder_problem
from evaluator.score.examples import dataset_source, training_source
from evaluator.score.importing import declared_file, present_models
from evaluator.score.metrics import definition as metric_definition
from evaluator.score.metrics import names_for
from evaluator.score.suites import NOWHERE, define

#: Versions of recipes that make something else than at first; all others are at 1.
RECIPE_VERSIONS: dict[str, int] = {}


def recipe_version(recipe: str) -> int:
    """The version of a recipe, which changes whenever what it makes would."""
    return RECIPE_VERSIONS.get(recipe, 1)


@dataclass(frozen=True)
class GivenModel:
    """A model as it is now: `train` is the revision of what it learns from, `files` are the hashes of its
    folder's files by name. Both are None where there is none, and where it is not here."""

    spec: ModelSpec
    train: str | None
    files: Mapping[str, str] | None

    @property
    def record(self) -> ModelInputs:
        """What a result keeps of it, to be compared later."""
        spec = self.spec
        return ModelInputs(
            recipe=spec.recipe,
            version=recipe_version(spec.recipe) if spec.recipe else None,
            adapter=spec.adapter,
            options=spec.options,
            seed=spec.seed,
            train=self.train,
            files=digest(self.files) if self.files is not None else None,
        )

    def digest(self, dataset: str, task: str, options: Mapping[str, Any] | None = None) -> str:
        """The hash of everything that decides its answers to a revision of a dataset of a task.

        `options` have the examples that a prompt shows, if it shows any.
        """
        spec = self.spec
        model = {
            "recipe": spec.recipe,
            "adapter": spec.adapter,
            "options": dict(spec.options if options is None else options),
            "seed": spec.seed,
            "train": self.train,
            "files": dict(self.files) if self.files is not None else None,
        }
        return digest({"model": model, "dataset": dataset, "task": task})


def input_changes(result: Result, model: GivenModel | None, revision: str | None) -> list[str]:
    """In what a measured result's inputs differ from a model and the `revision` of its dataset, in words.

    None for a model or a revision that is not known. Empty where nothing differs.
    """
    changes = _model_changes(result, model) if model else []
    if revision is not None and result.dataset.revision not in (None, revision):
        changes.append("the dataset's rows changed, or how they are read")
    return changes


def _model_changes(result: Result, model: GivenModel) -> list[str]:
    spec, now, stored = model.spec, model.record, result.model.inputs
    named = spec.recipe or spec.adapter
    if result.model.adapter != named or (stored and stored.recipe != now.recipe):
        return [f"its {'recipe' if spec.recipe else 'adapter'} is {named} now"]
    if stored is None:
        return ["it does not say what its model was made from"]
    words = {
        "version": f"its recipe {spec.recipe} is version {now.version} now",
        "files": "its files changed",
        "options": "its options changed",
        "seed": "its seed changed",
        "train": "trained on other data" if spec.recipe else "shown examples of other data",
    }
    away = {name for name, names in (("files", spec.directory), ("train", spec.train)) if names}
    away = {name for name in away if getattr(now, name) is None}
    return [
        said for name, said in words.items()
        if name not in away and getattr(stored, name) != getattr(now, name)
    ]  # fmt: skip


class GivenInputs:
    """What the board file and its folders give now; every file is read once.

    `root` is where model folders start, `data` where paths of datasets do. With `roots` the board file is a
    stranger's: nothing outside these folders is read.
    """

    def __init__(self, boards: Boards, root: Path, data: Path, roots: Sequence[Path] | None = None) -> None:
        self.boards, self.root, self.data = boards, root, data
        self.roots = None if roots is None else [one.resolve() for one in roots]
        self.revision, self.model = cache(self._revision), cache(self._model)
        self.suite_version = cache(self._suite_version)
        self._of_predictions = cache(self._predictions_revision)
        self.declared_models = cache(self._declared_models)

    def is_here(self, path: Path) -> bool:
        """Whether a file is there and may be read."""
        return self._may_read(path) and path.is_file()

    def _may_read(self, path: Path) -> bool:
        return self.roots is None or any(path.resolve().is_relative_to(root) for root in self.roots)

    def _read(self, source: DatasetSource | None) -> str | None:
        if source is None:
            return None
        each = [source, *source.also]
        if any(one.path is not None and not self._may_read(one.path) for one in each):
            return None
        try:
            return revision_of(source)
        except DatasetError:
            return None

    def _revision(self, dataset: str) -> str | None:
        """The revision of a dataset of the board file; None where its file is not here."""
        spec = next((one for one in self.boards.datasets if one.id == dataset and one.readable), None)
        return self._read(dataset_source(spec, self.data)) if spec else None

    def _suite_version(self, dataset: str) -> int | None:
        """The version of suites of a dataset, by its texts; None where they are not here."""
        if self.revision(dataset) is None:
            return None
        try:
            read = read_dataset(dataset_source(self.boards.dataset(dataset), self.data))
        except UserError:
            return None
        return version_for(get_task(read.task).perturbable, read.examples)

    def _model(self, model: str) -> GivenModel | None:
        """A model of the board file that can be run."""
        spec = self.boards.model(model)
        if spec is None or not spec.runs:
            return None
        try:
            train = training_source(self.boards, spec, self.data)
        except UserError:
            train = None
        return GivenModel(spec, self._read(train), self._files(spec))

    def _files(self, spec: ModelSpec) -> dict[str, str] | None:
        if spec.directory is None:
            return None
        folder = self.root / spec.directory
        if not self._may_read(folder) or folder_problem(folder, self.boards, self.root, self.data):
            return None
        if not all(map(self._may_read, folder.rglob("*"))):
            return None
        return directory_files(folder)

    def predictions(self, dataset: str, model: str) -> str | None:
        """The revision of the file of predictions that the board file declares; None where it is not here."""
        for at, spec in enumerate(self.boards.predictions):
            if spec.dataset == dataset and model in self.declared_models(at):
                return self._of_predictions(at)
        return None

    def _declared_models(self, at: int) -> list[str]:
        """The models of a table of predictions; none where only its file says which, and that is not here."""
        spec = self.boards.predictions[at]
        file = declared_file(spec, self.data)
        if not spec.whose and not self.is_here(file.path):
            return []
        try:
            return list(present_models(spec, self.boards, file).values())
        except UserError:
            return []

    def _predictions_revision(self, at: int) -> str | None:
        file = declared_file(self.boards.predictions[at], self.data)
        paths = [path for path in (file.path, file.no_answer) if path is not None]
        return file.revision() if all(map(self.is_here, paths)) else None


def outdated_results(results: Iterable[Result], given: GivenInputs) -> list[OutdatedResult]:
    """Those of `results` that are of other inputs than those given now, with the reasons and what to run.

    Reported numbers are never among them: nothing here says what they are of.
    """
    removed = {model.id for model in given.boards.models if model.removed}
    found = []
    for result in results:
        if result.provenance == "reported" or result.model.id in removed:
            continue
        model, dataset = result.model.id, result.dataset.id
        run = given.model(model) if result.provenance in EVALUATED else None
        other_model = bool(input_changes(result, run, None))
        changes = input_changes(result, run, given.revision(dataset))
        answers = given.predictions(dataset, model) if result.provenance == "predictions" else None
        if answers and result.model.made_from.get("predictions", answers) != answers:
            changes, other_model = [*changes, "its file of predictions changed"], True
        rescored = list(_metric_changes(result, given.boards))
        measured = [*_timing_changes(result, given.boards), *_suite_changes(result, given)]
        if reasons := (*changes, *rescored, *measured):
            fix = _fix(result, given, only_rescored=not changes and not measured)
            found.append(OutdatedResult(result.task, dataset, model, reasons, fix, other_model))
    return found


def _metric_changes(result: Result, boards: Boards) -> Iterator[str]:
    """The metrics of the task and its boards that have another version than the scores."""
    if result.predictions is None or result.task not in TASKS:
        return
    task = TASKS[result.task]
    for name in dict.fromkeys((*task.metrics, *boards.metrics_of(result.dataset.id))):
        if name in result.scores and name in names_for(task.kind):
            version = metric_definition(name).version
            if result.scores[name].version != version:
                yield f"metric {name} is version {version.removeprefix(f'{name}-')} now"


def _timing_changes(result: Result, boards: Boards) -> Iterator[str]:
    if TIMING.isdisjoint(boards.metrics_of(result.dataset.id)):
        return
    if result.measurement is not None and result.measurement.protocol != PROTOCOL:
        yield f"timed by protocol {result.measurement.protocol}, which is {PROTOCOL} now"


def _suite_changes(result: Result, given: GivenInputs) -> Iterator[str]:
    """The suites of a board that have other variants now; those of other programs are left alone."""
    shown = given.boards.metrics_of(result.dataset.id)
    for spec in given.boards.suites_of(result.dataset.id) if shown else ():
        # Options may name files.
        readable = spec.backend == "steelyard" and not (spec.options and given.roots is not None)
        scored = spec.id in shown and spec.id in result.suites
        if scored and readable and result.dataset.revision is not None:
            try:
                definition = define(spec, NOWHERE)
            except UserError:
                continue
            stored, revision = result.suites[spec.id].suite, result.dataset.revision
            plain = stored == replace(definition, version=PLAIN_VERSION).hash(revision)
            if plain and given.suite_version(result.dataset.id) in (None, PLAIN_VERSION):
                continue
            if stored != definition.hash(revision):
                yield f"suite {spec.id} has other variants now"


def _fix(result: Result, given: GivenInputs, only_rescored: bool) -> str:
    """What brings a result up to date, by where its numbers came from."""
    model, dataset = result.model.id, result.dataset.id
    if result.provenance == "human" or (only_rescored and result.provenance == "predictions"):
        return f"run steelyard evaluate --dataset {dataset}"
    if result.provenance in EVALUATED:
        run, spec = f"run steelyard evaluate --model {model}", given.boards.model(model)
        if spec is None or dataset not in {one.id for one in given.boards.datasets_for(spec)}:
            run = f"say in the board file how to run it on {dataset}, then {run}"
        return run
    if any(
        spec.dataset == dataset and model in given.declared_models(at)
        for at, spec in enumerate(given.boards.predictions)
    ):
        return "run steelyard import"
    return f"run steelyard import again, with its file on {dataset}"


#: How many results a line names.
NAMED = 3


def outdated_lines(
    found: Iterable[OutdatedResult],
    name: Callable[[OutdatedResult], str] = lambda one: f"{one.model} on {one.dataset}",
) -> list[str]:
    """A line for each reason and what to run, with all results that it is about, each by its `name`."""
    together: dict[tuple[tuple[str, ...], str], list[OutdatedResult]] = {}
    for one in found:
        # What to do about many models is said once.
        together.setdefault((one.reasons, one.fix.partition(" --model ")[0]), []).append(one)
    return [_line(ones, fix, name) for (_, fix), ones in together.items()]


def _line(ones: Sequence[OutdatedResult], fix: str, name: Callable[[OutdatedResult], str]) -> str:
    models = dict.fromkeys(one.model for one in ones)
    if "--model" in ones[0].fix and len(models) <= NAMED:
        fix = ones[0].fix + "".join(f" --model {model}" for model in list(models)[1:])
    named = ", ".join(map(name, ones[:NAMED]))
    more = f" and {len(ones) - NAMED} more" if len(ones) > NAMED else ""
    return f"{named}{more} {'is' if len(ones) == 1 else 'are'} stale: {ones[0].why}; {fix}"
