"""A board frozen with all its numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints, field_serializer, model_validator

from evaluator.records.amounts import Amount
from evaluator.records.base import (
    SCHEMA_VERSION,
    Count,
    Digest,
    Moment,
    Provenance,
    Record,
    Slug,
    Version,
    is_empty,
)
from evaluator.records.references import ModelCard, Removal, Source

#: Of a model, from 1.
Rank = Annotated[int, Field(ge=1)]
#: The id of a snapshot: its time in UTC, and the first 32 digits of the hash of its content.
SNAPSHOT_ID = r"^\d{8}T\d{6}Z-[0-9a-f]{32}$"


class SnapshotDataset(Record):
    """A dataset of a snapshot: `revisions` are those that results were made on."""

    id: Slug = Field(description="its id in board.toml")
    label: str = Field(description="its name for people")
    role: Literal["scoring", "evaluation", "training"] = Field(description="as in board.toml")
    revisions: tuple[Digest, ...] = Field(default=(), description="those that results were made on")
    examples: Count | None = Field(default=None, description="as the newest result on it counts them")
    licence: str | None = Field(default=None, description="of the data")
    citation: str | None = Field(default=None, description="how to cite it")
    link: str | None = Field(default=None, description="where it can be had")


class SnapshotMachine(Record):
    """A machine that models of a snapshot were timed on, and by which protocol."""

    protocol: str = Field(description="of the measurement, with its version")
    cpu: str = Field(description="its model")
    cores: Count = Field(description="logical CPUs")
    memory_bytes: Count = Field(description="of the machine")
    os: str = Field(description="name and version")
    python: str = Field(description="its version")
    threads: Count = Field(description="that each model may use")


class SnapshotResult(Record):
    """One result file of a snapshot, ``<task>/<dataset>/<model>.json`` among the results.

    `source` and `machine` are places in the lists of the snapshot, which many results share.
    """

    sha256: Digest = Field(description="of the file's bytes")
    provenance: Provenance = Field(description="how its numbers came about")
    created: Moment = Field(description="when, in UTC")
    source: Count | None = Field(default=None, description="its place in the snapshot's sources")
    machine: Count | None = Field(default=None, description="its place in the snapshot's machines")


class SnapshotModel(Record):
    """A model of a snapshot; `reasons` say why cells of its are empty."""

    id: Slug = Field(description="its id on the board")
    results: dict[Slug, SnapshotResult] = Field(description="its result on each dataset")
    reasons: tuple[str, ...] = Field(
        default=(), exclude_if=is_empty, description="why cells of its are empty"
    )
    suspect: tuple[str, ...] = Field(
        default=(), exclude_if=is_empty, description="which of its timings are in doubt, and why"
    )
    stale: tuple[str, ...] = Field(
        default=(), exclude_if=is_empty, description="which of its results are of other inputs, and why"
    )
    card: ModelCard = Field(
        default=ModelCard(),
        exclude_if=lambda card: card == ModelCard(),
        description="what its author says of it",
    )

    @field_serializer("card")
    def _without_defaults(self, card: ModelCard) -> dict[str, Any]:
        """Fifty cards are most of a snapshot, so empty fields are left out."""
        return card.model_dump(mode="json", exclude_defaults=True)


class SnapshotRemoval(Removal):
    """A model that was on the board and had been removed by the time of the snapshot."""

    id: Slug = Field(description="its id on the board")
    label: str = Field(description="its name for people")


class SnapshotPerson(Record):
    """People beside the models: the numbers, by dataset and metric, that may stand beside the models'."""

    id: Slug = Field(description="who")
    label: str = Field(description="the name for people to read")
    results: dict[Slug, SnapshotResult] = Field(description="the result on each dataset")
    values: dict[Slug, dict[Slug, float]] = Field(
        description="the numbers that are shown, by dataset and metric"
    )
    stale: tuple[str, ...] = Field(
        default=(), exclude_if=is_empty, description="which of the results are of other inputs, and why"
    )


