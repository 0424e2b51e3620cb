"""How difficult examples are, and the numbers of models by that."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints, model_validator

from evaluator.records.base import SCHEMA_VERSION, Digest, Record, Share, Slug, Version
from evaluator.records.references import ModelRef, Source, encoder_name

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
    table: dict[str, Any] = Field(description="as evaluator.score.difficulty_table.full_table gives it")
