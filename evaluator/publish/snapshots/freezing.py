"""From a board as it is now to the record of a snapshot."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from evaluator import __version__
from evaluator.publish.snapshots.scorers import file_hash, rank_cells, shipped
from evaluator.rank.another_dataset import LEAST
from evaluator.records.base import Digest, digest, dump
from evaluator.records.board import Assembled, BoardEntry, Boards, comparability
from evaluator.records.errors import UserError, alike
from evaluator.records.git import GitError, Repository, blob_name
from evaluator.records.references import ModelCard, Source
from evaluator.records.result import Result
from evaluator.records.snapshot import (
    Snapshot,
    SnapshotCells,
    SnapshotDataset,
    SnapshotMachine,
    SnapshotModel,
    SnapshotPerson,
    SnapshotRemoval,
    SnapshotResult,
    SnapshotWeights,
)
from evaluator.records.store import Store
from evaluator.score.certainty import assemble_board, board_results
from evaluator.score.checking import stored_problems
from evaluator.score.inputs import GivenInputs, outdated_lines, outdated_results

#: Left out of the content hash: they name it.
NAMES = ("id", "created")
#: Digits of the content hash in a new id: 128 bits, so that nobody can make another content for it.
DIGITS = 32
#: How many files that are not committed are named; the rest are counted.
NAMED = 5


def now() -> datetime:
    """The time in UTC, from SOURCE_DATE_EPOCH (seconds since 1970) if that is set. `UserError`."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    if given is None:
        return datetime.now(UTC)
    try:
        return datetime.fromtimestamp(int(given), UTC)
    except (ValueError, OverflowError, OSError):
        problem = f"{given!r} is not a time in whole seconds since 1970"
        raise UserError("SOURCE_DATE_EPOCH", problem, "unset or correct it") from None


def boards_to_freeze(
    boards: Boards, store: Store, named: Collection[str], given: GivenInputs
) -> list[Assembled]:
    """The boards of these ids, or all that have results, with their results, and which of these are stale.

    Raises `UserError` unless they are valid, committed, and of the models that are `given` now.
    """
    chosen = [board for board in boards.boards if not named or board.id in named]
    folders = {f"{boards.dataset(name).task}/{name}" for board in chosen for name in board.datasets}
    used = tuple(f"{store.root / folder}/" for folder in folders)
    problems = [problem for problem in stored_problems(store, boards) if problem.startswith(used)]
    if problems:
        raise UserError(
            "", "\n".join([*alike(problems), "these results are not valid; fix them, then freeze"])
        )
    check_committed(store.root, folders)
    found = []
    for board in chosen:
        results = board_results(board, boards, store)
        assembled = assemble_board(board, boards, store, results, outdated_results(results, given))
        if assembled.entries or named:
            found.append(assembled)
    if not found:
        raise UserError(store.root, "no board has results", "run: steelyard evaluate")
    entries = [entry for assembled in found for entry in assembled.entries.values()]
    gone = dict.fromkeys(one for entry in entries for one in entry.outdated if one.other_model)
    if gone:
        why = "these numbers are of models that are not there any more; bring them up to date, then freeze"
        raise UserError("", "\n".join([*outdated_lines(gone), why]))
    return found


def check_committed(results: Path, folders: Iterable[str]) -> None:
    """Raise `UserError` unless the JSON files in these folders of `results`, ``<task>/<dataset>``, are those
    of HEAD, since what a snapshot cites must stay available; files are named with what is wrong."""
    folders = sorted(folders)
    try:
        repository = Repository(results)
    except GitError as error:
        fix = "a snapshot cites what can be found again: commit the results"
        raise UserError(results, "is in no git repository", f"{fix} ({error})") from None
    within = results.resolve().relative_to(repository.root.resolve())
    places = {(within / folder).as_posix(): folder for folder in folders}
    committed = {}
    if repository.succeeds("rev-parse", "--verify", "--quiet", "HEAD"):
        for path, blob in repository.files("HEAD").items():
            above, _, name = path.rpartition("/")
            if above in places and name.endswith(".json"):
                committed[f"{places[above]}/{name}"] = blob.name
    paths = sorted(path for folder in folders for path in (results / folder).glob("*.json"))
    found = {path.relative_to(results).as_posix(): path.read_bytes() for path in paths}
    problems = [
        f"{results}/{name}: {'changed since it was' if name in committed else 'not'} committed"
        for name, content in found.items()
        if committed.get(name) != blob_name(content, repository.algorithm)
    ]
    gone = sorted(committed.keys() - found.keys())
    problems += [f"{results}/{name}: removed, but not from git" for name in gone]
    if problems:
        more = [f"and {len(problems) - NAMED} more"] if len(problems) > NAMED else []
        fix = "commit the results, then make the snapshot"
        raise UserError("", "\n".join([*problems[:NAMED], *more, fix]))


