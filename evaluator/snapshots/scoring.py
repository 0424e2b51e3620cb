"""Ranking a snapshot again, with the same file that ranked it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from pydantic import ValidationError

import evaluator
from evaluator import dynascore
from evaluator.records import (
    Snapshot,
    SnapshotCells,
    SnapshotRanking,
    SnapshotWeights,
    describe_errors,
)

#: The scorers that a snapshot carries; the first one ranks.
SCORERS = ("dynascore.py", "tradeoffs.py")
HERE = Path(evaluator.__file__).parent
_RUNNER = Path(__file__).with_name("runner.py")
#: A scorer that takes longer, or writes more for each snapshot, is stopped.
TIMEOUT_S, ANSWER_BYTES = 180.0, 10**7

Weighed = tuple[SnapshotCells, SnapshotWeights]


class ScorerError(ValueError):
    """A scorer that gave no ranking; the message says why."""


def shipped() -> dict[str, bytes]:
    """The scorers of this program, by file name."""
    return {name: (HERE / name).read_bytes() for name in SCORERS}


def ranked(snapshot: Snapshot) -> dynascore.Ranking:
    """The ranking of a snapshot's cells by the scorer of this program, with all that a page shows."""
    board = dynascore.Board.from_dict(snapshot.data.plain())
    return board.rank(snapshot.weights.metrics, snapshot.weights.datasets)


def pinned_rankings(source: bytes, boards: Sequence[Weighed]) -> list[SnapshotRanking]:
    """What the scorer with that source makes of each board: run in a process that can touch nothing else.

    Raises `ScorerError` when it fails, takes too long or answers with something other than a ranking.
    """
    plain = [(data.plain(), weights.metrics, weights.datasets) for data, weights in boards]
    answers = _run({"source": source.decode("utf-8", "replace"), "boards": plain}, len(boards))
    if not isinstance(answers, list) or len(answers) != len(boards):
        raise ScorerError("dynascore.py: the scorer did not rank every board it was given")
    return [columns(answer, data.models) for answer, (data, _) in zip(answers, boards, strict=True)]


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
        return SnapshotRanking.model_validate(document)
    except ValidationError as error:
        raise ScorerError(describe_errors(error, "dynascore.py: ranking")) from None
    except (KeyError, TypeError, AttributeError) as error:
        raise ScorerError(f"dynascore.py: what the scorer answers is no ranking: {error!r}") from None


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
