"""Whether the record of a snapshot fits its own hash, its place and the files beside it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from evaluator.publish.snapshots.freezing import content_hash, id_of
from evaluator.publish.snapshots.reporting import SnapshotProblem
from evaluator.publish.snapshots.repository import CERTAINTY, MANIFEST, RECORD, VERSIONS, Listed, place_of
from evaluator.publish.snapshots.reranking import SCORER
from evaluator.publish.snapshots.scoring import RANKING
from evaluator.publish.snapshots.sources import SnapshotFiles
from evaluator.records.base import Digest
from evaluator.records.canonical import dump
from evaluator.records.snapshot import Snapshot


def check_certainty(
    source: SnapshotFiles, snapshot: Snapshot, content: bytes | None, manifest: Mapping[str, Digest]
) -> Iterator[SnapshotProblem]:
    """Whether the rank sets of the record can be made of the file beside it, by the scorers beside it."""
    stored, listed_ = snapshot.certainty and snapshot.certainty.sha256, manifest.get(CERTAINTY)
    if stored != listed_:
        message = f"certainty: {CERTAINTY} has the hash {stored}, and {MANIFEST} says {listed_}"
        yield SnapshotProblem(source.where(RECORD), f"{message}; restore the file")
    needed = (RANKING[0], RANKING[-1])
    if snapshot.certainty and not {*needed} <= {*snapshot.scorer}:
        message = f"scorer: {' and '.join(needed)} make rank sets, and one is missing; restore the file"
        yield SnapshotProblem(source.where(RECORD), message)
    where = source.where(CERTAINTY)
    try:
        if content is not None and dump(json.loads(content), compact=True) != content:
            yield SnapshotProblem(where, "is not laid out as it was written; restore the file")
    except (ValueError, RecursionError) as error:
        yield SnapshotProblem(where, f"is no JSON: {error}; restore the file")


def check_record(
    source: SnapshotFiles,
    snapshot: Snapshot,
    content: bytes,
    manifest: Mapping[str, Digest],
    entry: Listed | None,
) -> Iterator[SnapshotProblem]:
    """What the record says of itself and of the files beside it."""
    where = source.where(RECORD)
    document = json.loads(content)
    try:
        digits = len(snapshot.id.rpartition("-")[2])
        expected = id_of(snapshot.created, content_hash(document), digits)
        as_written = dump(document, compact=True)
    except (ValueError, RecursionError) as error:
        yield SnapshotProblem(where, f"has no canonical form: {error}; restore the file")
        return
    if content != as_written:
        yield SnapshotProblem(where, "is not laid out as it was written; restore the file")
    if snapshot.id != expected:
        yield SnapshotProblem(
            where, f"id: is {snapshot.id}, but its time and content give {expected}; restore the file"
        )
    if snapshot.id != source.name:
        yield SnapshotProblem(
            where, f"id: is {snapshot.id}, but the folder is {source.name}; restore the folder's name"
        )
    for name in sorted({*snapshot.scorer, SCORER}):
        stored, listed_ = snapshot.scorer.get(name), manifest.get(place_of(name, manifest))
        if stored != listed_:
            message = f"scorer: {name} has the hash {stored}, and {MANIFEST} says {listed_}; restore the file"
            yield SnapshotProblem(where, message)
    if entry is not None:
        is_ = {"board": snapshot.board["id"], "title": snapshot.board["title"], "created": snapshot.created}
        for name, value in is_.items():
            if (found := getattr(entry, name)) != value:
                message = (
                    f"{snapshot.id}: {name}: is {found!r}, and {RECORD} says {value!r}; restore the file"
                )
                yield SnapshotProblem(source.where(f"../{VERSIONS}"), message)
