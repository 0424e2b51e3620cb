"""A model's directory, what exactly it holds, and what makes one: recipes, and what they work from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evaluator.data.datasets import Dataset
from evaluator.data.tasks import get_task
from evaluator.measure.models import WITHOUT_DIRECTORY
from evaluator.measure.models.base import joined
from evaluator.records.base import digest, directory_files
from evaluator.records.errors import UserError


@dataclass(frozen=True)
class Prepared:
    """A model ready for `open_model`.

    `revision` is the canonical hash of adapter, options and the hash of every file. `details` says
    what a recipe made the model from: recipe, options, seed, training set, library versions, and
    ``origin``, where downloaded or packaged weights come from.
    """

    adapter: str
    directory: Path
    options: Mapping[str, Any]
    revision: str
    details: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def existing(cls, adapter: str, directory: Path | None, options: Mapping[str, Any]) -> Prepared:
        """A model as it is in `directory`, which only adapters that read none may leave out.

        Raises `UserError` if the directory is missing.
        """
        if directory is None and adapter not in WITHOUT_DIRECTORY:
            raise UserError("directory", "missing", f"the {adapter} adapter opens a model's directory")
        if directory is not None and not directory.is_dir():
            raise UserError(directory, "no such folder", "correct the model's directory")
        files = directory_files(directory) if directory is not None else {}
        revision = digest({"adapter": adapter, "options": dict(options), "files": files})
        return cls(adapter, directory or Path(), options, revision)


Options = Mapping[str, Any]


#: Receives how many steps are done, and how many there are.
ReportProgress = Callable[[int, int], None]


@dataclass(frozen=True)
class Training:
    """What a recipe works from: texts, the index of each text's label, and the labels.

    `examples` are the texts by input field, of the `dataset` of that id and its `task`; `source` is the
    folder of the model that a recipe makes another one of; `progress` is told of long work.
    """

    texts: list[str]
    gold: list[int]
    labels: tuple[str, ...]
    examples: tuple[Mapping[str, Any], ...] = ()
    dataset: str = ""
    task: str = ""
    source: Path | None = None
    progress: ReportProgress = lambda done, total: None

    @classmethod
    def of(
        cls, dataset: Dataset, source: Path | None = None, progress: ReportProgress = lambda done, total: None
    ) -> Training:
        """The texts and labels of a dataset; several input fields are one text with a line for each."""
        fields = get_task(dataset.task).fields
        texts = [joined(example, fields) for example in dataset.examples]
        gold = [dataset.labels.index(label) for label in dataset.gold]
        inputs = tuple({field: example[field] for field in fields} for example in dataset.examples)
        return cls(texts, gold, dataset.labels, inputs, dataset.id, dataset.task, source, progress)


@dataclass(frozen=True)
class Recipe:
    """A baseline: `build(training, options, seed, directory)` fills a directory for `adapter`.

    `build` returns where foreign weights came from, if there are any. `options` are the known options
    with their defaults, all of which decide the outcome; those in `serving` are passed on to the
    adapter. `packages` maps the import names of libraries that decide the outcome to their
    distributions; `inputs` says what else does. `fields` is the most input fields it can make use of,
    None for any number. One that works `from_directory` makes a model of another, in a folder that the board
    file names.
    """

    adapter: str
    build: Callable[[Training, Options, int, Path], Mapping[str, Any]]
    options: Options = field(default_factory=dict)
    serving: tuple[str, ...] = ()
    packages: Mapping[str, str] = field(default_factory=dict)
    inputs: Callable[[Options], Any] = lambda options: None
    trained: bool = True
    fields: int | None = 1
    from_directory: bool = False
