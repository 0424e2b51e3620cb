"""The tables of ``board.toml``: datasets, suites, models, predictions, checkpoints, boards, collections."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from evaluator.records.amounts import Amount, amount
from evaluator.records.base import CANONICAL, HUMAN, TIMING, Count, Link, Record, Slug
from evaluator.records.board.endpoints import ENDPOINT, asked_facts
from evaluator.records.board.mistakes import FieldPlace, MisfitError, check_known, check_once
from evaluator.records.references import ModelCard, Removal, Source


class CollectedSpec(Record):
    """How a dataset was collected from people who tried to fool models.

    Of `tries`, `fooled` fooled a model in the loop, and `validated` of these were confirmed by others.
    """

    tries: Annotated[int, Field(ge=1)] = Field(description="texts that were written")
    fooled: Count = Field(description="those that fooled a model in the loop")
    validated: Count = Field(description="those of them that validators confirmed")
    writers: Annotated[int, Field(ge=1)] = Field(description="people who wrote")
    validators: Annotated[int, Field(ge=1)] = Field(description="people who validated")
    annotators: str = Field(
        default="", description="who they are, if not people as the word is meant; pages say it in its place"
    )

    @model_validator(mode="after")
    def _add_up(self) -> CollectedSpec:
        if not self.validated <= self.fooled <= self.tries:
            raise ValueError("validated/fooled/tries: each must be part of the next; correct the numbers")
        return self


#: Two texts whose token F1 is under this, as a share of 1, do not say the same.
UNLIKE = 0.4


class CollectSpec(Record):
    """A collection: people write texts, the models in the loop answer at once, others validate.

    A model is fooled where its answer is not the writer's: another label, or a text whose token F1 with the
    writer's is under `UNLIKE`.
    """

    id: Slug = Field(description="its name in commands and folders")
    label: str = Field(description="its name for people")
    task: Slug = Field(description="one of the tasks; it decides what is written")
    labels: tuple[str, ...] = Field(
        default=(), description="what may be answered, in order; left out: the task's first labels"
    )
    models: Annotated[tuple[Slug, ...], Field(min_length=1)] = Field(
        description="the models in the loop, which answer every try"
    )
    goal: str = Field(description="what writers are asked to do, in a sentence")
    prompts: str | None = Field(
        default=None, description="a file of prompts or contexts, JSON lines, from the data folder"
    )
    tries: Annotated[int, Field(ge=1)] = Field(
        default=10, description="how often one writer may try each prompt"
    )
    reason: bool = Field(default=False, description="whether writers say why the model was fooled")
    responses: Annotated[int, Field(ge=2)] = Field(
        default=3, description="how many validators must have answered before a try can be kept"
    )
    gold_questions: str | None = Field(
        default=None,
        description="a file of questions with known answers, JSON lines, that validators get, too",
    )
    board: Slug | None = Field(default=None, description="the board that its rounds join; left out: none")
    site: bool = Field(
        default=False,
        description="whether the board's site has a page on which visitors write, for the models of"
        " [site] browser_models; its prompts are then published",
    )
    licence: str = Field(description="under which the writers give their texts, such as CC0-1.0")
    annotators: str = Field(
        default="",
        description="who writers and validators are, such as the students of a class; left out: people",
    )

    @model_validator(mode="after")
    def _fits_together(self) -> CollectSpec:
        check_once(("models",), self.models, key="")
        if self.site and self.board is None:
            raise MisfitError(("site",), "it has no board whose site could have its page; give it a board")
        return self


Weight = Annotated[float, Field(ge=0)]
Year = Annotated[int, Field(ge=1950, le=2100)]
#: Folders of the site beside those of boards, whose ids are addresses, too.
RESERVED = ("assets", "runtime", "scorer", "method", "schemas", "snapshots")


class DatasetFile(Record):
    """How the file of a dataset is read.

    `format` checks all of `columns`, `label_map`, `labels` and `options` when the dataset is read; `columns`
    map what the task needs to column names, or to numbers from 0 where the file has no header.
    """

    path: str | None = Field(
        default=None, description="its file, from the data folder; a format that fetches needs none"
    )
    format: str | None = Field(default=None, description="how the file is read; see the page on formats")
    columns: dict[str, str | int] = Field(
        default={},
        description="what the task needs = the file's column: a name or, without header, a number from 0",
    )
    label_map: dict[str, str] = Field(
        default={},
        description='what the file says = the label it means, or "" where it means that there is no label:'
        " such rows are left out, counted",
    )
    skip_malformed: bool = Field(
        default=False,
        description="whether malformed rows are left out, counted, instead of refused; so, too, where"
        " evaluate --skip-malformed left some out",
    )
    labels: tuple[str, ...] = Field(
        default=(),
        description="what a model may answer, in order; left out where the format or the task says it",
    )
    options: dict[str, Any] = Field(default={}, description="of the format")
    cluster: str | int | None = Field(
        default=None,
        description="the file's column that says what each example is from, such as a passage or a writer:"
        " examples with the same value are no independent evidence of how sure a rank is",
    )
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")] | None = Field(
        default=None,
        description="64 hex digits that the file must hash to, so that nothing else is read by accident",
    )

    @model_validator(mode="after")
    def _has_format(self) -> Self:
        if self.path is not None and self.format is None:
            raise MisfitError(("path",), "given, so format must be given too")
        return self

    @property
    def readable(self) -> bool:
        """Whether it says how to read it, so that models can be measured on it."""
        return self.format is not None


class DatasetSpec(DatasetFile):
    """A dataset: what it is called and, unless all its numbers are reported ones, how to read it.

    `tags` are those of every example; `round` is one of them, and the number of the round in a dynamic
    benchmark. `suites` are the perturbations models are tried with; each gives a score of its name.
    `show_text` says that the texts may be published, `show_gold` that the gold labels may: with the site,
    example by example.
    """

    id: Slug = Field(description="its name in addresses, results and other tables")
    label: str = Field(description="its name for people")
    task: Slug = Field(description="one of the tasks; it decides what columns must hold")
    role: Literal["scoring", "evaluation", "training"] = Field(
        default="scoring",
        description="scoring: in the ranking; evaluation: shown, not ranked; training: for recipes, and for"
        " examples in prompts",
    )
    tags: dict[str, str] = Field(
        default={}, description="tags of every example; scores are given for each value of a tag"
    )
    round: Annotated[int, Field(ge=1)] | None = Field(
        default=None, description="which round of a dynamic benchmark it is; a tag, too"
    )
    collected: CollectedSpec | None = Field(
        default=None, description="how it was collected; steelyard collect freeze writes it"
    )
    main: Slug | None = Field(
        default=None,
        description="the metric by which it counts in a board's score; left out: the task's canonical one",
    )
    range: tuple[float, float] | None = Field(
        default=None,
        description="the worst and the best value of its main metric, 0 and 100 in a board's score; left out:"
        " its numbers are in per cent already",
    )
    suites: tuple[Slug, ...] = Field(
        default=(), description="the suites of perturbations that models are tried with"
    )
    licence: str | None = Field(default=None, description="of the data, as shown")
    link: Link | None = Field(default=None, description="where it can be had")
    citation: str | None = Field(default=None, description="how to cite it")
    show_text: bool = Field(default=False, description="whether its texts may be published with the site")
    show_gold: bool = Field(
        default=False, description="whether its gold labels may be published with the site"
    )

    @model_validator(mode="after")
    def _is_clear(self) -> Self:
        if self.round is not None and "round" in self.tags:
            raise MisfitError(("tags", "round"), "round is given too; leave one of them out")
        if self.range is not None and self.range[0] == self.range[1]:
            raise MisfitError(("range",), "the worst and the best value are the same; give them apart")
        return self

    @property
    def main_metric(self) -> str | None:
        """The metric by which it counts in a board's score; None where neither it nor its task says so."""
        return self.main or CANONICAL.get(self.task)

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


