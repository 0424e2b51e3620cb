"""The data of every page as JSON, and the JSON Schemas that say what is in it.

Each document names its schema, by an address relative to its own, in ``$schema``; `SCHEMAS` are written
from the classes here. Fields without a value are left out. Numbers are as precise as the results are.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, StringConstraints

from evaluator.board import Boards, BoardSpec, MetricSpec, Preset
from evaluator.records import (
    SNAPSHOT_ID,
    Count,
    Digest,
    Moment,
    Provenance,
    Record,
    Result,
    Slug,
    SnapshotCells,
    SnapshotRate,
    SnapshotWeights,
    SuiteCard,
    SuiteScores,
)
from site_src.generator.pages.dataset_page import DatasetPage
from site_src.generator.pages.index_page import BoardSummary
from site_src.generator.pages.snapshots_page import CitedSnapshot
from site_src.generator.pages.suite_page import SuitePage
from site_src.generator.views.board import BoardView, RowView
from site_src.generator.views.datasets import DatasetView

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


class BoardLink(Record):
    """A board on the index; `data` is the address of its own document, relative to the index."""

    id: Slug
    title: str
    task: Slug
    models: Count
    ranked: Count
    updated: Moment | None = Field(default=None, description="when the newest result was made")
    data: str


class IndexDocument(Document):
    """All boards of a site: ``index.json``."""

    title: str
    licence: str | None = Field(default=None, description="of the numbers")
    boards: tuple[BoardLink, ...]


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
    dynascore: float | None = None
    mean_z_score: float | None = None
    values: dict[Slug, float]
    contributions: dict[Slug, float]
    reasons: tuple[str, ...] = ()
    suspect: tuple[str, ...] = Field(default=(), description="which of its timings are in doubt, and why")


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
    task: Slug
    updated: Moment | None = Field(default=None, description="when the newest result was made")
    licence: str | None = Field(default=None, description="of the numbers")
    metrics: tuple[MetricSpec, ...]
    datasets: tuple[BoardDataset, ...]
    weights: SnapshotWeights
    presets: tuple[Preset, ...]
    models: tuple[LinkedModel, ...]
    exchange_rates: dict[Slug, SnapshotRate]
    notes: tuple[str, ...]
    cells: SnapshotCells
    shown: dict[Slug, dict[Slug, tuple[float | None, ...]]]
    snapshot: NewestSnapshot | None = None


class ModelDocument(Document):
    """One model on one board: ``<board>/models/<model>/model.json``, with its results as they are stored."""

    board: Slug
    updated: Moment | None = Field(default=None, description="when the board's newest result was made")
    licence: str | None = Field(default=None, description="of the numbers")
    ranked: Count = Field(description="how many models of the board are")
    model: RankedModel
    results: dict[Slug, Result] = Field(description="by dataset")
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


def schemas() -> dict[str, str]:
    """The JSON Schema of each kind of document, by file name."""
    return {f"{kind}.schema.json": _schema(document) for kind, document in DOCUMENTS.items()}


def _schema(document: type[Document]) -> str:
    schema = {"$schema": DIALECT, **document.model_json_schema(mode="serialization")}
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def index_json(boards: Boards, summaries: Mapping[str, BoardSummary]) -> str:
    """The document of the whole site, with what is said of each board by its id."""
    return IndexDocument(
        **_schema_of("index", 0),
        title=boards.title,
        licence=boards.site.licence,
        boards=tuple(_board_link(board, summaries[board.id]) for board in boards.boards),
    ).written()


def _board_link(board: BoardSpec, summary: BoardSummary) -> BoardLink:
    return BoardLink(
        id=board.id,
        title=board.title,
        task=board.task,
        models=len(summary.models),
        ranked=summary.ranked,
        updated=summary.timestamp,
        data=f"{board.id}/board.json",
    )


def board_json(boards: Boards, view: BoardView, newest: CitedSnapshot | None) -> str:
    """The document of a board; `newest` is its newest snapshot."""
    spec, data = view.spec, view.assembled.data
    return BoardDocument(
        **_schema_of("board", 1),
        id=spec.id,
        title=spec.title,
        summary=spec.summary,
        task=spec.task,
        updated=view.assembled.timestamp,
        licence=boards.site.licence,
        metrics=spec.metrics,
        datasets=tuple(map(_board_dataset, view.datasets)),
        weights=SnapshotWeights(
            metrics=_weights(view.metric_controls), datasets=_weights(view.dataset_controls)
        ),
        presets=spec.presets,
        models=tuple(
            LinkedModel(**_ranked(row), data=f"models/{row.entry.id}/model.json") for row in view.rows
        ),
        exchange_rates=view.ranking["rates"],
        notes=view.notes,
        cells=SnapshotCells.model_validate(view.cells),
        shown={name: cells for name, cells in data["values"].items() if name not in data["datasets"]},
        snapshot=_newest(newest, 1),
    ).written()


def _newest(snapshot: CitedSnapshot | None, depth: int) -> NewestSnapshot | None:
    if snapshot is None:
        return None
    address = f"{'../' * depth}snapshots/{snapshot.id}/"
    return NewestSnapshot(id=snapshot.id, sha256=snapshot.sha256, address=address)


def _weights(controls: Iterable[Any]) -> dict[str, float]:
    return {control.name: control.value for control in controls}


def _board_dataset(dataset: DatasetView) -> BoardDataset:
    spec = dataset.spec
    return BoardDataset(
        id=spec.id,
        label=spec.label,
        role=spec.role,
        revision=dataset.revision,
        examples=dataset.examples,
        licence=spec.licence,
        citation=spec.citation,
        link=spec.link,
        data=f"datasets/{spec.id}/dataset.json",
    )


def _ranked(row: RowView) -> dict[str, Any]:
    return {
        "id": row.entry.id,
        "label": row.entry.label,
        "provenance": row.entry.provenance,
        "origin": row.origin,
        "rank": row.rank,
        "rank_set": (row.ranks.best, row.ranks.worst) if row.ranks else None,
        "dynascore": row.score,
        "mean_z_score": row.z_score,
        "values": {cell.column.name: cell.value for cell in row.cells if cell.value is not None},
        "contributions": row.contributions if row.rank is not None else {},
        "reasons": row.reasons,
        "suspect": row.suspect,
    }


def model_json(boards: Boards, view: BoardView, row: RowView, newest: CitedSnapshot | None) -> str:
    """The document of a model on a board; `newest` is the board's newest snapshot."""
    return ModelDocument(
        **_schema_of("model", 3),
        board=view.spec.id,
        updated=view.assembled.timestamp,
        licence=boards.site.licence,
        ranked=view.ranked,
        model=RankedModel(**_ranked(row)),
        results=row.entry.results,
        snapshot=_newest(newest, 3),
    ).written()


