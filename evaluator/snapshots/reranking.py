"""Ranking snapshots again, with the scorer that is in each, and comparing to the last bit."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from evaluator.records import Digest, Snapshot, SnapshotRanking
from evaluator.snapshots.freezing import file_hash
from evaluator.snapshots.reporting import SnapshotProblem, Verified
from evaluator.snapshots.repository import RECORD
from evaluator.snapshots.scoring import ScorerError, pinned_rankings
from evaluator.snapshots.sources import SnapshotFiles

SCORER = "dynascore.py"
#: Whether a scorer of that hash may be run.
Trust = Callable[[Digest], bool]
#: Snapshots whose ranks are computed by one process.
BATCH = 100


@dataclass(frozen=True)
class Rankable:
    """A snapshot whose bytes are right, and what is left to do: rank it again."""

    source: SnapshotFiles
    snapshot: Snapshot
    scorer_name: str
    scorer: bytes


def rank_again(all_frozen: Iterable[Rankable], trust: Trust, report: Verified) -> None:
    """Compare what each scorer that is trusted gives with what is stored, adding to `report`."""
    by_scorer: dict[bytes, list[Rankable]] = defaultdict(list)
    for frozen in all_frozen:
        by_scorer[frozen.scorer].append(frozen)
    for scorer, group in by_scorer.items():
        if trust(file_hash(scorer)):
            for start in range(0, len(group), BATCH):
                report.problems += _compare(scorer, group[start : start + BATCH], report)
            continue
        for one in group:
            message = (
                f"was not run, and the ranks were not computed: this program does not know a scorer of hash"
                f" {file_hash(scorer)}; read it, then pass --run-scorer"
            )
            report.problems.append(SnapshotProblem(one.source.where(one.scorer_name), message))


def _compare(scorer: bytes, group: list[Rankable], report: Verified) -> Iterator[SnapshotProblem]:
    try:
        rankings = pinned_rankings(scorer, [(one.snapshot.data, one.snapshot.weights) for one in group])
    except ScorerError as error:
        if len(group) > 1:
            # One of them is the cause: which one?
            for one in group:
                yield from _compare(scorer, [one], report)
        else:
            yield SnapshotProblem(
                group[0].source.where(group[0].scorer_name), str(error).removeprefix(f"{SCORER}: ")
            )
        return
    for one, ranking in zip(group, rankings, strict=True):
        report.ranked += 1
        yield from _differences(one.source.where(RECORD), one.snapshot, ranking)


def _differences(where: str, snapshot: Snapshot, computed: SnapshotRanking) -> Iterator[SnapshotProblem]:
    """Every number that differs, to the last bit, from what the scorer gives."""
    stored, computed_ = dict(_numbers(snapshot, snapshot.ranking)), dict(_numbers(snapshot, computed))
    for name in sorted({*stored, *computed_}):
        is_, should = stored.get(name), computed_.get(name)
        if not _same(is_, should):
            yield SnapshotProblem(
                where,
                f"{name}: is {is_!r}, but the scorer in the snapshot gives {should!r}; restore the file",
            )


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return one == other and math.copysign(1, one) == math.copysign(1, other)
    return bool(one == other)


def _numbers(snapshot: Snapshot, ranking: SnapshotRanking) -> Iterator[tuple[str, Any]]:
    """Every number and note of a ranking, by where it is."""
    columns = {"rank": ranking.ranks, "score": ranking.scores, "z-score": ranking.z_scores}
    columns |= {f"contribution of {name}": column for name, column in ranking.contributions.items()}
    for what, column in columns.items():
        for model, value in zip(snapshot.data.models, column, strict=True):
            yield f"{what} of {model}", value
    for name, rate in ranking.exchange_rates.items():
        for part, value in rate:
            yield f"exchange rate of {name}: {part}", value
    yield "notes", ranking.notes
