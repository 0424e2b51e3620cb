"""The scorers: those of this program, those that it knows of earlier versions, and what they make of a board.

A snapshot carries the files of `evaluator.rank` that ranked it. To verify it they are run again, but only if
they are, to the last byte, the scorer of a version that this program knows: nobody else's code is ever run.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

from pydantic import ValidationError

from evaluator import __version__, rank
from evaluator.rank import dynascore, rank_sets
from evaluator.rank.significance import CONFIDENCE
from evaluator.records.base import Digest, Record, describe_errors
from evaluator.records.errors import UserError
from evaluator.records.snapshot import (
    Snapshot,
    SnapshotCells,
    SnapshotCertainty,
    SnapshotRanking,
    SnapshotWeights,
)

#: The scorer of each version: the hashes of its files by name. ``release/scorers.py`` adds this version's.
KNOWN = Path(__file__).with_name("scorers.json")
Ranked = tuple[SnapshotRanking, SnapshotCertainty | None]
Answered = TypeVar("Answered", bound=Record)


def shipped() -> dict[str, bytes]:
    """The files of this program's scorer, by name."""
    folder = Path(dynascore.__file__).parent
    return {name: (folder / name).read_bytes() for name in rank.FILES}


def file_hash(content: bytes) -> Digest:
    """``sha256:`` and the hash of a file's bytes."""
    return "sha256:" + hashlib.sha256(content).hexdigest()


def version_of(scorer: Mapping[str, Digest]) -> str | None:
    """The version of this program whose scorer has exactly these files, None where that is unknown."""
    own = {name: file_hash(content) for name, content in shipped().items()}
    known = {**json.loads(KNOWN.read_text("utf-8")), __version__: own}
    return next((version for version, files in known.items() if files == dict(scorer)), None)


def rank_cells(
    data: SnapshotCells,
    weights: SnapshotWeights,
    certainty: bytes | None,
    confidence: float = CONFIDENCE,
    files: Mapping[str, bytes] | None = None,
) -> Ranked:
    """What a scorer makes of a board: this program's, or `files`, which must be one of a known version.

    `certainty` are the bytes of ``certainty.json``, without which there are no rank sets. Raises
    `UserError` that begins with the name of a file, where these are not what a scorer can rank.
    """
    first, last = (dynascore, rank_sets) if files is None else _modules(tuple(files.items()))
    try:
        board = first.Board.from_dict(data.plain())
        ranking = board.rank(weights.metrics, weights.datasets).to_dict()
        sets = None
        if certainty is not None:
            sets = last.Certainty.from_dict(board, json.loads(certainty)).summary(
                weights.metrics, weights.datasets, confidence
            )
    except Exception as error:
        # The numbers may be anybody's: whatever goes wrong, they are what is at fault.
        raise UserError("dynascore.py", f"the scorer cannot rank this: {error!r}") from None
    found = None if certainty is None else certain(sets, certainty, data.models)
    return columns(ranking, data.models), found


@cache
def _modules(files: tuple[tuple[str, bytes], ...]) -> tuple[ModuleType, ModuleType]:
    """The modules of a scorer, imported as a package with a name of its own beside this program's."""
    package = "steelyard_scorer_" + hashlib.sha256(repr(files).encode()).hexdigest()[:32]
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / package).mkdir()
        for name, content in files:
            source = content.decode().replace(rank.__name__, package)
            (Path(folder) / package / name).write_text(source, "utf-8")
        sys.path.insert(0, folder)
        importlib.invalidate_caches()
        try:
            found = [importlib.import_module(f"{package}.{name}") for name in ("dynascore", "rank_sets")]
        finally:
            sys.path.remove(folder)
    return found[0], found[1]


def certain(sets: Any, of: bytes, models: Sequence[str]) -> SnapshotCertainty:
    """Rank sets (``Certainty.summary``) that were made of those bytes. Raises `UserError`."""
    found = _answered(SnapshotCertainty, {**sets, "sha256": file_hash(of)}, "rank_sets.py: rank sets")
    if len(found.sets) != len(models):
        raise UserError("rank_sets.py", f"{len(found.sets)} rank sets for {len(models)} models")
    return found


def columns(ranking: Mapping[str, Any], models: Sequence[str]) -> SnapshotRanking:
    """A ranking (``Ranking.to_dict``) by columns in the order of `models`. Raises `UserError`."""
    rows = {row["model"]: row for row in ranking["models"]}
    ordered = [rows[model] for model in models]
    weighed = dict.fromkeys(name for row in ordered for name in row["contributions"])
    document = {
        "ranks": [row["rank"] for row in ordered],
        "scores": [row["dynascore"] for row in ordered],
        "z_scores": [row["mean_z_score"] for row in ordered],
        "contributions": {
            name: [row["contributions"].get(name) for row in ordered] for name in sorted(weighed)
        },
        "exchange_rates": ranking["exchange_rates"],
        "notes": ranking["notes"],
    }
    return _answered(SnapshotRanking, document, "dynascore.py: ranking")


def _answered(kind: type[Answered], document: Mapping[str, Any], what: str) -> Answered:
    try:
        return kind.model_validate(document)
    except ValidationError as error:
        raise UserError("", describe_errors(error, what)) from None


def differences(snapshot: Snapshot, answer: Ranked) -> Iterator[str]:
    """Every number of a snapshot that differs, to the last bit, from what its scorer gives."""
    stored = dict(_numbers(snapshot, (snapshot.ranking, snapshot.certainty)))
    computed = dict(_numbers(snapshot, answer))
    for name in sorted({*stored, *computed}):
        is_, should = stored.get(name), computed.get(name)
        # As texts they differ in the sign of a zero, too.
        if is_ != should or repr(is_) != repr(should):
            yield f"{name}: is {is_!r}, but the scorer in the snapshot gives {should!r}; restore the file"


def _numbers(snapshot: Snapshot, answer: Ranked) -> Iterator[tuple[str, Any]]:
    """Every number and note of a ranking and its rank sets, by where it is."""
    ranking, certainty = answer
    named = {"rank": ranking.ranks, "score": ranking.scores, "z-score": ranking.z_scores}
    named |= {f"contribution of {name}": column for name, column in ranking.contributions.items()}
    for what, column in named.items():
        for model, value in zip(snapshot.data.models, column, strict=True):
            yield f"{what} of {model}", value
    for name, rate in ranking.exchange_rates.items():
        for part, value in rate:
            yield f"exchange rate of {name}: {part}", value
    yield "notes", ranking.notes
    if certainty:
        for model, found in zip(snapshot.data.models, certainty.sets, strict=True):
            yield f"rank set of {model}", found
            yield f"share of draws in which {model} leads", certainty.leads.get(model)
        yield "rank sets: unknown", certainty.unknown
        yield "rank sets: from published numbers", certainty.published
        yield "rank sets: given", certainty.given
