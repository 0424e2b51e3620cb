"""What `evaluate` would refuse about the models of a board file. None is opened, and nothing is fetched."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from evaluator.data.datasets import Dataset
from evaluator.measure.models import ADAPTERS
from evaluator.measure.models.prepared import WITHOUT_DIRECTORY
from evaluator.measure.models.preparing import check_recipe
from evaluator.measure.models.pretrained import FROM_HUB, check_pinned
from evaluator.measure.models.recipes import RECIPES
from evaluator.measure.models.shots import PROMPTED, with_examples
from evaluator.measure.models.transformers_causal import check_options
from evaluator.records.board import Boards, ModelSpec
from evaluator.records.errors import UserError, did_you_mean
from evaluator.score.checking import folder_problem


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
            check_options(options, folder, model.task, asked.labels)
