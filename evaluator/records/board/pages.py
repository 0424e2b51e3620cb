"""A page of ``board.toml``: its metrics, weights and presets, and what its models are ranked by."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from evaluator.records.amounts import Amount, amount
from evaluator.records.base import TIMING, Record, Slug
from evaluator.records.board.mistakes import FieldPlace, MisfitError, check_known, check_once

Weight = Annotated[float, Field(ge=0)]
Year = Annotated[int, Field(ge=1950, le=2100)]
#: Folders of the site beside those of boards, whose ids are addresses, too.
RESERVED = ("assets", "runtime", "scorer", "method", "schemas", "snapshots")


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
