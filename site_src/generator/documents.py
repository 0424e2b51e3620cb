"""What the JSON documents of a site are, and the JSON Schemas that say what is in them.

Each document names its schema, by an address relative to its own, in ``$schema``; the schemas are written
from the classes here. Fields without a value are left out. Numbers are as precise as the results are.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, StringConstraints

from evaluator.records.base import Count, Digest, Moment, Provenance, Record, Slug, is_empty
from evaluator.records.board import MetricSpec, Preset
from evaluator.records.datasets import SuiteCard
from evaluator.records.references import Source
from evaluator.records.result import Result, SuiteScores
from evaluator.records.snapshot import (
    SNAPSHOT_ID,
    SnapshotCells,
    SnapshotRate,
    SnapshotRemoval,
    SnapshotWeights,
)

#: Where the schemas are, from the site's root.
FOLDER = "schemas"
DIALECT = "https://json-schema.org/draft/2020-12/schema"


class Document(Record):
    """What all documents begin with: the address of their schema."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, serialize_by_alias=True)

    schema_address: str = Field(alias="$schema", description="address of this document's JSON Schema")

    def written(self) -> str:
        """The document as the bytes of a file, on one line."""
        return self.model_dump_json(exclude_none=True) + "\n"


class PublishedFile(Record):
    """A file beside the documents; `data` is its address, relative to the document."""

    data: str
    sha256: str = Field(description="of its bytes, 64 digits")


class BoardLink(Record):
    """A board on the index; `data` is the address of its own document, relative to the index."""

    id: Slug
    title: str
    task: Slug | None = Field(default=None, description="left out where its datasets are of several")
    models: Count
    ranked: Count
    updated: Moment | None = Field(default=None, description="when the newest result was made")
    data: str


class IndexDocument(Document):
    """All boards of a site: ``index.json``."""

    title: str
    licence: str | None = Field(default=None, description="of the numbers")
    boards: tuple[BoardLink, ...]


class StaleNumbers(Record):
    """A model's numbers on a dataset that are of other inputs than those given now, and why."""

    dataset: Slug
    reasons: tuple[str, ...]
    fix: str = Field(description="what brings them up to date")


class RankedModel(Record):
    """A model as a board ranks it at its default weights; `reasons` say why some of it may be missing.

    `values` are means over the datasets, in the metric's own unit; `contributions` sum to `dynascore`.
    """

    id: Slug
    label: str
    provenance: Provenance
    origin: str = Field(description="how its numbers came about and from whom, in words")
    rank: int | None = None
    rank_set: tuple[int, int] | None = Field(
        default=None, description="the best and the worst rank that it may hold, at 95 %; null: unknown"
    )
    rank_set_from: str = Field(
        default="",
        exclude_if=is_empty,
        description="what the set is from, where that is not only examples: published numbers, and numbers"
        " that it takes as exact",
    )
    dynascore: float | None = None
    mean_z_score: float | None = None
    values: dict[Slug, float]
    contributions: dict[Slug, float]
    reasons: tuple[str, ...] = ()
    suspect: tuple[str, ...] = Field(default=(), description="which of its timings are in doubt, and why")
    stale: tuple[StaleNumbers, ...] = Field(default=(), description="which numbers are of other inputs")


class LinkedModel(RankedModel):
    """A model on its board; `data` is the address of its own document, relative to the board's."""

    data: str


class BoardDataset(Record):
    """A dataset of a board; `data` is the address of its own document, relative to the board's."""

    id: Slug
    label: str
    role: Literal["scoring", "evaluation", "training"]
    revision: Digest | None = None
    examples: Count | None = None
    licence: str | None = None
    citation: str | None = None
    link: str | None = None
    data: str


class NewestSnapshot(Record):
    """The newest snapshot of a board, to be cited; `address`: of its page, relative to the document."""

    id: Annotated[str, StringConstraints(pattern=SNAPSHOT_ID)]
    sha256: str = Field(description="of its snapshot.json, 64 digits")
    address: str


