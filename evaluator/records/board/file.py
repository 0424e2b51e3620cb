"""The whole of ``board.toml``: settings, and its tables (`specs`, `pages`), read and checked."""

from __future__ import annotations

import datetime
import json
import tomllib
from collections.abc import Container, Iterable, Mapping, Sequence
from pathlib import Path
from posixpath import normpath
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError, field_validator, model_validator

from evaluator.records.base import Record, Slug, check_link
from evaluator.records.board.criteria import CRITERIA
from evaluator.records.board.endpoints import EndpointSpec, PriceSpec
from evaluator.records.board.imports import ImportSpec
from evaluator.records.board.mistakes import FieldPlace, MisfitError, check_known, check_once, mistakes
from evaluator.records.board.pages import BoardSpec, MetricSpec
from evaluator.records.board.score import SCORE
from evaluator.records.board.specs import (
    DEFAULT_SUITES,
    CheckpointSpec,
    CollectSpec,
    DatasetSpec,
    ModelSpec,
    PredictionsSpec,
    SuiteSpec,
)
from evaluator.records.errors import UserError, name_problem, same_as, same_names
from evaluator.records.result import Result

#: The recipe of the model that answers the most frequent label always.
MAJORITY = "majority"


class MeasureSettings(Record):
    """How long and how often each model is timed, and with how many threads."""

    threads: Annotated[int, Field(ge=1)] = Field(
        default=1, description="threads that a model may use, and CPUs it is pinned to"
    )
    repeats: Annotated[int, Field(ge=1)] = Field(
        default=6, description="the least blocks of a model, each in a process of its own"
    )
    seconds: Annotated[float, Field(gt=0)] = Field(
        default=60.0,
        description="the most seconds for a model, beyond asking all examples once; blocks are added until"
        " its blocks agree within 3.5 %, or until then",
    )
    isolation: Literal["best", "required"] = Field(
        default="best",
        description="best: models are isolated by what works on this machine, which results say;"
        " required: evaluate refuses where something does not",
    )


class LimitSettings(Record):
    """What a model may use before it is stopped: seconds, and bytes as GB = 10**9."""

    load_s: Annotated[float, Field(gt=0)] = Field(default=300.0, description="seconds to load")
    request_s: Annotated[float, Field(gt=0)] = Field(default=30.0, description="seconds for one answer")
    memory_gb: Annotated[float, Field(gt=0)] = Field(
        default=16.0, description="GB of 10**9 bytes that all its processes may have together"
    )


