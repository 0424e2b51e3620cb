"""Units of work, one for each model and dataset of a board, and its models made ready for a worker.

`model_problems` says what would be refused: no model is opened, and nothing is fetched.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from evaluator.data.datasets import FORMATS, Dataset, DatasetSource, read_dataset
from evaluator.data.tasks import get_task
from evaluator.measure.isolation.probing import Layers, probe
from evaluator.measure.models import (
    ADAPTERS,
    FROM_HUB,
    PROMPTED,
    WITHOUT_DIRECTORY,
    endpoint,
    gguf,
    transformers_causal,
)
from evaluator.measure.models.decoder import NORMALISE, SCORING, USUAL_NEW_TOKENS
from evaluator.measure.models.prepared import Prepared
from evaluator.measure.models.preparing import check_recipe, prepare_in_process
from evaluator.measure.models.pretrained import check_pinned, fetch
from evaluator.measure.models.prompting import Prompt, with_examples
from evaluator.measure.models.recipes import RECIPES
from evaluator.measure.models.written import stop_strings
from evaluator.measure.worker import Limits, ModelToLoad
from evaluator.records.base import digest, directory_files
from evaluator.records.board import ENDPOINT, Boards, LimitSettings, MeasureSettings, ModelSpec
from evaluator.records.errors import UserError, did_you_mean, or_one_of
from evaluator.records.references import PromptRecord, ShownExample
from evaluator.records.store import Store
from evaluator.score.checking import folder_problem, metric_problems
from evaluator.score.examples import dataset_source, training_source
from evaluator.score.inputs import GivenModel


@dataclass(frozen=True)
class Unit:
    """One model on one dataset. `inputs` hashes everything that decides its predictions.

    The options of a `model` that reads prompts have the examples that it is shown; `given` is the model as
    the board file and its folders have it.
    """

    model: ModelSpec
    given: GivenModel
    dataset: Dataset
    source: DatasetSource
    train: DatasetSource | None
    directory: Path | None
    inputs: str


def plan(
    boards: Boards,
    root: Path,
    data: Path,
    models: Sequence[str] = (),
    datasets: Sequence[str] = (),
) -> list[Unit]:
    """The units of a board file, in its order; `models` and `datasets` narrow them down by id.

    None if no model fits a dataset with texts. `root` is where model directories start, `data` where dataset
    files do. Reads and checks every dataset, so that a bad file is found before anything is measured. Raises
    `UserError` and `evaluator.data.datasets.DatasetError`.
    """
    known = {"model": [one.id for one in boards.models], "dataset": [one.id for one in boards.datasets]}
    for field, name in [*(("model", name) for name in models), *(("dataset", name) for name in datasets)]:
        if name not in known[field]:
            fix = or_one_of(name, known[field]).removeprefix("; ")
            raise UserError(f"{field} {name}", f"the board file has no such {field}", fix)
    for model in boards.models:
        if model.id in models and model.removed is not None:
            fix = "delete `removed` in the board file to evaluate it again"
            raise UserError(f"model {model.id}", model.removed.words, fix)
    chosen = [m for m in boards.models if m.runs and (not models or m.id in models)]
    units = []
    for spec in boards.datasets:
        takers = [model for model in chosen if spec in boards.datasets_for(model)]
        if not takers or (datasets and spec.id not in datasets):
            continue
        source = dataset_source(spec, data)
        dataset = read_dataset(source)
        if dataset.has_inputs:
            units += [_unit(model, dataset, source, boards, root, data) for model in takers]
    order = [model.id for model in boards.models]
    return sorted(units, key=lambda unit: order.index(unit.model.id))


def check_metrics(units: Sequence[Unit], boards: Boards, store: Store) -> None:
    """Raise `UserError` if a board of these datasets shows a metric that neither the registry nor timing
    nor a suite computes and no stored result has, or ranks one in the wrong direction."""
    stored = {name for result in store.results() for name in result.scores}
    for problem in metric_problems(boards, {unit.dataset.id for unit in units}, stored):
        raise UserError(problem)


def _unit(
    model: ModelSpec, dataset: Dataset, source: DatasetSource, boards: Boards, root: Path, data: Path
) -> Unit:
    train = training_source(boards, model, data)
    learnt = read_dataset(train) if train else None
    directory = _directory(model, boards, root, data)
    files = directory_files(directory) if directory else None
    given = GivenModel(model, learnt.revision if learnt else None, files)
    model = with_shots(model, directory, learnt, dataset)
    inputs = given.digest(dataset.revision, dataset.task, model.options)
    return Unit(model, given, dataset, source, train, directory, inputs)


def _directory(model: ModelSpec, boards: Boards, root: Path, data: Path) -> Path | None:
    """The folder of a model, if it has one. Raises `UserError` where nobody should open it."""
    if model.directory is None:
        return None
    if problem := folder_problem(root / model.directory, boards, root, data):
        raise UserError(f"models: {model.id}: directory", problem)
    return root / model.directory


def check_isolation(settings: MeasureSettings, layers: Layers | None = None) -> None:
    """Raise `UserError` if all layers are required and one of `layers`, those that work here, is missing."""
    if settings.isolation != "required":
        return
    missing = (layers or probe()).missing
    if missing:
        reasons = "\n".join(f"  {layer}: {why}" for layer, why in missing.items())
        raise UserError(
            "measure.isolation",
            f'"required", but on this machine models cannot be isolated by {", ".join(missing)}:\n{reasons}\n'
            'make these work, or say isolation = "best" in the board file',
        )


def prepared_model(
    model: ModelSpec,
    directory: Path | None,
    train: DatasetSource | None,
    models: Path,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Prepared:
    """The model as its adapter opens it; `models` is the folder of those that a recipe made.

    `progress` is told how many of all steps of a recipe are done.

    Raises `UserError`, `MissingPackage` and `evaluator.data.datasets.DatasetError`.
    """
    if model.recipe is not None:
        return prepare_in_process(
            model.recipe, model.options, train, model.seed, models, source=directory, progress=progress
        )
    assert model.adapter is not None
    fetch(model.adapter, model.options)
    made = Prepared.existing(model.adapter, directory, model.options)
    if model.adapter == "gguf":
        return replace(made, details={"weights": gguf.weights(made.directory, model.options)})
    return made


def prompt_of(
    adapter: str | None, options: Mapping[str, Any], directory: Path, task: str, labels: tuple[str, ...]
) -> Prompt:
    """The prompt of a model that reads one, by its checked options. Raises `UserError`."""
    if adapter == ENDPOINT:
        return endpoint.EndpointModel.of(options, directory, task, labels).prompt
    if adapter == "gguf":
        return gguf.check_options(options, directory, task, labels)
    return transformers_causal.check_options(options, directory, task, labels)


def with_shots(
    model: ModelSpec, directory: Path | None, train: Dataset | None, asked: Dataset | None
) -> ModelSpec:
    """A model that reads prompts with the examples that they show among its options, none of them `asked`.

    Other models are as they were. Raises `UserError`, also for an option that is wrong in itself.
    """
    if model.adapter not in PROMPTED:
        return model
    try:
        options = with_examples(model.options, model.seed, train, asked)
        if asked is not None:
            prompt_of(model.adapter, options, directory or Path(), model.task, asked.labels)
    except UserError as error:
        raise UserError(f"models: {model.id}", str(error)) from None
    return model.model_copy(update={"options": options})


def board_model(
    model: ModelSpec, boards: Boards, root: Path, data: Path, work: Path, labels: tuple[str, ...] = ()
) -> ModelToLoad:
    """A model of the board file, to be asked anything; by default with the labels of its first dataset.

    `root`, `data` and `work` are as in `evaluator.measure.run.plan` and `evaluate`. Raises `UserError` if the
    model was removed, only its predictions are known or its folder cannot be, and what `prepared_model` does.
    """
    prepared = board_prepared(model, boards, root, data, work)
    task = get_task(model.task)
    for dataset in () if labels else boards.datasets_for(model):
        assert dataset.format is not None
        if labels := task.in_labels(dataset.labels) or FORMATS[dataset.format].labels:
            break
    chosen = labels or (task.label_sets or ((),))[0]
    return ModelToLoad(prepared.adapter, prepared.directory, prepared.options, model.task, chosen)


def board_prepared(model: ModelSpec, boards: Boards, root: Path, data: Path, work: Path) -> Prepared:
    """A model of the board file, with its revision. Raises what `board_model` does."""
    if model.removed is not None:
        raise UserError(model.id, model.removed.words, "delete `removed` in the board file to load it")
    if not model.runs:
        raise UserError(model.id, "only its predictions are known; it has neither recipe nor adapter")
    directory = _directory(model, boards, root, data)
    train = training_source(boards, model, data)
    if model.adapter in PROMPTED:
        model = with_shots(model, directory, read_dataset(train) if train else None, None)
    return prepared_model(model, directory, train, work / "models")


#: Seconds of the whole life of one process of a model, which no setting changes.
LIFE_S = 3600.0


def worker_limits(limits: LimitSettings) -> Limits:
    """The limits of a board file, as a worker takes them."""
    return Limits(
        load_s=limits.load_s,
        request_s=limits.request_s,
        total_s=LIFE_S,
        memory_bytes=round(limits.memory_gb * 1e9),
    )


def prompt_record(
    model: ModelSpec, directory: Path | None, labels: tuple[str, ...], boards: Boards
) -> PromptRecord | None:
    """What a result says of the prompt that its model was asked by, None where it reads none.

    Examples drawn from a training set are in it only if the texts and gold labels of that may be published.
    Raises `UserError` if the model's template file is gone.
    """
    if model.adapter not in PROMPTED:
        return None
    options = model.options
    prompt = prompt_of(model.adapter, options, directory or Path(), model.task, labels)
    train = boards.dataset(model.train[0]) if model.train else None
    shown = [ShownExample(inputs=dict(shot.inputs), answer=shot.answer) for shot in prompt.shots]
    # A label is chosen by its score, a text is written; behind an endpoint labels are looked for in a text.
    if prompt.answers and not model.is_remote:
        settings = {
            "scoring": options.get("scoring", SCORING[0]),
            "normalise": options.get("normalise", NORMALISE[0]),
        }
    else:
        usual = endpoint.USUAL_NEW_TOKENS if model.is_remote else USUAL_NEW_TOKENS
        settings = {
            "scoring": "found" if prompt.answers else "generation",
            "max_new_tokens": options.get("max_new_tokens", usual),
            "stop": stop_strings({**options, "chat": prompt.chat}),
            "pattern": options.get("pattern"),
            "unanswerable": options.get("unanswerable", ""),
        }
    return PromptRecord(
        template=prompt.source,
        instruction=prompt.instruction,
        separator=prompt.separator,
        delimiter=prompt.delimiter,
        chat=prompt.chat,
        chat_options=dict(prompt.chat_options),
        answers=dict(prompt.answers),
        examples=len(shown),
        drawn_from=train.id if train else None,
        seed=model.seed if train else None,
        shown=tuple(shown) if train is None or (train.show_text and train.show_gold) else (),
        sha256=digest([example.plain() for example in shown]),
        **settings,
    )


def model_problems(
    model: ModelSpec, boards: Boards, root: Path, data: Path, datasets: Mapping[str, Dataset], trusted: bool
) -> Iterator[str]:
    """What is wrong with a model's recipe, or with its adapter and folder; each begins with its key.

    `root` is the board file's folder, `data` where paths of datasets start, `datasets` are those whose files
    are here. Unless `trusted` the board file is a stranger's: no template that it names is read.
    """
    for train in map(boards.dataset, model.train):
        if not train.readable:
            yield f"train: {train.id} has no format, so nothing can be read from it"
    try:
        if model.adapter in PROMPTED and trusted:
            _check_prompts(model, boards, root, datasets)
        if model.recipe is not None:
            task = model.task if model.train else None
            check_recipe(model.recipe, model.options, task, model.directory)
        elif model.adapter in FROM_HUB and "model" in model.options:
            check_pinned(str(model.options["model"]), model.options.get("revision"))
    except UserError as error:
        known = did_you_mean(model.recipe or "", RECIPES) if model.recipe not in RECIPES else ""
        yield f"{error}{known}"
    if model.adapter is not None and model.adapter not in ADAPTERS:
        what = f"{model.adapter!r} is none of {', '.join(ADAPTERS)}"
        yield f"adapter: {what}{did_you_mean(model.adapter, ADAPTERS)}"
    elif model.adapter is not None and model.directory is None and model.adapter not in WITHOUT_DIRECTORY:
        yield f"directory: missing; the adapter {model.adapter} opens a model's folder"
    if model.directory is not None and (
        problem := folder_problem(root / model.directory, boards, root, data)
    ):
        yield f"directory: {problem}"


def _check_prompts(model: ModelSpec, boards: Boards, root: Path, datasets: Mapping[str, Dataset]) -> None:
    """Raise `UserError` if the model cannot be asked by prompts about a dataset whose file is here."""
    folder = root / model.directory if model.directory else Path()
    train = datasets.get("".join(model.train))
    for spec in boards.datasets_for(model):
        asked = datasets.get(spec.id)
        if asked is not None and (train is not None or not model.train):
            options = with_examples(model.options, model.seed, train, asked)
            prompt_of(model.adapter, options, folder, model.task, asked.labels)