def freeze(
    assembled: Assembled,
    boards: Boards,
    store: Store,
    weights: Mapping[str, float] | None = None,
    dataset_weights: Mapping[str, float] | None = None,
    *,
    note: str | None = None,
    licence: str | None = None,
    runtime: Mapping[str, Sequence[Digest]] | None = None,
    certainty: bytes | None = None,
    clock: Callable[[], datetime] = now,
) -> Snapshot:
    """The snapshot of a board at weights, the board's own unless given; a name left out weighs 0.

    `runtime` has the hashes that each file of the site's Python may have. `certainty` says how the cells
    vary (`certainty_bytes`); without it nothing is said of how sure the ranks are. Raises
    `UserError` for unknown names, weights that rank nothing, and a board with nothing to rank.
    """
    board = assembled.board
    if not assembled.entries or not assembled.data["datasets"]:
        raise UserError(f"board {board.id}", "no results on a scoring dataset", "run: steelyard evaluate")
    data = SnapshotCells.model_validate(
        {
            **assembled.data,
            "values": {name: assembled.data["values"][name] for name in assembled.data["datasets"]},
        }
    )
    used = used_weights(assembled, weights, dataset_weights)
    ranking, sets = rank_cells(data, used, certainty)
    if all(rank is None for rank in ranking.ranks):
        why = f"no model is ranked at these weights: {'; '.join(ranking.notes)}"
        raise UserError(f"board {board.id}", why, "freeze it when one is")
    shared = _Shared(store)
    document: dict[str, Any] = {
        "note": note,
        "licence": licence,
        "board": board.model_dump(mode="json", exclude_defaults=True),
        "weights": used,
        "ranking": ranking,
        "data": data,
        "certainty": sets,
        "shown": {
            name: cells for name, cells in assembled.data["values"].items() if name not in data.datasets
        },
        "datasets": [_dataset(assembled, boards, name) for name in board.datasets],
        "models": [_model(entry, assembled.ranking_datasets, shared) for entry in assembled.entries.values()],
        "removed": removals_of(assembled),
        "people": [_person(assembled, person, shared) for person in assembled.people.values()],
        "sources": shared.sources,
        "machines": shared.machines,
        "scorer": {name: file_hash(content) for name, content in shipped().items()},
        "runtime": runtime or {},
        "tool": f"steelyard {__version__}",
    }
    return _named(document, clock())


def by_trades(assembled: Assembled, trades: Mapping[str, float | str]) -> Assembled:
    """The board as ranked by these trade-offs, in the units of its metrics."""
    terms = {"by": "trades", "trades": dict(trades)}
    board = assembled.board.model_copy(update=terms)
    return replace(assembled, board=board, data={**assembled.data, **terms})


def used_weights(
    assembled: Assembled, weights: Mapping[str, float] | None, dataset_weights: Mapping[str, float] | None
) -> SnapshotWeights:
    """The weights that a board is frozen at, see `freeze`. Raises `UserError`."""
    names = [metric.name for metric in assembled.board.metrics]
    return SnapshotWeights(
        metrics=_weights("metric", weights, assembled.metric_weights, names),
        datasets=_weights("dataset", dataset_weights, assembled.dataset_weights, assembled.data["datasets"]),
    )


def removals_of(assembled: Assembled) -> tuple[SnapshotRemoval, ...]:
    """The models that were removed from a board, as its snapshots name them."""
    return tuple(
        SnapshotRemoval(id=model.id, label=model.label, **dict(model.removed))
        for model in assembled.removed
        if model.removed
    )


def certainty_bytes(sampled: Mapping[str, Any]) -> bytes | None:
    """The bytes of ``certainty.json``: how the cells vary, as `rank.rank_sets` takes it, by dataset.

    None where it is not known of any, and datasets are too few to say anything of another one.
    """
    return dump(sampled, compact=True) if any_varies(sampled) or len(sampled) >= LEAST else None


def any_varies(sampled: Mapping[str, Any]) -> bool:
    """Whether it is known of any cell how it varies."""
    return any(
        one["covariances"] or one["apart"] or any(map(any, one["relative"].values())) or one.get("stated")
        for one in sampled.values()
    )


def content_hash(document: Mapping[str, Any]) -> str:
    """The canonical hash of a snapshot as it is in its file, without what names it."""
    return digest({name: value for name, value in document.items() if name not in NAMES})


def id_of(created: str, hashed: str, digits: int = DIGITS) -> str:
    """The id of a snapshot made at a time (as in the record) of content with that hash."""
    return f"{created.replace('-', '').replace(':', '')}-{hashed.removeprefix('sha256:')[:digits]}"


