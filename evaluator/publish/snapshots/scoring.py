"""Ranking a snapshot again, with the same file that ranked it."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, TypeVar

from pydantic import ValidationError

from evaluator.rank import FILES, dynascore
from evaluator.rank.significance import CONFIDENCE
from evaluator.records.base import Digest, Record, describe_errors
from evaluator.records.snapshot import (
    Snapshot,
    SnapshotCells,
    SnapshotCertainty,
    SnapshotRanking,
    SnapshotWeights,
)

#: A snapshot carries all scorers. Those of `RANKING` are run to verify it, in this order: the first
#: ranks, the last says how sure the ranks are and imports the others. The rest answer what its page asks.
RANKING = ("dynascore.py", "significance.py", "rank_sets.py")
HERE = Path(dynascore.__file__).parent
_RUNNER = Path(__file__).with_name("runner.py")
#: A scorer that takes longer, or writes more for each snapshot, is stopped.
TIMEOUT_S, ANSWER_BYTES = 180.0, 10**7


@dataclass(frozen=True)
class Weighed:
    """A board to rank. `certainty` are the bytes of its ``certainty.json``, None where it has none."""

    data: SnapshotCells
    weights: SnapshotWeights
    certainty: bytes | None = None
    confidence: float = CONFIDENCE

    def job(self) -> tuple[Any, ...]:
        """What the runner takes. Raises ValueError where `certainty` is no JSON."""
        sure = None if self.certainty is None else (json.loads(self.certainty), self.confidence)
        return self.data.plain(), self.weights.metrics, self.weights.datasets, sure


Ranked = tuple[SnapshotRanking, SnapshotCertainty | None]


Answered = TypeVar("Answered", bound=Record)


class ScorerError(ValueError):
    """A scorer that gave no ranking; the message says why."""


def shipped() -> dict[str, bytes]:
    """The scorers of this program, by file name."""
    return {name: (HERE / name).read_bytes() for name in FILES}


def ranked(snapshot: Snapshot) -> dynascore.Ranking:
    """The ranking of a snapshot's cells by the scorer of this program, with all that a page shows."""
    board = dynascore.Board.from_dict(snapshot.data.plain())
    return board.rank(snapshot.weights.metrics, snapshot.weights.datasets)


def pinned_rankings(scorers: Mapping[str, bytes], boards: Sequence[Weighed]) -> list[Ranked]:
    """What scorers, by file name, make of each board: run in a process that can touch nothing else.

    Raises `ScorerError` when one fails, takes too long or answers with something other than a ranking.
    """
    sources = {name: scorers[name].decode("utf-8", "replace") for name in RANKING if name in scorers}
    answers = _run({"sources": sources, "boards": [board.job() for board in boards]}, len(boards))
    if not isinstance(answers, list) or len(answers) != len(boards):
        raise ScorerError("dynascore.py: the scorer did not rank every board it was given")
    return [_ranked(answer, board) for answer, board in zip(answers, boards, strict=True)]


def _ranked(answer: Any, board: Weighed) -> Ranked:
    if not isinstance(answer, list) or len(answer) != 2:
        raise ScorerError("dynascore.py: what the scorer answers is no ranking")
    ranking, sets = answer
    models = board.data.models
    found = None if board.certainty is None else certain(sets, board.certainty, models)
    return columns(ranking, models), found


def certain(sets: Any, of: bytes, models: Sequence[str]) -> SnapshotCertainty:
    """Rank sets (``Certainty.summary``) that were made of those bytes. Raises `ScorerError`."""
    if not isinstance(sets, dict):
        raise ScorerError("rank_sets.py: what it answers are no rank sets")
    found = _answered(SnapshotCertainty, {**sets, "sha256": file_hash(of)}, "rank_sets.py: rank sets")
    if len(found.sets) != len(models):
        raise ScorerError(f"rank_sets.py: {len(found.sets)} rank sets for {len(models)} models")
    return found


def columns(ranking: Mapping[str, Any], models: Sequence[str]) -> SnapshotRanking:
    """A ranking (``Ranking.to_dict``) by columns in the order of `models`. Raises `ScorerError`."""
    try:
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
    except (KeyError, TypeError, AttributeError) as error:
        raise ScorerError(f"dynascore.py: what the scorer answers is no ranking: {error!r}") from None
    return _answered(SnapshotRanking, document, "dynascore.py: ranking")


def _answered(kind: type[Answered], document: Mapping[str, Any], what: str) -> Answered:
    try:
        return kind.model_validate(document)
    except ValidationError as error:
        raise ScorerError(describe_errors(error, what)) from None


def file_hash(content: bytes) -> Digest:
    """``sha256:`` and the hash of a file's bytes."""
    return "sha256:" + hashlib.sha256(content).hexdigest()


def _run(job: Any, boards: int) -> Any:
    limit = ANSWER_BYTES * max(boards, 1)
    # Files in place of pipes: the system itself then limits what the scorer may write.
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as printed:
        given.write(json.dumps(job).encode())
        given.seek(0)
        with tempfile.TemporaryDirectory() as folder:
            _let_run([folder, str(limit)], given, printed)
        printed.seek(0)
        answer = printed.read()
    try:
        return json.loads(answer)
    except (ValueError, RecursionError):
        raise ScorerError(
            "dynascore.py: the scorer failed, was stopped, or took longer than"
            f" {TIMEOUT_S:.0f} s; nothing was ranked"
        ) from None


def _let_run(arguments: Sequence[str], given: IO[bytes], printed: IO[bytes]) -> None:
    """Start the runner in a group of its own, and end the group when it is done or late."""
    process = subprocess.Popen(
        [sys.executable, "-I", "-S", "-B", str(_RUNNER), *arguments],
        stdin=given,
        stdout=printed,
        stderr=subprocess.DEVNULL,
        cwd=arguments[0],
        env={},
        start_new_session=True,
    )
    try:
        with suppress(subprocess.TimeoutExpired):
            process.wait(TIMEOUT_S)
    finally:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