def _listed(given: object) -> object:
    """One name as a list of names."""
    return (given,) if isinstance(given, str) else tuple(given) if isinstance(given, list) else given


class ModelSpec(Record):
    """A model: made by a `recipe` from a training set, or opened by an `adapter`.

    An adapter that reads prompts may draw examples for them from a training set, too. With neither the
    model is known by its predictions only; what is said of it here is
    shown with them. It is evaluated on all datasets of its task, or only on `datasets`.
    """

    id: Slug = Field(description="its name in addresses and results; human is taken")
    was: Slug | None = Field(
        default=None, description="the id that it had before, whose results evaluate moves to this one"
    )
    label: str = Field(description="its name for people")
    task: Slug = Field(
        default="",
        description="it is evaluated on datasets of this task; one that is known by its numbers only, on"
        " datasets of several, has none",
    )
    recipe: str | None = Field(default=None, description="what makes it from the training set")
    train: Annotated[tuple[Slug, ...], BeforeValidator(_listed)] = Field(
        default=(),
        description="the dataset that the recipe learns from, or a list of several; or the one that the"
        " examples of a prompt are drawn from",
    )
    seed: Annotated[int, Field(ge=0)] = Field(
        default=0, description="of the recipe, or of the drawing of examples"
    )
    datasets: tuple[Slug, ...] = Field(
        default=(), description="the only datasets to evaluate it on; left out: all of its task"
    )
    adapter: str | None = Field(default=None, description="what opens a model that exists")
    directory: str | None = Field(
        default=None,
        description="the folder that the adapter opens, or that the recipe onnx exports, from the board"
        " file's own",
    )
    options: dict[str, Any] = Field(default={}, description="of the recipe or the adapter")
    card: ModelCard = Field(default=ModelCard(), description="what its author says of it")
    removed: Removal | None = Field(
        default=None,
        description="that it was removed: it is neither run nor ranked, and its boards say when and why",
    )

    @model_validator(mode="after")
    def _one_origin(self) -> ModelSpec:
        if self.id == HUMAN:
            raise MisfitError(("id",), f"{HUMAN!r} stands for people; choose another")
        if self.recipe is not None and self.adapter is not None:
            raise ValueError("recipe/adapter: give one of them, or none for a model known by predictions")
        if self.adapter is not None and len(self.train) > 1:
            raise MisfitError(("train",), "a prompt's examples are drawn from one dataset; name one")
        check_once(("train",), self.train, key="")
        if not self.task and (self.recipe is not None or self.adapter is not None or self.datasets):
            raise ValueError("task: missing; a model that is run needs one")
        return self

    @model_validator(mode="after")
    def _asked_as(self) -> ModelSpec:
        """What an endpoint is asked with is a fact of the card, unless that says it itself."""
        if self.is_remote:
            said = {**asked_facts(self.options), **self.card.model_dump(exclude_none=True)}
            # Records are frozen, but this one is not made yet.
            object.__setattr__(self, "card", ModelCard(**said))
        return self

    def is_of(self, task: str) -> bool:
        """Whether it may have results on datasets of a task."""
        return self.task in ("", task)

    @property
    def is_remote(self) -> bool:
        """Whether it is behind an endpoint: it is never timed, and asked outside the sandbox."""
        return self.adapter == ENDPOINT

    @property
    def runs(self) -> bool:
        """Whether the model itself is at hand, not only its predictions, and was not removed."""
        return self.removed is None and (self.recipe is not None or self.adapter is not None)