class SiteSpec(Record):
    """Where the site is published, which links from elsewhere need, where its files are, and their licence.

    `url` ends in a slash, which is added where the file leaves it out.
    """

    url: Annotated[str, Field(pattern=r"^https?://[^\s?#\"'<>]+$")] | None = Field(
        default=None,
        description="the address the site will have; for the sitemap, pictures for links and full links",
    )
    source: Annotated[str, Field(pattern=r"^https?://[^\s\"'<>]+$")] | None = Field(
        default=None,
        description="where board file, data and results are kept, such as the page of a git repository",
    )
    licence: str | None = Field(default=None, description="of the numbers, such as CC-BY-4.0")
    browser_models: tuple[Slug, ...] = Field(
        default=(),
        description="models that visitors may try in their browser; the site then has their weights",
    )

    @field_validator("source")
    @classmethod
    def _address(cls, source: str | None) -> str | None:
        return None if source is None else check_link(source)

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
    quality: dict[Slug, str] = Field(
        default={}, description="criterion of the page on quality = how all boards meet it, as for a board"
    )
    results: str = Field(default="results", description="where results lie, relative to board.toml")
    data: str = Field(".", description="where dataset paths start, relative to board.toml")
    measure: MeasureSettings = Field(default=MeasureSettings(), description="how models are timed")
    limits: LimitSettings = Field(default=LimitSettings(), description="what models may use")
    slurm: dict[str, Any] = Field(
        default={},
        description="options of dask_jobqueue.SLURMCluster, such as queue, cores and walltime, for"
        " evaluate --cluster slurm:JOBS",
    )
    datasets: tuple[DatasetSpec, ...] = Field(default=(), description="the data")
    suites: tuple[SuiteSpec, ...] = Field(
        default=(), description="suites of perturbations that differ from the default ones"
    )
    models: tuple[ModelSpec, ...] = Field(
        default=(), description="the models that are run, and cards of others"
    )
    endpoints: tuple[EndpointSpec, ...] = Field(default=(), description="addresses at which models are asked")
    prices: tuple[PriceSpec, ...] = Field(
        default=(), description="what tokens of models behind endpoints cost, where no list says it right"
    )
    predictions: tuple[PredictionsSpec, ...] = Field(
        default=(), description="predictions made elsewhere, to be imported"
    )
    imports: tuple[ImportSpec, ...] = Field(
        default=(), description="files of results, and what their columns are, to be imported"
    )
    checkpoints: tuple[CheckpointSpec, ...] = Field(
        default=(), description="the weights of metrics that ask a network"
    )
    collect: tuple[CollectSpec, ...] = Field(
        default=(), description="what people write to fool the models, for rounds of a dynamic benchmark"
    )
    boards: Annotated[tuple[BoardSpec, ...], Field(min_length=1)] = Field(description="the pages, in order")

    @model_validator(mode="after")
    def _ids_fit(self) -> Boards:
        for what in ("datasets", "suites", "models", "endpoints", "collect", "boards"):
            ids = [entry.id for entry in getattr(self, what)]
            check_once((what,), ids)
            for number, id_ in enumerate(ids):
                _check_names((what, number, "id"), ids[:number], [id_])
        check_once(("checkpoints",), [checkpoint.metric for checkpoint in self.checkpoints], "metric")
        ids = [dataset.id for dataset in self.datasets]
        for place, board in enumerate(self.boards):
            check_known(("boards", place, "datasets"), board.datasets, ids)
            for number, other in enumerate(board.compare_with):
                check_known(("boards", place, "compare_with", number, "dataset"), [other.dataset], ids)
        check_once(("site", "browser_models"), self.site.browser_models)
        check_known(("site", "browser_models"), self.site.browser_models, [model.id for model in self.models])
        for place, model in enumerate(self.models):
            check_known(("models", place, "train"), model.train, ids)
            check_known(("models", place, "datasets"), model.datasets, ids)
            if model.was in [other.id for other in self.models]:
                problem = (
                    f"{model.was!r} is the id of a model of the file; name the one that this model had before"
                )
                raise MisfitError(("models", place, "was"), problem)
        former = [model.was for model in self.models if model.was is not None]
        check_once(("models",), former, "was")
        for place, one in enumerate(self.collect):
            check_known(("collect", place, "board"), [one.board] if one.board else [], self._board_ids)
        for place, dataset in enumerate(self.datasets):
            check_known(("datasets", place, "suites"), dataset.suites, self.known_suites)
        for place, read in enumerate(self.imports):
            named = [
                *([read.dataset] if read.dataset else []),
                *(read.datasets.ids if read.datasets else {}).values(),
            ]
            check_known(("imports", place, "dataset"), named, ids)
        answered: dict[tuple[str, str], int] = {}
        for place, given in enumerate(self.predictions):
            check_known(("predictions", place, "dataset"), [given.dataset], ids)
            _check_names(("predictions", place), [model.id for model in self.models], given.whose)
            for model_id in given.whose:
                if (given.dataset, model_id) in answered:
                    first = answered[given.dataset, model_id]
                    problem = f"predictions[{first}] has answers of {model_id!r} to {given.dataset!r} already"
                    raise MisfitError(("predictions", place), f"{problem}; keep one of them")
                answered[given.dataset, model_id] = place
        return self

    @model_validator(mode="after")
    def _endpoints_exist(self) -> Boards:
        ids = [endpoint.id for endpoint in self.endpoints]
        for place, price in enumerate(self.prices):
            check_known(("prices", place, "endpoint"), [price.endpoint], ids)
        for place, model in enumerate(self.models):
            named = model.options.get("endpoint") if model.is_remote else None
            check_known(("models", place, "options", "endpoint"), [named] if named else [], ids)
        return self

    @property
    def _board_ids(self) -> list[str]:
        return [board.id for board in self.boards]

    @model_validator(mode="after")
    def _loops_run(self) -> Boards:
        """The models in the loop of a collection answer, and are of its task."""
        for place, one in enumerate(self.collect):
            able = [model.id for model in self.models if model.runs and model.task == one.task]
            check_known(("collect", place, "models"), one.models, able)
            if one.site and not set(one.models) & set(self.site.browser_models):
                fix = "name one of them there, then run: steelyard check --browser"
                problem = f"none of its models, {', '.join(one.models)}, is in [site] browser_models; {fix}"
                raise MisfitError(("collect", place, "site"), problem)
        return self

    @model_validator(mode="after")
    def _tasks_fit(self) -> Boards:
        for place, board in enumerate(self.boards):
            if board.task is not None:
                self._check_task(("boards", place, "datasets"), board.task, board.datasets)
            for dataset in map(self.dataset, board.datasets):
                if dataset.role == "training":
                    what = f"{dataset.id!r} is for training only, so nothing is measured on it"
                    raise MisfitError(
                        ("boards", place, "datasets"), f"{what}; name others, or give it another role"
                    )
            scoring = [name for name in board.datasets if self.dataset(name).role == "scoring"]
            if board.dataset_weights and not any(board.dataset_weights.get(name) for name in scoring):
                what = f"no dataset that is ranked by, {', '.join(scoring)}, has a weight"
                raise MisfitError(("boards", place, "dataset_weights"), f"{what}; give one of them a weight")
        for place, model in enumerate(self.models):
            if model.task:
                self._check_task(("models", place, "datasets"), model.task, model.datasets)
                self._check_task(("models", place, "train"), model.task, model.train)
        return self

    @model_validator(mode="after")
    def _criteria_exist(self) -> Boards:
        known = [criterion.id for criterion in CRITERIA]
        check_known(("quality",), self.quality, known)
        for place, board in enumerate(self.boards):
            check_known(("boards", place, "quality"), board.quality, known)
        return self

    @model_validator(mode="after")
    def _floors_exist(self) -> Boards:
        for place, board in enumerate(self.boards):
            if board.floor is not None and self.floor_of(board) is None:
                known = [MAJORITY, *(model.id for model in self._present(board))]
                check_known(("boards", place, "floor"), [board.floor], known)
                fix = f"give the board's task a model of that recipe, or name one of {', '.join(known[1:])}"
                tasks = " or ".join(self.tasks_of(board))
                raise MisfitError(
                    ("boards", place, "floor"), f"no model of {tasks} has the recipe {MAJORITY!r}; {fix}"
                )
        return self

    def floor_of(self, board: BoardSpec) -> str | None:
        """The id of the model that a board's models must beat on the base metric, if there is one."""
        models = self._present(board)
        named = [model.id for model in models if model.id == board.floor]
        made = [model.id for model in models if board.floor == model.recipe == MAJORITY]
        return next(iter(named + made), None)

    def _present(self, board: BoardSpec) -> list[ModelSpec]:
        """The models of a board's tasks that were not removed."""
        tasks = self.tasks_of(board)
        return [one for one in self.models if one.removed is None and any(map(one.is_of, tasks))]

    def _check_task(self, place: FieldPlace, task: str, datasets: Sequence[str]) -> None:
        for dataset in map(self.dataset, datasets):
            if dataset.task != task:
                fix = f"give datasets of the task {task}"
                raise MisfitError(place, f"{dataset.id!r} is of the task {dataset.task}; {fix}")

    @model_validator(mode="after")
    def _nothing_is_learnt_by_heart(self) -> Boards:
        """A model that has seen the right answers of what it is asked is not measured."""
        for place, model in enumerate(self.models):
            for train in map(self.dataset, model.train):
                if model.adapter is not None:
                    self._check_shown(place, train)
                for asked in self.datasets_for(model):
                    self._check_unseen(place, train, asked)
        return self

    def _check_unseen(self, place: int, train: DatasetSpec, asked: DatasetSpec) -> None:
        if _is_same_data(train, asked):
            what = "the same dataset" if train is asked else f"the same file as {train.id!r}"
            fix = "train on other data, or name other datasets for this model"
            raise MisfitError(("models", place, "train"), f"it is evaluated on {asked.id!r}, {what}; {fix}")

    def _check_shown(self, place: int, train: DatasetSpec) -> None:
        """Raise `MisfitError` unless prompts may show examples of `train`: no model is asked about it."""
        fix = "name a dataset with the role training, and a file of its own"
        if train.role != "training":
            problem = f"{train.id!r} has the role {train.role}, and prompts show no example of such; {fix}"
            raise MisfitError(("models", place, "train"), problem)
        for other in self.datasets:
            if other.role != "training" and _is_same_data(train, other):
                problem = (
                    f"{train.id!r} is the same file as {other.id!r}, which has the role {other.role}; {fix}"
                )
                raise MisfitError(("models", place, "train"), problem)

    def datasets_for(self, model: ModelSpec) -> list[DatasetSpec]:
        """The datasets that a model is evaluated on, if it runs."""
        return [
            one
            for one in self.datasets
            if model.runs
            and one.readable
            and one.role != "training"
            and one.task == model.task
            and one.id in (model.datasets or (one.id,))
        ]

    def dataset(self, dataset_id: str) -> DatasetSpec:
        """The dataset with that id (KeyError when there is none)."""
        return {dataset.id: dataset for dataset in self.datasets}[dataset_id]

    def endpoint(self, endpoint_id: str) -> EndpointSpec | None:
        """The endpoint with that id; None where there is none."""
        return next((one for one in self.endpoints if one.id == endpoint_id), None)

    def splits_of(self, dataset_id: str) -> list[str]:
        """The tags that boards split a dataset by."""
        tags = (board.split for board in self.boards if board.split and dataset_id in board.datasets)
        return list(dict.fromkeys(tags))

    @property
    def by_group(self) -> list[tuple[str, list[BoardSpec]]]:
        """The boards by the headings that they are listed under, those without one first."""
        found: dict[str, list[BoardSpec]] = {"": []}
        for board in self.boards:
            found.setdefault(board.group, []).append(board)
        return [(heading, boards) for heading, boards in found.items() if boards]

    def tasks_of(self, board: BoardSpec) -> tuple[str, ...]:
        """The tasks of a board's datasets, in their order."""
        return tuple(dict.fromkeys(self.dataset(name).task for name in board.datasets))

    def holds(self, board: BoardSpec, result: Result) -> bool:
        """Whether a result is on one of a board's datasets."""
        name = result.dataset.id
        return name in board.datasets and result.task == self.dataset(name).task

    def metrics_of(self, dataset_id: str) -> list[str]:
        """The names of all metrics that boards with this dataset show, or make their score of; none where the
        file does not have the dataset."""
        shown = [
            metric.name for board in self.boards if dataset_id in board.datasets for metric in board.metrics
        ]
        main = self.dataset(dataset_id).main_metric if SCORE in shown else None
        return list(dict.fromkeys([*shown, *([main] if main else [])]))

    def metric_of(self, dataset_id: str, name: str) -> MetricSpec | None:
        """A metric of a dataset as the first board that shows it says; None where none does.

        The main one of a dataset that boards show by their score alone is as its table says.
        """
        shown = (metric for board in self.boards if dataset_id in board.datasets for metric in board.metrics)
        found = next((metric for metric in shown if metric.name == name), None)
        return found or (_main(self.dataset(dataset_id)) if name in self.metrics_of(dataset_id) else None)

    @property
    def known_suites(self) -> dict[str, SuiteSpec]:
        """The suites datasets may name: the default ones and those of the file."""
        return DEFAULT_SUITES | {suite.id: suite for suite in self.suites}

    def suites_of(self, dataset_id: str) -> list[SuiteSpec]:
        """The suites that a dataset's models are tried with."""
        return [self.known_suites[name] for name in self.dataset(dataset_id).suites]

    def skipping_malformed(self, datasets: Container[str]) -> Boards:
        """The same, with the malformed rows of these datasets left out by whatever reads them."""
        specs = [
            one.model_copy(update={"skip_malformed": True}) if one.id in datasets else one
            for one in self.datasets
        ]
        return self.model_copy(update={"datasets": tuple(specs)})

    def model(self, model_id: str) -> ModelSpec | None:
        """The model with that id, None where the file does not have it."""
        return {model.id: model for model in self.models}.get(model_id)


