"""What is kept about a dataset, beside the results on it.

Its examples, the suites of perturbations made of it, how values vary with its examples, and how difficult
these are.
"""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints, model_validator

from evaluator.rank.prices import TokenKind
from evaluator.records.base import (
    SCHEMA_VERSION,
    Count,
    Digest,
    Record,
    Share,
    Slug,
    Version,
    digest,
    is_empty,
)
from evaluator.records.references import DatasetRef, ModelRef, Source, encoder_name


class Examples(Record):
    """The examples of a dataset in their order. ``results/<task>/<dataset>/<revision>.examples.json``.

    Joined with a `PredictionSet` by `ids_sha256`: row n of its columns is about ``ids[n]``. Ids are the
    dataset's own, or row numbers, and hold no text. `texts` are how they begin, and only where the
    dataset's texts may be published; so are `tags`, by which a page can list them. `gold` holds indices
    into `labels`, and only where the gold labels may be published. Where these are coarser than what
    models answer, `merge` says as which of them each answer counts. Of the task "scored" this is all that
    is known: ids, `tags` and `clusters`, which came with the values.
    """

    schema_version: Version = Field(default=SCHEMA_VERSION, description="of this record")
    kind: Literal["examples"] = Field(default="examples", description="which record this is")
    task: Slug = Field(description="the task")
    dataset: Slug = Field(description="the dataset's id")
    revision: Digest = Field(description="which examples")
    ids: Annotated[tuple[str, ...], Field(min_length=1)] = Field(description="their ids, in order")
    labels: tuple[str, ...] = Field(default=(), exclude_if=is_empty, description="what gold points into")
    merge: dict[str, str] = Field(
        default={},
        exclude_if=is_empty,
        description="an answer = the gold label it counts as, where these are coarser",
    )
    gold: tuple[Count, ...] | None = Field(
        default=None, description="the gold labels, as places in labels; null: not published"
    )
    texts: tuple[str, ...] | None = Field(
        default=None, description="the beginning of each example's texts; null: not published"
    )

    tags: dict[str, tuple[str, ...]] = Field(
        default={},
        exclude_if=is_empty,
        description="each tag = its value on each example, empty where it has none; only beside texts, or"
        " values",
    )
    clusters: tuple[Count, ...] = Field(
        default=(),
        exclude_if=is_empty,
        description="the number of each example's group, where some share a source",
    )
    same_text: bool = Field(
        default=False,
        exclude_if=is_empty,
        description="whether the groups are rows of the same text, which nobody declared",
    )

    @property
    def repeats(self) -> tuple[int, int]:
        """How many rows have the text of another, and how many texts these are."""
        sizes = [size for size in Counter(self.clusters).values() if size > 1] if self.same_text else []
        return sum(sizes), len(sizes)

    @property
    def ids_sha256(self) -> str:
        """What predictions of these examples have under that name."""
        return digest(list(self.ids))

    @model_validator(mode="after")
    def _gold_fits(self) -> Examples:
        if len(set(self.ids)) < len(self.ids):
            [(twice, _)] = Counter(self.ids).most_common(1)
            raise ValueError(f"ids: {twice!r} is there more than once")
        if self.gold is not None and len(self.gold) != len(self.ids):
            raise ValueError(f"gold: {len(self.gold)} values for {len(self.ids)} examples")
        if self.texts is not None and len(self.texts) != len(self.ids):
            raise ValueError(f"texts: {len(self.texts)} values for {len(self.ids)} examples")
        for tag, values in self.tags.items():
            if len(values) != len(self.ids):
                raise ValueError(f"tags.{tag}: {len(values)} values for {len(self.ids)} examples")
        if self.clusters and len(self.clusters) != len(self.ids):
            raise ValueError(f"clusters: {len(self.clusters)} values for {len(self.ids)} examples")
        for index, value in enumerate(self.gold or ()):
            if value >= len(self.labels):
                raise ValueError(f"gold[{index}]: {value} is not an index into {self.labels}")
        for answer, label in self.merge.items():
            if label not in self.labels:
                raise ValueError(f"merge.{answer}: {label!r} is none of {self.labels}")
        return self


class Made(Record):
    """What became of a dataset's examples under one transformation."""

    made: Count = Field(description="variants")
    unchanged: Count = Field(description="variants that came out equal to their original, left out")
    not_applicable: Count = Field(description="examples without anything to change")
    undecided: Count = Field(
        default=0,
        exclude_if=is_empty,
        description="examples left out because their text does not show what a word is",
    )


class Sample(Record):
    """A variant to look at: one field before and after."""

    transformation: Slug = Field(description="which one")
    example: str = Field(description="its id")
    field: str = Field(description="which of its fields")
    before: str = Field(description="the original's text")
    after: str = Field(description="the variant's text")


