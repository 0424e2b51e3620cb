"""A model of the board file made ready for a worker: prepared by its recipe, or as it lies in its folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from evaluator.data.datasets import FORMATS, Dataset, DatasetSource, read_dataset
from evaluator.data.tasks import get_task
from evaluator.measure.models.prepared import Prepared
from evaluator.measure.models.preparing import prepare_in_process
from evaluator.measure.models.pretrained import fetch
from evaluator.measure.models.shots import PROMPTED, with_examples
from evaluator.measure.models.transformers_causal import (
    NORMALISE,
    SCORING,
    USUAL_NEW_TOKENS,
    check_options,
    stop_strings,
)
from evaluator.measure.worker import Limits, ModelToLoad
from evaluator.records.base import digest
from evaluator.records.board import Boards, LimitSettings, ModelSpec
from evaluator.records.errors import UserError
from evaluator.records.references import PromptRecord, ShownExample
from evaluator.score.checking import folder_problem
from evaluator.score.examples import training_source


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
    return Prepared.existing(model.adapter, directory, model.options)


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
            check_options(options, directory or Path(), model.task, asked.labels)
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
    directory = root / model.directory if model.directory else None
    if directory and (problem := folder_problem(directory, boards, root, data)):
        raise UserError(f"models: {model.id}: directory", problem)
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
    prompt = check_options(options, directory or Path(), model.task, labels)
    train = boards.dataset(model.train[0]) if model.train else None
    shown = [ShownExample(inputs=dict(shot.inputs), answer=shot.answer) for shot in prompt.shots]
    # A label is chosen by its score, a text is written.
    settings = (
        {
            "scoring": options.get("scoring", SCORING[0]),
            "normalise": options.get("normalise", NORMALISE[0]),
        }
        if prompt.answers
        else {
            "scoring": "generation",
            "max_new_tokens": options.get("max_new_tokens", USUAL_NEW_TOKENS),
            "stop": stop_strings(options),
            "pattern": options.get("pattern"),
            "unanswerable": options.get("unanswerable", ""),
        }
    )
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