class PredictionsSpec(Record):
    """Predictions made elsewhere, for ``steelyard import``: one model's, or several models'.

    `path` is relative to the data directory. `model` names the model whose predictions they are; in
    its place `models` maps what the file's ``model`` column says to ids of models. Without both, all
    that the column says are models. `columns`, `label_map` and `accept_differences` are those of the command.
    """

    dataset: Slug = Field(description="the dataset that is answered")
    path: str = Field(description="the file, from the data folder")
    model: Slug | None = Field(default=None, description="whose predictions they are")
    models: dict[str, Slug] = Field(
        default={},
        description="what the file's model column says = the model's id; without it and model, all that it"
        " says are models",
    )
    columns: dict[str, str] = Field(
        default={}, description="what is needed = the file's column; trial tells several runs apart"
    )
    values: dict[Slug, str] = Field(
        default={}, description="a board's metric = the file's column with a number beside each answer"
    )
    label_map: dict[str, str] = Field(default={}, description="what the file says = the label it means")
    no_answer: str | None = Field(
        default=None, description="a second file: how likely each question has no answer (SQuAD v2's na_prob)"
    )
    accept_differences: bool = Field(
        default=False, description="whether labels are taken most of which are not the most probable class"
    )
    source: Source | None = Field(default=None, description="where the predictions were published")

    @model_validator(mode="after")
    def _whose(self) -> PredictionsSpec:
        if self.model is not None and self.models:
            raise ValueError("model/models: give one of them: whose predictions are these?")
        return self

    @property
    def whose(self) -> list[str]:
        """The ids of the models whose predictions they are, as far as the board file says it."""
        return list(self.models.values()) if self.model is None else [self.model]