class SuiteCard(Record):
    """A suite of perturbations as it was made of a dataset. ``results/<task>/<dataset>/<name>.suite.json``.

    `samples` are there only where the dataset's licence lets its text be shown.
    """

    schema_version: Version = Field(default=SCHEMA_VERSION, description="of this record")
    kind: Literal["suite"] = Field(default="suite", description="which record this is")
    task: Slug = Field(description="the task")
    dataset: DatasetRef = Field(description="which examples")
    name: Slug = Field(description="the suite's id in board.toml")
    suite: Digest = Field(description="hash of spec, seed and dataset revision")
    suite_kind: str = Field(description="robustness, fairness, placebo or neutral")
    seed: int = Field(description="of the suite")
    spec: dict[str, Any] = Field(
        description="what decided the variants: transformations, versions, options, sources"
    )
    variants: Count = Field(description="how many there are")
    rows: tuple[Count, ...] = Field(
        default=(),
        exclude_if=is_empty,
        description="which example each variant is of, counted from 0",
    )
    transformations: dict[Slug, Made] = Field(description="what each made of the examples")
    samples: tuple[Sample, ...] = Field(
        default=(), exclude_if=is_empty, description="some variants to look at"
    )
    tool: str = Field(description="name and version of what wrote this file")

    @model_validator(mode="after")
    def _rows_fit(self) -> SuiteCard:
        if len(self.rows) != self.variants:
            raise ValueError(f"rows: has {len(self.rows)} for {self.variants} variants; restore the file")
        return self


class MetricPair(Record):
    """Of two metrics, or one with itself: the covariances of the differences between models."""

    first: Slug = Field(description="a metric")
    second: Slug = Field(description="another, or the same")
    step: Annotated[float, Field(ge=0)] = Field(description="what a part is worth, in the metrics' units")
    parts: tuple[int, ...] = Field(
        description="for each pair of models (i, j) with j < i, at i (i - 1) / 2 + j: the covariance of the"
        " differences of their two values, in steps"
    )


class CrossedPair(Record):
    """The covariances of the values of two models: of a kind of tokens, or the cost, with another number."""

    first: TokenKind | Literal["cost"] = Field(description="a kind of tokens, or cost")
    second: Slug = Field(description="a kind of tokens, or a metric")
    step: Annotated[float, Field(ge=0)] = Field(description="what a part is worth, in the numbers' units")
    parts: tuple[int, ...] = Field(
        description="for each two of M models (i, j), at i M + j: the covariance of the first number of i"
        " with the second of j, in steps; 0 where one is not known"
    )


class TokenUse(Record):
    """What answers took in tokens, so that they can be priced again: all by kind, in the order of models.

    Kinds are tokens that were sent, but for those that the server had kept from before; these; and those
    that were written.
    """

    mean: dict[TokenKind, tuple[float | None, ...]] = Field(description="per answer; null: not known")
    most: dict[TokenKind, tuple[float | None, ...]] = Field(description="of one answer")
    without: tuple[str | None, ...] = Field(
        description="hash of the examples of which they are not known, as means of other examples do not"
        " compare; empty: known of all"
    )
    crossed: tuple[CrossedPair, ...] = Field(description="how they vary with one another, and with metrics")