class BoardDocument(Document):
    """One board: ``<board>/board.json``.

    `cells` and `weights` are what the scorer makes `models` and `exchange_rates` of; `models` are in
    the order of their ranks. `shown` has the numbers on datasets that do not count.
    """

    id: Slug
    title: str
    summary: str
    task: Slug | None = Field(default=None, description="left out where its datasets are of several")
    updated: Moment | None = Field(default=None, description="when the newest result was made")
    licence: str | None = Field(default=None, description="of the numbers")
    metrics: tuple[MetricSpec, ...]
    datasets: tuple[BoardDataset, ...]
    weights: SnapshotWeights
    presets: tuple[Preset, ...]
    models: tuple[LinkedModel, ...]
    removed: tuple[SnapshotRemoval, ...] = Field(default=(), description="models that were on the board")
    exchange_rates: dict[Slug, SnapshotRate]
    notes: tuple[str, ...]
    cells: SnapshotCells
    shown: dict[Slug, dict[Slug, tuple[float | None, ...]]]
    certainty: PublishedFile | None = Field(
        default=None, description="how the cells vary, of which rank sets are made; null: not known"
    )
    snapshot: NewestSnapshot | None = None


class ModelDocument(Document):
    """One model on one board: ``<board>/models/<model>/model.json``, with its results as they are stored."""

    board: Slug
    updated: Moment | None = Field(default=None, description="when the board's newest result was made")
    licence: str | None = Field(default=None, description="of the numbers")
    ranked: Count = Field(description="how many models of the board are")
    model: RankedModel
    results: dict[Slug, Result] = Field(description="by dataset")
    predictions: dict[Slug, str] = Field(
        description="by dataset, the address of the file with its predictions, relative to the document"
    )
    snapshot: NewestSnapshot | None = None


class LabelCount(Record):
    """How many examples have a gold label."""

    label: str
    examples: Count


class DatasetModel(Record):
    """What a model, or people, scored on a dataset. `revision` is that of the data it was scored on."""

    id: Slug
    label: str
    provenance: Provenance
    revision: Digest | None = None
    source: Source | None = Field(default=None, description="where the numbers were published, if elsewhere")
    scores: dict[Slug, float]


class DatasetHardness(Record):
    """How many examples all, or none, of the `models` get right; `nobody` are the first ids of the latter."""

    models: Count
    examples: Count
    everybody: Count
    unsolved: Count
    nobody: tuple[str, ...]


class DatasetDocument(Document):
    """One dataset of one board: ``<board>/datasets/<dataset>/dataset.json``."""

    board: Slug
    id: Slug
    label: str
    task: Slug
    role: Literal["scoring", "evaluation", "training"]
    share: float | None = Field(default=None, description="of the board's default dataset weights")
    round: int | None = None
    tags: dict[str, str]
    revision: Digest | None = None
    examples: Count | None = None
    skipped: Count = Field(description="malformed rows left out")
    dropped: dict[str, Count] = Field(description="rows left out, by reason")
    licence: str | None = None
    citation: str | None = None
    link: str | None = None
    suites: tuple[Slug, ...]
    labels: tuple[LabelCount, ...] = Field(description="empty where the gold labels are not published")
    models: tuple[DatasetModel, ...]
    people: tuple[DatasetModel, ...]
    hardness: DatasetHardness | None = None
    examples_file: PublishedFile | None = Field(
        default=None, description="the ids of its examples, in the order of predictions; null: not kept"
    )


class SuiteDocument(Document):
    """One perturbation suite: ``<board>/suites/<dataset>/<suite>/suite.json``."""

    board: Slug
    card: SuiteCard
    models: dict[Slug, SuiteScores] = Field(description="those tried with the suite as `card` has it")
    others: dict[Slug, SuiteScores] = Field(description="those tried with the suite as it was made before")


DOCUMENTS: dict[str, type[Document]] = {
    "index": IndexDocument,
    "board": BoardDocument,
    "model": ModelDocument,
    "dataset": DatasetDocument,
    "suite": SuiteDocument,
}


@cache
def schemas() -> dict[str, str]:
    """The JSON Schema of each kind of document, by file name."""
    return {f"{kind}.schema.json": _schema(document) for kind, document in DOCUMENTS.items()}


def _schema(document: type[Document]) -> str:
    schema = {"$schema": DIALECT, **document.model_json_schema(mode="serialization")}
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