def _main(spec: DatasetSpec) -> MetricSpec:
    """The main metric of a dataset as its table says: in per cent, or from the worst to the best value."""
    name = spec.main_metric or SCORE
    if spec.range is None:
        return MetricSpec(name=name, label=name, unit="%")
    low, high = sorted(spec.range)
    # A mean may have any scale; that of an example is known where it is a share.
    bounds = (low, high) if (low, high) in ((0.0, 1.0), (0.0, 100.0)) else None
    lower: dict[str, Any] = {"direction": "lower", "cap": "max"} if spec.range[0] > spec.range[1] else {}
    return MetricSpec(name=name, label=name, unit="", range=bounds, **lower)


def load_boards(path: Path) -> Boards:
    """Read and check a board.toml. Raises `UserError`."""
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UserError(
            f"{path}: no such file; run from the folder with board.toml or pass --board"
        ) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: not valid TOML: {error}") from None
    except RecursionError:
        raise UserError(f"{path}: not valid TOML: brackets are nested too deeply; correct the file") from None
    try:
        # As JSON, since only there lists are what strict types take for tuples.
        return Boards.model_validate_json(json.dumps(_dated(document), default=_no_date), strict=True)
    except ValidationError as error:
        raise UserError(mistakes(error, Boards, document, str(path))) from None
    except _DateError as error:
        raise UserError(f"{path}: {error.args[0]} is a date or a time; write it as text, in quotes") from None


class _DateError(ValueError):
    """A kind of value that TOML has and no table of a board file takes there."""


def _dated(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """The document with the days on which models were removed, TOML's own dates, as text."""
    models = document.get("models")
    for model in models if isinstance(models, list) else ():
        removed = model.get("removed") if isinstance(model, dict) else None
        if isinstance(removed, dict) and type(removed.get("date")) is datetime.date:
            removed["date"] = removed["date"].isoformat()
    return document


def _no_date(value: Any) -> None:
    raise _DateError(str(value))


def _check_names(place: FieldPlace, others: Sequence[str], ids: Iterable[str]) -> None:
    """Raise `MisfitError` unless every file system can have files of these names beside the others."""
    for id_ in ids:
        if problem := name_problem(id_):
            raise MisfitError(place, problem)
        for first, second in same_names([*others, id_]):
            raise MisfitError(place, f"{second!r} {same_as(first)}")


def _is_same_data(one: DatasetSpec, other: DatasetSpec) -> bool:
    """Whether two tables read the same examples: the same part of the same file."""
    if one.id == other.id:
        return True
    if one.path is None or other.path is None:
        return (one.path, one.format, one.options) == (other.path, other.format, other.options)
    return normpath(one.path) == normpath(other.path) and one.options == other.options