class Covariances(Record):
    """How values vary with examples. ``results/<task>/<dataset>/<revision>.covariances.json``.

    They are of the differences between models, which answer the same examples, and say nothing about single
    examples: gold labels stay where they are. Of metrics that are right or wrong on an example, counts say
    it all: how often a model is right, and how often just one of two is.
    """

    schema_version: Version = Field(default=SCHEMA_VERSION, description="of this record")
    kind: Literal["covariances"] = Field(default="covariances", description="which record this is")
    task: Slug = Field(description="the task")
    dataset: Slug = Field(description="the dataset's id")
    revision: Digest = Field(description="which examples")
    examples: Annotated[int, Field(ge=1)] = Field(description="how many there are")
    clusters: Annotated[int, Field(ge=1)] = Field(
        description="independent units: the examples, or the groups of them that share a source"
    )
    sources: Digest | None = Field(
        default=None,
        description="hash of which examples belong to which group; left out where each is on its own",
    )
    models: dict[Slug, Digest] = Field(
        description="whom this is about, in the order of the numbers = canonical hash of the hashes of the"
        " predictions that it is from"
    )
    versions: dict[Slug, str] = Field(description="the metrics = the version of each")
    unit: dict[Slug, Annotated[float, Field(gt=0)]] = Field(
        description="by metric: what one example can move the value by, times their number"
    )
    right: dict[Slug, tuple[Count, ...]] = Field(
        default={}, exclude_if=is_empty, description="by metric: the examples that each model has right"
    )
    apart: dict[Slug, tuple[Count, ...]] = Field(
        default={},
        exclude_if=is_empty,
        description="by metric: the examples that just one of two models has right, by pair",
    )
    bias: dict[Slug, tuple[Annotated[float, Field(ge=0)], ...]] = Field(
        default={},
        exclude_if=is_empty,
        description="by metric: how much too high the value of each model may be by chance alone",
    )
    scarce: dict[Slug, Annotated[int, Field(ge=0)]] = Field(
        default={},
        exclude_if=is_empty,
        description="by metric that needs two kinds of examples: the independent units of the scarcer",
    )
    own: dict[Slug, tuple[Annotated[float, Field(ge=0)], ...]] = Field(
        default={},
        exclude_if=is_empty,
        description="by metric that some model has of several runs: the variance that each model's value has"
        " because whole runs differ, in the metric's unit squared",
    )
    within: dict[Slug, tuple[Share, ...]] = Field(
        default={},
        exclude_if=is_empty,
        description="by metric that some model has of several runs: the share of the variance of each model's"
        " value that is its own, on the same examples; 0 of one run",
    )
    pairs: tuple[MetricPair, ...] = Field(
        default=(), exclude_if=is_empty, description="of the metrics that counts do not describe, and of two"
    )
    unknown: dict[Slug, dict[Slug, str]] = Field(
        default={}, exclude_if=is_empty, description="by metric: the models that have no values, and why"
    )
    tokens: TokenUse | None = Field(
        default=None, exclude_if=is_empty, description="what answers took, on boards that show what they cost"
    )

    @model_validator(mode="after")
    def _sizes_fit(self) -> Covariances:
        models = len(self.models)
        sizes = [(f"right.{name}", len(column), models) for name, column in self.right.items()]
        sizes += [(f"bias.{name}", len(column), models) for name, column in self.bias.items()]
        sizes += [(f"own.{name}", len(column), models) for name, column in self.own.items()]
        sizes += [(f"within.{name}", len(column), models) for name, column in self.within.items()]
        couples = models * (models - 1) // 2
        sizes += [(f"apart.{name}", len(column), couples) for name, column in self.apart.items()]
        sizes += [(f"pairs.{at}.parts", len(pair.parts), couples) for at, pair in enumerate(self.pairs)]
        if self.tokens:
            for what, of in (("mean", self.tokens.mean), ("most", self.tokens.most)):
                sizes += [(f"tokens.{what}.{kind}", len(column), models) for kind, column in of.items()]
            sizes.append(("tokens.without", len(self.tokens.without), models))
            crossed = enumerate(self.tokens.crossed)
            sizes += [(f"tokens.crossed.{at}", len(pair.parts), models * models) for at, pair in crossed]
        for name, found, wanted in sizes:
            if found != wanted:
                raise ValueError(f"{name}: {found} numbers, but {models} models take {wanted}")
        for name in {
            *self.right,
            *self.apart,
            *self.unit,
            *self.bias,
            *self.own,
            *self.within,
            *self.scarce,
            *self.unknown,
        } - self.versions.keys():
            raise ValueError(f"versions: {name!r} is missing")
        seen = set()
        for at, pair in enumerate(self.pairs):
            names = frozenset((pair.first, pair.second))
            for name in names - self.versions.keys():
                raise ValueError(f"pairs.{at}: {name!r} is none of the metrics of versions")
            if names in seen:
                raise ValueError(f"pairs.{at}: {pair.first} and {pair.second} are there twice")
            seen.add(names)
        return self


class TagPart(Record):
    """The examples with one value of a tag, or with one of several: means of models, and how they vary."""

    values: Annotated[tuple[str, ...], Field(min_length=1)] = Field(
        description="of the tag; empty: examples without it"
    )
    means: dict[Slug, tuple[float | None, ...]] = Field(
        description="by metric: of each model, in the order of varies; null: not known"
    )
    varies: Covariances = Field(description="how these means vary with the examples of the part")

    @model_validator(mode="after")
    def _means_fit(self) -> TagPart:
        for name, column in self.means.items():
            if len(column) != len(self.varies.models):
                raise ValueError(f"means.{name}: {len(column)} for {len(self.varies.models)} models")
        return self