class CheckpointSpec(Record):
    """The weights that a metric reads: a folder's, or those of a model of the hub at a pinned commit.

    `path` is relative to the board file. Nothing is fetched: a model must be in the machine's cache.
    """

    metric: Slug = Field(description="the metric's name, such as bertscore")
    path: str | None = Field(
        default=None, description="the folder with the weights, from the board file's own"
    )
    model: str | None = Field(default=None, description="or a model's name on the hub")
    revision: Annotated[str, Field(pattern=r"^[0-9a-f]{40}$")] | None = Field(
        default=None, description="its full 40-digit commit hash, which a model needs"
    )
    options: dict[str, Any] = Field(default={}, description="of the metric, such as layer; see its page")

    @model_validator(mode="after")
    def _one_place(self) -> CheckpointSpec:
        if (self.path is None) == (self.model is None):
            raise ValueError("path/model: give exactly one of them: where are the weights?")
        if (self.model is None) != (self.revision is None):
            raise MisfitError(
                ("revision",), "goes with model, which may change without it; give the full commit hash"
            )
        return self


class TrialsSpec(Record):
    """A metric of several trials of each example, which another metric has right or wrong.

    Of so many that are drawn from those there are, `all` are right (pass^k), or one of `any` (pass@k).
    """

    of: Slug = Field(description="the metric that says of each trial whether it is right")
    all: Annotated[int, Field(ge=1)] | None = Field(
        default=None, description="how many trials must all be right, as pass^k counts"
    )
    any: Annotated[int, Field(ge=1)] | None = Field(
        default=None, description="of how many trials one at least must be right, as pass@k counts"
    )

    @model_validator(mode="after")
    def _one_kind(self) -> TrialsSpec:
        if (self.all is None) == (self.any is None):
            raise ValueError("all/any: give exactly one of them: how many trials, and which must be right?")
        return self

    @property
    def drawn(self) -> int:
        """How many trials are drawn."""
        return self.all or self.any or 1

    @property
    def words(self) -> str:
        """Which trials of what, such as ``all 4 of solved``."""
        return f"{'any' if self.all is None else 'all'} {self.drawn} of {self.of}"


class MetricSpec(Record):
    """A column: `cap` (or "max", the largest on the board) turns a cost into a good."""

    name: Slug = Field(
        description="throughput, memory, a suite's id, a metric of the task, or score: the mean of the"
        " datasets' main metrics"
    )
    label: str = Field(
        description="the column's heading; Fairness is shown as what was made of the texts: Gender swaps"
    )
    unit: str = Field(description="as it stands beside the heading")
    decimals: Annotated[int, Field(ge=0, le=6)] = Field(default=2, description="how many are shown")
    direction: Literal["higher", "lower"] = Field(
        default="higher", description="whether more or less of it is better"
    )
    cap: float | Literal["max"] | None = Field(
        default=None,
        description="of a cost: what it is taken from, in its unit, or max for the largest on the board",
    )
    range: tuple[float, float] | None = Field(
        default=None,
        description="the least and the most that a value of one example can be, in its unit; left out: 0 to"
        " 100 where the unit is %",
    )
    trials: TrialsSpec | None = Field(
        default=None,
        description="of a metric of several trials of each example, pass^k or pass@k: of how many, by what",
    )
    description: str = Field(default="", description="a sentence for those who ask what it is")

    @model_validator(mode="after")
    def _trials_are_shares(self) -> MetricSpec:
        if self.trials and (self.unit != "%" or self.direction != "higher" or self.range):
            raise MisfitError(("trials",), 'are a share of examples: give unit = "%", no direction, no range')
        return self

    @model_validator(mode="after")
    def _cap_goes_with_costs(self) -> MetricSpec:
        if (self.direction == "lower") != (self.cap is not None):
            raise MisfitError(
                ("cap",), 'a metric with direction "lower" needs one (a number or "max"), others none'
            )
        return self

    @model_validator(mode="after")
    def _range_goes_up(self) -> MetricSpec:
        if self.range is not None and not self.range[0] < self.range[1]:
            raise MisfitError(("range",), "the least comes first, and the most is more; correct it")
        return self

    @property
    def bounds(self) -> tuple[float, float] | None:
        """The least and the most that a value of one example can be, where that is known."""
        return self.range or ((0.0, 100.0) if self.unit == "%" else None)

    @property
    def written(self) -> dict[str, Any]:
        """The metric as a board file has it: name, label and unit, and what is not left out."""
        said = self.model_dump(exclude_defaults=True, exclude_none=True, mode="json")
        return {"name": self.name, "label": self.label, "unit": self.unit, **said}

    def for_ranking(self) -> dict[str, Any]:
        """The metric as `dynascore.RankedMetric` takes it."""
        about = {"name": self.name, "unit": self.unit}
        if self.direction == "higher":
            return {**about, "direction": 1, "offset": 0.0}
        return {**about, "direction": -1, "offset": None if self.cap == "max" else self.cap}


