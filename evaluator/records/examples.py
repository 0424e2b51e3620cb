"""The examples of a dataset: ids, and gold labels where these may be published."""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Literal

from pydantic import Field, model_validator

from evaluator.records.base import SCHEMA_VERSION, Count, Digest, Record, Slug, Version, is_empty
from evaluator.records.canonical import digest


class Examples(Record):
    """The examples of a dataset in their order. ``results/<task>/<dataset>/<revision>.examples.json``.

    Joined with a `PredictionSet` by `ids_sha256`: row n of its columns is about ``ids[n]``. Ids are the
    dataset's own, or row numbers, and hold no text. `texts` are how they begin, and only where the
    dataset's texts may be published; so are `tags`, by which a page can list them. `gold` holds indices
    into `labels`, and only where the gold labels may be published. Where these are coarser than what
    models answer, `merge` says as which of them each answer counts.
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
        description="each tag = its value on each example, empty where it has none; only beside texts",
    )

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
        for index, value in enumerate(self.gold or ()):
            if value >= len(self.labels):
                raise ValueError(f"gold[{index}]: {value} is not an index into {self.labels}")
        for answer, label in self.merge.items():
            if label not in self.labels:
                raise ValueError(f"merge.{answer}: {label!r} is none of {self.labels}")
        return self
