"""The whole of ``board.toml``: settings, and the tables of `evaluator.board.specs`, read and checked."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

from pydantic import Field, ValidationError, field_validator, model_validator

from evaluator.board.specs import (
    DEFAULT_SUITES,
    BoardSpec,
    DatasetSpec,
    ModelSpec,
    PredictionsSpec,
    SuiteSpec,
    check_known,
)
from evaluator.records import Record, check_link, describe_errors, name_problem, same_as, same_names


class BoardError(ValueError):
    """A board.toml that cannot be read; the message names the file, the field, the value and the fix."""


class MeasureSettings(Record):
    """How long and how often each model is timed, and with how many threads."""

    threads: Annotated[int, Field(ge=1)] = Field(
        default=1, description="threads that a model may use, and CPUs it is pinned to"
    )
    repeats: Annotated[int, Field(ge=1)] = Field(
        default=3, description="timing passes, each in a process of its own"
    )
    min_requests: Annotated[int, Field(ge=1)] = Field(default=200, description="the least requests in a pass")
    min_duration_s: Annotated[float, Field(gt=0)] = Field(
        default=5.0, description="the least seconds of a pass"
    )


class LimitSettings(Record):
    """What a model may use before it is stopped: seconds, and bytes as GB = 10**9."""

    load_s: Annotated[float, Field(gt=0)] = Field(default=300.0, description="seconds to load")
    request_s: Annotated[float, Field(gt=0)] = Field(default=30.0, description="seconds for one answer")
    total_s: Annotated[float, Field(gt=0)] = Field(
        default=3600.0, description="seconds for the whole life of one process of its"
    )
    memory_gb: Annotated[float, Field(gt=0)] = Field(
        default=16.0, description="GB of 10**9 bytes that all its processes may have together"
    )


class SiteSpec(Record):
    """Where the site is published, which links from elsewhere need, and the licence of its numbers.

    `url` ends in a slash, which is added where the file leaves it out.
    """

    url: Annotated[str, Field(pattern=r"^https?://[^\s?#\"'<>]+$")] | None = Field(
        default=None,
        description="the address the site will have; for the sitemap, pictures for links and full links",
    )
    licence: str | None = Field(default=None, description="of the numbers, such as CC-BY-4.0")

    @field_validator("url")
    @classmethod
    def _folder(cls, url: str | None) -> str | None:
        if url is None:
            return None
        return check_link(url if url.endswith("/") else f"{url}/")


class Boards(Record):
    """The whole of board.toml."""

    title: str = Field(description="the site's name")
    site: SiteSpec = Field(default=SiteSpec(), description="where it is published")
    results: str = Field(default="results", description="where results lie, relative to board.toml")
    data: str = Field(".", description="where dataset paths start, relative to board.toml")
    measure: MeasureSettings = Field(default=MeasureSettings(), description="how models are timed")
    limits: LimitSettings = Field(default=LimitSettings(), description="what models may use")
    datasets: tuple[DatasetSpec, ...] = Field(default=(), description="the data")
    suites: tuple[SuiteSpec, ...] = Field(
        default=(), description="suites of perturbations that differ from the default ones"
    )
    models: tuple[ModelSpec, ...] = Field(
        default=(), description="the models that are run, and cards of others"
    )
    predictions: tuple[PredictionsSpec, ...] = Field(
        default=(), description="predictions made elsewhere, to be imported"
    )
    boards: Annotated[tuple[BoardSpec, ...], Field(min_length=1)] = Field(description="the pages, in order")

    @model_validator(mode="after")
    def _ids_fit(self) -> Boards:
        for what in ("datasets", "suites", "models", "boards"):
            _check_ids(what, [entry.id for entry in getattr(self, what)])
        ids = [dataset.id for dataset in self.datasets]
        for board in self.boards:
            check_known(f"boards: {board.id}: datasets", board.datasets, ids)
        for model in self.models:
            check_known(f"models: {model.id}: train", [model.train] if model.train else [], ids)
            check_known(f"models: {model.id}: datasets", model.datasets, ids)
        for dataset in self.datasets:
            check_known(f"datasets: {dataset.id}: suites", dataset.suites, self.known_suites)
        for given in self.predictions:
            check_known(f"predictions: {given.path}: dataset", [given.dataset], ids)
        imported = [name for given in self.predictions for name in given.whose]
        _check_names("models", dict.fromkeys([*(model.id for model in self.models), *imported]))
        return self

    def dataset(self, dataset_id: str) -> DatasetSpec:
        """The dataset with that id (KeyError when there is none)."""
        return {dataset.id: dataset for dataset in self.datasets}[dataset_id]

    def metrics_of(self, dataset_id: str) -> list[str]:
        """The names of all metrics that boards with this dataset show."""
        shown = (
            metric.name for board in self.boards if dataset_id in board.datasets for metric in board.metrics
        )
        return list(dict.fromkeys(shown))

    @property
    def known_suites(self) -> dict[str, SuiteSpec]:
        """The suites datasets may name: the default ones and those of the file."""
        return DEFAULT_SUITES | {suite.id: suite for suite in self.suites}

    def suites_of(self, dataset_id: str) -> list[SuiteSpec]:
        """The suites that a dataset's models are tried with."""
        return [self.known_suites[name] for name in self.dataset(dataset_id).suites]

    def model(self, model_id: str) -> ModelSpec | None:
        """The model with that id, None where the file does not have it."""
        return {model.id: model for model in self.models}.get(model_id)


def load_boards(path: Path) -> Boards:
    """Read and check a board.toml. Raises `BoardError`."""
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise BoardError(
            f"{path}: no such file; run from the folder with board.toml or pass --board"
        ) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BoardError(f"{path}: not valid TOML: {error}") from None
    except RecursionError:
        raise BoardError(
            f"{path}: not valid TOML: brackets are nested too deeply; correct the file"
        ) from None
    try:
        return Boards.model_validate(document)
    except ValidationError as error:
        raise BoardError(describe_errors(error, str(path))) from None


def _check_ids(what: str, ids: list[str]) -> None:
    twice = sorted(id_ for id_, count in Counter(ids).items() if count > 1)
    if twice:
        raise ValueError(f"{what}: id {twice[0]!r} is used more than once; ids must differ")
    _check_names(what, ids)


def _check_names(what: str, ids: Iterable[str]) -> None:
    """Raise ValueError unless ids can be names of files beside one another everywhere."""
    ids = list(ids)
    for problem in filter(None, map(name_problem, ids)):
        raise ValueError(f"{what}: id: {problem}")
    for first, second in same_names(ids):
        raise ValueError(f"{what}: id: {second!r} {same_as(first)}")