class Preset(Record):
    """Weights with a name, for visitors to start from."""

    name: Slug = Field(description="in addresses")
    label: str = Field(description="on the button")
    weights: dict[Slug, Weight] = Field(description="metric = weight; others weigh nothing")


class ComparedResultsSpec(Record):
    """Results on another dataset, shown next to a board's own numbers, model by model, and not ranked."""

    dataset: Slug = Field(description="the dataset whose results they are, of any task")
    models: Annotated[dict[Slug, Slug], Field(min_length=1)] = Field(
        description="the board's model = the other result's"
    )


class RankingTerms(Record):
    """What the models of a board are ranked by.

    `weights` and `dataset_weights` are the defaults; left out they are the paper's (one half on the
    base metric, the rest and the datasets equally). `missing` is the missing-value policy.
    """

    base: Slug = Field(description="the metric that all others are converted to")
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
    epsilon: Weight = Field(
        default=1e-4,
        description="neighbours closer than this in the base metric are left out of exchange rates",
    )
    epsilon_kind: Literal["relative", "absolute"] = Field(
        default="relative",
        description="relative: times the largest base value on the board; absolute: as it is",
    )
    rate: Literal["mean", "ratio"] = Field(
        default="mean",
        description="exchange rates are the mean of the pairs' slopes, or the ratio of sums of differences",
    )
    by: Literal["dynascore", "mean", "trades"] = Field(
        default="dynascore",
        description="models are ranked by the Dynascore; by the plain weighted mean, if all metrics with"
        " weight are in one unit; or by the trade-offs of trades; visitors may choose another",
    )
    trades: dict[Slug, Amount] = Field(
        default={},
        description='metric = how much of it one unit of the base metric is worth, such as 0.1, "100 MB" or'
        ' "10 %" of its value; metrics without one do not count where models are ranked by trade-offs',
    )
    missing: Literal["unranked", "worst"] = Field(
        default="unranked",
        description="a model without a number that has weight is not ranked, or counts as the worst there",
    )
    correlation: Literal["any", "positive"] = Field(
        default="any",
        description="how numbers published without examples may vary together, for rank sets from their"
        " standard errors or from n: in any way, or never against one another, which makes sets narrower",
    )
    floor: Slug | None = Field(
        default=None,
        description="the model that others must beat on the base metric, or majority for the one of that"
        " recipe; those that do not are ranked last; left out: nobody is",
    )

    @property
    def declared_trades(self) -> dict[str, float | str]:
        """The trade-offs as `dynascore.Board` takes them, in the units of the metrics."""
        units = {metric.name: metric.unit for metric in self.metrics}
        return {name: amount(given, units[name]) for name, given in self.trades.items()}