class SnapshotCells(Record):
    """What ``dynascore.Board.from_dict`` takes: every column has a number or null for each of `models`."""

    models: tuple[Slug, ...] = Field(description="ids, in the order of all columns")
    metrics: tuple[dict[str, str | int | float | None], ...] = Field(
        description="name, direction, offset and unit of each"
    )
    datasets: tuple[Slug, ...] = Field(description="those that count for ranking")
    values: dict[Slug, dict[Slug, tuple[float | None, ...]]] = Field(
        description="a column for each dataset and metric; null: missing"
    )
    base: Slug = Field(description="the base metric")
    epsilon: float = Field(description="the threshold of the exchange rates")
    epsilon_kind: Literal["relative", "absolute"] = Field(description="what the threshold is relative to")
    rate: Literal["mean", "ratio"] = Field(
        default="mean",
        exclude_if=lambda rate: rate == "mean",
        description="how an exchange rate follows from its pairs",
    )
    by: Literal["dynascore", "mean", "trades"] = Field(
        default="dynascore",
        exclude_if=lambda by: by == "dynascore",
        description="what models are ranked by",
    )
    trades: dict[Slug, Amount] = Field(
        default={},
        exclude_if=is_empty,
        description='metric = how much of it one unit of the base metric is worth: a number, or "10 %" of its'
        " value",
    )
    missing: Literal["unranked", "worst"] = Field(description="what happens to a model with a missing number")
    labels: dict[Literal["models", "metrics", "datasets"], dict[Slug, str]] = Field(
        description="names for people, by id"
    )
    floored: tuple[Slug, ...] = Field(
        default=(), exclude_if=is_empty, description="models no better than a constant answer, ranked last"
    )


class SnapshotWeights(Record):
    """The weights that a snapshot is ranked by; the scorer makes each kind sum to one."""

    metrics: dict[Slug, Annotated[float, Field(ge=0)]] = Field(description="metric = weight")
    datasets: dict[Slug, Annotated[float, Field(ge=0)]] = Field(description="dataset = weight")


class SnapshotRate(Record):
    """An exchange rate, as ``dynascore.ExchangeRate`` has it."""

    rate: float | None = Field(
        default=None, description="units of the metric for one of the base metric; null: undefined"
    )
    pairs: Count = Field(default=0, description="neighbours it is the mean over")
    skipped: Count = Field(default=0, description="neighbours at or under the threshold")
    largest_share: float | None = Field(default=None, description="how much of it one pair supplies, 0 to 1")
    largest_pair: tuple[str, str] | None = Field(default=None, description="that pair")
    note: str | None = Field(default=None, description="what a reader has to know")


class SnapshotRanking(Record):
    """The ranking by columns, in the order of the models of `SnapshotCells`; null: not ranked.

    `contributions` are of the metrics with weight and values, and sum to the scores.
    """

    ranks: tuple[Rank | None, ...] = Field(description="from 1; equal scores share one")
    scores: tuple[float | None, ...] = Field(description="Dynascores, weighted means, or by trade-offs")
    z_scores: tuple[float | None, ...] = Field(description="mean z-scores; null by trade-offs")
    contributions: dict[Slug, tuple[float | None, ...]] = Field(
        description="what each metric adds to the scores"
    )
    exchange_rates: dict[Slug, SnapshotRate] = Field(description="by metric")
    notes: tuple[str, ...] = Field(description="what the scorer has to say")


class SnapshotCertainty(Record):
    """How sure the ranks are: what the snapshot's ``rank_sets.py`` makes of its ``certainty.json``.

    These are of the weights of the snapshot; with the same two files a page makes those of any others.
    """

    sha256: Digest = Field(description="of certainty.json, which says how the cells vary")
    confidence: Annotated[float, Field(ge=0.5, lt=1)] = Field(
        description="with what probability a rank set holds the model's rank"
    )
    sets: tuple[tuple[Rank, Rank] | None, ...] = Field(
        description="best and worst rank, in the order of the models; null: unknown"
    )
    unknown: dict[str, tuple[Count, ...]] = Field(
        default={}, exclude_if=is_empty, description="why sets are unknown: the places of their models"
    )
    published: tuple[Count, ...] = Field(
        default=(),
        exclude_if=is_empty,
        description="the places of the models with numbers without examples, whose pairs are told apart from"
        " published numbers: their sets are at least this wide",
    )
    given: dict[Slug, tuple[Count, ...]] = Field(
        default={},
        exclude_if=is_empty,
        description="by metric: the places of the models whose sets take its numbers as exact, as nothing"
        " says how they vary",
    )
    leads: dict[Slug, Annotated[float, Field(ge=0, le=1)]] = Field(
        default={},
        exclude_if=is_empty,
        description="by model whose set holds the first rank: in what share of draws it leads",
    )


