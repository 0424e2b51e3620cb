"""The JSON documents beside pages, and datasets described as Croissant."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from evaluator.exchange.croissant import DOCUMENT as FILE
from evaluator.exchange.croissant import DescribedFile, croissant, text_of
from evaluator.publish.snapshots.freezing import removals_of
from evaluator.records.board import Boards
from evaluator.records.snapshot import SnapshotCells, SnapshotWeights
from site_src.generator.documents import (
    FOLDER,
    BoardDataset,
    BoardDocument,
    BoardLink,
    DatasetDocument,
    DatasetHardness,
    DatasetModel,
    IndexDocument,
    LabelCount,
    LinkedModel,
    ModelDocument,
    NewestSnapshot,
    PublishedFile,
    RankedModel,
    StaleNumbers,
    SuiteDocument,
)

if TYPE_CHECKING:
    from evaluator.records.datasets import SuiteCard
    from evaluator.records.result import SuiteScores
    from site_src.generator.datasets import DatasetView
    from site_src.generator.pages.board import BoardView
    from site_src.generator.pages.compare import KeptExamples
    from site_src.generator.pages.examples import Hardness
    from site_src.generator.pages.snapshots import CitedSnapshot
    from site_src.generator.table import RowView


def index_json(boards: Boards, views: Iterable[BoardView]) -> str:
    """The document of the whole site."""
    return IndexDocument(
        **_schema_of("index", 0),
        title=boards.title,
        licence=boards.site.licence,
        boards=tuple(
            BoardLink(
                id=view.spec.id,
                title=view.spec.title,
                task=view.task,
                models=len(view.rows),
                ranked=view.ranked,
                updated=view.assembled.timestamp,
                data=f"{view.spec.id}/board.json",
            )
            for view in views
        ),
    ).written()


def board_json(boards: Boards, view: BoardView, newest: CitedSnapshot | None) -> str:
    """The document of a board; `newest` is its newest snapshot."""
    spec, data, sure = view.spec, view.assembled.data, view.certainty
    return BoardDocument(
        **_schema_of("board", 1),
        id=spec.id,
        title=spec.title,
        summary=spec.summary,
        task=view.task,
        updated=view.assembled.timestamp,
        licence=boards.site.licence,
        metrics=spec.metrics,
        datasets=tuple(
            BoardDataset(
                id=dataset.spec.id,
                label=dataset.spec.label,
                role=dataset.spec.role,
                revision=dataset.revision,
                examples=dataset.examples,
                licence=dataset.spec.licence,
                citation=dataset.spec.citation,
                link=dataset.spec.link,
                data=f"datasets/{dataset.spec.id}/dataset.json",
            )
            for dataset in view.datasets
        ),
        weights=SnapshotWeights(
            metrics=_weights(view.metric_controls), datasets=_weights(view.dataset_controls)
        ),
        presets=spec.presets,
        models=tuple(
            LinkedModel(**_ranked(row), data=f"models/{row.entry.id}/model.json") for row in view.rows
        ),
        removed=removals_of(view.assembled),
        exchange_rates=view.ranking["rates"],
        notes=view.notes,
        cells=SnapshotCells.model_validate(view.cells),
        shown={name: cells for name, cells in data["values"].items() if name not in data["datasets"]},
        certainty=published_file(sure.file, sure.content) if sure.file and sure.content else None,
        snapshot=_newest(newest, 1),
    ).written()


def published_file(address: str, content: bytes) -> PublishedFile:
    """What a document says of a file at `address`, as seen from the document."""
    return PublishedFile(data=address, sha256=hashlib.sha256(content).hexdigest())


def _newest(snapshot: CitedSnapshot | None, depth: int) -> NewestSnapshot | None:
    if snapshot is None:
        return None
    address = f"{'../' * depth}snapshots/{snapshot.id}/"
    return NewestSnapshot(id=snapshot.id, sha256=snapshot.sha256, address=address)


def _weights(controls: Iterable[Any]) -> dict[str, float]:
    return {control.name: control.value for control in controls}


def _ranked(row: RowView) -> dict[str, Any]:
    return {
        "id": row.entry.id,
        "label": row.entry.label,
        "provenance": row.entry.provenance,
        "origin": row.origin,
        "rank": row.rank,
        "rank_set": (row.ranks.best, row.ranks.worst) if row.ranks else None,
        "rank_set_from": row.ranks.source if row.ranks else "",
        "dynascore": row.score,
        "mean_z_score": row.z_score,
        "values": {cell.column.name: cell.value for cell in row.cells if cell.value is not None},
        "contributions": row.contributions if row.rank is not None else {},
        "reasons": row.reasons,
        "suspect": row.suspect,
        "stale": [
            StaleNumbers(dataset=one.dataset, reasons=one.reasons, fix=one.fix) for one in row.entry.outdated
        ],
    }


def model_json(
    boards: Boards,
    view: BoardView,
    row: RowView,
    newest: CitedSnapshot | None,
    answers: Mapping[str, str],
) -> str:
    """The document of a model on a board; `newest` is the board's newest snapshot, `answers` has by dataset
    the name of the file with its predictions."""
    return ModelDocument(
        **_schema_of("model", 3),
        board=view.spec.id,
        updated=view.assembled.timestamp,
        licence=boards.site.licence,
        ranked=view.ranked,
        model=RankedModel(**_ranked(row)),
        results=row.entry.results,
        predictions={dataset: f"../../predictions/{name}" for dataset, name in answers.items()},
        snapshot=_newest(newest, 3),
    ).written()


def dataset_json(
    board: BoardView,
    view: DatasetView,
    share: float | None,
    labels: Iterable[tuple[str, int]],
    hardness: Hardness | None,
    kept: KeptExamples | None,
) -> str:
    """The document of a dataset on a board, whose examples are `kept`, or not."""
    spec, assembled = view.spec, board.assembled
    return DatasetDocument(
        **_schema_of("dataset", 3),
        board=board.spec.id,
        id=spec.id,
        label=spec.label,
        task=spec.task,
        role=spec.role,
        share=share,
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
        labels=tuple(LabelCount(label=label, examples=count) for label, count in labels),
        models=_scored(assembled.entries.values(), spec.id),
        people=_scored(assembled.people.values(), spec.id),
        hardness=DatasetHardness(
            models=hardness.models,
            examples=hardness.examples,
            everybody=hardness.everybody,
            unsolved=hardness.unsolved,
            nobody=hardness.nobody,
        )
        if hardness
        else None,
        examples_file=published_file(f"../../predictions/{kept.name}", kept.path.read_bytes())
        if kept
        else None,
    ).written()


def _scored(entries: Iterable[Any], dataset: str) -> tuple[DatasetModel, ...]:
    results = [(entry, entry.results[dataset]) for entry in entries if dataset in entry.results]
    return tuple(
        DatasetModel(
            id=entry.id,
            label=entry.label,
            provenance=result.provenance,
            revision=result.dataset.revision,
            source=result.source,
            scores={name: score.value for name, score in result.scores.items()},
        )
        for entry, result in results
    )


def suite_json(
    view: BoardView, card: SuiteCard, models: Mapping[str, SuiteScores], others: Mapping[str, SuiteScores]
) -> str:
    """The document of a perturbation suite: scores of models, of `others` with the suite as it was before."""
    return SuiteDocument(
        **_schema_of("suite", 4), board=view.spec.id, card=card, models=dict(models), others=dict(others)
    ).written()


def _schema_of(kind: str, depth: int) -> dict[str, Any]:
    return {"$schema": f"{'../' * depth}{FOLDER}/{kind}.schema.json"}


__all__ = ["FILE", "described", "text_of"]


def described(boards: Boards, view: BoardView, kept: KeptExamples | None) -> dict[str, Any] | None:
    """The document about a dataset whose examples are published beside the board's predictions; else None.

    The file's address is a full one where the site's is known, else relative to the dataset's page.
    """
    if kept is None:
        return None
    spec = kept.dataset.spec
    root = f"{boards.site.url}{view.spec.id}/" if boards.site.url else "../../"
    entries = view.assembled.entries.values()
    results = [entry.results[spec.id] for entry in entries if spec.id in entry.results]
    dates = [one.created for one in results if one.dataset.revision == kept.examples.revision]
    file = DescribedFile(
        spec,
        kept.examples,
        f"{root}predictions/{kept.name}",
        kept.path.read_bytes(),
        max(dates, default=view.assembled.timestamp or "")[:10],
    )
    document: dict[str, Any] = croissant([file], boards).document
    return document