def dataset_json(page: DatasetPage) -> str:
    """The document of a dataset on a board."""
    view, spec, assembled = page.dataset, page.dataset.spec, page.board.assembled
    return DatasetDocument(
        **_schema_of("dataset", 3),
        board=page.board.spec.id,
        id=spec.id,
        label=spec.label,
        task=spec.task,
        role=spec.role,
        share=page.share,
        round=spec.round,
        tags=spec.tags,
        revision=view.revision,
        examples=view.examples,
        skipped=view.skipped,
        dropped=dict(view.dropped),
        licence=spec.licence,
        citation=spec.citation,
        link=spec.link,
        suites=tuple(card.name for card in view.suites),
        labels=tuple(LabelCount(label=row.label, examples=row.examples) for row in page.labels),
        models=_scored(assembled.entries.values(), spec.id),
        people=_scored(assembled.people.values(), spec.id),
        hardness=_hardness(page),
    ).written()


def _scored(entries: Iterable[Any], dataset: str) -> tuple[DatasetModel, ...]:
    results = [(entry, entry.results[dataset]) for entry in entries if dataset in entry.results]
    return tuple(
        DatasetModel(
            id=entry.id,
            label=entry.label,
            provenance=result.provenance,
            revision=result.dataset.revision,
            scores={name: score.value for name, score in result.scores.items()},
        )
        for entry, result in results
    )


def _hardness(page: DatasetPage) -> DatasetHardness | None:
    found = page.hardness
    if found is None:
        return None
    return DatasetHardness(
        models=found.models,
        examples=found.examples,
        everybody=found.everybody,
        unsolved=found.unsolved,
        nobody=found.nobody,
    )


def suite_json(page: SuitePage) -> str:
    """The document of a perturbation suite of a dataset of a board."""
    return SuiteDocument(
        **_schema_of("suite", 4),
        board=page.board.spec.id,
        card=page.card,
        models={row.id: row.view.scores for row in page.models},
        others={row.id: row.view.scores for row in page.others},
    ).written()


def _schema_of(kind: str, depth: int) -> dict[str, Any]:
    return {"$schema": f"{'../' * depth}{FOLDER}/{kind}.schema.json"}