class Snapshot(Record):
    """A board as it was, for ever. ``results/snapshots/<id>/snapshot.json``.

    `id` is the time it was `created` and the first 32 digits of the canonical hash of all but these two.
    `data` and `weights` are what the scorers named in `scorer`, which snapshots share, made
    `ranking` of. `shown` has the numbers on datasets that do not count for ranking. `board` is what
    board.toml says of the board. `runtime` has, for each file of the Python that pages run the scorers
    with, the hashes that it may have: as it is distributed, and reduced.
    """

    schema_version: Version = Field(default=SCHEMA_VERSION, description="of this record")
    kind: Literal["snapshot"] = Field(default="snapshot", description="which record this is")
    id: Annotated[str, StringConstraints(pattern=SNAPSHOT_ID)] = Field(
        description="its time and the first digits of its hash"
    )
    created: Moment = Field(description="when, in UTC")
    note: str | None = Field(default=None, description="what its maker has to say")
    licence: str | None = Field(default=None, description="of the numbers")
    board: dict[str, Any] = Field(description="what board.toml says of the board")
    weights: SnapshotWeights = Field(description="it is ranked by these")
    ranking: SnapshotRanking = Field(description="what the scorer made of data and weights")
    data: SnapshotCells = Field(description="the cells, as the scorer takes them")
    certainty: SnapshotCertainty | None = Field(
        default=None, description="how sure the ranks are; left out where nothing is known of that"
    )
    shown: dict[Slug, dict[Slug, tuple[float | None, ...]]] = Field(
        default={}, exclude_if=is_empty, description="numbers on datasets that do not count for ranking"
    )
    datasets: tuple[SnapshotDataset, ...] = Field(description="all of the board")
    models: tuple[SnapshotModel, ...] = Field(description="all of the board, ranked or not")
    removed: tuple[SnapshotRemoval, ...] = Field(
        default=(), exclude_if=is_empty, description="models that were on the board before"
    )
    people: tuple[SnapshotPerson, ...] = Field(
        default=(), exclude_if=is_empty, description="shown beside the models, never ranked"
    )
    sources: tuple[Source, ...] = Field(
        default=(), exclude_if=is_empty, description="where numbers were published"
    )
    machines: tuple[SnapshotMachine, ...] = Field(
        default=(), exclude_if=is_empty, description="where models were timed"
    )
    scorer: dict[str, Digest] = Field(description="hash of each scorer, by file name")
    runtime: dict[str, tuple[Digest, ...]] = Field(
        default={}, exclude_if=is_empty, description="hashes that each file of the runtime may have"
    )
    tool: str = Field(description="name and version of what wrote it")

    @model_validator(mode="after")
    def _columns_fit(self) -> Snapshot:
        models = [model.id for model in self.models]
        if models != list(self.data.models):
            raise ValueError("models: are not those of data.models, in that order")
        if {"id", "title"} - {*self.board}:
            raise ValueError("board: id or title is missing")
        ranking = self.ranking
        columns: dict[str, Sequence[object]] = {
            "ranking.ranks": ranking.ranks,
            "ranking.scores": ranking.scores,
            "ranking.z_scores": ranking.z_scores,
            **{f"ranking.contributions.{name}": column for name, column in ranking.contributions.items()},
        }
        if self.certainty:
            columns["certainty.sets"] = self.certainty.sets
        for name, column in columns.items():
            if len(column) != len(models):
                raise ValueError(f"{name}: {len(column)} values for {len(models)} models")
        return self