class BoardSpec(RankingTerms):
    """One page: the models that have results on `datasets`, compared on `metrics`."""

    id: Slug = Field(description="the page's address")
    title: str = Field(description="the page's heading, best the question that its ranking answers")
    summary: str = Field(default="", description="a sentence under it")
    group: str = Field(
        default="",
        description="a heading under which the first page and the menu list it, after the boards without one",
    )
    models_from: tuple[Year, Year] | None = Field(
        default=None, description="years in which the first and the last of its models were published"
    )
    task: Slug | None = Field(
        default=None, description="of all its datasets; left out: these say it, and may be of several"
    )
    datasets: Annotated[tuple[Slug, ...], Field(min_length=1)] = Field(
        description="those it shows; the scoring ones are ranked by"
    )
    groups: dict[str, tuple[Slug, ...]] = Field(
        default={},
        description="what some of its datasets are together, as people call it = these datasets; each group,"
        " and each dataset in none, has the same default weight, which its datasets share",
    )
    split: Slug | None = Field(
        default=None,
        description="a tag of the examples, such as a subject or a date, whose values visitors weigh as they"
        " weigh datasets; its metrics must be means over examples",
    )
    presets: tuple[Preset, ...] = Field(default=(), description="named weights that visitors may choose")
    compare_with: tuple[ComparedResultsSpec, ...] = Field(
        default=(),
        description="results elsewhere, such as reported ones, to compare the columns of the same name with",
    )
    note: str | None = Field(default=None, description="what a reader has to know about the numbers")
    quality: dict[Slug, str] = Field(
        default={},
        description="criterion of the page on quality = how this board meets it, where files do not show it;"
        " steelyard check --quality lists the criteria",
    )

    @model_validator(mode="after")
    def _names_exist(self) -> BoardSpec:
        if self.id in RESERVED:
            raise MisfitError(("id",), f"the site has a folder of the name {self.id!r}; choose another id")
        names = [metric.name for metric in self.metrics]
        check_once(("metrics",), names, "name")
        check_once(("presets",), [preset.name for preset in self.presets], "name")
        check_once(("datasets",), self.datasets, "")
        check_once(("compare_with",), [other.dataset for other in self.compare_with], "dataset")
        check_known(("base",), [self.base], names)
        single = {metric.name: metric for metric in self.metrics if metric.trials is None}
        for place, metric in enumerate(self.metrics):
            if metric.trials:
                where: FieldPlace = ("metrics", place, "trials", "of")
                check_known(where, [metric.trials.of], single)
                if single[metric.trials.of].direction == "lower":
                    raise MisfitError(
                        where, "is a cost, of which more is not right; name one that is better higher"
                    )
        timed = [name for name in names if self.split and name in TIMING]
        if timed:
            problem = f"{timed[0]} has no value for an example, so that no part of a dataset has one"
            raise MisfitError(("split",), f"{problem}; leave it out of the metrics, or split out")
        check_known(("weights",), self.weights, names)
        check_known(("dataset_weights",), self.dataset_weights, self.datasets)
        for group, datasets in self.groups.items():
            check_known(("groups", group), datasets, self.datasets)
        check_once(("groups",), [name for datasets in self.groups.values() for name in datasets], "")
        _check_weights(("weights",), self.weights)
        units = dict.fromkeys(
            m.unit or "no unit" for m in self.metrics if self.weights.get(m.name, not self.weights)
        )
        if self.by == "mean" and len(units) > 1:
            problem = f"a plain mean takes one unit, and the metrics with weight are in {' and '.join(units)}"
            raise MisfitError(("by",), f"{problem}; give weight to those of one unit, or leave by out")
        self._check_trades(names)
        for place, preset in enumerate(self.presets):
            check_known(("presets", place, "weights"), preset.weights, names)
            _check_weights(("presets", place, "weights"), preset.weights)
        return self

    def _check_trades(self, names: list[str]) -> None:
        check_known(("trades",), self.trades, names)
        if self.base in self.trades:
            problem = "is the base metric, of which one unit is what the others are worth; leave it out"
            raise MisfitError(("trades", self.base), problem)
        for metric in self.metrics:
            if metric.name in self.trades:
                try:
                    amount(self.trades[metric.name], metric.unit)
                except ValueError as error:
                    raise MisfitError(("trades", metric.name), str(error)) from None
        if self.by == "trades" and not self.trades:
            problem = 'by = "trades" takes some, such as trades = { memory = "100 MB" }; give them'
            raise MisfitError(("trades",), problem)


def _check_weights(place: FieldPlace, weights: Mapping[str, float]) -> None:
    if weights and not any(weights.values()):
        raise MisfitError(place, "all are 0, so that nothing would be ranked; give one metric a weight")
