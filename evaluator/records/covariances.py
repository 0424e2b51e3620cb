"""How the values of the models on a dataset vary with its examples."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from evaluator.records.base import SCHEMA_VERSION, Count, Digest, Record, Slug, Version, is_empty


class MetricPair(Record):
    """Of two metrics, or one with itself: the covariances of the differences between models."""

    first: Slug = Field(description="a metric")
    second: Slug = Field(description="another, or the same")
    step: Annotated[float, Field(ge=0)] = Field(description="what a part is worth, in the metrics' units")
    parts: tuple[int, ...] = Field(
        description="for each pair of models (i, j) with j < i, at i (i - 1) / 2 + j: the covariance of the"
        " differences of their two values, in steps"
    )


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
        exclude_if=is_empty,
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
    pairs: tuple[MetricPair, ...] = Field(
        default=(), exclude_if=is_empty, description="of the metrics that counts do not describe, and of two"
    )
    unknown: dict[Slug, dict[Slug, str]] = Field(
        default={}, exclude_if=is_empty, description="by metric: the models that have no values, and why"
    )

    @model_validator(mode="after")
    def _sizes_fit(self) -> Covariances:
        models = len(self.models)
        sizes = [(f"right.{name}", len(column), models) for name, column in self.right.items()]
        couples = models * (models - 1) // 2
        sizes += [(f"apart.{name}", len(column), couples) for name, column in self.apart.items()]
        sizes += [(f"pairs.{at}.parts", len(pair.parts), couples) for at, pair in enumerate(self.pairs)]
        for name, found, wanted in sizes:
            if found != wanted:
                raise ValueError(f"{name}: {found} numbers, but {models} models take {wanted}")
        for name in {*self.right, *self.apart, *self.unit, *self.unknown} - self.versions.keys():
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
