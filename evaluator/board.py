"""``board.toml``: which datasets, models, metrics, weights and caps make up a site's boards.

`load_boards` reads and checks the file; `assemble` lays stored results out as the cells of a board,
keeping apart what is not comparable (DESIGN, invariant 2).
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError, field_validator, model_validator

from evaluator.dynascore import default_weights
from evaluator.records import HUMAN, TIMING, ModelCard, Record, Result, Slug, Source, describe_errors

Weight = Annotated[float, Field(ge=0)]


class BoardError(ValueError):
    """A board.toml that cannot be read; the message names the file, the field, the value, the mend."""


class DatasetSpec(Record):
    """A dataset: what it is called and, unless all its numbers are reported ones, how to read it.

    `path` is relative to the data directory. `format` checks all of
    `columns`, `label_map`, `labels` and `options` when the dataset is read; `columns` map what the
    task needs to column names, or to 0-based numbers where the file has no header. `tags` are those of
    every example; `round` is one of them, and the number of the round in a dynamic benchmark. `suites`
    are the perturbations models are tried with; each gives a score of its name. `show_text` says that
    the texts may be published, `show_gold` that the gold labels may: with the site, example by example.
    """

    id: Slug = Field(description="its name in addresses, results and other tables")
    label: str = Field(description="its name for people")
    task: Slug = Field(description="one of the tasks; it decides what columns must hold")
    role: Literal["scoring", "evaluation", "training"] = Field(
        default="scoring",
        description="scoring: in the ranking; evaluation: shown, not ranked; training: for recipes only",
    )
    path: str | None = Field(
        default=None,
        description="its file, from the data folder; a format that fetches needs none",
    )
    format: str | None = Field(default=None, description="how the file is read; see the page on formats")
    columns: dict[str, str | int] = Field(
        default={},
        description="what the task needs = the file's column: a name or, without header, a number from 0",
    )
    label_map: dict[str, str] = Field(default={}, description="what the file says = the label it means")
    labels: tuple[str, ...] = Field(
        default=(),
        description="what a model may answer, in order; left out where the format or the task says it",
    )
    options: dict[str, Any] = Field(default={}, description="of the format")
    tags: dict[str, str] = Field(
        default={}, description="tags of every example; scores are given for each value of a tag"
    )
    round: Annotated[int, Field(ge=1)] | None = Field(
        default=None, description="which round of a dynamic benchmark it is; a tag, too"
    )
    suites: tuple[Slug, ...] = Field(
        default=(), description="the suites of perturbations that models are tried with"
    )
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")] | None = Field(
        default=None,
        description="64 hex digits that the file must hash to, so that nothing else is read by accident",
    )
    licence: str | None = Field(default=None, description="of the data, as shown")
    link: str | None = Field(default=None, description="where it can be had")
    citation: str | None = Field(default=None, description="how to cite it")
    show_text: bool = Field(default=False, description="whether its texts may be published with the site")
    show_gold: bool = Field(
        default=False, description="whether its gold labels may be published with the site"
    )

    @model_validator(mode="after")
    def _fits_together(self) -> DatasetSpec:
        if self.path is not None and self.format is None:
            raise ValueError("path: given, so format must be given too")
        if self.round is not None and "round" in self.tags:
            raise ValueError("tags.round: round is given too; leave one of them out")
        return self

    @property
    def readable(self) -> bool:
        """Whether it says how to read it, so that models can be measured on it."""
        return self.format is not None

    @property
    def all_tags(self) -> dict[str, str]:
        """The tags of every example, the round among them."""
        return self.tags | ({} if self.round is None else {"round": str(self.round)})


class SuiteSpec(Record):
    """A suite of perturbations that differs from the default one of its kind.

    `transformations` narrows it down by name; `options` are theirs, by name, such as severities.
    """

    id: Slug = Field(description="the name of the score it gives; datasets name it in suites")
    kind: Literal["robustness", "fairness", "placebo", "neutral"] = Field(description="what is perturbed")
    seed: Annotated[int, Field(ge=0)] = Field(default=0, description="of all its chances")
    transformations: tuple[str, ...] = Field(
        default=(), description="those it is narrowed down to; left out: all of its kind"
    )
    options: dict[str, Any] = Field(default={}, description="of its transformations, by their names")
    backend: Literal["steelyard", "textflint"] = Field(
        default="steelyard", description="what makes the variants; textflint is for robustness only"
    )


#: Suites that a dataset may name without a `SuiteSpec`.
DEFAULT_SUITES = {
    kind: SuiteSpec(id=kind, kind=kind) for kind in ("robustness", "fairness", "placebo", "neutral")
}


class ModelSpec(Record):
    """A model: made by a `recipe` from a training set, or opened by an `adapter`.

    With neither it is known by its predictions only; what is said of it here is
    shown with them. It is evaluated on all datasets of its task, or only on `datasets`.
    """

    id: Slug = Field(description="its name in addresses and results; human is taken")
    label: str = Field(description="its name for people")
    task: Slug = Field(description="it is evaluated on datasets of this task")
    recipe: str | None = Field(default=None, description="what makes it from the training set")
    train: Slug | None = Field(default=None, description="the dataset that the recipe learns from")
    seed: Annotated[int, Field(ge=0)] = Field(default=0, description="of the recipe")
    datasets: tuple[Slug, ...] = Field(
        default=(), description="the only datasets to evaluate it on; left out: all of its task"
    )
    adapter: str | None = Field(default=None, description="what opens a model that exists")
    directory: str | None = Field(
        default=None, description="the folder that the adapter opens, from the board file's own"
    )
    options: dict[str, Any] = Field(default={}, description="of the recipe or the adapter")
    card: ModelCard = Field(default=ModelCard(), description="what its author says of it")

    @model_validator(mode="after")
    def _one_origin(self) -> ModelSpec:
        if self.id == HUMAN:
            raise ValueError(f"id: {HUMAN!r} stands for people; choose another")
        if self.recipe is not None and self.adapter is not None:
            raise ValueError("recipe/adapter: give one of them, or none for a model known by predictions")
        return self

    @property
    def runs(self) -> bool:
        """Whether the model itself is at hand, not only its predictions."""
        return self.recipe is not None or self.adapter is not None


class PredictionsSpec(Record):
    """Predictions made elsewhere, for ``steelyard import-predictions``: one model's, or several models'.

    `path` is relative to the data directory. `model` names the model whose predictions they are; in
    its place `models` maps what the file's ``model`` column says to ids of models. `columns` and
    `label_map` are those of the command.
    """

    dataset: Slug = Field(description="the dataset that is answered")
    path: str = Field(description="the file, from the data folder")
    format: str | None = Field(
        default=None, description="csv, tsv, jsonl or json; left out: by the file's ending"
    )
    model: Slug | None = Field(default=None, description="whose predictions they are")
    models: dict[str, Slug] = Field(
        default={}, description="what the file's model column says = the model's id"
    )
    columns: dict[str, str] = Field(default={}, description="what is needed = the file's column")
    label_map: dict[str, str] = Field(default={}, description="what the file says = the label it means")
    source: Source | None = Field(default=None, description="where the predictions were published")

    @model_validator(mode="after")
    def _whose(self) -> PredictionsSpec:
        if (self.model is None) != bool(self.models):
            raise ValueError("model/models: give exactly one of them: whose predictions are these?")
        return self


class MetricSpec(Record):
    """A column: `cap` (or "max", the largest on the board) turns a cost into a good."""

    name: Slug = Field(description="throughput, memory, a suite's id or a metric of the task")
    label: str = Field(description="the column's heading")
    unit: str = Field(description="as it stands beside the heading")
    decimals: Annotated[int, Field(ge=0, le=6)] = Field(default=2, description="how many are shown")
    direction: Literal["higher", "lower"] = Field(
        default="higher", description="whether more or less of it is better"
    )
    cap: float | Literal["max"] | None = Field(
        default=None,
        description="of a cost: what it is taken from, in its unit, or max for the largest on the board",
    )
    description: str = Field(default="", description="a sentence for those who ask what it is")

    @model_validator(mode="after")
    def _cap_goes_with_costs(self) -> MetricSpec:
        if (self.direction == "lower") != (self.cap is not None):
            raise ValueError(
                'cap: a metric with direction "lower" needs one (a number or "max"), others none'
            )
        return self

    def for_ranking(self) -> dict[str, Any]:
        """The metric as `dynascore.Metric` takes it."""
        if self.direction == "higher":
            return {"name": self.name, "direction": 1, "offset": 0.0}
        return {"name": self.name, "direction": -1, "offset": None if self.cap == "max" else self.cap}


class Preset(Record):
    """Weights with a name, for visitors to start from."""

    name: Slug = Field(description="in addresses")
    label: str = Field(description="on the button")
    weights: dict[Slug, Weight] = Field(description="metric = weight; others weigh nothing")


class Board(Record):
    """One page: the models that have results on `datasets`, compared on `metrics`.

    `weights` and `dataset_weights` are the defaults; left out they are the paper's (one half on the
    base metric, the rest and the datasets equally). `missing` is the missing-value policy.
    """

    id: Slug = Field(description="the page's address")
    title: str = Field(description="the page's heading")
    summary: str = Field(default="", description="a sentence under it")
    task: Slug = Field(description="of all its datasets")
    base: Slug = Field(description="the metric that all others are converted to")
    datasets: Annotated[tuple[Slug, ...], Field(min_length=1)] = Field(
        description="those it shows; the scoring ones are ranked by"
    )
    metrics: Annotated[tuple[MetricSpec, ...], Field(min_length=1)] = Field(
        description="its columns, in order"
    )
    weights: dict[Slug, Weight] = Field(
        default={},
        description="metric = default weight; left out: half on the base metric, the rest shared equally",
    )
    dataset_weights: dict[Slug, Weight] = Field(
        default={}, description="dataset = default weight; left out: all the same"
    )
    presets: tuple[Preset, ...] = Field(default=(), description="named weights that visitors may choose")
    epsilon: Weight = Field(
        default=1e-4,
        description="neighbours closer than this in the base metric are left out of exchange rates",
    )
    epsilon_kind: Literal["relative", "absolute"] = Field(
        default="relative",
        description="relative: times the largest base value on the board; absolute: as it is",
    )
    missing: Literal["unranked", "worst"] = Field(
        default="unranked",
        description="a model without a number that has weight is not ranked, or counts as the worst there",
    )
    note: str | None = Field(default=None, description="what a reader has to know about the numbers")

    @model_validator(mode="after")
    def _names_exist(self) -> Board:
        names = [metric.name for metric in self.metrics]
        _check_known("base", [self.base], names)
        _check_known("weights", self.weights, names)
        _check_known("dataset_weights", self.dataset_weights, self.datasets)
        for preset in self.presets:
            _check_known(f"presets: {preset.name}: weights", preset.weights, names)
        return self


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
        return url if url is None or url.endswith("/") else f"{url}/"


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
    boards: Annotated[tuple[Board, ...], Field(min_length=1)] = Field(description="the pages, in order")

    @model_validator(mode="after")
    def _ids_fit(self) -> Boards:
        for what in ("datasets", "suites", "models", "boards"):
            _check_once(what, [entry.id for entry in getattr(self, what)])
        ids = [dataset.id for dataset in self.datasets]
        for board in self.boards:
            _check_known(f"boards: {board.id}: datasets", board.datasets, ids)
        for model in self.models:
            _check_known(f"models: {model.id}: train", [model.train] if model.train else [], ids)
            _check_known(f"models: {model.id}: datasets", model.datasets, ids)
        for dataset in self.datasets:
            _check_known(f"datasets: {dataset.id}: suites", dataset.suites, self.known_suites)
        for given in self.predictions:
            _check_known(f"predictions: {given.path}: dataset", [given.dataset], ids)
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
    try:
        return Boards.model_validate(document)
    except ValidationError as error:
        raise BoardError(describe_errors(error, str(path))) from None


@dataclass
class Entry:
    """One model on a board: its results by dataset, and why some cells are empty."""

    id: str
    label: str
    provenance: str
    results: dict[str, Result] = field(default_factory=dict)
    stale: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Assembled:
    """A board's cells. `data` is what `dynascore.Board.from_dict` takes; models are sorted by id.

    `people` are shown beside the models and never ranked. `solved` names, for each dataset on which
    there is a number for people, the models that reach it on the base metric.
    """

    board: Board
    data: dict[str, Any]
    entries: dict[str, Entry]
    metric_weights: dict[str, float]
    dataset_weights: dict[str, float]
    timestamp: str | None
    people: dict[str, Entry]
    solved: dict[str, tuple[str, ...]]


def assemble(board: Board, boards: Boards, results: Iterable[Result]) -> Assembled:
    """Lay out the results on this board's datasets as cells.

    A cell is left empty, and its model's entry says why, when the run failed or when the number is
    not comparable with the rest of its column (`comparability`): the key most results share, the
    newest of them on a tie, decides which ones are.
    """
    own = [r for r in results if r.task == board.task and r.dataset.id in board.datasets]
    entries = _entries(r for r in own if r.provenance != "human")
    people = _entries(r for r in own if r.provenance == "human")
    scoring = [d for d in board.datasets if boards.dataset(d).role == "scoring"]
    values = {
        dataset: {metric.name: _column(metric.name, dataset, entries) for metric in board.metrics}
        for dataset in board.datasets
    }
    data = {
        "models": list(entries),
        "metrics": [metric.for_ranking() for metric in board.metrics],
        "datasets": scoring,
        "values": values,
        "base": board.base,
        "epsilon": board.epsilon,
        "epsilon_kind": board.epsilon_kind,
        "missing": board.missing,
        "labels": {
            "models": {entry.id: entry.label for entry in entries.values()},
            "metrics": {metric.name: metric.label for metric in board.metrics},
        },
    }
    newest = max((result.created for result in own), default=None)
    dataset_weights = dict(board.dataset_weights) or dict.fromkeys(scoring, 1.0)
    solved = _solved(board, entries, people)
    return Assembled(board, data, entries, _metric_weights(board), dataset_weights, newest, people, solved)


def comparability(result: Result, metric: str) -> tuple[str | None, ...]:
    """What must be equal for two numbers to be ranked together (DESIGN, invariant 2)."""
    score = result.scores[metric]
    if result.provenance == "reported":
        return ("reported", result.source.citation if result.source else None)
    if metric in TIMING and result.measurement:
        machine = result.measurement.fingerprint.key
        return (result.dataset.revision, score.version, result.measurement.protocol, machine)
    return (result.dataset.revision, score.version)


def _metric_weights(board: Board) -> dict[str, float]:
    names = [metric.name for metric in board.metrics]
    return (
        {name: board.weights.get(name, 0.0) for name in names}
        if board.weights
        else default_weights(names, board.base)
    )


def _solved(
    board: Board, entries: Mapping[str, Entry], people: Mapping[str, Entry]
) -> dict[str, tuple[str, ...]]:
    """For each dataset with a number for people on the base metric, the models that reach it."""
    base = next(metric for metric in board.metrics if metric.name == board.base)
    sign = 1 if base.direction == "higher" else -1
    found = {}
    for person in people.values():
        for dataset, result in person.results.items():
            if base.name in result.scores:
                mark, key = sign * result.scores[base.name].value, comparability(result, base.name)
                found[dataset] = tuple(
                    id_
                    for id_, entry in entries.items()
                    if base.name in _scores(entry, dataset)
                    and comparability(entry.results[dataset], base.name) == key
                    and sign * entry.results[dataset].scores[base.name].value >= mark
                )
    return found


def _entries(results: Iterable[Result]) -> dict[str, Entry]:
    entries: dict[str, Entry] = {}
    for result in sorted(results, key=lambda r: (r.model.id, r.dataset.id)):
        new = Entry(result.model.id, result.model.label, result.provenance)
        entry = entries.setdefault(result.model.id, new)
        entry.results[result.dataset.id] = result
        if result.status == "failed":
            entry.failures += [f"{result.dataset.id}: {f.message}" for f in result.failures]
    return entries


def _column(metric: str, dataset: str, entries: Mapping[str, Entry]) -> list[float | None]:
    found = {id_: e.results[dataset] for id_, e in entries.items() if metric in _scores(e, dataset)}
    keys = {id_: comparability(result, metric) for id_, result in found.items()}
    reference = _reference_key(keys, found)
    column: list[float | None] = []
    for id_, entry in entries.items():
        comparable = id_ in keys and keys[id_] == reference
        column.append(found[id_].scores[metric].value if comparable else None)
        if id_ in keys and not comparable:
            entry.stale.append(_stale(metric, dataset, found[id_]))
    return column


def _scores(entry: Entry, dataset: str) -> Mapping[str, Any]:
    return entry.results[dataset].scores if dataset in entry.results else {}


def _reference_key(
    keys: Mapping[str, tuple[str | None, ...]], found: Mapping[str, Result]
) -> tuple[str | None, ...] | None:
    counts = Counter(keys.values())
    newest = {key: max(found[id_].created for id_ in keys if keys[id_] == key) for key in counts}
    return max(counts, key=lambda key: (counts[key], newest[key], str(key)), default=None)


def _stale(metric: str, dataset: str, result: Result) -> str:
    kind = "on another machine or by another protocol" if metric in TIMING else "on other data"
    if metric in result.suites:
        kind = "with another suite of that name"
    if result.provenance == "reported":
        kind = "by another source"
    return f"{metric} on {dataset} was measured {kind} than the other models'; evaluate it again"


def _check_known(where: str, names: Iterable[str], known: Iterable[str]) -> None:
    known = list(known)
    for name in names:
        if name not in known:
            raise ValueError(f"{where}: {name!r} is none of {', '.join(known) or '(none)'}")


def _check_once(what: str, ids: list[str]) -> None:
    twice = sorted(id_ for id_, count in Counter(ids).items() if count > 1)
    if twice:
        raise ValueError(f"{what}: id {twice[0]!r} is used more than once; ids must differ")