class TagParts(Record):
    """A dataset in parts by a tag's values. ``results/<task>/<dataset>/<revision>.parts-<tag>.json``."""

    schema_version: Version = Field(default=SCHEMA_VERSION, description="of this record")
    kind: Literal["parts"] = Field(default="parts", description="which record this is")
    task: Slug = Field(description="the task")
    dataset: Slug = Field(description="the dataset's id")
    revision: Digest = Field(description="which examples")
    tag: Slug = Field(description="the tag")
    parts: Annotated[tuple[TagPart, ...], Field(min_length=1)] = Field(
        description="together all examples, in the order in which they are shown"
    )


#: A WOOD percentage as a key: over 0 and up to 100, with up to three decimals, the last of them not 0.
Percent = Annotated[str, StringConstraints(pattern=r"^(100|[1-9]\d?|(0|[1-9]\d?)\.\d{0,2}[1-9])$")]
#: Names that a difficulty cannot have: the models' own confidence, and the file of all numbers.
TAKEN = ("wmprob", "table")


class Difficulty(Record):
    """How easy each example is. ``results/<task>/<dataset>/<revision>.difficulty-<name>.json``.

    Row n is about the n-th of the `Examples` with the same `ids_sha256`; 1 is the easiest, null: no value.
    `spec` has everything that decides the values, so equal specs give equal bytes. WOOD has a column for
    each percentage of the training set instead of `values`. (Mishra & Arunkumar 2021, "How Robust are
    Model Rankings".)
    """

    schema_version: Version = Field(default=SCHEMA_VERSION, description="of this record")
    kind: Literal["difficulty"] = Field(default="difficulty", description="which record this is")
    task: Slug = Field(description="the task")
    dataset: Slug = Field(description="the dataset's id")
    revision: Digest = Field(description="which examples")
    ids_sha256: Digest = Field(description="canonical hash of the list of example ids, in order")
    name: Slug = Field(description="of the source, and of the score it gives")
    algorithm: Literal["wsbias-1", "wsbias-2", "wood", "imported"] = Field(description="what made the values")
    spec: dict[str, Any] = Field(
        description="what decided the values: encoder, similarity, seed, options, libraries, training set"
    )
    values: tuple[Share | None, ...] | None = Field(
        default=None, description="of each example, 0 to 1; null: the source has none for it"
    )
    percentages: dict[Percent, tuple[Share | None, ...]] | None = Field(
        default=None, description="WOOD only: the values by the per cent of the training set they look at"
    )
    source: Source | None = Field(default=None, description="where imported values were published")

    @property
    def columns(self) -> dict[str, tuple[float | None, ...]]:
        """All columns of values: by percentage, or the only one under an empty name."""
        return dict(self.percentages or {}) if self.values is None else {"": self.values}

    @property
    def encoder(self) -> str | None:
        """Name of the encoder that the values were made with; None for published values."""
        return encoder_name(self.spec)

    def shares_encoder(self, model: ModelRef) -> bool:
        """Whether a model is built on the encoder of the values, which are then no fair measure of it."""
        return self.encoder is not None and self.encoder == model.encoder

    @model_validator(mode="after")
    def _columns_fit(self) -> Difficulty:
        if self.name in TAKEN:
            raise ValueError(f"name: {self.name!r} is taken; give it another")
        if (self.values is None) == (self.percentages is None):
            raise ValueError("values/percentages: give exactly one of them")
        if (self.percentages is not None) != (self.algorithm == "wood"):
            raise ValueError("percentages: are for the algorithm wood, and it has nothing else")
        if (self.source is not None) != (self.algorithm == "imported"):
            raise ValueError("source: imported values must cite where they were published, others cannot")
        lengths = {len(column) for column in self.columns.values()}
        if len(lengths) != 1 or lengths == {0}:
            raise ValueError(
                f"values/percentages: columns have {sorted(lengths)} rows, not one number of them"
            )
        if all(value is None for column in self.columns.values() for value in column):
            raise ValueError("values/percentages: no example has a value")
        return self


class DifficultyTable(Record):
    """A dataset's models by every stored difficulty. ``<revision>.difficulty-table.json``.

    `difficulties` and `predictions` are the content hashes of all that the numbers are of.
    """

    schema_version: Version = Field(default=SCHEMA_VERSION, description="of this record")
    kind: Literal["difficulty-table"] = Field(default="difficulty-table", description="which record this is")
    task: Slug = Field(description="the task")
    dataset: Slug = Field(description="the dataset's id")
    revision: Digest = Field(description="which examples")
    definition: str = Field(description="name and version of the definition of the numbers")
    difficulties: dict[Slug, Digest] = Field(description="content hash of each difficulty, by name")
    predictions: dict[Slug, Digest] = Field(description="content hash of each model's predictions")
    table: dict[str, Any] = Field(description="as evaluator.score.difficulty.full_table gives it")
