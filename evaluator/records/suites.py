"""A suite of perturbations as it was made of a dataset."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, model_validator

from evaluator.records.base import SCHEMA_VERSION, Count, Digest, Record, Slug, Version, is_empty
from evaluator.records.references import DatasetRef


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