def _named(document: Mapping[str, Any], moment: datetime) -> Snapshot:
    created = moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    unnamed = Snapshot(id=id_of(created, "0" * 64), created=created, **document)
    return unnamed.model_copy(update={"id": id_of(created, content_hash(unnamed.plain()))})


def _weights(
    what: str, given: Mapping[str, float] | None, default: Mapping[str, float], names: Sequence[str]
) -> dict[str, float]:
    """A weight for each of `names`. Raises `UserError` for any other name."""
    for name in given or ():
        if name not in names:
            has = f"it has {', '.join(names)}"
            raise UserError(f"{what} weight {name!r}", f"the board has no such {what}", has)
    used = default if given is None else given
    weights = {name: float(used.get(name, 0.0)) for name in names}
    for name, weight in weights.items():
        if not 0 <= weight < float("inf"):
            raise UserError(f"{what} weight {name!r}", f"{weight!r} is not a finite number of at least 0")
    if not any(weights.values()):
        problem = "all are zero, so there is nothing to rank by"
        raise UserError(f"{what} weights", problem, "give one some weight")
    return weights


class _Shared:
    """What many results have in common, once each and in the order met."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.sources: list[Source] = []
        self.machines: list[SnapshotMachine] = []

    def results(self, results: Mapping[str, Result]) -> dict[str, SnapshotResult]:
        return {dataset: self._result(result) for dataset, result in results.items()}

    def _result(self, result: Result) -> SnapshotResult:
        path = self.store.path(result.task, result.dataset.id, result.model.id)
        machine = _machine(result)
        return SnapshotResult(
            sha256=file_hash(path.read_bytes()),
            provenance=result.provenance,
            created=result.created,
            source=_place(self.sources, result.source) if result.source else None,
            machine=_place(self.machines, machine) if machine else None,
        )


def _place(known: list[Any], new: Any) -> int:
    if new not in known:
        known.append(new)
    return known.index(new)


def _machine(result: Result) -> SnapshotMachine | None:
    if result.measurement is None:
        return None
    on = result.measurement.fingerprint
    return SnapshotMachine(
        protocol=result.measurement.protocol,
        cpu=on.cpu,
        cores=on.cores,
        memory_bytes=on.memory_bytes,
        os=on.os,
        python=on.python,
        threads=on.threads,
    )


def _dataset(assembled: Assembled, boards: Boards, name: str) -> SnapshotDataset:
    spec = boards.dataset(name)
    everyone = [*assembled.entries.values(), *assembled.people.values()]
    results = [entry.results[name] for entry in everyone if name in entry.results]
    counted = [result for result in results if result.dataset.examples is not None]
    newest = max(counted, key=lambda result: (result.created, result.model.id), default=None)
    return SnapshotDataset(
        id=spec.id,
        label=spec.label,
        role=spec.role,
        revisions=tuple(sorted({r.dataset.revision for r in results if r.dataset.revision})),
        examples=newest.dataset.examples if newest else None,
        licence=spec.licence,
        citation=spec.citation,
        link=spec.link,
    )


def _model(entry: BoardEntry, scoring: Iterable[str], shared: _Shared) -> SnapshotModel:
    absent = [f"no result on {dataset}" for dataset in scoring if dataset not in entry.results]
    return SnapshotModel(
        id=entry.id,
        card=_card(entry),
        results=shared.results(entry.results),
        reasons=(*entry.failures, *absent, *entry.kept_apart),
        suspect=tuple(map(str, entry.suspect)),
        stale=tuple(map(str, entry.outdated)),
    )


def _card(entry: BoardEntry) -> ModelCard:
    """The card of the newest result whose card is not empty."""
    described = [result for result in entry.results.values() if result.model.card != ModelCard()]
    newest = max(described, key=lambda result: (result.created, result.dataset.id), default=None)
    return newest.model.card if newest else ModelCard()


def _person(assembled: Assembled, person: BoardEntry, shared: _Shared) -> SnapshotPerson:
    names = [metric.name for metric in assembled.board.metrics]
    values = {
        dataset: {
            name: result.scores[name].value
            for name in names
            if name in result.scores and _fits(assembled, result, name)
        }
        for dataset, result in person.results.items()
    }
    return SnapshotPerson(
        id=person.id,
        label=person.label,
        results=shared.results(person.results),
        values=values,
        stale=tuple(map(str, person.outdated)),
    )


def _fits(assembled: Assembled, result: Result, metric: str) -> bool:
    """Whether the models' numbers, if there are any, were made on the same data by the same definition."""
    others = [entry.results.get(result.dataset.id) for entry in assembled.entries.values()]
    keys = {comparability(other, metric) for other in others if other and metric in other.scores}
    return not keys or comparability(result, metric) in keys
