"""Ranking snapshots again, with the scorer that is in each, and comparing to the last bit."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evaluator.publish.snapshots.reporting import SnapshotProblem, Verified
from evaluator.publish.snapshots.repository import RECORD
from evaluator.publish.snapshots.scoring import Ranked, ScorerError, Weighed, file_hash, pinned_rankings
from evaluator.publish.snapshots.sources import SnapshotFiles
from evaluator.records.base import Digest
from evaluator.records.snapshot import Snapshot

SCORER = "dynascore.py"
#: Whether a scorer of that hash may be run.
Trust = Callable[[Digest], bool]
#: Snapshots whose ranks are computed by one process.
BATCH = 100


@dataclass(frozen=True)
class Rankable:
    """A snapshot whose bytes are right, and what is left to do: rank it again.

    `places` says of each scorer that does, by its file name, where the snapshot has it; `certainty` are the
    bytes of the file that its rank sets are of.
    """

    source: SnapshotFiles
    snapshot: Snapshot
    places: Mapping[str, str]
    scorers: Mapping[str, bytes]
    certainty: bytes | None

    @property
    def weighed(self) -> Weighed:
        """What its scorers are given."""
        sure = self.snapshot.certainty
        at = {"confidence": sure.confidence} if sure else {}
        return Weighed(self.snapshot.data, self.snapshot.weights, self.certainty, **at)


def rank_again(all_frozen: Iterable[Rankable], trust: Trust, report: Verified) -> None:
    """Compare what each scorer that is trusted gives with what is stored, adding to `report`."""
    by_scorers: dict[tuple[bytes, ...], list[Rankable]] = defaultdict(list)
    for frozen in all_frozen:
        unknown = {name: source for name, source in frozen.scorers.items() if not trust(file_hash(source))}
        report.problems += _not_run(frozen, unknown)
        if not unknown:
            by_scorers[tuple(frozen.scorers.values())].append(frozen)
    for group in by_scorers.values():
        for start in range(0, len(group), BATCH):
            report.problems += _compare(group[start : start + BATCH], report)


def _not_run(one: Rankable, unknown: Mapping[str, bytes]) -> Iterator[SnapshotProblem]:
    for name, source in unknown.items():
        message = (
            f"was not run, and the ranks were not computed: this program does not know a scorer of hash"
            f" {file_hash(source)}; read it, then pass --run-scorer"
        )
        yield SnapshotProblem(one.source.where(one.places[name]), message)


def _compare(group: Sequence[Rankable], report: Verified) -> Iterator[SnapshotProblem]:
    """Of snapshots with the same scorers."""
    try:
        answers = pinned_rankings(group[0].scorers, [one.weighed for one in group])
    except ScorerError as error:
        if len(group) > 1:
            # One of them is the cause: which one?
            for one in group:
                yield from _compare([one], report)
        else:
            scorer, _, message = str(error).partition(": ")
            yield SnapshotProblem(group[0].source.where(group[0].places[scorer]), message)
        return
    for one, answer in zip(group, answers, strict=True):
        report.ranked += 1
        yield from _differences(one.source.where(RECORD), one.snapshot, answer)


def _differences(where: str, snapshot: Snapshot, answer: Ranked) -> Iterator[SnapshotProblem]:
    """Every number that differs, to the last bit, from what the scorers give."""
    stored = dict(_numbers(snapshot, (snapshot.ranking, snapshot.certainty)))
    computed_ = dict(_numbers(snapshot, answer))
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


def _numbers(snapshot: Snapshot, answer: Ranked) -> Iterator[tuple[str, Any]]:
    """Every number and note of a ranking and its rank sets, by where it is."""
    ranking, certainty = answer
    columns = {"rank": ranking.ranks, "score": ranking.scores, "z-score": ranking.z_scores}
    columns |= {f"contribution of {name}": column for name, column in ranking.contributions.items()}
    for what, column in columns.items():
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
